"""How long a reading must hold before its step is taken, and since when it does.

Owns every length of time that depends on what is read; the settings' names for them are `boardd.states.HOLDS`. Pure.
"""

from __future__ import annotations

from boardd.course import goes_on
from boardd.evidence import Evidence
from boardd.meanings import Kind, Reading
from boardd.nearly import MS
from boardd.play import Play
from boardd.settings import PlaySettings
from boardd.states import HOLDS, Phase, Step

_RESTS = frozenset({Kind.MOVE, Kind.AMENDMENT, Kind.HELD, Kind.REPLYING, Kind.WAITING})


class Holding:
    """The lengths of time on one board, in seconds.

    Args:
        settings: the timings.
        play: the game as it stands.
        evidence: when what was put down.

    """

    def __init__(self, settings: PlaySettings, play: Play, evidence: Evidence) -> None:
        self._settings = settings
        self._play = play
        self._evidence = evidence

    def complains_at(self, due: float, since: float, puzzled_at: float) -> float:
        """Give when the board complains or asks: those who play on while nothing explains it are told, too.

        Args:
            due: when it would, if nothing changed.
            since: when the reading began to hold.
            puzzled_at: since when nothing explains the board, whatever has changed meanwhile.

        """
        settings = self._settings
        return min(due, max(since + settings.illegal_ms * MS, puzzled_at + 2 * settings.mismatch_ms * MS))

    def since(self, old: Reading, old_since: float, reading: Reading, t: float) -> float:
        """Give when a new reading, come about at `t`, began to hold.

        A move rests from when its piece was put down, whatever other pieces came and went meanwhile; where it waited
        for victims, they must be gone for good. A line of two is as old as its first move.
        """
        if reading.move is None:
            return t
        if reading.kind is Kind.RETAKING:
            return self._evidence.dropped(reading.move.origin) or t
        if reading.kind is Kind.LINE:
            return self._evidence.touched(reading.move.destination) or t
        if old.move != reading.move or old.amends != reading.amends or not {old.kind, reading.kind} <= _RESTS:
            return t
        if old.kind is Kind.HELD and reading.kind is Kind.MOVE:
            return max(old_since, t + self._settings.victim_removed_ms * MS - self._settle_s(reading))
        return old_since

    def hold_s(self, step: Step, reading: Reading) -> float:
        """Give how long a reading must hold before its step is taken."""
        hold = HOLDS[step]
        if hold is None:
            return 0.0
        if hold == "settle_ms":
            return self._settle_s(reading)
        if step is Step.COUNT_VICTIMS:
            if self._play.phase in (Phase.SETUP, Phase.RESUME):
                return 0.0
            if not reading.squares <= self._play.removals:
                hold = "victim_back_ms"
        return float(getattr(self._settings, hold)) * MS

    def ends(self, reading: Reading) -> bool:
        """Whether the move of a reading would end the game."""
        return reading.move is not None and self._play.course.base(reading).game.outcome_of(reading.move) is not None

    def _settle_s(self, reading: Reading) -> float:
        """Give how long a move must rest: longer where it may slide on, longest where it would end the game."""
        if self.ends(reading):
            return self._settings.settle_final_ms * MS
        if reading.move is not None and goes_on(reading.move, self._play.course.base(reading)):
            return self._settings.settle_sliding_ms * MS
        return self._settings.settle_ms * MS
