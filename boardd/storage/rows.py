"""Reads and writes the rows of the games' file, sealed: touches an open SQLite connection, inside a transaction.

Owns every SQL statement about games, and what each seal covers: a move's row follows on the one before, a game's row
holds the number of its moves and the seal of the last, the row a restart resumes from follows on the game's. So a row
that was changed, lost or came back from an older day is found. Must not know files, rules or clocks.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from boardd.storage.schema import DamagedStoreError
from boardd.storage.seals import opening, seal
from boardd.storage.values import GameLine, StoredGame, StoredMove

HEADING = (
    "id",
    "previous",
    "started",
    "ended",
    "rules",
    "position",
    "side",
    "attackers",
    "defenders",
    "winner",
    "reason",
    "plies",
    "last",
    "seal",
)
"""The columns of a game's row; `last` is the seal of its last move, and `seal` its own."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One game as the file holds it.

    Args:
        number: of the game.
        previous: number of the game before it, 0 for none.
        started: when, ISO 8601 in UTC.
        ended: when, None while it is played.
        seals: of each move.
        seal: of the game's own row.
        game: what it is.

    """

    number: int
    previous: int
    started: str
    ended: str | None
    seals: tuple[int, ...]
    seal: int
    game: StoredGame

    def is_same(self, other: Kept | None) -> bool:
        """Tell whether another is the same game, as far as each was played."""
        return other is not None and self._birth == other._birth

    @property
    def _birth(self) -> tuple[object, ...]:
        return self.number, self.started, self.game.rules, self.game.position, self.game.side


class DamagedGameError(DamagedStoreError):
    """A game is not as it was written; `sound` is what of it is, up to the damage, if anything."""

    def __init__(self, message: str, sound: Kept | None = None) -> None:
        super().__init__(message)
        self.sound = sound


def text(raw: bytes) -> str:
    """Read a column of text; what is no text at all becomes what no seal fits."""
    return raw.decode(errors="surrogateescape")


def keep(cursor: sqlite3.Cursor, before: Kept | None, game: StoredGame, now: str, previous: int) -> Kept:
    """Make the file hold a game as the one being played; only what differs is written.

    Args:
        cursor: inside a transaction.
        before: how the file holds it; None to begin it.
        game: what it should hold.
        now: the time of day, ISO 8601 in UTC.
        previous: the latest game, where this one begins; 0 for none.

    """
    if before is None:
        return add(cursor, Kept(previous + 1, previous, now, now if game.reason else None, (), 0, game), {})
    number, written = before.number, before.game
    ended = before.ended
    if (written.winner, written.reason) != (game.winner, game.reason):
        ended = now if game.reason else None  # the end's time goes with a result that was taken back
    same = _common(written.moves, game.moves)
    if same < len(written.moves):
        cursor.execute("DELETE FROM moves WHERE game = ? AND ply > ?", (number, same))
    added = _move_rows(number, before.seals[:same], game.moves, {}, now)
    seals = before.seals[:same] + tuple(row[-1] for row in added)
    kept = _sealed(Kept(number, before.previous, before.started, ended, seals, 0, game))
    cursor.executemany(_ADD_MOVE, added)
    if kept.seal != before.seal:
        columns = ", ".join(f"{column} = ?" for column in HEADING)
        cursor.execute(f"UPDATE games SET {columns} WHERE id = ?", (*_heading(kept), kept.seal, number))
    resumed = _resumed(kept)
    if resumed != _resumed(before):
        _resume(cursor, kept, resumed)
    return kept


def add(cursor: sqlite3.Cursor, kept: Kept, played: Mapping[int, str | None]) -> Kept:
    """Write a whole game as a new one, which is now the one being played.

    Args:
        cursor: inside a transaction.
        kept: its seals are made anew.
        played: when each ply was accepted; what is missing counts as the game's start.

    """
    number, game = kept.number, kept.game
    moves = _move_rows(number, (), game.moves, played, kept.started)
    seals = tuple(row[-1] for row in moves)
    kept = _sealed(Kept(number, kept.previous, kept.started, kept.ended, seals, 0, game))
    places = ", ".join("?" * len(HEADING))
    cursor.execute(f"INSERT INTO games ({', '.join(HEADING)}) VALUES ({places})", (*_heading(kept), kept.seal))
    cursor.executemany(_ADD_MOVE, moves)
    _resume(cursor, kept, _resumed(kept))
    return kept


def seal_all(cursor: sqlite3.Cursor) -> None:
    """Seal what an older version wrote without seals, which is taken as it is.

    Raises:
        sqlite3.DataError: something in it is neither text nor number.

    """
    previous = own = 0
    for (number,) in _rows(cursor, "SELECT id FROM games ORDER BY id"):
        before, plies = opening(number), 0
        for ply, *values, _ in _textual(_rows(cursor, f"{_MOVES} WHERE game = ? ORDER BY ply", number)):
            before, plies = seal(before, ply, *values), plies + 1
            cursor.execute("UPDATE moves SET seal = ? WHERE game = ? AND ply = ?", (before, number, ply))
        cursor.execute(
            "UPDATE games SET previous = ?, plies = ?, last = ? WHERE id = ?", (previous, plies, before, number)
        )
        (heading,) = _textual(_rows(cursor, f"{_HEADINGS} WHERE id = ?", number))
        own = seal(0, *heading[:-1])
        cursor.execute("UPDATE games SET seal = ? WHERE id = ?", (own, number))
        previous = number
    for game, *squares, chosen, _ in _textual(_rows(cursor, _RESUME)):
        ordered = [None if names is None else " ".join(sorted(names.split())) for names in squares]
        cursor.execute(
            "UPDATE resume SET removals = ?, board = ?, masked = ?, seal = ?",
            (*ordered, seal(own, game, *ordered, chosen)),
        )


def numbers(connection: sqlite3.Connection) -> list[int]:
    """Give the numbers of all games, oldest first.

    Raises:
        sqlite3.DataError: one is missing.

    """
    rows = _rows(connection, "SELECT id, previous FROM games ORDER BY id")
    for (before, _), (number, previous) in itertools.pairwise([(0, 0), *rows]):
        if previous != before:
            raise sqlite3.DataError(f"found game {number} after game {before}, expected it after game {previous}")
    return [number for number, _ in rows]


def listed(connection: sqlite3.Connection) -> list[int]:
    """Give the numbers of the games that are there, whether some are missing or not."""
    return [number for (number,) in _rows(connection, "SELECT id FROM games ORDER BY id")]


def latest(connection: sqlite3.Connection) -> Kept | None:
    """Read the game being played, the latest; None before the first.

    Raises:
        sqlite3.DataError: games are missing.
        DamagedGameError: it is not as it was written.

    """
    known = numbers(connection)
    resumed = [game for (game,) in _rows(connection, "SELECT game FROM resume")]
    if resumed != known[-1:]:
        raise sqlite3.DataError(f"found game {resumed} to resume, expected {known[-1:]}")
    return read(connection, known[-1]) if known else None


def read(connection: sqlite3.Connection, number: int) -> Kept | None:
    """Read a game, None if there is none; removals and board belong to the latest one only.

    Raises:
        DamagedGameError: it is not as it was written; holds what is sound.

    """
    headings = _rows(connection, f"{_HEADINGS} WHERE id = ?", number)
    if not headings:
        return None
    heading = headings[0]
    if heading[-1] != seal(0, *heading[:-1]):
        raise DamagedGameError(f"game {number}: its heading is not as it was written")
    _, previous, started, ended, rules, position, side, attackers, defenders, winner, reason, plies, last, own = heading
    moves, seals, problem = _read_moves(connection, number, plies, last)
    if len(moves) < plies:
        winner = reason = ended = None
    game = StoredGame(rules, position, side, moves, winner, reason, attackers, defenders)
    sound = Kept(number, previous, started, ended, seals, own, game)
    if not problem:
        rows = _rows(connection, f"{_RESUME} WHERE game = ?", number)
        if not rows:
            return sound
        row = rows[0]
        if row[-1] == seal(own, *row[:-1]):
            return Kept(number, previous, started, ended, seals, own, _with_resumed(game, row))
        problem = "what stood on the board is not as it was written"
    raise DamagedGameError(f"game {number}: {problem}", sound)


def played_times(connection: sqlite3.Connection, number: int) -> dict[int, str | None]:
    """Tell when each ply of a game was accepted, as far as that is known."""
    return dict(_rows(connection, "SELECT ply, played FROM moves WHERE game = ?", number))


def lines(connection: sqlite3.Connection) -> list[GameLine]:
    """List all games whose heading is sound, oldest first."""
    found = []
    for heading in _rows(connection, f"{_HEADINGS} ORDER BY id"):
        number, _, started, ended, rules, _, _, attackers, defenders, winner, reason, plies, *_ = heading
        if heading[-1] == seal(0, *heading[:-1]):
            _check_time(started)
            found.append(GameLine(number, started, ended or "", rules, plies, winner, reason, attackers, defenders))
    return found


_HEADINGS = f"SELECT {', '.join(HEADING)} FROM games"
_MOVES = "SELECT ply, origin, destination, captures, played, seal FROM moves"
_ADD_MOVE = "INSERT INTO moves (game, ply, origin, destination, captures, played, seal) VALUES (?, ?, ?, ?, ?, ?, ?)"
_RESUME = "SELECT game, removals, board, masked, chosen, seal FROM resume"
"""In each the row's own seal comes last and covers everything before it."""


