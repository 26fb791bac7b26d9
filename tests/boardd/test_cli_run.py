"""`konakis run` as a process of its own, with real signals, sockets and kills."""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.boardd.commands import Terminal

PROGRAM = [sys.executable, "-c", "import sys; from boardd.cli import main; sys.exit(main())"]
PATIENCE_S = 20.0


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "board.toml"
    path.write_text(f'[page]\nport = 0\n[storage]\ndirectory = "{tmp_path / "state"}"\n')
    return path


class Running:
    """A daemon's process and its page's address."""

    def __init__(self, process: "subprocess.Popen[str]", address: str) -> None:
        self.process = process
        self.address = address

    def get(self, path: str) -> bytes:
        """Fetch something of the page's server."""
        with urllib.request.urlopen(self.address + path, timeout=PATIENCE_S) as answer:
            content: bytes = answer.read()
            return content

    @contextmanager
    def page(self) -> Iterator[ClientConnection]:
        """Open a page's socket."""
        address = self.address.replace("http", "ws") + "/ws"
        with connect(address, additional_headers={"Origin": self.address}, open_timeout=PATIENCE_S) as page:
            yield page

    def end(self, number: int) -> tuple[int, str]:
        """Send a signal; give the status and what was said on standard error."""
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, err


@contextmanager
def running(*arguments: object, environment: dict[str, str] | None = None) -> Iterator[Running]:
    with subprocess.Popen(
        [*PROGRAM, "run", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            assert process.stdout is not None
            first = process.stdout.readline()
            found = re.search(r"http://\S+", first)
            assert found, first + (process.communicate()[1] if process.poll() is not None else "")
            yield Running(process, found.group())
        finally:
            if process.poll() is None:
                process.kill()


def until(page: ClientConnection, key: str, value: object) -> Any:
    """Read states until one of them says so."""
    while True:
        state = json.loads(page.recv(timeout=PATIENCE_S))
        if state.get(key) == value:
            return state


def act(page: ClientConnection, kind: str, **fields: object) -> None:
    page.send(json.dumps({"type": kind, **fields}))


def test_it_prints_the_pages_address_and_serves_it(config: Path) -> None:
    with running("--config", config) as daemon:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", daemon.address)
        assert json.loads(daemon.get("/healthz"))["ok"] is True
        assert b"<html" in daemon.get("/")
        status, err = daemon.end(signal.SIGTERM)
        assert (status, err) == (0, "")


def test_without_a_configuration_the_state_lies_where_the_environment_says(tmp_path: Path) -> None:
    with socket.socket() as probe:
        taken = probe.connect_ex(("127.0.0.1", 8099)) == 0
    if taken:
        pytest.skip("port 8099 is in use on this machine")
    environment = os.environ | {"XDG_STATE_HOME": str(tmp_path)}
    environment.pop("STATE_DIRECTORY", None)
    with running(environment=environment) as daemon:
        assert daemon.address == "http://127.0.0.1:8099"
        assert daemon.end(signal.SIGINT) == (0, "")
    assert (tmp_path / "konakis" / "games.sqlite3").exists()


def test_what_to_do_with_the_address_is_said_when_there_is_one(konakis: Terminal, config: Path) -> None:
    for wrong in (("--port", 99_999), ("--config", config.parent / "nosuch")):
        assert konakis("run", "--open", *wrong).out == ""
    screenless = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    with running("--config", config, "--open", environment=screenless) as daemon:
        assert daemon.process.stdout is not None
        second = daemon.process.stdout.readline()
        assert second == "Open it in a browser. Ctrl-C ends the board; the game is kept.\n"


def test_an_open_page_does_not_hold_the_end_up(config: Path) -> None:
    with running("--config", config) as daemon, daemon.page() as page:
        until(page, "state", "ready")
        assert daemon.end(signal.SIGTERM)[0] == 0


def test_a_second_daemon_is_refused_with_the_first_ones_process_id(config: Path) -> None:
    with running("--config", config) as daemon:
        second = subprocess.run(
            [*PROGRAM, "run", "--config", config], capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )
        assert second.returncode == 2
        assert second.stdout == ""
        assert second.stderr.splitlines() == [second.stderr.strip()]
        assert second.stderr.strip().endswith(f"in use by another konakis, process {daemon.process.pid}")
        assert daemon.end(signal.SIGTERM) == (0, "")


def test_a_kill_loses_nothing_that_was_shown(konakis: Terminal, config: Path) -> None:
    moves = ["e2-g2", "e3-h3", "b5-b3"]
    for ply, move in enumerate(moves):
        with running("--config", config) as daemon, daemon.page() as page:
            state = until(page, "state", "ready")
            assert [played["move"] for played in state["moves"]] == moves[:ply]
            origin, destination = move.split("-")
            act(page, "lift", square=origin)
            until(page, "state", "hand")
            act(page, "drop", square=destination)
            until(page, "ply", ply + 1)
            daemon.end(signal.SIGKILL)
    shown = konakis("games", "show", 1, "--config", config, "--json").json
    assert [ply["move"] for ply in shown["plies"]] == moves
    ran = konakis("games", "trace", 1, "--config", config)
    assert ran.err == ""
    assert konakis("replay", "-", "--json", stdin=ran.out).lines[-1]["moves"] == moves


def test_a_foreign_page_can_do_nothing(config: Path) -> None:
    with running("--config", config) as daemon:
        address = daemon.address.replace("http", "ws") + "/ws"
        with pytest.raises(Exception, match="403"):
            connect(address, additional_headers={"Origin": "http://example.org"}, open_timeout=PATIENCE_S)
        assert daemon.end(signal.SIGTERM) == (0, "")


def test_a_port_that_is_taken_is_told(konakis: Terminal, config: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        config.write_text(config.read_text().replace("port = 0", f"port = {port}"))
        complaint = konakis("run", "--config", config).complaint
    assert (
        complaint
        == f"[page] port: 127.0.0.1:{port} cannot be had: Address already in use; choose another, or 0 for any"
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[pag]\nport = 0\n", "[pag]: unknown table, did you mean [page]?"),
        ('[game]\nrules = "ludo"\n', "[game] rules: rule book: found 'ludo', expected one of"),
        ('[board]\nmasked = ["k1"]\n', "[board] masked: "),
    ],
)
def test_a_configuration_that_cannot_be_used_is_told(konakis: Terminal, config: Path, text: str, why: str) -> None:
    config.write_text(text)
    assert konakis("run", "--config", config).complaint.startswith(f"{config}: {why}")


def test_a_state_directory_that_cannot_be_had_is_told(konakis: Terminal, tmp_path: Path) -> None:
    config = tmp_path / "board.toml"
    (tmp_path / "state").write_text("a file")
    config.write_text(f'[page]\nport = 0\n[storage]\ndirectory = "{tmp_path / "state"}"\n')
    assert "cannot be made" in konakis("run", "--config", config).complaint


def test_a_file_of_games_that_is_not_ours_is_told_and_left(konakis: Terminal, config: Path, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    path = tmp_path / "state" / "games.sqlite3"
    with closing(sqlite3.connect(path)) as other:
        other.executescript("CREATE TABLE cookies (x);")
    before = path.read_bytes()
    assert "another program's database" in konakis("run", "--config", config).complaint
    assert path.read_bytes() == before
