"""When a board that makes no sense would make sense if one sensor were broken: which moves to ask the players about.

Pure. Owns the memory of squares that were unexplained before, and the search for moves that one silent sensor would
explain. A first time anything unexplained is the players' to put right; when the same square is unexplained again,
they meant it, and a sensor may be to blame. Nothing is ever taken for a move here: it is asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from boardd.readings import NOWHERE, Difference, Kind, Reading, Scene, Squares, View, difference
from engine import Move, Square


@dataclass(frozen=True, slots=True)
class Suspect:
    """A move that the board would show if one sensor did not keep silent.

    `silent` is the square of that sensor: the origin reads occupied still, or the destination empty.
    """

    move: Move
    amends: bool
    silent: Square


class Suspicion:
    """What was unexplained since the last move. Times are seconds.

    Args:
        patience_s: how long something marked by a complaint must be unexplained again.
        stuck_s: how long a piece must be nowhere to be marked, and nowhere again if only that marked it.

    """

    def __init__(self, patience_s: float, stuck_s: float) -> None:
        self._patience_s, self._stuck_s = patience_s, stuck_s
        self._marked: Squares = NOWHERE
        self._absent: Squares = NOWHERE  # away for long, and back
        self._away: Squares = NOWHERE  # away now
        self._away_since = 0.0
        self._refused: set[Suspect] = set()

    def forget(self) -> None:
        """Begin anew, after a move."""
        self._marked = self._absent = self._away = NOWHERE
        self._refused.clear()

    def complained(self, reading: Reading) -> None:
        """Mark the squares that the board has complained about."""
        self._marked |= reading.missing | reading.extra | reading.squares

    def refuse(self, suspect: Suspect) -> None:
        """Take no for an answer."""
        self._refused.add(suspect)

    def watch(self, t: float, reading: Reading) -> None:
        """Take a new reading: a piece that was nowhere for long, and is back, is remembered."""
        away = reading.missing if reading.kind is Kind.HAND else NOWHERE
        if away == self._away:
            return
        if self._away and t - self._away_since >= self._stuck_s:
            self._absent |= self._away - away
        self._away, self._away_since = away, t

    def due(self, reading: Reading, since: float) -> float | None:
        """When a piece in the hand is to be asked about, if it stays there; None if it is not suspicious."""
        if reading.kind is not Kind.HAND:
            return None
        if reading.missing & self._marked:
            return since + self._patience_s
        return since + self._stuck_s if reading.missing & self._absent else None

    def suspects(self, scene: Scene) -> list[Suspect]:
        """Give the moves to ask about, those first whose sensor was never seen to work."""
        marked = self._marked | self._absent
        if scene.last is not None and scene.last.destination not in scene.seen:
            marked |= {scene.last.destination}  # it went on, and the opponent has replied: that is enough
        if not marked:
            return []
        found = [suspect for suspect in _suspects(scene, marked) if suspect not in self._refused]
        return sorted(found, key=lambda suspect: _changed(scene, suspect.silent))


def _changed(scene: Scene, square: Square) -> float:
    """Give when a square's sensor was last seen to work; long ago if never."""
    return max(_last(scene.evidence.lifted(square)), _last(scene.evidence.dropped(square)))


def _last(time: float | None) -> float:
    return -math.inf if time is None else time


def _suspects(scene: Scene, marked: Squares) -> Iterator[Suspect]:
    views: list[tuple[View, bool]] = [(scene.now, False)]
    if scene.before is not None and scene.last is not None:
        views.append((scene.before, True))
    for view, amends in views:
        for move in view.game.legal_moves():
            start = move.origin
            if amends:
                assert scene.last is not None
                if move.origin != scene.last.origin or move.destination == scene.last.destination:
                    continue
                start = scene.last.destination
            elif not scene.may(move):
                continue
            silent = _silent(scene, start, move.destination, marked)
            if silent is not None and _explains(scene, view.after(move), move, silent):
                yield Suspect(move, amends, silent)


def _silent(scene: Scene, start: Square, end: Square, marked: Squares) -> Square | None:
    """Give the end of a move that the sensors do not show, if they show the other and it is marked."""
    if {start, end} & scene.blind or (start in scene.seen) is not (end in scene.seen):
        return None
    shown, silent = (end, start) if end in scene.seen else (start, end)
    return silent if shown in marked and _changed(scene, silent) <= scene.since else None


def _explains(scene: Scene, after: View, move: Move, silent: Square) -> bool:
    """Whether the board is as it is after a move, or after one reply to it, but for one sensor."""
    rest = difference(replace(scene, blind=scene.blind | {silent}), after, scene.displaced.union(move.captures))
    if not rest.missing and not rest.strange:
        return True
    return len(rest.strange) == 1 and len(_replies(scene, after, rest)) == 1


def _replies(scene: Scene, after: View, rest: Difference) -> list[Move]:
    (destination,) = rest.strange
    return [
        reply
        for reply in after.to.get(destination, ())
        if reply.origin in rest.missing <= {reply.origin, *reply.captures}
        and scene.evidence.happened(reply.origin, destination, scene.since)
    ]
