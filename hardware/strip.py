"""How a chain of lights lies under the cells: from which corner, along what, in a serpentine or straight. Pure.

Cells are counted `rank * size + file` from the bottom left as the maker sees the board.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from hardware.news import Cell


class Corner(enum.Enum):
    """Where the first light is."""

    BOTTOM_LEFT = "bottom-left"
    BOTTOM_RIGHT = "bottom-right"
    TOP_LEFT = "top-left"
    TOP_RIGHT = "top-right"


class Along(enum.Enum):
    """What the chain follows first."""

    RANKS = "ranks"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class Layout:
    """The way of a chain of lights.

    Args:
        start: the corner of its first light.
        along: what it follows from there.
        serpentine: whether every second line runs back; else each begins on the same side.

    """

    start: Corner = Corner.BOTTOM_LEFT
    along: Along = Along.RANKS
    serpentine: bool = True

    def cells(self, size: int) -> tuple[Cell, ...]:
        """Return the cell of each light, in the chain's order."""
        return tuple(self._cell(light, size) for light in range(size * size))

    def lights(self, size: int) -> tuple[int, ...]:
        """Return the place in the chain of each cell's light."""
        cells = self.cells(size)
        return tuple(sorted(range(size * size), key=cells.__getitem__))

    def _cell(self, light: int, size: int) -> Cell:
        line, step = divmod(light, size)
        last = size - 1
        if self.serpentine and line % 2:
            step = last - step
        rank, file = (line, step) if self.along is Along.RANKS else (step, line)
        if self.start in (Corner.TOP_LEFT, Corner.TOP_RIGHT):
            rank = last - rank
        if self.start in (Corner.BOTTOM_RIGHT, Corner.TOP_RIGHT):
            file = last - file
        return Cell(rank * size + file)
