"""How long the lights take, from a sensor's edge to the picture handed to them, beyond the waiting that is configured.

    python -m bench.latency                              # 1,000 moves, a quarter of an hour; Ctrl-C tells so far
    python -m bench.latency --board micropython          # the firmware under MicroPython, its port a pseudo-terminal

A whole daemon plays in real time, storing every move before it shows it. A second tracker is told of every edge at the
very moment that the hands made it, in virtual time: it tells when each picture was due, after debounce and settling and
not sooner than the lights' 30 pictures a second allow. What a picture came later than that is counted; it is reading,
thinking, storing and drawing.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import math
import random
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from bench import command
from boardd.app import Daemon
from boardd.clock import Clock, MachineClock
from boardd.events import Event, Leds
from boardd.house import configured_book
from boardd.serving import Page
from boardd.settings import Settings
from boardd.tracking import Tracker
from engine import Game, Move, Square
from firmware_bridge import Connector, Link, SerialPort
from firmware_bridge.modelled import ModelledBoard
from hardware.boards import Board, BoardWires, assemble
from hardware.lights import MAX_HZ, Rgb
from hardware.news import Cell, Changed
from hardware.theme import Role

MOVES = 1000
"""Made by default."""

GAME_MOVES = 100
"""Then a new daemon begins a new game: few games last longer."""

FEWEST_PIECES = 20
"""With fewer on the board nothing is captured any more, so that a game goes on."""

HOLDING_S = 0.3
"""How long a piece is in the hand, and how long hands rest after each thing they do that is no move."""

LATEST_S = 3.0
"""What has not happened by then never does."""

STEP_S = 0.02
"""How often hands look whether their move was accepted."""

MS = 1000.0

Roles = Mapping[Square, Role]


class Deed(enum.Enum):
    """What a hand does with a piece."""

    LIFT = enum.auto()
    DROP = enum.auto()
    BOX = enum.auto()


Hand = Callable[[float, Square, Deed], None]
"""Moves a magnet: the time, where, how."""


@dataclass(slots=True)
class Seen:
    """Every picture that was handed to the lights: when, and what its lights meant."""

    pictures: list[tuple[float, Roles]] = field(default_factory=list)


@dataclass(slots=True)
class Found:
    """What was counted.

    Attributes:
        lags: how late each picture was, seconds.
        never: pictures that were due and did not come, since the next one overtook them or looked the same.

    """

    lags: list[float] = field(default_factory=list)
    never: int = 0


def percentile(numbers: Sequence[float], share: float) -> float:
    """Give the number that a share of all numbers does not exceed."""
    ordered = sorted(numbers)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]


class Table:
    """One daemon that plays one game, and the hands at its board.

    Args:
        daemon: not yet running.
        clock: its clock.
        hand: moves magnets.
        found: is added to.

    """

    def __init__(self, daemon: Daemon, clock: Clock, hand: Hand, found: Found) -> None:
        self._daemon, self._clock, self._hand, self._found = daemon, clock, hand, found
        self._seen = Seen()
        self._began = math.inf  # when hands did something first
        tracker = daemon.session.tracker
        self._due = Tracker(tracker.saved(), tracker.settings, occupied=tracker.game.occupied, now=clock.now())
        self._watch()

    @property
    def game(self) -> Game:
        """The game as the daemon has it."""
        return self._daemon.session.game

    def _watch(self) -> None:
        """Take down each picture on its way to the lights."""
        lights = self._daemon.equipment.board.lights
        show = lights.show

        def watched(colours: Sequence[Rgb]) -> None:
            self._seen.pictures.append((self._clock.now(), dict(self._daemon.lamps.roles)))
            show(colours)

        lights.show = watched  # type: ignore[method-assign]  # to look over its shoulder

    async def make(self, move: Move) -> None:
        """Make a move, and take its victims off, one after the other."""
        plies = len(self.game.plies)
        await self._change(move.origin, Deed.LIFT)
        await self._change(move.destination, Deed.DROP)
        latest = self._clock.now() + LATEST_S
        while len(self.game.plies) == plies and self._clock.now() < latest:
            await self._pass(STEP_S)
        for victim in move.captures:
            await self._change(victim, Deed.BOX)

    async def _change(self, square: Square, deed: Deed) -> None:
        """Move a magnet, and wait a little."""
        t = self._clock.now()
        self._began = min(self._began, t)
        self._hand(t, square, deed)
        self._due.sensed(Changed(t, (Cell(square),), deed is Deed.DROP))
        await self._pass(HOLDING_S)

    async def _pass(self, seconds: float) -> None:
        """Let time pass for the daemon and for the tracker that tells what is due."""
        await self._clock.sleep_until(self._clock.now() + seconds)
        self._due.advance(self._clock.now())

    @contextlib.asynccontextmanager
    async def counted(self) -> AsyncIterator[None]:
        """Count at the end how late each picture came that was due; broken off, all but what may be on its way."""
        try:
            yield
        except asyncio.CancelledError:
            self.judge([event for event in self._due.drain() if isinstance(event, Leds)][:-1])
            raise
        await self._pass(LATEST_S)
        self.judge(self._due.drain())

    def judge(self, events: Sequence[Event]) -> None:
        """Hold what came against what was due since hands did something: before, a daemon starts and nobody waits."""
        due = [(event.t, event.roles) for event in events if isinstance(event, Leds) and event.t >= self._began]
        for (when, roles), (overtaken, _) in pairwise([*due, (self._clock.now(), {})]):
            before = -math.inf
            for came, meant in self._seen.pictures:
                if when <= came < overtaken and meant == roles:
                    self._found.lags.append(came - max(when, before + 1 / MAX_HZ))
                    break
                before = came
            else:
                self._found.never += 1


def drawn(game: Game, dice: random.Random) -> Move | None:
    """Draw a move that ends nothing, and captures nothing once few pieces are left."""
    few = len(game.occupied) <= FEWEST_PIECES
    moves = [move for move in game.legal_moves() if game.outcome_of(move) is None and not (few and move.captures)]
    return dice.choice(moves) if moves else None


@contextlib.contextmanager
def simulated(directory: Path, clock: MachineClock) -> Iterator[tuple[Daemon, Hand]]:
    """Make a daemon with a simulated board."""
    daemon = Daemon(Settings(), directory, clock, wall)

    def hand(t: float, square: Square, deed: Deed) -> None:
        {Deed.LIFT: daemon.hands.lift, Deed.DROP: daemon.hands.drop, Deed.BOX: daemon.hands.box}[deed](t, square)

    yield daemon, hand


@contextlib.contextmanager
def micropython(directory: Path, clock: MachineClock) -> Iterator[tuple[Daemon, Hand]]:
    """Make a daemon with the firmware under MicroPython at a pseudo-terminal."""
    settings = Settings.model_validate({"board": {"kind": "microcontroller"}})
    with ModelledBoard(directory / "chip") as chip:
        chip.drop(*Game(configured_book(settings.game)).occupied)

        def make(wires: BoardWires, now: Callable[[], float]) -> Board:
            return assemble(wires, now, link=Link(Connector(chip.finder(), SerialPort), clock=now))

        def hand(t: float, square: Square, deed: Deed) -> None:
            (chip.drop if deed is Deed.DROP else chip.lift)(square)

        yield Daemon(settings, directory, clock, wall, make=make), hand


BOARDS = {"simulated": simulated, "micropython": micropython}


def wall() -> datetime:
    """Give the time of day."""
    return datetime.now(UTC)


@contextlib.asynccontextmanager
async def running(daemon: Daemon, page: Page | None = None) -> AsyncIterator[None]:
    """Have a daemon play; it ends in order, also where what is measured is broken off."""
    stop = asyncio.Event()
    task = asyncio.create_task(daemon.run(stop, page))
    try:
        yield
    finally:
        stop.set()
        await task
        if page is not None:
            page.close()


async def play(board: str, moves: int, dice: random.Random, found: Found, made: Callable[[], None]) -> None:
    """Play games until so many moves were made."""
    left = moves
    while left > 0:
        clock = MachineClock()
        with tempfile.TemporaryDirectory() as directory, BOARDS[board](Path(directory), clock) as (daemon, hand):
            table = Table(daemon, clock, hand, found)
            async with running(daemon), table.counted():
                await clock.sleep_until(clock.now() + LATEST_S)
                for _ in range(min(left, GAME_MOVES)):
                    move = drawn(table.game, dice)
                    if move is None:
                        break
                    await table.make(move)
                    left -= 1
                    made()


def main() -> None:
    """Play, and print what was counted."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument("--board", choices=sorted(BOARDS), default="simulated")
    parser.add_argument("--moves", type=command.whole(1), default=MOVES)
    parser.add_argument("--seed", type=command.seed, default=1)
    arguments = parser.parse_args()
    found, moves = Found(), 0

    def made() -> None:
        nonlocal moves
        moves += 1
        bar.advance(task)

    try:
        with Progress(console=Console(stderr=True)) as bar:
            task = bar.add_task("moves", total=arguments.moves)
            asyncio.run(play(arguments.board, arguments.moves, random.Random(arguments.seed), found, made))
    finally:  # also what was counted so far, where it is broken off
        told = f"{len(found.lags)} pictures, {found.never} overtaken or looking the same"
        print(f"{arguments.board}: {moves} moves, {told}")
        if found.lags:
            p50, p99, most = (
                share * MS for share in (percentile(found.lags, 0.5), percentile(found.lags, 0.99), max(found.lags))
            )
            print(f"late by p50 {p50:.2f} ms, p99 {p99:.2f} ms, {most:.2f} ms at most")
    if not found.lags:
        sys.exit("no picture came: nothing was measured")


if __name__ == "__main__":
    command.run(main)
