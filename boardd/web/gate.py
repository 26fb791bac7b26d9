"""Own who may talk to the page's server: known hosts, the page's own origin, and headers that keep browsers strict.

A foreign page in the same browser can send requests to any address it likes, and a foreign name can be made to resolve
to it. The address that a request came to is no such name, and known like the names that were given. So a request must
name a host we know (against the second), and whatever may change something must come from our own origin (against the
first). The gate is plain ASGI and knows neither the page nor the game.
"""

import ipaddress
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")
HTTP_PORT = 80  # the one port that browsers leave out of Host and Origin
SAFE_METHODS = frozenset({"GET", "HEAD"})
CLOSE_POLICY = 1008  # RFC 6455, 7.4.1: policy violation; before the handshake the server answers 403 instead

SECURITY_HEADERS = {
    "content-security-policy": (
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class Gate:
    """Let through what comes from the page itself; answer everything else with 403."""

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        """Stand before `app`.

        Args:
            app: what is guarded.
            names: further host names that the server may be called by, each with or without a port; without one the
                port listened on is meant.

        """
        self._app = app
        self._names = (*LOOPBACK_HOSTS, *(name.lower() for name in names))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request or WebSocket on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        why = self._refusal(scope)
        if why is None:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await receive()  # the handshake, which may only be answered once it was read
            await send({"type": "websocket.close", "code": CLOSE_POLICY, "reason": why})
        else:
            await PlainTextResponse(why + "\n", status_code=403)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> str | None:
        """Say why a request is refused, or None."""
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        if host not in self._hosts(scope) or len(headers.getlist("host")) != 1:
            return "Host is none of the names of this server; more can be given in the configuration"
        if scope["type"] == "http" and scope["method"] in SAFE_METHODS:
            return None
        secure = scope.get("scheme") in ("https", "wss")
        if headers.getlist("origin") != [f"{'https' if secure else 'http'}://{host}"]:
            return "Origin is not the page of this server"
        return None

    def _hosts(self, scope: Scope) -> frozenset[str]:
        """Give every Host that names this server on the port the request came to."""
        address, port = scope.get("server") or (None, None)
        hosts = set()
        for name in (*self._names, *_as_host(address)):
            if _has_port(name):
                hosts.add(name)
            else:
                hosts.add(f"{name}:{port}")
                if port == HTTP_PORT:
                    hosts.add(name)
        return frozenset(hosts)


def _as_host(address: str | None) -> tuple[str, ...]:
    """Give the address that a request came to as browsers write it; nothing for what is none, as a socket's path."""
    try:
        found = ipaddress.ip_address(str(address))
    except ValueError:
        return ()
    if isinstance(found, ipaddress.IPv6Address):
        return (str(found.ipv4_mapped),) if found.ipv4_mapped else (f"[{found.compressed}]",)
    return (str(found),)


def _has_port(name: str) -> bool:
    return name.rpartition(":")[2].isdigit() and not name.endswith("]")


def _with_headers(send: Send) -> Send:
    """Add the security headers to whatever response is sent."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(SECURITY_HEADERS)
        await send(message)

    return send_with_headers
