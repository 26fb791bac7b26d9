"""Own the open pages: what each is told and when, what it may ask, and when it is sent away. Knows a `Face`, no HTTP.

A page is sent the whole state, never a difference. So a page that reads slowly loses pictures in between and nothing
else: for each page there is at most one state on its way, and nobody waits for it. A state is put into words once,
whoever reads it, and sent to one page in each round of the event loop, so that two hundred pages together hold up the
board no longer than one. The pages of those who play come first; the others share what may be sent in a second.
"""

import asyncio
import contextlib
import hmac
import json
import logging
from collections import deque
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from boardd.jsontext import parse_json
from boardd.web.door import Bucket
from boardd.web.face_protocol import Face

log = logging.getLogger(__name__)

STATE_INTERVAL_S = 1 / 30  # as often as the lights change at most
STATES_A_S = 600  # to all pages together: with 200 of them each is told three times a second, if so much happens
PAGES_MAX = 256  # a full room of spectators
MESSAGE_MAX_BYTES = 4096  # the longest honest message is under 300: two names
ACTING_BURST, ACTING_A_S = 150, 60  # messages; a hand that drags a piece across the board sends 40 in a second
WATCHING_BURST, WATCHING_A_S = 10, 2  # those who watch have nothing to say but the token
REFUSALS_KEPT = 16  # for a page that sends faster than it reads
SEND_TIMEOUT_S = 20.0  # a page that takes nothing for so long is gone
CLOSE_TOO_BIG = 1009  # RFC 6455, 7.4.1
CLOSE_TRY_LATER = 1013  # IANA's registry of close codes
CLOSE_POLICY = 1008  # RFC 6455, 7.4.1
WRONG_TOKENS_MAX = 3  # on one connection; 128 bits are not guessed, but need not be asked for ever either
WATCHES_ONLY = "this page may only watch: open the address with the token that konakis prints"
WRONG_TOKEN = "this token is not the board's: open the address that konakis prints"
DOES_NOT_READ = "this page did not read what it was sent"
TOO_MANY = "too many pages are open"


class Pages:
    """All open pages of one face.

    Args:
        face: what they show and ask.
        token: what a page must show before it may change anything; None lets every page.
        patience_s: how long a page may take nothing.

    """

    def __init__(self, face: Face, token: str | None, patience_s: float = SEND_TIMEOUT_S) -> None:
        self.face = face
        self.token = token
        self.patience_s = patience_s
        self.turns = Turns()
        self._open: set[_Page] = set()
        self._texts: dict[bool, str] = {}
        self._hearing: asyncio.Task[None] | None = None

    @property
    def interval_s(self) -> float:
        """How long after a state a page that only watches is told the next one."""
        return max(STATE_INTERVAL_S, len(self._open) / STATES_A_S)

    async def health(self, request: Request) -> Response:
        """Say that the server lives, and how many pages look at it."""
        return JSONResponse({"ok": True, "pages": len(self._open)}, headers={"cache-control": "no-store"})

    async def serve(self, socket: WebSocket) -> None:
        """Serve one page until it goes."""
        with contextlib.suppress(WebSocketDisconnect):  # it has gone before it came
            await self._serve(socket)

    async def _serve(self, socket: WebSocket) -> None:
        await self.turns.mine(first=False)
        await socket.accept()
        if len(self._open) >= PAGES_MAX:
            await socket.close(CLOSE_TRY_LATER, TOO_MANY)
            return
        page = _Page(self, socket)
        self._open.add(page)
        if self._hearing is None:
            self._hearing = asyncio.create_task(self._hear())
        try:
            await page.run()
        finally:
            self._open.discard(page)
            if not self._open and self._hearing is not None:
                self._hearing.cancel()
                self._hearing = None
                self._texts.clear()

    def text(self, *, may_act: bool) -> str:
        """Give the state as those are told who may act, or may not."""
        if may_act not in self._texts:
            state = self.face.state()
            self._texts[may_act] = _words(state if may_act else {**state, "allowed": {"act": False}})
        return self._texts[may_act]

    async def _hear(self) -> None:
        async for _ in self.face.subscribe():
            self._texts.clear()
            for page in self._open:
                page.note_state()


