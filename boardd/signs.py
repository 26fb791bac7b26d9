"""Signs that somebody made a move which no sensor showed: why a reading that fits may still be wrong.

Pure. `boardd.readings` asks before it believes. A move that no sensor showed leaves its traces in what came before and
after: a piece that came from nowhere, a player who took it to be his turn.
"""

from __future__ import annotations

from itertools import pairwise

from boardd.evidence import TWO_HANDS_S, Evidence
from boardd.meanings import Reading
from boardd.scene import Scene
from boardd.ways import TOO_FAR, are_neighbours, is_between
from engine import Move, Square

IN_PASSING_S = 0.25
"""A mover may go on so long after the opponent has lifted a piece, who took a stop of a slide for its end; nobody puts
that piece down and is answered within this time."""

AT_ONCE_S = 0.02
"""A magnet between two squares comes upon both sensors within this, bounce included."""

ON_THE_WAY_S = 0.3
"""A slide is on a square of its way for less."""


def hidden_move(scene: Scene) -> bool:
    """Whether since the last move a piece that was seen to leave no square came where a move from a blind one leads.

    Then that move was made, as likely as not, whatever has become of its piece since; that the board agreed again says
    nothing, since the blind square may be empty.
    """
    return bool(scene.blind) and any(
        move.origin in scene.blind and scene.may(move)
        for square in scene.evidence.from_nowhere(scene.moved, scene.now.occupied, scene.blind)
        for move in scene.now.to.get(square, ())
    )


def hidden_reply(scene: Scene) -> bool:
    """Whether a piece that was put down and seems to be back may have been captured by a move from a blind square.

    That piece would stand where the captured one came from, so that nothing seems to have happened.
    """
    evidence = scene.evidence
    for move in scene.now.game.legal_moves() if scene.blind else ():
        seems_back = move.origin in scene.seen and move.destination not in scene.seen
        if not seems_back or not evidence.happened(move.origin, move.destination, scene.moved):
            continue
        for reply in scene.now.after(move).to.get(move.origin, ()):
            if reply.origin in scene.blind and move.destination in reply.captures:
                return True
    return False


def went_on_late(scene: Scene, origin: Square, reply: Move) -> bool:
    """Whether a piece was lifted again from its `origin` long after the opponent had lifted one for his reply.

    In between he may have put it down where no sensor shows it.
    """
    again, up = scene.evidence.lifted(origin), scene.evidence.lifted(reply.origin)
    return again is not None and up is not None and again - up > IN_PASSING_S


def another_came(scene: Scene, move: Move) -> bool:
    """Whether another piece stood elsewhere for a while when the mover was down already, and was no captured one.

    Then two pieces moved, and one of them went on to where no sensor shows it, or is in the hand.
    """
    end, size, evidence = move.destination, scene.now.game.size, scene.evidence
    captured = {*move.captures, *(scene.last.captures if scene.last else ())}
    elsewhere = evidence.visits(scene.since).keys() - scene.seen - scene.now.occupied - captured
    return any(
        evidence.stood_together(square, end)
        and not are_neighbours(square, end, size)
        and not any(evidence.in_order(victim, square) for victim in captured)
        for square in elsewhere
    )


def astride(scene: Scene, move: Move) -> bool:
    """Whether a square beside the end of a move began to be read in the same moment: a piece may stand on both."""
    down, size = scene.evidence.dropped(move.destination), scene.now.game.size
    if down is None or scene.evidence.is_guess(move.destination):
        return False
    for square in scene.seen - {move.destination}:
        drop = scene.evidence.dropped(square)
        if drop is not None and abs(drop - down) <= AT_ONCE_S and are_neighbours(square, move.destination, size):
            return True
    return False


def only_passed(scene: Scene, first: Move, reply: Move) -> bool:
    """Whether the first of two moves was at its end no longer than a slide on its way, and was gone before the reply.

    It may have gone on to where no sensor shows it. A player who captures at once takes the victim off with one hand
    while the other lifts his piece.
    """
    down, gone = scene.evidence.touched(first.destination), scene.evidence.lifted(first.destination)
    up = scene.evidence.lifted(reply.origin)
    if down is None or gone is None or up is None or first.destination in scene.seen:
        return False
    return gone - down < ON_THE_WAY_S and up - gone > TWO_HANDS_S


def may_be_one(scene: Scene, first: Move, reply: Move) -> bool:
    """Whether what came to the end of the first of two moves may be the reply's piece, which slid too far and back.

    It was up before, and the square beyond its end, where its victim was, was emptied again.
    """
    end, evidence = first.destination, scene.evidence
    up, down = evidence.lifted(reply.origin), evidence.touched(end)
    beyond = end in reply.captures and end not in scene.seen
    return (
        beyond
        and up is not None
        and down is not None
        and up < down
        and is_between(end, reply, scene.now.game.size, TOO_FAR)
    )


def swept(reading: Reading, evidence: Evidence) -> bool:
    """Whether several missing pieces had left their squares almost at once before the one that is too much came down.

    A player moves one piece; what else he holds he lifts before, or afterwards.
    """
    downs = [drop for drop in map(evidence.dropped, reading.extra) if drop is not None]
    lifts = [lift for square in reading.missing if (lift := evidence.lifted(square)) is not None]
    up = sorted(lift for lift in lifts if downs and lift < max(downs))
    return any(after - before <= TWO_HANDS_S for before, after in pairwise(up))
