"""The whole daemon on wires: a matrix on mock pins with captured lights, and a Pico over a virtual cable."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from gpiozero.pins.mock import MockFactory  # type: ignore[import-untyped]  # it ships no types

from boardd.app import Daemon
from boardd.calibrate.calibration import FILE_NAME, Calibration, write_calibration
from boardd.clock import TICK_S, VirtualClock
from boardd.settings import BoardSettings, LightSettings, Settings
from boardd.storage.trace_files import DIRECTORY_NAME, trace_files
from boardd.wiring.sensor_health import FILE_NAME as HEALTH
from boardd.wiring.sensor_health import Noise, read_health, write_health
from boardd.wiring.wire_settings import ButtonSettings, BuzzerSettings
from engine import BOOKS, Game, Square, parse_square
from firmware_bridge.bad_wire import GOOD, Badness
from firmware_bridge.virtual import Cable, VirtualBoard
from firmware_bridge.virtual import VirtualClock as BoardClock
from hardware.boards import Board, BoardWires, assemble
from hardware.lights import BLACK
from hardware.matrix import MatrixPins
from hardware.mock_matrix import MockMatrix
from hardware.neopixels import NeoPixels
from hardware.news import Cell
from hardware.simulated.wiring import Wiring, scrambled
from tests.boardd.daemons import AtOnce
from tests.hardware.captured import Captured

SIZE = 9
CELLS = SIZE * SIZE
START = sorted(map(int, Game(BOOKS["tablut-edge"]).occupied))
POWER = datetime(2026, 3, 1, 18, 0, tzinfo=UTC)


def at(name: str) -> int:
    return int(parse_square(name, SIZE))


class Wired:
    """A daemon on a matrix, however it is wired, and the hands of its players."""

    def __init__(
        self,
        directory: Path,
        wiring: Wiring | None = None,
        settings: Settings | None = None,
        broken: Exception | None = None,
    ) -> None:
        self.clock = VirtualClock()
        self.wiring = wiring
        self.pixels = Captured()
        self.pixels.broken = broken
        self.settings = settings or Settings(board=BoardSettings(kind="matrix"), lights=LightSettings(wire="spi"))
        self.pins = MockFactory()
        self.model = MockMatrix(self.pins, MatrixPins())
        self.standing = set(START)
        self._move_magnets()
        self.daemon = Daemon(self.settings, directory, self.clock, lambda: POWER, AtOnce(), self.make)
        self.stop = asyncio.Event()

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
    def played(self) -> list[str]:
        moves = self.daemon.face.state()["moves"]
        assert isinstance(moves, list)
        return [ply["move"] for ply in moves]

    @property
    def lit(self) -> set[int]:
        """The places that shine, by the bytes on the wire."""
        self.pixels.settle()
        sent = self.pixels.sent[-1]
        cells = {at // 3 for at in range(0, len(sent), 3) if any(sent[at : at + 3])}
        if self.wiring is None:
            return cells
        return {self.wiring.lights.index(Cell(cell)) for cell in cells}


@contextlib.asynccontextmanager
async def wired(board: Wired) -> AsyncIterator[Wired]:
    running = asyncio.create_task(board.daemon.run(board.stop))
    try:
        await board.wait(0.2)
        yield board
    finally:
        board.stop.set()
        await board.clock.settle()
        await asyncio.wait_for(running, 10)


def run(play: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(play())  # type: ignore[arg-type]  # every one is an async function


def test_a_game_is_played_on_a_matrix_and_the_lights_answer(tmp_path: Path) -> None:
    async def play() -> None:
        board = Wired(tmp_path)
        async with wired(board):
            assert board.daemon.face.state()["simulated"] is False
            await board.lift("d1")
            assert at("d1") in board.lit
            assert at("d3") in board.lit
            await board.drop("d3")
            await board.move("g5", "g4")
            await board.move("f1", "f3", "e3")
            assert board.played == ["d1-d3", "g5-g4", "f1-f3"]
            assert board.daemon.face.state()["removals"] == []
        assert board.pixels.sent[0] == board.pixels.sent[-1] == bytes(3 * CELLS)
        assert board.pixels.closed

    run(play)


def test_a_square_that_bounces_ever_more_is_told_on_the_page(tmp_path: Path) -> None:
    write_health(tmp_path / HEALTH, {Square(at("d1")): Noise(400, 2.0, 3.4)}, SIZE)
    settings = Settings(board=BoardSettings(kind="matrix", masked=("a1",)), lights=LightSettings(wire="spi"))

    async def play() -> None:
        board = Wired(tmp_path, settings=settings)
        async with wired(board):
            assert board.daemon.face.state()["health"] == {"noisy": [], "untrusted": ["a1"]}
            for _ in range(5):  # the piece trembles and is lifted
                board.standing ^= {at("d1")}
                board._move_magnets()
                await board.wait(0.02)
            version = board.daemon.session.version
            await board.wait(0.06)
            assert board.daemon.session.version > version
            assert board.daemon.face.state()["health"] == {"noisy": ["d1"], "untrusted": ["a1"]}

    run(play)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_calibrated_board_of_any_wiring_plays_like_any_other(tmp_path: Path, seed: int) -> None:
    wiring = scrambled(CELLS, Random(seed))
    sensors = tuple(Square(place) for place in sorted(range(CELLS), key=wiring.sensors.__getitem__))
    lights = tuple(Square(place) for place in sorted(range(CELLS), key=wiring.lights.__getitem__))
    write_calibration(tmp_path / FILE_NAME, Calibration(SIZE, sensors, lights, inverted=wiring.inverted))

    async def play() -> None:
        board = Wired(tmp_path, wiring)
        async with wired(board):
            await board.lift("d1")
            assert {at("d1"), at("d2"), at("d3")} <= board.lit
            await board.drop("d3")
            await board.move("g5", "g4")
            await board.move("f1", "f3", "e3")
            assert board.played == ["d1-d3", "g5-g4", "f1-f3"]

    run(play)


def test_a_short_is_told_and_the_game_waits_for_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play() -> None:
        board = Wired(tmp_path)
        async with wired(board):
            await board.move("d1", "d3")
            board.model.shorted_columns = {2}
            await board.wait(1.0)
            assert board.daemon.face.state()["connected"] is False
            board.model.shorted_columns = set()
            await board.wait(0.2)
            assert board.daemon.face.state()["connected"] is True
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
        board = Wired(tmp_path)
        async with wired(board):
            board.model.dead_rows = {4}
            await board.wait(0.08)
            board.model.dead_rows = set()
            await board.wait(3.0)
            assert board.daemon.face.state()["state"] == "ready"
            assert board.daemon.face.state()["mismatch"] == {"missing": [], "extra": []}

    run(play)


def test_lights_that_cannot_be_opened_leave_the_board_playing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play() -> None:
        board = Wired(tmp_path, broken=PermissionError("no"))
        async with wired(board):
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
        board = Wired(tmp_path)
        async with wired(board):
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


def test_a_pico_with_lights_for_another_board_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play() -> None:
        board = Pico(tmp_path, lights=49)
        async with pico(board):
            await board.move("d1", "d3")
            assert board.played == ["d1-d3"]

    with caplog.at_level(logging.WARNING):
        run(play)
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.startswith(
        "the lights stay dark: the board's firmware has 49 lights, expected 81: put new firmware on it"
    )


def test_buttons_and_buzzer_do_their_part(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = Settings(
        board=BoardSettings(kind="matrix"),
        lights=LightSettings(wire="pwm"),
        buttons=ButtonSettings(takeback_pin=14, hint_pin=15),
        buzzer=BuzzerSettings(pin=11),
    )

    async def play() -> None:
        board = Wired(tmp_path, settings=settings)
        async with wired(board):
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
        board = Wired(tmp_path)
        async with wired(board):
            await board.move("d1", "d3")

    run(play)
    noise = read_health(tmp_path / HEALTH, SIZE)
    assert {square: found.changes for square, found in noise.items()} == {
        parse_square("d1", SIZE): 1,
        parse_square("d3", SIZE): 1,
    }


class Pico:
    """A daemon whose board is a Pico on a virtual cable; both clocks go together."""

    def __init__(
        self, directory: Path, *, plugged: bool = True, lights: int | None = None, poll_hz: int = 50
    ) -> None:
        self.clock = VirtualClock()
        self.board_clock = BoardClock()
        self.chip = VirtualBoard(self.board_clock, lights=lights)
        self.chip.place(START)
        self.cable = Cable(self.chip, self.board_clock)
        if not plugged:
            self.cable.unplug()
        self.look_s = 1 / poll_hz
        settings = Settings(board=BoardSettings(kind="microcontroller", poll_hz=poll_hz))
        self.daemon = Daemon(settings, directory, self.clock, lambda: POWER, AtOnce(), self.make)
        self.stop = asyncio.Event()

    def make(self, wires: BoardWires, clock: Callable[[], float]) -> Board:
        return assemble(wires, clock, link=self.cable.link())

    async def wait(self, seconds: float) -> None:
        end = self.clock.now() + seconds
        while self.clock.now() < end - 1e-9:
            step = min(self.look_s, end - self.clock.now())
            # never behind the daemon's, which is rounded: what the link waits for has come then
            self.board_clock.now = max(self.board_clock.now, self.clock.now() + step + TICK_S)
            await self.clock.advance_to(self.clock.now() + step)

    async def move(self, origin: str, destination: str) -> None:
        self.chip.lift(at(origin))
        await self.wait(0.5)
        self.chip.drop(at(destination))
        await self.wait(1.5)

    def connected(self) -> bool:
        return self.state["connected"] is True

    @property
    def state(self) -> dict[str, object]:
        return dict(self.daemon.face.state())

    @property
    def played(self) -> list[str]:
        moves = self.state["moves"]
        assert isinstance(moves, list)
        return [ply["move"] for ply in moves]


@contextlib.asynccontextmanager
async def pico(board: Pico) -> AsyncIterator[Pico]:
    running = asyncio.create_task(board.daemon.run(board.stop))
    try:
        await board.wait(0.5)
        yield board
    finally:
        board.stop.set()
        await board.clock.settle()
        await asyncio.wait_for(running, 10)


def test_a_pico_is_played_on_with_lights_on_the_chip(tmp_path: Path) -> None:
    async def play() -> None:
        board = Pico(tmp_path)
        async with pico(board):
            await board.move("d1", "d3")
            assert board.played == ["d1-d3"]
            lit = {cell for cell, colour in enumerate(board.chip.picture) if colour != BLACK}
            assert at("d3") in lit
        board.board_clock.advance(0.1)
        board.chip.run()
        assert set(board.chip.picture) == {BLACK}

    run(play)


def test_a_change_counts_from_its_edge_not_from_when_it_was_told(tmp_path: Path) -> None:
    """The chip's debouncing and the wire lie within the host's own debouncing: nothing is decided later for them."""

    async def play() -> None:
        board = Pico(tmp_path, poll_hz=500)
        async with pico(board):
            for name in ("d1", "d9", "a4", "i6", "d1", "d9"):
                await board.wait(0.513)
                edge = board.board_clock.now
                if at(name) in board.chip.occupied:
                    board.chip.lift(at(name))
                else:
                    board.chip.drop(at(name))
                await board.wait(0.1)
                (trace,) = trace_files(tmp_path / DIRECTORY_NAME)
                lines = [json.loads(line) for line in trace.read_text().splitlines()]
                changes = [line["t"] for line in lines if "lift" in line or "drop" in line]
                edges.append(edge)
                assert len(changes) == len(edges)
            assert all(-0.002 <= told - edge <= 0.008 for told, edge in zip(changes, edges, strict=True)), changes

    edges: list[float] = []
    run(play)


async def held_up(board: Pico, seconds: float, *acts: tuple[str, float]) -> None:
    """Act while the wire holds everything up from the first act on, in order: `-a4` lifts, `+b4` drops, then a wait."""
    board.cable.to_host.badness = Badness(delay_s=(seconds, seconds))
    for act, wait in acts:
        (board.chip.lift if act[0] == "-" else board.chip.drop)(at(act[1:]))
        await board.wait(0.02)
        board.cable.to_host.badness = GOOD
        await board.wait(wait - 0.02)


@pytest.mark.parametrize("seconds", [0.0, 0.2, 1.1, 2.5])
def test_what_was_held_up_on_its_way_is_understood_as_if_it_had_come_at_once(tmp_path: Path, seconds: float) -> None:
    async def play() -> None:
        board = Pico(tmp_path)
        async with pico(board):
            moves = ("-d1", 0.3), ("+d3", 0.6), ("-g5", 0.3), ("+g4", 0.6), ("-f1", 0.3), ("+f3", 3.5)
            await held_up(board, seconds, *moves)
            assert board.played == ["d1-d3", "g5-g4", "f1-f3"]

    run(play)


@pytest.mark.parametrize("seconds", [0.0, 0.2, 0.4, 1.1])
@pytest.mark.parametrize(
    ("what", "acts"),
    [
        ("a captured piece laid down, and then one of the same side's lifted", (("+g2", 0.15), ("-g4", 4.0))),
        ("two pieces pushed by one sleeve", (("-a4", 0.1), ("-c5", 0.2), ("+b4", 0.06), ("+c4", 4.0))),
    ],
)
def test_what_was_held_up_is_no_move_if_it_was_none(
    tmp_path: Path, what: str, acts: tuple[tuple[str, float], ...], seconds: float
) -> None:
    async def play() -> None:
        board = Pico(tmp_path)
        async with pico(board):
            for origin, destination in (("d1", "d3"), ("g5", "g4"), ("f1", "f3")):
                await board.move(origin, destination)
            board.chip.lift(at("e3"))
            await board.wait(0.85)
            await held_up(board, seconds, *acts)
            assert board.played == ["d1-d3", "g5-g4", "f1-f3"], what

    run(play)


@pytest.mark.parametrize("apart", [0.0, 0.004, 0.008, 0.012, 0.016])
def test_two_pieces_that_come_down_within_one_look_are_no_two_moves(tmp_path: Path, apart: float) -> None:
    async def play() -> None:
        board = Wired(tmp_path)
        async with wired(board):
            await board.lift("a4")
            await board.lift("c5")
            board.standing.add(at("b4"))
            board._move_magnets()
            await board.wait(apart)
            await board.drop("c4")
            await board.wait(3.0)
            assert board.played == []

    run(play)


def test_a_daemon_that_starts_without_its_pico_waits_for_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play() -> None:
        board = Pico(tmp_path, plugged=False)
        async with pico(board):
            assert not board.connected()
            board.cable.plug("/dev/ttyACM3")
            await board.wait(3.0)
            assert board.connected()
            assert board.state["state"] == "ready"
            await board.move("d1", "d3")
            assert board.played == ["d1-d3"]

    with caplog.at_level(logging.WARNING):
        run(play)
    told = [record.getMessage() for record in caplog.records]
    assert told == ["no board is plugged in", "the board can be read again"]


def test_unplugged_in_the_middle_of_a_capture_it_goes_on_under_another_name(tmp_path: Path) -> None:
    async def play() -> None:
        board = Pico(tmp_path)
        async with pico(board):
            await board.move("d1", "d3")
            await board.move("g5", "g4")
            await board.move("f1", "f3")
            assert board.state["removals"] == ["e3"]
            board.cable.unplug()
            await board.wait(2.0)
            assert not board.connected()
            board.chip.place(cell for cell in board.chip.occupied if cell != at("e3"))
            board.cable.plug("/dev/ttyACM9")
            await board.wait(4.0)
            assert board.connected()
            assert board.state["removals"] == []
            assert board.played == ["d1-d3", "g5-g4", "f1-f3"]
            assert board.state["state"] == "ready"

    run(play)
