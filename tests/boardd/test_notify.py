"""What systemd is told: by the protocol, at the right moments, and nothing when the sensors hang."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.sync.client import connect

from boardd import table_top
from boardd.notify import FEEDS, Supervisor
from boardd.settings import Settings
from firmware_bridge import Connector, Finder, Link, SerialPort
from hardware.inverted import InvertedSensors
from hardware.microcontroller import LinkSensors
from hardware.news import Frame
from hardware.polling import PolledSensors, SteppedSensors
from hardware.pulse import turns
from tests.boardd.daemons import Table

PROGRAM = [sys.executable, "-c", "import sys; from boardd.cli import main; sys.exit(main())"]
PATIENCE_S = 20.0


class Listener:
    """The socket that systemd listens on."""

    def __init__(self, address: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.settimeout(PATIENCE_S)

    def heard(self) -> list[str]:
        """Give what was told so far."""
        told = []
        self.socket.setblocking(False)
        while True:
            try:
                told.append(self.socket.recv(4096).decode())
            except BlockingIOError:
                return told

    def next(self) -> str:
        """Wait to be told something."""
        self.socket.settimeout(PATIENCE_S)
        return self.socket.recv(4096).decode()


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[Listener]:
    made = Listener(str(tmp_path / "notify"))
    with made.socket:
        yield made


def supervisor(tmp_path: Path, patience_s: float | None = 10.0) -> Supervisor:
    return Supervisor(str(tmp_path / "notify"), patience_s)


def test_ready_and_status_are_told_and_a_status_only_when_it_changes(tmp_path: Path, listener: Listener) -> None:
    told = supervisor(tmp_path)
    told.ready("playing")
    told.status("playing")
    told.status("the board cannot be read")
    told.stopping()
    assert listener.heard() == ["READY=1\nSTATUS=playing", "STATUS=the board cannot be read", "STOPPING=1"]


def test_the_watchdog_is_fed_in_time_and_not_each_turn(tmp_path: Path, listener: Listener) -> None:
    told = supervisor(tmp_path, 10.0)
    for step in range(501):
        told.feed(step * 0.02, None)  # ten seconds of a loop
    assert listener.heard() == ["WATCHDOG=1"] * (FEEDS + 1)


def test_a_hung_thread_of_the_sensors_is_not_covered_up(tmp_path: Path, listener: Listener) -> None:
    told = supervisor(tmp_path, 4.0)
    for second in range(3):
        told.feed(float(second), turns=second)
    assert len(listener.heard()) == 3
    for second in range(3, 10):
        told.feed(float(second), turns=2)
    assert listener.heard() == []
    told.feed(10.0, turns=3)
    assert listener.heard() == ["WATCHDOG=1"]


def test_an_abstract_socket_is_reached(tmp_path: Path) -> None:
    name = f"konakis-test-{os.getpid()}"
    listener = Listener("\0" + name)
    with listener.socket:
        Supervisor("@" + name).stopping()
        assert listener.heard() == ["STOPPING=1"]


@pytest.mark.parametrize("path", ["", "/nowhere/at/all"])
def test_nobody_who_listens_is_no_trouble(path: str) -> None:
    told = Supervisor(path, 1.0)
    told.ready("playing")
    told.feed(0.0, None)
    told.stopping()


def test_the_environment_is_read_and_cleared_for_children() -> None:
    environment = {"NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "42", "HOME": "/"}
    assert Supervisor.of(environment, 42).watches
    assert environment == {"HOME": "/"}


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"NOTIFY_SOCKET": "/run/x"},
        {"NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "7"},
        {"NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "soon", "WATCHDOG_PID": "42"},
        {"NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "0"},
        {"WATCHDOG_USEC": "10000000"},
    ],
)
def test_a_watchdog_that_is_not_for_this_process_is_none(environment: dict[str, str]) -> None:
    assert not Supervisor.of(environment, 42).watches


class Wires:
    """A scanner that can hang."""

    def __init__(self) -> None:
        self.scans = 0

    def scan(self) -> Frame:
        self.scans += 1
        return frozenset()

    def close(self) -> None:
        return


def test_turns_are_counted_where_a_thread_reads() -> None:
    polled = PolledSensors(Wires, 9, 50, time.monotonic)
    assert turns(polled) == 0
    assert turns(InvertedSensors(polled, 81)) == 0
    polled.open()
    try:
        before = polled.read()
        assert before == frozenset()
        found = turns(InvertedSensors(polled, 81))
        assert found is not None
        assert found > 0
    finally:
        polled.close()
    assert turns(SteppedSensors(Wires, 9, 50, time.monotonic)) is None


def test_turns_of_a_link_go_on_while_no_board_is_there() -> None:
    link = Link(Connector(Finder(listed=list), SerialPort))
    sensors = LinkSensors(link)
    assert turns(sensors) == 0
    sensors.open()
    try:
        until = time.monotonic() + PATIENCE_S
        while turns(sensors) == 0 and time.monotonic() < until:
            link._wake()  # as a picture would
    finally:
        sensors.close()
    assert turns(sensors) != 0


def test_the_daemon_tells_when_it_plays_and_feeds_while_it_does(tmp_path: Path, listener: Listener) -> None:
    async def scenario() -> None:
        made = Table(tmp_path / "state", Settings())
        running = asyncio.create_task(made.daemon.run(made.stop, supervisor=supervisor(tmp_path, 8.0)))
        await made.wait(0.1)
        assert listener.heard() == ["READY=1\nSTATUS=playing", "WATCHDOG=1"]
        await made.wait(10.0)
        assert listener.heard() == ["WATCHDOG=1"] * 5
        made.stop.set()
        await made.clock.settle()
        await asyncio.wait_for(running, 10)
        assert listener.heard()[-1] == "STOPPING=1"

    asyncio.run(scenario())


def test_a_loop_that_hangs_is_not_fed_and_says_where_it_hung(tmp_path: Path, listener: Listener) -> None:
    """What systemd would do is done here by hand: no feed, then SIGABRT."""
    state = tmp_path / "state"
    config = tmp_path / "board.toml"
    config.write_text(f'[page]\nport = 0\n[storage]\ndirectory = "{state}"\n')
    environment = os.environ | {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "400000"}
    with subprocess.Popen(
        [*PROGRAM, "run", "--config", str(config)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[-1]
            assert listener.next().startswith("READY=1")
            # what stands on the simulated board is written by the loop itself, which waits for ever on a pipe
            os.mkfifo(state / f"{Path(table_top.FILE_NAME).stem}.new")
            with connect(address.replace("http", "ws") + "/ws", additional_headers={"Origin": address}) as page:
                page.send('{"type": "lift", "square": "e2"}')
                with pytest.raises(TimeoutError):
                    hear_until_silent(listener)
                process.send_signal(signal.SIGABRT)
                err = process.communicate(timeout=PATIENCE_S)[1]
        finally:
            process.kill()
    assert process.returncode == -signal.SIGABRT
    assert re.search(r'File ".*boardd/table_top\.py", line \d+ in _keep', err), err


def test_a_service_plays_while_its_port_is_another_programs(tmp_path: Path, listener: Listener) -> None:
    config = tmp_path / "board.toml"
    environment = os.environ | {"NOTIFY_SOCKET": str(tmp_path / "notify")}
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        config.write_text(f'[page]\nport = {port}\n[storage]\ndirectory = "{tmp_path / "state"}"\n')
        with subprocess.Popen(
            [*PROGRAM, "run", "--config", str(config)], stderr=subprocess.PIPE, env=environment
        ) as ran:
            try:
                refused = f"[page] port: 127.0.0.1:{port} cannot be had: Address already in use"
                assert listener.next().startswith(f"READY=1\nSTATUS=playing; {refused}")
                ran.terminate()
                told = ran.communicate(timeout=PATIENCE_S)[1].decode()
            finally:
                ran.kill()
    assert ran.returncode == 0
    assert told.startswith(f"WARNING: {refused}")
    assert told.count("\n") == 1


def hear_until_silent(listener: Listener) -> None:
    """Hear feeds until ten in a row are missing."""
    listener.socket.settimeout(1.0)
    for _ in range(200):
        assert listener.socket.recv(4096) == b"WATCHDOG=1"
