"""The whole daemon on wires: a matrix on mock pins, with captured lights."""

import logging
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from gpiozero.pins.mock import MockFactory  # type: ignore[import-untyped]  # it ships no types

from boardd.calibrate.calibration import FILE_NAME, Calibration, write_calibration
from boardd.settings import BoardSettings, LightSettings, Settings
from boardd.wiring.sensor_health import FILE_NAME as HEALTH
from boardd.wiring.sensor_health import Noise, read_health, write_health
from boardd.wiring.wire_settings import ButtonSettings, BuzzerSettings
from engine import Square, parse_square
from hardware.boards import Board, BoardWires, assemble
from hardware.matrix import MatrixPins
from hardware.mock_matrix import MockMatrix
from hardware.neopixels import NeoPixels
from hardware.news import Cell
from hardware.simulated.wiring import Wiring, scrambled
from tests.boardd.wired import CELLS, SIZE, START, OnWires, at, run, running
from tests.hardware.captured import Captured

STARTING_S = 0.2
"""The daemon has found its board by then (seconds)."""


class Matrix(OnWires):
    """A daemon on a matrix, however it is wired, and the hands of its players."""

    def __init__(
        self,
        directory: Path,
        wiring: Wiring | None = None,
        settings: Settings | None = None,
        broken: Exception | None = None,
    ) -> None:
        self.wiring = wiring
        self.pixels = Captured()
        self.pixels.broken = broken
        self.pins = MockFactory()
        self.model = MockMatrix(self.pins, MatrixPins())
        self.standing = set(START)
        self._move_magnets()
        usual = Settings(board=BoardSettings(kind="matrix"), lights=LightSettings(wire="spi"))
        super().__init__(directory, settings or usual)

    def make(self, wires: BoardWires, clock: Callable[[], float]) -> Board:
        made = assemble(wires, clock, factory=self.pins, stepped=True, sleep=self.model.sleep)
        made.lights = NeoPixels(lambda: self.pixels, range(CELLS))
        return made

    def _move_magnets(self) -> None:
        wiring = self.wiring
        cells = self.standing if wiring is None else {wiring.sensors[place] for place in self.standing}
        if wiring is not None and wiring.inverted:
            cells = set(range(CELLS)) - cells
        self.model.magnets = {Cell(cell) for cell in cells}

    async def wait(self, seconds: float) -> None:
        await self.clock.advance_to(self.clock.now() + seconds)

    async def lift(self, name: str) -> None:
        self.standing.remove(at(name))
        self._move_magnets()
        await self.wait(0.4)

    async def drop(self, name: str) -> None:
        self.standing.add(at(name))
        self._move_magnets()
        await self.wait(1.3)

    async def move(self, origin: str, destination: str, *victims: str) -> None:
        await self.lift(origin)
        await self.drop(destination)
        for victim in victims:
            await self.lift(victim)
        await self.wait(0.5)

    @property
    def lit(self) -> set[int]:
        """The places that shine, by the bytes on the wire."""
        self.pixels.settle()
        sent = self.pixels.sent[-1]
        cells = {at // 3 for at in range(0, len(sent), 3) if any(sent[at : at + 3])}
        if self.wiring is None:
            return cells
        return {self.wiring.lights.index(Cell(cell)) for cell in cells}


def test_a_game_is_played_on_a_matrix_and_the_lights_answer(tmp_path: Path) -> None:
    async def play() -> None:
        board = Matrix(tmp_path)
        async with running(board, STARTING_S):
            assert board.state["simulated"] is False
            await board.lift("d1")
            assert at("d1") in board.lit
            assert at("d3") in board.lit
            await board.drop("d3")
            await board.move("g5", "g4")
            await board.move("f1", "f3", "e3")
            assert board.played == ["d1-d3", "g5-g4", "f1-f3"]
            assert board.state["removals"] == []
        assert board.pixels.sent[0] == board.pixels.sent[-1] == bytes(3 * CELLS)
        assert board.pixels.closed

    run(play)


def test_a_square_that_bounces_ever_more_is_told_on_the_page(tmp_path: Path) -> None:
    write_health(tmp_path / HEALTH, {Square(at("d1")): Noise(400, 2.0, 3.4)}, SIZE)
    settings = Settings(board=BoardSettings(kind="matrix", masked=("a1",)), lights=LightSettings(wire="spi"))

    async def play() -> None:
        board = Matrix(tmp_path, settings=settings)
        async with running(board, STARTING_S):
            assert board.state["health"] == {"noisy": [], "untrusted": ["a1"]}
            for _ in range(5):  # the piece trembles and is lifted
                board.standing ^= {at("d1")}
                board._move_magnets()
                await board.wait(0.02)
            version = board.daemon.session.version
            await board.wait(0.06)
            assert board.daemon.session.version > version
            assert board.state["health"] == {"noisy": ["d1"], "untrusted": ["a1"]}

    run(play)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_calibrated_board_of_any_wiring_plays_like_any_other(tmp_path: Path, seed: int) -> None:
    wiring = scrambled(CELLS, Random(seed))
    sensors = tuple(Square(place) for place in sorted(range(CELLS), key=wiring.sensors.__getitem__))
    lights = tuple(Square(place) for place in sorted(range(CELLS), key=wiring.lights.__getitem__))
    write_calibration(tmp_path / FILE_NAME, Calibration(SIZE, sensors, lights, inverted=wiring.inverted))

    async def play() -> None:
        board = Matrix(tmp_path, wiring)
        async with running(board, STARTING_S):
            await board.lift("d1")
            assert {at("d1"), at("d2"), at("d3")} <= board.lit
            await board.drop("d3")
            await board.move("g5", "g4")
            await board.move("f1", "f3", "e3")
            assert board.played == ["d1-d3", "g5-g4", "f1-f3"]

    run(play)


def test_a_short_is_told_and_the_game_waits_for_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play() -> None:
        board = Matrix(tmp_path)
        async with running(board, STARTING_S):
            await board.move("d1", "d3")
            board.model.shorted_columns = {2}
            await board.wait(1.0)
            assert not board.connected()
            board.model.shorted_columns = set()
            await board.wait(0.2)
            assert board.connected()
            await board.move("g5", "g4")
            assert board.played == ["d1-d3", "g5-g4"]

    with caplog.at_level(logging.WARNING):
        run(play)
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 2
    assert told[0].startswith("column 2 reads a magnet while no row is powered")
    assert told[1] == "the board can be read again"


def test_a_row_that_loses_contact_is_no_move(tmp_path: Path) -> None:
    async def play() -> None:
        board = Matrix(tmp_path)
        async with running(board, STARTING_S):
            board.model.dead_rows = {4}
            await board.wait(0.08)
            board.model.dead_rows = set()
            await board.wait(3.0)
            assert board.state["state"] == "ready"
            assert board.state["mismatch"] == {"missing": [], "extra": []}

    run(play)


def test_lights_that_cannot_be_opened_leave_the_board_playing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play() -> None:
        board = Matrix(tmp_path, broken=PermissionError("no"))
        async with running(board, STARTING_S):
            await board.move("d1", "d3")
            assert board.played == ["d1-d3"]

    with caplog.at_level(logging.WARNING):
        run(play)
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.startswith("the lights stay dark: the lights cannot be opened: ")
    assert "use [lights] wire = 'spi'" in told


def test_lights_that_fail_in_a_game_are_told_once_and_left_black(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def play() -> None:
        board = Matrix(tmp_path)
        async with running(board, STARTING_S):
            board.pixels.settle()
            board.pixels.failures = 1
            await board.lift("d1")
            board.pixels.wait_for_end()
            await board.drop("d3")
            await board.move("g5", "g4")
            assert board.played == ["d1-d3", "g5-g4"]
        assert not any(board.pixels.sent[-1])
        assert board.pixels.closed

    with caplog.at_level(logging.WARNING):
        run(play)
    (told,) = [record.getMessage() for record in caplog.records]
    assert told == "the lights stay dark: the lights failed: OSError: the wire broke"


def test_buttons_and_buzzer_do_their_part(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = Settings(
        board=BoardSettings(kind="matrix"),
        lights=LightSettings(wire="pwm"),
        buttons=ButtonSettings(takeback_pin=14, hint_pin=15),
        buzzer=BuzzerSettings(pin=11),
    )

    async def play() -> None:
        board = Matrix(tmp_path, settings=settings)
        async with running(board, STARTING_S):
            await board.move("d1", "d3")
            assert board.played == ["d1-d3"]
            pin = board.pins.pin(14)
            pin.drive_low()
            await board.wait(0.2)
            pin.drive_high()
            assert board.played == []
            board.pins.pin(15).drive_low()
            await board.wait(0.2)
            assert board.daemon.session.hint_asked

    with caplog.at_level(logging.INFO):
        run(play)
    told = [record.getMessage() for record in caplog.records]
    assert any("the buzzer cannot be opened" in line for line in told)  # these mock pins have no PWM


def test_the_sensors_health_is_kept(tmp_path: Path) -> None:
    async def play() -> None:
        board = Matrix(tmp_path)
        async with running(board, STARTING_S):
            await board.move("d1", "d3")

    run(play)
    noise = read_health(tmp_path / HEALTH, SIZE)
    assert {square: found.changes for square, found in noise.items()} == {
        parse_square("d1", SIZE): 1,
        parse_square("d3", SIZE): 1,
    }


@pytest.mark.parametrize("apart", [0.0, 0.004, 0.008, 0.012, 0.016])
def test_two_pieces_that_come_down_within_one_look_are_no_two_moves(tmp_path: Path, apart: float) -> None:
    async def play() -> None:
        board = Matrix(tmp_path)
        async with running(board, STARTING_S):
            await board.lift("a4")
            await board.lift("c5")
            board.standing.add(at("b4"))
            board._move_magnets()
            await board.wait(apart)
            await board.drop("c4")
            await board.wait(3.0)
            assert board.played == []

    run(play)
