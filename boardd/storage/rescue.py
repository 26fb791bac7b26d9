"""Sets a damaged file of games aside and reads out of it what is sound: touches the disk (sqlite3).

Owns the names of files that were set aside; nothing in them is ever changed. Must not know how the new file is made.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from boardd.storage import images, rows
from boardd.storage.rows import DamagedGameError, Kept
from boardd.storage.schema import SQLITE_HEADER
from boardd.storage.write_ahead import INDEX_SUFFIX, log_of

WORD = "damaged"
"""Between the file's name and a number: games-damaged-1.sqlite3."""

COPY_SUFFIX = ".new"
"""Of a file that is being made, until it is whole."""

DISK_CODES = (
    "SQLITE_FULL",
    "SQLITE_READONLY",
    "SQLITE_CANTOPEN",
    "SQLITE_BUSY",
    "SQLITE_IOERR_WRITE",
    "SQLITE_IOERR_FSYNC",
)
"""SQLite's names for a disk that does not take a copy; another time it may."""

UNREADABLE = (sqlite3.Error, UnicodeError)
"""What comes of reading a damaged file; Python cannot always read SQLite's own message about it."""


@dataclass(frozen=True, slots=True)
class Rescued:
    """What became of a damaged file: why it was set aside, as which file, and how many games were taken over."""

    why: str
    aside: Path
    games: int
    losses: tuple[str, ...]

    def __str__(self) -> str:
        """Tell it in one line."""
        lost = f"; behind this nothing was: {', '.join(self.losses)}" if self.losses else ""
        return f"{self.why}; the file is kept as {self.aside.name}; games taken over: {self.games}{lost}"


@dataclass(frozen=True, slots=True)
class SoundGame:
    """One game as far as it is sound, and when its plies were accepted."""

    kept: Kept
    played: dict[int, str | None]


@dataclass(frozen=True, slots=True)
class Found:
    """All that is sound: games, oldest first; what is lost, in words; whether the game being played is among them."""

    games: tuple[SoundGame, ...]
    losses: tuple[str, ...]
    whole: bool


NOTHING = Found((), (), whole=False)


def set_aside(path: Path) -> Path:
    """Give a file and its log, or what is left of them, names under which nobody opens them, and say which.

    Raises:
        OSError: the disk refuses.

    """
    number = 1
    while any(map(Path.exists, both(aside := path.with_name(f"{path.stem}-{WORD}-{number}{path.suffix}")))):
        number += 1
    for name, new in zip(both(path), both(aside), strict=True):
        with suppress(FileNotFoundError):
            name.rename(new)
    path.with_name(path.name + INDEX_SUFFIX).unlink(missing_ok=True)
    return aside


def copied(connection: sqlite3.Connection, path: Path) -> Path | None:
    """Copy the games of an open file, which may be deleted already, to a file beside its old name.

    Returns:
        The copy, on the disk and sound; None where the open file gives no sound one.

    Raises:
        sqlite3.Error: the disk does not take it.
        OSError: the same.

    """
    copy = path.with_name(path.name + COPY_SUFFIX)
    copy.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(copy)) as into:
            connection.backup(into)
            sound = into.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorname", "").startswith(DISK_CODES):
            raise
        sound = False
    if sound:
        return copy
    copy.unlink(missing_ok=True)
    return None


def both(path: Path) -> tuple[Path, Path]:
    """Name a file and its log."""
    return path, log_of(path)


def sound_games(path: Path, distrusted: int | None = None) -> Found:
    """Read every game of a damaged file up to its damage.

    Args:
        path: the file, which nobody else has open.
        distrusted: the number of a game to leave out, None for none.

    """
    if not _has_head(path):
        best = NOTHING
        for copy in images.with_heads(path):
            found = _sound_games(copy, distrusted)
            if len(found.games) > len(best.games):  # a copy without a game tells nothing, also not what is lost
                best = found
        return best
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        connection.text_factory = rows.text
        return _sound_games(connection, distrusted)


def _has_head(path: Path) -> bool:
    """Tell whether SQLite would take a file for a database; one that cannot be read is its business too."""
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE_HEADER)) == SQLITE_HEADER
    except OSError:
        return True


def _sound_games(connection: sqlite3.Connection, distrusted: int | None) -> Found:
    games: list[SoundGame] = []
    losses: list[str] = []
    known = set(_numbers(connection, "SELECT id FROM games ORDER BY id"))
    known |= set(_numbers(connection, "SELECT id FROM games ORDER BY id DESC"))
    latest = max((*known, *_numbers(connection, "SELECT game FROM resume")), default=0)
    for number in sorted(known):
        sound: Kept | None = None
        problem = ""
        try:
            sound = rows.read(connection, number)
        except DamagedGameError as error:
            sound, problem = error.sound, str(error)
        except UNREADABLE as error:
            problem = f"game {number}: {error}"
        if number == distrusted:
            sound, problem = None, f"game {number}"
        if problem:
            losses.append(problem)
        if sound is not None:
            games.append(SoundGame(sound, _played(connection, number)))
    return Found(tuple(games), tuple(losses), bool(games) and games[-1].kept.number == latest)


def _numbers(connection: sqlite3.Connection, query: str) -> Iterator[int]:
    """Give numbers up to where the file cannot be read."""
    with suppress(*UNREADABLE):
        for (number,) in connection.execute(query):
            if isinstance(number, int):  # in a damaged schema the number is no key any more
                yield number


def _played(connection: sqlite3.Connection, number: int) -> dict[int, str | None]:
    with suppress(*UNREADABLE):
        return rows.played_times(connection, number)
    return {}
