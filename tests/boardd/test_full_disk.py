"""A disk that is full or read only: play goes on in memory, is said by lights, page and log, and is written later."""

import asyncio
import json
import logging
import random
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from boardd.storage.state_directory import Lock
from boardd.storage.store import FILE_NAME, Database
from boardd.storage.trace_files import DIRECTORY_NAME, trace_files
from boardd.storage.write_ahead import FRAME, image, log_of
from tests.boardd.daemons import Table, table
from tests.boardd.damaging import FRAME_BYTES, commits, content, flipped, wall, write_and_crash

DISK_KB = 512
MOST_MOVES = 60
"""A page of the trace file may still have room for so many."""


TOLD = {
    "the sensors' trace has a gap from here",
    "what is played is not stored",
    "what is played is stored again",
    "what stands on the simulated board is not kept",
}


class SmallDisk:
    """A disk of its own in memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self._do("mount", "-t", "tmpfs", "-o", f"size={DISK_KB}k", "konakis-test", str(path))

    def fill(self) -> None:
        """Leave no room at all."""
        with (self.path / "ballast").open("wb", buffering=0) as file:
            for piece in (4096, 1):
                try:
                    while True:
                        file.write(bytes(piece))
                except OSError:
                    continue

    def empty(self) -> None:
        """Make room again."""
        (self.path / "ballast").unlink()

    def remount(self, option: str) -> None:
        """Let it be written, `rw`, or not, `ro`."""
        self._do("mount", "-o", f"remount,{option}", str(self.path))

    def away(self) -> None:
        """Take it away."""
        self._do("umount", "--lazy", str(self.path))

    def _do(self, *command: str) -> None:
        subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    try:
        disk = SmallDisk(tmp_path / "disk")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("nothing can be mounted here")
    yield disk
    disk.away()


def stored(directory: Path) -> list[str]:
    """The moves of the game being played on the disk."""
    with closing(Database(directory / FILE_NAME, wall)) as database:
        game = database.open()
    assert game is not None
    return [f"{move.origin}-{move.destination}" for move in game.moves]


def glints(board: Table) -> bool:
    """Whether the turn's light says that nothing is stored."""
    return board.daemon.lamps.theme is not board.daemon.lamps._calm


async def plain_move(board: Table, rng: random.Random) -> None:
    """Make a move that takes nothing and ends nothing."""
    game = board.daemon.session.game
    plies = len(game.plies)
    moves = [move for move in game.legal_moves() if not move.captures and not game.wins(move)]
    await board.play(rng.choice(moves))
    assert len(board.daemon.session.game.plies) == plies + 1


def test_a_full_disk_is_played_past(disk: SmallDisk, caplog: pytest.LogCaptureFixture) -> None:
    state = disk.path / "state"
    played: list[str] = []

    async def play() -> None:
        async with table(state) as board:
            writer = board.daemon.session._recorder._writer
            await board.make("d1", "d3")
            assert board.state["stored"]
            disk.fill()
            rng = random.Random(3)
            while not writer.broken:
                assert len(board.played) < MOST_MOVES
                await plain_move(board, rng)
                writer.wait()
                assert not board.state["stored"]
                assert glints(board)
            disk.empty()
            await board.wait(6.0)
            assert board.state["stored"]
            assert not glints(board)
            await plain_move(board, rng)
            played.extend(board.played)

    with caplog.at_level(logging.WARNING):
        asyncio.run(play())
    assert {line.split(": ")[0] for line in caplog.messages} == TOLD
    assert stored(state) == played
    *_, last = trace_files(state / DIRECTORY_NAME)
    header = json.loads(last.read_text().splitlines()[0])
    assert header["lost"] > 0
    assert header["ply"] > 1


def test_a_first_start_on_a_full_disk_plays_and_stores_when_there_is_room(disk: SmallDisk) -> None:
    state = disk.path / "state"
    state.mkdir()
    disk.fill()

    async def play() -> None:
        with Lock(state):
            async with table(state) as board:
                assert not board.state["stored"]
                await board.make("d1", "d3")
                assert glints(board)
                disk.empty()
                await board.wait(6.0)
                assert board.state["stored"]

    (state / FILE_NAME).touch()  # as a start leaves it that found no room
    asyncio.run(play())
    assert stored(state) == ["d1-d3"]


