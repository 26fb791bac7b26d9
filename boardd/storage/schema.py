"""The tables of the games' file, their versions, and the way from each to the next: touches the disk (sqlite3).

Owns what the file looks like and how a file is told to be ours. Must not know what the rows mean.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from boardd.errors import BoarddError
from boardd.storage.write_ahead import INDEX_SUFFIX
from boardd.storage.write_ahead import SUFFIX as LOG_SUFFIX

APPLICATION_ID = 0x4B6F6E61
"""Written in the file's header ("Kona"), so that another program's database is told from ours."""

SQLITE_HEADER = b"SQLite format 3\0"
"""How every SQLite file begins (its file format, section 1.3.1)."""

JOURNAL_SUFFIX = "-journal"
"""What SQLite adds to the file's name for a journal, by which it undoes what the power cut off."""

HEADER_BYTES, FORMATS_AT = 100, slice(18, 20)
"""The header, and in it the formats in which to write and to read."""

FORMATS = frozenset({1, 2})
"""With a rollback journal, with a write-ahead log."""

OUR_TABLES = frozenset({"games", "moves"})
"""By these a file is told to be ours whose header says otherwise."""

MIGRATIONS = (
    # 1: games, moves and what stands on the board
    """
    CREATE TABLE games (
        id       INTEGER PRIMARY KEY,
        started  TEXT NOT NULL,
        rules    TEXT NOT NULL,
        position TEXT NOT NULL,
        side     TEXT NOT NULL,
        winner   TEXT,
        reason   TEXT
    );
    CREATE TABLE moves (
        game        INTEGER NOT NULL REFERENCES games (id),
        ply         INTEGER NOT NULL,
        origin      TEXT NOT NULL,
        destination TEXT NOT NULL,
        captures    TEXT NOT NULL,
        PRIMARY KEY (game, ply)
    ) WITHOUT ROWID;
    CREATE TABLE removals (
        square TEXT PRIMARY KEY
    ) WITHOUT ROWID;
    CREATE TABLE board (
        square TEXT PRIMARY KEY
    ) WITHOUT ROWID;
    """,
    # 2: who plays and when, what the computer chose, which sensors the players gave up
    """
    ALTER TABLE games ADD COLUMN ended TEXT;
    ALTER TABLE games ADD COLUMN attackers TEXT NOT NULL DEFAULT '';
    ALTER TABLE games ADD COLUMN defenders TEXT NOT NULL DEFAULT '';
    ALTER TABLE games ADD COLUMN board_known INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE games ADD COLUMN chosen TEXT;
    ALTER TABLE moves ADD COLUMN played TEXT;
    CREATE TABLE masked (
        square TEXT PRIMARY KEY
    ) WITHOUT ROWID;
    """,
    # 3: seals (boardd.storage.seals), and all that a restart resumes from in one row, which costs one page to write
    """
    CREATE TABLE games_3 (
        id        INTEGER PRIMARY KEY,
        previous  INTEGER NOT NULL DEFAULT 0,
        started   TEXT NOT NULL,
        ended     TEXT,
        rules     TEXT NOT NULL,
        position  TEXT NOT NULL,
        side      TEXT NOT NULL,
        attackers TEXT NOT NULL,
        defenders TEXT NOT NULL,
        winner    TEXT,
        reason    TEXT,
        plies     INTEGER NOT NULL DEFAULT 0,
        last      INTEGER NOT NULL DEFAULT 0,
        seal      INTEGER NOT NULL DEFAULT 0
    );
    INSERT INTO games_3 (id, started, ended, rules, position, side, attackers, defenders, winner, reason)
        SELECT id, started, ended, rules, position, side, attackers, defenders, winner, reason FROM games;
    CREATE TABLE resume (
        game     INTEGER PRIMARY KEY REFERENCES games (id),
        removals TEXT NOT NULL,
        board    TEXT,
        masked   TEXT NOT NULL,
        chosen   TEXT,
        seal     INTEGER NOT NULL DEFAULT 0
    );
    INSERT INTO resume (game, removals, board, masked, chosen)
        SELECT id, (SELECT coalesce(group_concat(square, ' '), '') FROM removals),
            CASE WHEN board_known THEN (SELECT coalesce(group_concat(square, ' '), '') FROM board) END,
            (SELECT coalesce(group_concat(square, ' '), '') FROM masked), chosen
        FROM games ORDER BY id DESC LIMIT 1;
    DROP TABLE removals;
    DROP TABLE board;
    DROP TABLE masked;
    DROP TABLE games;
    ALTER TABLE games_3 RENAME TO games;
    ALTER TABLE moves ADD COLUMN seal INTEGER NOT NULL DEFAULT 0;
    """,
)
"""What brings a file from each version to the next; its version is how many of these it has seen."""


