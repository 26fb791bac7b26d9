"""The checksums by which a row is told to be as it was written. Pure.

A seal is the CRC-32 of zlib over the row's values, begun with the seal of the row before: any three flipped bits in a
row, and any damage that lies within 32 bits, are always noticed, anything else but one time in four thousand million.
SQLite itself notices only damage to its own structure. Not meant against people: whoever writes a row can seal it.
"""

from __future__ import annotations

import json
import zlib


def seal(before: int, *values: object) -> int:
    """Give the seal of a row that follows on one with the seal `before` (0 for the first).

    Args:
        before: the seal that this one follows on.
        values: text, whole numbers and None, as we write them; whatever else a damaged file holds is told apart.

    """
    return zlib.crc32(json.dumps(values, separators=(",", ":"), default=repr).encode(), before)


def opening(number: int) -> int:
    """Give the seal that the first move of a game follows on."""
    return seal(0, "game", number)
