"""A page's server on the loopback interface, and clients that speak to it, for tests."""

import asyncio
import http.client
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from boardd.web.audience import Audience
from boardd.web.server import build, server

TIMEOUT_S = 5.0


class Face:
    """A face that counts."""

    def __init__(self) -> None:
        self.number = 0
        self.asked = 0
        self.messages: list[Mapping[str, object]] = []
        self.listeners = Audience()
        self.padding = ""

    def state(self) -> Mapping[str, object]:
        self.asked += 1
        return {"type": "state", "number": self.number, "padding": self.padding}

    def handle(self, message: Mapping[str, object]) -> str | None:
        self.messages.append(message)
        if message["type"] == "break":
            raise RuntimeError("a fault of the daemon")
        return "not now" if message["type"] == "never" else None

    def subscribe(self) -> AsyncIterator[object]:
        return self.listeners.listen()

    def change(self) -> None:
        self.number += 1
        self.listeners.tell()


class Running:
    """A running server and its face."""

    def __init__(self, face: Face, port: int) -> None:
        self.face = face
        self.port = port
        self.host = f"127.0.0.1:{port}"

    def page(self, origin: str | None = "own", host: str | None = None) -> connect:
        """Open a page's socket, as a browser would from `origin` and calling the server `host`."""
        called = host or self.host
        return connect(
            f"ws://{called}/ws",
            host="127.0.0.1",
            port=self.port,
            origin=f"http://{called}" if origin == "own" else origin,  # type: ignore[arg-type]  # any string may come
            open_timeout=TIMEOUT_S,
            max_size=None,
            proxy=None,
        )

    async def get(self, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], str]:
        """Ask for something; underscores in names of headers stand for hyphens."""
        return await asyncio.to_thread(self._get, path, method, headers)

    def _get(self, path: str, method: str, headers: dict[str, str]) -> tuple[int, dict[str, str], str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        try:
            skip = "Host" in headers
            connection.putrequest(method, path, skip_host=skip)
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            connection.endheaders()
            answer = connection.getresponse()
            text = answer.read().decode()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, text
        finally:
            connection.close()


Scenario = Callable[[Running], Coroutine[Any, Any, None]]


def run(scenario: Scenario, **options: Any) -> None:
    """Run a scenario against a server of its own."""

    async def main() -> None:
        face = Face()
        running = server(build(face, **options), "127.0.0.1", 0)
        serving = asyncio.create_task(running.serve())
        while not running.started:
            await asyncio.sleep(0.001)
        port = running.servers[0].sockets[0].getsockname()[1]
        try:
            await asyncio.wait_for(scenario(Running(face, port)), 4 * TIMEOUT_S)
        finally:
            running.should_exit = True
            await serving

    asyncio.run(main())


async def hear(page: ClientConnection) -> dict[str, Any]:
    message = json.loads(await asyncio.wait_for(page.recv(), TIMEOUT_S))
    assert isinstance(message, dict)
    return message


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(TIMEOUT_S):
        while not holds():
            await asyncio.sleep(0.002)