SEALED_SINCE = 3
"""The version from which on rows have seals."""


class StoreError(BoarddError):
    """Base of what storing games can raise."""


class UnusableStoreError(StoreError, ValueError):
    """The file is not a sound database of ours; it was left as it was."""


class DamagedStoreError(UnusableStoreError):
    """The file is ours by its name, and not as it was written, or no database at all.

    `Database.rescue` sets it aside and takes over what is sound.
    """


class UnwritableStoreError(StoreError, OSError):
    """The disk does not take what should be written (read-only, full, broken); play can go on without."""


class NoSuchGameError(StoreError, LookupError):
    """A game was asked for by a number that the file does not hold."""


def check_header(path: Path) -> None:
    """Refuse what is no file, and a file that is no database at all; SQLite itself would write over a very short one.

    Under our name in our directory that was a file of ours, whatever a failing card left of it.

    Raises:
        UnusableStoreError: it is no file.
        DamagedStoreError: it begins like no database, or like one that was cut off or changed.

    """
    for name in (path.name + suffix for suffix in ("", JOURNAL_SUFFIX, LOG_SUFFIX, INDEX_SUFFIX)):
        beside = path.with_name(name)
        if beside.exists() and not beside.is_file():  # a pipe or a device would be read for ever
            raise UnusableStoreError(f"{beside}: found no plain file, expected games of konakis; move it away")
    if path.with_name(path.name + JOURNAL_SUFFIX).exists():
        return  # the power went in the middle of something: SQLite undoes it first
    try:
        with path.open("rb") as file:
            begin = file.read(HEADER_BYTES)
    except OSError:
        return  # SQLite tells better
    magic = begin[: len(SQLITE_HEADER)]
    if not SQLITE_HEADER.startswith(magic):
        found = repr(magic) if any(magic) else "zeros"
        raise DamagedStoreError(f"{path}: not a sound database: found {found} at its begin")
    # of an empty file SQLite would delete the log
    if 0 < len(begin) < HEADER_BYTES or (not begin and _holds_something(path.with_name(path.name + LOG_SUFFIX))):
        raise DamagedStoreError(f"{path}: not a sound database: found {len(begin)} bytes")
    # of a higher number SQLite would only read, or nothing at all
    if not FORMATS.issuperset(begin[FORMATS_AT]):
        raise DamagedStoreError(f"{path}: not a sound database: found file formats {begin[FORMATS_AT].hex(' ')}")


def _holds_something(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def examine(connection: sqlite3.Connection, path: Path) -> int:
    """Tell the version of a file of ours (0: empty) without changing it.

    Raises:
        UnusableStoreError: not ours, or newer than we know.
        DamagedStoreError: damaged.

    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if application != APPLICATION_ID and (tables or version or application):
        if tables >= OUR_TABLES:
            raise DamagedStoreError(f"{path}: damaged: found the mark {application:#x}, expected {APPLICATION_ID:#x}")
        raise UnusableStoreError(f"{path}: found another program's database, expected games of konakis")
    if version > len(MIGRATIONS):
        raise UnusableStoreError(
            f"{path}: found version {version}, expected at most {len(MIGRATIONS)}: it was written by a newer konakis"
        )
    if version < 0:
        raise DamagedStoreError(f"{path}: damaged: found version {version}")
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        raise DamagedStoreError(f"{path}: damaged: {verdict}")
    return version


def migrate(connection: sqlite3.Connection, version: int, seal_all: Callable[[sqlite3.Cursor], None]) -> None:
    """Bring a file from `version` to ours, whole or not at all.

    Args:
        connection: without foreign keys, as tables are made anew.
        version: what it has.
        seal_all: seals all rows that were written before there were seals.

    """
    if version == len(MIGRATIONS):
        return
    with transaction(connection) as cursor:
        for script in MIGRATIONS[version:]:
            for statement in script.split(";"):
                cursor.execute(statement)
        if version < SEALED_SINCE:
            seal_all(cursor)
        cursor.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        cursor.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Cursor]:
    """Do everything inside or nothing."""
    cursor = connection.cursor()
    cursor.execute("BEGIN IMMEDIATE")
    try:
        yield cursor
        cursor.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            cursor.execute("ROLLBACK")
        raise
