"""Own the page's HTTP and WebSocket server; know the daemon only as a `Face`.

Touches the outside world: answers on the socket that uvicorn listens on, reads the page's files.

A page is sent the whole state, never a difference. So a page that reads slowly loses pictures in between and
nothing else: for each page there is at most one state on its way, and nobody waits for it.
"""

import asyncio
import hmac
import json
import logging
from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from starlette.websockets import WebSocket, WebSocketDisconnect

from boardd.web.catalogue import catalogue, languages, negotiate
from boardd.web.face_protocol import Face
from boardd.web.gate import Gate
from boardd.web.rhythms import rhythms_css
from hardware.theme_file import load_rhythms

log = logging.getLogger(__name__)

STATIC = Path(__file__).resolve().parent / "static"
INDEX = "index.html"  # the game's page
CALIBRATION = "calibrate.html"
STATE_INTERVAL_S = 1 / 30  # as often as the lights change at most
MESSAGE_MAX_BYTES = 4096  # the longest honest message is under 300: two names
REFUSALS_KEPT = 16  # for a page that sends faster than it reads
PAGES_MAX = 32  # one table; bounds what a page that reconnects in a loop can cost
SEND_TIMEOUT_S = 20.0  # a page that takes nothing for so long is gone
CLOSE_TOO_BIG = 1009  # RFC 6455, 7.4.1
CLOSE_TRY_LATER = 1013  # IANA's registry of close codes
WRONG_TOKENS_MAX = 3  # on one connection; 128 bits are not guessed, but need not be asked for ever either
CLOSE_POLICY = 1008  # RFC 6455, 7.4.1
WATCHES_ONLY = "this page may only watch: open the address with the token that konakis prints"
WRONG_TOKEN = "this token is not the board's: open the address that konakis prints"
SHUTDOWN_S = 2  # how long open pages may delay the end of the daemon


def build(face: Face, *, names: Iterable[str] = (), token: str | None = None, start: str = INDEX) -> Starlette:
    """Put the page's application together.

    Args:
        face: what the pages show and ask.
        names: host names besides the loopback ones that the server may be called by, with or without a port.
        token: what a page must show before it may change anything; None lets every page.
        start: the file that is served at `/`.

    Returns:
        The ASGI application. It must run on the event loop of `face`.

    """
    pages = _Pages(face, token)
    app = Starlette(
        routes=[
            Route("/", _index),
            Route("/healthz", pages.health),
            Route("/catalogue/{language}.json", _catalogue),
            Route("/rhythms.css", _rhythms),
            WebSocketRoute("/ws", pages.serve),
            Mount("/static", _PageFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Gate, names=tuple(names))],
    )
    app.state.languages = languages()
    app.state.start = start
    return app


def server(app: Starlette, host: str, port: int) -> uvicorn.Server:
    """Configure uvicorn for the page: bounded messages, no access log, no banner.

    Args:
        app: what `build` gave.
        host: the address to listen on.
        port: 0 lets the system choose; ask the started server's sockets.

    Returns:
        A server to `await server.serve()`; it ends when its `should_exit` is set.

    """
    return uvicorn.Server(
        uvicorn.Config(
            app,
            host=host,
            port=port,
            ws="websockets-sansio",
            ws_max_size=MESSAGE_MAX_BYTES,
            ws_per_message_deflate=False,  # loopback and local networks: spare the Pi
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=SHUTDOWN_S,
        )
    )


class _PageFiles(StaticFiles):
    """Serve the page's files so that a browser asks again after an update."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = "no-cache"
        return response


async def _index(request: Request) -> Response:
    """Serve the page itself in the language the browser prefers, which the page's scripts read from `lang`."""
    language = negotiate(request.headers.get("accept-language", ""), request.app.state.languages)
    text = (STATIC / request.app.state.start).read_text(encoding="utf-8")
    return HTMLResponse(
        text.replace('<html lang="en">', f'<html lang="{language}">', 1),
        headers={"cache-control": "no-cache", "vary": "accept-language"},
    )


async def _catalogue(request: Request) -> Response:
    """Serve the words of one language."""
    language = request.path_params["language"]
    if language not in request.app.state.languages:
        return JSONResponse({"error": f"no language {language!r}"}, status_code=404)
    return JSONResponse(
        {"language": language, "languages": request.app.state.languages, "messages": catalogue(language)},
        headers={"cache-control": "no-cache"},
    )


