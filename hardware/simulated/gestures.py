"""The words between a player's head and hands: what is intended, what one gesture is, what the eyes see.

Owns plain values. Must not know rules: an intention says everything about a move that hands need.
"""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hardware.news import Cell
from hardware.theme import Role

ATTACKERS = "attackers"
DEFENDERS = "defenders"

ATTACKER_LETTER = "t"
"""OpenTafl's letter of an attacker; every other letter (`T`, `K`) is the defenders'."""


def side_of(piece: str) -> str:
    """Return the side that a piece letter belongs to."""
    return ATTACKERS if piece == ATTACKER_LETTER else DEFENDERS


def other_side(side: str) -> str:
    """Return the opponent of a side."""
    return DEFENDERS if side == ATTACKERS else ATTACKERS


@dataclass(frozen=True, slots=True)
class Intention:
    """A move as its player means it, with what hands can do wrong around it.

    Attributes:
        side: Who moves, `attackers` or `defenders`.
        origin: Where the piece stands.
        destination: Where it shall stand.
        victims: Pieces that the move captures.
        path: Squares passed between origin and destination, in order.
        stops: Those of the path where a stop would be a legal move that ends nothing.
        beyond: Free squares past the destination in the same direction, nearest first.
        tries: Other squares where the piece could legally go without ending the game.
        before: Pieces by square as the move finds them, letters `t T K`.
        after: Pieces by square as the move leaves them.
        free: Squares that are empty before and after the move.
        illegal: Pairs from and to that no rule allows, for hands that err.
        out_of_turn: Pairs that would be a move of the side that is not to move.
        final: The move ends the game.

    """

    side: str
    origin: Cell
    destination: Cell
    victims: tuple[Cell, ...] = ()
    path: tuple[Cell, ...] = ()
    stops: tuple[Cell, ...] = ()
    beyond: tuple[Cell, ...] = ()
    tries: tuple[Cell, ...] = ()
    before: Mapping[Cell, str] = field(default_factory=dict)
    after: Mapping[Cell, str] = field(default_factory=dict)
    free: tuple[Cell, ...] = ()
    illegal: tuple[tuple[Cell, Cell], ...] = ()
    out_of_turn: tuple[tuple[Cell, Cell], ...] = ()
    final: bool = False

    def others(self, side: str) -> list[Cell]:
        """Return the pieces of a side that have no part in the move, in order of their squares."""
        part = {self.origin, *self.victims}
        return sorted(cell for cell, piece in self.before.items() if side_of(piece) == side and cell not in part)


class Act(enum.Enum):
    """What fingers do."""

    LIFT = "lift"
    DROP = "drop"
    SLIDE = "slide"
    BOX = "box"
    UNBOX = "unbox"


@dataclass(frozen=True, slots=True)
class Gesture:
    """One thing that fingers do.

    Attributes:
        t: When, in seconds after the plan began.
        act: What.
        cell: Where; of a slide the square left.
        grip: Which of the pieces held is meant; a grip holds one piece.
        onto: The square a slide goes to.
        overlap_s: How long a slid piece is read on both squares.
        piece: The letter of a piece taken out of the box.
        last: The piece that moves is put down for good: the turn passes.

    """

    t: float
    act: Act
    cell: Cell
    grip: int = 0
    onto: Cell | None = None
    overlap_s: float = 0.0
    piece: str = ""
    last: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What the board asks: `about` as in the event, and for a move which one."""

    about: str
    origin: Cell | None = None
    destination: Cell | None = None


@dataclass(frozen=True, slots=True)
class Announced:
    """The move that the board announced last, as it understood it."""

    origin: Cell
    destination: Cell
    captures: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Sight:
    """What a player sees and hears.

    Attributes:
        lights: What each lit square's light means.
        asked: The question, if one is asked.
        heard: How many plies were announced.
        last: The last of them.
        dark: The whole board is dark: its power is off.

    """

    lights: Mapping[Cell, Role]
    asked: Asked | None = None
    heard: int = 0
    last: Announced | None = None
    dark: bool = False


class Table(Protocol):
    """What hands touch: a `SimulatedBoard`, or less. Times are seconds; a piece is its letter."""

    @property
    def pieces(self) -> Mapping[Cell, str]:
        """Pieces that stand on the board, whatever sensors say."""

    @property
    def boxed(self) -> Sequence[str]:
        """Pieces that lie beside the board."""

    def lift(self, t: float, cell: Cell) -> str:
        """Take a piece off its square into the hand and return its letter."""

    def drop(self, t: float, cell: Cell, piece: str | None = None) -> None:
        """Put a piece from the hand on an empty square."""

    def slide(self, t: float, origin: Cell, cell: Cell, overlap_s: float = 0.0) -> None:
        """Push a piece to a neighbouring square; for `overlap_s` its magnet is read on both."""

    def box(self, t: float, cell: Cell) -> None:
        """Take a piece off into the box beside the board."""

    def unbox(self, t: float, cell: Cell, piece: str) -> None:
        """Put a piece from the box on an empty square."""

    def put_away(self, piece: str | None = None) -> str:
        """Lay a piece from the hand into the box and return its letter."""

    @property
    def askew(self) -> Mapping[Cell, Cell]:
        """Empty squares that a piece leans over, and the square that it stands on: anybody sees it."""


class Mind(Protocol):
    """What the players know of the game they mean to play."""

    def choose(self) -> Intention | None:
        """Choose the next move of the game that is meant, as begun; None when the game is over or long enough."""

    def rewind(self) -> None:
        """Take the last chosen move back: it was taken back by hand."""

    def moves(self, origin: Cell, square: Cell) -> bool:
        """Say whether a piece that went from one square to another would have moved, for all that can be seen."""

    def press(self, t: float, button: str) -> None:
        """Press `confirm`, `cancel` or `takeback`."""
