"""Let a daemon live for a week of virtual time, or some minutes of real time, and tell what grew and what blocked it.

    python -m bench.week                    # 7 days, 6 games a day, the sensors read 10 times a second
    python -m bench.week --days 1 --games 30
    python -m bench.week --real 10          # 10 minutes of real time; TMPDIR says on which disk

In virtual time each day has some games of random moves by a person's hands at the simulated board and is idle for the
rest; traces are as small as can be configured, so that they are rotated often. Told at the end of each day: memory
(resident, and objects of Python's), the database with its log, the traces.

In real time it is played all the while, and told how long one callback kept the event loop at most, less the time in
which the machine ran others: from after the start to before the end, which both wait for the disk.
"""

import argparse
import asyncio
import gc
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from bench import command
from boardd.app import Daemon
from boardd.clock import MachineClock, VirtualClock
from boardd.settings import BoardSettings, Settings, StorageSettings
from boardd.storage.store import FILE_NAME
from boardd.storage.trace_files import DIRECTORY_NAME, trace_files
from tests.boardd.daemons import AtOnce, Table

DAYS, GAMES, HZ, SEED = 7, 6, 10, 2026
MOST_PLIES = 100
HZ_LEAST, HZ_MOST = 10, 500
"""As the configuration takes them."""
MINUTES_MOST = 1e6
DAY_S, IDLE_STEP_S = 86_400.0, 600.0
BLOCKED_S = 0.02
"""No callback should keep the loop longer."""
TRACE_KB, TRACE_FILES = 16, 8


class Elsewhere(AtOnce):
    """Writes on a thread of its own, which virtual time waits for."""

    def __init__(self) -> None:
        super().__init__()
        self._thread = ThreadPoolExecutor(1)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have it done, and wait."""
        future = self._thread.submit(fn, *args, **kwargs)
        future.exception()
        return future


class QuickClock(VirtualClock):
    """Lets virtual time go on as soon as the loop has nothing more to do."""

    async def settle(self) -> None:
        """Let everything happen that needs no time."""
        ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]  # nobody tells otherwise
        await asyncio.sleep(0)
        while ready:
            await asyncio.sleep(0)


class Queued:
    """How long the machine has kept this thread waiting for a processor, running others."""

    def __init__(self) -> None:
        self._file = os.open("/proc/thread-self/schedstat", os.O_RDONLY)

    def s(self) -> float:
        """Tell it in seconds."""
        return int(os.pread(self._file, 100, 0).split()[1]) / 1e9


@dataclass(slots=True)
class Loop:
    """How long callbacks kept the event loop, less what the machine gave to others meanwhile."""

    callbacks: int = 0
    longest_s: float = 0.0
    late: int = 0
    late_in_all: int = 0

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch every callback of every loop in this process."""
        run = asyncio.Handle._run  # the one place that every callback goes through
        queued = Queued()

        def timed(handle: asyncio.Handle) -> None:
            began, others = time.perf_counter(), queued.s()
            run(handle)
            took = time.perf_counter() - began
            self.late_in_all += took > BLOCKED_S
            took -= queued.s() - others
            self.callbacks += 1
            self.longest_s = max(self.longest_s, took)
            self.late += took > BLOCKED_S

        asyncio.Handle._run = timed  # type: ignore[method-assign,assignment]
        try:
            yield
        finally:
            asyncio.Handle._run = run  # type: ignore[method-assign]

    def line(self) -> str:
        """Tell it."""
        return (
            f"loop: {self.callbacks:,} callbacks, the longest {self.longest_s * 1000:.1f} ms;"
            f" over {BLOCKED_S * 1000:.0f} ms: {self.late} ({self.late_in_all} with what others took)"
        )


@dataclass(frozen=True, slots=True)
class Size:
    """What a daemon takes up."""

    resident_kb: int
    objects: int
    database_kb: float
    traces_kb: float
    trace_files: int
    newest_trace: int

    def line(self) -> str:
        """Tell it."""
        return (
            f"memory {self.resident_kb / 1024:6.1f} MB, {self.objects:,} objects; database {self.database_kb:8.1f} KB;"
            f" {self.trace_files} traces of {self.traces_kb:.1f} KB, the newest is number {self.newest_trace}"
        )


def size_of(board: Table) -> Size:
    """Measure this process, and the state directory once everything is on the disk."""
    board.daemon.session._recorder._writer.wait()
    gc.collect()
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines())
    traces = trace_files(board.directory / DIRECTORY_NAME)
    database = sum(path.stat().st_size for path in board.directory.glob(f"{FILE_NAME}*") if "shm" not in path.name)
    return Size(
        int(status["VmRSS"].split()[0]),
        len(gc.get_objects()),
        database / 1024,
        sum(path.stat().st_size for path in traces) / 1024,
        len(traces),
        int(traces[-1].stem.rpartition("-")[2]),
    )


