"""Opens the page's port and serves the page beside the game: touches the outside world (a socket).

Owns the port and the server's life on the daemon's event loop. What is served is `boardd.web`'s.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import uvicorn

from boardd.access import is_loopback, own_names, reachable, token, with_token
from boardd.errors import BoarddError
from boardd.settings import PageSettings
from boardd.web.face_protocol import Face
from boardd.web.server import INDEX, build, server

log = logging.getLogger(__name__)

BACKLOG = 64
"""Connections that may wait to be accepted while the loop is busy."""


END_S = 5.0
"""How long the server may take to say good-bye; it gives open pages two seconds itself."""


RETRY_S = 5.0
"""How often a page that waits tries to have its address."""


class PageError(BoarddError, OSError):
    """The page cannot be served at its address."""


class TakenError(PageError):
    """Another program has the address, or the network has not brought it yet: a moment later it may be had."""


class Page:
    """The page's open port, and the server behind it.

    Args:
        settings: where to listen.
        directory: the state directory; a page beyond this computer keeps its token there.
        waits: where the address is not to be had yet, it is waited for while the page is to be served.

    Raises:
        PageError: the port cannot be had.
        AccessError: the token cannot be had.

    """

    def __init__(self, settings: PageSettings, directory: Path, *, waits: bool = False) -> None:
        self._settings = settings
        self._token = None if is_loopback(settings.host) else token(directory)
        self._socket: socket.socket | None = None
        self._server: uvicorn.Server | None = None
        self.trouble: str | None = None
        """Why it is not there yet; None where it is."""
        try:
            self._socket = _listen(settings)
        except TakenError as error:
            if not waits:
                raise
            self.trouble = str(error)

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return f"http://{reachable(self._settings.host)}:{self._port}"

    @property
    def _port(self) -> int:
        return self._settings.port if self._socket is None else int(self._socket.getsockname()[1])

    @property
    def invitation(self) -> str | None:
        """Where a browser finds it and may act; None where it may anyway."""
        return None if self._token is None else with_token(self.address, self._token)

    async def serve(self, face: Face, start: str = INDEX) -> None:
        """Serve what opens with the file `start` until `end`; a fault of the server ends the page and nothing else."""
        listener = self._socket or await self._wait()
        host, port = self._settings.host, self._port
        app = build(face, names=(*own_names(host), *self._settings.names), token=self._token, start=start)
        self._server = _Server(server(app, host, port).config)
        try:
            await self._server.serve(sockets=[listener])
        except Exception:  # the boundary: the game goes on without its page
            log.exception("the page has failed and is gone; the game goes on")

    async def _wait(self) -> socket.socket:
        """Try until the address can be had; tell that it cannot, once, and that it can."""
        log.warning("%s; the board plays without its page, and tries again every %g s", self.trouble, RETRY_S)
        while self._socket is None:
            await asyncio.sleep(RETRY_S)
            with contextlib.suppress(PageError):
                self._socket = _listen(self._settings)
        self.trouble = None
        log.warning("the page is there now: %s", self.address)
        return self._socket

    async def end(self, serving: asyncio.Task[None]) -> None:
        """End the server and its task."""
        if self._server is not None:
            self._server.should_exit = True
            await asyncio.wait([serving], timeout=END_S)
        serving.cancel()
        await asyncio.wait([serving])

    def close(self) -> None:
        """Close the port."""
        if self._socket is not None:
            self._socket.close()


class _Server(uvicorn.Server):
    """A server that leaves the signals to the daemon."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing."""
        yield


def _listen(settings: PageSettings) -> socket.socket:
    """Open the port.

    Raises:
        TakenError: it cannot be had now.
        PageError: nor later.

    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        where = f"{settings.host}:{settings.port}"
        told = f"[page] port: {where} cannot be had: {error.strerror}; choose another, or 0 for any"
        if error.errno == errno.EADDRNOTAVAIL:
            told = f"[page] host: found {settings.host}, expected an address that this computer has, or 0.0.0.0 for all"
        passes = error.errno in (errno.EADDRINUSE, errno.EADDRNOTAVAIL)
        raise (TakenError if passes else PageError)(told) from error
    return listener
