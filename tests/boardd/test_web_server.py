"""The page's server: what it serves, to whom, and that no page can hold it up or bring it down."""

import asyncio
import contextlib
import json
import logging
from collections.abc import Mapping, MutableMapping
from typing import Any, cast

import pytest
from starlette.websockets import WebSocket
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus

from boardd.web import pages
from boardd.web.gate import SECURITY_HEADERS
from boardd.web.pages import CLOSE_POLICY, DOES_NOT_READ, MESSAGE_MAX_BYTES, STATE_INTERVAL_S, Pages, Turns, _Page
from tests.boardd.served import TIMEOUT_S, Face, Running, hear, run, until


async def hear_to_the_end(page: ClientConnection) -> None:
    while True:
        await hear(page)


def test_a_page_hears_the_state_at_once_and_after_each_change() -> None:
    async def scenario(running: Running) -> None:
        async with running.page() as page:
            assert (await hear(page))["number"] == 0
            await until(lambda: bool(running.face.listeners))
            running.face.change()
            assert (await hear(page))["number"] == 1
        await until(lambda: not running.face.listeners)

    run(scenario)


def test_a_thousand_changes_are_few_states_and_the_last_one_arrives() -> None:
    async def scenario(running: Running) -> None:
        async with running.page() as page:
            await hear(page)
            await until(lambda: bool(running.face.listeners))
            heard = 0
            start = asyncio.get_running_loop().time()
            for _ in range(1000):
                running.face.change()
                await asyncio.sleep(0)
            while True:
                heard += 1
                if (await hear(page))["number"] == 1000:
                    break
            taken = asyncio.get_running_loop().time() - start
            assert heard <= taken / STATE_INTERVAL_S + 2

    run(scenario)


def test_a_page_that_does_not_read_holds_up_nobody() -> None:
    async def scenario(running: Running) -> None:
        running.face.padding = "x" * 1_000_000  # more than all buffers between the two together
        async with running.page() as slow, running.page() as quick:
            slow.transport.pause_reading()
            await hear(quick)
            for number in range(1, 21):
                running.face.change()
                assert (await hear(quick))["number"] == number
            assert running.face.asked <= 2 * 21
            slow.transport.abort()

    run(scenario)


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ("no JSON", "expected JSON"),
        ("[" * 4000, "expected JSON"),
        ("[]", "expected a JSON object"),
        ("null", "expected a JSON object"),
        ("{}", 'expected a JSON object with a "type"'),
        ('{"type": 7}', 'expected a JSON object with a "type"'),
        (b"\x00\xff", "expected a text frame"),
        ('{"type": "never"}', "not now"),
        ('{"type": "break"}', "this failed inside the program"),
    ],
)
def test_bad_messages_are_refused_in_one_line_and_the_page_stays(sent: str | bytes, why: str) -> None:
    async def scenario(running: Running) -> None:
        async with running.page() as page:
            await hear(page)
            await page.send(sent)
            refused = await hear(page)
            assert refused["type"] == "refused"
            assert refused["why"].startswith(why)
            assert "\n" not in refused["why"]
            await page.send('{"type": "fine"}')
            await until(lambda: running.face.messages[-1:] == [{"type": "fine"}])

    run(scenario)


def test_a_message_beyond_all_bounds_closes_the_page_and_no_other() -> None:
    async def scenario(running: Running) -> None:
        async with running.page() as page, running.page() as other:
            await hear(page)
            await hear(other)
            await page.send(json.dumps({"type": "x" * (MESSAGE_MAX_BYTES + 1)}))
            with pytest.raises(ConnectionClosed):
                await hear(page)
            assert running.face.messages == []
            await other.send('{"type": "fine"}')
            await until(lambda: running.face.messages == [{"type": "fine"}])

    run(scenario)


def test_a_flood_of_bad_messages_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "ACTING_BURST", 1000)

    async def scenario(running: Running) -> None:
        async with running.page() as page:
            for _ in range(500):
                await page.send("no JSON")
            await page.send('{"type": "fine"}')
            await until(lambda: running.face.messages == [{"type": "fine"}])
            page.transport.abort()

    run(scenario)