def test_a_start_on_a_read_only_disk_plays_what_is_there(disk: SmallDisk, caplog: pytest.LogCaptureFixture) -> None:
    state = disk.path / "state"

    async def first() -> None:
        async with table(state, killed=True) as board:
            await board.make("d1", "d3")
            for path in (state / FILE_NAME, log_of(state / FILE_NAME)):
                (disk.path / path.name).write_bytes(path.read_bytes())
            board.daemon.session._recorder._writer.close()  # an open file would keep the disk from being remounted

    async def second() -> None:
        async with table(state) as board:
            assert board.played == ["d1-d3"]
            assert not board.state["stored"]
            await board.make("c5", "c4")
            assert board.played == ["d1-d3", "c5-c4"]
            assert glints(board)
            disk.remount("rw")
            await board.wait(6.0)
            assert board.state["stored"]
            await board.make("d3", "d2")

    asyncio.run(first())
    for path in (state / FILE_NAME, log_of(state / FILE_NAME)):  # closing moved the log into the file: undo that
        (disk.path / path.name).rename(path)
    disk.remount("ro")
    with caplog.at_level(logging.WARNING):
        asyncio.run(second())
    assert {line.split(": ")[0] for line in caplog.messages} == TOLD
    assert stored(state) == ["d1-d3", "c5-c4", "d3-d2"]


def test_a_disk_that_turns_read_only_meanwhile_is_played_past(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, quick_disk: None
) -> None:
    """Without a mount: SQLite itself refuses, and the trace goes to a device that is always full."""

    async def play() -> None:
        async with table(tmp_path) as board:
            await board.make("d1", "d3")
            connection = board.daemon._keeper._database._connection
            assert connection is not None
            connection.execute("PRAGMA query_only = ON")
            writer = board.daemon.session._recorder._writer
            writer.wait()
            assert writer._file is not None
            writer._file.close()
            writer._file = open("/dev/full", "wb", buffering=0)  # noqa: SIM115
            await board.make("c5", "c4")
            assert board.played == ["d1-d3", "c5-c4"]
            assert not board.state["stored"]
            assert glints(board)
            connection.execute("PRAGMA query_only = OFF")
            await board.wait(6.0)
            assert board.state["stored"]
            assert not glints(board)
            await board.make("d3", "d2")

    with caplog.at_level(logging.WARNING):
        asyncio.run(play())
    assert sorted(caplog.messages) == [
        "the sensors' trace has a gap from here: No space left on device",
        f"what is played is not stored: {tmp_path / FILE_NAME}: attempt to write a readonly database",
        "what is played is stored again",
    ]
    assert stored(tmp_path) == ["d1-d3", "c5-c4", "d3-d2"]
    *_, last = trace_files(tmp_path / DIRECTORY_NAME)
    assert json.loads(last.read_text().splitlines()[0])["lost"] > 0


def test_a_log_is_read_where_sqlite_cannot(tmp_path: Path, quick_disk: None) -> None:
    path = tmp_path / FILE_NAME
    file, log = write_and_crash(path)
    whole = content(path)
    path.write_bytes(file)
    last = commits(log)[-2]
    unmarked = log[:-FRAME_BYTES]
    torn = flipped(log, (last + FRAME.size + 4000) * 8)
    for left in (log, log[:last], log[: last + 1000], unmarked, torn, log[:40], b""):
        log_of(path).write_bytes(left)
        with closing(sqlite3.connect(":memory:")) as memory:
            memory.deserialize(image(path))
            found = memory.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if len(left) < 100:
                assert found == 0
                continue
            plies = memory.execute("SELECT count(*) FROM moves WHERE game = 2").fetchone()[0]
            assert plies == len(whole.games[1].moves) - (left != log), "the last commit is not whole"
