import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from boardd.storage.schema import (
    APPLICATION_ID,
    MIGRATIONS,
    DamagedStoreError,
    NoSuchGameError,
    UnusableStoreError,
    UnwritableStoreError,
)
from boardd.storage.store import Database, StoredGame, StoredMove

START = "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/"
EMPTY = StoredGame("tablut-edge", START, "attackers")
ONE = StoredMove("d1", "d3")
TWO = StoredMove("e3", "h3", ("h2", "h4"))
THREE = StoredMove("e1", "e3")


class Wall:
    """A time of day that goes on by a second whenever somebody looks."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 18, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.sqlite3"


def database(path: Path) -> Database:
    return Database(path, Wall())


def reopened(path: Path) -> StoredGame | None:
    """What another process would find now."""
    other = database(path)
    try:
        return other.open()
    finally:
        other.close()


def test_an_empty_file_holds_no_game(path: Path) -> None:
    store = database(path)
    assert store.open() is None
    assert store.number is None
    assert store.games() == []
    store.close()


def test_a_commit_waits_for_the_disk(path: Path) -> None:
    store = database(path)
    store.open()
    assert store._connection is not None
    assert store._connection.execute("PRAGMA synchronous").fetchone()[0] == 2  # FULL
    assert store._connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    store.close()


def test_every_write_is_found_by_another_process_at_once(path: Path) -> None:
    store = database(path)
    store.open()
    states = [
        EMPTY,
        replace(EMPTY, board=frozenset({"d3", "e5"})),
        replace(EMPTY, moves=(ONE,), board=frozenset({"d3", "e5"})),
        replace(EMPTY, moves=(ONE, TWO), removals=frozenset({"h2", "h4"}), board=frozenset({"h3"})),
        replace(EMPTY, moves=(ONE, THREE), removals=frozenset({"h4"}), board=None),
        replace(EMPTY, moves=(ONE,), board=frozenset()),
        replace(EMPTY, moves=(ONE,), masked=frozenset({"a5"}), chosen=StoredMove("e5", "e2")),
        replace(EMPTY, moves=(ONE,), attackers="Muscovite", defenders="Карл"),
        replace(EMPTY, moves=(ONE,), winner="defenders", reason="resignation"),
        replace(EMPTY, moves=(ONE,)),
    ]
    for state in states:
        assert store.write(state) == 1
        assert reopened(path) == state
    store.close()


def test_a_new_game_gets_the_next_number_and_the_old_one_stays(path: Path) -> None:
    store = database(path)
    store.open()
    ended = replace(EMPTY, winner="attackers", reason="king-captured", attackers="Anna", defenders="Борис")
    old = replace(ended, moves=(ONE, TWO), board=frozenset({"a1"}))
    store.write(EMPTY)
    store.write(old)
    assert store.write(EMPTY, begins=True) == 2
    assert store.write(replace(EMPTY, moves=(THREE,))) == 2
    assert store.game(1) == replace(old, board=None)
    assert store.game(2).moves == (THREE,)
    lines = store.games()
    assert [(line.number, line.plies, line.winner, line.reason) for line in lines] == [
        (1, 2, "attackers", "king-captured"),
        (2, 1, None, None),
    ]
    assert [(line.attackers, line.defenders) for line in lines] == [("Anna", "Борис"), ("", "")]
    assert lines[0].started < lines[0].ended < lines[1].started
    assert lines[1].ended == ""
    with pytest.raises(NoSuchGameError, match="found no game 3"):
        store.game(3)
    store.close()


def test_each_move_bears_the_time_at_which_it_was_first_written(path: Path) -> None:
    store = database(path)
    for moves in ((ONE,), (ONE, TWO), (ONE, TWO, THREE)):
        store.write(replace(EMPTY, moves=moves))
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        times = [time for (time,) in connection.execute("SELECT played FROM moves ORDER BY ply")]
    assert len(set(times)) == 3
    assert times == sorted(times)
    assert all(datetime.fromisoformat(time).tzinfo is UTC for time in times)


def test_only_what_differs_is_written(path: Path) -> None:
    store = database(path)
    store.open()
    store.write(replace(EMPTY, moves=(ONE, TWO)))
    with sqlite3.connect(path) as other:
        first = other.execute("SELECT ply, played FROM moves").fetchall()
    store.write(replace(EMPTY, moves=(ONE, TWO, THREE)))
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT ply, played FROM moves WHERE ply < 3").fetchall() == first
    other.close()
    store.close()


def test_random_histories_are_always_what_was_written_last(path: Path) -> None:
    rng = random.Random(20)
    squares = [f"{file}{rank}" for file in "abcdefghi" for rank in range(1, 10)]
    store = database(path)
    store.open()
    game, number = EMPTY, 0
    for _ in range(150):
        moves = list(game.moves)
        for _ in range(rng.randint(0, 2)):
            if moves and rng.random() < 0.4:
                moves.pop()
            else:
                origin, destination, *captures = rng.sample(squares, rng.randint(2, 5))
                moves.append(StoredMove(origin, destination, tuple(captures)))
        game = replace(
            game,
            moves=tuple(moves),
            removals=frozenset(rng.sample(squares, rng.randint(0, 3))),
            board=None if rng.random() < 0.1 else frozenset(rng.sample(squares, 20)),
        )
        begins = rng.random() < 0.1
        number += begins or not number
        assert store.write(game, begins=begins) == number
        if rng.random() < 0.3:
            store.close()
            store.open()
        assert store.game(number) == game
    store.close()


def test_a_failed_write_leaves_everything_as_it_was_and_the_next_makes_up_for_it(path: Path) -> None:
    store = database(path)
    store.open()
    before = replace(EMPTY, moves=(ONE,))
    store.write(before)
    assert store._connection is not None
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    many = tuple(StoredMove("a1", "a2", ("x" * 500,)) for _ in range(200))
    with pytest.raises(UnwritableStoreError, match="full"):
        store.write(replace(before, moves=(ONE, *many), removals=frozenset({"a2"})))
    assert reopened(path) == before
    store._connection.execute("PRAGMA max_page_count = 1000000")
    after = replace(before, moves=(ONE, *many), removals=frozenset({"a2"}))
    store.write(after)
    assert reopened(path) == after
    store.close()


def test_a_locked_file_fails_and_is_written_later(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardd.storage.store.BUSY_S", 0.01)
    store = database(path)
    store.open()
    store.write(EMPTY)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(UnwritableStoreError, match="locked"):
        store.write(replace(EMPTY, moves=(ONE,)))
    other.execute("COMMIT")
    other.close()
    store.write(replace(EMPTY, moves=(ONE,)))
    assert reopened(path) == replace(EMPTY, moves=(ONE,))
    store.close()


def test_a_file_that_cannot_be_opened_is_opened_by_the_first_write_that_can(tmp_path: Path) -> None:
    missing = tmp_path / "gone" / "games.sqlite3"
    store = database(missing)
    with pytest.raises(UnwritableStoreError, match="unable to open"):
        store.open()
    with pytest.raises(UnwritableStoreError, match="unable to open"):
        store.write(EMPTY)
    missing.parent.mkdir()
    assert store.write(EMPTY) == 1
    assert reopened(missing) == EMPTY
    store.close()


def test_a_file_on_a_read_only_disk_is_read(path: Path) -> None:
    store = database(path)
    store.open()
    game = replace(EMPTY, moves=(ONE,))
    store.write(game)
    store.close()
    reader = database(path)
    assert reader.open_reading() == game
    assert reader.number == 1
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(reader.game, 1).result() == game
    with pytest.raises(UnwritableStoreError):
        database(path.with_name("none.sqlite3")).open_reading()
    assert not path.with_name("none.sqlite3").exists()


def test_a_file_with_nothing_in_it_yet_gives_nothing_to_read(path: Path) -> None:
    path.touch()
    with pytest.raises(UnwritableStoreError, match="found nothing in it, expected games"):
        database(path).open_reading()


def test_a_log_without_its_index_is_read_by_any_thread_and_written_past_when_the_disk_can_be_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = database(path)
    game = replace(EMPTY, moves=(ONE,))
    store.write(game)
    crashed = path.parent / "crashed" / path.name
    crashed.parent.mkdir()
    for name in (path.name, path.name + "-wal"):
        (crashed.parent / name).write_bytes((path.parent / name).read_bytes())
    store.close()
    connect = sqlite3.connect

    def refusing(name: str, **options: Any) -> sqlite3.Connection:
        if options.get("uri"):  # as SQLite does where it cannot make the log's index
            raise sqlite3.OperationalError("unable to open database file")
        connection: sqlite3.Connection = connect(name, **options)
        return connection

    monkeypatch.setattr("boardd.storage.store.sqlite3.connect", refusing)
    monkeypatch.chdir(crashed.parent)
    reader = database(crashed)
    assert reader.open_reading() == game
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(reader.game, 1).result() == game
    assert sorted(file.name for file in crashed.parent.iterdir()) == [path.name, path.name + "-wal"]
    monkeypatch.undo()
    longer = replace(game, moves=(ONE, TWO))
    assert reader.write(longer) == 1
    assert reopened(crashed) == longer
    reader.close()


def test_an_older_file_is_migrated_with_everything_in_it(path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.executescript(MIGRATIONS[0])
    other.executescript(
        f"""
        PRAGMA application_id = {APPLICATION_ID};
        PRAGMA user_version = 1;
        INSERT INTO games VALUES (1, '2025-01-01T10:00:00+00:00', 'tablut-edge', '{START}', 'attackers',
                                  'defenders', 'king-escaped');
        INSERT INTO games VALUES (2, '2025-01-02T10:00:00+00:00', 'tablut-edge', '{START}', 'attackers', NULL, NULL);
        INSERT INTO moves VALUES (1, 1, 'd1', 'd3', ''), (2, 1, 'e1', 'e3', ''), (2, 2, 'e3', 'h3', 'h2 h4');
        INSERT INTO removals VALUES ('h2');
        """
    )
    other.close()
    store = database(path)
    assert store.open() == replace(EMPTY, moves=(THREE, TWO), removals=frozenset({"h2"}))
    assert store.number == 2
    assert store.game(1) == replace(EMPTY, moves=(ONE,), winner="defenders", reason="king-escaped")
    store.write(replace(EMPTY, moves=(THREE,), attackers="New"))
    store.close()
    assert reopened(path) == replace(EMPTY, moves=(THREE,), attackers="New")


def test_an_older_file_is_refused_where_it_cannot_be_migrated(path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.executescript(MIGRATIONS[0])
    other.executescript(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 1;")
    other.close()
    with pytest.raises(UnusableStoreError, match=f"found version 1, expected {len(MIGRATIONS)}"):
        database(path).open_reading()


def test_a_newer_file_is_refused_and_left_alone(path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.executescript(f"CREATE TABLE later (x); PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 99;")
    other.close()
    before = path.read_bytes()
    with pytest.raises(UnusableStoreError, match="found version 99, expected at most"):
        database(path).open()
    assert path.read_bytes() == before


def test_a_foreign_database_is_refused_and_left_alone(path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.executescript("CREATE TABLE cookies (x); INSERT INTO cookies VALUES (1);")
    other.close()
    before = path.read_bytes()
    with pytest.raises(UnusableStoreError, match="another program's database") as told:
        database(path).open()
    assert str(told.value).startswith(f"{path}: "), "a message says where"
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_damaged_and_opening_leaves_it_alone(path: Path) -> None:
    path.write_text("My games\n" * 200)
    before = path.read_bytes()
    with pytest.raises(DamagedStoreError, match=r"not a sound database: found b'My games.*' at its begin") as told:
        database(path).open()
    assert "\n" not in str(told.value)
    assert path.read_bytes() == before


def test_damage_is_found_at_the_start(path: Path) -> None:
    store = database(path)
    store.open()
    store.write(replace(EMPTY, moves=tuple(StoredMove("a1", "a2", ("a3",) * 40) for _ in range(400))))
    store.close()
    data = bytearray(path.read_bytes())
    rng = random.Random(3)
    page = 4096
    for number in range(2, len(data) // page):  # spare the header, and what begins right behind it
        data[number * page : number * page + 200] = rng.randbytes(200)
    path.write_bytes(data)
    with pytest.raises(UnusableStoreError):
        database(path).open()
    assert path.read_bytes() == bytes(data)


@pytest.mark.parametrize("length", [0, 1, 50, 99, 4096, 9000])
def test_a_cut_off_file_never_ends_in_anything_but_our_errors(path: Path, length: int) -> None:
    store = database(path)
    store.open()
    store.write(replace(EMPTY, moves=(ONE, TWO)))
    store.close()
    path.write_bytes(path.read_bytes()[:length])
    try:
        game = database(path).open()
    except UnusableStoreError:
        return
    assert game is None
    assert length == 0
