"""Right answers of traces: what an answer file may say, and how a replay is held against it.

An answer is JSON lines (docs/traces.md). A line with `event` is an event that must come, in this order and with no
other between; the other lines speak of the lights. Knows nothing of how the program decides.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardd.replay import replay
from engine import Game, Side, book_named

Json = dict[str, Any]

TOLERANCE_S = 0.0015
"""Times are told to the millisecond."""

ANSWER = ".answer.jsonl"


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace with its right answer, both as JSON objects."""

    name: str
    lines: Sequence[Json]
    answer: Sequence[Json]

    @property
    def case(self) -> int:
        """The number of its case in the list of what goes wrong on real boards; 0 for none."""
        return int(self.lines[0].get("case", 0))

    @property
    def size(self) -> int:
        """Squares a side."""
        return book_named(self.lines[0]["rules"]).size


def traces() -> list[Trace]:
    """Read every trace of this directory that has an answer beside it."""
    here = Path(__file__).parent
    found = []
    for answer in sorted(here.glob(f"*{ANSWER}")):
        name = answer.name.removesuffix(ANSWER)
        found.append(Trace(name, _objects(here / f"{name}.jsonl"), _objects(answer)))
    return found


def _objects(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def run(lines: Iterable[Json], name: str = "trace") -> list[Json]:
    """Replay a trace given as objects; return its events, pictures of the lights included, as objects."""
    texts = [json.dumps(line) + "\n" for line in lines]
    size = book_named(json.loads(texts[0])["rules"]).size
    return [event.to_json(size) for event in replay(texts, name, leds=True)]


def spoken(events: Iterable[Json]) -> list[Json]:
    """Leave out the pictures."""
    return [event for event in events if event["event"] != "leds"]


def without_times(events: Sequence[Json]) -> list[Json]:
    """Give the events without their times and without the pictures."""
    return [{key: value for key, value in event.items() if key != "t"} for event in spoken(events)]


def differences(trace: Trace, events: Sequence[Json]) -> list[str]:
    """Say where a replay differs from the trace's answer; nothing if it is right."""
    wanted = [line for line in trace.answer if "event" in line]
    found = list(_event_differences(wanted, spoken(events)))
    lights = Lights(events)
    for line in trace.answer:
        if "event" not in line:
            found += lights.differences(line)
    return found


def _event_differences(wanted: Sequence[Json], events: Sequence[Json]) -> Iterator[str]:
    position = 0
    for line in wanted:
        event = events[position] if position < len(events) else None
        if event is not None and matches(line, event):
            position += 1
        elif not line.get("maybe"):
            yield f"expected {_shown(line)}, found {'no more events' if event is None else _shown(event)}"
            return
    if position < len(events):
        yield f"expected no more events, found {_shown(events[position])}"


def _shown(event: Json) -> str:
    return json.dumps(event, ensure_ascii=False)


def matches(line: Json, event: Json) -> bool:
    """Whether an event is the one that a line of an answer wants: fields that the line leaves out are free."""
    if "t" in line and not in_time(line["t"], event["t"]):
        return False
    return all(event.get(key) == value for key, value in line.items() if key not in ("t", "maybe"))


def in_time(wanted: float | Sequence[float], t: float) -> bool:
    """Whether `t` is the wanted time, or within the wanted span."""
    first, last = (wanted, wanted) if isinstance(wanted, int | float) else wanted
    return first - TOLERANCE_S <= t <= last + TOLERANCE_S


class Lights:
    """The pictures of a replay, and what an answer may demand of them."""

    def __init__(self, events: Iterable[Json]) -> None:
        self._pictures: list[tuple[float, Mapping[str, str]]] = [(float("-inf"), {})]
        self._pictures += [(event["t"], event["squares"]) for event in events if event["event"] == "leds"]

    def at(self, t: float) -> Mapping[str, str]:
        """Give the picture at a moment."""
        return [roles for since, roles in self._pictures if since <= t + TOLERANCE_S][-1]

    def during(self, first: float, last: float) -> list[tuple[float, Mapping[str, str]]]:
        """Give every picture that was to be seen in a span, with when it came."""
        later = [(since, roles) for since, roles in self._pictures if first + TOLERANCE_S < since < last - TOLERANCE_S]
        return [(first, self.at(first)), *later]

    def differences(self, line: Json) -> Iterator[str]:
        """Say where the lights differ from one line of an answer."""
        if "same" in line:
            first, second = line["same"]
            if self.at(first) != self.at(second):
                yield f"expected the picture of {first} again at {second}: {self.at(first)}, found {self.at(second)}"
            return
        first = line["at"] if "at" in line else line["from"]
        last = line["at"] if "at" in line else line["to"]
        if "pictures" in line:
            count = sum(first <= since <= last for since, _ in self._pictures)
            if count > line["pictures"]:
                yield f"expected at most {line['pictures']} pictures from {first} to {last}, found {count}"
            return
        for since, roles in self.during(first, last):
            yield from _picture_differences(line, since, roles)


def _picture_differences(line: Json, since: float, roles: Mapping[str, str]) -> Iterator[str]:
    for square, role in line.get("lights", {}).items():
        allowed = role if isinstance(role, list) else [role]
        if roles.get(square) not in allowed:
            yield f"at {since}: expected {square} to show {role}, found {roles.get(square)}"
    for role in line.get("never", ()):
        if role in roles.values():
            yield f"at {since}: expected no light to show {role}, found {sorted(s for s in roles if roles[s] == role)}"
    for role, most in line.get("at-most", {}).items():
        squares = sorted(square for square in roles if roles[square] == role)
        if len(squares) > most:
            yield f"at {since}: expected at most {most} squares to show {role}, found {squares}"


def game_of(header: Json) -> Game:
    """Give the game that a trace begins with."""
    side = header.get("side")
    return Game(book_named(header["rules"]), position=header.get("position"), side=side and Side(side))
