"""Variations of what goes wrong on real boards: for each case a maker of traces of its whole kind.

A maker draws position, squares, order and timing from a seed, tells the story by the engine alone and says what the
documents want of the board. It never looks at what the program does. Also: a trace turned, mirrored, or bounced.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from engine import Square, parse_position, parse_square, position_text, square_name
from engine.squares import mirrors
from tests.traces import (
    variations_of_captures,
    variations_of_corrections,
    variations_of_noise,
    variations_of_restarts,
    variations_of_slides,
)
from tests.traces.answers import Json, Trace
from tests.traces.situations import Maker

BOUNCE_S = 0.015
"""Hall switches are still after this (docs of the simulated hands)."""

MAKERS: Mapping[int, Sequence[Maker]] = {
    **variations_of_slides.MAKERS,
    **variations_of_captures.MAKERS,
    **variations_of_noise.MAKERS,
    **variations_of_corrections.MAKERS,
    **variations_of_restarts.MAKERS,
}
"""The makers of each case."""

SQUARE_KEYS = ("lift", "drop", "scan", "occupied", "masked", "squares", "missing", "extra", "captures", "from", "to")
MOVE_KEYS = ("move", "opponent-move", "hint-move")


def vary(case: int, number: int, seed: int) -> Trace:
    """Make one variation of a case by its maker of that number."""
    return MAKERS[case][number](random.Random(f"{case} {number} {seed}"))


class Turned:
    """A symmetry of the board, applied to traces and answers."""

    def __init__(self, number: int, size: int) -> None:
        self._map = mirrors(size)[number]
        self._size = size

    def trace(self, trace: Trace) -> Trace:
        """Turn a trace with its answer."""
        return Trace(trace.name, [self.line(line) for line in trace.lines], [self.line(line) for line in trace.answer])

    def line(self, line: Json) -> Json:
        """Turn one line."""
        return {key: self._value(key, value) for key, value in line.items()}

    def _value(self, key: str, value: Any) -> Any:
        if key in SQUARE_KEYS and not isinstance(value, float | int):
            return self._name(value) if isinstance(value, str) else self._names(value)
        if key in MOVE_KEYS:
            return self._move(value)
        if key == "moves":
            return [self._move(move) for move in value]
        if key == "lights":
            return {self._name(square): role for square, role in value.items()}
        if key == "position":
            size, pieces = parse_position(value)
            return position_text({self._square(square): piece for square, piece in pieces.items()}, size)
        return value

    def _square(self, square: Square) -> Square:
        return self._map[square]

    def _name(self, name: str) -> str:
        return square_name(self._square(parse_square(name, self._size)), self._size)

    def _names(self, names: Sequence[str]) -> list[str]:
        turned = sorted(self._square(parse_square(name, self._size)) for name in names)
        return [square_name(square, self._size) for square in turned]

    def _move(self, move: str) -> str:
        squares, *captures = move.split("x")
        origin, destination = squares.split("-")
        turned = f"{self._name(origin)}-{self._name(destination)}"
        return f"{turned}x{'/'.join(self._names(captures[0].split('/')))}" if captures else turned


def bounced(trace: Trace, rng: random.Random) -> Trace:
    """Add up to three edges of bounce within 15 ms to each change; the answer's times grow by as much."""
    lines = [trace.lines[0]]
    for line in trace.lines[1:]:
        word = "lift" if "lift" in line else "drop" if "drop" in line else None
        lines.append(line)
        if word is not None and "seq" not in line:
            back = "drop" if word == "lift" else "lift"
            for first, second in _pairs(rng, line["t"]):
                lines += [{"t": first, back: line[word]}, {"t": second, word: line[word]}]
    lines[1:] = sorted(lines[1:], key=lambda line: float(line["t"]))
    return Trace(trace.name, lines, [_later(line) for line in trace.answer])


def _pairs(rng: random.Random, t: float) -> list[tuple[float, float]]:
    """Give times of edges away and back again, in order; three edges of bounce are one pair and the change itself."""
    if rng.random() < 0.25:
        return []
    times = sorted(round(t + rng.uniform(0.001, BOUNCE_S), 4) for _ in range(2))
    return [(times[0], times[1])]


def _later(line: Json) -> Json:
    if "event" not in line or "t" not in line or line["event"] == "end":
        return line
    first, last = line["t"] if isinstance(line["t"], list) else (line["t"], line["t"])
    return line | {"t": [first, last + BOUNCE_S]}
