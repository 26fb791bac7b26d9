"""Opens copies in memory of games' files that SQLite could not read where they lie, or would change: reads the disk.

Owns how a copy gets the head back that the file lost: a card that fails gives zeros for its first page, and SQLite then
knows neither that it is a database nor where its tables begin. Must not know which rows are sound.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from boardd.storage import rows, write_ahead
from boardd.storage.schema import HEADER_BYTES, migrate

PAGE_BYTES = 4096
"""Of our files: SQLite's own choice since its version 3.12."""

PAGES_AT, FREE_AT = slice(28, 32), slice(32, 40)
"""In the header: how many pages the file has; the first free one and their number (file format, section 1.3)."""

HEADLESS_MAX_BYTES = 64 * 1024 * 1024
"""Of a file to put a head back on: a million moves, and on the smallest computer room for some copies of it."""


def in_memory(path: Path) -> sqlite3.Connection:
    """Open a copy of a file with everything that its log holds.

    Raises:
        OSError: it cannot be read.
        sqlite3.Error: it is no database.

    """
    return _opened(write_ahead.image(path))


def with_heads(path: Path) -> Iterator[sqlite3.Connection]:
    """Open copies of a file that lost its head, closed again when the next is asked for; none where that is in vain.

    The first has a new header alone, which is right where no more was lost. The second has a new first page, which also
    tells where the tables begin; that is right for a file that was made by the present version.
    """
    try:
        if path.stat().st_size > HEADLESS_MAX_BYTES:
            return
        image = write_ahead.image(path)
    except OSError:
        return
    count = len(image) // PAGE_BYTES
    if count <= 1:
        return  # there is nothing behind the first page
    first = _first_page()
    for length in (HEADER_BYTES, PAGE_BYTES):
        copy = bytearray(first[:length] + image[length : count * PAGE_BYTES])
        copy[PAGES_AT] = count.to_bytes(4)
        copy[FREE_AT] = bytes(8)
        with closing(_opened(bytes(copy))) as connection:
            yield connection


def _first_page() -> bytes:
    """Give the first page of a new file."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as new:
        migrate(new, 0, rows.seal_all)
        return new.serialize()[:PAGE_BYTES]


def _opened(image: bytes) -> sqlite3.Connection:
    memory = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        memory.text_factory = rows.text
        memory.deserialize(image)
    except BaseException:
        memory.close()
        raise
    return memory
