"""What the tests of a whole daemon on wires share, whatever hangs on them: a daemon, its clock, and hands.

Must not know a board: `test_matrix_daemon` has one on pins, `test_pico_daemon` one on a cable.
"""

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

from boardd.app import Daemon
from boardd.clock import VirtualClock
from boardd.settings import Settings
from engine import BOOKS, Game, parse_square
from hardware.boards import Board, BoardWires
from tests.boardd.daemons import AtOnce

SIZE = 9
CELLS = SIZE * SIZE
START = sorted(map(int, Game(BOOKS["tablut-edge"]).occupied))
POWER = datetime(2026, 3, 1, 18, 0, tzinfo=UTC)


def at(name: str) -> int:
    return int(parse_square(name, SIZE))


class OnWires(ABC):
    """A daemon whose board hangs on wires."""

    def __init__(self, directory: Path, settings: Settings) -> None:
        self.clock = VirtualClock()
        self.daemon = Daemon(settings, directory, self.clock, lambda: POWER, AtOnce(), self.make)
        self.stop = asyncio.Event()

    @abstractmethod
    def make(self, wires: BoardWires, clock: Callable[[], float]) -> Board:
        """Put the board together."""

    @abstractmethod
    async def wait(self, seconds: float) -> None:
        """Let time pass."""

    @property
    def state(self) -> dict[str, object]:
        """What a page would be told now."""
        return dict(self.daemon.face.state())

    @property
    def played(self) -> list[str]:
        """The moves a page would show."""
        moves = self.state["moves"]
        assert isinstance(moves, list)
        return [ply["move"] for ply in moves]

    def connected(self) -> bool:
        """Whether the page would say that the board can be read."""
        return self.state["connected"] is True


@contextlib.asynccontextmanager
async def running(board: OnWires, starting_s: float) -> AsyncIterator[None]:
    """Have its daemon play, after so long in which it starts."""
    playing = asyncio.create_task(board.daemon.run(board.stop))
    try:
        await board.wait(starting_s)
        yield
    finally:
        board.stop.set()
        await board.clock.settle()
        await asyncio.wait_for(playing, 10)


def run(play: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(play())  # type: ignore[arg-type]  # every one is an async function
