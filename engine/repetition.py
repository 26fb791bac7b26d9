"""How often a position, or a player's move to and fro, has come about on a path of moves.

Speaks the core's numbers and may be compiled with it. What repetition costs is a field of a book; the core asks.
"""

from typing import Final

from engine.native import i64, vec
from engine.tables import CELL_MASK, MOVE_SHIFT

WARNED_AT: Final = 3
"""Moves of one player to and fro that bring a warning: X-Y, Y-X, X-Y (rules, edge 6)."""
LOST_AT: Final = 5
"""Moves of one player to and fro that lose: X-Y, Y-X, X-Y, Y-X, X-Y (rules, edge 6)."""

COUNT_SHIFT: Final = 18
"""On the path a move carries above itself how many pieces it took."""
MOVE_MASK: Final = 262143
"""A move without its count: two cells of nine bits."""


def to_and_fro(path: vec[i64], ply: i64) -> i64:
    """Return how many of the last moves of the side that has just moved go to and fro between two squares."""
    n = ply - 1
    if n < 0:
        return 0
    run: i64 = 1
    move = path[n] & MOVE_MASK
    while n >= 2 and run < LOST_AT:
        n -= 2
        before = path[n] & MOVE_MASK
        if before != (move & CELL_MASK) << MOVE_SHIFT | move >> MOVE_SHIFT:
            break
        move = before
        run += 1
    return run


def occurrences(path: vec[i64], past_keys: vec[i64], ply: i64, key: i64) -> i64:
    """Return how often the moves on a path have brought about the position in which it ends (rules, further 5).

    Where the path began no move has brought about, so it does not count. Before a capture it was another position.

    Args:
        path: the moves, each with its number of captures above it.
        past_keys: the key of the position before each of them.
        ply: how many there are.
        key: of the position after the last.

    """
    if ply == 0:
        return 0
    found: i64 = 1
    n = ply
    while n > 2 and path[n - 1] <= MOVE_MASK and path[n - 2] <= MOVE_MASK:
        n -= 2
        if past_keys[n] == key:
            found += 1
    return found
