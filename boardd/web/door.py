"""Own the connections to the page's server: how many there may be, for how long, and what a stranger may send in them.

uvicorn speaks HTTP and WebSocket; what it leaves open to a stranger who means harm is bounded here. Knows nothing of
pages and their messages (`pages`), nor of who may ask for what (`gate`).

A connection is a page's, once its WebSocket was accepted, and may stay; everything else is over after a minute. What is
closed but not read to its end is cut off a little later, for nobody else would ever do so.
"""

import asyncio
import ipaddress
import logging
import socket
from collections import Counter
from collections.abc import Callable
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState

log = logging.getLogger(__name__)

CONNECTIONS_MAX = 320  # all pages and a few that are just loading; far below the 1,024 files a process may have open
CONNECTIONS_EACH = 20  # from one other computer: a few open pages, and one loading its files over six connections
HTTP_LIFE_S = 60.0  # for all that is no page: the whole page's files come in one second
CLOSING_S = 10.0  # how long what was closed may take to read the rest
SWEEP_S = 5.0  # how often late ones are looked for
UNREAD_BYTES = 131_072  # that the system keeps for one who does not read; of itself up to 4 MB for each
READ_BYTES = 2048  # at a time: as many tiny frames as fit in are parsed before anybody else gets a turn
REQUESTS_BURST, REQUESTS_A_S = 120, 20  # pieces of requests from one other computer; a page has 40 files
BACKLOG = 16  # connections that wait, and that are accepted in one round of the loop
CONTROL_BURST, CONTROL_A_S = 20, 1.0  # pings and pongs of one page: browsers answer one in 20 s
FRAGMENTS_MAX = 64  # of one message; its bytes are bounded, but a fragment may be empty
IPV6_NETWORK = 64  # bits that a computer does not choose itself
CLOSE_INVALID, CLOSE_POLICY = 1007, 1008  # RFC 6455, 7.4.1


class Bucket:
    """How much somebody may do: so much at once, and so much a second on the average.

    Args:
        burst: at once.
        a_second: on the average.
        now: the time (seconds).

    """

    __slots__ = ("_a_second", "_burst", "_full_at")

    def __init__(self, burst: float, a_second: float, now: float) -> None:
        self._burst = burst
        self._a_second = a_second
        self._full_at = now

    def full(self, now: float) -> bool:
        """Tell whether as much may be done as ever."""
        return now >= self._full_at

    def take(self, now: float) -> float:
        """Count one; give how long to wait (seconds) until it may be done."""
        self._full_at = max(self._full_at, now) + 1 / self._a_second
        return max(0.0, self._full_at - now - self._burst / self._a_second)


class Door:
    """All connections to one server.

    Args:
        now: the time (seconds).

    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._since: dict[asyncio.Transport, float] = {}
        self._closing: dict[asyncio.Transport, float] = {}
        self._pages: set[asyncio.Transport] = set()
        self._each: Counter[str] = Counter()
        self._from: dict[asyncio.Transport, str] = {}
        self._asked: dict[str, Bucket] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._since)

    def admit(self, transport: asyncio.Transport) -> bool:
        """Let a connection in, or say that there is no room for it."""
        who = _computer(transport.get_extra_info("peername"))
        if len(self._since) >= CONNECTIONS_MAX or (who and self._each[who] >= CONNECTIONS_EACH):
            return False
        self._since[transport] = self._now()
        self._from[transport] = who
        self._each[who] += 1
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SWEEP_S, self._again)
        return True

    def asks(self, transport: asyncio.Transport) -> bool:
        """Count a piece of a request; say whether it is not one too many from its computer."""
        who = self._from.get(transport, "")
        if not who:
            return True
        if who not in self._asked:
            self._asked[who] = Bucket(REQUESTS_BURST, REQUESTS_A_S, self._now())
        return self._asked[who].take(self._now()) <= 0

    def page(self, transport: asyncio.Transport) -> None:
        """Note that a connection is a page's from now on, and may stay."""
        self._pages.add(transport)

    def leave(self, transport: asyncio.Transport) -> None:
        """Forget a connection that is gone."""
        if self._since.pop(transport, None) is None:
            return
        self._closing.pop(transport, None)
        self._pages.discard(transport)
        who = self._from.pop(transport)
        self._each[who] -= 1
        if not self._each[who]:
            del self._each[who]

    def sweep(self) -> None:
        """Cut off whoever is late."""
        now = self._now()
        for transport, since in list(self._since.items()):
            if transport.is_closing():
                since, life = self._closing.setdefault(transport, now), CLOSING_S
            elif transport in self._pages:
                continue
            else:
                life = HTTP_LIFE_S
            if now - since >= life:
                transport.abort()
        for who in [who for who, asked in self._asked.items() if not self._each[who] and asked.full(now)]:
            del self._asked[who]

    def _again(self) -> None:
        self.sweep()
        self._timer = asyncio.get_running_loop().call_later(SWEEP_S, self._again) if self._since else None


