"""What follows the fixed fields of a message: the forms of variable length. Pure."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any, Protocol

from firmware_bridge.errors import FieldError, MessageError

Rgb = tuple[int, int, int]
"""Red, green, blue, each 0 to 255."""

_CELL = struct.Struct("<H")
_COUNT = struct.Struct("<HH")
_RUN = struct.Struct("<BBBB")

MAX_IDENTITY_BYTES = 32
MAX_CELLS = 19 * 19
"""The largest board."""
MAX_RUN = 255
BITS = 8


class Tail(Protocol):
    """A form: `encode` raises FieldError, `decode` returns the one value, or none, and raises MessageError."""

    def encode(self, value: Any) -> bytes:
        """Return the bytes of a value."""

    def decode(self, rest: bytes) -> tuple[Any, ...]:
        """Return the value of all the bytes that are left."""


class _Nothing:
    def encode(self, value: None) -> bytes:
        return b""

    def decode(self, rest: bytes) -> tuple[()]:
        if rest:
            raise MessageError(f"expected its end, got {len(rest)} bytes more")
        return ()


class _Identity:
    """Bytes to the end: 1 to 32."""

    def encode(self, value: bytes) -> bytes:
        if not 1 <= len(value) <= MAX_IDENTITY_BYTES:
            raise FieldError(f"expected an identity of 1 to {MAX_IDENTITY_BYTES} bytes, got {len(value)}")
        return value

    def decode(self, rest: bytes) -> tuple[bytes]:
        if not 1 <= len(rest) <= MAX_IDENTITY_BYTES:
            raise MessageError(f"expected an identity of 1 to {MAX_IDENTITY_BYTES} bytes, got {len(rest)}")
        return (rest,)


class _Cells:
    """Two bytes a cell, ascending, at least one."""

    def encode(self, value: Sequence[int]) -> bytes:
        why = _wrong_cells(value)
        if why:
            raise FieldError(why)
        return b"".join(_CELL.pack(cell) for cell in value)

    def decode(self, rest: bytes) -> tuple[tuple[int, ...]]:
        if len(rest) % _CELL.size:
            raise MessageError(f"expected {_CELL.size} bytes a cell, got {len(rest)} bytes")
        cells = tuple(cell for (cell,) in _CELL.iter_unpack(rest))
        why = _wrong_cells(cells)
        if why:
            raise MessageError(why)
        return (cells,)


class _Frame:
    """The number of cells in two bytes, then a bit a cell: cell 0 is bit 0 of the first byte; spare bits are 0."""

    def encode(self, value: Sequence[bool]) -> bytes:
        if not 1 <= len(value) <= MAX_CELLS:
            raise FieldError(f"expected 1 to {MAX_CELLS} cells, got {len(value)}")
        bits = sum(1 << cell for cell, magnet in enumerate(value) if magnet)
        return _CELL.pack(len(value)) + bits.to_bytes((len(value) + BITS - 1) // BITS, "little")

    def decode(self, rest: bytes) -> tuple[tuple[bool, ...]]:
        if len(rest) < _CELL.size:
            raise MessageError(f"expected the number of cells, got {len(rest)} bytes")
        (count,) = _CELL.unpack_from(rest)
        if not 1 <= count <= MAX_CELLS:
            raise MessageError(f"expected 1 to {MAX_CELLS} cells, got {count}")
        length = (count + BITS - 1) // BITS
        if len(rest) != _CELL.size + length:
            raise MessageError(f"expected {length} bytes for {count} cells, got {len(rest) - _CELL.size}")
        bits = int.from_bytes(rest[_CELL.size :], "little")
        if bits >> count:
            raise MessageError(f"expected the bits beyond cell {count - 1} to be 0")
        return (tuple(bool(bits >> cell & 1) for cell in range(count)),)


class _Counts:
    """Two bytes a cell, ascending, at least one, and two bytes for its count after each."""

    def encode(self, value: Sequence[tuple[int, int]]) -> bytes:
        why = _wrong_cells([cell for cell, _ in value])
        if why:
            raise FieldError(why)
        return b"".join(_COUNT.pack(cell, count) for cell, count in value)

    def decode(self, rest: bytes) -> tuple[tuple[tuple[int, int], ...]]:
        if len(rest) % _COUNT.size:
            raise MessageError(f"expected {_COUNT.size} bytes a cell, got {len(rest)} bytes")
        counts = tuple((cell, count) for cell, count in _COUNT.iter_unpack(rest))
        why = _wrong_cells([cell for cell, _ in counts])
        if why:
            raise MessageError(why)
        return (counts,)


class _Runs:
    """Runs of lights of one colour: how many (1 to 255), red, green, blue. Colours from light 0 on."""

    def encode(self, value: Sequence[Rgb]) -> bytes:
        if not 1 <= len(value) <= MAX_CELLS:
            raise FieldError(f"expected 1 to {MAX_CELLS} lights, got {len(value)}")
        runs = bytearray()
        for colour, group in groupby(value):
            left = sum(1 for _ in group)
            while left:
                length = min(left, MAX_RUN)
                runs += _RUN.pack(length, *colour)
                left -= length
        return bytes(runs)

    def decode(self, rest: bytes) -> tuple[tuple[Rgb, ...]]:
        if len(rest) % _RUN.size:
            raise MessageError(f"expected {_RUN.size} bytes a run, got {len(rest)} bytes")
        colours: list[Rgb] = []
        for length, red, green, blue in _RUN.iter_unpack(rest):
            if not length:
                raise MessageError("expected runs of 1 light at least, got one of 0")
            colours += [(red, green, blue)] * length
        if not 1 <= len(colours) <= MAX_CELLS:
            raise MessageError(f"expected 1 to {MAX_CELLS} lights, got {len(colours)}")
        return (tuple(colours),)


def _wrong_cells(cells: Sequence[int]) -> str | None:
    """Say what is wrong with a list of cells."""
    if not cells:
        return "expected one cell at least, got none"
    if any(second <= first for first, second in pairwise(cells)):
        return f"expected ascending cells, got {list(cells)}"
    if cells[0] < 0 or cells[-1] >= MAX_CELLS:
        return f"expected cells 0 to {MAX_CELLS - 1}, got {list(cells)}"
    return None


NOTHING = _Nothing()
IDENTITY = _Identity()
CELLS = _Cells()
FRAME = _Frame()
COUNTS = _Counts()
RUNS = _Runs()
