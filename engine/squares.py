"""Squares, files and ranks: distinct integers, made here and nowhere else.

A square is `rank * size + file`, a1 = 0. Knows nothing of pieces or rules.
"""

import re
from collections.abc import Callable
from typing import NewType

from engine.errors import NotationError, SquareError

Square = NewType("Square", int)
Rank = NewType("Rank", int)
"""Counted from 0; rank 0 is written 1 and drawn at the bottom."""
File = NewType("File", int)
"""Counted from 0; file 0 is written a and drawn at the left."""

FILE_LETTERS = "abcdefghijklmnopqrs"
"""Names of the files; as many as the largest board has."""

SIZES = range(7, len(FILE_LETTERS) + 1, 2)
"""Sides of the boards that we play on: odd, so that there is a centre."""

SQUARE_PATTERN = r"[a-s](?:1[0-9]|[1-9])"
"""A square's name on some board, as a regular expression."""

_SQUARE = re.compile(SQUARE_PATTERN)


def square_at(file: int, rank: int, size: int) -> Square:
    """Return the square on a file and a rank, both counted from 0.

    Raises:
        SquareError: it would lie beside the board.

    """
    if not (0 <= file < size and 0 <= rank < size):
        raise SquareError(f"square: found file {file}, rank {rank}, expected 0 to {size - 1} of both")
    return Square(rank * size + file)


def file_of(square: Square, size: int) -> File:
    """Return the file of a square."""
    return File(square % size)


def rank_of(square: Square, size: int) -> Rank:
    """Return the rank of a square."""
    return Rank(square // size)


def check_square(square: Square, size: int) -> None:
    """Refuse what is no square of a board of this size.

    Raises:
        SquareError: says which squares there are.

    """
    if square not in range(size * size):
        raise SquareError(f"square: found {square!r}, expected a number from 0 to {size * size - 1}")


def square_name(square: Square, size: int) -> str:
    """Return a square's name, as `e5`.

    Raises:
        SquareError: the board has no such square.

    """
    check_square(square, size)
    return f"{FILE_LETTERS[square % size]}{square // size + 1}"


def parse_square(text: str, size: int) -> Square:
    """Read a square's name.

    Raises:
        NotationError: it names no square of a board of this size.

    """
    if not _SQUARE.fullmatch(text):
        raise NotationError(repr(text), "a square such as e5")
    file, rank = FILE_LETTERS.index(text[0]), int(text[1:]) - 1
    if file >= size or rank >= size:
        raise NotationError(repr(text), f"a square from a1 to {square_name(Square(size * size - 1), size)}")
    return square_at(file, rank, size)


def mirrors(size: int) -> tuple[tuple[Square, ...], ...]:
    """Return the eight symmetries of the board, each as a table from square to square; the first changes nothing."""
    last = size - 1
    maps: tuple[Callable[[int, int], tuple[int, int]], ...] = (
        lambda f, r: (f, r),
        lambda f, r: (last - f, r),
        lambda f, r: (f, last - r),
        lambda f, r: (last - f, last - r),
        lambda f, r: (r, f),
        lambda f, r: (last - r, f),
        lambda f, r: (r, last - f),
        lambda f, r: (last - r, last - f),
    )
    every = range(size * size)
    return tuple(tuple(square_at(*turn(square % size, square // size), size) for square in every) for turn in maps)
