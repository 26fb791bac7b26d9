"""A rule book turned into numbers: the padded board, masks of piece codes, and hash keys.

Owns the encoding of the fast core (`engine.position`) and the only reading of a book's fields as masks. Knows
nothing of moves or history.

The board is padded with a border of wall, so that a slide stops by itself: square (file, rank) is the cell
`(rank + 1) * width + file + 1`, width = size + 2. A cell holds 0 (empty), or the code of what is there; a piece
also carries its slot above SLOT_SHIFT. Codes are single bits: "is this hostile" is one mask test.
"""

import random
from collections.abc import Collection
from functools import lru_cache
from typing import Final

from engine.books import EVERY_PIECE, Book, KingArms, KingCapture, NoLegalMove, Repetition, Shieldwall
from engine.errors import RulesError
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
FIRST_CAMP: Final = 64
"""An empty square of the first camp. Each further camp has the next bit, since an attacker may enter none but his."""

ATTACKING: Final = 1
"""The attackers as the side of a position."""
DEFENDING: Final = 2
"""The defenders as the side of a position."""
OTHER_SIDE: Final = 3
"""ATTACKING ^ OTHER_SIDE is DEFENDING, and the other way round."""

CODE_MASK: Final = 7
"""The three kinds of piece."""
SLOT_SHIFT: Final = 16
"""A piece's slot lies above its code, and above the codes of empty squares."""
MOST_CAMPS: Final = 10
"""As many as there are bits from FIRST_CAMP to SLOT_SHIFT."""

MOVE_SHIFT: Final = 9
"""A move is `from << 9 | to`: the largest board, 19 x 19, has 441 cells with its border."""
CELL_MASK: Final = 511

TAKE_TWO: Final = 0
TAKE_NEAR_THRONE: Final = 1
TAKE_FOUR: Final = 2
TAKE_SURROUNDED: Final = 3

NO_WALLS: Final = 0
WALLS: Final = 1
WALLS_AND_CORNERS: Final = 2
"""Shieldwalls may be closed by a corner too."""

