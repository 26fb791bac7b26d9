"""Hours of a daemon's life in virtual time: what it writes and holds stays bounded. `bench/week.py` lives longer."""

import asyncio
import gc
import random
import threading
from pathlib import Path

import pytest

from bench.week import Elsewhere, QuickClock, play_game
from boardd.settings import BoardSettings, Settings, StorageSettings
from boardd.storage.recorder import HARD_LIMIT
from boardd.storage.store import FILE_NAME, LOG_PAGES, Database
from boardd.storage.trace_files import DIRECTORY_NAME, trace_files
from boardd.storage.write_ahead import log_of
from tests.boardd.daemons import Table

TRACE_FILES, TRACE_BYTES = 3, 1_500
MOVE_BYTES = 200
"""A move's row with its part of the tree it stands in is 70 bytes or so; nothing else grows with the moves."""
IDLE_S = 1_200.0


def objects() -> int:
    gc.collect()
    return len(gc.get_objects())


def test_what_is_written_and_held_stays_bounded(
    tmp_path: Path, quick_disk: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(board=BoardSettings(poll_hz=10), storage=StorageSettings(trace_files=TRACE_FILES))
    threads: set[int] = set()
    write = Database.write

    def watched(database: Database, *arguments: object, **options: object) -> int:
        threads.add(threading.get_ident())
        return write(database, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Database, "write", watched)

    async def live() -> tuple[int, list[int]]:
        board = Table(tmp_path, settings, pool=Elsewhere(), clock=QuickClock())
        board.daemon.session._recorder._file_bytes = TRACE_BYTES  # the least that can be configured is ten times a game
        running = asyncio.create_task(board.daemon.run(board.stop))
        await board.wait(1.0)
        rng = random.Random(7)
        plies = 0
        held = []
        for _ in range(2):
            plies += await play_game(board, rng)
            await board.wait(IDLE_S)
            held.append(objects())
        await board.wait(IDLE_S)
        held.append(objects())
        board.stop.set()
        await board.clock.settle()
        await asyncio.wait_for(running, 10)
        return plies, held

    empty = Database(tmp_path / "empty.sqlite3", lambda: pytest.fail("nothing is written"))
    empty.open()
    empty.close()
    plies, (first, second, third) = asyncio.run(live())
    traces = trace_files(tmp_path / DIRECTORY_NAME)
    assert len(traces) == TRACE_FILES
    assert int(traces[-1].stem.rpartition("-")[2]) > 2 * TRACE_FILES
    assert max(path.stat().st_size for path in traces) < HARD_LIMIT * TRACE_BYTES
    grown = (tmp_path / FILE_NAME).stat().st_size - empty.path.stat().st_size
    assert grown < plies * MOVE_BYTES + 4096
    assert not log_of(tmp_path / FILE_NAME).exists()
    assert threading.get_ident() not in threads
    assert len(threads) == 1
    assert second - first < 1_000, "a game leaves objects behind"
    assert third - second < 100, "doing nothing leaves objects behind"


def test_the_log_is_moved_into_the_file_before_it_grows(tmp_path: Path, quick_disk: None) -> None:
    async def live() -> int:
        board = Table(tmp_path, pool=Elsewhere(), clock=QuickClock())
        running = asyncio.create_task(board.daemon.run(board.stop))
        await board.wait(1.0)
        most = 0
        for number in range(LOG_PAGES):
            await board.say("names", attackers=f"Anna {number}", defenders="Boris")
            most = max(most, log_of(tmp_path / FILE_NAME).stat().st_size)
        board.stop.set()
        await board.clock.settle()
        await asyncio.wait_for(running, 10)
        return most

    assert LOG_PAGES * 4096 < asyncio.run(live()) < 1.1 * LOG_PAGES * 4096
