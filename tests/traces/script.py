"""Write a trace step by step, and hold its replay against a game; the shortest of the ways to tell what hands do."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from engine import Game, Move, Square, parse_square, square_name
from tests.traces.answers import Json, game_of, run, spoken

REFUSALS = ("mismatch", "illegal", "question", "sensor")
END_S = 8.0
"""Long enough for every timer but that of stuck sensors."""


class Script:
    """A trace in the making, on a game that goes on as the hands mean it."""

    def __init__(self, rng: random.Random, game: Game, **header: object) -> None:
        self.rng = rng
        self.game = game
        self.t = 1.0
        first: Json = {"konakis": 1, "rules": game.book.name, "position": game.start, "side": game.first_side.value}
        self.lines: list[Json] = [first | header]

    def name(self, square: Square) -> str:
        """Name a square."""
        return square_name(square, self.game.size)

    def names(self, squares: Iterable[Square]) -> list[str]:
        """Name squares in the order of the board."""
        return [self.name(square) for square in sorted(squares)]

    def wait(self, shortest: float, longest: float) -> None:
        """Let some time pass."""
        self.t = round(self.t + self.rng.uniform(shortest, longest), 4)

    def put(self, word: str, square: Square, shortest: float = 0.1, longest: float = 1.0) -> float:
        """Lift or drop, then let some time pass; return the moment."""
        at = self.t
        self.lines.append({"t": at, word: self.name(square)})
        self.wait(shortest, longest)
        return at

    def say(self, **found: object) -> None:
        """Add any other line."""
        self.lines.append({"t": self.t, **found})

    def move(self, move: Move, rest: float = 1.5) -> None:
        """Make a move, take its victims off, and let it rest."""
        self.put("lift", move.origin)
        self.put("drop", move.destination, rest, rest + 0.5)
        for victim in move.captures:
            self.put("lift", victim, 0.3, 0.8)
        self.game.play(move)

    def texts(self) -> list[str]:
        """Give the moves as the hands mean them."""
        return [ply.move.text(self.game.size) for ply in self.game.plies]

    def replay(self, after: float = END_S) -> list[Json]:
        """Replay it to its end and `after` seconds on; the moves must be those that the hands mean."""
        events = run([*self.lines, {"t": round(self.t + after, 4), "end": True}])
        assert events[-1]["moves"] == self.texts()
        return events

    def replay_quietly(self) -> list[Json]:
        """Replay it; nothing may be refused or asked either."""
        events = self.replay()
        assert [event for event in events if event["event"] in REFUSALS] == []
        return events


def words(events: Sequence[Json], since: float = 0.0) -> list[str]:
    """Give the names of the events from a moment on, pictures left out."""
    return [event["event"] for event in spoken(events) if event["t"] >= since]


def boards(lines: Sequence[Json]) -> list[tuple[float, frozenset[str]]]:
    """Give the true occupancy before the first line and after each, with the times."""
    game = game_of(lines[0])
    board = {square_name(square, game.size) for square in game.occupied}
    found = [(0.0, frozenset(board))]
    for line in lines[1:]:
        for word, change in (("lift", board.difference_update), ("drop", board.update)):
            if word in line:
                change([line[word]] if isinstance(line[word], str) else line[word])
        found.append((line["t"], frozenset(board)))
    return found


def neighbours(square: str, size: int) -> list[str]:
    """Name the squares beside a square."""
    at = parse_square(square, size)
    found = [at + size, at - size]
    found += [at + 1] * (at % size < size - 1) + [at - 1] * (at % size > 0)
    return [square_name(Square(other), size) for other in found if 0 <= other < size * size]
