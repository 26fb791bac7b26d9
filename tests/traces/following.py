"""Read what a replay says as a script would, drive a tracker by hand, and do what no hands in their senses would do.

What must hold of every output, whatever the news: the contract's fields, times in order, a game that the events alone
can follow, and a clock that comes to rest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from boardd.events import WORDS
from boardd.trace import Asked, Ended, OpponentMoved, Restarted, read_trace
from boardd.tracking import Tracker
from engine import Game, parse_move, square_name
from hardware.news import Changed, Scan
from tests.traces.answers import Json, game_of

COMMANDS = ("takeback", "new-game", "confirm", "cancel", "hint", "resign", "draw")
"""The contract's commands that need no more words."""


def assert_contract(events: Sequence[Json]) -> None:
    """Every event has the contract's fields, and times never run backwards."""
    fields = {
        "ready": {"side"},
        "move": {"ply", "side", "move", "captures", "announce"},
        "amend": {"ply", "side", "move", "captures", "announce"},
        "takeback": {"ply", "move"},
        "remove": {"squares"},
        "removed": {"squares"},
        "illegal": {"from", "to", "reason"},
        "mismatch": {"missing", "extra"},
        "restored": {"missing", "extra"},
        "question": {"about"},
        "new-game": {"rules"},
        "game-over": {"winner", "reason"},
        "sensor": {"squares", "state"},
        "leds": {"squares"},
        "end": {"rules", "moves", "position", "side", "result"},
    }
    assert set(fields) <= set(WORDS.values())
    before = 0.0
    for event in events:
        assert fields.get(event["event"], set()) | {"t", "event"} <= event.keys()
        assert round(event["t"], 3) == event["t"]
        assert event["t"] >= before
        before = event["t"]
        for key in ("captures", "missing", "extra"):
            assert list(map(str, event.get(key, []))) == event.get(key, [])
    assert [event["event"] for event in events].count("end") == 1
    assert events[-1]["event"] == "end"


class Follower:
    """A script that keeps the game by the events alone."""

    def __init__(self, header: Json) -> None:
        self.game = game_of(header)
        self.size = self.game.size
        self.moves = 0

    def take(self, event: Json) -> None:
        """Take the next event; it must fit the game as it stands."""
        word = event["event"]
        if word == "takeback":
            ply = self.game.undo()
            assert (event["ply"], event["move"]) == (ply.number, ply.move.text(self.size).partition("x")[0])
        elif word == "new-game":
            self.game = Game(self.game.book)
        if word not in ("move", "amend"):
            return
        if word == "amend":
            self.game.undo()
        else:
            self.moves += 1
        origin, destination, _ = parse_move(event["move"], self.size)
        ply = self.game.play((origin, destination))
        assert event["ply"] == ply.number
        assert event["side"] == ply.side.value
        assert event["captures"] == [square_name(square, self.size) for square in ply.move.captures]
        assert event["announce"] == [word.value for word in ply.announcements]

    def texts(self) -> tuple[str, ...]:
        """Give the moves so far."""
        return tuple(ply.move.text(self.size) for ply in self.game.plies)


def driven(lines: Sequence[Json]) -> tuple[Tracker, float]:
    """Drive a tracker through a trace, without letting the clock run on."""
    trace = read_trace([json.dumps(line) for line in lines], "trace")
    header = trace.header
    tracker = Tracker(
        header.saved, header.settings, occupied=header.occupied, masked=header.masked, opponent=header.opponent
    )
    t = 0.0
    for line in trace.lines:
        t = line.t
        match line:
            case Asked():
                tracker.command(t, line.command)
            case Restarted():
                tracker.restart(t, line.occupied)
            case OpponentMoved():
                tracker.opponent_moves(t, line.origin, line.destination)
            case Ended():
                tracker.advance(t)
            case Changed() | Scan():
                tracker.sensed(line)
    return tracker, t


def assert_comes_to_rest(tracker: Tracker, t: float) -> None:
    """Let an endless clock run: so many timers fire, and then no more."""
    fired = 0
    while (due := tracker.deadline()) is not None:
        assert due <= t + 60.0
        tracker.advance(due)
        fired += 1
        assert fired < 50
    tracker.drain()
    for later in (1e3, 1e6, 1e9):
        tracker.advance(t + later)
        assert tracker.deadline() is None
        assert tracker.drain() == []


def monkey(header: Json, done: Sequence[tuple[tuple[str, object], float]]) -> list[Json]:
    """Write what was done as a trace."""
    game = game_of(header)
    standing = {square_name(square, game.size) for square in game.occupied}
    moves = game.legal_moves()
    lines, t = [header], 0.5
    for (word, what), pause in done:
        if word == "carry":
            assert isinstance(what, int)
            move = moves[what % len(moves)]
            ends = [square_name(move.origin, game.size), square_name(move.destination, game.size)]
            if ends[0] not in standing:
                ends.reverse()
            lines += [{"t": t, "lift": ends[0]}, {"t": round(t + pause / 4, 4), "drop": ends[1]}]
            standing.discard(ends[0])
            standing.add(ends[1])
            t = round(t + pause / 4, 4)
        elif word == "scan":
            lines.append({"t": t, "scan": sorted(standing)})
        elif word in ("command", "restart"):
            lines.append({"t": t, word: what or True})
        else:
            assert isinstance(what, str)
            up = word == "lift" or (word == "toggle" and what in standing)
            (standing.discard if up else standing.add)(what)
            lines.append({"t": t, "lift" if up else "drop": what})
        t = round(t + pause, 4)
    return lines
