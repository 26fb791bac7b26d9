"""Watch for squares whose sensor seems broken: one or two that stay wrong while all others agree.

Knows nothing of what a stuck sensor means for the game.
"""

from __future__ import annotations

from boardd.evidence import Evidence
from boardd.meanings import NOWHERE, Reading, Squares
from boardd.scene import View
from engine import Square

STUCK_AT_MOST = 2
"""More squares than this that differ at once are pieces not yet placed, not broken sensors."""


class Oddity:
    """The squares that are odd now, and since when (seconds)."""

    def __init__(self, stuck_s: float) -> None:
        self._stuck_s = stuck_s
        self.squares: Squares = NOWHERE
        self.called: Squares = NOWHERE
        """Those already called stuck."""
        self._asked: Squares = NOWHERE
        """Those called since they are odd now: a question that lapsed when the board changed is asked again."""
        self._since = 0.0
        self._first: dict[Square, float] = {}
        """When each square was first odd since the last move."""

    def watch(self, t: float, odd: Squares, *, lasting: bool = False) -> None:
        """Take the squares that are odd now; `lasting` counts from when they first were since the last move."""
        if odd == self.squares:
            return
        first = min((self._first.setdefault(square, t) for square in odd), default=t)
        self.squares, self._since = odd, first if lasting else t
        self._asked &= odd

    def forget(self) -> None:
        """Begin anew, after a move."""
        self._first.clear()

    def due(self) -> float | None:
        """When the odd squares are stuck, if they stay odd."""
        if not self.squares or self.squares <= self._asked:
            return None
        return self._since + self._stuck_s

    def call(self) -> Squares:
        """Call the odd squares stuck, and give them."""
        self.called |= self.squares
        self._asked |= self.squares
        return self.squares

    def sound(self, squares: Squares) -> Squares:
        """Take squares that changed; give those that had been called stuck and are not."""
        sound = squares & self.called
        self.called -= sound
        return sound


def never_left(victims: Squares, evidence: Evidence, since: float) -> Squares:
    """Give the victims that keep a finished reply waiting and were not seen to go since their capture."""
    lifts = {square: evidence.lifted(square) for square in victims}
    return frozenset(square for square, lift in lifts.items() if lift is None or lift < since)


def cannot_move(reading: Reading, view: View) -> bool:
    """Whether the only piece in the hand is one of the side to move that may go nowhere: nobody holds it for long."""
    game = view.game
    pieces = [game.pieces[square] for square in reading.missing]
    return len(pieces) == 1 and pieces[0].side is game.side and not reading.missing & view.from_.keys()


def odd(reading: Reading) -> Squares:
    """Of a mismatch, give squares that miss a piece while none is too much, or are too much while none is missing."""
    missing, extra = reading.missing, reading.extra
    if missing and extra:
        return NOWHERE
    return missing | extra if len(missing | extra) <= STUCK_AT_MOST else NOWHERE
