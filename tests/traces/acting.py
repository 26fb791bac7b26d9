"""Whole games acted out by hands with habits: raw news as lines of a trace, and what the hands meant.

Plans are plain values, so that a property test can draw and shrink them. The hands keep a game of their own by the
engine; they never look at the program. Every pause is kept well away from the times that decide, so that what is meant
does not depend on a hair's breadth.
"""

from __future__ import annotations

import enum
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engine import Game, Move, Square, square_name
from tests.traces.answers import Json
from tests.traces.positions import empty, refusal, soldiers, stops
from tests.traces.story import hold_s

REST_S = 1.6
"""After this rest every timer of a legal move has fired, that of a move that ends the game included."""
MARGIN_S = 0.15


class Style(enum.Enum):
    """How a ply is made."""

    PLAIN = "lift, drop, victims off"
    SLIDE = "with stops on the way"
    OVERSHOOT = "too far and back"
    VICTIMS_FIRST = "victims off in any order with the mover"
    BUMP = "another piece leaves its square and comes back meanwhile"
    FIDGET = "another own piece is lifted and put back first"
    LONG = "held in the air for a minute"
    TAKEBACK = "made, taken back by hand, made again"
    BUTTON = "made, taken back by command, made again"
    ILLEGAL_FIRST = "put where it may not be until the light says so"
    OUT_OF_TURN = "the opponent's piece is moved first, and put back"
    ASTRAY = "a victim is put down elsewhere first"
    HASTY = "the next piece is lifted soon after the drop"


GENTLE = (Style.PLAIN, Style.SLIDE, Style.OVERSHOOT, Style.VICTIMS_FIRST, Style.BUMP, Style.FIDGET)


@dataclass(frozen=True, slots=True)
class Plan:
    """One ply: which move, and how."""

    pick: int = 0
    """Which of the moves; counted round."""
    style: Style = Style.PLAIN
    takes: bool = True
    """Whether a move that captures is preferred."""
    back: bool = False
    """Whether to go back where this side's last move came from, if that is legal."""
    chance: int = 0
    """Seed of the pauses and orders."""


