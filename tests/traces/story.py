"""Tell what hands do, as a trace, and what ought to come of it, as its answer.

The hands move a game of their own beside the board's, by the engine alone; the timings that answers name are those of
the documents, counted here afresh. Times are drawn from a seeded generator.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

from engine import Game, Move, Outcome, Ply, Square, square_name
from tests.traces.answers import Json, Trace
from tests.traces.positions import may_go_on, quiet

SETTLE_S, SETTLE_SLIDING_S, SETTLE_FINAL_S = 0.2, 0.5, 1.0
REMOVED_S, BACK_S, TAKEBACK_S = 0.2, 0.3, 0.4
ILLEGAL_S, MISMATCH_S, TWO_MOVES_S = 1.0, 3.0, 0.3
NEW_GAME_S, STUCK_S, MASKED_S = 2.0, 10.0, 4.0
DEBOUNCE_S = 0.04

When = float | tuple[float, float]


def hold_s(game: Game, move: Move) -> float:
    """Give how long a move must rest before it is accepted."""
    if game.outcome_of(move) is not None:
        return SETTLE_FINAL_S
    return SETTLE_SLIDING_S if may_go_on(game, move) else SETTLE_S


class Story:
    """A trace and its answer in the making.

    Args:
        rng: where chance comes from.
        game: the game of the header; the hands go on with it.
        header: more keys of the header.

    """

    def __init__(self, rng: random.Random, game: Game, **header: Any) -> None:
        self.rng = rng
        self.game = game
        self.size = game.size
        self.t = 0.0
        first: Json = {"konakis": 1, "rules": game.book.name}
        if game.start != game.book.start or game.first_side is not game.book.first:
            first |= {"position": game.start, "side": game.first_side.value}
        self.lines: list[Json] = [first | header]
        self.answer: list[Json] = []
        self.seen: set[Square] = set(game.occupied)
        self.pace = rng.uniform(0.5, 2.0)

    # Time.

    def wait(self, shortest: float, longest: float) -> None:
        """Let some time pass; drawn between the two, at the pace of these hands."""
        drawn = self.rng.uniform(shortest, longest) * self.pace
        self.until(self.t + min(max(drawn, shortest), longest))

    def until(self, t: float) -> None:
        """Let time pass up to there."""
        self.t = round(max(self.t, t), 3)

    # What the hands do.

    def line(self, **found: Any) -> float:
        """Add a line at this moment; return the moment."""
        self.lines.append({"t": self.t} | found)
        return self.t

    def lift(self, *squares: Square) -> float:
        """Lift pieces."""
        self.seen.difference_update(squares)
        return self.line(lift=self.names(squares))

    def drop(self, *squares: Square) -> float:
        """Put pieces down."""
        self.seen.update(squares)
        return self.line(drop=self.names(squares))

    def scan(self) -> float:
        """Read the whole board."""
        return self.line(scan=self.names(self.seen))

    def command(self, word: str) -> float:
        """Press a button."""
        return self.line(command=word)

    def end(self, after: float = 4.0, result: Outcome | None = None) -> Trace:
        """Let the clock run on, expect the game as the hands have it, and give the whole."""
        self.until(self.t + after)
        self.line(end=True)
        moves = [ply.move.text(self.size) for ply in self.game.plies]
        won = result and {"winner": result.winner and result.winner.value, "reason": result.reason.value}
        self.expect("end", self.t, moves=moves, position=self.game.position, side=self.game.side.value, result=won)
        return Trace("variation", self.lines, self.answer)

    # What ought to come of it.

    def expect(self, event: str, t: When | None = None, **fields: Any) -> None:
        """Expect an event."""
        line: Json = {"event": event}
        if t is not None:
            line["t"] = list(t) if isinstance(t, tuple) else t
        self.answer.append(line | fields)

    def maybe(self, event: str, t: When | None = None, **fields: Any) -> None:
        """Expect that an event may come."""
        self.expect(event, t, maybe=True, **fields)

    def ready(self, t: When | None = None) -> None:
        """Expect that the side to move may move."""
        self.expect("ready", t, side=self.game.side.value)

    def ply(self, ply: Ply, t: When | None, event: str = "move") -> None:
        """Expect a ply."""
        self.expect(
            event,
            t,
            ply=ply.number,
            side=ply.side.value,
            move=f"{self.name(ply.move.origin)}-{self.name(ply.move.destination)}",
            captures=self.names(ply.move.captures),
            announce=[announcement.value for announcement in ply.announcements],
        )

    def squares(self, event: str, squares: Iterable[Square], t: When | None = None, **fields: Any) -> None:
        """Expect an event about squares."""
        self.expect(event, t, squares=self.names(squares), **fields)

    def lights(self, **line: Any) -> None:
        """Demand something of the lights."""
        self.answer.append({key.strip("_").replace("_", "-"): value for key, value in line.items()})

    def no_errors(self, first: float, last: float) -> None:
        """Expect no error light."""
        self.lights(never=["illegal", "missing", "extra"], from_=first, to=last)

    # Names.

    def name(self, square: Square) -> str:
        """Name a square."""
        return square_name(square, self.size)

    def names(self, squares: Iterable[Square]) -> list[str]:
        """Name squares in the order of the board."""
        return [self.name(square) for square in sorted(squares)]

    # Whole moves.

    def carefully(self, move: Move) -> Ply:
        """Make a move as careful hands do, victims last, and expect what comes of it."""
        self.lift(move.origin)
        self.wait(0.1, 1.5)
        dropped = self.drop(move.destination)
        accepted = dropped + hold_s(self.game, move)
        ply = self.game.play(move)
        self.ply(ply, accepted)
        self.until(accepted)
        self.take_off(move.captures, accepted)
        self.wait(0.3, 2.0)
        return ply

    def take_off(self, victims: Sequence[Square], asked: float) -> None:
        """Expect that captured pieces are asked off, and take them off one by one."""
        if not victims:
            self.ready(asked)
            return
        left = self.rng.sample(victims, len(victims))
        self.squares("remove", left, asked)
        while left:
            self.wait(0.3, 2.0)
            gone = self.lift(left.pop()) + REMOVED_S
            self.until(gone)
            if left:
                self.squares("remove", left, gone)
        self.squares("removed", victims, gone)
        self.ready(gone)

    def beginning(self, plies: int) -> None:
        """Expect that the board is ready, and make some quiet moves to have a history."""
        self.ready(0.0)
        self.wait(0.3, 1.0)
        for _ in range(plies):
            moves = [move for move in self.game.legal_moves() if quiet(self.game, move)]
            if moves:
                self.carefully(self.rng.choice(moves))
