"""The rule books: every rule that can differ between two games of tafl is a field here, and nothing else is.

Owns what the rules are; `engine.tables` turns a book into masks and `engine.position` obeys them. The words
"rules, edge 3" point to docs/rules.md. A house rule is `dataclasses.replace(book, ...)`.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.errors import RulesError, UnknownBookError
from engine.pieces import Piece, Side
from engine.squares import SIZES, Square, square_at

EVERY_PIECE = frozenset(Piece)
NO_PIECE: frozenset[Piece] = frozenset()
KING_ONLY = frozenset({Piece.KING})


class Goal(enum.Enum):
    """Where the king has won."""

    EDGE = "edge"
    CORNER = "corner"


class KingCapture(enum.Enum):
    """How many must close in on the king. A square hostile to him stands for an attacker."""

    TWO = "two"
    """From two opposite sides, like any soldier."""
    NEAR_THRONE = "near-throne"
    """On the throne and beside it from all four sides, anywhere else from two opposite ones."""
    FOUR = "four"
    """From all four sides, so never on an edge."""
    SURROUNDED = "surrounded"
    """From every side on which the board goes on, so by three on an edge."""


class KingArms(enum.Enum):
    """What the king is good for when others are captured."""

    ARMED = "armed"
    """He captures by moving, and closes a sandwich by standing."""
    HAMMER = "hammer"
    """He captures by moving only."""
    ANVIL = "anvil"
    """He closes a sandwich by standing only."""
    UNARMED = "unarmed"


class NoLegalMove(enum.Enum):
    """What becomes of a side that has to move and cannot."""

    LOSES = "loses"
    DRAWS = "draws"


class Repetition(enum.Enum):
    """What moving back and forth costs."""

    IGNORED = "ignored"
    THREE_MOVES = "three-moves"
    """A player who has made the same move three times, going back in between, has lost."""


@dataclass(frozen=True, slots=True)
class Book:
    """The rules of one game, complete.

    Raises:
        RulesError: the fields contradict each other.

    """

    name: str
    """How people and scripts call it. Not a rule."""
    size: int
    """Squares a side."""
    first: Side
    """Who moves first (rules, edge 1, corner 1)."""
    start: str
    """Where the pieces stand at first, as an OTN position (rules, start positions)."""
    goal: Goal
    """Where the king has won (rules, edge 5, corner 5)."""
    throne_stops: frozenset[Piece]
    """Who may stop on the throne (rules, edge 2, corner 2)."""
    throne_crosses: frozenset[Piece]
    """Who may pass over the empty throne (rules, edge 2, corner 2)."""
    throne_return: bool
    """Whether a piece that may stop on the throne may come back to it from outside (rules, edge 2, corner 2)."""
    throne_hostile_empty: frozenset[Piece]
    """Whom the empty throne helps to enclose (rules, edge 3 and 4, corner 3 and 4)."""
    throne_hostile_occupied: frozenset[Piece]
    """Whom the throne helps to enclose whoever stands on it (rules, edge 3, corner 3)."""
    fourth_side: bool
    """Whether a defender is pressed against the king's throne when attackers hold its other sides (rules, edge 3)."""
    corner_stops: frozenset[Piece]
    """Who may stop on a corner (rules, edge 7, corner 2)."""
    corner_hostile: frozenset[Piece]
    """Whom an empty corner helps to enclose (rules, edge 7, corner 3 and 4)."""
    king_arms: KingArms
    """What the king is good for when others are captured (rules, common 4)."""
    king_capture: KingCapture
    """How many must close in on the king (rules, edge 4, corner 4)."""
    repetition: Repetition
    """What moving back and forth costs (rules, edge 6, corner 6)."""
    no_legal_move: NoLegalMove
    """What becomes of a side that has to move and cannot (rules, common 6)."""

    def __post_init__(self) -> None:
        if self.size not in SIZES:
            raise RulesError(f"size: found {self.size}, expected an odd number from {SIZES[0]} to {SIZES[-1]}")
        if Piece.KING not in self.throne_stops:
            raise RulesError("throne_stops: found no king, expected him (the game starts with him on the throne)")
        if self.goal is Goal.CORNER and Piece.KING not in self.corner_stops:
            raise RulesError("corner_stops: found no king, expected him (the corners are his goal)")

    @property
    def throne(self) -> Square:
        """The centre."""
        return square_at(self.size // 2, self.size // 2, self.size)

    @property
    def corners(self) -> frozenset[Square]:
        """The four corners."""
        last = self.size - 1
        return frozenset(square_at(file, rank, self.size) for file in (0, last) for rank in (0, last))

    @property
    def goals(self) -> frozenset[Square]:
        """The squares on which the king has won."""
        if self.goal is Goal.CORNER:
            return self.corners
        return frozenset(
            square_at(file, rank, self.size)
            for file in range(self.size)
            for rank in range(self.size)
            if file in (0, self.size - 1) or rank in (0, self.size - 1)
        )


_TABLUT = "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/"
_DIAMOND = "/3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3/"
_PARLETT = "/4ttttt4/5t1t5/6t6/6T6/t3T3T3t/tt3TTT3tt/t1tT1TKT1Tt1t/tt3TTT3tt/t3T3T3t/6T6/6t6/5t1t5/4ttttt4/"


def _edge_book() -> Book:
    return Book(
        name="tablut-edge",
        size=9,
        first=Side.ATTACKERS,
        start=_TABLUT,
        goal=Goal.EDGE,
        throne_stops=KING_ONLY,
        throne_crosses=KING_ONLY,
        throne_return=False,
        throne_hostile_empty=EVERY_PIECE,
        throne_hostile_occupied=frozenset({Piece.ATTACKER}),
        fourth_side=True,
        corner_stops=EVERY_PIECE,
        corner_hostile=NO_PIECE,
        king_arms=KingArms.ARMED,
        king_capture=KingCapture.NEAR_THRONE,
        repetition=Repetition.THREE_MOVES,
        no_legal_move=NoLegalMove.LOSES,
    )


def _corner_book(name: str, size: int, start: str, throne_crosses: frozenset[Piece]) -> Book:
    return Book(
        name=name,
        size=size,
        first=Side.DEFENDERS,
        start=start,
        goal=Goal.CORNER,
        throne_stops=KING_ONLY,
        throne_crosses=throne_crosses,
        throne_return=True,
        throne_hostile_empty=KING_ONLY,
        throne_hostile_occupied=NO_PIECE,
        fourth_side=False,
        corner_stops=KING_ONLY,
        corner_hostile=EVERY_PIECE,
        king_arms=KingArms.ARMED,
        king_capture=KingCapture.SURROUNDED,
        repetition=Repetition.IGNORED,
        no_legal_move=NoLegalMove.LOSES,
    )


BOOKS: Mapping[str, Book] = MappingProxyType(
    {
        book.name: book
        for book in (
            _edge_book(),
            _corner_book("tablut-corner", 9, _TABLUT, EVERY_PIECE),
            _corner_book("hnefatafl-11", 11, _DIAMOND, KING_ONLY),
            _corner_book("hnefatafl-13", 13, _PARLETT, KING_ONLY),
        )
    }
)
"""Every book that we ship, by name."""


def book_named(name: str) -> Book:
    """Return a book that we ship.

    Raises:
        UnknownBookError: there is none of this name; the message lists those that there are.

    """
    try:
        return BOOKS[name]
    except KeyError:
        raise UnknownBookError(f"rule book: found {name!r}, expected one of {', '.join(BOOKS)}") from None
