"""One game between simulated hands through the real tracking code, in virtual time, and its judgement.

Owns the driver (whose news, timer or hand comes next), the judge, and the lines of the trace. The hands are
hardware's, the moves that they mean are meant.py's. Must not know how many games there are.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from boardd.commands import Command, Word
from boardd.events import Amended, Event, GameOver, Moved, Question
from boardd.meant import MeantGame
from boardd.saved import Saved
from boardd.settings import PlaySettings
from engine import Book, Game, Square, square_name
from hardware.news import Changed, News, Scan
from hardware.simulated.board import SimulatedBoard
from hardware.simulated.faults import Fault, faults_named
from hardware.simulated.gestures import Announced, Asked, Sight
from hardware.simulated.habits import draw_habits
from hardware.simulated.hands import Players
from hardware.theme import Role

PATIENCE_S = 60.0
"""A game in which nothing was begun or accepted for so long, though hands did what lights asked, has missed a move."""

LONGEST_S = 7200.0
"""No game lasts longer, in virtual seconds; it is far above any, and only keeps a fault from running for ever."""

NEVER = float("inf")


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
    habits: Counter[str] = field(default_factory=Counter)
    lines: list[dict[str, Any]] = field(default_factory=list)
    why: str = ""

    @property
    def failed(self) -> bool:
        """Whether the game came out differently from what was meant."""
        return bool(self.wrong or self.missed)


class SimulatedGame:
    """One game; `play` plays it and judges.

    Args:
        setting: What decides it.
        index: Its number.

    Attributes:
        verdict: What came of it so far.

    """

    def __init__(self, setting: Setting, index: int) -> None:
        def dice(what: str) -> random.Random:
            return random.Random(f"{setting.seed} {index} {what}")

        self._setting = setting
        self.verdict = Verdict(index)
        book, size = setting.book, setting.book.size
        draw = dice("faults")
        faults = faults_named(setting.faults, size * size, draw)
        named = bool(faults.dead) and draw.random() < 0.5  # a dead sensor is in the configuration, or to be found
        self._masked = frozenset(Square(cell) for cell in faults.dead) if named else frozenset()
        self._cuts = faults.power_cut.draw(dice("power")) if faults.power_cut is not None else iter(())
        self._cut_s, self._back_s = next(self._cuts, (NEVER, NEVER))
        self._dark = False
        habits = {side: draw_habits(setting.profile, dice(side)) for side in ("attackers", "defenders")}
        slips = any(each.illegal_share or each.out_of_turn_share for each in habits.values())
        self._meant = MeantGame(Game(book), dice("moves"), setting.plies, slips, self._press, setting.record)
        start = self._meant.position
        self._board = SimulatedBoard(size, start, dice("board"), faults=faults)
        self._players = Players(self._meant, self._board, self._look, habits, dice("hands"), book.first.value, start)
        occupied = self._read()
        self._tracker = self._begin(Saved(book), occupied, 0.0, first=True)
        self._over = False
        self._told = True  # the tracker has been told something since its deadline was asked
        self._progress_s = 0.0
        self._begun = 0
        header: dict[str, Any] = {"konakis": 1, "rules": book.name, "occupied": self._names(occupied)}
        if self._masked:
            header["masked"] = self._names(self._masked)
        differing = setting.settings.model_dump(mode="json", exclude_defaults=True)
        if differing:
            header["settings"] = differing
        made_of = {"seed": setting.seed, "game": index, "profile": setting.profile}
        header["simulated"] = {**made_of, "faults": [fault.value for fault in setting.faults]}
        self._lines = self.verdict.lines
        self._lines.append(header)

    def play(self) -> Verdict:
        """Play the game to its end, or to the first thing that is wrong with it."""
        try:
            self._run()
        finally:
            self.verdict.habits = self._players.used
        return self.verdict

    def _run(self) -> None:
        """Let whoever is next do what is due, until the game is judged."""
        board, players, verdict = self._board, self._players, self.verdict
        t = timer_s = 0.0
        while not verdict.failed and t < LONGEST_S:
            if self._told or t >= timer_s:  # else nothing has happened that could move a timer
                self._told, due_s = False, self._tracker.deadline()
                timer_s = NEVER if due_s is None else due_s
            sensors_s = board.next_time
            t = max(t, min(NEVER if sensors_s is None else sensors_s, timer_s, players.deadline, self._cut_s))
            if t >= self._cut_s:
                self._switch(t)
            for news in board.news_until(t):
                if not self._dark:
                    self._tell(news)
            if t >= timer_s:
                self._tracker.advance(t)
            players.act(t)
            self._judge(t)
            if players.finished and players.resting and self._settle(t):
                break
        self._tracker.advance(t)
        self._judge(t)
        self._lines.append({"t": t, "end": True})
        verdict.plies = len(self._tracker.game.plies)
        verdict.helped = len(players.helped)
        if not verdict.failed:
            self._compare(verdict.plies)

    # --- what passes between the parts ---

    def _begin(self, saved: Saved, occupied: frozenset[Square], now: float, *, first: bool) -> Tracked:
        setting = self._setting
        return setting.make_tracker(Beginning(saved, setting.settings, occupied, self._masked, now, first))

    def _read(self) -> frozenset[Square]:
        return frozenset(Square(cell) for cell in self._board.read())

    def _names(self, squares: Iterable[int]) -> list[str]:
        return [square_name(Square(square), self._setting.book.size) for square in sorted(squares)]

    def _tell(self, news: News) -> None:
        """Give the tracker news, and note it."""
        line: dict[str, Any] = {"t": news.t}
        if isinstance(news, Changed):
            line["drop" if news.occupied else "lift"] = self._names(news.cells)
        elif isinstance(news, Scan):
            line["scan"] = self._names(news.occupied)
        if news.seq is not None:
            line["seq"] = news.seq
        self._lines.append(line)
        self._tracker.sensed(news)
        self._told = True

    def _order(self, t: float, word: Word) -> None:
        """Give the tracker a command, and note it."""
        self._lines.append({"t": t, "command": word.value})
        self._tracker.command(t, Command(word))
        self._told = True

    def _press(self, t: float, button: str) -> None:
        if not self._dark:
            self._order(t, Word(button))

    def _look(self) -> Sight:
        """Return what players see at this moment."""
        tracker, last = self._tracker, None
        plies = tracker.game.plies
        if plies:
            move = plies[-1].move
            last = Announced(_cell(move.origin), _cell(move.destination), tuple(map(_cell, move.captures)))
        if self._dark:
            return Sight({}, None, len(plies), last, dark=True)
        asked, question = None, tracker.question
        if question is not None:
            of = question.move
            pair = (None, None) if of is None else (_cell(of.origin), _cell(of.destination))
            asked = Asked(question.about.value, *pair)
        return Sight(tracker.roles, asked, len(plies), last)  # type: ignore[arg-type]  # straight wiring

    def _switch(self, t: float) -> None:
        """Cut the power, or give it back: what was stored survives, and the sensors read what is then.

        The trace tells of both, so that a replay, whose power is never off for long, does the same: while it is off
        nothing is sensed.
        """
        self._dark = not self._dark
        occupied = self._read()
        self._judge(t)
        self._over = self._over or self._tracker.game.result is not None  # the cut may have swallowed the last word
        self._tracker = self._begin(self._tracker.saved(), occupied, t, first=False)
        self._lines.append({"t": t, "restart": True, "occupied": self._names(occupied)})
        self._told = True
        if self._dark:
            self._cut_s = self._back_s
        else:
            self._cut_s, self._back_s = next(self._cuts, (NEVER, NEVER))

    # --- the judge ---

    def _judge(self, t: float) -> None:
        """Look at what the tracker decided."""
        verdict = self.verdict
        for event in self._tracker.drain():
            if isinstance(event, Amended):
                verdict.amended += 1
            elif isinstance(event, Moved):
                self._progress_s = t
                self._compare(event.ply.number - 1)
            elif isinstance(event, Question):
                verdict.asked += 1
            elif isinstance(event, GameOver):
                self._over = True
        begun = len(self._players.intentions)
        if begun != self._begun:
            self._begun, self._progress_s = begun, t
        if t - self._progress_s > PATIENCE_S and not verdict.failed:
            accepted = len(self._tracker.game.plies)
            self._compare(accepted)
            verdict.missed += max(1, begun - accepted)
            verdict.why = (
                f"{accepted} of {begun} plies accepted, nothing went on for {PATIENCE_S:.0f} s before {t:.1f} s"
            )

    def _compare(self, plies: int) -> None:
        """Compare what was accepted, up to a ply that can no longer be amended, with what was meant."""
        accepted, meant = self._tracker.game.plies, self._players.intentions
        for number in range(min(plies, len(accepted))):
            move, wish = accepted[number].move, meant[number] if number < len(meant) else None
            if wish is None or int(move.origin) != wish.origin or int(move.destination) != wish.destination:
                found = self._text(move.origin, move.destination)
                wanted = "nothing" if wish is None else self._text(wish.origin, wish.destination)
                self.verdict.wrong += 1
                self.verdict.why = self.verdict.why or f"ply {number + 1}: accepted {found}, meant {wanted}"

    def _text(self, origin: int, destination: int) -> str:
        return "-".join(square_name(Square(square), self._setting.book.size) for square in (origin, destination))

    def _settle(self, t: float) -> bool:
        """Say whether the game has ended for the board too; players who stopped early agree on a draw."""
        game = self._tracker.game
        if len(game.plies) != len(self._players.intentions):
            return False
        if self._meant.game.result is None and game.result is None:
            self._order(t, Word.DRAW)
            self._tracker.advance(t)
            self._judge(t)
        return self._over


def _cell(square: Square) -> Any:
    """Return the cell under a square of a board that is wired straight."""
    return square
