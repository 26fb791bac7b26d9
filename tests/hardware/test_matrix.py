import random
import subprocess
import sys
import threading
import time

import pytest
from gpiozero import OutputDevice  # type: ignore[import-untyped]  # it ships no types
from gpiozero.pins.mock import MockFactory  # type: ignore[import-untyped]  # it ships no types

from hardware.errors import PinsError, SensorsError
from hardware.matrix import Matrix, MatrixPins
from hardware.mock_matrix import MockMatrix
from hardware.news import Cell, Changed, Frame, News, Scan
from hardware.polling import LineFaultError, PolledSensors, SteppedSensors

PINS = MatrixPins()
NO_PULL_UPS = (14, 15, 21, 22, 23, 24, 25, 26, 27)
POLARITIES = [
    MatrixPins(columns=NO_PULL_UPS, row_on=row_on, column_magnet=magnet) for row_on in (0, 1) for magnet in (0, 1)
]


class Bench:
    """A matrix on mock pins, and the clock of a test."""

    def __init__(self, pins: MatrixPins = PINS) -> None:
        self.now = 0.0
        self.factory = MockFactory()
        self.model = MockMatrix(self.factory, pins)
        self.pins = pins

    def matrix(self) -> Matrix:
        return Matrix(self.pins, factory=self.factory, sleep=self.model.sleep)

    def clock(self) -> float:
        return self.now


def some(rng: random.Random, count: int) -> Frame:
    return frozenset(Cell(index) for index in rng.sample(range(81), count))


@pytest.mark.parametrize("pins", POLARITIES)
def test_every_occupancy_is_read_as_it_is_whatever_the_polarity(pins: MatrixPins) -> None:
    bench, rng = Bench(pins), random.Random(1)
    matrix = bench.matrix()
    for count in (0, 1, 2, 16, 25, 80, 81):
        magnets = some(rng, count)
        bench.model.magnets = set(magnets)
        assert matrix.scan() == magnets
    matrix.close()


def test_each_cell_has_its_own_reading() -> None:
    bench = Bench()
    matrix = bench.matrix()
    for cell in map(Cell, range(81)):
        bench.model.magnets = {cell}
        assert matrix.scan() == {cell}
    matrix.close()


def test_a_settle_time_that_is_too_short_reads_nothing_true() -> None:
    bench = Bench(MatrixPins(settle_us=100))
    bench.model.magnets = {Cell(3)}
    matrix = bench.matrix()
    assert matrix.scan() == frozenset()
    matrix.close()


def test_never_are_two_rows_powered_and_none_after_a_scan() -> None:
    bench = Bench()
    matrix = bench.matrix()
    most = 0
    pins = [bench.factory.pin(pin) for pin in PINS.rows]

    def watch(seconds: float) -> None:
        nonlocal most
        most = max(most, sum(bool(pin.state) for pin in pins))
        bench.model.sleep(seconds)

    matrix._sleep = watch
    matrix.scan()
    assert most == 1
    assert not any(pin.state for pin in pins)
    matrix.close()


def test_mock_pins_do_not_remember_a_day_of_scans() -> None:
    bench = Bench()
    matrix = bench.matrix()
    bench.model.magnets = {Cell(0), Cell(80)}
    for _ in range(50):
        matrix.scan()
    assert max(len(pin.states) for pin in bench.factory.pins.values()) <= 2
    matrix.close()


def test_a_shorted_column_is_named_and_nothing_is_read() -> None:
    bench = Bench()
    matrix = bench.matrix()
    bench.model.shorted_columns = {4}
    with pytest.raises(LineFaultError, match=r"^column 4 reads a magnet while no row is powered: look for a short"):
        matrix.scan()
    matrix.close()


def test_a_dead_row_is_no_nine_lifts() -> None:
    bench = Bench()
    bench.model.magnets = {Cell(index) for index in (18, 20, 22, 26, 40)}
    sensors = SteppedSensors(bench.matrix, 9, 50, bench.clock)
    sensors.open()
    assert sensors.poll(0.0) == [Scan(0.0, frozenset(bench.model.magnets))]
    bench.model.dead_rows = {2}
    for step in range(1, 4):
        bench.now = step * 0.02
        assert sensors.poll(bench.now) == []
    bench.model.dead_rows = set()
    bench.now = 0.08
    assert sensors.poll(bench.now) == []
    assert sensors.punctuality.impossible == 1
    bench.model.magnets.remove(Cell(40))
    bench.now = 0.1
    assert sensors.poll(bench.now) == [Changed(0.1, (Cell(40),), occupied=False)]
    sensors.close()


