"""Whether a hand answers what is read: the side that moves next lifts a piece, or has put one down.

Pure. Owns which lift and which drop are an answer; since when a reading must hold to be answered, `boardd.reconstruct`
knows.
"""

from __future__ import annotations

from collections.abc import Callable

from boardd.meanings import Kind, Reading, Squares
from engine import Game, Square

ANSWERED_BY_LIFT = frozenset({Kind.MOVE, Kind.AMENDMENT, Kind.TAKEBACK, Kind.LINE})


Ends = Callable[[Reading], bool]
"""Tells whether the move of a reading would end the game; nobody answers that."""


def begins_reply(lifted: Square, reading: Reading, game: Game, seen: Squares, ends: Ends) -> bool:
    """Whether a lifted piece belongs to the side that moves next, and is no part of what is read.

    Args:
        lifted: where it stood.
        reading: what the board means without that.
        game: as it was accepted.
        seen: what stood before.
        ends: see there; asked about moves only, since a takeback ends nothing.

    """
    if reading.kind not in ANSWERED_BY_LIFT:
        return False
    if reading.kind is Kind.LINE:
        return True
    piece = game.pieces.get(lifted)
    if reading.move is None or piece is None or lifted not in seen:
        return False
    spoken_for = {reading.move.origin, reading.move.destination}
    if reading.kind is not Kind.TAKEBACK:
        if ends(reading):
            return False
        spoken_for.update(reading.move.captures)
    next_side = game.side if reading.kind is Kind.AMENDMENT else game.side.other
    return piece.side is next_side and lifted not in spoken_for


def completes_reply(dropped: Square, reading: Reading, ends: Ends) -> bool:
    """Whether the reply that was begun over a move has now been made."""
    return reading.kind is Kind.REPLYING and not ends(reading) and dropped not in reading.squares
