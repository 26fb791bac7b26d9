"""How fast lights and pages are while two hundred watch and one of them does not read, and while nobody does.

    python -m bench.spectators                     # 200 moves with a crowd and 200 without, some ten minutes

Games are played in turns before a crowd and before one page, each by a whole daemon in real time. What is counted is
how late the picture was at the lights, beyond the waiting that is configured (`bench.latency`), and how long after the
daemon had accepted a move each page was told; before that the disk has it. The crowd lives in a process of its own; it
reads its states and does nothing with them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import random
import re
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from bench import command
from bench.latency import LATEST_S, MS, Found, Table, drawn, percentile, simulated
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


async def play(spectators: int, moves: int, dice: random.Random, lights: Found, pages: list[float]) -> int:
    """Play the beginning of a game before so many; give how many moves were made."""
    clock, stop = MachineClock(), asyncio.Event()
    accepted_at: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as directory, simulated(Path(directory), clock) as (daemon, hand):
        page = Page(PageSettings(port=0), Path(directory))
        table = Table(daemon, clock, hand, lights)
        accepted(daemon, accepted_at)
        running = asyncio.create_task(daemon.run(stop, page))
        command = [sys.executable, "-m", "bench.spectators", "--address", page.address.removeprefix("http://")]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command, "--crowd", str(spectators), stdin=pipe, stdout=pipe, limit=2**26
        )
        assert process.stdout is not None
        await process.stdout.readline()
        await clock.sleep_until(clock.now() + LATEST_S)
        made = 0
        for _ in range(moves):
            move = drawn(table.game, dice)
            if move is None:
                break
            await table.make(move)
            made += 1
        await table.count()
        told, _ = await process.communicate(b"")
        for one in json.loads(told):
            pages.extend(when - accepted_at[ply] for ply, when in one)
        stop.set()
        await running
        page.close()
    return made


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
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
        asyncio.run(crowd(arguments.address, arguments.crowd))
        return
    if not arguments.crowd:
        parser.error(f"argument --crowd: found 0, expected a whole number from 1 to {PAGES_MAX}")
    away: list[str] = []
    logging.getLogger("boardd.web").setLevel(logging.INFO)
    logging.getLogger("boardd.web.pages").addFilter(lambda record: away.append(record.getMessage()) or True)
    found = {count: (Found(), list[float]()) for count in (0, arguments.crowd)}
    made = dict.fromkeys(found, 0)
    used = dict.fromkeys(found, 0.0)
    lasted = dict.fromkeys(found, 0.0)
    dice = random.Random(arguments.seed)
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("moves", total=2 * arguments.moves)
        while min(made.values()) < arguments.moves:
            for count, (lights, pages) in found.items():
                wanted = min(BLOCK_MOVES, arguments.moves - made[count])
                if wanted <= 0:
                    continue
                cpu, wall = time.process_time(), time.monotonic()
                more = asyncio.run(play(count, wanted, dice, lights, pages))
                used[count] += time.process_time() - cpu
                lasted[count] += time.monotonic() - wall
                made[count] += more
                bar.advance(task, more)
    rows = {}
    for count, (lights, pages) in found.items():
        for what, late in (("lights", lights.lags), ("pages", pages)):
            rows[count, what] = [share * MS for share in (percentile(late, 0.5), percentile(late, 0.99), max(late))]
            p50, p99, most = rows[count, what]
            print(
                f"{count} spectators, {made[count]} moves, {what}: {len(late)} times late by "
                f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, at most {most:.1f} ms"
            )
        print(f"{count} spectators: the daemon and its players' hands took {used[count] / lasted[count]:.1%} of a core")
    for what in ("lights", "pages"):
        none, many = rows[0, what], rows[arguments.crowd, what]
        print(f"{what}, {arguments.crowd} to none: p50 {many[0] / none[0]:.2f}, p99 {many[1] / none[1]:.2f}")
    print(f"sent away: {len(away)}")


if __name__ == "__main__":
    command.run(main)
