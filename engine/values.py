"""What a game is told and tells: moves, plies, outcomes, announcements, refusals. Frozen values, no rules.

The words that scripts see are the values of the enums.
"""

import enum
from dataclasses import dataclass

from engine.errors import GameStateError
from engine.notation import move_text
from engine.pieces import Side
from engine.squares import Square, square_name


@dataclass(frozen=True, slots=True)
class Move:
    """One piece's move and what it takes."""

    origin: Square
    destination: Square
    captures: tuple[Square, ...] = ()
    """In ascending order; the king among them where he is taken."""

    def text(self, size: int) -> str:
        """Write it as `d1-d3xc3/d4`."""
        return move_text(self.origin, self.destination, self.captures, size)


class Reason(enum.Enum):
    """Why a game is over."""

    KING_CAPTURED = "king-captured"
    KING_ESCAPED = "king-escaped"
    THREE_MOVES = "three-moves"
    NO_LEGAL_MOVES = "no-legal-moves"
    ENCIRCLED = "encircled"
    EXIT_FORT = "exit-fort"
    REPETITION = "repetition"
    RESIGNATION = "resignation"
    DRAW_AGREED = "draw-agreed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game has ended; without a winner it is a draw."""

    winner: Side | None
    reason: Reason


class Announcement(enum.Enum):
    """What is said aloud after a move that does not end the game; in this order (rules, corner 7, edge 6)."""

    RAICHI = "raichi"
    """The king could reach his goal next move, in one direction."""
    TUICHI = "tuichi"
    """In two directions or more."""
    KING_IN_DANGER = "king-in-danger"
    """After an attackers' move: were they to move again, they could capture the king."""
    REPETITION_WARNING = "repetition-warning"
    """Whoever has just moved goes to and fro; once more ends the game."""


@dataclass(frozen=True, slots=True)
class Ply:
    """A move that was played, and what was said after it."""

    number: int
    """Counted from 1."""
    side: Side
    """Who moved."""
    move: Move
    announcements: tuple[Announcement, ...]
    king: bool
    """Whether the king moved."""

    def whose(self, announcement: Announcement) -> Side:
        """Return the side that an announcement speaks of: who may escape, who threatens, who repeats."""
        if announcement is Announcement.REPETITION_WARNING:
            return self.side
        return Side.ATTACKERS if announcement is Announcement.KING_IN_DANGER else Side.DEFENDERS


class Refusal(enum.Enum):
    """Why a piece may not move to a square."""

    NOT_YOUR_TURN = "not-your-turn"
    OCCUPIED = "occupied"
    BLOCKED = "blocked"
    """Something stands between, or the throne, which this piece may not cross."""
    DIAGONAL = "diagonal"
    """Not on one line."""
    FORBIDDEN_SQUARE = "forbidden-square"
    """The throne, a corner or a camp, where this piece may not stop."""
    KING_MAY_NOT_RETURN = "king-may-not-return"
    NO_PIECE = "no-piece"
    """Nothing stands where the move begins."""
    WRONG_CAPTURES = "wrong-captures"
    """The move is legal but takes other pieces than were said."""
    GAME_OVER = "game-over"


class IllegalMove(GameStateError, ValueError):  # noqa: N818  # named for what it is, as every caller says it
    """A move that may not be played now; the game is unchanged."""

    def __init__(self, origin: Square, destination: Square, reason: Refusal, size: int) -> None:
        super().__init__(
            f"move: found {square_name(origin, size)}-{square_name(destination, size)} ({reason.value}), "
            "expected a legal move"
        )
        self.origin = origin
        self.destination = destination
        self.reason = reason


def squares_of(move: Move | tuple[Square, Square]) -> tuple[Square, Square]:
    """Return where a move begins and ends, whichever way it was told.

    Raises:
        GameStateError: this is no move at all.

    """
    try:
        origin, destination = move if isinstance(move, tuple) else (move.origin, move.destination)
    except (AttributeError, ValueError):
        raise GameStateError(f"move: found {move!r}, expected a Move or two squares") from None
    return origin, destination
