"""The disk under a simulated game, in virtual time: slow, full or read only for a while, and what a power cut leaves.

Owns when a write is done and whether the disk takes it. The writing is the daemon's own (`boardd.storage`): a real
file, the real keeper; only the disk below errs, and no write is waited for. Must not know what a game is.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from boardd.saved import Saved
from boardd.storage.keeper import Keeper
from boardd.storage.keeping import saved_from, stored_game
from boardd.storage.schema import StoreError, UnwritableStoreError
from boardd.storage.store import FILE_NAME, Database, StoredGame
from engine import Game
from hardware.simulated.faults import Disk, Spells

NEVER = float("inf")

PATIENCE_S = 1.0
RETRY_S = 5.0
"""As `boardd.app` has them: how long the lights wait for the disk, and how often one that refused is tried again."""

DAWN = datetime(2026, 1, 1, tzinfo=UTC)
"""The time of day at which every simulated game begins."""

FULL, READ_ONLY = "database or disk is full", "attempt to write a readonly database"
"""What SQLite says of such a disk."""

MEMORY = Path("/dev/shm")
"""Where a file is written at the speed of memory: what the power leaves of a real disk is tested elsewhere."""

HALF = 0.5
"""How often a write that the power cuts off was complete all the same."""


class Trouble:
    """The spells of one kind of trouble, asked in order of time."""

    def __init__(self, spells: Spells | None, dice: Random) -> None:
        self._spells: Iterator[tuple[float, float]] = iter(()) if spells is None else spells.draw(dice)
        self._start, self._end = next(self._spells, (NEVER, NEVER))

    def at(self, t: float) -> bool:
        """Say whether there is trouble at `t`, no earlier than any time asked before."""
        while t >= self._end:
            self._start, self._end = next(self._spells, (NEVER, NEVER))
        return t >= self._start


class _AtOnce(Executor):
    """Runs what it is given before it returns."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class _ErringDatabase(Database):
    """The games' file on a disk that refuses while it is told to."""

    refuses = ""
    """What the disk says to a write; empty while it takes it."""

    def write(self, game: StoredGame, *, begins: bool = False) -> int:
        if self.refuses:
            raise UnwritableStoreError(f"{self.path}: {self.refuses}")
        return super().write(game, begins=begins)


class SimulatedStorage:
    """What is stored of one game, and when. All times are virtual seconds.

    Args:
        disk: What is wrong with the disk.
        dice: Draws how long writes take, and when there is trouble.
        saved: The game at the beginning, stored before any trouble.
        game: The same.

    """

    def __init__(self, disk: Disk, dice: Random, saved: Saved, game: Game) -> None:
        self._disk, self._dice = disk, dice
        self._slow, self._full, self._read_only = (
            Trouble(spells, dice) for spells in (disk.slow, disk.full, disk.read_only)
        )
        memory = str(MEMORY) if MEMORY.is_dir() else None
        self._directory = tempfile.TemporaryDirectory(prefix="konakis-", dir=memory)
        self._loop = asyncio.new_event_loop()
        self._t = 0.0
        self.wall_off_s = 0.0
        """How far the clock of the day is from the time of day."""
        self._database = self._open()
        self._keeper = Keeper(self._database, pool=_AtOnce())
        self._saved = saved
        self._due = stored_game(saved, game, "", "")
        self._keeper.begin(self._due)
        self._write()
        self._wanted = self._gate = self._done = (
            0  # saves counted: wanted, needed before more is shown, done or refused
        )
        self._writing = 0
        self._writing_until = NEVER
        self._waiting_since = NEVER
        self._retry_at = NEVER

    @property
    def next_time(self) -> float:
        """When something happens by itself."""
        patience = self._waiting_since + PATIENCE_S
        return min(self._writing_until, self._retry_at, patience if patience > self._t else NEVER)

    def holds(self, t: float) -> bool:
        """Say whether what was decided waits for the disk before it is shown."""
        return self._gate > self._done and t < self._waiting_since + PATIENCE_S

    def want(self, t: float, saved: Saved, game: Game) -> None:
        """Say what should be stored by now."""
        if saved == self._saved:
            return
        self._saved = saved
        stored = stored_game(saved, game, "", "")
        if stored == self._due:
            return
        self._wanted += 1
        if replace(stored, board=self._due.board) != self._due:
            self._gate = self._wanted
            if self._waiting_since == NEVER:
                self._waiting_since = t
        self._due = stored
        self._begin_write(t)

    def run(self, t: float) -> None:
        """Let the disk do what it has done by `t`."""
        self._t = t
        if self._writing_until <= t:
            try:
                self._write()
            except StoreError:
                self._retry_at = t + RETRY_S
            else:
                self._retry_at = NEVER
            self._writing_until = NEVER
            self._done = max(self._done, self._writing)
            if self._gate <= self._done:
                self._waiting_since = NEVER
            if self._wanted > self._done:
                self._begin_write(t)
        elif self._retry_at <= t:
            self._retry_at = NEVER
            self._begin_write(t)

    def cut(self, t: float) -> Saved:
        """Cut the power, and give what is found when it is back.

        Raises:
            StoreError: nothing that can be used; it never happens on a disk that errs as these do.

        """
        if self._writing_until != NEVER and self._dice.random() < HALF:
            with suppress(StoreError):
                self._write()
        self._database.close()
        self._t = t
        self._database = self._open()
        self._keeper = Keeper(self._database, pool=_AtOnce())
        found = self._found
        assert found is not None, "the game was stored before any trouble began"
        saved, _ = saved_from(found, str(self._database.path))
        self._saved, self._due = saved, found
        self._done = self._gate = self._wanted
        self._writing_until = self._retry_at = self._waiting_since = NEVER
        return saved

    def close(self) -> None:
        """Close and delete the file."""
        self._database.close()
        self._loop.close()
        self._directory.cleanup()

    def _open(self) -> _ErringDatabase:
        """Open the file as the daemon does at its start."""
        database = _ErringDatabase(Path(self._directory.name) / FILE_NAME, self._wall)
        self._found = database.open_reading() if self._read_only.at(self._t) else database.open()
        return database

    def _begin_write(self, t: float) -> None:
        """Let a write begin, if none is running."""
        self._keeper.put(self._due)
        if self._writing_until == NEVER:
            slow = self._disk.slow_write if self._slow.at(t) else self._disk.write
            self._writing, self._writing_until = self._wanted, t + slow.draw(self._dice)

    def _write(self) -> None:
        """Write what is due.

        Raises:
            StoreError: the disk refused.

        """
        database = self._database
        full, read_only = self._full.at(self._t), self._read_only.at(self._t)
        database.refuses = FULL if full else READ_ONLY if read_only else ""
        self._loop.run_until_complete(self._keeper.save(self._due))

    def _wall(self) -> datetime:
        return DAWN + timedelta(seconds=self._t + self.wall_off_s)
