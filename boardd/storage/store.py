"""Keeps games in an SQLite file, one transaction a move: touches the disk (sqlite3).

Owns the file: how it is opened, written, and set aside when it is damaged. Must not know rules, boards or clocks:
squares, sides and positions are text here, and `boardd.storage.keeping` translates. The rows are `rows`' business.
"""

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from boardd.storage import rows, write_ahead
from boardd.storage.images import in_memory
from boardd.storage.places import Identity, Place, identity, place_of
from boardd.storage.rescue import Rescued, copied, set_aside, sound_games
from boardd.storage.rows import DamagedGameError, Kept
from boardd.storage.schema import (
    JOURNAL_SUFFIX,
    MIGRATIONS,
    DamagedStoreError,
    NoSuchGameError,
    UnusableStoreError,
    UnwritableStoreError,
    check_header,
    examine,
    migrate,
    transaction,
)
from boardd.storage.state_directory import Lock, make
from boardd.storage.values import GameLine, StoredGame, StoredMove

__all__ = ["FILE_NAME", "Database", "GameLine", "StoredGame", "StoredMove"]

log = logging.getLogger(__name__)

FILE_NAME = "games.sqlite3"
"""The file below the state directory."""

BUSY_S = 2.0
"""How long a write waits for somebody who reads by hand with another tool; then play goes on unstored."""

SYNCHRONOUS = "FULL"
"""A commit returns when the disk has it; anything less may lose the last moves with the power (SQLite, PRAGMAs)."""

LOG_PAGES = 250
"""The write-ahead log is moved into the file when it has so many pages, 1 MB: an evening of play, and read through in
a tenth of a second at the start."""

LARGEST_NUMBER = 2**63 - 1
"""Of a game: SQLite's integers go no further."""

DAMAGE_CODES = (
    "SQLITE_NOTADB",
    "SQLITE_CORRUPT",
    "SQLITE_ERROR",
    "SQLITE_CONSTRAINT",
    "SQLITE_MISMATCH",
    "SQLITE_SCHEMA",
    "SQLITE_TOOBIG",
)
"""SQLite's names for a file that holds something else than we wrote; everything else is the disk's trouble."""