class RealTable(Table):
    """A daemon in real time, with its own thread for the disk."""

    def __init__(self, directory: Path, settings: Settings) -> None:
        directory.mkdir(exist_ok=True)
        self.directory, self.settings = directory, settings
        clock = MachineClock()
        self.daemon = Daemon(settings, directory, clock, lambda: datetime.now(UTC))
        self.daemon.hands._path = None  # real pieces stay where they are without a file
        self.face, self.stop = self.daemon.face, asyncio.Event()

    async def wait(self, seconds: float) -> None:
        """Let time pass."""
        await asyncio.sleep(seconds)


async def play_game(board: Table, rng: random.Random) -> int:
    """Play random moves until the game is over or long, and begin the next; give the plies."""
    session = board.daemon.session
    while session.game.result is None and len(session.game.plies) < MOST_PLIES:
        plies = len(session.game.plies)
        legal = session.game.legal_moves()
        await board.play(rng.choice([move for move in legal if move.captures] or legal), after=1.0)
        while len(session.game.plies) == plies and session.game.result is None:
            await board.wait(0.5)
        await board.wait(rng.uniform(0.0, 10.0) if not isinstance(board, RealTable) else 0.0)
    plies = len(session.game.plies)
    await board.new_game()
    await board.wait(3.0)
    return plies


@dataclass(slots=True)
class Life:
    """What has come of it so far."""

    plies: int = 0
    sizes: list[Size] = field(default_factory=list)
    """After each day."""


async def live(board: Table, days: int, games: int, seed: int, progress: Progress, life: Life) -> None:
    """Live in virtual time."""
    rng = random.Random(seed)
    task = progress.add_task("days", total=days * DAY_S)
    await board.wait(5.0)
    for day in range(1, days + 1):
        for _ in range(games):
            life.plies += await play_game(board, rng)
            progress.update(task, completed=board.clock.now())
        while board.clock.now() < day * DAY_S:
            await board.wait(min(IDLE_STEP_S, day * DAY_S - board.clock.now()))
            progress.update(task, completed=board.clock.now())
        life.sizes.append(size_of(board))


async def week(directory: Path, options: argparse.Namespace, progress: Progress, life: Life) -> None:
    """Run a daemon in virtual time."""
    settings = Settings(
        board=BoardSettings(poll_hz=options.hz),
        storage=StorageSettings(trace_file_kb=TRACE_KB, trace_files=TRACE_FILES),
    )
    board = Table(directory, settings, pool=Elsewhere(), clock=QuickClock())
    running = asyncio.create_task(board.daemon.run(board.stop))
    await live(board, options.days, options.games, options.seed, progress, life)
    board.stop.set()
    await board.clock.settle()
    await asyncio.wait_for(running, 10)


async def minutes(directory: Path, options: argparse.Namespace, loop: Loop, progress: Progress, life: Life) -> None:
    """Run a daemon in real time, and play all the while."""
    board = RealTable(directory, Settings())
    rng = random.Random(options.seed)
    running = asyncio.create_task(board.daemon.run(board.stop))
    task = progress.add_task("minutes", total=options.real * 60)
    began = time.monotonic()
    await board.wait(1.0)
    with loop.watched():  # a start and an end wait for the disk, and nobody plays
        while time.monotonic() - began < options.real * 60:
            life.plies += await play_game(board, rng)
            progress.update(task, completed=time.monotonic() - began)
    board.stop.set()
    await asyncio.wait_for(running, 10)


def main() -> None:
    """Live, and print the figures."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument("--days", type=command.whole(1), default=DAYS)
    parser.add_argument("--games", type=command.whole(0), default=GAMES, help="a day")
    parser.add_argument("--hz", type=command.whole(HZ_LEAST, HZ_MOST), default=HZ, help="readings a second")
    parser.add_argument("--seed", type=command.seed, default=SEED)
    parser.add_argument(
        "--real",
        type=command.above_zero("minutes", MINUTES_MOST),
        metavar="MINUTES",
        help="of real time, and until the game that is played then is over, which takes a minute or two",
    )
    options = parser.parse_args()
    loop, life = Loop(), Life()
    try:
        with tempfile.TemporaryDirectory() as name, Progress(console=Console(stderr=True)) as progress:
            directory = Path(name) / "state"
            if options.real:
                asyncio.run(minutes(directory, options, loop, progress, life))
            else:
                asyncio.run(week(directory, options, progress, life))
    finally:
        print(f"seed {options.seed}: {life.plies:,} plies")
        for day, size in enumerate(life.sizes, start=1):
            print(f"day {day}: {size.line()}")
        if options.real:
            print(loop.line())


if __name__ == "__main__":
    command.run(main)