DRAWN: Final = 0
MAKER_LOSES: Final = 1
MAKER_WINS: Final = 2

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
_WALLS = {
    Shieldwall.NONE: NO_WALLS,
    Shieldwall.WITHOUT_CORNERS: WALLS,
    Shieldwall.WITH_CORNERS: WALLS_AND_CORNERS,
}
_MAKERS = {
    Repetition.DRAWS: DRAWN,
    Repetition.LOSES: MAKER_LOSES,
    Repetition.WINS: MAKER_WINS,
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


def _cell(square: int, size: int) -> int:
    return (square // size + 1) * (size + 2) + square % size + 1


def _marked(squares: Collection[int], size: int) -> list[int]:
    """Return 1 for the cells of some squares and 0 for all others."""
    marks = [0] * (size + 2) ** 2
    for square in squares:
        marks[_cell(square, size)] = 1
    return marks


def _floor(book: Book) -> list[int]:
    """Return what the empty board holds. Where a book gives throne or corners no meaning, they are ordinary squares."""
    floor = [0 if inside else WALL for inside in _marked(range(book.size * book.size), book.size)]
    open_throne = book.throne_stops == book.throne_crosses == EVERY_PIECE and book.throne_return
    if not open_throne or book.throne_hostile_empty or book.throne_hostile_occupied:
        floor[_cell(book.throne, book.size)] = THRONE
    if book.corner_stops != EVERY_PIECE or book.corner_hostile:
        for square in book.corners:
            floor[_cell(square, book.size)] = CORNER
    for n, camp in enumerate(_camps(book)):
        for place in camp:
            floor[_cell(place, book.size)] = FIRST_CAMP << n
    return floor


def _camps(book: Book) -> list[set[int]]:
    """Return the squares of each camp: those that lie side by side are one."""
    camps: list[set[int]] = []
    for square in sorted(book.camps):
        file = square % book.size
        beside = {square - book.size, square + book.size}
        beside |= ({square - 1} if file else set()) | ({square + 1} if file < book.size - 1 else set())
        joined = [camp for camp in camps if camp & beside]
        camps = [camp for camp in camps if not camp & beside]
        camps.append({square}.union(*joined))
    if len(camps) > MOST_CAMPS:
        raise RulesError(f"camps: found {len(camps)} camps apart from each other, expected {MOST_CAMPS} at most")
    return camps


def _every_camp(book: Book) -> int:
    """Return the codes of all camps together."""
    return sum(FIRST_CAMP << n for n in range(len(_camps(book))))


def _stops(book: Book, code: int) -> int:
    throne = THRONE if code & _mask(book.throne_stops) and book.throne_return else 0
    return throne | (CORNER if code & _mask(book.corner_stops) else 0)


def _preys(book: Book, code: int) -> int:
    if code == ATTACKER:
        return DEFENDER | KING
    harmless = code == KING and book.king_arms not in (KingArms.ARMED, KingArms.HAMMER)
    return 0 if harmless else ATTACKER


def _anvils(book: Book, code: int) -> int:
    pieces = ATTACKER
    if code == ATTACKER:
        pieces = DEFENDER | (KING if book.king_arms in (KingArms.ARMED, KingArms.ANVIL) else 0)
    throne = THRONE if code & _mask(book.throne_hostile_empty) else 0
    # a camp may be the soldier's own, so `pressing` and not this mask judges soldiers; the king is in none
    camps = _every_camp(book) if code == KING and KING & _mask(book.camp_hostile) else 0
    return pieces | throne | camps | (CORNER if code & _mask(book.corner_hostile) else 0)


class Tables:
    """What the core looks up: made once for a book, shared by all its positions, never changed."""

    def __init__(self, book: Book) -> None:
        size = book.size
        width = size + 2
        self.size: i64 = size
        self.width: i64 = width
        self.steps: vec[i64] = vec[i64]([1, -1, width, -width])
        self.cells: vec[i64] = vec[i64]([_cell(square, size) for square in range(size * size)])
        """By square: its cell."""
        self.squares: vec[i64] = vec[i64]([0] * (width * width))
        """By cell: its square."""
        for square in range(size * size):
            self.squares[_cell(square, size)] = square
        self.throne: i64 = _cell(book.throne, size)
        self.floor: vec[i64] = vec[i64](_floor(book))
        """What is left where a piece goes: wall, empty, throne or corner."""
        self.goal: vec[i64] = vec[i64](_marked(book.goals, size))
        """1 where the king has won."""
        beside = [self.throne, self.throne + 1, self.throne - 1, self.throne + width, self.throne - width]
        self.near_throne: vec[i64] = vec[i64]([1 if cell in beside else 0 for cell in range(width * width)])
        """1 on the throne and beside it."""

        self.stops: vec[i64] = vec[i64]([_stops(book, code) for code in range(CODE_MASK + 1)])
        """By piece code: the special squares it may stop on, coming from elsewhere."""
        crossing = _mask(book.throne_crosses)
        self.crosses: vec[i64] = vec[i64]([THRONE if code & crossing else 0 for code in range(CODE_MASK + 1)])
        """By piece code: the special squares it may pass over."""
        self.barred_for_good: i64 = 0 if book.throne_return else _mask(book.throne_stops)
        """Codes of the pieces that may stand on the throne but not return to it."""
        camps = _every_camp(book)
        staying = _mask(book.camp_moves)
        self.camping: vec[i64] = vec[i64]([camps if code & staying else 0 for code in range(CODE_MASK + 1)])
        """By piece code: the camps in which it may move, if it stands there already."""

        self.preys: vec[i64] = vec[i64]([_preys(book, code) for code in range(CODE_MASK + 1)])
        """By the code of the piece that moves: whom it may capture."""
        self.anvils: vec[i64] = vec[i64]([_anvils(book, code) for code in range(CODE_MASK + 1)])
        """By the code of the victim: what encloses it from the far side."""
        self.held_throne: i64 = _mask(book.throne_hostile_occupied)
        """Codes of the pieces to which the throne is hostile whoever stands on it."""
        self.fourth_side: i64 = 1 if book.fourth_side else 0
        self.camp_hostile: i64 = _mask(book.camp_hostile)
        """Codes of the pieces to which a camp is hostile, whoever stands there, unless they stand in it themselves."""
        self.pressing: vec[i64] = vec[i64](_marked([book.throne, *book.camps], size))
        """1 where a square may close a sandwich whatever stands on it."""
        self.king_capture: i64 = _TAKES[book.king_capture]
        self.shieldwall: i64 = _WALLS[book.shieldwall]
        self.encirclement: i64 = 1 if book.encirclement else 0
        self.exit_fort: i64 = 1 if book.exit_fort else 0
        self.three_moves: i64 = 1 if book.repetition is Repetition.THREE_MOVES else 0
        self.most_occurrences: i64 = book.repetition_count if book.repetition in _MAKERS else 0
        """How often a position must come about to end the game; 0 where that does not matter."""
        self.repetition_maker: i64 = _MAKERS.get(book.repetition, DRAWN)
        """What becomes of the side that brings a position about once too often."""
        self.stuck_draws: i64 = 1 if book.no_legal_move is NoLegalMove.DRAWS else 0
        """1 where a side that cannot move has drawn, not lost."""

        random_key = random.Random(KEY_SEED).getrandbits
        self.keys: vec[i64] = vec[i64]([random_key(KEY_BITS) for _ in range((CODE_MASK + 1) << MOVE_SHIFT)])
        """By `code << 9 | cell`: the hash key of a piece there."""
        self.side_key: i64 = random_key(KEY_BITS)
        """Part of a position's key while the defenders are to move."""

    def cell(self, square: int) -> int:
        """Return the cell of a square."""
        return self.cells[square]

    def square(self, cell: int) -> int:
        """Return the square of a cell on the board."""
        return self.squares[cell]


@lru_cache(maxsize=64)
def tables_of(book: Book) -> Tables:
    """Return the tables of a book; the same ones for an equal book."""
    return Tables(book)
