"""Touches files: reads what somebody else may have made, no more of it than there can be, and waiting for nobody.

Owns nothing of what the files mean. A file may be anything by its name: a gigabyte, a device without end, a pipe that
nobody writes to.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TextIO

CHUNK_BYTES = 65_536


class TooLongError(OSError):
    """There is more of it than there can be; `strerror` says so."""

    def __init__(self, what: str, most: int, unit: str) -> None:
        super().__init__(errno.EFBIG, f"found {what} of more than {most:,} {unit}, expected fewer")


def read_bytes(path: Path, most: int) -> bytes:
    """Read a file whole.

    Args:
        path: of the file.
        most: bytes that it may have.

    Raises:
        OSError: it cannot be read, or is longer.

    """
    # a pipe would else hold us up until somebody opens its other end
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0) as file:
        pipe = stat.S_ISFIFO(os.fstat(file.fileno()).st_mode)
        os.set_blocking(file.fileno(), True)
        content = read_stream(file, most)
    if pipe and not content:
        raise OSError(errno.ENODATA, "found a pipe that nobody writes to, expected a file")
    return content


def read_stream(file: BinaryIO, most: int) -> bytes:
    """Read the rest of what is open.

    Raises:
        OSError: it cannot be read, or is longer than `most` bytes.

    """
    content = bytearray()
    while len(content) <= most:
        found = file.read(min(CHUNK_BYTES, most + 1 - len(content)))
        if not found:
            return bytes(content)
        content += found
    raise TooLongError("a file", most, "bytes")


def read_text(path: Path, most: int) -> str:
    """Read a text file whole; the mark of byte order that some editors set is no part of it.

    Raises:
        OSError: it cannot be read, or has more than `most` bytes.
        UnicodeDecodeError: it is not UTF-8.

    """
    return read_bytes(path, most).decode("utf-8-sig")


def may_be_there(path: Path) -> bool:
    """Tell whether a path leads to something, or to where this user may not look; a name too long leads nowhere."""
    try:
        path.stat()
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def open_text(path: Path) -> TextIO:
    """Open a text file to be read line by line, without waiting for the other end of a pipe.

    Raises:
        OSError: it cannot be opened.

    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        os.set_blocking(descriptor, True)
        return open(descriptor, encoding="utf-8-sig")
    except BaseException:
        os.close(descriptor)
        raise


def text_lines(file: TextIO, most: int) -> Iterator[str]:
    """Give a text's lines with their ends, none of them longer than `most` characters.

    Raises:
        OSError: it cannot be read, or a line is longer.
        UnicodeDecodeError: it is not in its encoding.

    """
    while line := file.readline(most + 1):
        if len(line) > most:
            raise TooLongError("a line", most, "characters")
        yield line
