"""What the board asks before it complains: whether one broken sensor is to blame.

Owns the steps that say "this makes no sense" (`boardd.states.Step`), each preceded by the question. Which moves are
suspect is `boardd.suspicion`'s; what is said, `boardd.play`'s.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from boardd.meanings import ACCEPTED, AGREES, NOWHERE, UNEXPLAINED, Kind, Reading, Squares
from boardd.play import Play, Sight
from boardd.scene import Scene
from boardd.states import Phase
from boardd.suspicion import Suspect, Suspicion
from engine import Move

_ALONE = frozenset({Kind.MOVE, Kind.AMENDMENT})

MISSED_S = 7.0
"""A piece that is in the hand for so long may be down where no sensor shows it: lights say that it is missed."""


class Doubt:
    """Doubts about the sensors of one board. Times are seconds.

    Args:
        play: says and asks.
        stuck_s: how long a piece must be nowhere to be suspicious.
        scene: gives what there is to explain.

    """

    def __init__(self, play: Play, stuck_s: float, scene: Callable[[], Scene]) -> None:
        self._play = play
        self._suspicion = Suspicion(stuck_s)
        self._scene = scene
        self._board = Reading(Kind.UNKNOWN)
        self._since = -math.inf
        """Since when the board is so."""
        self._asked_about_hand = False
        """Whether a piece in the hand has been asked about, as far as there was something to ask."""
        self._doubted: Move | None = None
        """The move that was asked about, or was to be, since the board agreed."""
        self.nowhere: Squares = NOWHERE
        """The squares whose pieces have been in the hand for so long that lights say they are missed."""

    def heed(self, reading: Reading, blind: Squares) -> Reading:
        """Give what a board means whose meaning was in doubt: until it agrees again, no other move is taken unasked."""
        move = reading.move
        if reading.kind in AGREES:
            self._doubted = None
        elif move is None:
            return reading
        elif reading.kind is Kind.UNSURE and not {move.origin, move.destination} & blind:
            self._doubted = move
        elif self._doubted == move and reading.kind in _ALONE:
            return reading  # what spoke against it has been put right
        elif reading.kind in ACCEPTED and self._doubted is not None:
            return replace(reading, kind=Kind.UNSURE)
        return reading

    def watch(self, t: float, reading: Reading, since: float) -> None:
        """Take what the board reads as; a move is asked about only while it would explain the board.

        Args:
            t: now.
            reading: what it means.
            since: when it came to be so, if it is new.

        """
        old, self._board = self._board, reading
        if (reading, reading.missing, reading.extra) != (old, old.missing, old.extra):
            self._since = since
            self._asked_about_hand = False
            self.nowhere = NOWHERE
            suspect = self._play.suspect
            if suspect is not None and suspect not in self._suspicion.suspects(self._scene()):
                self._play.withdraw()
        self._suspicion.watch(t, reading)

    def forget(self) -> None:
        """Begin anew, after a move."""
        self._suspicion.forget()
        self._doubted = None

    # Steps of the state machine.

    def complain(self, t: float, sight: Sight) -> None:
        """Say that nothing explains the board, unless players can say that a broken sensor does."""
        if self._ask(t, sight.reading):
            return
        self._suspicion.complained(sight.reading)
        self._play.say_mismatch(t, sight)

    def count_victims(self, t: float, sight: Sight) -> None:
        """Take note of captured pieces; one that is back may be none."""
        if not sight.reading.squares <= self._play.removals and self._play.phase is Phase.PLAY:
            if self._ask(t, sight.reading):
                return
            self._suspicion.complained(sight.reading)
        self._play.count_victims(t, sight)

    def call_displaced(self, t: float, sight: Sight) -> None:
        """Ask a captured piece off again; one that comes back to the same square may be none."""
        if self._ask(t, sight.reading):
            return
        self._suspicion.complained(sight.reading)
        self._play.call_displaced(t, sight)

    def say_illegal(self, t: float, sight: Sight) -> None:
        """Say that a piece rests where it may not; a second time ask, if it may where the last move was another one."""
        move = sight.reading.move
        assert move is not None
        if self._ask_about(t, self._suspicion.instead(self._scene(), move), sight.reading):
            return
        self._suspicion.called(move)
        self._play.say_illegal(t, sight)

    # A piece in the hand.

    def due(self) -> float | None:
        """When a piece in the hand is to be asked about, or to be missed, if it stays there."""
        in_hand = self._board.kind in (Kind.HAND, Kind.UNSURE) and self._board.missing and not self._board.extra
        if self._play.phase is not Phase.PLAY or not in_hand or self._play.asked is not None:
            return None
        return min((time for time in (self._ask_due(), self._miss_due()) if time is not None), default=None)

    def wonder(self, t: float) -> None:
        """Ask about a piece in the hand if it is time to, once; or let the lights say that it is missed."""
        ask_due, miss_due = self._ask_due(), self._miss_due()
        if ask_due is not None and (miss_due is None or ask_due <= miss_due):
            self._asked_about_hand = True
            self._ask(t, self._board)
        else:
            self.nowhere = self._board.missing

    def _ask_due(self) -> float | None:
        if self._asked_about_hand:
            return None
        plies = self._play.game.plies
        return self._suspicion.due(self._board, self._since, plies[-1].move.destination if plies else None)

    def _miss_due(self) -> float | None:
        return None if self.nowhere else self._since + MISSED_S

    # Questions.

    def refused(self, t: float, suspect: Suspect, sight: Sight) -> None:
        """Take no for an answer, and ask about the next suspect, or complain."""
        self._suspicion.refuse(suspect)
        if sight.reading.kind is Kind.MISPLACED:
            self.say_illegal(t, sight)
        elif sight.reading.kind is Kind.DISPLACED:
            self.call_displaced(t, sight)
        elif sight.reading.kind in UNEXPLAINED:
            self.complain(t, sight)
        else:
            self._ask(t, sight.reading)

    def _ask(self, t: float, reading: Reading) -> bool:
        """Ask about the next move that one silent sensor would explain; say whether there was one."""
        return self._ask_about(t, self._suspicion.suspects(self._scene()), reading)

    def _ask_about(self, t: float, suspects: list[Suspect], reading: Reading) -> bool:
        if suspects:
            self._play.ask_suspect(t, suspects[0], reading)
        return bool(suspects)