def _read_moves(
    connection: sqlite3.Connection, number: int, plies: int, last: int
) -> tuple[tuple[StoredMove, ...], tuple[int, ...], str]:
    """Give the moves of a game up to the first that is not as it was written, their seals, and what is wrong."""
    moves: list[StoredMove] = []
    seals: list[int] = []
    before = opening(number)
    for ply, *values, own in _rows(connection, f"{_MOVES} WHERE game = ? ORDER BY ply", number):
        expected = len(moves) + 1
        if ply != expected or own != seal(before, ply, *values):
            return tuple(moves), tuple(seals), f"ply {expected} is not as it was written"
        origin, destination, captures, _ = values
        moves.append(StoredMove(origin, destination, tuple(captures.split())))
        seals.append(own)
        before = own
    if (len(moves), before) != (plies, last):
        return tuple(moves), tuple(seals), f"found {len(moves)} plies, expected {plies}"
    return tuple(moves), tuple(seals), ""


def _move_rows(
    number: int,
    seals: tuple[int, ...],
    moves: tuple[StoredMove, ...],
    played: Mapping[int, str | None],
    now: str,
) -> list[tuple[Any, ...]]:
    """Give the rows of the moves that come after those with `seals`, for `_ADD_MOVE`."""
    before = seals[-1] if seals else opening(number)
    rows = []
    for ply, move in enumerate(moves[len(seals) :], start=len(seals) + 1):
        values = (ply, move.origin, move.destination, " ".join(move.captures), played.get(ply, now))
        before = seal(before, *values)
        rows.append((number, *values, before))
    return rows


