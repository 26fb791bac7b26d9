"""One board being played, driven by time: sensors in; game, events, trace and what must be stored out.

Owns the order in which the parts hear of things, and which change must be on disk before it may be shown. Neither
waits nor writes: `boardd.app` does. Time is an argument, counted as by `boardd.clock`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from boardd.clock import counted
from boardd.commands import Command, Word
from boardd.events import Event, GameOver, Illegal, Leds, Moved, NewGame, Ready, TakenBack
from boardd.geometry import Geometry
from boardd.house import configured_book
from boardd.saved import Saved
from boardd.settings import Settings
from boardd.stamping import behind, stamped
from boardd.states import State
from boardd.storage.keeper import Keeper
from boardd.storage.keeping import saved_from, stored_game
from boardd.storage.recorder import Recorder, Situation
from boardd.storage.store import StoredGame, StoredMove
from boardd.tracking import Tracker
from boardd.wiring.equipment import Equipment
from boardd.wiring.health_watch import HealthWatch
from engine import Book, Game, Side, Square, parse_square, square_name
from hardware.errors import SensorsError
from hardware.news import News

log = logging.getLogger(__name__)

KEPT = (Moved, TakenBack, GameOver)
"""Events after which the disk should keep the trace at once."""


class Session:
    """The game on one board from the daemon's start to its end.

    Args:
        settings: the whole configuration.
        equipment: the board, its sensors open already.
        keeper: told of every new game; whoever drives the session has it write.
        recorder: told of everything raw; not yet started.
        wall: the time of day.
        found: the game that was stored, None to begin one.
        now: the time.
        listen: told of every event but the lights'.
        health: where the health of the sensors is kept; None keeps nothing.

    """

    def __init__(
        self,
        settings: Settings,
        equipment: Equipment,
        keeper: Keeper,
        recorder: Recorder,
        wall: Callable[[], datetime],
        found: tuple[Saved, StoredGame] | None,
        now: float,
        listen: Callable[[Event], None] = lambda event: None,
        health: Path | None = None,
    ) -> None:
        self._settings = settings
        self._geometry = geometry = equipment.geometry
        self._sensors = equipment.board.sensors
        self._listen = listen
        self._keeper = keeper
        self._recorder = recorder
        self._wall = wall
        self._t = now  # when the last thing happened
        self._looked = now  # when the sensors were asked last
        self._behind = 0.0  # by how much time in the game stays behind, after news that were held up
        masked = frozenset(parse_square(name, geometry.size) for name in settings.board.masked)
        self._masked = masked | equipment.dead
        if found is None:
            saved = Saved(configured_book(settings.game))
            self.attackers, self.defenders = settings.game.attackers, settings.game.defenders
        else:
            saved = found[0]
            self.attackers, self.defenders = found[1].attackers, found[1].defenders
        self.opponent = Side(settings.opponent.side) if settings.opponent.engine else None
        """The side that a computer plays."""
        self.hint_asked = False
        """Whether somebody waits for a hint."""
        self.version = 0
        """Counts everything that may be seen."""
        self.connected = True
        raw = self._first_reading(saved)
        self._tracker = self._track(saved, raw, now, first=found is None)
        self.watch = HealthWatch(settings.play.debounce_ms, geometry, equipment.board.link, raw, health)
        self._verdicts = 0
        self.illegal: Illegal | None = None
        self.games = 0
        """Counts the games begun since the start."""
        self.saves = 0
        """Counts what should be stored; `due` is the latest."""
        self.gate = 0
        """What is seen now may be shown once this save is done."""
        self.due = self._stored() if found is None else found[1]
        self._begin(now, raw, saved.board, fresh=found is None)
        self._drain()

    @property
    def tracker(self) -> Tracker:
        """What follows the game; read only."""
        return self._tracker

    @property
    def game(self) -> Game:
        """The game as it stands; read only."""
        return self._tracker.game

    @property
    def geometry(self) -> Geometry:
        """Which sensor and light lie under which square."""
        return self._geometry

    def step(self, now: float) -> None:
        """Take what the sensors have to say up to now, and let everything happen that is due."""
        for news in self._poll(now):
            self._behind = behind(news, now)
            self.watch.sensed(news)
            self._run_timers(news.t)
            self._recorder.news(news)
            self._tracker.sensed(news)
            self.version += 1
            self._drain()
        self._run_timers(now - self._behind)
        self.watch.step(now)
        if self._verdicts != self.watch.health.verdicts:
            self._verdicts = self.watch.health.verdicts
            self.version += 1

    def deadline(self) -> float | None:
        """Tell when something is decided next if no sensor speaks."""
        due = self._tracker.deadline()
        return None if due is None else due + self._behind

    def command(self, now: float, command: Command) -> None:
        """Do what a button or the page asks for."""
        self._catch_up(now)
        self._recorder.command(self._t, command)
        self._tracker.command(self._t, command)
        self.hint_asked = command.word is Word.HINT or (self.hint_asked and command.word is Word.HINTS)
        self.version += 1
        self._drain()

    def opponent_moves(self, now: float, origin: Square, destination: Square) -> None:
        """Take the computer's move."""
        self._catch_up(now)
        self._recorder.opponent_moves(self._t, origin, destination)
        self._tracker.opponent_moves(self._t, origin, destination)
        self.version += 1
        self._drain()

    def hinted(self, now: float, origin: Square, destination: Square) -> None:
        """Take the good move that somebody asked for."""
        self._catch_up(now)
        self.hint_asked = False
        self._recorder.hinted(self._t, origin, destination)
        self._tracker.hinted(self._t, origin, destination)
        self.version += 1
        self._drain()

    def _catch_up(self, now: float) -> None:
        """Let everything happen that is due before a word that is given now."""
        self.step(now)
        self._behind = 0.0
        self._run_timers(now)
        self._t = max(self._t, now)

    def resign(self, now: float) -> None:
        """Give the game up for the computer, whose turn it is."""
        self.command(now, Command(Word.RESIGN))

    def name_players(self, attackers: str, defenders: str) -> None:
        """Name the players of this game and those after it."""
        self.attackers, self.defenders = attackers, defenders
        self.version += 1
        self._note_due()

    def close(self) -> None:
        """Write the end of the trace."""
        self._recorder.close(max(self._t, self._looked))
        self.watch.close()

    # Sensors and time.

    def _first_reading(self, saved: Saved) -> frozenset[Square]:
        """Read the board; one that is not there yet is taken to stand as it was left until it tells otherwise."""
        try:
            return self._geometry.squares(self._sensors.read())
        except SensorsError as error:
            self._note_connection(str(error))
        if saved.board is not None:
            return saved.board
        return saved.game().occupied | saved.removals

    def _note_connection(self, trouble: str) -> None:
        """Tell once that the board cannot be read, and once that it can again."""
        if self.connected is bool(trouble):
            self.connected = not trouble
            self.version += 1
            if trouble:
                log.error("%s", trouble)
            else:
                log.warning("the board can be read again")

    def _poll(self, now: float) -> list[News]:
        """Ask the sensors, and give their news by squares, in times that the tracker can take."""
        looked, self._looked = self._looked, now
        try:
            polled = self._sensors.poll(now)
        except SensorsError as error:
            self._note_connection(str(error))
            return []
        self._note_connection("" if self._sensors.connected else self._sensors.trouble)
        return [self._stamped(self._geometry.news(news), looked, now) for news in polled]

    def _stamped(self, news: News, looked: float, now: float) -> News:
        news = stamped(news, self._t, looked, now)
        self._t = news.t
        return news

    def _run_timers(self, t: float) -> None:
        """Fire the timers due one by one, so that each decision is stored by itself."""
        tracker = self._tracker
        due = tracker.deadline()
        while due is not None and due <= t:
            tracker.advance(due)
            self._t = max(self._t, counted(due))
            self._drain()
            if tracker is not self._tracker:
                tracker = self._tracker  # a new game under other rules
            following = tracker.deadline()
            if following is not None and following <= due:
                break  # the tracker waits for something else; asking again now would not end
            due = following

    # What follows from what was decided.

    def _drain(self) -> None:
        """Hear what the tracker has decided, and take down what must be stored."""
        events = self._tracker.drain()
        game = self.due
        for event in events:
            if isinstance(event, NewGame):
                self._keeper.put(_with_result(game))  # the tracker knows no more of it
                self._renew(event.t)
            else:
                game = self._after(game, event)
                self._hear(event)
        if events:
            self.version += 1
        self._note_due()

    def _hear(self, event: Event) -> None:
        if isinstance(event, Leds):
            return
        self._listen(event)
        if isinstance(event, Ready):
            self._rest(event.t)
            return
        if isinstance(event, Illegal):
            self.illegal = event
        self._recorder.note(event.t, event.name, event.details(self.game.size), keep=isinstance(event, KEPT))

    def _after(self, stored: StoredGame, event: Event) -> StoredGame:
        """Give a game as it is after an event, without asking the tracker, which may play the next one already."""
        match event:
            case Moved(ply=ply):
                size = self.game.size
                move = StoredMove(
                    square_name(ply.move.origin, size),
                    square_name(ply.move.destination, size),
                    tuple(square_name(square, size) for square in ply.move.captures),
                )
                return replace(stored, moves=(*stored.moves[: ply.number - 1], move))
            case TakenBack(ply=ply):
                return replace(stored, moves=stored.moves[: ply.number - 1], winner=None, reason=None)
            case GameOver(outcome=outcome):
                winner = None if outcome.winner is None else outcome.winner.value
                return replace(stored, winner=winner, reason=outcome.reason.value)
        return stored

    def _note_due(self) -> None:
        """Notice whether something differs from what should be stored so far."""
        stored = self._stored()
        if stored == self.due:
            return
        self.saves += 1
        if replace(stored, board=self.due.board) != self.due:
            self.gate = self.saves
        self.due = stored

    def _stored(self) -> StoredGame:
        return stored_game(self._tracker.saved(), self._tracker.game, self.attackers, self.defenders)

    # Games.

    def _begin(self, now: float, raw: frozenset[Square], stored: frozenset[Square] | None, *, fresh: bool) -> None:
        """Begin the trace, and the first game of all if there is none."""
        if fresh:
            self._keeper.begin(self.due)
            self.saves = self.gate = 1
        self._recorder.start(now, self._situation(), raw, self._day(), stored=stored, fresh=fresh)

    def _renew(self, t: float) -> None:
        """Begin a new game, under the rules that the configuration names by now."""
        configured = configured_book(self._settings.game)
        if self._differs(configured):
            saved = Saved(configured)
            self._tracker = self._track(saved, self._first_reading(saved), t, first=True)
        self.illegal = None
        self.games += 1
        self.due = self._stored()
        self._keeper.begin(self.due)
        self.saves += 1
        self.gate = self.saves
        self._recorder.begin_game(t, self._situation())

    def _differs(self, configured: Book) -> bool:
        """Tell whether the next game has other rules; another size needs another board and waits for a restart."""
        book = self._tracker.game.book
        if configured.size != book.size:
            log.warning("rules %s need a board of another size: they begin after a restart", configured.name)
            return False
        return configured != book

    def _track(self, saved: Saved, raw: frozenset[Square], now: float, *, first: bool) -> Tracker:
        return Tracker(
            saved,
            self._settings.play,
            occupied=raw,
            masked=self._masked,
            opponent=self.opponent,
            now=now,
            first=first,
        )

    def _rest(self, t: float) -> None:
        """Tell the recorder that nothing is going on, if so."""
        tracker = self._tracker
        if tracker.state is State.READY and not tracker.removals and tracker.occupied == tracker.game.occupied:
            self._recorder.quiet(t, self._situation(), self._day())

    def _situation(self) -> Situation:
        """Tell where a replay would begin."""
        game, saved = self._tracker.game, self._tracker.saved()
        if game.result is not None:
            return Situation(Saved(game.book, masked=saved.masked), self._masked, None, 0)
        here = Saved(game.book, game.position, game.side, masked=saved.masked)
        return Situation(here, self._masked, self._keeper.number, len(game.plies))

    def _day(self) -> str:
        return self._wall().isoformat(timespec="seconds")


def _with_result(stored: StoredGame) -> StoredGame:
    """Give a game with the result that its moves brought, which may not have been said yet."""
    if stored.reason is not None:
        return stored
    result = saved_from(stored, "the game before")[1].result
    if result is None:
        return stored
    return replace(stored, winner=None if result.winner is None else result.winner.value, reason=result.reason.value)
