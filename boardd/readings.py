"""What a settled board can mean: one occupancy, compared with what every possible reading would leave.

Owns the ranking of readings; the rules of evidence are `boardd.evidence`'s. Knows nothing of timers, lights or storage:
it is asked afresh after every settled change and remembers nothing.

The theory. Occupancy is the truth, events only explain it. In tafl the destination was empty and the victims are the
other side's, so the set of occupied squares names the move. Each reading is a hypothesis about which squares ought to
be occupied; `missing` ought to be and are not, `strange` are and ought not to be. Events are asked two things only:
whether a piece can have come from the square it would have left (`Evidence.denies`), and whether a captured piece was
seen to go before its square was used again. Two readings of equal rank are never told apart by the order of a list.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from boardd import signs
from boardd.evidence import TWO_HANDS_S
from boardd.lines import lines
from boardd.meanings import ACCEPTED, IN_HAND_AT_MOST, NOWHERE, Kind, Reading, Squares
from boardd.scene import Difference, Scene, difference
from engine import Move, Square


def read(scene: Scene) -> Reading:
    """Give the strongest reading of a settled board.

    Where two readings of one rank remain, it is WAITING: the board waits, and asks with light when that lasts.
    """
    now = difference(scene, scene.now)
    loose = scene.displaced if scene.last is None else scene.displaced.union(scene.last.captures)
    standing = now.strange & loose
    extra = now.strange - loose
    missing = now.missing

    if not missing and not extra:
        if not standing and not scene.removals:
            return Reading(Kind.AGREES)
        come = list(_unseen(scene, missing, extra, standing, None))
        if len(come) == 1:
            return Reading(Kind.UNSURE, come[0][0])
        return Reading(Kind.STANDING if standing == scene.removals else Kind.REMOVING, squares=standing)

    def reading(kind: Kind, move: Move | None = None, *, amends: bool = False, squares: Squares = NOWHERE) -> Reading:
        return Reading(kind, move, amends, squares, "", missing, extra)

    before = None if scene.before is None else difference(scene, scene.before, scene.displaced)
    if before is not None and _is_takeback(scene, before):
        instead = _captures_the_last(scene, scene.last.origin) if scene.last is not None else None
        return reading(Kind.UNSURE, instead) if instead is not None else reading(Kind.TAKEBACK, scene.last)

    exact: list[Reading] = []
    with_others: list[Reading] = []
    for move, others, still in _moves(scene, missing, extra, standing):
        if others:
            kind = _others_up(scene, move, others)
            if still and kind is Kind.REPLYING:  # the reply to a reply may begin, but nothing is accepted over victims
                with_others.append(reading(Kind.HELD, move, squares=still))
            else:
                with_others.append(reading(kind, move, squares=others))
        else:
            exact.append(reading(Kind.HELD if still else Kind.MOVE, move, squares=still))
    undoing: list[Reading] = []
    if before is not None:
        for move, others in _amendments(scene, before):
            to_put_back = others.intersection(scene.last.captures if scene.last else ())
            if not others:
                exact.append(reading(Kind.AMENDMENT, move, amends=True))
            elif others == to_put_back:
                undoing.append(reading(Kind.UNDOING, move, amends=True, squares=to_put_back))
            else:
                with_others.append(reading(_others_up(scene, move, others), move, amends=True, squares=others))
        if _mover_is_home(scene, before):
            if before.missing <= frozenset(scene.last.captures if scene.last else ()):
                undoing.append(reading(Kind.UNDOING, squares=before.missing))
            elif scene.last is not None:
                alone = _captures_the_last(scene, scene.last.origin) is None
                retaking = alone and _lifted_after(scene, before.missing, scene.last.origin)
                kind = Kind.RETAKING if retaking else Kind.WAITING
                with_others.append(reading(kind, scene.last, squares=before.missing))

    if exact:
        return _trusted(scene, _by_evidence(scene, exact)) or reading(Kind.WAITING)
    if scene.start is not None and scene.seen - scene.blind == scene.start - scene.blind:
        return reading(Kind.START)
    if undoing:
        return _only(undoing) or reading(Kind.WAITING)
    explained = [reading(kind, move, amends=amends) for kind, move, amends in lines(scene, missing, extra)]
    explained += [reading(Kind.STRAY, move, squares=away) for move, away in _strays(scene, missing, extra, standing)]
    if explained:
        return _trusted(scene, _only(explained)) or reading(Kind.WAITING)
    unseen = [
        reading(Kind.UNSURE, move, amends=amends) for move, amends in _unseen(scene, missing, extra, standing, before)
    ]
    if len(unseen) == 1:
        return unseen[0]
    displaced = _displaced(scene, missing, extra, standing)
    if displaced:
        return reading(Kind.DISPLACED, squares=displaced)
    if not extra and len(missing) <= IN_HAND_AT_MOST:
        return reading(Kind.HAND)
    if with_others:
        return _trusted(scene, _only(with_others)) or reading(Kind.WAITING)
    if len(missing) == 1 and len(extra) == 1:
        return _misplaced(scene, missing, extra)
    return reading(Kind.UNKNOWN, squares=missing | extra)


def _only(readings: list[Reading]) -> Reading | None:
    return readings[0] if len(readings) == 1 else None


def _trusted(scene: Scene, reading: Reading | None) -> Reading | None:
    """Give a reading; but one to be asked about if signs speak of a move that no sensor showed."""
    if reading is None or reading.move is None or reading.kind not in ACCEPTED:
        return reading
    instead = _captures_the_last(scene, reading.move.destination) if reading.amends else None
    if instead is not None:
        rival = replace(reading, kind=Kind.UNSURE, move=instead, amends=False)
        return replace(reading, kind=Kind.UNSURE, rival=rival)
    doubtful = (
        signs.hidden_move(scene)
        or signs.hidden_reply(scene)
        or signs.astride(scene, reading.move)
        or (reading.kind is not Kind.LINE and signs.another_came(scene, reading.move))
    )
    return replace(reading, kind=Kind.UNSURE) if doubtful else reading


def _is_takeback(scene: Scene, before: Difference) -> bool:
    return not before.missing and _mover_is_home(scene, before)


def _captures_the_last(scene: Scene, end: Square) -> Move | None:
    """Give a move from a blind square to `end` that captures the piece which moved last.

    It leaves what a takeback leaves, or an amendment.
    """
    for move in scene.now.to.get(end, ()):
        if scene.last is not None and move.origin in scene.blind and scene.last.destination in move.captures:
            return move if scene.may(move) else None
    return None


def _mover_is_home(scene: Scene, before: Difference) -> bool:
    """Whether the piece that moved last is where it came from, and nothing is where it was not before."""
    last = scene.last
    if last is None or before.strange or {last.origin, last.destination} & scene.blind:
        return False
    return last.origin in scene.seen and not scene.evidence.denies(last.destination, last.origin, scene.moved)


def _moves(
    scene: Scene, missing: Squares, extra: Squares, standing: Squares
) -> Iterator[tuple[Move, Squares, Squares]]:
    """Give each move that the board can show, the other pieces still up, and the earlier victims still standing.

    A move may end on the square of a victim that still stands only if that victim was seen lifted after the move
    that took it, and before the mover was put down.
    """
    if len(extra) == 1:
        destinations = extra
    elif not extra:
        destinations = frozenset(square for square in standing if _was_cleared(scene, square))
    else:
        return
    for destination in destinations:
        for move in scene.now.to.get(destination, ()):
            if move.origin in missing and scene.may(move) and not scene.evidence.denies(move.origin, destination):
                yield move, missing - {move.origin} - frozenset(move.captures), standing - {destination}


def _was_cleared(scene: Scene, square: Square) -> bool:
    """Whether a victim's square was seen empty since its capture."""
    if square not in scene.removals:
        return True
    lift, drop = scene.evidence.lifted(square), scene.evidence.dropped(square)
    return lift is not None and drop is not None and scene.since < lift < drop