class Config(uvicorn.Config):
    """uvicorn's configuration, with the door that its connections come through."""

    def __init__(self, app: ASGIApp, **options: Any) -> None:
        super().__init__(app, http=HttpConnection, ws=PageConnection, backlog=BACKLOG, **options)
        self.door = Door(lambda: asyncio.get_running_loop().time())


class HttpConnection(H11Protocol):
    """HTTP, through the door."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin, or end at once if there is no room."""
        super().connection_made(transport)
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNREAD_BYTES)
        transport.max_size = READ_BYTES  # type: ignore[attr-defined]  # asyncio's own, undocumented; 256 kB else
        if not cast("Config", self.config).door.admit(transport):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        cast("Config", self.config).door.leave(self.transport)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Go on, unless it was turned away or asks too much."""
        if self.transport.is_closing():
            return
        if cast("Config", self.config).door.asks(self.transport):
            super().data_received(data)
        else:
            self.transport.abort()


class PageConnection(WebSocketsSansIOProtocol):
    """A page's WebSocket, in which nothing that comes is without bounds."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._control = Bucket(CONTROL_BURST, CONTROL_A_S, self.loop.time())

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        cast("Config", self.config).door.leave(self.transport)
        super().connection_lost(exc)

    async def send(self, message: Any) -> None:
        """Send; what is said at the end is said behind what is not read yet, for nobody waits until it is."""
        if message["type"] == "websocket.close":
            self.writable.set()
        await self.writable.wait()
        if self.close_sent:  # by something that came meanwhile; uvicorn would take it for a fault of ours
            raise ClientDisconnected
        await super().send(message)
        if message["type"] == "websocket.accept":
            cast("Config", self.config).door.page(self.transport)

    def handle_ping(self) -> None:
        """Answer; not to one who does not read, whose answers would pile up."""
        if self._counted():
            output = self.conn.data_to_send()
            if self.writable.is_set():
                self.transport.write(b"".join(output))

    def handle_pong(self, event: Any) -> None:
        """Take it for the answer that it may be."""
        if self._counted():
            super().handle_pong(event)

    def keepalive_timeout(self) -> None:
        """Send away a page that has not answered for so long that it must be gone."""
        log.info("a page at %s was sent away: it does not answer", self.client[0] if self.client else "no address")
        super().keepalive_timeout()

    def handle_cont(self, event: Any) -> None:
        """Take one more piece of a message."""
        if len(self.frames) >= FRAGMENTS_MAX:
            self._end(CLOSE_POLICY, f"a message has at most {FRAGMENTS_MAX} fragments")
        else:
            super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        """Hand on a whole message, unless it is no text: uvicorn would tell the log of that at length."""
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self._end(CLOSE_INVALID, "a text is UTF-8")
                return
        super().send_receive_event_to_app()

    def handle_parser_exception(self) -> None:
        """End a connection in which nonsense came; before it was accepted nothing can be said about that."""
        if self.conn.close_sent is None:
            self.transport.abort()
        else:
            super().handle_parser_exception()

    def _counted(self) -> bool:
        """Count a ping or a pong; end the connection when there are too many."""
        if self.close_sent or self._control.take(self.loop.time()) > 0:
            self._end(CLOSE_POLICY, "too many pings")
            return False
        return True

    def _end(self, code: int, reason: str) -> None:
        """Close in the middle of reading."""
        self.frames = []
        if self.close_sent or self.transport.is_closing():
            return
        try:
            self.conn.send_close(code, reason)
        except InvalidState:  # the other end has closed in the same breath
            self.transport.close()
        else:
            self.handle_parser_exception()


def _computer(peer: object) -> str:
    """Tell whose connection it is, as far as its address tells; nothing for this computer and for no address."""
    try:
        address = ipaddress.ip_address(str(peer[0]).partition("%")[0] if isinstance(peer, tuple) else "")
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            network = ipaddress.ip_network((address, IPV6_NETWORK), strict=False)
            return "" if address.is_loopback else str(network)
        address = address.ipv4_mapped
    return "" if address.is_loopback else str(address)