@dataclass(slots=True)
class Acted:
    """What hands have done."""

    lines: list[Json]
    """The trace."""
    checkpoints: list[tuple[float, tuple[str, ...]]] = field(default_factory=list)
    """Moments at which the board must have the game as the hands mean it, with its moves."""
    takebacks: int = 0
    game: Game | None = None

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves as the hands mean them at the end."""
        return self.checkpoints[-1][1] if self.checkpoints else ()


def act(game: Game, plans: Iterable[Plan]) -> Acted:
    """Act plans out on a game, until it is over."""
    hands = _Hands(game)
    for plan in plans:
        if game.result is not None or not game.legal_moves():
            break
        hands.ply(plan)
    hands.check(REST_S)
    hands.acted.lines.append({"t": hands.t, "end": True})
    hands.acted.game = game
    return hands.acted


class _Hands:
    def __init__(self, game: Game) -> None:
        self.game = game
        self.size = game.size
        self.t = 0.5
        header: Json = {"konakis": 1, "rules": game.book.name, "position": game.start, "side": game.first_side.value}
        self.acted = Acted([header])
        self.rng = random.Random(0)
        self.soon = False
        """Whether the next ply begins soon after the last drop."""

    def wait(self, shortest: float, longest: float) -> None:
        self.t = round(self.t + self.rng.uniform(shortest, longest), 3)

    def lift(self, square: Square) -> None:
        self.acted.lines.append({"t": self.t, "lift": square_name(square, self.size)})

    def drop(self, square: Square) -> None:
        self.acted.lines.append({"t": self.t, "drop": square_name(square, self.size)})

    def check(self, after: float) -> None:
        """Let the board rest, and note what it must know by then."""
        self.t = round(self.t + after, 3)
        moves = tuple(ply.move.text(self.size) for ply in self.game.plies)
        self.acted.checkpoints.append((self.t - 0.05, moves))

    def ply(self, plan: Plan) -> None:
        self.rng = random.Random(plan.chance)
        move = self._chosen(plan)
        style = plan.style
        if style in (Style.TAKEBACK, Style.BUTTON) and self.game.outcome_of(move) is None:
            self._make(move, Style.PLAIN)
            self._take_back(move, by_hand=style is Style.TAKEBACK)
            style = Style.PLAIN
        self._make(move, style)

    def _chosen(self, plan: Plan) -> Move:
        moves = self.game.legal_moves()
        if plan.back and len(self.game.plies) >= 2:
            last = self.game.plies[-2].move
            found = self.game.find(last.destination, last.origin)
            if found is not None:
                return found
        taking = [move for move in moves if move.captures]
        pool = taking if plan.takes and taking else moves
        return pool[plan.pick % len(pool)]

    # One ply.

    def _make(self, move: Move, style: Style) -> None:
        game = self.game
        if self.soon and style not in (Style.PLAIN, Style.HASTY, Style.SLIDE, Style.OVERSHOOT):
            self.wait(0.4, 0.6)  # what comes next is no reply
        self.soon = False
        if style is Style.ILLEGAL_FIRST:
            self._wrong(move.origin, [s for s in empty(game) if refusal(game, move.origin, s)], move)
        elif style is Style.OUT_OF_TURN:
            others = [
                s for s in soldiers(game, game.side.other) if not game.plies or s != game.plies[-1].move.destination
            ]
            if others:
                self._wrong(self.rng.choice(others), empty(game), move)
        elif style is Style.FIDGET:
            self._bump([s for s in soldiers(game, game.side) if s != move.origin], 0.1, 2.0)
        early: Sequence[Square] = ()
        if style is Style.VICTIMS_FIRST:
            victims = self.rng.sample(move.captures, len(move.captures))
            early = victims[: self.rng.randint(0, len(victims))]
        for square in self.rng.sample([move.origin, *early], len(early) + 1):
            self.lift(square)
            self.wait(0.1, 1.5)
        if style is Style.LONG:
            self.wait(30, 70)
        elif style is Style.BUMP:
            self._bump([s for s in game.occupied if s not in (move.origin, *move.captures)], 0.06, 1.0)
        elif style in (Style.SLIDE, Style.OVERSHOOT):
            self._stops(move, overshoot=style is Style.OVERSHOOT)
        self.drop(move.destination)
        hold = hold_s(game, move)
        game.play(move)
        late = [square for square in move.captures if square not in early]
        if style is Style.HASTY and not late and game.result is None:
            self.soon = True
            self.wait(0.12, 0.3)
            return
        self.t = round(self.t + hold + MARGIN_S, 3)
        self._take_off(late, astray=style is Style.ASTRAY)
        if style is Style.BUMP and self.rng.random() < 0.5 and game.result is None:
            self._bump(sorted(game.occupied - {move.destination}), 0.1, 3.0)
        self.check(REST_S)

    def _stops(self, move: Move, *, overshoot: bool) -> None:
        """Rest on squares of the way, or beyond, long or short; the mover is up before and after."""
        game = self.game
        ways = [stop for stop in stops(game, move) if game.outcome_of(stop) is None and not stop.captures]
        if overshoot:
            ways = [
                other
                for other in game.legal_moves()
                if other.origin == move.origin and move in stops(game, other) and game.outcome_of(other) is None
            ]
        for stop in self.rng.sample(ways, min(len(ways), self.rng.randint(1, 2))):
            hold = hold_s(game, stop)
            self.drop(stop.destination)
            if self.rng.random() < 0.5 or hold < 2 * MARGIN_S:
                self.wait(hold + MARGIN_S, hold + 1.5)
            else:
                self.wait(0.06, hold - MARGIN_S)
            self.lift(stop.destination)
            self.wait(0.06, 0.4)

    def _take_off(self, victims: Sequence[Square], *, astray: bool) -> None:
        if self.game.result is not None:
            return
        for square in self.rng.sample(victims, len(victims)):
            self.lift(square)
            if astray:
                last = self.game.plies[-1].move
                places = [s for s in empty(self.game) if s not in (last.origin, *last.captures)]
                elsewhere = self.rng.choice(places)
                self.wait(0.3, 1.0)
                self.drop(elsewhere)
                self.wait(0.5, 2.0)
                self.lift(elsewhere)
            self.wait(0.3, 1.0)

    def _bump(self, squares: Sequence[Square], shortest: float, longest: float) -> None:
        chosen = self.rng.sample(squares, min(len(squares), self.rng.randint(1, 2)))
        for square in chosen:
            self.lift(square)
            self.wait(0.06, 0.3)
        self.wait(shortest, longest)
        for square in self.rng.sample(chosen, len(chosen)):
            self.drop(square)
            self.wait(0.1, 0.4)

    def _wrong(self, origin: Square, places: Sequence[Square], move: Move) -> None:
        """Put a piece down wrongly, wait for the light, and put it back."""
        last = self.game.plies[-1].move if self.game.plies else None
        avoid = {move.origin, *((last.origin, *last.captures) if last else ())}
        places = [square for square in places if square not in avoid]
        if not places:
            return
        place = self.rng.choice(places)
        self.lift(origin)
        self.wait(0.2, 1.0)
        self.drop(place)
        self.wait(1.2, 3.0)
        self.lift(place)
        self.wait(0.2, 1.0)
        self.drop(origin)
        self.wait(0.3, 1.0)

    def _take_back(self, move: Move, *, by_hand: bool) -> None:
        if not by_hand:
            self.acted.lines.append({"t": self.t, "command": "takeback"})
            self.wait(0.1, 1.0)
        back: list[Square | None] = [None, *move.captures]
        for square in self.rng.sample(back, len(back)):
            if square is None:
                self.lift(move.destination)
                self.wait(0.1, 1.0)
                self.drop(move.origin)
            else:
                self.drop(square)
            self.wait(0.1, 1.0)
        self.game.undo()
        self.acted.takebacks += 1
        self.check(REST_S)
