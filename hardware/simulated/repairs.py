"""What hands do when the lights complain: the next single thing, chosen from lights, pieces and memory.

Pure. A player knows which piece belongs where in the positions lately meant, sees the lights, and does what they ask
one thing at a time. Must not know why a light shines.
"""

import enum
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hardware.news import Cell
from hardware.simulated.gestures import Asked, Intention, Sight
from hardware.theme import Role

COMPLAINTS = frozenset({Role.MISSING, Role.EXTRA, Role.ILLEGAL, Role.REMOVE, Role.QUESTION})
"""The lights that ask a player to do something."""

URGENT = COMPLAINTS - {Role.REMOVE}
"""Those that keep the opponent from replying; a victim that still stands does not."""

Position = Mapping[Cell, str]


NOWHERE = Cell(-1)
"""The square of a repair that has none."""


class Repair(enum.Enum):
    """One thing to do."""

    CONFIRM = "confirm"
    CANCEL = "cancel"
    MOVE = "move"
    PUT = "put"
    OFF = "off"
    NUDGE = "nudge"
    TAP = "tap"


@dataclass(frozen=True, slots=True)
class Todo:
    """A repair with its squares.

    Attributes:
        repair: What.
        cell: Where; of a move the square left.
        onto: Where a moved piece goes.
        piece: Which piece to put, or to tap with, from the box.

    """

    repair: Repair
    cell: Cell = NOWHERE
    onto: Cell = NOWHERE
    piece: str = ""


def lit(sight: Sight, roles: frozenset[Role]) -> frozenset[Cell]:
    """Return the squares whose light has one of these roles."""
    return frozenset(cell for cell, role in sight.lights.items() if role in roles)


def answer(asked: Asked, made: Iterable[Intention]) -> Repair:
    """Answer a question of the board.

    A new game is never meant here. A move is confirmed if it was made; a sensor is none of a player's business, and he
    agrees.

    Args:
        asked: The question.
        made: The moves after which the board stands as it does.

    """
    if asked.about == "new-game":
        return Repair.CANCEL
    if asked.about == "move":
        pairs = [(intention.origin, intention.destination) for intention in made]
        return Repair.CONFIRM if (asked.origin, asked.destination) in pairs else Repair.CANCEL
    return Repair.CONFIRM


def next_repair(sight: Sight, pieces: Position, memory: Sequence[Position], boxed: Sequence[str]) -> Todo | None:
    """Return the next thing that the lights ask for, None if hands can do nothing that makes sense to their players.

    Args:
        sight: The lights.
        pieces: What stands where.
        memory: The positions remembered, the one that the board believes in first, then those meant, the newest first.
        boxed: The pieces in the box.

    """
    illegal = lit(sight, frozenset({Role.ILLEGAL}))
    if illegal:
        standing = [cell for cell in illegal if cell in pieces]
        empty = [cell for cell in illegal if cell not in pieces]
        pair = len(standing) == 1 and len(empty) == 1
        at_home = pair and bool(memory) and memory[0].get(standing[0]) == pieces[standing[0]]
        if pair and not at_home:
            known = any(pieces[standing[0]] == position.get(empty[0]) for position in memory)
            return Todo(Repair.MOVE, standing[0], empty[0]) if known else None
        if standing and not at_home:
            return Todo(Repair.NUDGE, min(standing))
    missing, extra = lit(sight, frozenset({Role.MISSING})), lit(sight, frozenset({Role.EXTRA}))
    for cell in sorted(missing):
        if cell not in pieces:
            todo = _put(cell, pieces, memory, boxed, extra)
            if todo is not None:
                return todo
    for cell in sorted(extra):
        if cell in pieces:
            return Todo(Repair.OFF, cell)
    for cell in sorted(lit(sight, frozenset({Role.REMOVE}))):
        if cell in pieces and not any(pieces[cell] == position.get(cell) for position in memory[:2]):
            return Todo(Repair.OFF, cell)
    for cell in sorted(missing):
        if cell in pieces:
            return Todo(Repair.NUDGE, cell)
    ghosts = lit(sight, frozenset({Role.REMOVE, Role.EXTRA})) - pieces.keys()
    return Todo(Repair.TAP, min(ghosts), piece=boxed[-1]) if ghosts and boxed else None


def _put(
    cell: Cell, pieces: Position, memory: Sequence[Position], boxed: Sequence[str], extra: frozenset[Cell]
) -> Todo | None:
    """Find the piece that a `missing` light asks for: where a light says it is too many, where it strayed to, the box.

    The first position in which the square was occupied tells which piece it is; if none tells, the lights are believed.
    A player knows best of all where he has just put the piece that is missed.
    """
    gone_to = _left_for(cell, memory[1:])
    for position in memory:
        piece = position.get(cell)
        if piece is None:
            continue
        strays = [source for source in sorted(pieces) if memory[0].get(source) != pieces[source]]
        for source in (*sorted(extra), *sorted(strays, key=lambda source: source not in gone_to)):
            if pieces.get(source) == piece:
                return Todo(Repair.MOVE, source, cell)
        if piece in boxed:
            return Todo(Repair.PUT, cell, piece=piece)
    standing = [source for source in extra if source in pieces]
    never = not any(cell in position for position in memory)
    return Todo(Repair.MOVE, standing[0], cell) if never and len(standing) == 1 else None


def _left_for(cell: Cell, memory: Sequence[Position]) -> Collection[Cell]:
    """Tell where the piece went that left a square last, of positions the newest first."""
    for after, before in pairwise(memory):
        if cell in before and cell not in after:
            return after.keys() - before.keys()
    return ()


def tidy(pieces: Position, wanted: Position, boxed: Sequence[str]) -> Todo | None:
    """Return the next thing that brings the board nearer to a position, without any light; None if it stands."""
    strays = [cell for cell in sorted(pieces) if wanted.get(cell) != pieces[cell]]
    for cell in sorted(wanted):
        if cell in pieces:
            continue
        piece = wanted[cell]
        for source in strays:
            if pieces[source] == piece:
                return Todo(Repair.MOVE, source, cell)
        if piece in boxed:
            return Todo(Repair.PUT, cell, piece=piece)
    return Todo(Repair.OFF, strays[0]) if strays else None
