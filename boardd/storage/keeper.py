"""Has games written so that a slow disk never stops the event loop: touches a thread of its own.

Owns what still has to be written after the disk refused. Must not know what a game is.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

from boardd.storage.schema import StoreError
from boardd.storage.store import Database, StoredGame

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Due:
    """A game as it should be in the file, which does not hold it yet."""

    game: StoredGame
    begins: bool


class Keeper:
    """Writes the game being played, and catches up with everything that could not be written before.

    Args:
        database: opened already or not; from here on only the keeper's thread touches it.
        known: whether the file could be read, so that the next game's number is known.
        pool: the one thread that writes; made if not given.

    """

    def __init__(self, database: Database, *, known: bool = True, pool: Executor | None = None) -> None:
        self._database = database
        self._known = known
        self._number = database.number or 0
        self._due: list[_Due] = []
        self._writing = asyncio.Lock()
        self._pool = pool or ThreadPoolExecutor(1, thread_name_prefix="store")

    @property
    def number(self) -> int | None:
        """The number of the game being played, also before the disk has it; None when it cannot be told."""
        return self._number if self._known and self._number else None

    @property
    def set_aside(self) -> str | None:
        """The name under which a damaged file is kept since the start, None if there was none."""
        return None if self._database.rescued is None else self._database.rescued.aside.name

    def begin(self, game: StoredGame) -> None:
        """Have the next `save` begin a new game. The one before is written as it was put or saved last."""
        self._number += 1
        self._due.append(_Due(game, begins=True))

    def put(self, game: StoredGame) -> None:
        """Say what the file should hold of the game being played; `save` writes it."""
        if self._due:
            self._due[-1].game = game
        else:
            self._due.append(_Due(game, begins=False))

    async def save(self, game: StoredGame) -> None:
        """Write the game being played.

        Returns once the disk holds it. Calls while another runs are taken together with it.

        Raises:
            StoreError: the disk refused; the next call tries again, with everything that is missing.

        """
        self.put(game)
        loop = asyncio.get_running_loop()
        async with self._writing:
            while self._due:
                due = self._due[0]
                game, begins = due.game, due.begins
                number = await loop.run_in_executor(self._pool, self._write, game, begins)
                due.begins = False
                self._number = number + sum(later.begins for later in self._due)
                if due.game is game:  # else it went on meanwhile
                    self._due.pop(0)

    def close(self) -> None:
        """Close the file once everything asked for is done; what was refused is tried once more."""
        self._pool.submit(self._finish)
        self._pool.shutdown(wait=True)

    def _finish(self) -> None:
        try:
            for due in self._due:
                self._write(due.game, due.begins)
        except StoreError as error:
            log.warning("what was played last is not stored: %s", error)
        finally:
            self._database.close()

    def _write(self, game: StoredGame, begins: bool) -> int:
        return self._database.write(game, begins=begins)
