"""What a simulated game is made of and what comes of it: plain values, and what it needs of a tracker."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from boardd.commands import Command
from boardd.events import Event, Question
from boardd.saved import Saved
from boardd.settings import PlaySettings
from engine import Book, Game, Square
from hardware.news import News
from hardware.simulated.faults import Fault
from hardware.theme import Role


class Tracked(Protocol):
    """What the game needs of a tracker; tests give broken ones to see the judge find them."""

    @property
    def game(self) -> Game:
        """The game as understood."""

    @property
    def roles(self) -> Mapping[Square, Role]:
        """The picture of the lights."""

    @property
    def question(self) -> Question | None:
        """What is being asked."""

    @property
    def agrees(self) -> bool:
        """Whether the board is as the game has it, and nothing is asked."""

    def sensed(self, news: News) -> None:
        """Take raw news."""

    def command(self, t: float, command: Command) -> None:
        """Take a command."""

    def advance(self, t: float) -> None:
        """Fire every timer due up to `t`."""

    def deadline(self) -> float | None:
        """When the next timer is due."""

    def drain(self) -> list[Event]:
        """Return what happened since the last call."""

    def saved(self) -> Saved:
        """Return what survives a power cut."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a tracker begins with: `first` unless the power was off; `now` in seconds."""

    saved: Saved
    settings: PlaySettings
    occupied: frozenset[Square]
    masked: frozenset[Square]
    now: float
    first: bool


MakeTracker = Callable[[Beginning], Tracked]


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything that decides a game, but for its number.

    Attributes:
        book: The rules.
        profile: The hands' profile.
        faults: The sensors' faults.
        seed: What all games' dice are made of.
        plies: After so many the players agree on a draw.
        settings: The tracker's timings.
        make_tracker: Makes the tracker.
        record: The moves of one game, origin and destination, that every game repeats; drawn if there are none.

    """

    book: Book
    profile: str
    faults: tuple[Fault, ...]
    seed: int
    plies: int
    settings: PlaySettings
    make_tracker: MakeTracker
    record: tuple[tuple[Square, Square], ...] = ()


@dataclass(slots=True)
class Verdict:
    """What came of one game.

    Attributes:
        index: The game's number.
        plies: Accepted moves at the end.
        wrong: Accepted moves that were not meant.
        missed: Meant moves that were not accepted.
        amended: Amendments.
        asked: Questions.
        helped: Plies that needed the lights' help.
        unlit: Plies that were made and not announced while no light asked for anything.
        undone: Accepted moves that nobody meant, and that hands took back before the next.
        recoveries: How long each trouble lasted (virtual seconds): from a complaint, or from when the power or the wire
            was back or a mishap over, until the board agreed again.
        habits: What hands did, by name.
        lines: The trace, header first.
        why: What was wrong, for people; empty if nothing.

    """

    index: int
    plies: int = 0
    wrong: int = 0
    missed: int = 0
    amended: int = 0
    asked: int = 0
    helped: int = 0
    unlit: int = 0
    undone: int = 0
    recoveries: list[float] = field(default_factory=list)
    habits: Counter[str] = field(default_factory=Counter)
    lines: list[dict[str, Any]] = field(default_factory=list)
    why: str = ""

    @property
    def failed(self) -> bool:
        """Whether the game came out differently from what was meant."""
        return bool(self.wrong or self.missed)
