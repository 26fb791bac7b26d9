"""Keeps games in an SQLite file, one transaction a move: touches the disk (sqlite3).

Owns the tables, their version and every SQL statement. Must not know rules, boards or clocks: squares, sides and
positions are text here, and `boardd.storage.keeping` translates. A `Database` belongs to one thread at a time.
"""

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from boardd.storage.schema import (
    MIGRATIONS,
    NoSuchGameError,
    UnusableStoreError,
    UnwritableStoreError,
    check_header,
    examine,
    migrate,
    transaction,
)

FILE_NAME = "games.sqlite3"
"""The file below the state directory."""

BUSY_S = 2.0
"""How long a write waits for somebody who reads by hand with another tool; then play goes on unstored."""

SYNCHRONOUS = "FULL"
"""A commit returns when the disk has it; anything less may lose the last moves with the power (SQLite, PRAGMAs)."""

LARGEST_NUMBER = 2**63 - 1
"""Of a game: SQLite's integers go no further."""

FOREIGN_CODES = ("SQLITE_NOTADB", "SQLITE_CORRUPT")
"""SQLite's names for a file whose contents are no sound database; everything else is the disk's trouble."""


@dataclass(frozen=True, slots=True)
class StoredMove:
    """One move as text: squares by name, captures ascending."""

    origin: str
    destination: str
    captures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredGame:
    """One game with everything that must survive a power cut; from `removals` on, of the game being played.

    Sides, reasons and squares are the words of `engine`; `chosen` is the computer's move, waiting to be made.
    """

    rules: str
    position: str
    side: str
    moves: tuple[StoredMove, ...] = ()
    winner: str | None = None
    reason: str | None = None
    attackers: str = ""
    defenders: str = ""
    removals: frozenset[str] = frozenset()
    board: frozenset[str] | None = None
    masked: frozenset[str] = frozenset()
    chosen: StoredMove | None = None


@dataclass(frozen=True, slots=True)
class GameLine:
    """One line of the list of games; times are ISO 8601 in UTC, `ended` empty while it is played."""

    number: int
    started: str
    ended: str
    rules: str
    plies: int
    winner: str | None
    reason: str | None
    attackers: str
    defenders: str


