"""The way that a piece takes from one square to another. Pure geometry; knows no rules."""

from __future__ import annotations

from engine import Move, Square, file_of, rank_of

TOO_FAR = 2
"""A slide may pass its end by so many squares and come back."""


def is_between(square: Square, move: Move, size: int, beyond: int = 0) -> bool:
    """Whether a square lies between the ends of a move, or so many squares beyond."""
    (of, ot), (df, dt), (sf, st) = (
        (int(file_of(each, size)), int(rank_of(each, size))) for each in (move.origin, move.destination, square)
    )
    if of == df == sf:
        along, whole = st - ot, dt - ot
    elif ot == dt == st:
        along, whole = sf - of, df - of
    else:
        return False
    return along * whole >= 0 and abs(along) <= abs(whole) + beyond


def are_neighbours(first: Square, second: Square, size: int) -> bool:
    """Whether two squares have a side in common."""
    return distance(first, second, size) == 1


def distance(first: Square, second: Square, size: int) -> int:
    """Give how many squares lie from one to another, along files and ranks."""
    files = abs(int(file_of(first, size)) - int(file_of(second, size)))
    ranks = abs(int(rank_of(first, size)) - int(rank_of(second, size)))
    return files + ranks