@pytest.mark.parametrize(("token", "burst"), [(None, "ACTING"), ("secret", "WATCHING")])
def test_what_one_page_says_is_limited_in_rate(monkeypatch: pytest.MonkeyPatch, token: str | None, burst: str) -> None:
    monkeypatch.setattr(pages, f"{burst}_BURST", 5)
    monkeypatch.setattr(pages, f"{burst}_A_S", 0.001)

    async def scenario(running: Running) -> None:
        async with running.page() as flooding, running.page() as other:
            for number in range(100):
                await flooding.send(json.dumps({"type": "never", "number": number}))
            for _ in range(6):  # one is read before the first wait
                while (await hear(flooding))["type"] != "refused":
                    pass
            await other.send('{"type": "token", "token": "secret"}')
            await other.send('{"type": "fine"}')
            await until(lambda: {"type": "fine"} in running.face.messages)
            assert len(running.face.messages) <= 7
            flooding.transport.abort()

    run(scenario, token=token)


def test_who_does_not_read_is_sent_away_with_a_reason(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("boardd.web.door.CLOSING_S", 1000.0)
    caplog.set_level(logging.INFO, "boardd.web")

    async def scenario(running: Running) -> None:
        running.face.padding = "x" * 8_000_000  # more than all buffers between the two together
        async with running.page() as slow:
            slow.transport.pause_reading()
            await until(lambda: running.face.asked == 1)
            running.face.change()
            await until(lambda: bool(caplog.messages))
            assert caplog.messages == ["a page at 127.0.0.1 was sent away: it took nothing for 0.02 s"]
            slow.transport.resume_reading()
            with pytest.raises(ConnectionClosed) as closed:
                await hear_to_the_end(slow)
            assert closed.value.rcvd is not None
            assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (CLOSE_POLICY, DOES_NOT_READ)
        await until(lambda: not running.face.listeners)

    run(scenario, patience_s=0.02)


def test_a_state_is_put_into_words_once_for_all_pages() -> None:
    async def scenario(running: Running) -> None:
        async with contextlib.AsyncExitStack() as stack:
            crowd = [await stack.enter_async_context(running.page()) for _ in range(20)]
            for page in crowd:
                assert (await hear(page))["number"] == 0
            assert running.face.asked == 1
            running.face.change()
            for page in crowd:
                assert (await hear(page))["number"] == 1
            assert running.face.asked == 2

    run(scenario)


def test_pages_take_turns_and_those_who_play_come_first() -> None:
    async def scenario() -> None:
        turns, order, rounds = Turns(), [], 0

        async def write(name: str, *, first: bool) -> None:
            await turns.mine(first=first)
            order.append((name, rounds))

        tasks = [asyncio.create_task(write(name, first=name == "player")) for name in ("a", "b", "player", "c")]
        while not all(task.done() for task in tasks):
            rounds += 1
            await asyncio.sleep(0)
        assert [name for name, _ in order] == ["player", "a", "b", "c"]
        assert len({when for _, when in order}) == 4

    asyncio.run(scenario())


def test_who_has_gone_takes_no_turn() -> None:
    async def scenario() -> None:
        turns = Turns()
        gone = asyncio.create_task(turns.mine(first=False))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.wait_for(turns.mine(first=False), TIMEOUT_S)
        await asyncio.wait_for(turns.mine(first=True), TIMEOUT_S)

    asyncio.run(scenario())


def test_there_is_an_end_of_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGES_MAX", 5)

    async def scenario(running: Running) -> None:
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(pages.PAGES_MAX):
                await hear(await stack.enter_async_context(running.page()))
            one_more = await stack.enter_async_context(running.page())
            with pytest.raises(ConnectionClosed):
                await hear(one_more)
            _, _, text = await running.get("/healthz")
            assert json.loads(text) == {"ok": True, "pages": pages.PAGES_MAX}

    run(scenario)


def test_the_server_ends_with_pages_open() -> None:
    async def scenario(running: Running) -> None:
        page = await running.page()
        await hear(page)
        running.face.padding = "left open"

    run(scenario)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LocalHost", "[::1]", "konakis.local"])
def test_known_hosts_and_the_own_origin_are_let_in(name: str) -> None:
    async def scenario(running: Running) -> None:
        host = f"{name}:{running.port}"
        assert (await running.get("/healthz", Host=host))[0] == 200
        async with running.page(origin=f"http://{host.lower()}", host=host) as page:
            await hear(page)

    run(scenario, names=["konakis.local"])


FOREIGN_HOSTS = ["evil.test", "127.0.0.1:1", "evil.test:{port}", "127.0.0.1.evil.test:{port}", "localhost.:{port}"]
FOREIGN_ORIGINS = [None, "null", "http://evil.test", "https://127.0.0.1:{port}", "http://localhost:{port}", "{host}"]


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_foreign_hosts_are_refused(host: str) -> None:
    async def scenario(running: Running) -> None:
        named = host.format(port=running.port)
        for path in ("/", "/healthz", "/static/main.js"):
            assert (await running.get(path, Host=named))[0] == 403
        with pytest.raises(InvalidStatus) as refused:
            await running.page(host=named)
        assert refused.value.response.status_code == 403
        assert running.face.asked == 0

    run(scenario)


def test_a_request_without_a_host_or_a_port_is_refused() -> None:
    async def scenario(running: Running) -> None:
        for host in ("", "127.0.0.1", "localhost"):
            assert (await running.get("/", Host=host))[0] == 403

    run(scenario)


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_foreign_origins_get_no_socket(origin: str | None) -> None:
    async def scenario(running: Running) -> None:
        said = None if origin is None else origin.format(port=running.port, host=running.host)
        with pytest.raises(InvalidStatus) as refused:
            await running.page(origin=said)
        assert refused.value.response.status_code == 403
        assert running.face.asked == 0

    run(scenario)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_what_might_change_something_needs_the_own_origin(method: str) -> None:
    async def scenario(running: Running) -> None:
        assert (await running.get("/", method))[0] == 403
        assert (await running.get("/", method, Origin="http://evil.test"))[0] == 403
        assert (await running.get("/", method, Origin=f"http://{running.host}"))[0] == 405

    run(scenario)


def test_every_answer_bears_the_headers_that_keep_browsers_strict() -> None:
    async def scenario(running: Running) -> None:
        for path in ("/", "/static/main.js", "/static/none.js", "/none", "/healthz", "/catalogue/ru.json"):
            _, headers, _ = await running.get(path)
            for name, value in SECURITY_HEADERS.items():
                assert headers[name] == value, path
        _, headers, _ = await running.get("/", Host="evil.test")
        assert headers["content-security-policy"] == SECURITY_HEADERS["content-security-policy"]
        assert "server" not in headers

    run(scenario)


def test_files_outside_the_page_are_not_served() -> None:
    async def scenario(running: Running) -> None:
        for path in (
            "/static/../server.py",
            "/static/%2e%2e/server.py",
            "/static/..%2fserver.py",
            "/static//etc/passwd",
        ):
            assert (await running.get(path))[0] == 404

    run(scenario)


@pytest.mark.parametrize(("accept", "language"), [("ru-RU,ru;q=0.9,en;q=0.8", "ru"), ("fi", "en"), ("", "en")])
def test_the_page_comes_in_the_browsers_language(accept: str, language: str) -> None:
    async def scenario(running: Running) -> None:
        status, headers, text = await running.get("/", Accept_Language=accept)
        assert status == 200
        assert f'<html lang="{language}">' in text
        assert headers["vary"] == "accept-language"

    run(scenario)


def test_catalogues_are_served() -> None:
    async def scenario(running: Running) -> None:
        status, _, text = await running.get("/catalogue/ru.json")
        catalogue = json.loads(text)
        assert status == 200
        assert catalogue["languages"] == ["en", "ru"]
        assert catalogue["messages"]["King in danger!"] == "Король в опасности!"
        assert json.loads((await running.get("/catalogue/en.json"))[2])["messages"] == {}
        assert (await running.get("/catalogue/xx.json"))[0] == 404
        assert (await running.get("/catalogue/..%2f..%2fru.json"))[0] == 404

    run(scenario)


def test_frames_that_wait_already_leave_others_their_turn() -> None:
    """A flood from one page is read frame by frame, and the rest of the daemon runs between."""
    frames = 50
    waiting = [{"type": "websocket.receive", "text": '{"type": "ok"}'}] * frames + [{"type": "websocket.disconnect"}]

    class Flooded:
        async def receive(self) -> Mapping[str, object]:
            return waiting.pop(0)

    async def flooded() -> int:
        turns = 0

        async def others() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.create_task(others())
        await _Page(Pages(Face(), None), cast("WebSocket", Flooded()))._read()
        task.cancel()
        return turns

    assert asyncio.run(flooded()) >= frames


def test_a_page_that_is_closed_while_words_for_it_wait_is_no_fault() -> None:
    """The last of the wrong tokens closes the connection; what is still to be said of them finds it closed."""
    sent: list[str] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "websocket.receive", "text": '{"type": "token", "token": "wrong"}'} if sent else connecting

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message["type"])
        for _ in range(20):  # whoever else has something to say has it now
            await asyncio.sleep(0)

    connecting: MutableMapping[str, Any] = {"type": "websocket.connect"}

    async def serve() -> None:
        socket = WebSocket({"type": "websocket", "headers": []}, receive, send)
        await asyncio.wait_for(Pages(Face(), "right").serve(socket), TIMEOUT_S)

    asyncio.run(serve())
    assert "websocket.close" in sent
