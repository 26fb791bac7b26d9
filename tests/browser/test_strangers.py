"""A foreign page in the same browser can do nothing, and gets no sight of the board."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.fake_face import FakeFace
from tests.browser.serving import serving

CONNECT = """address => new Promise(done => {
    const socket = new WebSocket(address.replace('http', 'ws') + '/ws');
    socket.onopen = () => socket.send(JSON.stringify({ type: 'lift', square: 'd1' }));
    socket.onmessage = () => done('heard');
    socket.onclose = () => done('closed');
})"""
SEND = "address => fetch(address + '/', { method: 'POST', mode: 'no-cors', body: '{}' }).catch(() => 'refused')"
READ = "address => fetch(address + '/healthz').then(answer => answer.text()).catch(() => 'refused')"
FRAME = """address => new Promise(done => {
    const frame = document.createElement('iframe');
    frame.onload = () => done();
    frame.src = address;
    document.body.append(frame);
})"""


@pytest.fixture
def foreign(browser: Browser) -> Iterator[Page]:
    """A page of another origin, whose own policy would let it do anything."""
    context = browser.new_context()
    page = context.new_page()
    page.route("http://foreign.test/", lambda route: route.fulfill(body="<h1>Foreign</h1>", content_type="text/html"))
    page.goto("http://foreign.test/")
    yield page
    context.close()


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_foreign_page_gets_no_socket(foreign: Page, name: str) -> None:
    errors: list[str] = []
    foreign.on("console", lambda message: errors.append(message.text))
    face = FakeFace()
    with serving(face) as board:
        assert foreign.evaluate(CONNECT, board.address.replace("127.0.0.1", name)) == "closed"
        foreign.wait_for_timeout(50)  # the console speaks after the socket
    assert face.messages == []
    assert any("403" in error for error in errors), errors


def test_a_foreign_page_reads_nothing_and_sends_nothing(foreign: Page) -> None:
    face = FakeFace()
    with serving(face) as board:
        assert foreign.evaluate(READ, board.address) == "refused"
        assert foreign.evaluate(SEND, board.address) == "refused"
    assert face.messages == []


def test_a_foreign_page_cannot_frame_the_board(foreign: Page) -> None:
    """A frame would let a click on something else become a click on the board."""
    with serving(FakeFace()) as board:
        foreign.evaluate(FRAME, board.address)
        foreign.wait_for_timeout(100)
        assert foreign.frames[-1].evaluate("document.querySelector('#board')") is None


def test_another_port_of_this_machine_is_foreign_too(browser: Browser) -> None:
    face = FakeFace()
    with serving(face) as board, serving(FakeFace()) as other:
        context = browser.new_context(bypass_csp=True)
        page = context.new_page()
        page.goto(other.address)
        assert page.evaluate(CONNECT, board.address) == "closed"
        context.close()
    assert face.messages == []
