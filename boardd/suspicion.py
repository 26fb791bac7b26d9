"""When a board that makes no sense would make sense if one sensor were broken: which moves to ask the players about.

Pure. Owns the memory of squares that were unexplained before, and the search for moves that one silent sensor would
explain. A first time anything unexplained is the players' to put right; when the same square is unexplained again,
they meant it, and a sensor may be to blame. Nothing is ever taken for a move here: it is asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from boardd.meanings import NOWHERE, Kind, Reading, Squares
from boardd.nearly import at_least
from boardd.oddity import never_left
from boardd.scene import Difference, Scene, View, difference
from boardd.ways import distance, is_between
from engine import Move, Square

NOWHERE_S = 5.0
"""A marked piece that is nowhere again is asked about after so long."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A move that the board would show if one sensor did not keep silent.

    `silent` is the square of that sensor: the origin reads occupied still, the destination empty, or as if the captured
    piece that stood there had never been taken off. `since` is when the move was begun, as far as was seen.
    """

    move: Move
    amends: bool
    silent: Square
    since: float | None = field(compare=False)


class Suspicion:
    """What was unexplained since the last move. Times are seconds.

    Args:
        stuck_s: how long a piece must be nowhere to be marked.

    """

    def __init__(self, stuck_s: float) -> None:
        self._stuck_s = stuck_s
        self._marked: Squares = NOWHERE
        self._away: dict[Square, float] = {}  # whose piece is nowhere, and since when
        self._away_s: dict[Square, float] = {}  # and how long it was altogether, before
        self._refused: set[Suspect] = set()
        self._called: set[Move] = set()  # what was called illegal

    def forget(self) -> None:
        """Begin anew, after a move."""
        self._marked = NOWHERE
        self._away.clear()
        self._away_s.clear()
        self._refused.clear()
        self._called.clear()

    def complained(self, reading: Reading) -> None:
        """Mark the squares that the board has complained about."""
        self._marked |= reading.missing | reading.extra | reading.squares

    def refuse(self, suspect: Suspect) -> None:
        """Take no for an answer."""
        self._refused.add(suspect)

    def watch(self, t: float, reading: Reading) -> None:
        """Take a new reading: a piece that was nowhere for long altogether, and is back, is remembered."""
        back = [square for square in self._away if square not in reading.missing]
        for square in back:
            self._away_s[square] = self._away_s.get(square, 0.0) + t - self._away.pop(square)
        self._marked = self._marked.union(square for square in back if at_least(self._away_s[square], self._stuck_s))
        for square in reading.missing:
            self._away.setdefault(square, t)

    def due(self, reading: Reading, since: float, moved: Square | None) -> float | None:
        """When a piece in the hand is to be asked about, if it stays there; None if it is not suspicious.

        Args:
            reading: What the board means.
            since: Since when.
            moved: Where the piece that moved last was put down.

        """
        if reading.kind is not Kind.HAND:
            return None
        went_on = moved in reading.missing and len(reading.missing) > 1  # and its victim was taken off
        return since + NOWHERE_S if went_on or reading.missing & self._marked else None

    def suspects(self, scene: Scene) -> list[Suspect]:
        """Give the moves to ask about: those first whose sensor was never seen to work, then a slide that went on."""
        marked = self._marked
        if scene.last is not None and scene.last.destination not in scene.seen:
            marked |= {scene.last.destination}  # it went on, and the opponent has replied: that is enough
        return self._ranked(scene, [*_suspects(scene, marked), *_instead(scene)]) if marked else []

    def instead(self, scene: Scene, called: Move) -> list[Suspect]:
        """Give what the last move may have been instead, if a move that is called illegal a second time was right."""
        return self._ranked(scene, _instead(scene)) if called in self._called else []

    def called(self, move: Move) -> None:
        """Take it that a move was called illegal."""
        self._called.add(move)

    def _ranked(self, scene: Scene, found: Iterable[Suspect]) -> list[Suspect]:
        return sorted(
            (suspect for suspect in found if suspect not in self._refused),
            key=lambda suspect: _likelihood(scene, suspect),
        )


def _likelihood(scene: Scene, suspect: Suspect) -> tuple[float, bool, int]:
    """Give what moves to ask about are ordered by, the likeliest least."""
    move, last = suspect.move, scene.last
    onward = suspect.amends and last is not None and is_between(last.destination, move, scene.now.game.size)
    far = distance(move.origin, move.destination, scene.now.game.size)
    return _changed(scene, suspect.silent), not onward, far


def _changed(scene: Scene, square: Square) -> float:
    """Give when a square's sensor was last seen to work; long ago if never."""
    return max(_last(scene.evidence.lifted(square)), _last(scene.evidence.dropped(square)))


