"""What strangers send to the page's server: raw bytes, broken frames, floods, paths that lead elsewhere.

Whatever it is, the server goes on serving and its log stays free of it.
"""

import asyncio
import contextlib
import itertools
import logging
import os
import socket
import string
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from starlette.exceptions import HTTPException
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from boardd.web import door
from boardd.web.door import (
    CLOSE_INVALID,
    CLOSING_S,
    CONNECTIONS_EACH,
    CONNECTIONS_MAX,
    CONTROL_BURST,
    FRAGMENTS_MAX,
    HTTP_LIFE_S,
    REQUESTS_A_S,
    REQUESTS_BURST,
    Bucket,
    Door,
)
from boardd.web.pages import CLOSE_POLICY
from boardd.web.server import _PageFiles
from tests.boardd.served import TIMEOUT_S, Face, Running, hear, run, until
from tests.browser.serving import serving

TIMES = int(os.environ.get("KONAKIS_FUZZ_TIMES", "1"))  # by hand, as often as you like

fuzzed = settings(
    derandomize=True,
    deadline=None,
    max_examples=250 * TIMES,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)

HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"


class Log(logging.Handler):
    """Keeps what is told at a warning or above."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(self.format(record))


class Server:
    """A server that strangers speak to."""

    def __init__(self, address: str, log: Log) -> None:
        self.host = address.removeprefix("http://")
        self.log = log

    def say(self, *pieces: bytes, end: bool = True) -> bytes:
        """Send bytes on a connection of their own; give all that comes back. `{host}` becomes the server's name.

        With an end nothing more can come, and the server need not answer; without one it must close by itself.
        """
        name, port = self.host.split(":")
        heard = b""
        with (
            socket.create_connection((name, int(port)), TIMEOUT_S) as wire,
            contextlib.suppress(ConnectionError),  # it may have had enough at any time
        ):
            for piece in pieces:
                wire.sendall(piece.replace(b"{host}", self.host.encode()))
                if piece is HANDSHAKE:
                    heard += wire.recv(65_536)  # what comes before this is not heard before it is asked again
            if end:
                with contextlib.suppress(OSError):
                    wire.shutdown(socket.SHUT_WR)
            while found := wire.recv(65_536):
                heard += found
        return heard

    def serves_on(self) -> None:
        """Demand that it still answers, and that the log is clean."""
        assert self.say(HEALTH, end=False).startswith(b"HTTP/1.1 200 ")
        assert self.log.told == []


@pytest.fixture(scope="module")
def stranger() -> Iterator[Server]:
    log = Log()
    logging.getLogger().addHandler(log)
    try:
        with serving(Face()) as served:
            yield Server(served.address, log)
    finally:
        logging.getLogger().removeHandler(log)
    assert log.told == []


# Raw bytes.

tokens = st.text(string.ascii_letters + string.digits + "-_.!#$%&'*+^`|~:;,/ \t=\"", max_size=12).map(str.encode)
odd = st.one_of(st.binary(max_size=30), tokens)
methods = st.one_of(st.sampled_from([b"GET", b"HEAD", b"POST", b"OPTIONS", b"get", b"PRI", b"CONNECT"]), odd)
targets = st.one_of(
    st.sampled_from(
        [b"/", b"/ws", b"/ws?", b"/static/main.js", b"/catalogue/ru.json", b"*", b"http://{host}/", b"//ws", b"/%ff%00"]
    ),
    st.binary(max_size=40).map(lambda found: b"/" + found),
    st.text("%0123456789abcdefABCDEF./\\", max_size=30).map(lambda found: b"/static/" + found.encode()),
)
versions = st.sampled_from([b"HTTP/1.1", b"HTTP/1.0", b"HTTP/2.0", b"HTTP/9.9", b"HTTP/1.1 ", b"", b"\xff"])
headers = st.one_of(
    st.sampled_from(
        [
            b"Host: {host}",
            b"Origin: http://{host}",
            b"Upgrade: websocket",
            b"Upgrade: h2c",
            b"Connection: Upgrade",
            b"Connection: keep-alive, Upgrade, close",
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            b"Sec-WebSocket-Key: ?",
            b"Sec-WebSocket-Version: 13",
            b"Sec-WebSocket-Version: 12",
            b"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=99",
            b"Sec-WebSocket-Protocol: \xff, ,",
            b"Content-Length: 5",
            b"Content-Length: -1",
            b"Content-Length: 99999999999999999999",
            b"Transfer-Encoding: chunked",
            b"Transfer-Encoding: gzip, chunked",
            b"Expect: 100-continue",
            b"Accept-Language: ru;q=1e999, en;q=nan, \xff;q=",
            b"Range: bytes=5-1,0-0,-9999999999",
            b"Range: bytes=" + b"0-0," * 200,
            b"If-Modified-Since: 99 Foo 99999",
            b"Host: evil.test",
            b" folded",
            b"X: " + b"y" * 20_000,
        ]
    ),
    st.tuples(odd, odd).map(lambda pair: pair[0] + b": " + pair[1]),
)
heads = st.builds(
    lambda method, target, version, found, end: (
        method + b" " + target + b" " + version + end + end.join(found) + end * 2
    ),
    methods,
    targets,
    versions,
    st.lists(headers, max_size=9),
    st.sampled_from([b"\r\n", b"\r\n", b"\n", b"\r"]),
)
requests = st.one_of(heads, heads, st.binary(max_size=300), st.just(bytes(bytearray(HANDSHAKE))), st.just(HEALTH))


@fuzzed
@given(st.lists(requests, min_size=1, max_size=4))
@example([b"\0" * 20_000])
@example([b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 4_000])
@example([b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n"])
@example([b"POST / HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\na\r\n" * 2_000])
@example([HANDSHAKE.replace(b"GET", b"POST")])
@example([HANDSHAKE.replace(b"Key: dGhlIHNhbXBsZSBub25jZQ==", b"Key: ?")])
@example([HANDSHAKE.replace(b"\r\n\r\n", b"\r\n" + b"a: b\r\n" * 200 + b"\r\n")])
@example([HANDSHAKE.replace(b"\r\n\r\n", b"\r\nX: " + b"y" * 9_000 + b"\r\n\r\n")])
def test_requests_that_are_none(stranger: Server, pieces: list[bytes]) -> None:
    stranger.say(*pieces)
    stranger.serves_on()


# Frames.


def frame(opcode: int, flags: int, payload: bytes, masked: bool, spelled: int, claimed: int | None) -> bytes:
    """Spell a frame, rightly or not; `spelled` is the least bytes for the length."""
    length = len(payload) if claimed is None else claimed
    bit = 0x80 if masked else 0
    if spelled == 1 and length < 126:
        size = bytes([bit | length])
    elif spelled <= 2 and length < 65_536:
        size = bytes([bit | 126]) + length.to_bytes(2, "big")
    else:
        size = bytes([bit | 127]) + length.to_bytes(8, "big")
    mask = b"\x01\x02\x03\x04" if masked else b""
    body = bytes(octet ^ mask[at % 4] for at, octet in enumerate(payload)) if masked else payload
    return bytes([flags << 4 | opcode]) + size + mask + body


payloads = st.one_of(
    st.binary(max_size=140),
    st.just(b"x" * 5_000),
    st.sampled_from(
        [
            b"",
            b"\xff",
            b"{",
            b"[" * 3_000,
            b'{"type":"fine"}',
            b'{"type":"\\ud800"}',
            b'{"type":"token","token":"\\udfff"}',
        ]
    ),
    st.binary(min_size=2, max_size=2),  # a close code
)
frames = st.builds(
    frame,
    st.one_of(st.sampled_from([0, 1, 2, 8, 9, 10]), st.integers(0, 15)),
    st.one_of(st.sampled_from([0, 8]), st.integers(0, 15)),
    payloads,
    st.sampled_from([True, True, True, False]),
    st.sampled_from([1, 1, 1, 2, 8]),
    st.one_of(st.none(), st.none(), st.none(), st.integers(0, 2**63 - 1)),
)


def text(payload: bytes) -> bytes:
    return frame(1, 8, payload, True, 1, None)


@fuzzed
@given(st.lists(st.one_of(frames, frames, frames, st.binary(max_size=60)), max_size=8), st.booleans())
@example([text(b"\xff")], True)
@example([text(b"\xff"), frame(8, 8, b"\x03\xe8", True, 1, None)], True)
@example([frame(8, 8, b"", True, 1, None), text(b"\xff")], True)
@example([frame(8, 8, b"\x03\xe8\xff", True, 1, None)], True)
@example([frame(0, 0, b"", True, 1, None)], True)
@example([frame(1, 0, b"\xe2", True, 1, None), frame(0, 8, b"\x82\xac", True, 1, None)], True)
@example([frame(9, 8, b"", True, 1, None)] * 500, True)
@example([frame(10, 8, b"", True, 1, None)] * 500, True)
@example([text(b""), frame(1, 0, b"", True, 1, None)] + [frame(0, 0, b"", True, 1, None)] * 500, True)
def test_frames_that_are_none(stranger: Server, pieces: list[bytes], at_once: bool) -> None:
    stranger.say(*([HANDSHAKE + b"".join(pieces)] if at_once else [HANDSHAKE, *pieces]))
    stranger.serves_on()


async def ended(page: ClientConnection) -> tuple[int, str]:
    """Hear a page to its end; give the server's reason."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            await hear(page)
    assert page.protocol.close_rcvd is not None
    return page.protocol.close_rcvd.code, page.protocol.close_rcvd.reason


