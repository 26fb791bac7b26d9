"""The messages of OpenTafl's engine protocol as frozen values. What they look like as text, `otep` knows.

Moves, positions and rules stay text: the size of the board is another message's.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from engine import Side

STOPPED = "stopped"
"""The `status` with which our engine answers for a `play` or `analyze` that was broken off, instead of a move."""

RESIGNS = "---"
"""As an engine's move: it gives the game up."""


class Fault(enum.IntEnum):
    """Why a host does not take an engine's move."""

    WRONG_SIDE = 1
    ILLEGAL = 2
    BERSERK_WRONG_SIDE = 3
    BERSERK_ILLEGAL = 4


class End(enum.IntEnum):
    """How a host says that a game has ended."""

    LEFT = 0
    DRAW = 1
    ATTACKERS_WIN = 2
    DEFENDERS_WIN = 3


FATAL = -1
"""The code of an engine's `error` after which it plays no more."""


# What both may say. Without text an engine asks and a host would answer with it.


@dataclass(frozen=True, slots=True)
class Hello:
    """I am here."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What is played, as a rules string; None asks for it."""

    text: str | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """What stands where; None asks for it."""

    text: str | None = None


@dataclass(frozen=True, slots=True)
class PlaysFor:
    """The side that the engine plays; None asks for it."""

    side: Side | None = None


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """What one side has left."""

    ms: int
    """Milliseconds; below 0 without a clock."""
    overtime: bool = False
    """Whether that is the rest of an overtime period."""

    def __str__(self) -> str:
        return f"{self.ms}{'*' if self.overtime else ''}"


@dataclass(frozen=True, slots=True)
class Clock:
    """How much time both sides have."""

    attackers: TimeLeft
    defenders: TimeLeft
    overtime_s: int = 0
    """Seconds of each overtime period."""
    attackers_overtimes: int = 0
    defenders_overtimes: int = 0

    def of(self, side: Side) -> TimeLeft:
        """Give what a side has left."""
        return self.attackers if side is Side.ATTACKERS else self.defenders


# What an engine says.


@dataclass(frozen=True, slots=True)
class AsksClock:
    """How much time there is, please."""


@dataclass(frozen=True, slots=True)
class SimpleMoves:
    """Whether moves are to be told without captures."""

    on: bool


@dataclass(frozen=True, slots=True)
class Chooses:
    """The engine's move, as text; RESIGNS gives up."""

    move: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """Lines of moves from here, each with what it is worth: more is better for the attackers."""

    lines: tuple[tuple[tuple[str, ...], float], ...]


@dataclass(frozen=True, slots=True)
class Status:
    """Something for people to read."""

    text: str


@dataclass(frozen=True, slots=True)
class Complains:
    """The engine cannot do what it was told; FATAL if it plays no more."""

    code: int
    text: str


# What a host says.


@dataclass(frozen=True, slots=True)
class Start:
    """The game begins."""


@dataclass(frozen=True, slots=True)
class Play:
    """Choose a move for this side; the clock runs from here."""

    side: Side


@dataclass(frozen=True, slots=True)
class Made:
    """The engine's move was made, and this is the board now."""

    position: str


@dataclass(frozen=True, slots=True)
class OpponentMove:
    """The other side moved, and this is the board now."""

    moves: tuple[str, ...]
    position: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The engine's move was not taken."""

    fault: Fault


@dataclass(frozen=True, slots=True)
class Analyze:
    """Tell up to so many good lines from here, within so many seconds."""

    lines: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Finish:
    """The game has ended."""

    end: End


@dataclass(frozen=True, slots=True)
class Goodbye:
    """Leave."""


EngineMessage = Hello | SimpleMoves | Rules | Position | PlaysFor | AsksClock | Chooses | Analysis | Status | Complains
HostMessage = (
    Hello
    | Start
    | Rules
    | Position
    | PlaysFor
    | Clock
    | Play
    | Made
    | OpponentMove
    | Refused
    | Analyze
    | Finish
    | Goodbye
)
Message = EngineMessage | HostMessage
