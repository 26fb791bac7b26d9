"""The power goes at every point of a short game, with what was not synced lost, kept or torn."""

from contextlib import closing
from pathlib import Path

import pytest

from boardd.storage.store import FILE_NAME, Database
from tests.boardd.daemons import Table
from tests.boardd.damaging import NEW, OLD, content, wall, write_version_2
from tests.boardd.power import SECTOR, Delete, Disk, Mark, PowerRecorder, Sync, Write, cuts, lay_down, recorded
from tests.boardd.power_cut_game import Done, cut_each, cut_everywhere, record

SEED, TORN = 2026, 1


@pytest.mark.parametrize("log_pages", [250, 5])
def test_a_power_cut_anywhere_finds_the_last_or_the_next_whole_step(
    tmp_path: Path, log_pages: int, request: pytest.FixtureRequest
) -> None:
    """With 250 pages the log is moved into the file at the end, with 5 again and again meanwhile."""
    events = record(tmp_path / "played", log_pages)
    saves = sum(event == Mark(Done()) for event in events)
    assert saves > 25
    request.getfixturevalue("quick_disk")  # what is left is read again without waiting
    left = tmp_path / "left"
    left.mkdir()
    found = cut_everywhere(events, left, SEED, TORN)
    assert found["the last step, captured pieces lit"] > 5
    assert found["the next step, captured pieces lit"] >= 3
    assert found["the next step"] > 10
    assert found.total() > 200  # different images


def test_what_a_cut_leaves_is_tried_once_for_each_step(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    events = record(tmp_path / "played", 5, two_moves)
    request.getfixturevalue("quick_disk")
    left = tmp_path / "left"
    left.mkdir()
    images = {(len(marks), *sorted(files.items())) for marks, _, files in cuts(events, SEED, TORN)}
    tried: set[tuple[int, bytes]] = set()
    first, again = (list(cut_each(events, left, SEED, TORN, tried)) for _ in range(2))
    assert len(first) == len(images) == len(tried)
    assert len(images) < sum(1 for _ in cuts(events, SEED, TORN))
    assert again == []


def test_a_restart_that_finds_something_else_is_given_and_the_next_cut_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardd.storage.store.SYNCHRONOUS", "NORMAL")
    events = record(tmp_path / "played", 250, two_moves)
    left = tmp_path / "left"
    left.mkdir()
    found = list(cut_each(events, left, SEED, 0, set()))
    wrong = [what for what in found if isinstance(what, Exception)]
    assert 0 < len(wrong) < len(found)
    assert all("lost" in str(what) for what in wrong)


async def two_moves(board: Table) -> None:
    await board.make("a6", "c6")
    await board.make("e6", "d6")


def test_a_store_that_does_not_sync_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardd.storage.store.SYNCHRONOUS", "NORMAL")  # enough for SQLite's structure, not for moves
    events = record(tmp_path / "played", 250)
    left = tmp_path / "left"
    left.mkdir()
    with pytest.raises(AssertionError, match="lost: found"):
        cut_everywhere(events, left, SEED, 0)


def test_the_recorder_sees_what_sqlite_does(tmp_path: Path) -> None:
    events = record(tmp_path / "played", 5)
    kinds = {(type(event), event.file) for event in events if not isinstance(event, Mark)}
    assert {(Write, "games.sqlite3"), (Sync, "games.sqlite3"), (Write, "games.sqlite3-wal")} <= kinds
    assert {(Sync, "games.sqlite3-wal"), (Delete, "games.sqlite3-wal")} <= kinds


def test_a_first_start_cut_off_in_its_first_write_is_no_other_programs_file(tmp_path: Path) -> None:
    """The journal is complete, and the file's first sector is not there yet but later ones are."""
    events = record(tmp_path / "played", 250)
    begun = next(at for at, event in enumerate(events) if isinstance(event, Write) and event.file == FILE_NAME)
    disk = Disk()
    for event in events[:begun]:
        disk.happen(event)
    left = tmp_path / "left"
    left.mkdir()
    lay_down(disk.lost() | {FILE_NAME: bytes(SECTOR) + b"\1" * (4096 - SECTOR)}, left)
    with closing(Database(left / FILE_NAME, wall)) as database:
        assert database.open() is None
        assert database.rescued is None


def test_a_power_cut_while_an_older_file_is_migrated_loses_nothing(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path = tmp_path / "old" / FILE_NAME
    path.parent.mkdir()
    write_version_2(path)
    before = path.read_bytes()
    recorder = PowerRecorder()
    with recorded(recorder), closing(Database(path, wall)) as database:
        assert database.open() == NEW
    request.getfixturevalue("quick_disk")
    left = tmp_path / "left"
    left.mkdir()
    points = 0
    for _, how, files in cuts(recorder.events, SEED, 3, {FILE_NAME: before}):
        lay_down(files, left)
        assert content(left / FILE_NAME).games == (OLD, NEW), how
        points += 1
    assert points > 50
