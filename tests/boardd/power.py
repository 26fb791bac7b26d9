"""A disk whose power can be cut at any point: records what SQLite does to it, and gives back what may be left of that.

The recorder is a VFS of apsw, SQLite's interface to files, beneath the store's own code and SQL. Between two syncs of a
file the disk may have taken any part of what was written, in sectors; what was synced stays.
"""

import random
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apsw
import pytest

SECTOR = 512
"""The least that a disk writes whole."""


JOURNALS = ("-journal", "-wal")
"""Ends of the names of files that SQLite makes anew."""


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes were written at a place of a file."""

    file: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    """A file was cut off."""

    file: str
    size: int


@dataclass(frozen=True, slots=True)
class Delete:
    """A file was deleted; where `synced`, the disk had obeyed when SQLite went on."""

    file: str
    synced: bool


@dataclass(frozen=True, slots=True)
class Sync:
    """The disk had everything of a file when SQLite went on."""

    file: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Something outside the disk happened here."""

    what: Any


Event = Write | Truncate | Delete | Sync | Mark


class PowerRecorder(apsw.VFS):
    """Passes everything on to the real disk and takes it down; syncs only where `real_syncs`."""

    _numbers = count()

    def __init__(self, *, real_syncs: bool = False) -> None:
        self._real_syncs = real_syncs
        self.name = f"power-{next(self._numbers)}"
        self.events: list[Event] = []
        super().__init__(self.name, "")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 — SQLite's name
        """Open a file that is watched."""
        return _File(self.events, name, flags, real_syncs=self._real_syncs)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        """Delete a file."""
        super().xDelete(filename, syncdir)
        self.events.append(Delete(Path(filename).name, syncdir))

    def mark(self, what: Any) -> None:
        """Note what happens outside."""
        self.events.append(Mark(what))


class _File(apsw.VFSFile):
    def __init__(self, events: list[Event], name: Any, flags: list[int], *, real_syncs: bool) -> None:
        super().__init__("", name, flags)
        self._real_syncs = real_syncs
        self._events = events
        self._name = Path(name if isinstance(name, str) else name.filename()).name

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        super().xWrite(data, offset)
        self._events.append(Write(self._name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        super().xTruncate(newsize)
        self._events.append(Truncate(self._name, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        if self._real_syncs:
            super().xSync(flags)
        self._events.append(Sync(self._name))


class _Connection(apsw.Connection):
    """An apsw connection in the place of one of sqlite3."""

    text_factory: Any = None


@contextmanager
def recorded(recorder: PowerRecorder) -> Iterator[None]:
    """Have the store open its file by the recorder."""

    def connect(path: Path, **_: object) -> _Connection:
        return _Connection(str(path), vfs=recorder.name)

    errors = {name: getattr(sqlite3, name) for name in ("Error", "OperationalError", "DataError")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("boardd.storage.store.sqlite3", SimpleNamespace(connect=connect, **errors))
        yield


@dataclass(slots=True)
class Disk:
    """What is on the disk for sure, and what was done since to each file that the disk may or may not have."""

    files: dict[str, bytes] = field(default_factory=dict)
    pending: list[Write | Truncate | Delete] = field(default_factory=list)

    def happen(self, event: Event) -> None:
        """Let the next thing happen."""
        match event:
            case Sync(file=file):
                if file not in self.files and file.endswith(JOURNALS):
                    # SQLite syncs the directory with a journal's first sync, and so all that was deleted from it
                    for done in self.pending:
                        if isinstance(done, Delete):
                            self.files.pop(done.file, None)
                    self.pending = [done for done in self.pending if not isinstance(done, Delete)]
                for done in self.pending:
                    if done.file == file:
                        _do(self.files, done)
                self.files.setdefault(file, b"")
                self.pending = [done for done in self.pending if done.file != file]
            case Delete(file=file, synced=True):
                self.pending = [done for done in self.pending if done.file != file]
                self.files.pop(file, None)
            case Mark():
                return
            case _:
                self.pending.append(event)

    def lost(self) -> dict[str, bytes]:
        """Give what is left when nothing pending was taken."""
        return dict(self.files)

    def kept(self) -> dict[str, bytes]:
        """Give what is left when everything pending was taken."""
        files = dict(self.files)
        for done in self.pending:
            _do(files, done)
        return files

    def torn(self, rng: random.Random) -> dict[str, bytes]:
        """Give what is left when any part of what is pending was taken, sector by sector, in any order."""
        files = dict(self.files)
        share = rng.choice((0.1, 0.5, 0.9))
        for done in self.pending:
            if not isinstance(done, Write):
                if rng.random() < share:
                    _do(files, done)
                continue
            at = done.offset
            while at < done.offset + len(done.data):
                end = min((at // SECTOR + 1) * SECTOR, done.offset + len(done.data))
                if rng.random() < share:
                    _do(files, Write(done.file, at, done.data[at - done.offset : end - done.offset]))
                at = end
        return files


def _do(files: dict[str, bytes], done: Write | Truncate | Delete) -> None:
    before = files.get(done.file, b"")
    match done:
        case Write(file=file, offset=offset, data=data):
            files[file] = before[:offset].ljust(offset, b"\0") + data + before[offset + len(data) :]
        case Truncate(file=file, size=size):
            files[file] = before[:size].ljust(size, b"\0")
        case Delete(file=file):
            files.pop(file, None)


def cuts(
    events: list[Event], seed: int, torn: int, files: Mapping[str, bytes] | None = None
) -> Iterator[tuple[list[Any], str, dict[str, bytes]]]:
    """Cut the power after each event.

    Args:
        events: what happened.
        seed: of the tears.
        torn: in how many ways what was pending is torn, each time.
        files: what was on the disk before.

    Yields:
        What had been marked before, how the cut went, and the files that are left.

    """
    rng = random.Random(seed)
    disk = Disk(dict(files or {}))
    marks: list[Any] = []
    for number, event in enumerate(events):
        if isinstance(event, Mark):
            marks.append(event.what)
        disk.happen(event)
        yield marks, f"{number}, lost", disk.lost()
        if disk.pending and not isinstance(event, Mark):
            yield marks, f"{number}, kept", disk.kept()
            for way in range(torn):
                yield marks, f"{number}, torn {way}", disk.torn(rng)


def lay_down(files: dict[str, bytes], directory: Path) -> None:
    """Make a directory hold exactly these files."""
    for path in directory.iterdir():
        path.unlink()
    for name, data in files.items():
        (directory / name).write_bytes(data)
