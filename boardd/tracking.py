"""From raw news to events and a picture: debounce, sensor health, reconstruction and lights, in one clockwork.

Owns the order in which they are asked, lost and old news, and when the picture is drawn. Pure; time is an argument.
The daemon, `replay` and `simulate` all drive this one class, in real or virtual time.

No timer of the game fires while a raw change is undecided or while news is known to be lost: what was not seen is
not judged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from boardd.commands import Command, Word
from boardd.events import Event, Leds, Question, Sensor, SensorState
from boardd.hints import Picture, picture
from boardd.meanings import NOWHERE, Kind, Squares
from boardd.nearly import CLOSE_S, MS, at_least
from boardd.reconstruct import Reconstructor, Settled
from boardd.saved import Kept, Saved
from boardd.settings import HintLevel, PlaySettings
from boardd.states import Phase, State
from engine import Game, Side, Square
from hardware.debounce import Debouncer
from hardware.health import Condition, FlapDetector, vanished_line
from hardware.news import Cell, Edge, Frame, News, Scan
from hardware.theme import Role

FLICKER_S = 0.02
"""A neighbour's magnet and bounce are read for less; a piece that is put down and taken at once, for more."""

__all__ = ["Command", "Saved", "Tracker"]


class Tracker:
    """Follow one board.

    Args:
        saved: what is known from before.
        settings: the timings and the hint level.
        occupied: what the sensors read now; None for what `saved` says.
        masked: squares whose sensors are not to be trusted.
        opponent: the side that a computer plays.
        now: the time in seconds.
        first: whether this is the first start (the players set the board up) and not a restart.

    """

    def __init__(
        self,
        saved: Saved,
        settings: PlaySettings,
        *,
        occupied: Squares | None = None,
        masked: Squares = NOWHERE,
        opponent: Side | None = None,
        now: float = 0.0,
        first: bool = True,
    ) -> None:
        self.settings = settings
        self.level = settings.hints
        self._masked = masked
        self._opponent = opponent
        self._events: list[Event] = []
        self._start(saved, occupied, now, resumed=not first)

    def _start(self, saved: Saved, occupied: Squares | None, now: float, *, resumed: bool) -> None:
        if occupied is None:
            occupied = saved.board if saved.board is not None else saved.game().occupied | saved.removals
        settings = self.settings
        frame = frozenset(Cell(square) for square in occupied)
        self._clock = now
        self._debouncer = Debouncer(settings.debounce_ms, frame)
        self._flaps = FlapDetector(settings.quiet_ms, settings.flapping_ms)
        self._board = Reconstructor(
            saved, settings, seen=occupied, blind=self._masked, opponent=self._opponent, now=now, resumed=resumed
        )
        self._scanned: set[Cell] = set()
        """Undecided cells whose last raw edge only a whole reading brought."""
        self._risen: dict[Cell, float] = {}
        """When each square was last seen to become occupied."""
        self._seq: int | None = None
        self._heard = now
        """When news came last of which none was missed before."""
        self._gap = False
        self._vanished: Frame = frozenset()
        self._vanished_due: float | None = None
        self._withheld: dict[Cell, Settled] = {}
        """What settled last on each cell while decisions were suspended."""
        self._hint: Squares = NOWHERE
        """The ends of a good move that somebody asked for."""
        self._picture: Picture = {}
        self._draw_at: float | None = now
        self._collect()
        self._draw(now)

    # What others may ask.

    @property
    def game(self) -> Game:
        """The game as it stands; read only."""
        return self._board.game

    @property
    def state(self) -> State:
        """What the board is doing."""
        return self._board.state

    @property
    def roles(self) -> Mapping[Square, Role]:
        """The picture on the lights."""
        return self._picture

    @property
    def question(self) -> Question | None:
        """What the board has asked and nobody has answered."""
        return self._board.question

    @property
    def agrees(self) -> bool:
        """Whether the board is as the game has it, captured pieces apart, and nothing is asked or unknown."""
        return not self._suspended and self._board.agrees

    @property
    def removals(self) -> Squares:
        """Where captured pieces still stand."""
        return self._board.removals

    @property
    def board(self) -> Reconstructor:
        """What follows the game; read only."""
        return self._board

    @property
    def occupied(self) -> Squares:
        """The settled occupancy."""
        return self._board.seen

    def saved(self) -> Saved:
        """Give what has to survive a power cut at this moment."""
        return self._board.saved()

    def drain(self) -> list[Event]:
        """Give the events since the last call, in order."""
        events, self._events = self._events, []
        return events

    # News, commands and time.

    def sensed(self, news: News) -> None:
        """Take raw news whose cells are squares already (`geometry.news`); `t` never runs backwards."""
        self.advance(news.t)
        missed = news.seq is not None and self._seq is not None and news.seq > self._seq + 1
        if news.seq is not None and not self._in_order(news.seq, whole=isinstance(news, Scan)):
            return
        raw = self._debouncer.raw
        if isinstance(news, Scan):
            if missed or self._gap:
                self._board.unseen(self._heard, news.t)
            self._gap = False
            after = news.occupied
        elif news.occupied:
            after = raw.union(news.cells)
        else:
            after = raw.difference(news.cells)
        changed = raw ^ after
        if self._gap and not isinstance(news, Scan):
            for cell in frozenset(news.cells) - changed:  # what it changes was changed by news that was lost
                self._board.visited(news.t, Square(cell))
        if changed and self._draw_at is not None and not changed <= self._flaps.flapping:
            self._draw_at = max(self._draw_at, news.t + self.settings.draw_ms * MS)
        if not self._gap:
            self._heard = news.t
        self._watch_lines(news.t, raw, after)
        for cell in sorted(changed):
            self._flaps.feed(news.t, cell)
            self._board.stirred(news.t, Square(cell))
            self._debouncer.feed(news.t, cell, cell in after)
            self._glimpse(news.t, cell, cell in after)
            if isinstance(news, Scan):
                self._scanned.add(cell)
            else:
                self._scanned.discard(cell)
        self.advance(news.t)
        if not self._suspended and self._withheld:
            self._release(news.t)

    def command(self, t: float, command: Command) -> None:
        """Do what a button, the page or a trace asks for."""
        self.advance(t)
        board = self._board
        match command.word:
            case Word.HINTS:
                self.level = command.level or self.level
            case Word.TAKEBACK:
                board.takeback(t)
            case Word.RESIGN:
                board.resign(t)
            case Word.DRAW:
                board.draw(t)
            case Word.NEW_GAME:
                board.new_game(t)
            case Word.CONFIRM:
                board.confirm(t)
            case Word.CANCEL:
                board.cancel(t)
            case Word.HINT:
                """The daemon asks an engine, and tells what it said by `hinted`."""
        self._collect()
        self._draw_at = t
        self.advance(t)

    def opponent_moves(self, t: float, origin: Square, destination: Square) -> None:
        """Take the computer's move."""
        self.advance(t)
        self._board.opponent_moves(t, origin, destination)
        self._collect()
        self._draw_at = t
        self.advance(t)

    def hinted(self, t: float, origin: Square, destination: Square) -> None:
        """Show a good move until something changes; one that does not fit the game as it stands is thrown away."""
        self.advance(t)
        if self.game.find(origin, destination) is not None:
            self._hint = frozenset((origin, destination))
            self._draw_at = t
        self.advance(t)

    @property
    def hint(self) -> Squares:
        """The ends of the good move that is shown; none while none is."""
        return self._hint

    def restart(
        self, t: float, occupied: Squares | None = None, stored: Squares | None = None, kept: Kept | None = None
    ) -> None:
        """Lose the power here and now, and get it back: only what `saved` gives survives, or less.

        Args:
            t: now.
            occupied: what the sensors read afterwards; None if they read as before.
            stored: what had been stored of the sensors; None for what they have settled on.
            kept: what had been stored of the game, where a disk did not take all of it.

        """
        self.advance(t)
        if occupied is None:
            occupied = frozenset(Square(cell) for cell in self._debouncer.raw)
        saved = self.saved() if kept is None else kept.of(self.saved())
        if stored is not None:
            saved = replace(saved, board=stored)
        self._start(saved, occupied, t, resumed=True)

    def advance(self, t: float) -> None:
        """Do all that is due by `t`, in order."""
        while (due := self.deadline()) is not None and due <= t + CLOSE_S:
            before = self._clock
            self._clock = now = max(due, before)
            if self._settle(now) or self._call_flapping(now) or self._call_vanished(now):
                continue
            if not self._blocked:
                nowhere = self._board.nowhere
                self._board.advance(now, not_before=before)
                self._collect()
                if self._board.nowhere != nowhere:
                    self._draw_at = now
                if self._draw_at is not None and self._draw_at <= now + CLOSE_S:
                    self._draw(now)
        self._clock = max(self._clock, t)

    def deadline(self) -> float | None:
        """When there is something to do next, if no news comes."""
        times = [self._debouncer.deadline, self._flaps.deadline, self._vanished_due]
        if not self._blocked:
            times += [self._board.deadline(), self._draw_at]
        due = min((time for time in times if time is not None), default=math.inf)
        return None if math.isinf(due) else due

    # Beneath.

    @property
    def _suspended(self) -> bool:
        return self._gap or bool(self._vanished)

    @property
    def _blocked(self) -> bool:
        """Whether the clock of the game stands still."""
        if self._suspended:
            return True
        debouncer = self._debouncer
        return debouncer.undecided and not debouncer.undecided_cells <= self._flaps.flapping

    def _glimpse(self, t: float, cell: Cell, occupied: bool) -> None:
        """Note a square that read occupied too briefly to settle, but for longer than any flicker."""
        risen = self._risen.pop(cell, None)
        if occupied:
            self._risen[cell] = t
        elif risen is not None and at_least(t - risen, FLICKER_S) and cell not in self._debouncer.occupied:
            self._board.glimpsed(risen, Square(cell))

    def _in_order(self, seq: int, *, whole: bool) -> bool:
        """Take a sequence number; say whether the news is new. A gap suspends decisions until a whole reading."""
        last = self._seq
        if last is not None and seq <= last:
            return False
        self._seq = seq
        if last is not None and seq > last + 1 and not whole:
            self._gap = True
        return True

    def _settle(self, now: float) -> bool:
        """Hand on what has settled, one raw reading at a time."""
        edges = self._debouncer.advance(now)
        if not edges:
            return False
        if self._suspended:
            self._withheld.update((edge.cell, self._settled(edge)) for edge in edges)
            return True
        while edges:
            t = edges[0].t
            by_scan = edges[0].cell in self._scanned
            group = [edge for edge in edges if edge.t == t and (edge.cell in self._scanned) is by_scan]
            edges = [edge for edge in edges if edge not in group]
            self._tell(now, [self._settled(edge) for edge in group], lost=by_scan)
        return True

    def _settled(self, edge: Edge) -> Settled:
        return Settled(edge.t, Square(edge.cell), edge.occupied, edge.cell in self._scanned)

    def _tell(self, now: float, changes: list[Settled], *, lost: bool, since: float | None = None) -> None:
        before = len(self._board.events)
        self._hint = NOWHERE
        self._board.settled(now, changes, lost=lost, since=since)
        agrees = self._board.reading.kind in (Kind.AGREES, Kind.STANDING)
        spoke = len(self._board.events) > before
        self._collect()
        self._draw_at = now if agrees or spoke else max(now, max(c.t for c in changes) + self.settings.draw_ms * MS)

    def _release(self, now: float) -> None:
        """Hand on what settled while decisions were suspended: as it was told, but nothing has rested before now."""
        seen = self._board.seen
        withheld = [change for _, change in sorted(self._withheld.items())]
        changes = [change for change in withheld if change.occupied is not (change.square in seen)]
        for cell in self._withheld.keys() - {change.square for change in changes}:
            self._board.visited(now, Square(cell))
        self._withheld.clear()
        if changes:
            self._tell(now, changes, lost=True, since=now)
        self.advance(now)

    def _watch_lines(self, t: float, before: Frame, after: Frame) -> None:
        """Suspend decisions while a whole line reads empty that lost all its pieces in one reading."""
        if self._vanished & after:
            if self._vanished_due is None:
                self._report(t, self._vanished, SensorState.OK)
            self._vanished, self._vanished_due = frozenset(), None
        if self._vanished or self._board.phase is Phase.OVER:
            return
        line = vanished_line(before, after, self.game.size)
        if line:
            self._vanished, self._vanished_due = line, t + self.settings.illegal_ms * MS

    def _call_vanished(self, now: float) -> bool:
        if self._vanished_due is None or self._vanished_due > now + CLOSE_S:
            return False
        self._vanished_due = None
        self._report(now, self._vanished, SensorState.STUCK)
        return True

    def _call_flapping(self, now: float) -> bool:
        findings = self._flaps.advance(now)
        for finding in findings:
            state = SensorState.FLAPPING if finding.condition is Condition.FLAPPING else SensorState.OK
            self._report(now, frozenset({finding.cell}), state)
        if findings:
            flapping = frozenset(Square(cell) for cell in self._flaps.flapping)
            self._board.blinded(now, self._masked | flapping)
            self._collect()
            self._draw_at = now
        return bool(findings)

    def _report(self, t: float, cells: Frame, state: SensorState) -> None:
        self._collect()
        self._events.append(Sensor(t, frozenset(Square(cell) for cell in cells), state))

    def _collect(self) -> None:
        """Take over what the board has said; saying something calls for a new picture."""
        if self._board.events:
            self._hint = NOWHERE
            self._events += self._board.events
            self._board.events.clear()
            self._draw_at = self._clock

    def _draw(self, now: float) -> None:
        self._draw_at = None
        drawn = picture(self._board, self.level, self._hint)
        if drawn != self._picture:
            self._picture = drawn
            self._events.append(Leds(now, drawn))

    def set_level(self, t: float, level: HintLevel) -> None:
        """Change how much the lights tell."""
        self.command(t, Command(Word.HINTS, level))
