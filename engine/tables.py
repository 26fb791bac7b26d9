"""A rule book turned into numbers: the padded board, masks of piece codes, and hash keys.

Owns the encoding of the fast core (`engine.position`) and the only reading of a book's fields as masks. Knows
nothing of moves or history.

The board is padded with a border of wall, so that a slide stops by itself: square (file, rank) is the cell
`(rank + 1) * width + file + 1`, width = size + 2. A cell holds 0 (empty), or the code of what is there; a piece
also carries its slot above SLOT_SHIFT. Codes are single bits: "is this hostile" is one mask test.
"""

import random
from functools import lru_cache
from typing import Final

from engine.books import Book, KingArms, KingCapture, Repetition
from engine.native import i64, vec
from engine.pieces import Piece

ATTACKER: Final = 1
DEFENDER: Final = 2
KING: Final = 4
WALL: Final = 8
THRONE: Final = 16
"""The empty throne, where the book makes it a special square."""
CORNER: Final = 32
"""An empty corner, where the book makes it a special square."""

ATTACKING: Final = 1
"""The attackers as the side of a position."""
DEFENDING: Final = 2
"""The defenders as the side of a position."""
OTHER_SIDE: Final = 3
"""ATTACKING ^ OTHER_SIDE is DEFENDING, and the other way round."""

CODE_MASK: Final = 7
"""The three kinds of piece."""
SLOT_SHIFT: Final = 8
"""A piece's slot lies above its code."""

MOVE_SHIFT: Final = 9
"""A move is `from << 9 | to`: the largest board, 19 x 19, has 441 cells with its border."""
CELL_MASK: Final = 511

TAKE_TWO: Final = 0
TAKE_NEAR_THRONE: Final = 1
TAKE_FOUR: Final = 2
TAKE_SURROUNDED: Final = 3

KEY_BITS: Final = 61
"""Hash keys stay below 62 bits, so that a compiled one never needs a box."""
KEY_SEED: Final = 1732
"""Any number would do; the keys of a position are the same in every run. Linnaeus wrote the game down in 1732."""


_TAKES = {
    KingCapture.TWO: TAKE_TWO,
    KingCapture.NEAR_THRONE: TAKE_NEAR_THRONE,
    KingCapture.FOUR: TAKE_FOUR,
    KingCapture.SURROUNDED: TAKE_SURROUNDED,
}


def code_of(piece: Piece) -> int:
    """Return the code of a piece."""
    if piece is Piece.ATTACKER:
        return ATTACKER
    return KING if piece is Piece.KING else DEFENDER


def _mask(pieces: frozenset[Piece]) -> int:
    """Return the codes of several pieces together."""
    mask = 0
    for piece in pieces:
        mask |= code_of(piece)
    return mask


class Tables:
    """What the core looks up: made once for a book, shared by all its positions, never changed."""

    def __init__(self, book: Book) -> None:
        size = book.size
        width = size + 2
        cells = width * width
        throne_stops = _mask(book.throne_stops)
        throne_crosses = _mask(book.throne_crosses)
        empty_throne = _mask(book.throne_hostile_empty)
        held_throne = _mask(book.throne_hostile_occupied)
        corner_stops = _mask(book.corner_stops)
        corner_hostile = _mask(book.corner_hostile)

        self.size: i64 = size
        self.width: i64 = width
        self.count: i64 = cells
        self.steps: vec[i64] = vec[i64]([1, -1, width, -width])
        self.throne: i64 = self.cell(book.throne)

        floor = [WALL] * cells
        goal = [0] * cells
        near = [0] * cells
        for square in range(size * size):
            floor[self.cell(square)] = 0
        everyone = ATTACKER | DEFENDER | KING
        ordinary = throne_stops == throne_crosses == everyone and not empty_throne | held_throne and book.throne_return
        if not ordinary:
            floor[self.throne] = THRONE
        for cell in (self.throne, self.throne + 1, self.throne - 1, self.throne + width, self.throne - width):
            near[cell] = 1
        if corner_stops != everyone or corner_hostile:
            for square in book.corners:
                floor[self.cell(square)] = CORNER
        for square in book.goals:
            goal[self.cell(square)] = 1
        self.floor: vec[i64] = vec[i64](floor)
        """What is left where a piece goes: wall, empty, throne or corner."""
        self.goal: vec[i64] = vec[i64](goal)
        """1 where the king has won."""
        self.near_throne: vec[i64] = vec[i64](near)
        """1 on the throne and beside it."""

        stops = [0] * (CODE_MASK + 1)
        crosses = [0] * (CODE_MASK + 1)
        for code in (ATTACKER, DEFENDER, KING):
            if throne_stops & code and book.throne_return:
                stops[code] |= THRONE
            if throne_crosses & code:
                crosses[code] |= THRONE
            if corner_stops & code:
                stops[code] |= CORNER
        self.stops: vec[i64] = vec[i64](stops)
        """By piece code: the special squares it may stop on, coming from elsewhere."""
        self.crosses: vec[i64] = vec[i64](crosses)
        """By piece code: the special squares it may pass over."""
        self.barred_for_good: i64 = throne_stops if not book.throne_return else 0
        """The pieces that may stand on the throne but not return to it."""

        anvils = [0] * (CODE_MASK + 1)
        for code in (ATTACKER, DEFENDER, KING):
            if code == ATTACKER:
                anvils[code] = DEFENDER | (KING if book.king_arms in (KingArms.ARMED, KingArms.ANVIL) else 0)
            else:
                anvils[code] = ATTACKER
            if empty_throne & code:
                anvils[code] |= THRONE
            if corner_hostile & code:
                anvils[code] |= CORNER
        self.anvils: vec[i64] = vec[i64](anvils)
        """By the code of the victim: what encloses it from the far side."""
        self.held_throne: i64 = held_throne
        """Codes of the pieces to which the throne is hostile whoever stands on it."""
        self.fourth_side: i64 = 1 if book.fourth_side else 0
        self.hammers: i64 = ATTACKER | DEFENDER | (KING if book.king_arms in (KingArms.ARMED, KingArms.HAMMER) else 0)
        """Codes of the pieces whose moves capture."""
        self.king_capture: i64 = _TAKES[book.king_capture]
        self.three_moves: i64 = 1 if book.repetition is Repetition.THREE_MOVES else 0

        random_key = random.Random(KEY_SEED).getrandbits
        self.keys: vec[i64] = vec[i64]([random_key(KEY_BITS) for _ in range((CODE_MASK + 1) << MOVE_SHIFT)])
        """By `code << 9 | cell`: the hash key of a piece there."""
        self.side_key: i64 = random_key(KEY_BITS)
        """Part of a position's key while the defenders are to move."""

    def cell(self, square: int) -> int:
        """Return the cell of a square."""
        size = int(self.size)
        return (square // size + 1) * (size + 2) + square % size + 1

    def square(self, cell: int) -> int:
        """Return the square of a cell."""
        width = int(self.width)
        return (cell // width - 1) * int(self.size) + cell % width - 1


@lru_cache(maxsize=64)
def tables_of(book: Book) -> Tables:
    """Return the tables of a book; the same ones for an equal book."""
    return Tables(book)
