"""The games' file, or the directory it is in, is deleted, moved or replaced while a daemon plays: nothing is lost."""

import asyncio
import logging
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from boardd.storage.schema import UnusableStoreError, UnwritableStoreError
from boardd.storage.state_directory import Lock
from boardd.storage.store import FILE_NAME, Database, StoredGame, StoredMove
from boardd.storage.trace_files import DIRECTORY_NAME, trace_files
from boardd.storage.write_ahead import log_of
from engine import Square
from hardware.theme import Role
from tests.boardd.daemons import table
from tests.boardd.damaging import wall
from tests.boardd.test_state_directory import HOLDER
from tests.boardd.test_store import EMPTY, ONE, TWO

pytestmark = pytest.mark.usefixtures("quick_disk")

FIRST = replace(EMPTY, attackers="Anna", moves=(TWO,))
"""The game before the one being played."""
SHORT, LONG = replace(EMPTY, moves=(ONE,)), replace(EMPTY, moves=(ONE, TWO))
OTHER = replace(EMPTY, attackers="Boris")

Change = Callable[[Path], object]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return tmp_path / "state" / FILE_NAME


@pytest.fixture
def store(path: Path) -> Iterator[Database]:
    """Two games, of which the second is played, and the first is out of the log."""
    with closing(Database(path, wall)) as store:
        store.write(FIRST)
        with closing(Database(path, wall)) as other:
            other.open()
        store._connection.execute("PRAGMA wal_checkpoint")  # type: ignore[union-attr]
        store.write(SHORT, begins=True)
        yield store


def games(path: Path) -> list[StoredGame]:
    with closing(Database(path, wall)) as found:
        found.open()
        assert not found.damages()
        return [found.game(line.number) for line in found.games()]


def away(path: Path) -> Path:
    """Where a test moves the state directory to."""
    return path.parent.with_name("away")


def moved_and_copied_back(path: Path) -> None:
    path.parent.rename(away(path))
    shutil.copytree(away(path), path.parent)


def log_replaced(path: Path) -> None:
    log_of(path).unlink()
    log_of(path).touch()


GONE: dict[str, Change] = {
    "directory deleted": lambda path: shutil.rmtree(path.parent),
    "directory moved": lambda path: path.parent.rename(away(path)),
    "directory moved and copied back": moved_and_copied_back,
    "file deleted": Path.unlink,
    "file moved": lambda path: path.rename(path.with_name("elsewhere")),
    "log deleted": lambda path: log_of(path).unlink(),
    "log replaced": log_replaced,
    "index deleted": lambda path: path.with_name(path.name + "-shm").unlink(),
}


@pytest.mark.parametrize("change", GONE.values(), ids=GONE)
def test_what_is_gone_is_told_and_then_made_anew_with_all_games(store: Database, path: Path, change: Change) -> None:
    change(path)
    with pytest.raises(UnwritableStoreError, match=rf"{FILE_NAME}: .* while it was in use"):
        store.write(LONG)
    assert store.write(LONG) == 2
    assert store.write(replace(LONG, removals=frozenset({"a1"}))) == 2
    store.close()
    assert games(path) == [replace(FIRST, removals=frozenset()), replace(LONG, removals=frozenset({"a1"}))]
    left = {name.name for name in path.parent.iterdir()} - {"elsewhere", "konakis.lock"}
    assert left == {FILE_NAME}


@pytest.mark.parametrize("name", ["directory moved", "directory moved and copied back", "file moved"])
def test_what_was_moved_is_whole_where_it_is(store: Database, path: Path, name: str) -> None:
    GONE[name](path)
    with pytest.raises(UnwritableStoreError):
        store.write(LONG)
    store.write(LONG)
    store.close()
    there = path.with_name("elsewhere") if name == "file moved" else away(path) / FILE_NAME
    assert games(there) == [FIRST, SHORT]


def test_what_is_moved_back_at_once_is_gone_on_with(store: Database, path: Path) -> None:
    path.parent.rename(away(path))
    with pytest.raises(UnwritableStoreError):
        store.write(LONG)
    away(path).rename(path.parent)
    assert store.write(LONG) == 2
    store.close()
    assert games(path) == [FIRST, LONG]


def test_what_is_moved_back_after_others_were_made_is_gone_on_with(store: Database, path: Path) -> None:
    path.parent.rename(away(path))
    with pytest.raises(UnwritableStoreError):
        store.write(LONG)
    store.write(LONG)
    shutil.rmtree(path.parent)
    away(path).rename(path.parent)
    with Lock(path.parent):  # as its daemon does
        with pytest.raises(UnwritableStoreError):
            store.write(LONG)
        assert store.write(LONG) == 2
    store.close()
    assert games(path) == [FIRST, LONG]


