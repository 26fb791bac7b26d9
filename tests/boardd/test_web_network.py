"""The page seen from another computer: who watches, who acts, and that no foreign page or name gets in.

The other computer is a second network namespace; where there is none, this one called by its own address. CI fails
where there is neither.
"""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from boardd.access import TOKEN_FILE
from boardd.web.gate import SECURITY_HEADERS
from boardd.web.pages import WATCHES_ONLY, WRONG_TOKEN
from tests.boardd.networks import Network, network

PATIENCE_S = 60.0

STRANGER = """
import http.client, json, sys
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

def get(address, port, path, method="GET", **headers):
    wire = http.client.HTTPConnection(address, port, timeout=30)
    wire.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        wire.putheader(name, value)
    wire.endheaders()
    answer = wire.getresponse()
    return [answer.status, dict(answer.getheaders()), answer.read().decode(errors="replace")[:200]]

def page(address, port, says, **headers):
    host = headers.pop("Host", f"{address}:{port}")
    try:
        with connect(f"ws://{host}/ws", sock=wire_to(address, port), additional_headers=headers, proxy=None) as socket:
            for text in says:
                socket.send(text)
            heard = []
            while len(heard) <= len(says):
                heard.append(json.loads(socket.recv(timeout=30)))
            return heard
    except InvalidStatus as refused:
        return refused.response.status_code
    except ConnectionClosed as closed:
        return [closed.rcvd.code, closed.rcvd.reason]

def wire_to(address, port):
    import socket
    return socket.create_connection((address, port), 30)

for line in sys.stdin:
    ask, arguments, headers = json.loads(line)
    print(json.dumps({"get": get, "page": page}[ask](*arguments, **headers)), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Board:
    """A daemon on the board's computer, and a stranger on the other."""

    network: Network
    port: int
    token: str
    lines: tuple[str, ...]
    stranger: "subprocess.Popen[str]"

    @property
    def host(self) -> str:
        return f"{self.network.address}:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    def ask(self, how: str, *arguments: object, **headers: str) -> Any:
        """Have the stranger ask something of the board."""
        assert self.stranger.stdin is not None
        assert self.stranger.stdout is not None
        self.stranger.stdin.write(json.dumps([how, [self.network.address, self.port, *arguments], headers]) + "\n")
        self.stranger.stdin.flush()
        return json.loads(self.stranger.stdout.readline())

    def get(self, path: str, method: str = "GET", **headers: str) -> Any:
        return self.ask("get", path, method, **headers)

    def page(self, *says: dict[str, object], **headers: str) -> Any:
        return self.ask("page", [json.dumps(said) for said in says], **headers)


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    directory = tmp_path_factory.mktemp("board")
    config, state = directory / "board.toml", directory / "state"
    config.write_text(f'[page]\nport = 0\nhost = "0.0.0.0"\n[storage]\ndirectory = "{state}"\n')
    try:
        networks = network()
        found = networks.__enter__()
    except LookupError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(f"left out: {error}")
    try:
        with subprocess.Popen(
            [*found.board, sys.executable, "-m", "boardd", "run", "--config", str(config)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            lines = tuple(process.stdout.readline().rstrip("\n") for _ in range(2))
            port = re.search(r":(\d+)$", lines[0])
            assert port, lines
            token = (state / TOKEN_FILE).read_text().strip()
            with subprocess.Popen(
                [*found.phone, sys.executable, "-c", STRANGER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            ) as stranger:
                yield Board(found, int(port[1]), token, lines, stranger)
                stranger.communicate()
            process.send_signal(signal.SIGTERM)
            _, told = process.communicate(timeout=PATIENCE_S)
            assert "Traceback" not in told
            assert process.returncode == 0
    finally:
        networks.__exit__(None, None, None)


def test_the_address_that_is_printed_is_the_one_that_others_reach(board: Board) -> None:
    assert board.lines[0].endswith(board.origin)
    assert board.lines[1].endswith(f"{board.origin}/#token={board.token}")
    status, headers, text = board.get("/")
    assert status == 200
    assert "<title>" in text
    assert headers["content-security-policy"] == SECURITY_HEADERS["content-security-policy"]


def test_another_computer_watches_and_may_not_act(board: Board) -> None:
    state, refused = board.page({"type": "lift", "square": "e2"}, Origin=board.origin)
    assert state["allowed"] == {"act": False}
    assert refused == {"type": "refused", "why": WATCHES_ONLY}
    (again,) = board.page(Origin=board.origin)
    assert again["in_hand"] == []


def test_the_token_lets_another_computer_act(board: Board) -> None:
    token: dict[str, object] = {"type": "token", "token": board.token}
    states = board.page(token, {"type": "lift", "square": "e2"}, Origin=board.origin)
    assert states[-1]["allowed"] == {"act": True}
    (there,) = board.page(Origin=board.origin)
    assert there["in_hand"] == [["t", "e2"]]
    board.page(token, {"type": "drop", "square": "e2"}, Origin=board.origin)


def test_guesses_end_the_connection(board: Board) -> None:
    guesses: list[dict[str, object]] = [{"type": "token", "token": guess} for guess in ("", "a" * 22, board.token[:-1])]
    heard = board.page(*guesses, {"type": "lift", "square": "e2"}, Origin=board.origin)
    assert heard == [1008, WRONG_TOKEN]


REBOUND = [
    "evil.test",
    "evil.test:{port}",
    "{address}",
    "{address}.evil.test:{port}",
    "{address}:1",
    "10.99.0.9:{port}",
    "",
]


@pytest.mark.parametrize("named", REBOUND)
def test_a_name_that_was_made_to_lead_here_opens_nothing(board: Board, named: str) -> None:
    """DNS rebinding: the browser believes that this is evil.test, and its pages may ask what they like."""
    host = named.format(address=board.network.address, port=board.port)
    for path in ("/", "/healthz", "/static/main.js"):
        assert board.get(path, Host=host)[0] == 403
    if host:
        assert board.page(Host=host, Origin=f"http://{host}") == 403


FOREIGN = [
    "http://evil.test",
    "null",
    "http://{address}",
    "https://{address}:{port}",
    "http://127.0.0.1:{port}",
    "file://",
]


@pytest.mark.parametrize("origin", [*FOREIGN, None])
def test_a_page_from_elsewhere_gets_no_socket_and_changes_nothing(board: Board, origin: str | None) -> None:
    headers = {} if origin is None else {"Origin": origin.format(address=board.network.address, port=board.port)}
    assert board.page(**headers) == 403
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert board.get("/", method, **headers)[0] == 403


def test_the_loopback_interface_is_another_one_from_there(board: Board) -> None:
    """What listens on the loopback interface, as delivered, nobody reaches from another computer."""
    if not board.network.apart:
        pytest.skip("left out: one computer has one loopback interface")
    listening = (
        "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True); input()"
    )
    with subprocess.Popen(
        [*board.network.board, sys.executable, "-c", listening],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        knock = f"import socket; socket.create_connection(('{board.network.address}', {port}), 5)"
        done = subprocess.run(
            [*board.network.phone, sys.executable, "-c", knock], capture_output=True, text=True, check=False
        )
        assert "ConnectionRefusedError" in done.stderr
        process.communicate("\n")
