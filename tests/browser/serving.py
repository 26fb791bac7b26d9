"""A page's server in a thread of its own, for tests that drive a browser from the main one."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import uvicorn

from boardd.web.face_protocol import Face
from boardd.web.server import INDEX, build, server

START_TIMEOUT_S = 10.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Served:
    """A running server of a page."""

    address: str
    loop: asyncio.AbstractEventLoop

    def call(self, deed: Callable[[], T]) -> T:
        """Do something on the server's loop, where the face lives."""

        async def run() -> T:
            return deed()

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result(START_TIMEOUT_S)


@contextlib.contextmanager
def serving(face: Face, port: int = 0, start: str = INDEX) -> Iterator[Served]:
    """Serve a face's page on the loopback interface while the context lasts."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    running = server(build(face, start=start), "127.0.0.1", 0)
    ready, loops = threading.Event(), []

    async def main() -> None:
        loops.append(asyncio.get_running_loop())
        serve = asyncio.create_task(_quiet(running, listener))
        while not running.started and not serve.done():
            await asyncio.sleep(0.005)
        ready.set()
        await serve

    thread = threading.Thread(target=asyncio.run, args=(main(),), name="page", daemon=True)
    thread.start()
    try:
        assert ready.wait(START_TIMEOUT_S)
        yield Served(address, loops[0])
    finally:
        running.should_exit = True
        thread.join(START_TIMEOUT_S)
        listener.close()


async def _quiet(running: uvicorn.Server, listener: socket.socket) -> None:
    await running.serve([listener])
