"""The whole daemon on wires: a Pico on a virtual cable."""

import json
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from boardd.clock import TICK_S
from boardd.settings import BoardSettings, Settings
from boardd.storage.trace_files import DIRECTORY_NAME, trace_files
from firmware_bridge.bad_wire import GOOD, Badness
from firmware_bridge.virtual import Cable, VirtualBoard
from firmware_bridge.virtual import VirtualClock as BoardClock
from hardware.boards import Board, BoardWires, assemble
from hardware.lights import BLACK
from tests.boardd.wired import START, OnWires, at, run, running

STARTING_S = 0.5
"""The daemon has found its board by then (seconds)."""


class Pico(OnWires):
    """A daemon whose board is a Pico on a virtual cable; both clocks go together."""

    def __init__(self, directory: Path, *, plugged: bool = True, lights: int | None = None, poll_hz: int = 50) -> None:
        self.board_clock = BoardClock()
        self.chip = VirtualBoard(self.board_clock, lights=lights)
        self.chip.place(START)
        self.cable = Cable(self.chip, self.board_clock)
        if not plugged:
            self.cable.unplug()
        self.look_s = 1 / poll_hz
        super().__init__(directory, Settings(board=BoardSettings(kind="microcontroller", poll_hz=poll_hz)))

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


def test_a_pico_is_played_on_with_lights_on_the_chip(tmp_path: Path) -> None:
    async def play() -> None:
        board = Pico(tmp_path)
        async with running(board, STARTING_S):
            await board.move("d1", "d3")
            assert board.played == ["d1-d3"]
            lit = {cell for cell, colour in enumerate(board.chip.picture) if colour != BLACK}
            assert at("d3") in lit
        board.board_clock.advance(0.1)
        board.chip.run()
        assert set(board.chip.picture) == {BLACK}

    run(play)


def test_a_pico_with_lights_for_another_board_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play() -> None:
        board = Pico(tmp_path, lights=49)
        async with running(board, STARTING_S):
            await board.move("d1", "d3")
            assert board.played == ["d1-d3"]

    with caplog.at_level(logging.WARNING):
        run(play)
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.startswith(
        "the lights stay dark: the board's firmware has 49 lights, expected 81: put new firmware on it"
    )


def test_a_change_counts_from_its_edge_not_from_when_it_was_told(tmp_path: Path) -> None:
    """The chip's debouncing and the wire lie within the host's own debouncing: nothing is decided later for them."""

    async def play() -> None:
        board = Pico(tmp_path, poll_hz=500)
        async with running(board, STARTING_S):
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
        async with running(board, STARTING_S):
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
        async with running(board, STARTING_S):
            for origin, destination in (("d1", "d3"), ("g5", "g4"), ("f1", "f3")):
                await board.move(origin, destination)
            board.chip.lift(at("e3"))
            await board.wait(0.85)
            await held_up(board, seconds, *acts)
            assert board.played == ["d1-d3", "g5-g4", "f1-f3"], what

    run(play)


def test_a_daemon_that_starts_without_its_pico_waits_for_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play() -> None:
        board = Pico(tmp_path, plugged=False)
        async with running(board, STARTING_S):
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
        async with running(board, STARTING_S):
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