@pytest.mark.parametrize("opcode", [Opcode.PING, Opcode.PONG])
def test_a_flood_of_pings_ends_the_page(opcode: Opcode) -> None:
    async def scenario(running: Running) -> None:
        async with running.page() as page:
            page.transport.write(Frame(opcode, b"").serialize(mask=True) * (CONTROL_BURST + 100))
            assert await ended(page) == (CLOSE_POLICY, "too many pings")

    run(scenario)


def test_a_message_of_empty_fragments_ends_the_page() -> None:
    async def scenario(running: Running) -> None:
        async with running.page() as page:
            start, more = Frame(Opcode.TEXT, b"", fin=False), Frame(Opcode.CONT, b"", fin=False)
            page.transport.write(start.serialize(mask=True) + more.serialize(mask=True) * 2 * FRAGMENTS_MAX)
            assert await ended(page) == (CLOSE_POLICY, f"a message has at most {FRAGMENTS_MAX} fragments")

    run(scenario)


def test_frames_before_the_handshake_is_answered_end_the_connection(stranger: Server) -> None:
    for _ in range(20):
        stranger.say(bytes(bytearray(HANDSHAKE)), b"\xff" * 20, b"\xff" * 20)
    stranger.serves_on()


def test_a_text_that_is_none_ends_the_page() -> None:
    async def scenario(running: Running) -> None:
        async with running.page() as page:
            page.transport.write(Frame(Opcode.TEXT, b"\xff").serialize(mask=True))
            assert await ended(page) == (CLOSE_INVALID, "a text is UTF-8")

    run(scenario)