async def _rhythms(request: Request) -> Response:
    """Serve the lights' rhythms as animations."""
    return Response(rhythms_css(load_rhythms()), media_type="text/css", headers={"cache-control": "no-cache"})


class _Pages:
    """All open pages of one face."""

    def __init__(self, face: Face, token: str | None) -> None:
        self._face = face
        self._token = token
        self._open = 0

    async def health(self, request: Request) -> Response:
        """Say that the server lives, and how many pages look at it."""
        return JSONResponse({"ok": True, "pages": self._open}, headers={"cache-control": "no-store"})

    async def serve(self, socket: WebSocket) -> None:
        """Serve one page until it goes."""
        await socket.accept()
        if self._open >= PAGES_MAX:
            await socket.close(CLOSE_TRY_LATER, "too many pages are open")
            return
        self._open += 1
        try:
            await _Page(self._face, socket, self._token).run()
        finally:
            self._open -= 1


class _Page:
    """One open page: a task that reads it, one that hears of changes, one that writes."""

    def __init__(self, face: Face, socket: WebSocket, token: str | None) -> None:
        self._face = face
        self._socket = socket
        self._token = token
        self._may_act = token is None
        self._wrong_tokens = 0
        self._refusals: deque[str] = deque(maxlen=REFUSALS_KEPT)
        self._state_due = True
        self._wake = asyncio.Event()

    async def run(self) -> None:
        """Run all three until one ends; a page that goes away is no error."""
        self._wake.set()
        tasks = [asyncio.create_task(part()) for part in (self._read, self._hear, self._write)]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception) and not isinstance(result, (WebSocketDisconnect, TimeoutError)):
                raise result

    async def _hear(self) -> None:
        async for _ in self._face.subscribe():
            self._state_due = True
            self._wake.set()

    async def _write(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._refusals:
                await self._send({"type": "refused", "why": self._refusals.popleft()})
            if self._state_due:
                self._state_due = False
                state = self._face.state()
                await self._send(state if self._may_act else {**state, "allowed": {"act": False}})
                await asyncio.sleep(STATE_INTERVAL_S)

    async def _send(self, message: Mapping[str, object]) -> None:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        await asyncio.wait_for(self._socket.send_text(text), SEND_TIMEOUT_S)

    async def _read(self) -> None:
        while True:
            frame = await self._socket.receive()
            if frame["type"] == "websocket.disconnect":
                return
            text = frame.get("text")
            if text is None:
                self._refuse("expected a text frame with JSON, got a binary one")
            elif len(text) > MESSAGE_MAX_BYTES:  # for servers that do not bound it themselves
                await self._socket.close(CLOSE_TOO_BIG)
                return
            else:
                self._take(text)
                if self._wrong_tokens >= WRONG_TOKENS_MAX:
                    await self._socket.close(CLOSE_POLICY, WRONG_TOKEN)
                    return
            await asyncio.sleep(0)  # frames that wait already would be read without a turn for anybody else

    def _take(self, text: str) -> None:
        """Hand one message to the face; whatever it is, the page stays served."""
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            self._refuse("expected JSON, got something else")
            return
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            self._refuse('expected a JSON object with a "type"')
            return
        if message["type"] == "token":
            self._show(message.get("token"))
            return
        if not self._may_act:
            self._refuse(WATCHES_ONLY)
            return
        try:
            why = self._face.handle(message)
        except Exception:  # the boundary: a fault in the daemon must not take the pages down with it
            log.exception("a message of the page failed: %.200s", text)
            why = "this failed inside the program; its log says more"
        if why is not None:
            self._refuse(why)

    def _show(self, given: object) -> None:
        """Let a page act that shows the token; where none is asked for, any will do."""
        if self._token is not None and not (
            isinstance(given, str) and hmac.compare_digest(given.encode(errors="surrogatepass"), self._token.encode())
        ):
            self._wrong_tokens += 1
            self._refuse(WRONG_TOKEN)
            return
        self._may_act = True
        self._state_due = True
        self._wake.set()

    def _refuse(self, why: str) -> None:
        self._refusals.append(why)
        self._wake.set()