def _sealed(kept: Kept) -> Kept:
    """Give the game with its row's seal."""
    own = seal(0, *_heading(kept))
    return Kept(kept.number, kept.previous, kept.started, kept.ended, kept.seals, own, kept.game)


def _heading(kept: Kept) -> tuple[str | int | None, ...]:
    """Give a game's row but for its seal."""
    game = kept.game
    identity = (kept.number, kept.previous, kept.started, kept.ended, game.rules, game.position, game.side)
    return (*identity, game.attackers, game.defenders, game.winner, game.reason, len(kept.seals), _last(kept))


def _last(kept: Kept) -> int:
    return kept.seals[-1] if kept.seals else opening(kept.number)


def _resumed(kept: Kept) -> tuple[str | int | None, ...]:
    """Give the row that a restart resumes from, with its seal."""
    game = kept.game
    board = None if game.board is None else " ".join(sorted(game.board))
    chosen = None if game.chosen is None else f"{game.chosen.origin} {game.chosen.destination}"
    values = (kept.number, " ".join(sorted(game.removals)), board, " ".join(sorted(game.masked)), chosen)
    return (*values, seal(kept.seal, *values))


def _resume(cursor: sqlite3.Cursor, kept: Kept, row: tuple[str | int | None, ...]) -> None:
    """Write the one row that a restart resumes from."""
    cursor.execute("DELETE FROM resume WHERE game <> ?", (kept.number,))
    cursor.execute(
        "INSERT OR REPLACE INTO resume (game, removals, board, masked, chosen, seal) VALUES (?, ?, ?, ?, ?, ?)", row
    )


def _with_resumed(game: StoredGame, row: tuple[Any, ...]) -> StoredGame:
    """Give a game with what stood on the board."""
    _, removals, board, masked, chosen, _ = row
    return StoredGame(
        game.rules,
        game.position,
        game.side,
        game.moves,
        game.winner,
        game.reason,
        game.attackers,
        game.defenders,
        frozenset(removals.split()),
        None if board is None else frozenset(board.split()),
        frozenset(masked.split()),
        None if chosen is None else _chosen(chosen),
    )


def _chosen(text: str) -> StoredMove:
    """Read the computer's move."""
    squares = text.split()
    if len(squares) != 2:
        raise sqlite3.DataError(f"found the chosen move {text!r}, expected two squares")
    return StoredMove(squares[0], squares[1])


def _common(before: Iterable[StoredMove], after: Iterable[StoredMove]) -> int:
    """Count the moves that both begin with."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))


def _textual(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Refuse bytes; a column of text lets nothing else be written."""
    for value in itertools.chain.from_iterable(rows):
        if isinstance(value, bytes):
            raise sqlite3.DataError(f"found the bytes {value[:20]!r}, expected text")
    return rows


def _rows(connection: sqlite3.Connection | sqlite3.Cursor, query: str, *parameters: str | int) -> list[tuple[Any, ...]]:
    """Ask for rows; what they hold is trusted only where a seal says so."""
    return connection.execute(query, parameters).fetchall()


def _check_time(text: str) -> None:
    """Refuse what is no time of day."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise sqlite3.DataError(f"found the time {text!r}, expected ISO 8601") from None