def test_a_message_in_a_few_fragments_is_one_message() -> None:
    async def scenario(running: Running) -> None:
        async with running.page() as page:
            await page.send(['{"type": ', '"fi', 'ne"}'])
            await until(lambda: running.face.messages == [{"type": "fine"}])

    run(scenario)


def test_who_does_not_read_gets_no_answers_to_pings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answers would pile up without end in the memory of the daemon."""
    monkeypatch.setattr(door, "CONTROL_BURST", 1e9)

    async def scenario(running: Running) -> None:
        running.face.padding = "x" * 8_000_000
        async with running.page() as page:
            page.transport.pause_reading()
            await until(lambda: running.face.asked == 1)
            page.transport.write(Frame(Opcode.PING, b"p" * 125).serialize(mask=True) * 1_000)
            await page.send('{"type": "fine"}')  # read after the pings
            await until(lambda: running.face.messages == [{"type": "fine"}])
            heard: list[Opcode] = []
            take = page.protocol.recv_frame

            def noting(found: Frame) -> None:
                heard.append(found.opcode)
                take(found)

            monkeypatch.setattr(page.protocol, "recv_frame", noting)
            page.transport.resume_reading()
            await hear(page)
            await (await page.ping())  # it reads again and gets one
            assert heard == [Opcode.TEXT, Opcode.PONG]
            page.transport.abort()

    run(scenario)


# Paths.

DOTS = ("..", "%2e%2e", ".%2E", "%252e%252e", "..%00", "%c0%ae%c0%ae", "..;", "．．")
SLASHES = ("/", "%2F", "\\", "%5c", "%252f", "//", "/./", "%c0%af")
PREFIXES = ("/static/", "/static", "/static/img/", "/", "/catalogue/", "/static//", "/static/C:")


def test_no_spelling_of_a_path_leads_outside(stranger: Server) -> None:
    spellings = [
        prefix + (dots + slash) * depth + name
        for (dots, slash), prefix in itertools.product(itertools.product(DOTS, SLASHES), PREFIXES)
        for depth, name in ((1, "server.py"), (9, "etc/passwd"))
    ]
    inside = 0
    for spelled in spellings:
        request = f"GET {spelled} HTTP/1.1\r\nHost: {{host}}\r\nConnection: close\r\n\r\n".encode()
        answer = stranger.say(request, end=False)
        status = answer.split(b" ", 2)[1]
        inside += status == b"200"
        assert status in (b"400", b"403", b"404", b"405"), (spelled, answer[:200])
    stranger.serves_on()
    assert inside == 0


def test_a_link_leads_outside_no_more_than_a_path(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    page = tmp_path / "page"
    page.mkdir()
    (page / "own").write_text("own")
    (page / "link").symlink_to(tmp_path / "secret")
    (page / "folder").symlink_to(tmp_path)
    (page / "device").symlink_to("/dev/zero")
    files, scope = _PageFiles(directory=page), {"type": "http", "method": "GET", "headers": []}
    assert asyncio.run(files.get_response("own", scope)).status_code == 200
    for path in ("link", "folder/secret", "folder", "device", ""):
        with pytest.raises(HTTPException, match="404"):
            asyncio.run(files.get_response(path, scope))


# Connections.


class Wire(asyncio.Transport):
    """A connection as the door sees it."""

    def __init__(self, *peer: object) -> None:
        super().__init__()
        self.peer = peer
        self.closing = False
        self.aborted = False

    def get_extra_info(self, name: str, default: object = None) -> object:
        assert name == "peername"
        return self.peer or None

    def is_closing(self) -> bool:
        return self.closing

    def abort(self) -> None:
        self.aborted = True


def at_door(scenario: Callable[[Door, list[float]], None]) -> None:
    async def main() -> None:
        clock = [0.0]
        scenario(Door(lambda: clock[0]), clock)

    asyncio.run(main())


def test_there_is_an_end_of_connections_for_one_computer_and_for_all() -> None:
    def scenario(found: Door, clock: list[float]) -> None:
        first = [Wire("192.168.1.7", port) for port in range(CONNECTIONS_EACH)]
        assert all(found.admit(wire) for wire in first)
        for same in (Wire("192.168.1.7", 9), Wire("::ffff:192.168.1.7", 9, 0, 0)):
            assert not found.admit(same)
        assert found.admit(Wire("192.168.1.8", 1))
        found.leave(first[0])
        assert found.admit(Wire("192.168.1.7", 9))
        here = [Wire("127.0.0.1", port) for port in range(CONNECTIONS_MAX)]  # a tunnel's users all come from here
        assert sum(found.admit(wire) for wire in here) == CONNECTIONS_MAX - len(first) - 1
        assert not found.admit(Wire("192.168.1.9", 1))
        assert len(found) == CONNECTIONS_MAX

    at_door(scenario)


def test_who_asks_without_end_is_asked_to_wait_and_others_are_not() -> None:
    def scenario(found: Door, clock: list[float]) -> None:
        many, other, here = Wire("192.168.1.7", 1), Wire("192.168.1.8", 1), Wire("127.0.0.1", 1)
        assert all(found.admit(wire) for wire in (many, other, here))
        assert all(found.asks(many) for _ in range(REQUESTS_BURST))
        assert not found.asks(many)
        assert found.asks(other)
        assert all(found.asks(here) for _ in range(2 * REQUESTS_BURST))
        found.leave(many)
        again = Wire("192.168.1.7", 2)
        assert found.admit(again)
        found.sweep()
        assert not found.asks(again)
        clock[0] += 1.0
        assert all(found.asks(again) for _ in range(REQUESTS_A_S - 2))
        found.leave(again)
        clock[0] += HTTP_LIFE_S
        found.sweep()
        assert found._asked.keys() == {"192.168.1.8"}

    at_door(scenario)


def test_a_network_of_addresses_counts_as_one_computer() -> None:
    def scenario(found: Door, clock: list[float]) -> None:
        for port in range(CONNECTIONS_EACH):
            assert found.admit(Wire(f"fe80::{port + 1:x}%eth0", port, 0, 2))
        assert not found.admit(Wire("fe80::ffff:1", 1, 0, 2))
        assert found.admit(Wire("fe80:0:0:1::1", 1, 0, 2))
        assert found.admit(Wire())

    at_door(scenario)


def test_what_is_no_page_is_over_after_a_minute_and_what_is_closed_soon() -> None:
    def scenario(found: Door, clock: list[float]) -> None:
        _, page, closed, gone = wires = [Wire("10.0.0.1", port) for port in range(4)]
        for wire in wires:
            assert found.admit(wire)
        found.page(page)
        found.leave(gone)
        found.leave(gone)
        clock[0] = HTTP_LIFE_S - 1
        closed.closing = True
        found.sweep()
        assert not any(wire.aborted for wire in wires)
        clock[0] += CLOSING_S
        found.sweep()
        assert [wire.aborted for wire in wires] == [True, False, True, False]
        page.closing = True
        found.sweep()
        clock[0] += CLOSING_S
        found.sweep()
        assert page.aborted

    at_door(scenario)


def test_a_connection_too_many_is_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "CONNECTIONS_MAX", 3)

    async def scenario(running: Running) -> None:
        async with running.page() as first, running.page() as second, running.page() as third:
            for page in (first, second, third):
                await hear(page)
            with pytest.raises((ConnectionError, OSError, EOFError)):
                await running.get("/healthz")
        for _ in range(1000):
            with contextlib.suppress(OSError):
                assert (await running.get("/healthz"))[0] == 200
                return
        pytest.fail("nobody was let in again")

    run(scenario)


def test_a_bucket_gives_at_once_what_it_holds_and_then_at_its_pace() -> None:
    bucket = Bucket(3, 10, 5.0)
    assert [bucket.take(5.0) for _ in range(3)] == [0, 0, 0]
    assert bucket.take(5.0) == pytest.approx(0.1)
    assert bucket.take(5.1) == pytest.approx(0.1)
    assert bucket.take(60.0) == 0
    assert [bucket.take(60.0) for _ in range(2)] == pytest.approx([0, 0])
    assert bucket.take(60.0) == pytest.approx(0.1)


def test_words_that_no_text_can_hold_reach_nobody(stranger: Server) -> None:
    """JSON may name half a character; what is answered is text nevertheless."""
    closing = frame(8, 8, b"\x03\xe8", True, 1, None)
    answer = stranger.say(HANDSHAKE, text(b'{"type":"never","why":"\\ud800"}'), text(b'{"type":5}'), closing, end=False)
    assert answer.startswith(b"HTTP/1.1 101 ")
    stranger.serves_on()
