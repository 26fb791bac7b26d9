"""What a reading may look at: the game before and after its last move, what is seen, and what must be left out.

Values only, but for the legal moves, which the engine is asked for once. Owns no judgement: readings.py does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from boardd.evidence import Evidence
from boardd.meanings import NOWHERE, Squares
from engine import Game, Move, Side, Square


class View:
    """A game at one moment, with its legal moves by destination and by origin."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.occupied: Squares = game.occupied

    @cached_property
    def to(self) -> Mapping[Square, tuple[Move, ...]]:
        """The legal moves by destination."""
        return _grouped(self.game.legal_moves(), lambda move: move.destination)

    @cached_property
    def from_(self) -> Mapping[Square, tuple[Move, ...]]:
        """The legal moves by origin."""
        return _grouped(self.game.legal_moves(), lambda move: move.origin)

    def after(self, move: Move) -> View:
        """Give the view after a legal move."""
        game = self.game.copy()
        game.play(move)
        return View(game)


def _grouped(moves: Iterable[Move], key: Callable[[Move], Square]) -> dict[Square, tuple[Move, ...]]:
    groups: dict[Square, list[Move]] = {}
    for move in moves:
        groups.setdefault(key(move), []).append(move)
    return {square: tuple(group) for square, group in groups.items()}


@dataclass(frozen=True, slots=True)
class Scene:
    """All that a reading may look at."""

    now: View
    before: View | None
    """The game before its last move; None before the first."""
    seen: Squares
    """What the sensors say."""
    removals: Squares
    """Where captured pieces were last known to stand."""
    displaced: Squares
    """Where captured pieces were put down although they were not captured there."""
    blind: Squares
    """Masked and flapping squares, which are never evidence."""
    evidence: Evidence
    moved: float
    """When the piece that moved last was put down."""
    since: float
    """The same, or when the board agreed last after that."""
    start: Squares | None
    """The start position, where setting it up means a new game."""
    opponent: Side | None = None
    chosen: Move | None = None
    """The opponent's move, where a computer plays `opponent`."""

    @property
    def last(self) -> Move | None:
        """The last accepted move."""
        plies = self.now.game.plies
        return plies[-1].move if plies and self.before is not None else None

    def may(self, move: Move) -> bool:
        """Whether the hands may make this move: for the computer only the one that it chose."""
        return self.now.game.side is not self.opponent or (self.chosen is not None and move == self.chosen)


@dataclass(frozen=True, slots=True)
class Difference:
    """What is seen otherwise than a game has it."""

    missing: Squares
    strange: Squares


def difference(scene: Scene, view: View, ignored: Squares = NOWHERE) -> Difference:
    """Compare what is seen with a game, but for squares that are no evidence or ignored."""
    missing = view.occupied - scene.seen - scene.blind
    strange = scene.seen - view.occupied - scene.blind - ignored
    return Difference(missing, strange)
