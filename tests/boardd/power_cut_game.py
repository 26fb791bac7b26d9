"""A short game of a whole daemon on a disk that is recorded, and what a restart may find after a power cut in it."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from boardd.settings import Settings
from boardd.storage.keeping import saved_from
from boardd.storage.store import FILE_NAME, Database, StoredGame
from boardd.tracking import Tracker
from engine import Square
from hardware.theme import Role
from tests.boardd.daemons import Table
from tests.boardd.damaging import wall
from tests.boardd.power import Event, PowerRecorder, cuts, lay_down, recorded

Play = Callable[[Table], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A save begins: which game, by number, and what stands on the board."""

    number: int
    game: StoredGame
    standing: frozenset[Square]


@dataclass(frozen=True, slots=True)
class Done:
    """The save has come back: this is accepted, and shown."""


async def a_short_game(board: Table) -> None:
    """Accept moves, let captured pieces stand, remove them, take back by word and hand, end games and begin others."""
    await board.make("a6", "c6")
    await board.make("e6", "d6")
    await board.make("i6", "e6", after=2.0)  # d6 and e7 stay where they are
    assert board.state["removals"] == ["d6", "e7"]
    await board.say("box", square="d6")
    await board.wait(1.0)
    await board.say("box", square="e7")
    await board.wait(1.0)
    await board.make("e4", "d4")
    await board.command("takeback")
    await board.make("d4", "e4")
    assert len(board.played) == 3
    await board.make("f5", "f2")
    await board.make("f2", "f5")
    assert len(board.played) == 3
    await board.command("resign")
    await board.wait(1.0)
    await board.command("new-game")
    await board.wait(2.0)
    await board.make("d1", "d2")
    await board.command("draw")
    await board.wait(1.0)
    assert (board.played, board.state["result"]["reason"]) == (["d1-d2"], "draw-agreed")


def record(directory: Path, log_pages: int, play: Play = a_short_game) -> list[Event]:
    """Play on a recorded disk.

    Args:
        directory: for the state.
        log_pages: how soon the log is moved into the file, in pages.
        play: what is played.

    """
    recorder = PowerRecorder()

    async def whole() -> None:
        board = Table(directory)
        equipment = board.daemon.equipment
        write = Database.write

        def watched(database: Database, game: StoredGame, *, begins: bool = False) -> int:
            number = (database.number or 0) + (begins or not database.number)
            recorder.mark(Asked(number, game, equipment.geometry.squares(equipment.board.sensors.read())))
            written = write(database, game, begins=begins)
            recorder.mark(Done())
            return written

        patch.setattr(Database, "write", watched)
        running = asyncio.create_task(board.daemon.run(board.stop))
        await board.wait(0.1)
        await play(board)
        board.stop.set()
        await board.clock.settle()
        await asyncio.wait_for(running, 10)

    with pytest.MonkeyPatch.context() as patch, recorded(recorder):
        patch.setattr("boardd.storage.store.LOG_PAGES", log_pages)
        asyncio.run(whole())
    return recorder.events


def cut_everywhere(events: list[Event], directory: Path, seed: int, torn: int) -> Counter[str]:
    """Cut the power at every point, restart, and count what was found.

    Raises:
        AssertionError: a restart found something else than the last or the next whole step.

    """
    found: Counter[str] = Counter()
    for what in cut_each(events, directory, seed, torn, set()):
        if isinstance(what, Exception):
            raise what
        found[what] += 1
    return found


def cut_each(
    events: list[Event], directory: Path, seed: int, torn: int, tried: set[tuple[int, bytes]]
) -> Iterator[str | Exception]:
    """Cut the power at every point, restart, and give each time what was found, or what was wrong with it.

    What is left of the disk is often the same as after another cut in the same step, above all where nothing is torn;
    that is tried once.

    Args:
        events: what happened.
        directory: to lay down in what is left.
        seed: of the tears.
        torn: how often what was pending is torn, each time.
        tried: what has been tried, by step and sum; more is added.

    """
    for marks, how, files in cuts(events, seed, torn):
        key = len(marks), _sum(files)
        if key in tried:
            continue
        tried.add(key)
        lay_down(files, directory)
        accepted = next((marks[at - 1] for at in range(len(marks) - 1, 0, -1) if marks[at] == Done()), None)
        asked = marks[-1] if marks and isinstance(marks[-1], Asked) else accepted
        try:
            found = _restarted(directory / FILE_NAME, accepted, asked, how)
        except Exception as error:
            error.add_note(f"cut after {how}")
            yield error
        else:
            yield found


def _sum(files: Mapping[str, bytes]) -> bytes:
    """Give what tells files apart."""
    digest = sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name} {len(data)}\n".encode() + data)
    return digest.digest()


def _restarted(path: Path, accepted: Asked | None, asked: Asked | None, how: str) -> str:
    """Restart from what is left; say which step was found."""
    with closing(Database(path, wall)) as database:
        stored = database.open()
        number = database.number
    steps = [None if step is None else (step.number, step.game) for step in (accepted, asked)]
    here = None if stored is None else (number, stored)
    assert here in steps, f"cut after {how}: found {here}, expected one of {steps}"
    if stored is None or asked is None:
        return "nothing yet"
    saved, game = saved_from(stored, how)
    tracker = Tracker(saved, Settings().play, occupied=asked.standing, first=False)
    assert list(tracker.game.plies) == list(game.plies), how
    assert tracker.game.result == game.result, how
    standing = saved.removals & asked.standing
    assert {square for square in standing if tracker.roles[square] is not Role.REMOVE} == set(), how
    step = "the last step" if here == steps[0] else "the next step"
    return f"{step}, captured pieces lit" if standing else step