@pytest.mark.parametrize("refused", [False, True])
def test_in_another_file_of_ours_the_game_goes_on_under_a_new_number(
    store: Database, path: Path, monkeypatch: pytest.MonkeyPatch, refused: bool
) -> None:
    other = path.with_name("other")
    with closing(Database(other, lambda: wall().replace(year=2000))) as made:
        for _ in range(2):
            made.write(OTHER, begins=True)
    other.rename(path)  # over ours, whose log stays
    with pytest.raises(UnwritableStoreError, match="another file was put in its place"):
        store.write(LONG)
    if refused:
        with monkeypatch.context() as patch:
            patch.setattr("boardd.storage.rows.keep", lambda *_: (_ for _ in ()).throw(OSError("full")))
            with pytest.raises(UnwritableStoreError):
                store.write(LONG)
    assert store.write(LONG) == 3
    store.close()
    assert games(path) == [OTHER, OTHER, LONG]


@pytest.mark.parametrize("foreign", ["database", "directory"])
def test_a_foreign_file_is_left_as_it_is_until_it_is_gone(store: Database, path: Path, foreign: str) -> None:
    path.unlink()
    content = b""
    if foreign == "directory":
        path.mkdir()
    else:
        with closing(sqlite3.connect(path.with_name("cookies"))) as cookies:
            cookies.executescript("CREATE TABLE cookies (x); INSERT INTO cookies VALUES (1);")
        path.with_name("cookies").rename(path)
        content = path.read_bytes()
    with pytest.raises(UnwritableStoreError, match="another file was put in its place"):
        store.write(LONG)
    for _ in range(2):
        with pytest.raises(UnusableStoreError, match=rf"{FILE_NAME}: .*found"):
            store.write(LONG)
    if foreign == "directory":
        path.rmdir()
    else:
        assert path.read_bytes() == content
        path.unlink()
    store.write(LONG)
    store.close()
    assert games(path) == [LONG]


def test_what_is_no_database_in_the_place_of_the_file_is_set_aside_and_the_game_goes_on(
    store: Database, path: Path
) -> None:
    path.unlink()
    path.write_bytes(b"a letter to somebody")
    with pytest.raises(UnwritableStoreError, match="another file was put in its place"):
        store.write(LONG)
    assert store.write(LONG) == 1
    assert store.rescued is not None
    assert store.rescued.aside.read_bytes() == b"a letter to somebody"
    store.close()
    assert games(path) == [LONG]


def test_a_file_that_was_cut_off_is_set_aside(store: Database, path: Path) -> None:
    os.truncate(path, 5000)
    with pytest.raises(UnwritableStoreError, match="it was cut off"):
        store.write(LONG)
    store.write(LONG)
    store.close()
    assert games(path)[-1] == LONG
    assert path.with_name("games-damaged-1.sqlite3").exists()


def test_a_directory_that_another_daemon_took_meanwhile_is_left_to_it(store: Database, path: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path.parent)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(UnwritableStoreError, match="deleted or moved"):
            store.write(LONG)
        for _ in range(2):
            with pytest.raises(UnwritableStoreError, match=f"in use by another konakis, process {holder.pid}"):
                store.write(LONG)
        assert not path.exists()
        holder.kill()
        holder.wait()
    store.write(LONG)
    with pytest.raises(OSError, match="in use"), Lock(path.parent):
        pass
    store.close()
    assert games(path) == [FIRST, LONG]


@pytest.mark.parametrize("killed", [False, True])
def test_a_daemon_tells_and_mends_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    state = tmp_path / "state"

    async def play() -> None:
        async with table(state, killed=killed) as board:
            await board.make("d1", "d3")
            await board.make("c5", "c4")
            shutil.rmtree(state)
            mean, shown = board.daemon.lamps.mean, []

            def seen(t: float, roles: Mapping[Square, Role], *, stored: bool = True) -> None:
                shown.append((stored, board.state["stored"]))
                mean(t, roles, stored=stored)

            monkeypatch.setattr(board.daemon.lamps, "mean", seen)
            await board.make("d3", "d2")
            assert (False, False) in shown, "lights and page tell"
            await board.wait(6.0)
            assert board.state["stored"]
            assert board.played == ["d1-d3", "c5-c4", "d3-d2"]
            await board.make("c4", "c3")
            board.daemon.session._recorder._writer.wait()
            assert len(trace_files(state / DIRECTORY_NAME)) == 1

    with caplog.at_level(logging.WARNING):
        asyncio.run(play())
    file = state / FILE_NAME
    gone = "it was deleted or moved while it was in use"
    assert f"what is played is not stored: {file}: {gone}" in caplog.messages
    assert f"{file}: made anew, with all games" in caplog.messages
    assert "what is played is stored again" in caplog.messages
    (game,) = games(file)
    assert [f"{move.origin}-{move.destination}" for move in game.moves] == ["d1-d3", "c5-c4", "d3-d2", "c4-c3"]


def test_what_is_gone_when_the_daemon_stops_is_made_anew(tmp_path: Path) -> None:
    state = tmp_path / "state"

    async def play() -> None:
        async with table(state) as board:
            await board.make("d1", "d3")
            shutil.rmtree(state)

    asyncio.run(play())
    assert games(state / FILE_NAME)[0].moves == (StoredMove("d1", "d3"),)
