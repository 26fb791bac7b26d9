"""What a played game was worth move by move, and which moves lost it. Pure: asks the engine's search.

Owns what counts as a mistake. Values are told as the attackers see them; how they are drawn is `curve`'s.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from boardd.events import bare_move_text, outcome_json, ply_json
from engine import Game, Move, Outcome, Ply, Side
from engine.search import Limits, Searcher, Value
from engine.worths import WON

SCALE = 200
"""So far ahead (hundredths of a soldier) a side wins about three games of four: bench/calibrate.py measured it."""

MISTAKE = 0.15
"""A move that gives away so much of the chance to win (0 to 1) is a mistake."""


class Mark(enum.Enum):
    """What was wrong with a move."""

    LOST = "lost"
    """Before it the mover could hold out; after it the other side can force a win."""
    MISSED_WIN = "missed-win"
    """The mover could have forced a win, and no longer can."""
    MISTAKE = "mistake"


@dataclass(frozen=True, slots=True)
class Judged:
    """One played move; its values are the mover's."""

    ply: Ply
    before: Value
    after: Value
    best: tuple[Move, ...]
    """The best line instead of it, or with it."""
    mark: Mark | None


@dataclass(frozen=True, slots=True)
class Analysis:
    """A whole game."""

    size: int
    rules: str
    result: Outcome | None
    judged: tuple[Judged, ...]
    start: Value
    """To the attackers."""

    @property
    def values(self) -> tuple[Value, ...]:
        """What it was worth to the attackers at the start and after each move."""
        return (self.start, *(_for_attackers(one.after, one.ply.side) for one in self.judged))

    @property
    def lost_by(self) -> Judged | None:
        """The move that lost the game: the loser's last one after which it could be forced; None where none was."""
        if self.result is None or self.result.winner is None:
            return None
        loser = self.result.winner.other
        return next(
            (one for one in reversed(self.judged) if one.ply.side is loser and one.mark is Mark.LOST),
            None,
        )

    def to_json(self) -> dict[str, Any]:
        """Give it as one object for scripts; values are the attackers'."""
        size, lost_by = self.size, self.lost_by
        plies = []
        for one in self.judged:
            side = one.ply.side
            fields = {key: value for key, value in ply_json(one.ply, size).items() if key != "announce"}
            plies.append(
                fields
                | {
                    "before": value_json(_for_attackers(one.before, side)),
                    "after": value_json(_for_attackers(one.after, side)),
                    "best": [bare_move_text(move, size) for move in one.best],
                    "mark": None if one.mark is None else one.mark.value,
                }
            )
        return {
            "rules": self.rules,
            "start": value_json(self.start),
            "plies": plies,
            "result": None if self.result is None else outcome_json(self.result),
            "lost_by": None if lost_by is None else lost_by.ply.number,
        }


def analyze(game: Game, nodes: int, tick: Callable[[], None] = lambda: None) -> Analysis:
    """Judge every move of a game.

    It goes from the end to the start, so that what came of a position is known when the one before is looked at.

    Args:
        game: is not changed.
        nodes: how many positions to look at for each position of the game.
        tick: called after each position, one more than there are moves.

    """
    searcher = Searcher(game.book)
    at = game.copy()
    values: list[Value] = []
    lines: list[tuple[Move, ...]] = []
    while True:
        value, line = _worth(at, searcher, nodes)
        values.append(value)
        lines.append(line)
        tick()
        if not at.plies:
            break
        at.undo()
    values.reverse()
    lines.reverse()
    judged = tuple(
        _judge(ply, values[number], values[number + 1].opposite, lines[number]) for number, ply in enumerate(game.plies)
    )
    start = _for_attackers(values[0], game.first_side)
    return Analysis(game.size, game.book.name, game.result, judged, start)


def chance(value: Value) -> float:
    """Give the chance to win, 0 to 1, of a side to whom a position is worth so much."""
    if value.wins or value.loses:
        return float(value.wins)
    return 1 / (1 + math.exp(-value.worth / SCALE))


def value_json(value: Value) -> dict[str, Any]:
    """Give a value of the attackers': soldiers ahead, or who wins in how many plies."""
    if value.plies is None:
        return {"value": value.worth / 100, "wins": None, "plies": None}
    return {
        "value": None,
        "wins": (Side.ATTACKERS if value.wins else Side.DEFENDERS).value,
        "plies": value.plies,
    }


def _worth(game: Game, searcher: Searcher, nodes: int) -> tuple[Value, tuple[Move, ...]]:
    """Give what a position is worth to the side to move, and the best line."""
    result = game.result
    if result is None:
        found = searcher.best_move(game, Limits(nodes=nodes))
        return found.value, found.line
    if result.winner is None:
        return Value(0), ()
    return Value(WON if result.winner is game.side else -WON), ()


def _judge(ply: Ply, before: Value, after: Value, best: tuple[Move, ...]) -> Judged:
    mark = None
    if after.loses and not before.loses:
        mark = Mark.LOST
    elif before.wins and not after.wins:
        mark = Mark.MISSED_WIN
    elif chance(before) - chance(after) >= MISTAKE:
        mark = Mark.MISTAKE
    if best and best[0] == ply.move:
        mark = None  # the search saw more one ply later; nothing better was known
    return Judged(ply, before, after, best, mark)


def _for_attackers(value: Value, side: Side) -> Value:
    return value if side is Side.ATTACKERS else value.opposite
