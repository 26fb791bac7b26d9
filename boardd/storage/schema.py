"""The tables of the games' file, their versions, and the way from each to the next: touches the disk (sqlite3).

Owns what the file looks like and how a file is told to be ours. Must not know what the rows mean.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from boardd.errors import BoarddError

APPLICATION_ID = 0x4B6F6E61
"""Written in the file's header ("Kona"), so that another program's database is told from ours."""

SQLITE_HEADER = b"SQLite format 3\0"
"""How every SQLite file begins (its file format, section 1.3.1)."""

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
)
"""What brings a file from each version to the next; its version is how many of these it has seen."""


class StoreError(BoarddError):
    """Base of what storing games can raise."""


class UnusableStoreError(StoreError, ValueError):
    """The file is not a sound database of ours; it was left as it was."""


class UnwritableStoreError(StoreError, OSError):
    """The disk does not take what should be written (read-only, full, broken); play can go on without."""


class NoSuchGameError(StoreError, LookupError):
    """A game was asked for by a number that the file does not hold."""


def check_header(path: Path) -> None:
    """Refuse a file that is no database at all; SQLite itself would write over a very short one.

    Raises:
        UnusableStoreError: it begins like no database.

    """
    try:
        with path.open("rb") as file:
            begin = file.read(len(SQLITE_HEADER))
    except OSError:
        return  # SQLite tells better
    if begin and begin != SQLITE_HEADER:
        raise UnusableStoreError(f"{path}: not a sound database: found another kind of file, expected games of konakis")


def examine(connection: sqlite3.Connection, path: Path) -> int:
    """Tell the version of a file of ours (0: empty) without changing it.

    Raises:
        UnusableStoreError: not ours, newer than we know, or damaged.

    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application != APPLICATION_ID and (tables or version or application):
        raise UnusableStoreError(f"{path}: found another program's database, expected games of konakis")
    if version > len(MIGRATIONS):
        raise UnusableStoreError(
            f"{path}: found version {version}, expected at most {len(MIGRATIONS)}: it was written by a newer konakis"
        )
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        raise UnusableStoreError(f"{path}: damaged: {verdict}")
    return version


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring a file from `version` to ours, each step whole or not at all."""
    for step, script in enumerate(MIGRATIONS[version:], start=version + 1):
        with transaction(connection) as cursor:
            for statement in script.split(";"):
                cursor.execute(statement)
            cursor.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            cursor.execute(f"PRAGMA user_version = {step}")


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
