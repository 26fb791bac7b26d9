"""Notices that an open file of games is not what stands under its name any more: touches the disk, to look.

Owns what counts as gone, replaced or cut off. Must not know what the files hold, nor what is done about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from boardd.storage.write_ahead import INDEX_SUFFIX, SUFFIX

Identity = tuple[int, int]
"""Device and inode: two names with the same lead to the same file."""


@dataclass(frozen=True, slots=True)
class Place:
    """What stands under the name of a file of games: the file, its length in bytes, its log and the log's index."""

    file: Identity | None
    size: int
    beside: tuple[Identity | None, ...]

    def trouble(self, now: Place) -> str:
        """Tell why what stands there now is not what stood there before; empty if it is, grown or not."""
        if now.file is None:
            return "it was deleted or moved while it was in use"
        if now.file != self.file:
            return "another file was put in its place while it was in use"
        if self.cut_off(now):
            return "it was cut off while it was in use"
        if any(before is not None and before != after for before, after in zip(self.beside, now.beside, strict=True)):
            return "its log was deleted, moved or replaced while it was in use"
        return ""

    def cut_off(self, now: Place) -> bool:
        """Tell whether it is the same file and shorter; ours never shrinks."""
        return now.file == self.file and now.size < self.size

    def take_along(self, path: Path) -> None:
        """Delete the log and its index where the file went without them: what stands there now must not get ours."""
        for name, before in zip(_beside(path), self.beside, strict=True):
            if before is not None and identity(name) == before:
                name.unlink()


def place_of(path: Path) -> Place:
    """Look what stands under a file's name."""
    try:
        found = path.stat()
    except OSError:
        return Place(None, 0, (None, None))
    log, index = _beside(path)
    return Place((found.st_dev, found.st_ino), found.st_size, (identity(log), identity(index)))


def identity(path: Path) -> Identity | None:
    """Tell which file or directory a name leads to, None for none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _beside(path: Path) -> tuple[Path, Path]:
    return path.with_name(path.name + SUFFIX), path.with_name(path.name + INDEX_SUFFIX)
