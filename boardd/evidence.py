"""When each square was seen to lose and to get a piece, and what that denies or allows.

Pure. Owns the rules of evidence: occupancy says what stands where, events only whether it can have come about so. Knows
nothing of games; `boardd.readings` asks.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from boardd.clock import TICK_S
from boardd.meanings import Squares
from boardd.nearly import at_least
from boardd.ways import are_neighbours
from engine import Square

TWO_HANDS_S = 0.15
"""What happens nearer together than this (seconds) may be two hands' doing at once: it is in no order."""

BOUNCE_S = 0.04
"""An edge may be told so much later than it was (seconds): the longest bounce seen."""

LONG_UNSEEN_S = 1.5
"""A whole reading follows what was lost within a second; in a longer time more than two moves may be made."""

GAPS_KEPT = 4
"""A square is emptied and filled this often within one move at most; older times explain nothing any more."""


@dataclass(slots=True)
class _Gap:
    """A time in which a square was empty, from a lift to the next drop."""

    lift: float
    by_scan: bool
    refill: float = math.inf


class Evidence:
    """When each square was seen to be empty (seconds, times of the raw edges)."""

    def __init__(self, overlap_s: float, size: int) -> None:
        self._overlap_s = overlap_s
        self._size = size
        self._gaps: dict[Square, deque[_Gap]] = {}
        self._drops: dict[Square, float] = {}
        self._arrivals: dict[Square, deque[float]] = {}
        """When pieces were seen to come to each square, but for those that only a whole reading brought."""
        self._read: set[Square] = set()
        """Whose last drop only a whole reading brought: it was then or before, and in no order with others of it."""
        self._glimpses: dict[Square, float] = {}
        self._visits: dict[Square, float] = {}
        self._stirs: dict[Square, float] = {}
        self._unseen = (0.0, 0.0)
        """The last time in which news was lost, up to a whole reading."""
        self._long_past: set[Square] = set()
        """Whose last drop a whole reading brought that ended a long time of which nobody heard."""

    def stir(self, t: float, square: Square) -> None:
        """Take a raw edge, settled or not."""
        self._stirs[square] = t

    def stirred(self, square: Square) -> float:
        """When the last raw edge was seen on a square; long ago if never."""
        return self._stirs.get(square, -math.inf)

    def unseen(self, since: float, until: float) -> None:
        """Take it that news was lost between two times, of which the second is that of a whole reading."""
        self._unseen = since, until

    def is_long_past(self, square: Square) -> bool:
        """Whether the last drop on a square may be so long past that much else may have happened."""
        return square in self._long_past

    def glimpse(self, t: float, square: Square) -> None:
        """Take a rise that never settled: a piece that another takes at once is seen for a moment."""
        self._glimpses[square] = t

    def visited(self, t: float, square: Square) -> None:
        """Take it that a piece was on a square and is gone, at some time before `t` when news was lost."""
        self._visits[square] = t

    def visits(self, since: float) -> Mapping[Square, bool]:
        """Give the squares that got a piece since then, and whether that was, or may have been, while news was lost."""
        found = {square: False for square, t in self._drops.items() if t > since}
        return found | {square: True for square, t in self._visits.items() if t > since}

    def note(self, t: float, square: Square, occupied: bool, by_scan: bool) -> None:
        """Take one settled edge; `by_scan` says that only a whole reading brought it, so that its time is a guess."""
        gaps = self._gaps.setdefault(square, deque(maxlen=GAPS_KEPT))
        if not occupied:
            gaps.append(_Gap(t, by_scan))
            return
        self._drops[square] = t
        if not by_scan:
            self._arrivals.setdefault(square, deque(maxlen=GAPS_KEPT)).append(t)
        (self._read.add if by_scan else self._read.discard)(square)
        since, until = self._unseen
        is_long = by_scan and t == until and until - since > LONG_UNSEEN_S
        (self._long_past.add if is_long else self._long_past.discard)(square)
        if gaps:
            gaps[-1].refill = t

    def arrivals(self, since: float) -> Mapping[Square, list[float]]:
        """Give when pieces were seen to come to each square since then, were it only for a moment."""
        found = {square: [t for t in times if t > since] for square, times in self._arrivals.items()}
        for square, t in self._glimpses.items():
            if t > since:
                found.setdefault(square, []).append(t)
        return {square: times for square, times in found.items() if times}

    def is_guess(self, square: Square) -> bool:
        """Whether only a whole reading brought the last drop on a square: it was then or before."""
        return square in self._read

    def from_nowhere(self, since: float, occupied: Squares, blind: Squares) -> Squares:
        """Give the squares to which a piece came since then that was seen to leave no other square.

        It may have left a square before that, if that square was `occupied` then. `blind` squares show nothing.
        """
        seen = [(origin, gap) for origin, gaps in self._gaps.items() if origin not in blind for gap in gaps]
        left = [(origin, gap) for origin, gap in seen if gap.lift > since or origin in occupied]
        return frozenset(
            square
            for square, arrivals in self._arrivals.items()
            if any(t > since and not self._left_another(left, square, t) for t in arrivals)
        )

    def _left_another(self, left: Iterable[tuple[Square, _Gap]], square: Square, t: float) -> bool:
        return any(origin != square and self._covers(gap, t, self._slack_s(origin, square)) for origin, gap in left)

    def lifted(self, square: Square) -> float | None:
        """When the square last lost a piece."""
        gaps = self._gaps.get(square)
        return gaps[-1].lift if gaps else None

    def dropped(self, square: Square) -> float | None:
        """When the square last got a piece."""
        return self._drops.get(square)

    def touched(self, square: Square) -> float | None:
        """When the square last got a piece, were it only for a moment."""
        glimpse, drop = self._glimpses.get(square), self._drops.get(square)
        return drop if glimpse is None else glimpse if drop is None else max(glimpse, drop)

    def stood_together(self, first: Square, second: Square) -> bool:
        """Whether two squares were occupied at the same time when they were last: longer than by a piece in passing."""
        if first == second:
            return False
        stays = [(self._drops.get(square), self.lifted(square)) for square in (first, second)]
        begin = max(math.inf if drop is None else drop for drop, _ in stays)
        end = min(math.inf if lift is None or (drop is not None and lift < drop) else lift for drop, lift in stays)
        return not math.isinf(begin) and end - begin > self._overlap_s

    def denies(self, origin: Square, destination: Square, since: float = -math.inf) -> bool:
        """Whether the piece on `destination` came there while `origin` still, or again, had its own.

        What was never seen to change denies nothing. `since` is when that piece came to its origin.
        """
        gaps = [gap for gap in self._gaps.get(origin, ()) if gap.lift >= since]
        drop, slack_s = self._drops.get(destination), self._slack_s(origin, destination)
        return bool(gaps) and drop is not None and not any(self._covers(gap, drop, slack_s) for gap in gaps)

    def in_order(self, origin: Square, destination: Square) -> bool:
        """Whether a piece was seen to leave one square before one came to the other."""
        lift, drop = self.lifted(origin), self._drops.get(destination)
        return lift is not None and drop is not None and lift <= drop

    def in_turn(self, down: float, origin: Square, first: Square, second: Square, since: float) -> bool:
        """Whether a reply from `origin` to `second` can have answered a move that came down on `first` at `down`.

        It was lifted after that; or both players had a piece in the hand, put them down in their turn, and nothing
        else was put down since the last move. Two pieces that come down at almost the same time were swept over by a
        sleeve; but where one look at the board brought all, or only a reading the first, nobody knows.
        """
        up, end = self.lifted(origin), self._drops.get(second)
        if up is None or end is None:
            return False
        nobody_knows = first in self._read or (end == down and at_least(BOUNCE_S, abs(up - down)))
        if not at_least(end - down, TWO_HANDS_S) and not nobody_knows:
            return False
        if at_least(up - down, -self._overlap_s) or first in self._read:
            return True
        others = [square for square, drop in self._drops.items() if drop > since and square not in (first, second)]
        return not others

    def happened(self, origin: Square, destination: Square, since: float) -> bool:
        """Whether both ends of a move were seen since then, in a possible order."""
        drop = self.touched(destination)
        if drop is None or drop < since:
            return False
        slack_s = self._slack_s(origin, destination)
        return any(gap.lift >= since and self._covers(gap, drop, slack_s) for gap in self._gaps.get(origin, ()))

    def _slack_s(self, origin: Square, destination: Square) -> float:
        """How much later than the drop the lift may come: one magnet is read on two squares, if they are neighbours."""
        if are_neighbours(origin, destination, self._size):
            return self._overlap_s
        # when a reading shows the drop it is past, and the lift's bounce too: what was lifted then was lifted after it
        return -TICK_S if destination in self._read else min(self._overlap_s, BOUNCE_S)

    def _covers(self, gap: _Gap, drop: float, slack_s: float) -> bool:
        """Whether a piece lifted at the start of a gap can be the one put down, give or take.

        A lift that only a scan brought may be older than it says.
        """
        in_time = gap.by_scan or at_least(drop - gap.lift, -slack_s)
        return in_time and at_least(gap.refill - drop, -max(slack_s, 0.0))