class Database:
    """One file of games. Not open until `open`, which a failed write may call again by itself.

    It belongs to one thread at a time. While games are played, the keeper's thread asks for `write` and `close` alone,
    so a test or a simulation that plays a bad disk need replace nothing but `write`: let it raise
    `UnwritableStoreError` for a disk that is full or read only, wait before it calls the real one for a slow disk, and
    call the real one otherwise. Whatever was refused is asked for again, whole, by the next `write`.
    """

    def __init__(self, path: Path, wall: Callable[[], datetime]) -> None:
        """Take the file's path and what tells the time of day in UTC, for the records only."""
        self.path = path
        self.rescued: Rescued | None = None
        """What became of a damaged file, if there was one since the start."""
        self._wall = wall
        self._connection: sqlite3.Connection | None = None
        self._writable = False
        self._kept: Kept | None = None
        self._lacking = False  # the file does not hold the game being played, so the next write begins it there
        self._place: Place | None = None  # of the open file, as it was seen last
        self._told = False  # that it is not there any more
        self._homes: set[Identity] = set()  # directories that are ours: found open, or locked since
        self._locks = ExitStack()

    @property
    def number(self) -> int | None:
        """The number of the game being played, None before the first."""
        return None if self._kept is None else self._kept.number

    def open(self) -> StoredGame | None:
        """Open the file, making or migrating it as needed, and give the game being played.

        Raises:
            UnusableStoreError: not our database, or of a newer version.
            DamagedStoreError: damaged; it was left as it is.
            UnwritableStoreError: the disk refuses.

        """
        self._close_file()
        with self._telling():
            check_header(self.path)
            self._check_log()
            connection = sqlite3.connect(self.path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
            try:
                connection.text_factory = rows.text
                version = examine(connection, self.path)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
                connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
                migrate(connection, version, rows.seal_all)
                connection.execute("PRAGMA foreign_keys = ON")
                self._kept = rows.latest(connection)
            except BaseException:
                connection.close()
                raise
            self._connection, self._writable = connection, True
            self._place = place_of(self.path)
            home = identity(self.path.parent)
            if home is not None and not self._homes:
                self._homes.add(home)
        return self._game

    def open_reading(self) -> StoredGame | None:
        """Open the file to be read only, on a disk that takes no writing, and give the game being played.

        Raises:
            UnusableStoreError: as for `open`, or of an older version, which only a writable disk could migrate.
            DamagedStoreError: damaged.
            UnwritableStoreError: there is nothing to read.

        """
        self._close_file()
        with self._telling():
            check_header(self.path)
            self._check_log()
            try:
                self._read_from(
                    sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
                )
            except sqlite3.OperationalError:
                # SQLite reads no log without an index, which it cannot write here: a copy in memory has everything
                self._read_from(in_memory(self.path))
        return self._game

    def look(self) -> None:
        """Raise what `open` would find wrong, as it does, and change nothing; nobody may write meanwhile."""
        with self._telling():
            check_header(self.path)
            self._check_log()
            if not self.path.stat().st_size or self.path.with_name(self.path.name + JOURNAL_SUFFIX).exists():
                return  # made or mended when it is opened
            with closing(in_memory(self.path)) as connection:
                if examine(connection, self.path) == len(MIGRATIONS):
                    rows.latest(connection)

    def open_sound(self) -> None:
        """Open a damaged file to read what is sound of it, and change nothing; which game is played is not told.

        Raises:
            DamagedStoreError: nothing of it can be read.

        """
        self._close_file()
        with self._telling():
            connection = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
            try:
                connection.text_factory = rows.text
                rows.lines(connection)
            except BaseException:
                connection.close()
                raise
            self._connection, self._writable = connection, False

    def rescue(self, why: DamagedStoreError, *, distrusted: int | None = None) -> StoredGame | None:
        """Set a damaged file aside, begin a new one with every game in it up to its damage, and open that.

        Args:
            why: what is wrong with it.
            distrusted: the number of a game that must not be taken over, if any.

        Returns:
            The game being played, as far as it is sound; None where the next begins.

        Raises:
            UnwritableStoreError: the disk refuses; the next `write` tries again.

        """
        self._close_file()
        with self._telling():
            aside = set_aside(self.path)
            found = sound_games(aside, distrusted)
            self.open()
            assert self._connection is not None
            with transaction(self._connection) as cursor:
                for game in found.games:
                    follows = replace(game.kept, previous=self.number or 0)
                    self._kept = rows.add(cursor, follows, game.played)
        self.rescued = Rescued(str(why), aside, len(found.games), found.losses)
        log.warning("%s", self.rescued)
        return self._game if found.whole else None

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
        before = self._kept
        try:
            return self._write(game, begins=begins)
        except DamagedStoreError as error:
            if self.rescued is not None:
                raise  # a new file at every try would fill the disk
            self.rescue(error)
            self._lacking |= before is not None and not before.is_same(self._kept)
            return self._write(game, begins=begins)

    def games(self) -> list[GameLine]:
        """List all games, oldest first, but for those that `damages` tells."""
        with self._reading() as connection:
            return rows.lines(connection)

    def damages(self) -> list[str]:
        """Tell of each game that is not as it was written or went missing, in a line each."""
        found = []
        with self._reading() as connection:
            try:
                rows.numbers(connection)
            except sqlite3.DataError as error:
                found.append(str(error))
            for number in rows.listed(connection):
                try:
                    rows.read(connection, number)
                except DamagedGameError as error:
                    found.append(str(error))
        return found

    def game(self, number: int) -> StoredGame:
        """Read one game, whole.

        Raises:
            NoSuchGameError: there is none of that number.
            DamagedGameError: it is not as it was written; holds what is sound.

        """
        with self._reading() as connection:
            kept = rows.read(connection, number) if number <= LARGEST_NUMBER else None
        if kept is None:
            raise NoSuchGameError(f"{self.path}: found no game {number}")
        return kept.game

    def close(self) -> None:
        """Close the file; everything written is safe already."""
        self._close_file()
        self._locks.close()

    def _close_file(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def _game(self) -> StoredGame | None:
        return None if self._kept is None else self._kept.game

    def _write(self, game: StoredGame, *, begins: bool) -> int:
        before = self._kept
        self._be_there()
        self._lacking |= before is not None and not before.is_same(self._kept)
        assert self._connection is not None
        with self._telling(), transaction(self._connection) as cursor:
            now = self._wall().isoformat(timespec="seconds")
            kept = rows.keep(cursor, None if begins or self._lacking else self._kept, game, now, self.number or 0)
        self._kept, self._lacking = kept, False
        return kept.number

    def _be_there(self) -> None:
        """Have the file open that stands under our name, which somebody may have moved, deleted or replaced.

        Raises:
            UnusableStoreError: what stands there now is not ours to write into.
            UnwritableStoreError: the disk refuses; or the file has just gone, and the next write goes after it.

        """
        if self._connection is None or not self._writable or self._place is None:
            with self._telling():
                self._enter()
            self.open()
            return
        now = place_of(self.path)
        trouble = self._place.trouble(now)
        if not trouble:
            self._place, self._told = now, False
        elif not self._told:
            self._told = True
            raise UnwritableStoreError(f"{self.path}: {trouble}")
        else:
            with self._telling():
                self._enter()
                self._go_after(self._connection, self._place, now)
            self.open()
            self._told = False

    def _enter(self) -> None:
        """Have the directory, made anew if it is gone, and in one that is not ours yet keep other daemons out."""
        if not self._homes:
            return
        directory = self.path.parent
        make(directory)
        home = identity(directory)
        if home is not None and home not in self._homes:
            self._locks.enter_context(Lock(directory))
            self._homes.add(home)

    def _go_after(self, connection: sqlite3.Connection, place: Place, now: Place) -> None:
        """Close the file; where none stands under its name now, put one there with all games that it still gives."""
        cut_off = place.cut_off(now)
        if now.file != place.file:
            with suppress(sqlite3.Error):  # where it was moved to, it is whole then without its log
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        copy = copied(connection, self.path) if now.file is None or cut_off else None
        self._close_file()
        if now.file != place.file:
            place.take_along(self.path)
        if cut_off or (now.file is None and write_ahead.log_of(self.path).exists()):
            log.warning("%s: what is left of it is kept as %s", self.path, set_aside(self.path).name)
        if copy is not None:
            copy.rename(self.path)
            log.warning("%s: made anew, with all games", self.path)

    def _read_from(self, connection: sqlite3.Connection) -> None:
        """Take a connection to read from, closed again where it cannot be."""
        try:
            connection.text_factory = rows.text
            version = examine(connection, self.path)
            if version == 0:  # a start that found no room left it so
                raise UnwritableStoreError(f"{self.path}: found nothing in it, expected games")
            if version != len(MIGRATIONS):
                found = f"found version {version}, expected {len(MIGRATIONS)}"
                raise UnusableStoreError(f"{self.path}: {found} on a disk that is full or read only")
            self._kept = rows.latest(connection)
        except BaseException:
            connection.close()
            raise
        self._connection, self._writable = connection, False

    def _check_log(self) -> None:
        """Refuse a log without end, and one with damage that SQLite would take for the log's end.

        Raises:
            DamagedStoreError: it has.

        """
        file = write_ahead.log_of(self.path)
        if write_ahead.is_endless(file):
            raise DamagedStoreError(f"{file}: damaged: found more than {write_ahead.LOG_MAX_BYTES:,} bytes")
        if write_ahead.is_damaged(file):
            raise DamagedStoreError(f"{file}: damaged: moves lie behind a place that went bad")

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
        except DamagedGameError as error:
            raise DamagedGameError(f"{self.path}: damaged: {error}", error.sound) from error
        except (sqlite3.Error, UnicodeError) as error:
            code = getattr(error, "sqlite_errorname", "")
            # without a code it was not SQLite: Python or we can make no sense of what it gave
            if not code or any(code.startswith(damage) for damage in DAMAGE_CODES):
                raise DamagedStoreError(f"{self.path}: not a sound database: {error}") from error
            raise UnwritableStoreError(f"{self.path}: {error}") from error
        except OSError as error:
            raise UnwritableStoreError(f"{self.path}: {error.strerror or error}") from error
