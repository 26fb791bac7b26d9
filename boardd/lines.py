"""Two moves that came at once: whether one occupancy is a move and the reply to it.

Pure. Owns the search for the pairs, and what must have been seen of both to believe in one. Nothing is guessed here
that was not seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from boardd.evidence import BOUNCE_S
from boardd.meanings import IN_HAND_AT_MOST, Kind, Squares
from boardd.scene import Scene, View, difference
from boardd.signs import may_be_one, only_passed, went_on_late
from boardd.ways import TOO_FAR, is_between
from engine import Move, Square


def lines(scene: Scene, missing: Squares, extra: Squares) -> Iterator[tuple[Kind, Move, bool]]:
    """Give each first move of two that explain the board, what it is, and whether it amends the last one.

    That is a move and the reply to it, or an amendment and its reply. All four ends must have been seen to change since
    the last move, in a possible order: what was not seen at all is not guessed.
    """
    if not missing or len(extra) > 2 or len(missing) > 2 * IN_HAND_AT_MOST:
        return
    for move in scene.now.game.legal_moves():
        if scene.may(move) and scene.evidence.happened(move.origin, move.destination, scene.since):
            reply = _reply(scene, scene.now.after(move), move)
            if reply is not None:
                yield _kind(scene, move, reply), move, False
    if scene.before is None or scene.last is None:
        return
    stood = scene.last.destination
    for move in scene.before.from_.get(scene.last.origin, ()):
        if move.destination != stood and scene.evidence.happened(stood, move.destination, scene.since):
            reply = _reply(scene, scene.before.after(move), move)
            if reply is not None:
                late = went_on_late(scene, stood, reply)
                yield Kind.UNSURE if late else _kind(scene, move, reply), move, True


def _kind(scene: Scene, first: Move, reply: Move) -> Kind:
    """Say what two moves are; in a long time of which nobody heard more may have been made."""
    long_past = scene.evidence.is_long_past(first.destination)
    doubtful = long_past or may_be_one(scene, first, reply) or only_passed(scene, first, reply)
    return Kind.UNSURE if doubtful else Kind.LINE


def _reply(scene: Scene, after: View, first: Move) -> Move | None:
    """Give the one reply to `first` that explains the board; victims of both may stand or be gone."""
    down = scene.evidence.touched(first.destination)
    if down is None:
        return None
    rest = difference(scene, after, scene.displaced.union(first.captures))
    destinations = rest.strange or _refilled(scene, first, down)
    if len(destinations) != 1:
        return None
    (destination,) = destinations
    found = [
        reply
        for reply in after.to.get(destination, ())
        if reply.origin in rest.missing <= {reply.origin, *reply.captures}
        and scene.evidence.in_turn(down, reply.origin, first.destination, destination, scene.since)
        and scene.evidence.happened(reply.origin, destination, scene.since)
        and _all_on_the_way(scene, (first, reply))
        and not _went_on(scene, first, reply)
    ]
    return found[0] if len(found) == 1 else None


def _all_on_the_way(scene: Scene, moves: tuple[Move, Move]) -> bool:
    """Whether every square on which a piece came and went since the last move was passed on the way of one of the two.

    Else more happened than two moves, or one stood askew and its end is not certain. While news was lost, nothing is
    put down to a slide that went too far.
    """
    size = scene.now.game.size

    def passed(square: Square, lost: bool) -> bool:
        return any(
            is_between(square, move, size, 0 if lost else TOO_FAR)
            and not scene.evidence.stood_together(square, move.destination)
            for move in moves
        )

    return all(
        square in scene.seen or square in scene.now.occupied or passed(square, lost)
        for square, lost in scene.evidence.visits(scene.since).items()
    )


def _went_on(scene: Scene, first: Move, reply: Move) -> bool:
    """Whether the first of two moves went on when the piece of the reply had been put down, be it on its way.

    Two players who each rested a piece while the other moved made more than two moves.
    """
    evidence, size = scene.evidence, scene.now.game.size
    visits = evidence.visits(scene.since).keys()
    firsts = {square for square in visits if is_between(square, first, size)} - {first.origin, first.destination}
    left = [evidence.lifted(square) for square in firsts - scene.seen]
    down, up = evidence.touched(first.destination), evidence.lifted(reply.origin)
    if not evidence.is_guess(first.destination):
        left.append(down)
    ends = {first.origin, first.destination, *firsts}
    came = [
        t
        for square, times in evidence.arrivals(scene.since).items()
        if square not in ends and is_between(square, reply, size)
        for t in times
        if up is None or t > up - BOUNCE_S
    ]
    return any(lift is not None and lift > drop for lift in left for drop in came)


def _refilled(scene: Scene, first: Move, down: float) -> Squares:
    """Give the squares of the first move's victims to which another piece came after that move."""
    drops = {square: scene.evidence.dropped(square) for square in scene.seen.intersection(first.captures)}
    return frozenset(square for square, drop in drops.items() if drop is not None and drop > down)
