"""How long a stranger's floods hold up the event loop that reads the sensors: `python -m bench.strangers`.

A page's server runs in this process, with a task that wakes fifty times a second as the daemon's does and counts how
late it is. Another process, as fast as it can over as many connections as one computer gets, does one thing
for some seconds: nothing, asks for the page's files, sends messages in a page's socket, sends pings, opens and closes.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import socket
import time
from collections.abc import AsyncIterator, Callable, Mapping

from bench import command
from bench.latency import MS, percentile
from boardd.web import door
from boardd.web.door import CONNECTIONS_EACH
from boardd.web.server import build, server

SECONDS, INTERVAL_S, WAIT_S = 10.0, 0.02, 1.0
HOST = "{host}"
HANDSHAKE = (
    f"GET /ws HTTP/1.1\r\nHost: {HOST}\r\nOrigin: http://{HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
ASK = f"GET /static/main.js HTTP/1.1\r\nHost: {HOST}\r\n\r\n"
MASK = b"\0\0\0\0"
TEXT = b'\x81\x8d{"type":"no"}'.replace(b"{", MASK + b"{", 1)
FLOODS: Mapping[str, tuple[str, bytes]] = {
    "nothing": ("", b""),
    "files": ("", ASK.encode() * 20),
    "messages": (HANDSHAKE, TEXT * 100),
    "pings": (HANDSHAKE, (b"\x89\x80" + MASK) * 100),
    "connections": ("", b"GET"),
}


class Face:
    """A face of which nothing changes."""

    def state(self) -> Mapping[str, object]:
        """Give a state as long as that of a game."""
        return {"type": "state", "padding": "x" * 10_000}

    def handle(self, message: Mapping[str, object]) -> str | None:
        """Refuse."""
        return "no"

    async def subscribe(self) -> AsyncIterator[object]:
        """Tell of nothing."""
        await asyncio.Event().wait()
        yield None


def flood(port: int, first: str, then: bytes, seconds: float) -> None:
    """Send as fast as it goes, over so many connections, opening those anew that are closed."""
    host = f"127.0.0.1:{port}"
    begin, more = first.replace(HOST, host).encode(), then.replace(HOST.encode(), host.encode())
    wires: list[socket.socket] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        while len(wires) < CONNECTIONS_EACH:
            wire = socket.create_connection(("127.0.0.1", port))
            with contextlib.suppress(OSError):
                if begin:
                    wire.sendall(begin)
                    wire.recv(1_000)
            wire.setblocking(False)
            wires.append(wire)
        for wire in list(wires):
            try:
                wire.send(more)
                with contextlib.suppress(BlockingIOError):
                    while wire.recv(65_536):
                        pass
                    raise ConnectionResetError
            except BlockingIOError:
                continue
            except OSError:
                wires.remove(wire)
                wire.close()
        if more == b"GET":
            for wire in wires:
                wire.close()
            wires = []


async def lateness(flooding: Callable[[int], None] | None, seconds: float) -> list[float]:
    """Count how late a task wakes while somebody floods."""
    running = server(build(Face(), token="none"), "127.0.0.1", 0)
    serving = asyncio.create_task(running.serve())
    while not running.started:
        await asyncio.sleep(INTERVAL_S)
    port = running.servers[0].sockets[0].getsockname()[1]
    process = multiprocessing.get_context("spawn").Process(target=flooding, args=(port,))
    with command.unheard():
        process.start()
    try:
        await asyncio.sleep(WAIT_S)
        late: list[float] = []
        end = time.monotonic() + seconds
        while (due := time.monotonic() + INTERVAL_S) < end or not late:
            await asyncio.sleep(INTERVAL_S)
            late.append(time.monotonic() - due)
    finally:
        process.terminate()
        process.join()
        running.should_exit = True
        await serving
    return late


class _Flood:
    def __init__(self, first: str, then: bytes, seconds: float) -> None:
        self.first, self.then, self.seconds = first, then, seconds

    def __call__(self, port: int) -> None:
        if self.then:
            flood(port, self.first, self.then, self.seconds)


def main() -> None:
    """Flood in every way, and print how late the task was."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument("--seconds", type=command.seconds, default=SECONDS, help=f"each (default {SECONDS:g})")
    arguments = parser.parse_args()
    door._computer = lambda peer: "a stranger"  # though it is here
    for name, (first, then) in FLOODS.items():
        late = asyncio.run(lateness(_Flood(first, then, arguments.seconds + 60), arguments.seconds))
        p50, p99, most = (share * MS for share in (percentile(late, 0.5), percentile(late, 0.99), max(late)))
        print(f"{name}: late by p50 {p50:.1f} ms, p99 {p99:.1f} ms, at most {most:.1f} ms")


if __name__ == "__main__":
    command.run(main)
