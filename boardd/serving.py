"""Opens the page's port and serves the page beside the game: touches the outside world (a socket).

Owns the port and the server's life on the daemon's event loop. What is served is `boardd.web`'s.
"""

from __future__ import annotations

import asyncio
import contextlib
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


class PageError(BoarddError, OSError):
    """The page cannot be served at its address."""


class Page:
    """The page's open port, and the server behind it.

    Args:
        settings: where to listen.
        directory: the state directory; a page beyond this computer keeps its token there.

    Raises:
        PageError: the port cannot be had.
        AccessError: the token cannot be had.

    """

    def __init__(self, settings: PageSettings, directory: Path) -> None:
        self._settings = settings
        self._token = None if is_loopback(settings.host) else token(directory)
        self._socket = _listen(settings)
        self._server: uvicorn.Server | None = None

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return f"http://{reachable(self._settings.host)}:{self._socket.getsockname()[1]}"

    @property
    def invitation(self) -> str | None:
        """Where a browser finds it and may act; None where it may anyway."""
        return None if self._token is None else with_token(self.address, self._token)

    async def serve(self, face: Face, start: str = INDEX) -> None:
        """Serve what opens with the file `start` until `end`; a fault of the server ends the page and nothing else."""
        host, port = self._settings.host, self._socket.getsockname()[1]
        app = build(face, names=(*own_names(host), *self._settings.names), token=self._token, start=start)
        self._server = _Server(server(app, host, port).config)
        try:
            await self._server.serve(sockets=[self._socket])
        except Exception:  # the boundary: the game goes on without its page
            log.exception("the page has failed and is gone; the game goes on")

    async def end(self, serving: asyncio.Task[None]) -> None:
        """End the server and its task."""
        if self._server is not None:
            self._server.should_exit = True
            await asyncio.wait([serving], timeout=END_S)
        serving.cancel()
        await asyncio.wait([serving])

    def close(self) -> None:
        """Close the port."""
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
        PageError: it cannot be had.

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
        raise PageError(
            f"[page] port: {where} cannot be had: {error.strerror}; choose another, or 0 for any"
        ) from error
    return listener
