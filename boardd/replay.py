"""Replay a trace: the very tracking that the daemon runs, in the trace's own time, the same every time.

Owns nothing but the loop. `boardd.trace` reads the lines, `boardd.tracking` decides.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TextIO

from boardd.events import End, Event, Leds
from boardd.trace import LINE_MAX, Asked, Ended, Hinted, Line, OpponentMoved, Restarted, Trace, TraceError, read_trace
from boardd.tracking import Tracker
from engine.records import PLIES_MAX
from hardware.files import open_text, text_lines

STANDARD_INPUT = "-"


def replay(
    lines: Iterable[str], name: str, *, leds: bool = False, warn: Callable[[str], None] = lambda _: None
) -> Iterator[Event]:
    """Replay a trace's lines.

    Args:
        lines: the text.
        name: what to call it in messages.
        leds: whether to give the pictures of the lights too.
        warn: told of a torn last line.

    Yields:
        The events in order; an `End` last.

    Raises:
        TraceError: a line that cannot be read; everything before it has been given.

    """
    trace = read_trace(lines, name, warn)
    tracker = begin(trace)
    t = 0.0
    yield from _said(tracker, leds)
    for line in trace.lines:
        t = line.t
        follow(tracker, line)
        yield from _said(tracker, leds)
        if len(tracker.game.plies) > PLIES_MAX:
            raise TraceError(f"{name}: found a game of more than {PLIES_MAX:,} moves, expected fewer")
    game = tracker.game
    moves = tuple(ply.move for ply in game.plies)
    yield End(t, game.book.name, moves, game.position, game.side, game.result)


def replay_file(path: str, *, leds: bool = False, warn: Callable[[str], None] = lambda _: None) -> Iterator[Event]:
    """Replay a file; `-` is standard input.

    Raises:
        TraceError: it cannot be opened or read.

    """
    if path == STANDARD_INPUT:
        given: TextIO | None = sys.stdin
        if given is None:
            raise TraceError("standard input: found it closed, expected a trace")
        yield from replay(text_lines(given, LINE_MAX), "standard input", leds=leds, warn=warn)
        return
    try:
        with open_text(Path(path)) as file:
            yield from replay(text_lines(file, LINE_MAX), path, leds=leds, warn=warn)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise TraceError(f"{path}: found a file that cannot be read ({why}), expected a trace") from None


def _said(tracker: Tracker, leds: bool) -> Iterator[Event]:
    return (event for event in tracker.drain() if leds or not isinstance(event, Leds))


def begin(trace: Trace) -> Tracker:
    """Make the tracker that follows a trace."""
    header = trace.header
    return Tracker(
        header.saved, header.settings, occupied=header.occupied, masked=header.masked, opponent=header.opponent
    )


def follow(tracker: Tracker, line: Line) -> None:
    """Let a tracker take one line."""
    match line:
        case Asked():
            tracker.command(line.t, line.command)
        case Restarted():
            tracker.restart(line.t, line.occupied, line.stored, line.kept)
        case OpponentMoved():
            tracker.opponent_moves(line.t, line.origin, line.destination)
        case Hinted():
            tracker.hinted(line.t, line.origin, line.destination)
        case Ended():
            tracker.advance(line.t)
        case _:
            tracker.sensed(line)
