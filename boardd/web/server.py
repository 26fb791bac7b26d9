"""Own the page's HTTP and WebSocket server; know the daemon only as a `Face`.

Touches the outside world: answers on the socket that uvicorn listens on, reads the page's files. What a connection may
do is `door`'s, who may ask for what is `gate`'s, and the WebSockets are `pages`'.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from boardd.web.catalogue import catalogue, languages, negotiate
from boardd.web.door import Config
from boardd.web.face_protocol import Face
from boardd.web.gate import Gate
from boardd.web.pages import MESSAGE_MAX_BYTES, SEND_TIMEOUT_S, Pages
from boardd.web.rhythms import rhythms_css
from hardware.theme_file import load_rhythms

STATIC = Path(__file__).resolve().parent / "static"
INDEX = "index.html"  # the game's page
CALIBRATION = "calibrate.html"
HEAD_MAX_BYTES = 16_384  # of a request; a browser's is under 1,000
SHUTDOWN_S = 2  # how long open pages may delay the end of the daemon


def build(
    face: Face,
    *,
    names: Iterable[str] = (),
    token: str | None = None,
    start: str = INDEX,
    patience_s: float = SEND_TIMEOUT_S,
) -> Starlette:
    """Put the page's application together.

    Args:
        face: what the pages show and ask.
        names: host names besides the loopback ones that the server may be called by, with or without a port.
        token: what a page must show before it may change anything; None lets every page.
        start: the file that is served at `/`.
        patience_s: how long a page may take nothing of what it is sent.

    Returns:
        The ASGI application. It must run on the event loop of `face`.

    """
    pages = Pages(face, token, patience_s)
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
    """Configure uvicorn for the page: bounded requests and messages, no banner, a log of our own faults only.

    Args:
        app: what `build` gave.
        host: the address to listen on.
        port: 0 lets the system choose; ask the started server's sockets.

    Returns:
        A server to `await server.serve()`; it ends when its `should_exit` is set.

    """
    return uvicorn.Server(
        Config(
            app,
            host=host,
            port=port,
            h11_max_incomplete_event_size=HEAD_MAX_BYTES,
            ws_max_size=MESSAGE_MAX_BYTES,
            ws_per_message_deflate=False,  # loopback and local networks: spare the Pi
            lifespan="off",
            log_config=None,
            log_level="error",  # what is wrong with a request is nothing a stranger should fill the log with
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
    messages = await run_in_threadpool(_messages, language)
    return JSONResponse(
        {"language": language, "languages": request.app.state.languages, "messages": messages},
        headers={"cache-control": "no-cache"},
    )


async def _rhythms(request: Request) -> Response:
    """Serve the lights' rhythms as animations."""
    return Response(rhythms_css(load_rhythms()), media_type="text/css", headers={"cache-control": "no-cache"})


@cache
def _messages(language: str) -> Mapping[str, str]:
    """Read a catalogue once: it takes longer than the board may be held up."""
    return catalogue(language)
