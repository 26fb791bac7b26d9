"""What a board can mean: the words that readings, the table of states and everybody after them speak.

Values only. Owns no judgement: readings.py finds which of these holds.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from engine import Move, Square

Squares = frozenset[Square]
NOWHERE: Squares = frozenset()

IN_HAND_AT_MOST = 4
"""A mover and the three victims that one move can take (rules, common 3)."""


class Kind(enum.Enum):
    """What the board can mean, the strongest first."""

    AGREES = "the board is as the game has it"
    STANDING = "as the game has it, and the captured pieces stand where they stood"
    REMOVING = "as the game has it, and captured pieces were taken off or put back"
    TAKEBACK = "the last move put back, its victims too"
    MOVE = "a legal move of the side to move"
    HELD = "a legal move, made before the victims of the last one were taken off"
    AMENDMENT = "the piece that moved last, on another legal square"
    START = "the start position"
    UNDOING = "the piece that moved last put back or moved on, victims to be put back"
    LINE = "two moves"
    STRAY = "a legal move, its victim put down elsewhere"
    UNSURE = "a move that only its players can vouch for"
    DISPLACED = "a captured piece put down elsewhere"
    HAND = "pieces in the hand"
    REPLYING = "a legal move, and a piece lifted for the reply"
    RETAKING = "the last move put back, and another piece lifted after"
    WAITING = "a move, perhaps, with another piece still up"
    MISPLACED = "one piece where it may not be"
    UNKNOWN = "nothing explains it"


AGREES = frozenset({Kind.AGREES, Kind.STANDING, Kind.REMOVING})
"""Where all pieces are where the game has them, captured ones apart."""

ACCEPTED = frozenset({Kind.MOVE, Kind.AMENDMENT, Kind.REPLYING, Kind.LINE})
"""Moves that are accepted unasked."""

UNEXPLAINED = frozenset({Kind.WAITING, Kind.MISPLACED, Kind.UNKNOWN})
"""What the board complains about, if it stays so."""

PUZZLING = UNEXPLAINED | {Kind.UNSURE}
"""What it complains about or asks about, even if one of them gives way to another again and again."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One meaning of the board. Two readings are the same while they mean the same, whatever victims have left."""

    kind: Kind
    move: Move | None = None
    """The move, for kinds that are one (the first of a line)."""
    amends: bool = False
    """Whether the move replaces the last one."""
    squares: Squares = NOWHERE
    """Victims that stand (STANDING, REMOVING, HELD), are to be put back (UNDOING) or lie away (DISPLACED, STRAY)."""
    reason: str = ""
    """MISPLACED: the contract's word."""
    missing: Squares = field(default=NOWHERE, compare=False)
    """Squares whose piece is not there, as the game has it."""
    extra: Squares = field(default=NOWHERE, compare=False)
    """Squares with a piece too many, as the game has it; captured pieces not counted."""
    rival: Reading | None = field(default=None, compare=False)
    """UNSURE: what leaves the very same squares, and is asked about next."""