def _last(time: float | None) -> float:
    return -math.inf if time is None else time


def _suspects(scene: Scene, marked: Squares) -> Iterator[Suspect]:
    """Give the moves that the board shows all but for one end; the end that it shows is marked."""
    last = scene.last
    for view, amends in ((scene.now, False), (scene.before, True)):
        if view is None or not marked:
            continue
        for move in view.game.legal_moves():
            start = move.origin
            if amends:
                if last is None or move.origin != last.origin or move.destination == last.destination:
                    continue
                start = last.destination
            elif not scene.may(move):
                continue
            silent = _silent(scene, start, move.destination, marked)
            if silent is not None and _explains(scene, view.after(move), move, amends, silent):
                begun = scene.evidence.dropped(move.destination) if silent == start else scene.evidence.lifted(start)
                yield Suspect(move, amends, silent, begun)


def _silent(scene: Scene, start: Square, end: Square, marked: Squares) -> Square | None:
    """Give the end of a move that the sensors do not show, if they show the other and it is marked.

    Where a captured piece stands that was never seen to go, something else may stand by now.
    """
    never_gone = bool(never_left(scene.removals & {end}, scene.evidence, scene.moved))
    if {start, end} & scene.blind or (start in scene.seen) is not (end in scene.seen and not never_gone):
        return None
    shown, silent = (end, start) if start in scene.seen else (start, end)
    return silent if shown in marked and _changed(scene, silent) <= scene.since else None


def _instead(scene: Scene) -> Iterator[Suspect]:
    """Give what the last move may have been instead, where one of its victims may be what stands at its end.

    The mover went to where no sensor shows it, the victim replied, and by now the mover's side has moved again.
    """
    last, before = scene.last, scene.before
    if last is None or before is None or last.destination not in scene.seen - scene.blind:
        return
    begun = scene.evidence.lifted(last.origin)
    replied = [
        square
        for square in last.captures
        if square not in scene.seen and scene.evidence.in_order(square, last.destination)
    ]
    if begun is None or not replied:
        return
    for move in before.from_.get(last.origin, ()):
        silent = move.destination
        if silent in scene.seen | scene.blind or _changed(scene, silent) > begun:
            continue
        after = before.after(move)
        for reply in after.to.get(last.destination, ()):
            if reply.origin in replied and _replied_again(scene, after.after(reply), reply, silent):
                yield Suspect(move, True, silent, begun)


def _replied_again(scene: Scene, after: View, reply: Move, silent: Square) -> bool:
    rest = difference(replace(scene, blind=scene.blind | {silent}), after, scene.displaced.union(reply.captures))
    return len(rest.strange) == 1 and len(_replies(scene, after, rest)) == 1


def _explains(scene: Scene, after: View, move: Move, amends: bool, silent: Square) -> bool:
    """Whether the board is as it is after a move, or after one reply to it, but for one sensor.

    Victims of a move that is amended may still have to be put back.
    """
    rest = difference(replace(scene, blind=scene.blind | {silent}), after, scene.displaced.union(move.captures))
    to_put_back = frozenset(scene.last.captures if amends and scene.last else ())
    if rest.missing <= to_put_back and not rest.strange:
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
