"""The rule books: every rule that can differ between two games of tafl is a field here, and nothing else is.

Owns what the rules are; `engine.tables` turns a book into masks and `engine.position` obeys them. The words
"rules, edge 3" point to docs/rules.md. A house rule is `dataclasses.replace(book, ...)`.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from engine.errors import RulesError, UnknownBookError
from engine.notation import parse_position
from engine.pieces import Piece, Side
from engine.squares import SIZES, Square, square_at, square_name

EVERY_PIECE = frozenset(Piece)
NO_PIECE: frozenset[Piece] = frozenset()
KING_ONLY = frozenset({Piece.KING})
SOLDIERS = EVERY_PIECE - KING_ONLY

FEWEST_REPETITIONS = 2
"""A position that comes about once is no repetition."""


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
    DRAWS = "draws"
    """When a position has come about often enough, with the same side to move, nobody has won."""
    LOSES = "loses"
    """The side that brings a position about that often has lost."""
    WINS = "wins"
    """The side that brings a position about that often has won."""


class Shieldwall(enum.Enum):
    """Whether a row of soldiers on the edge is captured when it is faced all along and closed at both ends."""

    NONE = "none"
    WITHOUT_CORNERS = "without-corners"
    """Pieces close it at both ends."""
    WITH_CORNERS = "with-corners"
    """An empty corner closes it as a piece does."""


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
    """What moving back and forth costs (rules, edge 6, corner 6, further 5)."""
    no_legal_move: NoLegalMove
    """What becomes of a side that has to move and cannot (rules, common 6)."""
    given_anywhere: bool = False
    """Whether a given position may have soldiers on throne and corners, where they may not stop (rules, further 6)."""
    repetition_count: int = 3
    """How often a position must come about to end the game, where that ends it (rules, further 5)."""
    camps: frozenset[Square] = frozenset()
    """The camps' squares: nobody enters or crosses a camp from outside (rules, further 1)."""
    camp_moves: frozenset[Piece] = NO_PIECE
    """Who may move inside the camp that he stands in (rules, further 1)."""
    camp_hostile: frozenset[Piece] = NO_PIECE
    """Whom a camp's square, occupied or not, helps to enclose unless he stands in that camp (rules, further 1)."""
    shieldwall: Shieldwall = Shieldwall.NONE
    """Whether rows on the edge are captured (rules, further 2)."""
    encirclement: bool = False
    """Whether the attackers win by cutting king and defenders off from the edge (rules, further 3)."""
    exit_fort: bool = False
    """Whether the defenders win by a fort around their king on the edge (rules, further 4)."""

    def __post_init__(self) -> None:
        if not self.name.isprintable() or not self.name.strip():
            raise RulesError(f"name: found {self.name!r}, expected a word or more on one line")
        if self.size not in SIZES:
            raise RulesError(f"size: found {self.size}, expected an odd number from {SIZES[0]} to {SIZES[-1]}")
        if Piece.KING not in self.throne_stops:
            raise RulesError("throne_stops: found no king, expected him (the game starts with him on the throne)")
        if self.goal is Goal.CORNER and Piece.KING not in self.corner_stops:
            raise RulesError("corner_stops: found no king, expected him (the corners are his goal)")
        if self.repetition_count < FEWEST_REPETITIONS:
            raise RulesError(f"repetition_count: found {self.repetition_count}, expected {FEWEST_REPETITIONS} or more")
        special = {self.throne, *(self.corners if self.goal is Goal.CORNER else ())}
        for square in sorted(self.camps):
            on_board = 0 <= square < self.size * self.size
            if not on_board or square in special:
                found = square_name(square, self.size) if on_board else f"square {square}"
                raise RulesError(f"camps: found {found}, expected a square of the board but for throne and goal")
        if not self.camps and (self.camp_moves or self.camp_hostile):
            raise RulesError("camps: found none, expected some (camp_moves or camp_hostile speaks of them)")
        if Piece.KING in self.camp_moves:
            raise RulesError("camp_moves: found the king, expected soldiers only (he starts outside and cannot enter)")

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
        last = self.size - 1
        edge = {square_at(n, side, self.size) for n in range(self.size) for side in (0, last)}
        edge |= {square_at(side, n, self.size) for n in range(self.size) for side in (0, last)}
        return frozenset(edge) - self.camps


_TABLUT = "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/"
_DIAMOND = "/3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3/"
_BRANDUBH = "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/"
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


def _linnaean() -> Book:
    """Return the game that Linnaeus saw, as hnefatafl-rs reads him."""
    return replace(
        _edge_book(),
        name="linnaean",
        throne_crosses=EVERY_PIECE,
        repetition=Repetition.DRAWS,
        no_legal_move=NoLegalMove.DRAWS,
    )


def _sea_battle() -> Book:
    """Return the example of the OTN specification."""
    return replace(
        _edge_book(),
        name="sea-battle",
        throne_stops=EVERY_PIECE,
        throne_crosses=EVERY_PIECE,
        throne_return=True,
        throne_hostile_empty=NO_PIECE,
        throne_hostile_occupied=NO_PIECE,
        fourth_side=False,
        king_arms=KingArms.UNARMED,
        king_capture=KingCapture.TWO,
        repetition=Repetition.DRAWS,
    )


def _brandubh() -> Book:
    """Return the game of the World Tafl Federation on seven by seven."""
    return Book(
        name="brandubh",
        size=7,
        first=Side.ATTACKERS,
        start=_BRANDUBH,
        goal=Goal.CORNER,
        throne_stops=KING_ONLY,
        throne_crosses=EVERY_PIECE,
        throne_return=True,
        throne_hostile_empty=EVERY_PIECE,
        throne_hostile_occupied=frozenset({Piece.ATTACKER}),
        fourth_side=False,
        corner_stops=KING_ONLY,
        corner_hostile=EVERY_PIECE,
        king_arms=KingArms.ARMED,
        king_capture=KingCapture.NEAR_THRONE,
        repetition=Repetition.LOSES,
        no_legal_move=NoLegalMove.LOSES,
        given_anywhere=True,
        encirclement=True,
    )


def _copenhagen() -> Book:
    """Return the tournament game on eleven by eleven."""
    return replace(
        _brandubh(),
        name="copenhagen",
        size=11,
        start=_DIAMOND,
        corner_hostile=SOLDIERS,
        king_capture=KingCapture.FOUR,
        shieldwall=Shieldwall.WITH_CORNERS,
        exit_fort=True,
    )


def _ashton() -> Book:
    """Return the game with camps, as it is played in Bologna's contest of programs."""
    _, pieces = parse_position(_TABLUT)
    return replace(
        _edge_book(),
        name="ashton",
        first=Side.DEFENDERS,
        throne_crosses=NO_PIECE,
        throne_hostile_occupied=SOLDIERS,
        fourth_side=False,
        camps=frozenset(square for square, piece in pieces.items() if piece is Piece.ATTACKER),
        camp_moves=frozenset({Piece.ATTACKER}),
        camp_hostile=EVERY_PIECE,
        repetition=Repetition.DRAWS,
        repetition_count=2,
    )


BOOKS: Mapping[str, Book] = MappingProxyType(
    {
        book.name: book
        for book in (
            _edge_book(),
            _corner_book("tablut-corner", 9, _TABLUT, EVERY_PIECE),
            _corner_book("hnefatafl-11", 11, _DIAMOND, KING_ONLY),
            _corner_book("hnefatafl-13", 13, _PARLETT, KING_ONLY),
            _linnaean(),
            _sea_battle(),
            _brandubh(),
            _copenhagen(),
            _ashton(),
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
