"""What a board tells: raw changes and whole readings, and the settled edges made of them.

Owns the words between drivers and whoever listens. Knows nothing of squares: a cell is a place in the wiring.
Times are seconds on the listener's clock and never decrease from one piece of news to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

Cell = NewType("Cell", int)
"""The index of one sensor or one light. A board that is wired straight counts `rank * size + file` from a1."""

Frame = frozenset[Cell]
"""One occupancy of the whole board: the cells that read occupied."""


@dataclass(frozen=True, slots=True)
class Changed:
    """Raw news that some cells now read otherwise; bounce and flicker are still in it.

    `seq` counts the news of one connection; a gap means lost news, an older number is old news.
    """

    t: float
    cells: tuple[Cell, ...]
    occupied: bool
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """A whole reading: every cell that reads occupied, and no other does."""

    t: float
    occupied: Frame
    seq: int | None = None


News = Changed | Scan


@dataclass(frozen=True, slots=True)
class Edge:
    """A settled change of one cell; `t` is the time of the raw edge after which the cell was still."""

    t: float
    cell: Cell
    occupied: bool
