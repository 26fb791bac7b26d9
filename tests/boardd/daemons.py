"""A whole daemon in virtual time, with a person at its simulated board, for tests."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor, Future
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from boardd.app import Daemon
from boardd.clock import VirtualClock
from boardd.computer.opponent import Mind
from boardd.settings import Settings
from engine import Move, Square, square_name

P = ParamSpec("P")
T = TypeVar("T")

START = datetime(2026, 3, 1, 18, 0, tzinfo=UTC)


class AtOnce(Executor):
    """Does everything where it is asked to, at once; or, while `held`, keeps it waiting."""

    def __init__(self) -> None:
        self.held = False
        self._waiting: list[Callable[[], None]] = []

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Do it, or keep it."""
        future: Future[T] = Future()

        def work() -> None:
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)

        if self.held:
            self._waiting.append(work)
        else:
            work()
        return future

    def let_go(self) -> None:
        """Do everything that waits."""
        self.held = False
        while self._waiting:
            self._waiting.pop(0)()


class Table:
    """A daemon, its clock, and hands that speak to its face as a page does."""

    def __init__(
        self,
        directory: Path,
        settings: Settings | None = None,
        mind: Mind | None = None,
        pool: AtOnce | None = None,
        clock: VirtualClock | None = None,
    ) -> None:
        directory.mkdir(exist_ok=True)
        self.directory = directory
        self.clock = clock or VirtualClock()
        self.disk = pool or AtOnce()
        self.settings = settings or Settings()
        self.daemon = Daemon(self.settings, directory, self.clock, self._wall, self.disk, mind=mind)
        self.face = self.daemon.face
        self.stop = asyncio.Event()

    def _wall(self) -> datetime:
        return START + timedelta(seconds=self.clock.now())

    @property
    def state(self) -> dict[str, Any]:
        """What a page would be told now."""
        return dict(self.face.state())

    @property
    def played(self) -> list[str]:
        """The moves a page would show."""
        return [ply["move"] for ply in self.state["moves"]]

    @property
    def lit(self) -> dict[str, str]:
        """The roles of the lights that a page would show."""
        return {square: light["role"] for square, light in self.state["lights"].items()}

    async def wait(self, seconds: float) -> None:
        """Let time pass."""
        await self.clock.advance_to(self.clock.now() + seconds)

    async def say(self, kind: str, **fields: object) -> None:
        """Send a message that must be obeyed."""
        why = self.face.handle({"type": kind, **fields})
        assert why is None, why
        await self.wait(0.02)

    def refused(self, kind: str, **fields: object) -> str:
        """Send a message that must be refused; give the reason."""
        why = self.face.handle({"type": kind, **fields})
        assert why is not None
        assert "\n" not in why
        return why

    async def command(self, word: str) -> None:
        """Press a button."""
        await self.say("command", command=word)

    async def new_game(self) -> None:
        """Begin another game, also where this one is not over, which is asked about."""
        asked = self.daemon.session.game.result is None
        await self.command("new-game")
        if asked:
            await self.command("confirm")

    async def make(self, origin: str, destination: str, *victims: str, air: float = 0.5, after: float = 1.3) -> None:
        """Make a move by hand, victims last."""
        await self.say("lift", square=origin)
        await self.wait(air)
        await self.say("drop", square=destination)
        for victim in victims:
            await self.wait(0.3)
            await self.say("box", square=victim)
        await self.wait(after)

    async def play(self, move: Move, *, after: float = 1.3) -> None:
        """Make a legal move by hand."""
        size = self.daemon.session.game.size

        def name(square: Square) -> str:
            return square_name(square, size)

        await self.make(name(move.origin), name(move.destination), *map(name, move.captures), after=after)


@contextlib.asynccontextmanager
async def table(
    directory: Path, settings: Settings | None = None, *, killed: bool = False, mind: Mind | None = None
) -> AsyncIterator[Table]:
    """Run a daemon; at the end stop it, or have it vanish as by a kill."""
    made = Table(directory, settings, mind)
    running = asyncio.create_task(made.daemon.run(made.stop))
    try:
        await made.wait(0.1)
        yield made
    finally:
        if killed:
            made.daemon.session._recorder._writer.wait()
            _vanish(made, running)
        else:
            made.stop.set()
            await made.clock.settle()
            await asyncio.wait_for(running, 10)


def _vanish(made: Table, running: "asyncio.Task[None]") -> None:
    """Forget the daemon without letting it do anything more."""
    made.daemon._close = _nothing  # type: ignore[method-assign]  # a killed process closes nothing
    made.daemon._keeper._database.close()
    running.cancel()


async def _nothing() -> None:
    return
