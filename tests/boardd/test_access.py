"""The page on a phone: who may watch, who may act, and how an address gets there."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from boardd import access
from boardd.access import AccessError, host_problem, is_loopback, own_names, qr_code, reachable, token, with_token
from boardd.check import check
from boardd.service import LOOPBACK_ONLY, NETWORK, PINS, REACH_VARIABLE, drop_ins, main, unreachable
from boardd.settings import Settings, SettingsError, parse
from boardd.web.gate import Gate
from boardd.web.pages import CLOSE_POLICY, WATCHES_ONLY, WRONG_TOKEN, WRONG_TOKENS_MAX

PROGRAM = [sys.executable, "-c", "import sys; from boardd.cli import main; sys.exit(main())"]
PATIENCE_S = 20.0


# Addresses.


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "::1", "localhost"])
def test_the_loopback_interface_is_known(host: str) -> None:
    assert host_problem(host) is None
    assert is_loopback(host)
    assert own_names(host) == ()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "fd00::5"])
def test_other_addresses_are_beyond_it(host: str) -> None:
    assert host_problem(host) is None
    assert not is_loopback(host)


@pytest.mark.parametrize("host", ["1.2.3", "300.0.0.1", ":::", "1.2.3.4.5"])
def test_what_is_no_address_is_refused_with_two_that_are(host: str) -> None:
    with pytest.raises(SettingsError, match=r"\[page\] host: .*127\.0\.0\.1 .*0\.0\.0\.0") as refused:
        check(parse(f'[page]\nhost = "{host}"\n', "board.toml"), "board.toml")
    assert len(refused.value.problems) == 1


def test_this_computer_is_known_by_its_own_name_in_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "Board.example.org")
    assert own_names("0.0.0.0") == ("board", "board.local")


def test_addresses_are_written_as_browsers_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reachable("192.168.1.5") == "192.168.1.5"
    assert reachable("fd00::5") == "[fd00::5]"
    assert reachable("localhost") == "localhost"
    monkeypatch.setattr(access, "_leading_out", {socket.AF_INET: "10.0.0.9", socket.AF_INET6: "fd00::9"}.get)
    assert (reachable("0.0.0.0"), reachable("::")) == ("10.0.0.9", "10.0.0.9")
    monkeypatch.setattr(access, "_leading_out", {socket.AF_INET: None, socket.AF_INET6: "fd00::9"}.get)
    assert reachable("::") == "[fd00::9]"


def test_without_a_network_the_name_stands_for_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_leading_out", lambda family: None)
    monkeypatch.setattr(socket, "gethostname", lambda: "board")
    assert reachable("0.0.0.0") == "board.local"


# The token.


def test_a_token_is_made_once_kept_and_nobody_elses_to_read(tmp_path: Path) -> None:
    made = token(tmp_path)
    assert re.fullmatch(r"[\w-]{22}", made)
    assert token(tmp_path) == made
    assert (tmp_path / access.TOKEN_FILE).stat().st_mode & 0o777 == 0o600
    (tmp_path / access.TOKEN_FILE).unlink()
    assert token(tmp_path) != made


@pytest.mark.parametrize("found", ["", "short", "a b" * 10, "é" * 30])
def test_a_token_that_is_none_is_replaced(tmp_path: Path, found: str) -> None:
    (tmp_path / access.TOKEN_FILE).write_text(found)
    assert access.TOKEN_PATTERN.fullmatch(token(tmp_path))


def test_a_token_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere" / access.TOKEN_FILE
    with pytest.raises(AccessError) as refused:
        token(nowhere.parent)
    assert str(refused.value) == (
        f"{nowhere}: the page's token cannot be kept: access-token.new: No such file or directory; "
        "expected room and leave to write it, or [page] host = '127.0.0.1', which needs none"
    )
    (tmp_path / access.TOKEN_FILE).mkdir()
    with pytest.raises(AccessError, match="cannot be read"):
        token(tmp_path)


def test_the_token_stands_where_no_server_is_told_it() -> None:
    assert with_token("http://10.0.0.9:8099", "abc") == "http://10.0.0.9:8099/#token=abc"


def test_a_qr_code_has_its_three_corners_and_a_frame() -> None:
    text = with_token("http://192.168.178.123:8099", "A" * 22)
    drawn = qr_code(text).split("\n")
    rows: list[str] = []
    for line in drawn:
        rows.append("".join("1" if block in "█▀" else "0" for block in line))
        rows.append("".join("1" if block in "█▄" else "0" for block in line))
    side = len(rows[0])
    assert {len(row) for row in rows} == {side}
    assert len(rows) in (side, side + 1)
    assert set(rows[0] + rows[3]) == {"1"}
    corner = ["0000000", "0111110", "0100010", "0100010", "0100010", "0111110", "0000000"]
    frame = access.QUIET_MODULES
    assert [row[frame : frame + 7] for row in rows[frame : frame + 7]] == corner
    assert [row[-frame - 7 : -frame] for row in rows[frame : frame + 7]] == corner
    assert [row[frame : frame + 7] for row in rows[side - frame - 7 : side - frame]] == corner
    assert side <= 45  # it fits a terminal of 80 by 24


# What the service needs.


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("", ()),
        ('[board]\nkind = "microcontroller"\n', ()),
        ('[lights]\nwire = "spi"\n', ()),  # a simulated board has no wires
        ('[board]\nkind = "microcontroller"\n[lights]\nwire = "spi"\n', (PINS,)),
        ('[board]\nkind = "microcontroller"\n[buttons]\ntakeback_pin = 5\n', (PINS,)),
        ('[board]\nkind = "microcontroller"\n[buzzer]\npin = 12\n', (PINS,)),
        ('[board]\nkind = "matrix"\n', (PINS,)),
        ('[board]\nkind = "shift-registers"\n[page]\nhost = "0.0.0.0"\n', (PINS, NETWORK)),
        ('[page]\nhost = "::1"\n', ()),
        ('[page]\nhost = "192.168.1.5"\n', (NETWORK,)),
    ],
)
def test_the_service_is_given_what_the_configuration_needs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, needs: tuple[str, ...]
) -> None:
    assert drop_ins(parse(text, "board.toml")) == needs
    path = tmp_path / "board.toml"
    path.write_text(text)
    assert main([str(path)]) == 0
    assert capsys.readouterr().out.split() == list(needs)


def test_a_configuration_that_cannot_be_used_is_told_to_the_installer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "board.toml"
    path.write_text('[page]\nhost = "1.2.3"\n')
    assert main([str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"{path}: [page] host: ")
    assert main([]) == 2
    assert capsys.readouterr().err == "service: found 0 arguments, expected one: the configuration's file\n"


def test_a_service_that_is_cut_off_from_the_network_it_listens_to_says_so() -> None:
    network, loopback = parse('[page]\nhost = "0.0.0.0"\n', "board.toml"), Settings()
    confined = {REACH_VARIABLE: LOOPBACK_ONLY}
    assert "scripts/install" in (unreachable(network, confined) or "")
    assert unreachable(network, {}) is None
    assert unreachable(network, {REACH_VARIABLE: "network"}) is None
    assert unreachable(loopback, confined) is None


# The gate.


@pytest.mark.parametrize(
    ("address", "host", "passes"),
    [
        ("192.168.1.5", "192.168.1.5:8099", True),
        ("192.168.1.5", "127.0.0.1:8099", True),
        ("192.168.1.5", "192.168.1.6:8099", False),
        ("192.168.1.5", "192.168.1.5", False),
        ("192.168.1.5", "evil.example:8099", False),
        ("fd00::5", "[fd00::5]:8099", True),
        ("::ffff:192.168.1.5", "192.168.1.5:8099", True),
        ("board.socket", "board.socket:8099", False),
    ],
)
def test_the_address_that_a_request_came_to_is_a_known_name(address: str, host: str, passes: bool) -> None:
    scope = {
        "type": "http",
        "method": "GET",
        "server": (address, 8099),
        "headers": Headers({"host": host}).raw,
    }
    passed = []

    async def app(*_: Any) -> None:
        passed.append(True)

    async def nothing(*_: Any) -> Any:
        return None

    asyncio.run(Gate(app)(scope, nothing, nothing))
    assert bool(passed) is passes


# The whole, as a process.


class Daemon:
    """A daemon that listens on all networks."""

    def __init__(self, directory: Path) -> None:
        config = directory / "board.toml"
        config.write_text(f'[page]\nport = 0\nhost = "0.0.0.0"\n[storage]\ndirectory = "{directory / "state"}"\n')
        self.process = subprocess.Popen(
            [*PROGRAM, "run", "--config", str(config)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.lines = [self.process.stdout.readline().rstrip("\n") for _ in range(3)]
        self.token = (directory / "state" / access.TOKEN_FILE).read_text().strip()
        found = re.search(r":(\d+)$", self.lines[0])
        assert found, self.lines
        self.here = f"127.0.0.1:{found.group(1)}"

    def page(self) -> ClientConnection:
        return connect(f"ws://{self.here}/ws", additional_headers={"Origin": f"http://{self.here}"})

    def __enter__(self) -> "Daemon":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=PATIENCE_S)


def hear(page: ClientConnection, kind: str) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(page.recv(timeout=PATIENCE_S))
        if message["type"] == kind:
            return message


def say(page: ClientConnection, **message: object) -> None:
    page.send(json.dumps(message))


def until_it_ends(page: ClientConnection) -> None:
    while True:
        page.recv(timeout=PATIENCE_S)


def test_beyond_this_computer_all_watch_and_the_token_acts(tmp_path: Path) -> None:
    with Daemon(tmp_path) as daemon:
        assert re.fullmatch(r"konakis \S+: http://\S+:\d+", daemon.lines[0])
        assert daemon.lines[1].endswith(f"/#token={daemon.token}")
        assert set(daemon.lines[2]) == {"█"}  # the QR code begins with its frame
        with daemon.page() as page:
            assert hear(page, "state")["allowed"] == {"act": False}
            for act in (
                {"type": "lift", "square": "e2"},
                {"type": "command", "command": "new-game"},
                {"type": "brightness", "value": 0.1},
                {"type": "names", "attackers": "Eve", "defenders": ""},
                {"type": "something-that-comes-later"},
            ):
                say(page, **act)
                assert hear(page, "refused")["why"] == WATCHES_ONLY
            say(page, type="token", token=daemon.token)
            state = hear(page, "state")
            assert state["allowed"] == {"act": True}
            assert state["in_hand"] == []
            say(page, type="lift", square="e2")
            while not (state := hear(page, "state"))["in_hand"]:
                pass
            with daemon.page() as other:  # what one page may, another may not
                assert hear(other, "state")["allowed"] == {"act": False}


def test_a_wrong_token_opens_nothing_and_is_not_asked_for_ever(tmp_path: Path) -> None:
    with Daemon(tmp_path) as daemon, daemon.page() as page:
        say(page, type="token", token=daemon.token[:-1])
        assert hear(page, "refused")["why"] == WRONG_TOKEN
        for wrong in [None, "\ud800", *["guess"] * WRONG_TOKENS_MAX][: WRONG_TOKENS_MAX - 1]:
            say(page, type="token", token=wrong)
        with pytest.raises(ConnectionClosed) as closed:
            until_it_ends(page)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == CLOSE_POLICY


def test_on_the_loopback_interface_there_is_no_token(tmp_path: Path) -> None:
    config = tmp_path / "board.toml"
    config.write_text(f'[page]\nport = 0\n[storage]\ndirectory = "{tmp_path / "state"}"\n')
    with subprocess.Popen(
        [*PROGRAM, "run", "--config", str(config)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {REACH_VARIABLE: LOOPBACK_ONLY},
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        with connect(address.replace("http", "ws") + "/ws", additional_headers={"Origin": address}) as page:
            assert hear(page, "state")["allowed"] == {"act": True}
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == ""
    assert not (tmp_path / "state" / access.TOKEN_FILE).exists()
