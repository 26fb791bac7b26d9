"""Make the trace of a failed simulated game short: the fewest lines that still fail in the same way.

Pure. Owns what "the same way" means. The trace must say which moves its players meant (`simulated`, `meant` in its
header, as `konakis simulate --trace` writes it). A shorter trace fails alike when the sensors end as they ended, all
moves before the failing one are as they were meant, and the failing one is taken for the same other move, or is again
not taken in. Of a move that was not taken in, what hands did about it later is left out first (`made` in the header
says when it was made); else its trace would be as short as nothing done at all. Then everything before the last quiet
moment that still leads there is cut off, and delta debugging (Zeller and Hildebrandt's ddmin) leaves out lines as long
as any can be left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from boardd.events import Moved
from boardd.jsontext import seconds
from boardd.meanings import Squares
from boardd.replay import begin, follow
from boardd.states import State
from boardd.trace import Restarted, Trace, TraceError, read_trace, shown
from boardd.tracking import Tracker
from engine import Game, Square, square_name
from hardware.news import Changed, Scan

Json = dict[str, Any]
Begin = Callable[[Trace], Tracker]

LEAD_S = 1.0
"""Where a trace is cut, its first line is so long after its beginning (seconds)."""

AFTER_S = 4.0
"""A move that was made and not taken in is looked at for so long: longer than the board waits with any complaint."""

DIGITS = 6
"""Decimals of a time."""


class NotFailingError(TraceError):
    """A trace that cannot be shrunk, since it does not fail or does not say what was meant."""


@dataclass(frozen=True, slots=True)
class Failure:
    """How a trace fails: the first ply that is not as it was meant, and where the sensors end."""

    accepted: str
    """What was taken for it; empty if nothing was."""
    meant: str
    """Empty if nothing was meant any more."""
    occupied: Squares


@dataclass(frozen=True, slots=True)
class _Quiet:
    """A moment from which a trace can begin: before which line, with what."""

    line: int
    header: Json
    plies: int


def shrink(
    lines: Iterable[str],
    name: str,
    make: Begin = begin,
    told: Callable[[int], None] = lambda _: None,
    warn: Callable[[str], None] = lambda _: None,
) -> list[str]:
    """Give the shortest trace found that fails as this one does.

    Args:
        lines: the trace's lines.
        name: what to call it in messages.
        make: makes the tracker that fails, for tests of this.
        told: told how many lines are left, whenever there are fewer.
        warn: told of a torn last line, which is passed over as in a replay.

    Raises:
        NotFailingError: it does not fail, or does not say what was meant.
        TraceError: it cannot be read.

    """
    shrinker = _Shrinker(name, make, told)
    texts = _whole(list(lines), name, warn)
    failure: Failure | None = None
    for end in _ends(texts, name):
        candidate = _up_to(texts, end)
        failure = failure or shrinker.fails(candidate)
        if failure is not None:
            texts = candidate
            break
    if failure is None:
        raise NotFailingError(f"{name}: every move is as it was meant, expected a trace that fails")
    texts = shrinker.cut(texts, failure)
    body = shrinker.minimal(texts[0], texts[1:-1], texts[-1], failure)
    return [text.rstrip("\n") for text in [texts[0], *body, texts[-1]]]


def _whole(texts: list[str], name: str, warn: Callable[[str], None]) -> list[str]:
    """Read a trace to its end; give its lines without what is empty or torn."""
    torn: list[str] = []
    for _ in read_trace(texts, name, torn.append).lines:
        """It can be read."""
    whole = [text.rstrip("\n") + "\n" for text in texts if text.strip()]
    if torn:
        warn(torn[0])
        whole.pop()
    return whole


class _Shrinker:
    def __init__(self, name: str, make: Begin, told: Callable[[int], None]) -> None:
        self._name, self._make, self._told = name, make, told

    def fails(self, texts: Sequence[str]) -> Failure | None:
        """Play a trace; say how it fails."""
        meant = self._meant(texts[0])
        trace = read_trace(texts, self._name)
        tracker = self._make(trace)
        judged: Failure | None = None
        occupied = frozenset(tracker.occupied)
        for line in trace.lines:
            follow(tracker, line)
            occupied = _sensed(occupied, line)
            for event in tracker.drain():
                if isinstance(event, Moved) and judged is None:
                    judged = _compare(tracker.game, meant, event.ply.number - 1, occupied)
        end = judged or _compare(tracker.game, meant, len(tracker.game.plies), occupied)
        if end is None and len(tracker.game.plies) < len(meant):
            end = Failure("", meant[len(tracker.game.plies)], occupied)
        return None if end is None else Failure(end.accepted, end.meant, occupied)

    def cut(self, texts: list[str], failure: Failure) -> list[str]:
        """Let a trace begin at the last quiet moment from which it still fails alike."""
        for quiet in reversed(list(self._quiet(texts))):
            header = quiet.header
            meant = self._meant(texts[0])[quiet.plies :]
            header["simulated"] = _object(texts[0])["simulated"] | {"meant": meant}
            header["simulated"].pop("made", None)
            rest = [_object(text) for text in texts[quiet.line :]]
            if not rest:
                continue
            off = rest[0]["t"] - LEAD_S
            shorter = [json.dumps(line | {"t": round(line["t"] - off, DIGITS)}) for line in rest]
            candidate = [json.dumps(header), *shorter]
            if self._alike(candidate, failure):
                self._told(len(candidate))
                return candidate
        return texts

    def minimal(self, header: str, body: list[str], end: str, failure: Failure) -> list[str]:
        """Leave out lines as long as any can be left out (ddmin over complements)."""
        parts = 2
        while len(body) >= 2:
            size = -(-len(body) // parts)
            for start in range(0, len(body), size):
                candidate = body[:start] + body[start + size :]
                if self._alike([header, *candidate, end], failure):
                    body, parts = candidate, max(parts - 1, 2)
                    self._told(len(body) + 2)
                    break
            else:
                if size == 1:
                    break
                parts = min(parts * 2, len(body))
        return body

    def _alike(self, texts: list[str], failure: Failure) -> bool:
        try:
            return self.fails(texts) == failure
        except TraceError:  # what was kept at a restart no longer fits the game
            return False

    def _meant(self, header: str) -> list[str]:
        simulated = _object(header).get("simulated")
        meant = simulated.get("meant") if isinstance(simulated, dict) else None
        if not isinstance(meant, list) or not all(isinstance(move, str) for move in meant):
            expected = 'a trace of "konakis simulate --trace", whose header says what was meant ("simulated", "meant")'
            raise NotFailingError(f"{self._name}, line 1: found no such list of moves, expected {expected}")
        return meant

    def _quiet(self, texts: list[str]) -> Iterator[_Quiet]:
        """Give the moments at which the board agreed with the game and nothing was going on."""
        header = _object(texts[0])
        trace = read_trace(texts, self._name)
        tracker = self._make(trace)
        for number, line in enumerate(trace.lines, start=1):
            tracker.advance(line.t)
            game, saved = tracker.game, tracker.saved()
            still = tracker.state is State.READY and tracker.occupied == game.occupied and not tracker.removals
            if still and game.plies and tracker.agrees:
                size = game.size
                begins: Json = {key: header[key] for key in ("konakis", "rules", "settings") if key in header}
                begins |= {"position": game.position, "side": game.side.value}
                begins["occupied"] = [square_name(square, size) for square in sorted(tracker.occupied)]
                masked = saved.masked | trace.header.masked
                if masked:
                    begins["masked"] = [square_name(square, size) for square in sorted(masked)]
                yield _Quiet(number, begins, len(game.plies))
            follow(tracker, line)


def _ends(texts: list[str], name: str) -> list[float]:
    """Give the times (seconds) at which a trace may end: some time after the failing move was made, or after all.

    Raises:
        NotFailingError: the header says when the move was made, and that is no time.

    """
    simulated = _object(texts[0]).get("simulated")
    found = simulated.get("made") if isinstance(simulated, dict) else None
    made = seconds(found)
    if found is not None and (made is None or made < 0):
        raise NotFailingError(
            f"{name}, line 1: found made {shown(found)}, expected a time in seconds, 0 or more, or none"
        )
    last = max((line["t"] for line in map(_object, texts[1:]) if not line.get("end")), default=0.0)
    return [t + AFTER_S for t in (made, float(last)) if t is not None]


def _up_to(texts: list[str], end: float) -> list[str]:
    """Leave out what comes later than a time, and let the clock run to there."""
    before = [text for text in texts[1:] if _object(text).get("t", math.inf) < end]
    return [texts[0], *before, json.dumps({"t": round(end, DIGITS), "end": True})]


def _compare(game: Game, meant: Sequence[str], plies: int, occupied: Squares) -> Failure | None:
    """Find the first of so many plies that is not as it was meant."""
    for number, ply in enumerate(game.plies[:plies]):
        size = game.size
        text = f"{square_name(ply.move.origin, size)}-{square_name(ply.move.destination, size)}"
        wish = meant[number] if number < len(meant) else ""
        if text != wish:
            return Failure(text, wish, occupied)
    return None


def _sensed(occupied: Squares, line: object) -> Squares:
    """Give what the sensors say after a line."""
    match line:
        case Changed(cells=cells, occupied=True):
            return occupied.union(map(Square, cells))
        case Changed(cells=cells):
            return occupied.difference(map(Square, cells))
        case Scan(occupied=frame):
            return frozenset(map(Square, frame))
        case Restarted(occupied=squares) if squares is not None:
            return squares
    return occupied


def _object(text: str) -> Json:
    found = json.loads(text)
    return found if isinstance(found, dict) else {}
