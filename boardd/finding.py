"""What the daemon finds at its start: the game that was stored, read, rescued or begun. Touches the disk by the store.

Owns which troubles of the disk stop a start: none, but a file that is not ours to write into. Must not know boards.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from boardd.house import configured_book
from boardd.saved import Saved
from boardd.settings import Settings
from boardd.storage.keeping import saved_from
from boardd.storage.schema import DamagedStoreError, UnusableStoreError, UnwritableStoreError
from boardd.storage.store import Database, StoredGame
from engine import name_of

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """What a start finds.

    Args:
        game: what to go on with, None to begin a game.
        known: whether the file could be read, so that the next game's number is known.
        stored: whether it can be written.

    """

    game: tuple[Saved, StoredGame] | None
    known: bool
    stored: bool


def find(database: Database, settings: Settings) -> Found:
    """Open what was stored; on a disk that takes nothing read at least what is there.

    Raises:
        UnusableStoreError: the file is another program's, or of a newer version.

    """
    stored, known, writable = _open(database)
    try:
        return Found(_game(database, stored, settings), known, writable)
    except DamagedStoreError:
        raise
    except UnusableStoreError as error:
        if not writable:
            log.warning("%s", error)
            return Found(None, known, writable)
        database.rescue(DamagedStoreError(str(error)), distrusted=database.number)
        return Found(None, known, writable)


def _open(database: Database) -> tuple[StoredGame | None, bool, bool]:
    """Give the game being played; whether that is known at all; whether it can be written."""
    try:
        try:
            return database.open(), True, True
        except DamagedStoreError as error:
            return database.rescue(error), True, True
    except UnwritableStoreError as error:
        log.warning("what is played is not stored: %s", error)
    try:
        return database.open_reading(), True, False
    except DamagedStoreError as error:
        log.warning("%s", error)
    except UnwritableStoreError:
        """Nothing can be read either."""
    return None, False, False


def _game(database: Database, stored: StoredGame | None, settings: Settings) -> tuple[Saved, StoredGame] | None:
    """Give the stored game to go on with, or None to begin one.

    Raises:
        UnusableStoreError: it cannot be played again.

    """
    if stored is None:
        return None
    book = configured_book(settings.game)
    if stored.rules != name_of(book):
        if stored.reason is not None or not stored.moves:
            return None
        log.warning("the game under %s goes on; %s begins with the next one", stored.rules, book.name)
    saved, _ = saved_from(stored, f"{database.path}, game {database.number}")
    return saved, stored
