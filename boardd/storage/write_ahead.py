"""Reads the write-ahead log beside the games' file where SQLite cannot or does not: touches the disk, to read.

On a disk that cannot be written SQLite reads no log at all, so `image` does. And it ends a log at the first frame whose
checksum is wrong, and says nothing: so it forgets what the power tore, and just as silently every move behind a place
that went bad. But each commit was on the disk before the next began, so a torn log holds parts of one commit beyond
that frame, never a second. Owns the log's format (sqlite.org/fileformat2, section 4) as far as this takes. Must not
know what the pages hold.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hardware.files import read_bytes

SUFFIX = "-wal"
"""What SQLite adds to the name of the file that the log belongs to."""

INDEX_SUFFIX = "-shm"
"""The same for the log's index, which SQLite makes anew."""

MAGIC = 0x377F0682
"""Begins a log whose checksums count little-endian words, with the last bit set big-endian ones."""

HEADER, FRAME = struct.Struct(">8I"), struct.Struct(">6I")
NO_MARK = bytes(4)
"""In a frame that ends no commit."""

LOG_MAX_BYTES = 64 * 1024 * 1024
"""More than three thousand moves that SQLite could not move into the file, as somebody read it all the time."""

FILE_MAX_BYTES = 1024 * 1024 * 1024
"""Of a database that is read into memory: fifteen million moves."""

WORD_BITS = 32
PAGE_SIZES = frozenset(1 << bits for bits in range(9, 17))

FORMATS = slice(18, 20)
"""In a database's header: 2 and 2 with a log, 1 and 1 without (file format, section 1.3.3)."""

Sums = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Frame:
    """One page in the log: which log it belongs to, its checksum, and what that covers."""

    salts: Sums
    sums: Sums
    covered: bytes

    @property
    def mark(self) -> bytes:
        """What ends a commit: how many pages the file has then."""
        return self.covered[4:8]

    def marked(self, mark: bytes) -> bytes:
        """Give what the checksum covers had it another mark."""
        return self.covered[:4] + mark + self.covered[8:]


def log_of(database: Path) -> Path:
    """Name the log of a database."""
    return database.with_name(database.name + SUFFIX)


def is_endless(log: Path) -> bool:
    """Tell whether a log is far longer than ours can be."""
    try:
        return log.stat().st_size > LOG_MAX_BYTES
    except OSError:
        return False


def is_damaged(log: Path) -> bool:
    """Tell whether whole commits lie behind a place that is not as it was written; False for a torn or missing log."""
    try:
        content = read_bytes(log, LOG_MAX_BYTES)
    except OSError:
        return False
    if len(content) < HEADER.size:
        return False
    magic, _, page, _, *salts, first, second = HEADER.unpack_from(content)
    order = ">" if magic & 1 else "<"
    head = _sums(content[: HEADER.size - 8], (0, 0), order)
    sound = magic | 1 == MAGIC | 1 and page in PAGE_SIZES and head == (first, second)
    if not sound:
        return any(_commits_beyond(content, size, order, None) for size in PAGE_SIZES for order in "<>")
    return _commits_beyond(content, page, order, (salts[0], salts[1]))


def image(database: Path) -> bytes:
    """Give a database as it is with everything that its log holds, in the format without a log.

    Raises:
        OSError: it cannot be read.

    """
    pages = bytearray(read_bytes(database, FILE_MAX_BYTES))
    for at, page in _committed(log_of(database)):
        end = at + len(page)
        pages.extend(bytes(max(0, end - len(pages))))
        pages[at:end] = page
    pages[FORMATS] = b"\1\1"
    return bytes(pages)


def _committed(log: Path) -> list[tuple[int, bytes]]:
    """Give where each page that was committed belongs, in order, and what it holds."""
    content = read_bytes(log, LOG_MAX_BYTES) if log.exists() else b""
    if len(content) < HEADER.size:
        return []
    magic, _, size, _, *salts, _, _ = HEADER.unpack_from(content)
    order = ">" if magic & 1 else "<"
    before = _sums(content[: HEADER.size - 8], (0, 0), order)
    found: list[tuple[int, bytes]] = []
    whole = 0
    for frame in _frames(content, size) if size in PAGE_SIZES else ():
        before = _sums(frame.covered, before, order)
        if frame.sums != before or frame.salts != tuple(salts):
            break
        number = int.from_bytes(frame.covered[:4])
        found.append(((number - 1) * size, frame.covered[8:]))
        if frame.mark != NO_MARK:
            whole = len(found)
    return found[:whole]


def _commits_beyond(content: bytes, page: int, order: str, salts: Sums | None) -> bool:
    """Tell whether frames that follow on each other end two commits behind the first one that is not sound.

    `salts` tell this log's frames from those of the one before, over which it is written; None where they are unknown,
    with the header.
    """
    written: Sums | None = None if salts is None else _sums(content[: HEADER.size - 8], (0, 0), order)
    meant = written
    """The checksum of the frame before as it stands there, and as it should; they differ where either went bad."""
    broken = salts is None
    ours = True
    commits = 0
    frames = list(_frames(content, page))
    marks = {frame.mark for frame in frames}  # one of them stood where a mark itself went bad
    for frame in frames:
        matches = salts is None or frame.salts == salts
        proper = None if written is None else _sums(frame.covered, written, order)
        follows = frame.sums == proper
        if not follows and meant is not None and matches:
            follows = frame.sums == _sums(frame.covered, meant, order)
        ends = frame.mark != NO_MARK
        if not follows and not ends and written is not None:
            ends = any(frame.sums == _sums(frame.marked(mark), written, order) for mark in marks)
        meant, written = proper, frame.sums
        if follows and matches and not broken:
            continue
        broken = True
        if not follows:
            ours, commits = matches, 0
        commits += ends and ours
        if commits > 1:
            return True
    return False


def _frames(content: bytes, page: int) -> Iterator[_Frame]:
    for at in range(HEADER.size, len(content) - FRAME.size - page + 1, FRAME.size + page):
        _, _, salt1, salt2, sum1, sum2 = FRAME.unpack_from(content, at)
        data = content[at + FRAME.size : at + FRAME.size + page]
        yield _Frame((salt1, salt2), (sum1, sum2), content[at : at + 8] + data)


def _sums(data: bytes, before: Sums, order: str) -> Sums:
    """Go on with the log's checksum: for each pair of words x, y the sums become a = a + x + b, b = b + y + a."""
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    first, second = _weights(len(words))
    words = (*before, *words)
    mask = (1 << WORD_BITS) - 1
    return sum(map(operator.mul, first, words)) & mask, sum(map(operator.mul, second, words)) & mask


@cache
def _weights(words: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Tell how often each of the two sums before, and each word, counts in either sum: far quicker than the loop."""
    mask = (1 << WORD_BITS) - 1
    # one pair later, what counted (a, b) in the sums counts (a + b, a + 2b): run backwards from the last pair
    first: list[int] = []
    second: list[int] = []
    of_a, of_b = (1, 0), (0, 1)  # how the sums at some point count in the last ones
    for _ in range(words // 2):
        # a' = a + x + b; b' = b + y + a'
        x = (of_a[0] + of_b[0], of_a[1] + of_b[1])
        first += [of_b[0], x[0]]
        second += [of_b[1], x[1]]
        of_a, of_b = x, (x[0] + of_b[0], x[1] + of_b[1])
    first += [of_b[0], of_a[0]]
    second += [of_b[1], of_a[1]]
    return tuple(value & mask for value in reversed(first)), tuple(value & mask for value in reversed(second))
