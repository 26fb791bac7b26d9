"""The files of the sensors' trace, rotated and bounded in number: touches the disk, on a thread of its own.

Owns the names and order of the files. Must not know what a line means. Nobody waits for the disk: what it does not
take is dropped until a new file is asked for.
"""

from __future__ import annotations

import errno
import logging
import os
import queue
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

log = logging.getLogger(__name__)

DIRECTORY_NAME = "traces"
"""Below the state directory."""

PREFIX, SUFFIX = "trace-", ".jsonl"
"""Around the number in a file's name."""

QUEUE_LINES = 10_000
"""How many lines may wait for the disk: an hour of play, and a few MB."""

CLOSE_S = 2.0
"""How long the end of the daemon waits for a disk that hangs."""


@dataclass(frozen=True, slots=True)
class Open:
    """Close the file and write into this one."""

    path: Path
    append: bool


@dataclass(frozen=True, slots=True)
class Sync:
    """Have the disk keep everything written so far."""


@dataclass(frozen=True, slots=True)
class Stop:
    """End the thread."""


Order = bytes | Open | Sync | Stop


class Writer:
    """The thread that writes, and its queue. After a failure it drops lines until it is told to open a new file."""

    def __init__(self, directory: Path, files: int) -> None:
        self._directory = directory
        self._files = files
        self._queue: queue.Queue[Order] = queue.Queue(QUEUE_LINES)
        self._file: IO[bytes] | None = None
        self._lost = 0
        self._opening = False  # a file was asked for and has not failed
        self._number = max((number_of(path) for path in trace_files(directory)), default=0)
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    @property
    def broken(self) -> bool:
        """Whether lines are being dropped."""
        return not self._opening

    def take_lost(self) -> int:
        """Give the number of lines dropped since the last call."""
        lost, self._lost = self._lost, 0
        return lost

    def last_file(self) -> Path | None:
        """Give the newest file there is."""
        return max(trace_files(self._directory), key=number_of, default=None)

    def next_file(self) -> Path:
        """Name the next new file."""
        self._number += 1
        return self._directory / f"{PREFIX}{self._number:06d}{SUFFIX}"

    def put(self, order: Order) -> None:
        """Queue an order; never waits."""
        if isinstance(order, Open):
            self._opening = True
        elif not self._opening and not isinstance(order, Stop):
            self._lost += isinstance(order, bytes)
            return
        try:
            self._queue.put_nowait(order)
        except queue.Full:
            self.give_up("the disk is too slow")

    def give_up(self, why: str) -> None:
        """Drop everything from here on, until a new file is opened."""
        if self._opening:
            log.warning("the sensors' trace has a gap from here: %s", why)
        self._opening = False

    def wait(self) -> None:
        """Wait until everything queued so far was obeyed."""
        self._queue.join()

    def close(self) -> None:
        """Write what waits, as long as the disk takes it, and end."""
        try:
            self._queue.put(Stop(), timeout=CLOSE_S)
        except queue.Full:
            return
        self._thread.join(CLOSE_S)

    def _run(self) -> None:
        """Obey the orders in turn: the thread."""
        while True:
            order = self._queue.get()
            try:
                self._obey(order)
            except OSError as error:
                self._close_file()
                self.give_up(error.strerror or str(error))
            finally:
                self._queue.task_done()
            if isinstance(order, Stop):
                return

    def _obey(self, order: Order) -> None:
        if isinstance(order, Open):
            self._close_file()
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if order.append:
                _mend(order.path)
            self._file = order.path.open("ab" if order.append else "wb", buffering=0)
            self._delete_oldest()
        elif self._file is None:  # something failed before
            self._lost += isinstance(order, bytes)
        elif isinstance(order, bytes):
            if self._file.write(order) < len(order):  # the last room on the disk
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        elif isinstance(order, Sync):
            os.fsync(self._file.fileno())
            if not self._is_there(self._file):
                raise OSError(errno.ENOENT, "its file was deleted, moved or replaced")
        elif isinstance(order, Stop):
            self._close_file()

    @staticmethod
    def _is_there(file: IO[bytes]) -> bool:
        """Tell whether an open file still has its name."""
        try:
            return os.path.samestat(os.fstat(file.fileno()), os.stat(file.name))
        except OSError:
            return False

    def _delete_oldest(self) -> None:
        for path in sorted(trace_files(self._directory), key=number_of)[: -self._files]:
            with suppress(IsADirectoryError, PermissionError):  # somebody else's directory
                path.unlink(missing_ok=True)

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def trace_files(directory: Path) -> list[Path]:
    """List the trace files, oldest first; none where the directory is missing or cannot be read."""
    try:
        found = [path for path in directory.iterdir() if path.name.startswith(PREFIX) and path.name.endswith(SUFFIX)]
    except OSError:
        return []
    return sorted((path for path in found if number_of(path) > 0), key=number_of)


def number_of(path: Path) -> int:
    """Read the number in a trace file's name, 0 if there is none."""
    digits = path.name[len(PREFIX) : -len(SUFFIX)]
    return int(digits) if digits.isdecimal() else 0


def _mend(path: Path) -> None:
    """Cut off a last line that the power cut left without its end."""
    with path.open("r+b") as file:
        content = file.read()
        file.truncate(content.rfind(b"\n") + 1)
