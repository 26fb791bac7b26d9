"""How fast lights and pages are while two hundred watch and one of them does not read, and while nobody does.

    python -m bench.spectators      # 200 moves with a crowd and 200 without, some ten minutes; Ctrl-C tells so far

Games are played in turns before a crowd and before one page, each by a whole daemon in real time. What is counted is
how late the picture was at the lights, beyond the waiting that is configured (`bench.latency`), and how long after the
daemon had accepted a move each page was told; before that the disk has it. The crowd lives in a process of its own; it
reads its states and does nothing with them.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import os
import random
import re
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from bench import command
from bench.latency import LATEST_S, MS, Found, Table, drawn, percentile, running, simulated
from boardd.app import Daemon
from boardd.clock import MachineClock
from boardd.events import Event, Moved
from boardd.serving import Page
from boardd.settings import PageSettings
from boardd.web.pages import PAGES_MAX

CROWD, MOVES, BLOCK_MOVES = 200, 200, 10
LOWER = 5
"""Than the daemon's is the crowd's priority: in truth it is on other computers, and takes no processor from it."""

SMALL_BYTES = 4_096
"""What the one that does not read lets the system keep for it."""

PLY = re.compile(rb'"ply":(\d+),"moves"')


def accepted(daemon: Daemon, moves: dict[int, float]) -> None:
    """Take down when the daemon accepts each move."""
    session = daemon.session
    listen = session._listen

    def hear(event: Event) -> None:
        if isinstance(event, Moved):
            moves.setdefault(event.ply.number, time.monotonic())
        listen(event)

    session._listen = hear


async def spectate(address: str, seen: list[tuple[int, float]]) -> None:
    """Watch, and take down when each move was first told."""
    last = 0
    async with connect(f"ws://{address}/ws", origin=f"http://{address}", proxy=None, max_size=None) as page:  # type: ignore[arg-type]
        try:
            while True:
                text = await page.recv(decode=False)
                found = PLY.search(text)
                if found is not None and int(found[1]) > last:
                    last = int(found[1])
                    seen.append((last, time.monotonic()))
        except ConnectionClosed:
            return


async def doze(address: str) -> ClientConnection:
    """Open a page and read nothing."""
    host, port = address.split(":")
    wire = socket.socket()
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BYTES)
    wire.connect((host, int(port)))
    page = await connect(f"ws://{address}/ws", sock=wire, origin=f"http://{address}", proxy=None, ping_interval=None)  # type: ignore[arg-type]
    page.transport.pause_reading()
    return page


async def crowd(address: str, count: int) -> None:
    """Be a crowd until the standard input ends; then tell when each page was told of each move."""
    os.nice(LOWER)
    seen: list[list[tuple[int, float]]] = [[] for _ in range(max(count, 1))]
    dozing = [await doze(address)] if count else []
    watching = [asyncio.create_task(spectate(address, one)) for one in seen]
    print("here", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for task in watching:
        task.cancel()
    print(json.dumps(seen), flush=True)
    for page in dozing:
        page.transport.abort()


@dataclass(slots=True)
class Audience:
    """What was counted before so many spectators."""

    spectators: int
    lights: Found = field(default_factory=Found)
    pages: list[float] = field(default_factory=list)
    """How long after a move was accepted a page was told of it (seconds)."""
    moves: int = 0
    used_s: float = 0.0
    """Of the processor."""
    lasted_s: float = 0.0

    @contextlib.contextmanager
    def timed(self) -> Iterator[None]:
        """Count how long something takes."""
        cpu, wall = time.process_time(), time.monotonic()
        try:
            yield
        finally:
            self.used_s += time.process_time() - cpu
            self.lasted_s += time.monotonic() - wall

    def late(self) -> dict[str, list[float]]:
        """Give what was late, and by how much (seconds); only what was counted at all."""
        return {what: late for what, late in (("lights", self.lights.lags), ("pages", self.pages)) if late}

    def lines(self) -> Iterator[str]:
        """Tell it."""
        for what, late in self.late().items():
            p50, p99 = (percentile(late, share) * MS for share in (0.5, 0.99))
            yield (
                f"{self.spectators} spectators, {self.moves} moves, {what}: {len(late)} times late by "
                f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, at most {max(late) * MS:.1f} ms"
            )
        if self.lasted_s:
            share = self.used_s / self.lasted_s
            yield f"{self.spectators} spectators: the daemon and its players' hands took {share:.1%} of a core"


@contextlib.asynccontextmanager
async def watched(page: Page, spectators: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """Have a crowd watch a page; whatever happens, it goes at the end."""
    line = [sys.executable, "-m", "bench.spectators", "--address", page.address.removeprefix("http://")]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *line,
        *("--crowd", str(spectators)),
        stdin=pipe,
        stdout=pipe,
        limit=2**26,
        start_new_session=True,  # Ctrl+C is for whoever started it
    )
    try:
        assert process.stdout is not None
        await process.stdout.readline()
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def play(audience: Audience, moves: int, dice: random.Random, made: Callable[[], None]) -> None:
    """Play the beginning of a game before an audience."""
    clock = MachineClock()
    accepted_at: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as directory, simulated(Path(directory), clock) as (daemon, hand):
        page = Page(PageSettings(port=0), Path(directory))
        table = Table(daemon, clock, hand, audience.lights)
        accepted(daemon, accepted_at)
        async with running(daemon, page), watched(page, audience.spectators) as process:
            async with table.counted():
                await clock.sleep_until(clock.now() + LATEST_S)
                for _ in range(moves):
                    move = drawn(table.game, dice)
                    if move is None:
                        break
                    await table.make(move)
                    audience.moves += 1
                    made()
            told, _ = await process.communicate(b"")
            for one in json.loads(told):
                audience.pages.extend(when - accepted_at[ply] for ply, when in one)


def main() -> None:
    """Play, and print what was counted."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument(
        "--crowd", type=command.whole(0, PAGES_MAX), default=CROWD, help=f"how many watch (default {CROWD})"
    )
    parser.add_argument("--moves", type=command.whole(1), default=MOVES, help=f"before each (default {MOVES})")
    parser.add_argument("--seed", type=command.seed, default=1)
    parser.add_argument("--address", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.address:
        asyncio.run(crowd(arguments.address, arguments.crowd))
        return
    if not arguments.crowd:
        parser.error(f"argument --crowd: found 0, expected a whole number from 1 to {PAGES_MAX}")
    away: list[str] = []
    logging.getLogger("boardd.web").setLevel(logging.INFO)

    def note(record: logging.LogRecord) -> bool:
        away.append(record.getMessage())
        return True

    logging.getLogger("boardd.web.pages").addFilter(note)
    none, many = audiences = Audience(0), Audience(arguments.crowd)
    dice = random.Random(arguments.seed)
    try:
        with Progress(console=Console(stderr=True)) as bar:
            task = bar.add_task("moves", total=2 * arguments.moves)
            while min(audience.moves for audience in audiences) < arguments.moves:
                for audience in audiences:
                    wanted = min(BLOCK_MOVES, arguments.moves - audience.moves)
                    if wanted > 0:
                        with audience.timed():
                            asyncio.run(play(audience, wanted, dice, lambda: bar.advance(task)))
    finally:  # also what was counted so far, where it is broken off
        tell(none, many)
        print(f"sent away: {len(away)}")


def tell(none: Audience, many: Audience) -> None:
    """Print what was counted before none and before many, and hold one against the other."""
    for line in (*none.lines(), *many.lines()):
        print(line)
    before = none.late()
    for what, late in many.late().items():
        if what in before:
            p50, p99 = (percentile(late, share) / percentile(before[what], share) for share in (0.5, 0.99))
            print(f"{what}, {many.spectators} to none: p50 {p50:.2f}, p99 {p99:.2f}")


if __name__ == "__main__":
    command.run(main)