def test_a_short_is_told_as_trouble_while_it_lasts() -> None:
    bench = Bench()
    sensors = SteppedSensors(bench.matrix, 9, 50, bench.clock)
    sensors.open()
    assert sensors.trouble == ""
    bench.model.shorted_columns = {0}
    bench.now = 0.02
    assert sensors.poll(bench.now) == []
    assert not sensors.connected
    assert "column 0" in sensors.trouble
    with pytest.raises(SensorsError, match="column 0"):
        sensors.read()
    bench.model.shorted_columns = set()
    bench.now = 0.04
    sensors.poll(bench.now)
    assert sensors.trouble == ""
    sensors.close()


def test_scans_that_are_late_are_counted_and_not_made_up_for() -> None:
    bench = Bench()
    sensors = SteppedSensors(bench.matrix, 9, 50, bench.clock)
    sensors.open()
    sensors.poll(0.0)
    bench.now = 1.0
    sensors.poll(1.0)
    counts = sensors.punctuality
    assert counts.scans == 2
    assert counts.overruns in (48, 49)  # 50 Hz is not exact in binary
    assert counts.longest_gap_s == 1.0
    sensors.close()


def test_while_nothing_moves_it_scans_less_and_the_first_change_ends_that() -> None:
    bench = Bench()
    sensors = SteppedSensors(bench.matrix, 9, 50, bench.clock)
    sensors.open()

    def scans_in_a_second() -> int:
        before = sensors.punctuality.scans
        for _ in range(500):
            bench.now += 0.002
            sensors.poll(bench.now)
        return sensors.punctuality.scans - before

    assert scans_in_a_second() in range(48, 52)
    for _ in range(6):
        scans_in_a_second()
    assert scans_in_a_second() in range(19, 22)
    bench.model.magnets = {Cell(3)}
    assert scans_in_a_second() in range(45, 52)
    assert sensors.punctuality.overruns == 0
    sensors.close()


def test_one_thread_scans_at_the_configured_rate() -> None:
    bench = Bench()
    bench.model.magnets = {Cell(7)}
    began = time.monotonic()
    arrived = threading.Event()
    sensors = PolledSensors(bench.matrix, 9, 100, lambda: time.monotonic() - began)
    sensors.open()
    sensors.open()
    try:
        assert sensors.read() == {Cell(7)}
        bench.model.magnets = {Cell(8)}
        news: list[News] = []
        while not any(isinstance(item, Changed) and item.cells == (Cell(8),) for item in news):
            news += sensors.poll(time.monotonic() - began)
            assert time.monotonic() - began < 5.0
            arrived.wait(0.005)
        assert [thread.name for thread in threading.enumerate()].count("sensors") == 1
    finally:
        sensors.close()
        sensors.close()
    assert "sensors" not in [thread.name for thread in threading.enumerate()]


def test_wires_that_are_lost_are_told_to_whoever_polls() -> None:
    class Broken:
        def scan(self) -> Frame:
            raise OSError("the chip is gone")

        def close(self) -> None:
            return

    sensors = PolledSensors(Broken, 9, 50, time.monotonic)
    sensors.open()
    thread = sensors._thread
    assert thread is not None
    thread.join(5.0)
    with pytest.raises(SensorsError, match="can no longer be read: the chip is gone"):
        sensors.poll(time.monotonic())
    assert not sensors.connected
    sensors.close()


def test_a_pin_that_another_uses_is_named_and_nothing_stays_open() -> None:
    bench = Bench()
    taken = OutputDevice(PINS.columns[3], pin_factory=bench.factory)
    with pytest.raises(SensorsError, match=r"^the matrix cannot be opened: .*GPIO22"):
        bench.matrix()
    taken.close()
    bench.matrix().close()


@pytest.mark.parametrize(
    ("rows", "columns", "problem"),
    [
        ((1, 2, 3), (4, 5, 6), "rows: expected 7 to 19 pins, got 3"),
        (tuple(range(9)), tuple(range(9, 17)), "columns: expected as many pins as rows, 9, got 8"),
        (tuple(range(9)), tuple(range(8, 17)), "columns: GPIO8 is already used by rows"),
        (tuple(range(9)), tuple(range(20, 29)), "columns: expected GPIO numbers from 0 to 27, got 28"),
    ],
)
def test_a_table_that_cannot_be_wired_is_refused(rows: tuple[int, ...], columns: tuple[int, ...], problem: str) -> None:
    with pytest.raises(PinsError) as told:
        MatrixPins(rows, columns)
    assert str(told.value) == problem


def test_pins_with_a_pull_up_of_their_own_cannot_read_high_magnets() -> None:
    with pytest.raises(PinsError, match="columns: GPIO2 has a pull-up on the Pi's board"):
        MatrixPins(column_magnet=1)


def test_importing_every_driver_opens_nothing_and_needs_no_pi() -> None:
    script = (
        "import sys, hardware.matrix, hardware.neopixels, hardware.buttons, hardware.buzzer, hardware.shift_register, "
        "hardware.microcontroller, hardware.boards\n"
        "wrong = {'gpiozero', 'board', 'neopixel', 'lgpio', 'RPi'} & set(sys.modules)\n"
        "sys.exit(str(wrong) if wrong else 0)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
