"""A game between simulated hands whose magnets move over a virtual microcontroller, followed by the daemon's session.

Owns how hands, chip, cable and session share one virtual time: `BridgedBoard` stands where the simulator's board does,
and carries what its sensors would feel to the chip; `BridgedDaemon` stands where its tracker does. What goes wrong is
`wire_troubles`' business; what was meant and whether it was understood, the simulator's.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from boardd.clock import TICK_S, counted
from boardd.commands import Command
from boardd.events import Event, Question
from boardd.geometry import turned
from boardd.saved import Saved
from boardd.session import Session
from boardd.settings import BoardSettings, GameSettings, Settings, StorageSettings
from boardd.simulated_values import Beginning
from boardd.storage.keeper import Keeper
from boardd.storage.recorder import Recorder
from boardd.storage.store import Database
from boardd.wiring.equipment import Equipment
from engine import Game, Square
from firmware_bridge.link import SteppedLink
from firmware_bridge.virtual import Cable, VirtualClock
from hardware.boards import Board
from hardware.lights import DarkLights
from hardware.microcontroller import LinkSensors
from hardware.news import Cell, Changed, News
from hardware.simulated.board import SimulatedBoard
from hardware.simulated.faults import Faults
from hardware.theme import Role
from tests.boardd.daemons import START, AtOnce
from tests.boardd.wire_troubles import ErringBoard, Striking, Trouble

LOOK_S = 0.02
"""The daemon looks at its sensors so often."""

KB = 1024


@dataclass(frozen=True, slots=True)
class Bridge:
    """What lies between hands and daemon."""

    clock: VirtualClock
    link: SteppedLink
    striking: Striking
    began: float
    """What the clock showed when the game's time was 0."""


class BridgedBoard(SimulatedBoard):
    """The board that hands play on; its news reach nobody but the chip, and time that passes passes for all.

    Args:
        size: places of one side.
        pieces: what stands where at time 0.
        rng: the simulator's.
        faults: what is wrong with the sensors or done to the board.
        trouble: what goes wrong behind them.
        dice: draws what of that is left to chance.

    """

    def __init__(
        self, size: int, pieces: Mapping[Cell, str], rng: Random, *, faults: Faults, trouble: Trouble, dice: Random
    ) -> None:
        super().__init__(size, pieces, rng, faults=faults)
        clock = VirtualClock()
        self._chip = chip = ErringBoard(clock, size=size, scan_ms=dice.choice((4, 8)), rng=Random(dice.random()))
        cable = Cable(chip, clock, rng=Random(dice.random()), to_board=trouble.wire, to_host=trouble.wire)
        chip.place(self.read())
        link = cable.link(seed=dice.getrandbits(32))
        link.open()
        while not link.state.live:
            link.poll(clock.advance(LOOK_S))
        clock.now = counted(clock.now)
        self.bridge = Bridge(clock, link, Striking(trouble, chip, cable, dice), clock.now)
        self.step: Callable[[], None] = lambda: None
        self.deadline: Callable[[], float | None] = lambda: None
        self._woken = 0.0
        self._look = 0.0

    @property
    def next_time(self) -> float:
        """When a sensor feels something, or the daemon's loop wakes."""
        felt = super().next_time
        return self._wake if felt is None else min(felt, self._wake)

    @property
    def connected(self) -> bool:
        """Whether the cable is in."""
        return self.bridge.striking.plugged

    def news_until(self, t: float) -> list[News]:
        """Let time pass for all; nothing is told here, for the daemon hears it from the chip."""
        for news in super().news_until(t):
            self._pass(news.t)
            if isinstance(news, Changed):
                (self._chip.drop if news.occupied else self._chip.lift)(*news.cells)
        self._pass(t)
        self.bridge.striking.strike(t)
        if t >= self._wake:
            self._woken = t
            if t > self._look - TICK_S:
                self._look = max(self._look + LOOK_S, t)  # what was missed is not made up for
            self.step()
        return []

    @property
    def _wake(self) -> float:
        due, wake = self.deadline(), self._look
        if due is not None and due - self.bridge.began >= self._woken:
            wake = min(wake, due - self.bridge.began + TICK_S)
        return max(wake, self.bridge.striking.stalled_until)

    def _pass(self, t: float) -> None:
        self.bridge.clock.now = max(self.bridge.clock.now, self.bridge.began + t)


class BridgedDaemon:
    """The daemon's session on a bridged board; it is a `boardd.simulated_values.Tracked`.

    Args:
        beginning: the simulator's.
        board: where the hands play.
        directory: for the traces.
        trace_kb: the size at which a trace file is full.

    """

    def __init__(self, beginning: Beginning, board: BridgedBoard, directory: Path, trace_kb: int) -> None:
        book = beginning.saved.book
        settings = Settings(
            game=GameSettings(rules=book.name),
            board=BoardSettings(kind="microcontroller"),
            play=beginning.settings,
            storage=StorageSettings(trace_file_kb=trace_kb),
        )
        self.events: list[Event] = []
        self._drained = 0
        self._bridge = bridge = board.bridge
        self.began = bridge.began
        link = bridge.link
        wired = Board(LinkSensors(link), DarkLights("this board has none"), link=link)
        equipment = Equipment(wired, turned(book.size, 0))
        keeper = Keeper(Database(directory / "games.sqlite3", lambda: START), pool=AtOnce())
        recorder = Recorder(directory / "traces", settings=settings.play, file_bytes=trace_kb * KB, files=50)
        self.session = Session(
            settings, equipment, keeper, recorder, lambda: START, None, self._now(), self.events.append
        )
        board.step = lambda: self.session.step(self._now())
        board.deadline = self.session.deadline

    @property
    def game(self) -> Game:
        return self.session.game

    @property
    def roles(self) -> Mapping[Square, Role]:
        return self.session.tracker.roles

    @property
    def question(self) -> Question | None:
        return self.session.tracker.question

    @property
    def agrees(self) -> bool:
        return self.session.tracker.agrees and self._bridge.striking.plugged

    def _now(self) -> float:
        clock = self._bridge.clock
        now = counted(clock.now)
        clock.now = max(clock.now, now)  # never behind the daemon's: what the link waits for has come then
        return now

    def sensed(self, news: News) -> None:
        raise AssertionError(f"only the chip tells news, found {news}")

    def command(self, t: float, command: Command) -> None:
        self.session.command(self._now(), command)

    def advance(self, t: float) -> None:
        """Do nothing: the loop wakes by the board's time."""

    def deadline(self) -> float | None:
        """Give none: the board's time wakes the loop."""
        return None

    def drain(self) -> list[Event]:
        new = self.events[self._drained :]
        self._drained = len(self.events)
        return new

    def saved(self) -> Saved:
        return self.session.tracker.saved()
