"""A table of positions that have been searched, and what was found. Written for both forms.

Knows keys, moves and worths as numbers, and nothing of the game.
"""

from typing import Final

from engine.native import i64, vec

EXACT: Final = 1
LOWER: Final = 2
"""The worth is at least so much."""
UPPER: Final = 3
"""The worth is at most so much."""

BOUND_SHIFT: Final = 18
DEPTH_SHIFT: Final = 20
WORTH_SHIFT: Final = 28
WORTH_ZERO: Final = 1 << 19
"""A worth is kept as a positive number of twenty bits, so that an entry stays below 62."""
MOVE_BITS: Final = (1 << BOUND_SHIFT) - 1
BOUND_BITS: Final = 3
DEPTH_BITS: Final = 255

ENTRY_BITS: Final = 18
"""A table has so many bits of entries: 4 MB, and filling it takes no time that anybody would notice."""


class Transpositions:
    """What was found, by key. An entry that is in the way is overwritten.

    Args:
        bits: it has two to this power entries.

    """

    def __init__(self, bits: int = ENTRY_BITS) -> None:
        entries = 1 << bits
        self.mask: i64 = entries - 1
        self.cells: vec[i64] = vec[i64]([-1] * (2 * entries))
        """Key and entry side by side, so that one line of the processor's cache holds both."""

    def clear(self) -> None:
        """Forget everything."""
        cells = self.cells
        for n in range(self.mask + 1):
            cells[2 * n] = -1

    def find(self, key: i64) -> i64:
        """Return where a position is kept, or -1."""
        slot = (key & self.mask) * 2
        return slot if self.cells[slot] == key else -1

    def store(self, key: i64, move: i64, depth: i64, bound: i64, worth: i64) -> None:
        """Keep what was found of a position."""
        slot = (key & self.mask) * 2
        self.cells[slot] = key
        self.cells[slot + 1] = move | bound << BOUND_SHIFT | depth << DEPTH_SHIFT | (worth + WORTH_ZERO) << WORTH_SHIFT

    def move(self, slot: i64) -> i64:
        """Return the best move, or 0 where none was."""
        return self.cells[slot + 1] & MOVE_BITS

    def bound(self, slot: i64) -> i64:
        """Return EXACT, LOWER or UPPER."""
        return self.cells[slot + 1] >> BOUND_SHIFT & BOUND_BITS

    def depth(self, slot: i64) -> i64:
        """Return how deep it was searched."""
        return self.cells[slot + 1] >> DEPTH_SHIFT & DEPTH_BITS

    def worth(self, slot: i64) -> i64:
        """Return the worth, wins counted from the position itself."""
        return (self.cells[slot + 1] >> WORTH_SHIFT) - WORTH_ZERO
