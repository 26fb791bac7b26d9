"""What the games' file holds, as values of text and numbers: the words between keeping, keeper and store. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoredMove:
    """One move as text: squares by name, captures ascending."""

    origin: str
    destination: str
    captures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredGame:
    """One game with everything that must survive a power cut; from `removals` on, of the game being played.

    Sides, reasons and squares are the words of `engine`; `chosen` is the computer's move, waiting to be made.
    """

    rules: str
    position: str
    side: str
    moves: tuple[StoredMove, ...] = ()
    winner: str | None = None
    reason: str | None = None
    attackers: str = ""
    defenders: str = ""
    removals: frozenset[str] = frozenset()
    board: frozenset[str] | None = None
    masked: frozenset[str] = frozenset()
    chosen: StoredMove | None = None


@dataclass(frozen=True, slots=True)
class GameLine:
    """One line of the list of games; times are ISO 8601 in UTC, `ended` empty while it is played."""

    number: int
    started: str
    ended: str
    rules: str
    plies: int
    winner: str | None
    reason: str | None
    attackers: str
    defenders: str