class Database:
    """One file of games. Not open until `open`, which a failed write may call again by itself."""

    def __init__(self, path: Path, wall: Callable[[], datetime]) -> None:
        """Take the file's path and what tells the time of day in UTC, for the records only."""
        self.path = path
        self._wall = wall
        self._connection: sqlite3.Connection | None = None
        self._writable = False
        self._number: int | None = None
        self._written: StoredGame | None = None

    @property
    def number(self) -> int | None:
        """The number of the game being played, None before the first."""
        return self._number

    def open(self) -> StoredGame | None:
        """Open the file, making or migrating it as needed, and give the game being played.

        Raises:
            UnusableStoreError: not our database, of a newer version, or damaged.
            UnwritableStoreError: the disk refuses.

        """
        self.close()
        with self._telling():
            check_header(self.path)
            connection = sqlite3.connect(self.path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
            try:
                version = examine(connection, self.path)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
                connection.execute("PRAGMA foreign_keys = ON")
                migrate(connection, version)
                self._number, self._written = _current(connection)
            except BaseException:
                connection.close()
                raise
            self._connection, self._writable = connection, True
        return self._written

    def open_reading(self) -> StoredGame | None:
        """Open the file to be read only, on a disk that takes no writing, and give the game being played.

        Raises:
            UnusableStoreError: as for `open`, or of an older version, which only a writable disk could migrate.
            UnwritableStoreError: there is nothing to read.

        """
        self.close()
        with self._telling():
            check_header(self.path)
            for options in ("mode=ro", "mode=ro&immutable=1"):
                # only the first sees moves that were not yet moved from the log into the file; it needs the log's index
                connection = sqlite3.connect(
                    f"{self.path.absolute().as_uri()}?{options}", uri=True, check_same_thread=False
                )
                try:
                    version = examine(connection, self.path)
                    if version != len(MIGRATIONS):
                        found = f"found version {version}, expected {len(MIGRATIONS)}"
                        raise UnusableStoreError(f"{self.path}: {found} on a disk that is read only")
                    self._number, self._written = _current(connection)
                except sqlite3.OperationalError:
                    connection.close()
                    if "immutable" in options:
                        raise
                except BaseException:
                    connection.close()
                    raise
                else:
                    self._connection, self._writable = connection, False
                    break
        return self._written

    def write(self, game: StoredGame, *, begins: bool = False) -> int:
        """Make the file hold `game` as the game being played, in one transaction; only what differs is written.

        Args:
            game: the whole game as it should be found after a power cut.
            begins: this is a new game; else the one being played is brought up to date.

        Returns:
            The number of the game.

        Raises:
            StoreError: nothing of it was written.

        """
        if self._connection is None or not self._writable:
            self.open()
        assert self._connection is not None
        with self._telling(), transaction(self._connection) as cursor:
            now = self._wall().isoformat(timespec="seconds")
            written = None if begins else self._written
            number = None if begins else self._number
            if written is None or number is None:
                written = StoredGame(game.rules, game.position, game.side)
                number = _insert_game(cursor, written, now)
            _update_game(cursor, number, written, game, now)
            _update_moves(cursor, number, written.moves, game.moves, now)
            _replace(cursor, "removals", game.removals)
            _replace(cursor, "board", game.board or frozenset())
            _replace(cursor, "masked", game.masked)
        self._number, self._written = number, game
        return number

    def games(self) -> list[GameLine]:
        """List all games, oldest first."""
        with self._reading() as connection:
            rows = _rows(
                connection,
                "SELECT id, started, coalesce(ended, ''), rules,"
                " (SELECT count(*) FROM moves WHERE game = id), winner, reason, attackers, defenders"
                " FROM games ORDER BY id",
            )
            lines = [GameLine(*row) for row in rows]
            for line in lines:
                _check_time(line.started)
            return lines

    def game(self, number: int) -> StoredGame:
        """Read one game, whole.

        Raises:
            NoSuchGameError: there is none of that number.

        """
        with self._reading() as connection:
            game = _read_game(connection, number) if number <= LARGEST_NUMBER else None
        if game is None:
            raise NoSuchGameError(f"{self.path}: found no game {number}")
        return game

    def close(self) -> None:
        """Close the file; everything written is safe already."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Give an open connection, opening the file where nobody did."""
        if self._connection is None:
            self.open()
        assert self._connection is not None
        with self._telling():
            yield self._connection

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Turn SQLite's errors into ours."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            code = getattr(error, "sqlite_errorname", "")
            # without a code it was not SQLite: Python or we can make no sense of what it gave
            if not code or any(code.startswith(foreign) for foreign in FOREIGN_CODES):
                raise UnusableStoreError(f"{self.path}: not a sound database: {error}") from error
            raise UnwritableStoreError(f"{self.path}: {error}") from error


def _insert_game(cursor: sqlite3.Cursor, game: StoredGame, now: str) -> int:
    """Begin a game and give its number."""
    cursor.execute(
        "INSERT INTO games (started, rules, position, side) VALUES (?, ?, ?, ?)",
        (now, game.rules, game.position, game.side),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _update_game(cursor: sqlite3.Cursor, number: int, before: StoredGame, after: StoredGame, now: str) -> None:
    """Write everything but moves and squares; the end's time goes with a result that was taken back."""
    if (before.winner, before.reason) != (after.winner, after.reason):
        cursor.execute(
            "UPDATE games SET winner = ?, reason = ?, ended = ? WHERE id = ?",
            (after.winner, after.reason, now if after.reason else None, number),
        )
    chosen = None if after.chosen is None else f"{after.chosen.origin} {after.chosen.destination}"
    cursor.execute(
        "UPDATE games SET position = ?, side = ?, attackers = ?, defenders = ?, board_known = ?, chosen = ?"
        " WHERE id = ?",
        (after.position, after.side, after.attackers, after.defenders, after.board is not None, chosen, number),
    )


def _update_moves(
    cursor: sqlite3.Cursor, number: int, before: tuple[StoredMove, ...], after: tuple[StoredMove, ...], now: str
) -> None:
    """Delete the moves that were taken back or amended and add those that are new."""
    same = 0
    for old, new in zip(before, after, strict=False):
        if old != new:
            break
        same += 1
    if same < len(before):
        cursor.execute("DELETE FROM moves WHERE game = ? AND ply > ?", (number, same))
    cursor.executemany(
        "INSERT INTO moves (game, ply, origin, destination, captures, played) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (number, ply, move.origin, move.destination, " ".join(move.captures), now)
            for ply, move in enumerate(after[same:], start=same + 1)
        ],
    )


def _replace(cursor: sqlite3.Cursor, table: str, squares: frozenset[str]) -> None:
    """Make a table of squares hold exactly these."""
    held = {row[0] for row in cursor.execute(f"SELECT square FROM {table}")}
    cursor.executemany(f"DELETE FROM {table} WHERE square = ?", [(square,) for square in sorted(held - squares)])
    cursor.executemany(f"INSERT INTO {table} (square) VALUES (?)", [(square,) for square in sorted(squares - held)])


def _current(connection: sqlite3.Connection) -> tuple[int | None, StoredGame | None]:
    """Give the number of the game being played, the latest, and the game."""
    number = connection.execute("SELECT max(id) FROM games").fetchone()[0]
    return number, None if number is None else _read_game(connection, number)


def _read_game(connection: sqlite3.Connection, number: int) -> StoredGame | None:
    """Read a game; removals and board belong to the latest one only."""
    rows = _rows(
        connection,
        "SELECT rules, position, side, winner, reason, attackers, defenders, board_known, chosen,"
        " id = (SELECT max(id) FROM games) FROM games WHERE id = ?",
        number,
    )
    if not rows:
        return None
    row = rows[0]
    moves = _rows(connection, "SELECT origin, destination, captures FROM moves WHERE game = ? ORDER BY ply", number)
    latest = bool(row[9])
    return StoredGame(
        rules=row[0],
        position=row[1],
        side=row[2],
        moves=tuple(
            StoredMove(origin, destination, tuple(captures.split())) for origin, destination, captures in moves
        ),
        winner=row[3],
        reason=row[4],
        attackers=row[5],
        defenders=row[6],
        removals=_squares(connection, "removals") if latest else frozenset(),
        board=_squares(connection, "board") if latest and row[7] else None,
        masked=_squares(connection, "masked") if latest else frozenset(),
        chosen=_chosen(row[8]) if latest and row[8] else None,
    )


def _squares(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """Read a table of squares."""
    return frozenset(row[0] for row in _rows(connection, f"SELECT square FROM {table}"))


def _chosen(text: str) -> StoredMove:
    """Read the computer's move."""
    squares = text.split()
    if len(squares) != 2:
        raise sqlite3.DataError(f"found the chosen move {text!r}, expected two squares")
    return StoredMove(squares[0], squares[1])


def _rows(connection: sqlite3.Connection, query: str, *parameters: object) -> list[tuple[Any, ...]]:
    """Ask for rows of numbers and text; a column of text lets nothing else be written but bytes."""
    rows = connection.execute(query, parameters).fetchall()
    for value in itertools.chain.from_iterable(rows):
        if isinstance(value, bytes):
            raise sqlite3.DataError(f"found the bytes {value[:20]!r}, expected text")
    return rows


def _check_time(text: str) -> None:
    """Refuse what is no time of day."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise sqlite3.DataError(f"found the time {text!r}, expected ISO 8601") from None
