import itertools
import random
import sqlite3
import struct
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from boardd.storage.rows import DamagedGameError
from boardd.storage.schema import (
    MIGRATIONS,
    DamagedStoreError,
    UnwritableStoreError,
)
from boardd.storage.store import Database, StoredGame
from boardd.storage.write_ahead import _sums, is_damaged, log_of
from tests.boardd.damaging import (
    FRAME_BYTES,
    MOVES,
    NEW,
    NEXT,
    OLD,
    START,
    commits,
    content,
    flipped,
    judge,
    opened,
    tally,
    telling_bits,
    wall,
    write_and_crash,
    write_small,
    write_version_2,
)

pytestmark = pytest.mark.usefixtures("quick_disk")

FLIPS, CUTS, LOG_FLIPS = 500, 40, 150


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("small") / "games.sqlite3"
    write_small(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """A file and its log as the power leaves them."""
    return write_and_crash(tmp_path_factory.mktemp("crashed") / "games.sqlite3")


def test_no_flipped_bit_changes_anything_unnoticed(small: bytes, tmp_path: Path) -> None:
    (tmp_path / "games.sqlite3").write_bytes(small)
    was = content(tmp_path / "games.sqlite3")
    assert was.games == (OLD, NEW)
    bits = telling_bits(small, random.Random(8192), FLIPS, empty=0.2)
    verdicts = tally(judge(flipped(small, bit), b"", was, tmp_path / "flipped") for bit in bits)
    assert verdicts["told"] > FLIPS / 3
    assert verdicts["same"] > 10
    assert verdicts.get("refused", 0) < 10


def test_a_file_cut_off_anywhere_is_told_and_gone_on_without(small: bytes, tmp_path: Path) -> None:
    (tmp_path / "games.sqlite3").write_bytes(small)
    was = content(tmp_path / "games.sqlite3")
    rng = random.Random(5)
    for length in (1, 15, 16, 50, 99, 100, 4096, len(small) - 1, *(rng.randrange(1, len(small)) for _ in range(CUTS))):
        assert judge(small[:length], b"", was, tmp_path / "cut") == "told"


def test_a_flipped_bit_in_the_log_forgets_nothing_unnoticed(crashed: tuple[bytes, bytes], tmp_path: Path) -> None:
    file, log = crashed
    path = tmp_path / "games.sqlite3"
    path.write_bytes(file)
    log_of(path).write_bytes(log)
    was = content(path)
    assert was.games == (OLD, NEW)
    rng = random.Random(6)
    *_, last, _ = commits(log)  # of the last commit alone nothing can be told
    bits = [*rng.sample(range(32 * 8), 30), *telling_bits(log[:last], rng, LOG_FLIPS, empty=0.2)]
    verdicts = tally(judge(file, flipped(log, bit), was, tmp_path / "flipped") for bit in bits)
    assert verdicts == {"told": len(bits)}


def test_a_log_that_the_power_tore_is_no_damage(crashed: tuple[bytes, bytes], tmp_path: Path) -> None:
    _, log = crashed
    path = tmp_path / "log"
    rng = random.Random(7)
    for start, end in itertools.pairwise(commits(log)):
        for _ in range(5):
            torn = bytearray(log[:end])
            for sector in range(start, len(torn), 512):
                if rng.random() < 0.5:
                    torn[sector : sector + 512] = bytes(len(torn[sector : sector + 512]))
            path.write_bytes(torn)
            assert not is_damaged(path)
    for length in (0, 10, 31, 32, 100, 32 + FRAME_BYTES, 33 + FRAME_BYTES):
        path.write_bytes(log[:length])
        assert not is_damaged(path)
    assert not is_damaged(tmp_path / "none")


def test_a_torn_commit_over_the_log_before_is_no_damage(crashed: tuple[bytes, bytes], tmp_path: Path) -> None:
    """The header of one new frame is there, its page is not, and what follows on the old page is the log before."""
    _, log = crashed
    torn = bytearray(log)
    salt = struct.pack(">I", struct.unpack_from(">I", log, 16)[0] + 1)
    torn[16:20] = salt
    torn[24:32] = struct.pack(">2I", *_sums(bytes(torn[:24]), (0, 0), "<"))
    frame = commits(log)[2] - FRAME_BYTES
    torn[frame + 8 : frame + 12] = salt
    torn[frame + 16 : frame + 24] = b"sum sum "
    path = tmp_path / "log"
    path.write_bytes(torn)
    assert not is_damaged(path)


def test_what_the_last_version_wrote_is_sealed_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    write_version_2(path)
    found = content(path)
    assert found.current == NEW
    assert found.games == (OLD, NEW)
    assert [(line.started[:10], line.ended[:10], line.plies) for line in found.lines] == [
        ("2025-01-01", "2025-01-01", 6),
        ("2025-01-02", "", 5),
    ]
    with sqlite3.connect(path) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert tables == {"games", "moves", "resume"}
        assert connection.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()
    with opened(path) as database:
        assert database.write(NEXT) == 2
    assert content(path).games == (OLD, NEXT)


def damaged_by(path: Path, *statements: str) -> DamagedStoreError:
    """Write a small file, change it behind the seals' back, and give what opening says."""
    write_small(path)
    with sqlite3.connect(path, isolation_level=None) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()
    with opened(path) as database, pytest.raises(DamagedStoreError) as told:
        database.open()
    assert "\n" not in str(told.value)
    return told.value


@pytest.mark.parametrize(
    ("statement", "current", "losses"),
    [
        (
            "UPDATE moves SET origin = 'e9' WHERE game = 2 AND ply = 4",
            replace(NEW, moves=MOVES[:3], removals=frozenset(), board=None, masked=frozenset(), chosen=None),
            1,
        ),
        (
            "DELETE FROM moves WHERE game = 2 AND ply = 5",
            replace(NEW, moves=MOVES[:4], removals=frozenset(), board=None, masked=frozenset(), chosen=None),
            1,
        ),
        (
            "UPDATE resume SET removals = 'h2'",
            replace(NEW, removals=frozenset(), board=None, masked=frozenset(), chosen=None),
            1,
        ),
        ("UPDATE games SET attackers = 'Ewa' WHERE id = 2", None, 1),
        ("DELETE FROM resume", NEW, 0),
    ],
)
def test_what_is_sound_is_taken_over(tmp_path: Path, statement: str, current: StoredGame | None, losses: int) -> None:
    path = tmp_path / "games.sqlite3"
    why = damaged_by(path, statement)
    before = path.read_bytes()
    with opened(path) as database:
        found = database.rescue(why)
        assert database.rescued is not None
        assert len(database.rescued.losses) == losses
        assert database.rescued.aside.read_bytes() == before
        if statement == "DELETE FROM resume":
            assert found is not None
            assert found.moves == NEW.moves
        else:
            assert found == current
        assert database.game(1) == OLD
        assert database.games()[0].ended == wall().isoformat()
        if found is None:
            assert database.write(NEXT, begins=True) == 2
        else:
            assert database.write(NEXT) == 2
        assert database.damages() == []
    assert content(path).current == NEXT


def test_the_times_of_the_moves_are_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    why = damaged_by(path, "UPDATE games SET attackers = 'Ewa' WHERE id = 2")
    with closing(Database(path, lambda: wall() + timedelta(days=1))) as database:
        database.rescue(why)
    with closing(sqlite3.connect(path)) as connection:
        assert {time for (time,) in connection.execute("SELECT played FROM moves")} == {wall().isoformat()}


def test_games_on_both_sides_of_a_damaged_page_are_taken_over(tmp_path: Path) -> None:
    path, page = tmp_path / "games.sqlite3", 4096
    with opened(path) as database:
        for number in range(1, 101):
            database.write(replace(OLD, moves=MOVES[:1], attackers=f"player {number}"), begins=True)
    data = bytearray(path.read_bytes())
    damaged = data.index(b"player 50") // page * page
    data[damaged : damaged + 100] = bytes(100)
    path.write_bytes(data)
    with opened(path) as database:
        with pytest.raises(DamagedStoreError) as told:
            database.open()
        database.rescue(told.value)
        kept = [line.attackers for line in database.games()]
    assert kept[0] == "player 1"
    assert kept[-1] == "player 100"
    assert "player 50" not in kept


def test_a_damaged_old_game_leaves_the_rest_alone(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    write_small(path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE moves SET captures = 'h2' WHERE game = 1 AND ply = 2")
    connection.close()
    with opened(path) as database:
        assert database.open() == NEW
        assert database.damages() == ["game 1: ply 2 is not as it was written"]
        with pytest.raises(DamagedGameError, match="game 1: ply 2") as told:
            database.game(1)
    assert told.value.sound is not None
    assert told.value.sound.game == replace(OLD, moves=MOVES[:1], winner=None, reason=None)


def test_damage_that_comes_to_light_while_playing_is_set_aside_and_the_whole_game_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    write_small(path)
    with opened(path) as database:
        database.open()
        with sqlite3.connect(path) as connection:
            connection.execute("INSERT INTO moves VALUES (2, 6, 'a1', 'a2', '', NULL, 0)")
        connection.close()
        assert database.write(NEXT) == 2
        assert database.rescued is not None
        assert content(path).games == (OLD, NEXT)
        with sqlite3.connect(path) as connection:
            connection.execute("DELETE FROM games WHERE id = 1")
            connection.execute("DROP TABLE moves")
        connection.close()
        with pytest.raises(DamagedStoreError):  # a new file at every try would fill the disk
            database.write(replace(NEXT, moves=MOVES[:2]))
    assert sorted(file.name for file in tmp_path.glob("*damaged*3")) == ["games-damaged-1.sqlite3"]


def test_files_set_aside_are_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    for number in (1, 2, 3):
        path.write_bytes(b"SQLite format 3\0" + bytes([number]) * 200)
        with opened(path) as database:
            with pytest.raises(DamagedStoreError) as told:
                database.open()
            assert database.rescue(told.value) is None
            assert database.write(StoredGame("tablut-edge", START, "attackers")) == 1
    kept = [(tmp_path / f"games-damaged-{number}.sqlite3").read_bytes()[-1] for number in (1, 2, 3)]
    assert kept == [1, 2, 3]


def test_a_damaged_file_on_a_disk_that_takes_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.sqlite3"
    why = damaged_by(path, "UPDATE moves SET origin = 'e9'")

    def refuse(*_: object) -> None:
        raise PermissionError(30, "Read-only file system")

    monkeypatch.setattr(Path, "rename", refuse)
    with opened(path) as database:
        with pytest.raises(UnwritableStoreError, match="Read-only"):
            database.rescue(why)
        with pytest.raises(UnwritableStoreError, match="Read-only"):
            database.write(NEXT)
        monkeypatch.undo()
        assert database.write(NEXT, begins=True) == 3
    assert content(path).current == NEXT


def test_games_are_numbered_on_over_one_that_was_lost(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    why = damaged_by(path, "UPDATE games SET rules = 'ludo' WHERE id = 1", "UPDATE resume SET removals = 'a1'")
    with opened(path) as database:
        assert database.rescue(why) is not None
        assert [line.number for line in database.games()] == [2]
        assert database.write(OLD, begins=True) == 3
    assert [line.number for line in content(path).lines] == [2, 3]