def _amendments(scene: Scene, before: Difference) -> Iterator[tuple[Move, Squares]]:
    """Give each other move of the piece that moved last, and the other pieces that it does not account for."""
    last = scene.last
    if last is None or scene.before is None or len(before.strange) != 1 or last.destination in scene.blind:
        return
    (destination,) = before.strange
    if destination == last.destination or last.origin not in before.missing or scene.before.game.side is scene.opponent:
        return
    for move in scene.before.to.get(destination, ()):
        if move.origin == last.origin and not scene.evidence.denies(last.destination, destination, scene.moved):
            yield move, before.missing - {move.origin} - frozenset(move.captures)


def _others_up(scene: Scene, move: Move, others: Squares) -> Kind:
    """Say what other lifted pieces make of a move: a reply begun, or a reason to wait.

    A reply has begun when every one of them belongs to the side that moves next and was lifted after the move was
    down. One that was up before may be the very piece that was put down.
    """
    pieces = scene.now.game.pieces
    mover = pieces.get(move.origin)
    if mover is None and scene.last is not None:  # an amendment leaves from where the last move ended
        mover = pieces.get(scene.last.destination)
    if mover is None or any(pieces[square].side is mover.side for square in others if square in pieces):
        return Kind.WAITING
    return Kind.REPLYING if _lifted_after(scene, others, move.destination) else Kind.WAITING


def _lifted_after(scene: Scene, lifted: Squares, destination: Square) -> bool:
    """Whether all of these were seen lifted after a piece was put down."""
    drop = scene.evidence.dropped(destination)
    lifts = [scene.evidence.lifted(square) for square in lifted]
    return drop is not None and all(lift is not None and lift > drop for lift in lifts)