class Turns:
    """Lets one page write in each round of the event loop, and whatever else the loop does comes between."""

    def __init__(self) -> None:
        self._waiting: dict[bool, deque[asyncio.Future[None]]] = {True: deque(), False: deque()}
        self._going = False

    async def mine(self, *, first: bool) -> None:
        """Wait for a turn; those who are `first` do not wait for the others."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting[first].append(turn)
        if not self._going:
            self._going = True
            loop.call_soon(self._next)
        await turn

    def _next(self) -> None:
        for waiting in self._waiting.values():
            while waiting:
                turn = waiting.popleft()
                if not turn.done():  # whoever has gone meanwhile
                    turn.set_result(None)
                    asyncio.get_running_loop().call_soon(self._next)
                    return
        self._going = False


class _Page:
    """One open page: a task that reads it, and one that writes."""

    def __init__(self, pages: Pages, socket: WebSocket) -> None:
        self._pages = pages
        self._socket = socket
        self._may_act = pages.token is None
        self._plays = asyncio.Event()  # set once it has changed something
        self._wrong_tokens = 0
        self._refusals: deque[str] = deque(maxlen=REFUSALS_KEPT)
        self._state_due = True
        self._wake = asyncio.Event()

    def note_state(self) -> None:
        """Have the page told how things stand now."""
        self._state_due = True
        self._wake.set()

    async def run(self) -> None:
        """Read and write until one ends; a page that goes away is no error."""
        self._wake.set()
        reading, writing = (asyncio.create_task(part()) for part in (self._read, self._write))
        try:
            await asyncio.wait((reading, writing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (reading, writing):
                task.cancel()
            results = await asyncio.gather(reading, writing, return_exceptions=True)
        if any(isinstance(result, TimeoutError) for result in results):
            await self._send_away()
        for result in results:
            if isinstance(result, Exception) and not isinstance(result, (WebSocketDisconnect, TimeoutError)):
                raise result

    async def _send_away(self) -> None:
        """Let go a page that does not read; it finds the reason behind what it has not read."""
        client = self._socket.client
        log.info(
            "a page at %s was sent away: it took nothing for %g s",
            "an unknown address" if client is None else client.host,
            self._pages.patience_s,
        )
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # it has gone by itself meanwhile
            await self._socket.close(CLOSE_POLICY, DOES_NOT_READ)

    async def _write(self) -> None:
        pages = self._pages
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._refusals:
                await self._send(_words({"type": "refused", "why": self._refusals.popleft()}))
            if self._state_due:
                await pages.turns.mine(first=self._plays.is_set())
                self._state_due = False
                await self._send(pages.text(may_act=self._may_act))
                await self._rest()

    async def _send(self, text: str) -> None:
        if self._socket.application_state is not WebSocketState.CONNECTED:
            raise WebSocketDisconnect(CLOSE_POLICY)  # it was closed while this waited for its turn
        async with asyncio.timeout(self._pages.patience_s):
            await self._socket.send_text(text)

    async def _rest(self) -> None:
        """Let some time pass between two states; who begins to play does not wait with those who watch."""
        if self._plays.is_set():
            await asyncio.sleep(STATE_INTERVAL_S)
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._pages.interval_s):
                await self._plays.wait()

    async def _read(self) -> None:
        loop = asyncio.get_running_loop()
        acting = Bucket(ACTING_BURST, ACTING_A_S, loop.time())
        watching = Bucket(WATCHING_BURST, WATCHING_A_S, loop.time())
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
            # Nothing is read meanwhile, and soon nothing comes. Frames that wait already would else be read, by 0
            # seconds, without a turn for anybody else.
            await asyncio.sleep((acting if self._may_act else watching).take(loop.time()))

    def _take(self, text: str) -> None:
        """Hand one message to the face; whatever it is, the page stays served."""
        try:
            message = parse_json(text)
        except ValueError:
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
            why = self._pages.face.handle(message)
        except Exception:  # the boundary: a fault in the daemon must not take the pages down with it
            log.exception("a message of the page failed: %.200r", text)
            why = "this failed inside the program; its log says more"
        if why is not None:
            self._refuse(why)
        else:
            self._plays.set()

    def _show(self, given: object) -> None:
        """Let a page act that shows the token; where none is asked for, any will do."""
        token = self._pages.token
        if token is not None and not (
            isinstance(given, str) and hmac.compare_digest(given.encode(errors="surrogatepass"), token.encode())
        ):
            self._wrong_tokens += 1
            self._refuse(WRONG_TOKEN)
            return
        self._may_act = True
        self.note_state()

    def _refuse(self, why: str) -> None:
        self._refusals.append(why)
        self._wake.set()


def _words(message: Mapping[str, object]) -> str:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
