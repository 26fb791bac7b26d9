"""What the board has to say: one frozen value for each event of the contract.

An event is a decision with its time. It knows how to become one JSON object and
nothing else: who asks, stores or shows it is not its business.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine import Move, Outcome, Ply, Side, Square, square_name
from hardware.theme import Role

Json = dict[str, Any]


class Topic(enum.Enum):
    """What a question is about."""

    NEW_GAME = "new-game"
    MOVE = "move"
    SENSOR = "sensor"


class SensorState(enum.Enum):
    """What is known of a sensor beside its reading."""

    FLAPPING = "flapping"
    STUCK = "stuck"
    OK = "ok"


def names(squares: Iterable[Square], size: int) -> list[str]:
    """Give the squares' names in board order, a1 first."""
    return [square_name(square, size) for square in sorted(squares)]


def bare_move_text(move: Move, size: int) -> str:
    """Give `f1-f3`, the move without its captures."""
    return f"{square_name(move.origin, size)}-{square_name(move.destination, size)}"


@dataclass(frozen=True, slots=True)
class Event:
    """A decision; `t` is its time in seconds on the board's own clock."""

    t: float

    @property
    def name(self) -> str:
        """The contract's word for this kind of event."""
        return WORDS[type(self)]

    def to_json(self, size: int) -> Json:
        """Give the event as the contract's JSON object, for a board of `size` squares a side."""
        return {"t": round(self.t, 3), "event": self.name} | self.details(size)

    def details(self, size: int) -> Json:
        """Give the fields beside `t` and `event`."""
        return {}


@dataclass(frozen=True, slots=True)
class Ready(Event):
    """Sensors and game agree, and `side` may move."""

    side: Side

    def details(self, size: int) -> Json:
        """Give the side."""
        return {"side": self.side.value}


@dataclass(frozen=True, slots=True)
class Moved(Event):
    """A move is accepted."""

    ply: Ply

    def details(self, size: int) -> Json:
        """Give the ply, told apart into its fields."""
        return ply_json(self.ply, size)


@dataclass(frozen=True, slots=True)
class Amended(Moved):
    """The piece that moved last rests on another legal destination: `ply` replaces the last one."""


@dataclass(frozen=True, slots=True)
class TakenBack(Event):
    """The last ply was taken back."""

    ply: Ply

    def details(self, size: int) -> Json:
        """Give the ply's number and move."""
        return {"ply": self.ply.number, "move": bare_move_text(self.ply.move, size)}


@dataclass(frozen=True, slots=True)
class Remove(Event):
    """Captured pieces still stand on these squares."""

    squares: frozenset[Square]

    def details(self, size: int) -> Json:
        """Give the squares."""
        return {"squares": names(self.squares, size)}


@dataclass(frozen=True, slots=True)
class Removed(Remove):
    """The captured pieces of these squares are all gone."""


@dataclass(frozen=True, slots=True)
class Illegal(Event):
    """One piece of the game rests where it may not."""

    origin: Square
    destination: Square
    reason: str

    def details(self, size: int) -> Json:
        """Give the pair and the contract's word for the reason."""
        origin, destination = square_name(self.origin, size), square_name(self.destination, size)
        return {"from": origin, "to": destination, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Mismatch(Event):
    """The board differs from the game and nothing explains it."""

    missing: frozenset[Square]
    extra: frozenset[Square]

    def details(self, size: int) -> Json:
        """Give the squares that lack a piece and those with one too many."""
        return {"missing": names(self.missing, size), "extra": names(self.extra, size)}


@dataclass(frozen=True, slots=True)
class Restored(Mismatch):
    """The board agrees with the game again; `missing` and `extra` are what was wrong."""


@dataclass(frozen=True, slots=True)
class Question(Event):
    """The board asks, and `confirm` or `cancel` answers."""

    about: Topic
    move: Move | None = None
    squares: frozenset[Square] = frozenset()

    def details(self, size: int) -> Json:
        """Give the topic and what belongs to it."""
        found: Json = {"about": self.about.value}
        if self.move is not None:
            found["move"] = bare_move_text(self.move, size)
            found["captures"] = names(self.move.captures, size)
        if self.squares:
            found["squares"] = names(self.squares, size)
        return found


@dataclass(frozen=True, slots=True)
class NewGame(Event):
    """A new game begins."""

    rules: str

    def details(self, size: int) -> Json:
        """Give the book's name."""
        return {"rules": self.rules}


@dataclass(frozen=True, slots=True)
class GameOver(Event):
    """The game has ended, and no slide can change that any more."""

    outcome: Outcome

    def details(self, size: int) -> Json:
        """Give winner and reason."""
        return outcome_json(self.outcome)


@dataclass(frozen=True, slots=True)
class Sensor(Event):
    """Something is known of these sensors."""

    squares: frozenset[Square]
    state: SensorState

    def details(self, size: int) -> Json:
        """Give the squares and the state."""
        return {"squares": names(self.squares, size), "state": self.state.value}


@dataclass(frozen=True, slots=True)
class Leds(Event):
    """The picture of the lights has changed to this one."""

    roles: Mapping[Square, Role]

    def details(self, size: int) -> Json:
        """Give the role of each lit square."""
        return {"squares": {square_name(square, size): self.roles[square].value for square in sorted(self.roles)}}


@dataclass(frozen=True, slots=True)
class End(Event):
    """The replay is over: what the game looks like now."""

    rules: str
    moves: tuple[Move, ...]
    position: str
    side: Side
    result: Outcome | None

    def details(self, size: int) -> Json:
        """Give the record and the position."""
        return {
            "rules": self.rules,
            "moves": [move.text(size) for move in self.moves],
            "position": self.position,
            "side": self.side.value,
            "result": None if self.result is None else outcome_json(self.result),
        }


WORDS: Mapping[type[Event], str] = {
    Ready:     "ready",
    Moved:     "move",
    Amended:   "amend",
    TakenBack: "takeback",
    Remove:    "remove",
    Removed:   "removed",
    Illegal:   "illegal",
    Mismatch:  "mismatch",
    Restored:  "restored",
    Question:  "question",
    NewGame:   "new-game",
    GameOver:  "game-over",
    Sensor:    "sensor",
    Leds:      "leds",
    End:       "end",
}


def ply_json(ply: Ply, size: int) -> Json:
    """Give a ply as the contract's fields: number, side, bare move, captures, announcements."""
    return {
        "ply": ply.number,
        "side": ply.side.value,
        "move": bare_move_text(ply.move, size),
        "captures": names(ply.move.captures, size),
        "announce": [announcement.value for announcement in ply.announcements],
    }


def outcome_json(outcome: Outcome) -> Json:
    """Give winner (or null) and reason."""
    return {"winner": None if outcome.winner is None else outcome.winner.value, "reason": outcome.reason.value}