def _by_evidence(scene: Scene, exact: list[Reading]) -> Reading | None:
    """Give the one reading; of two that leave the very same squares, one to be asked about and the other after it.

    The likelier one is whose piece was lifted last before it was put down. Two hands may lift two pieces almost at
    once; that is no order, and a reply is what is to be expected.
    """
    if len(exact) == 1:
        return exact[0]

    def lifted(reading: Reading) -> float:
        assert reading.move is not None
        origin = scene.last.destination if reading.amends and scene.last else reading.move.origin
        lift, drop = scene.evidence.lifted(origin), scene.evidence.dropped(reading.move.destination)
        if lift is None or drop is None or lift > drop:
            return float("-inf")
        return lift - TWO_HANDS_S if reading.amends else lift

    ranked = sorted(exact, key=lifted, reverse=True)
    if len(ranked) > 2 or lifted(ranked[0]) == lifted(ranked[1]):
        return None
    first, second = (replace(reading, kind=Kind.UNSURE) for reading in ranked)
    return replace(first, rival=second)


def _displaced(scene: Scene, missing: Squares, extra: Squares, standing: Squares) -> Squares:
    """Give the squares on which victims of the last move were put down, if that explains all that is strange.

    A piece that was down before every piece now missing was lifted cannot be one of those, and one that was down
    before a victim was lifted cannot be that victim.
    """
    last = scene.last
    if last is None or not extra or len(missing) > IN_HAND_AT_MOST:
        return NOWHERE
    if len(extra) > len(last.captures) - len(standing):
        return NOWHERE
    gone = frozenset(last.captures) - standing
    for square in extra:
        is_nobody_missing = all(scene.evidence.denies(origin, square) for origin in missing)
        if not is_nobody_missing or all(scene.evidence.denies(victim, square) for victim in gone):
            return NOWHERE
    return extra


def _strays(scene: Scene, missing: Squares, extra: Squares, standing: Squares) -> Iterator[tuple[Move, Squares]]:
    """Give each move whose lifted victims account for the other strange squares."""
    if standing or not 2 <= len(extra) <= len(missing) <= IN_HAND_AT_MOST:
        return
    for destination in extra:
        elsewhere = extra - {destination}
        for move in scene.now.to.get(destination, ()):
            victims = missing - {move.origin}
            if move.origin not in missing or not victims <= frozenset(move.captures) or not scene.may(move):
                continue
            if scene.evidence.denies(move.origin, destination) or len(elsewhere) > len(victims):
                continue
            if all(any(scene.evidence.in_order(victim, square) for victim in victims) for square in elsewhere):
                yield move, elsewhere


def _unseen(
    scene: Scene, missing: Squares, extra: Squares, standing: Squares, before: Difference | None
) -> Iterator[tuple[Move, bool]]:
    """Give each move of which one end cannot be seen, while all else fits; and whether it amends the last one.

    What came to a square from which a captured piece was seen to go may be that piece, or the piece of such a move.
    """
    if not scene.blind:
        return
    destinations = extra or frozenset(square for square in standing if _was_cleared(scene, square))
    if len(destinations) == 1:
        (destination,) = destinations
        for move in scene.now.to.get(destination, ()):
            if move.origin in scene.blind and missing <= frozenset(move.captures) and scene.may(move):
                yield move, False
    if extra:
        return
    for origin in missing:
        for move in scene.now.from_.get(origin, ()):
            if move.destination in scene.blind and missing - {origin} <= frozenset(move.captures) and scene.may(move):
                yield move, False
    last = scene.last
    if before is None or scene.before is None or last is None or before.strange or last.origin not in before.missing:
        return
    for move in scene.before.from_.get(last.origin, ()):
        if move.destination in scene.blind and before.missing - {move.origin} <= frozenset(move.captures):
            yield move, True


def _misplaced(scene: Scene, missing: Squares, extra: Squares) -> Reading:
    """Name the reason why the one missing piece may not be where the one strange piece is."""
    (origin,), (destination,) = missing, extra
    game = scene.now.game
    refusal = game.refusal(origin, destination)
    if refusal is not None:
        reason = refusal.value
    elif game.side is scene.opponent:
        reason = "not-the-chosen-move"
    else:  # legal, but the events deny it: not this piece
        return Reading(Kind.UNKNOWN, squares=missing | extra, missing=missing, extra=extra)
    came = scene.moved if scene.last is not None and origin == scene.last.destination else -math.inf
    if scene.evidence.denies(origin, destination, came):
        return Reading(Kind.UNKNOWN, squares=missing | extra, missing=missing, extra=extra)
    move = Move(origin, destination, ())
    return Reading(Kind.MISPLACED, move, reason=reason, missing=missing, extra=extra)
