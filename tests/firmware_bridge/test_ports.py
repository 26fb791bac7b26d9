"""The serial port on pseudo-terminals: bytes, the end of the wire, and who may hold it."""

import fcntl
import os
import pty
import subprocess
import sys
import termios
import time
import tty
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial

from firmware_bridge import ports
from firmware_bridge.errors import BoardBusyError, PortLostError
from firmware_bridge.ports import ListedPort, SerialPort, holder_of, listed_ports

HOLDER = """
import sys
from firmware_bridge.ports import SerialPort
port = SerialPort(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


class Terminal:
    """A pseudo-terminal: the board's end is ours, the host's has a name."""

    def __init__(self) -> None:
        self.end, other = pty.openpty()
        tty.setraw(self.end)
        self.path = os.ttyname(other)
        os.close(other)

    def hang_up(self) -> None:
        if self.end >= 0:
            os.close(self.end)
            self.end = -1


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.hang_up()


@pytest.fixture
def wake() -> Iterator[tuple[int, int]]:
    read, write = os.pipe()
    yield read, write
    os.close(read)
    os.close(write)


def test_every_byte_goes_through_both_ways(terminal: Terminal, wake: tuple[int, int]) -> None:
    port = SerialPort(terminal.path)
    octets = bytes(range(256))
    assert port.read() == b""
    os.write(terminal.end, octets)
    got = b""
    while len(got) < 256:
        port.wait(5.0, wake[0], writable=False)
        got += port.read()
    assert got == octets
    assert port.write(octets) == 256
    assert os.read(terminal.end, 1000) == octets
    port.close()
    port.close()


def test_a_full_wire_takes_no_more_and_nobody_waits(terminal: Terminal) -> None:
    port = SerialPort(terminal.path)
    written = 0
    for _ in range(1000):
        taken = port.write(b"x" * 1000)
        written += taken
        if not taken:
            break
    assert 0 < written < 1_000_000
    port.close()


def test_waiting_ends_with_the_time_with_bytes_and_with_a_wake(terminal: Terminal, wake: tuple[int, int]) -> None:
    port = SerialPort(terminal.path)
    began = time.monotonic()
    port.wait(0.05, wake[0], writable=False)
    assert time.monotonic() - began >= 0.045
    port.wait(-1.0, wake[0], writable=False)
    port.wait(60.0, wake[0], writable=True)
    os.write(terminal.end, b"!")
    port.wait(60.0, wake[0], writable=False)
    assert port.read() == b"!"
    os.write(wake[1], b"!")
    port.wait(60.0, wake[0], writable=False)
    assert port.deadline is None
    port.close()


def test_what_lay_there_before_is_not_read(terminal: Terminal) -> None:
    first = SerialPort(terminal.path)
    os.write(terminal.end, b"old")
    first.close()
    second = SerialPort(terminal.path)
    assert second.read() == b""
    second.close()


def test_the_end_of_the_wire_is_an_error_for_both(terminal: Terminal) -> None:
    port = SerialPort(terminal.path)
    terminal.hang_up()
    with pytest.raises(PortLostError, match="gone"):
        port.read()
    with pytest.raises(PortLostError, match="gone"):
        port.write(b"x")
    port.close()


def test_a_port_that_is_not_there() -> None:
    with pytest.raises(PortLostError, match="cannot be opened"):
        SerialPort("/dev/nowhere")


def test_what_is_no_port(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(PortLostError):
        SerialPort(str(file))


def test_a_second_process_is_refused_with_the_first_ones_id(terminal: Terminal) -> None:
    """board-cases.md 34: and when the first is killed, nothing stays behind."""
    for _ in range(2):
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLDER, terminal.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        assert holder.stdin is not None
        assert holder.stdout is not None
        with holder:
            assert holder.stdout.readline() == "held\n"
            with pytest.raises(BoardBusyError, match=f"held by process {holder.pid}") as caught:
                SerialPort(terminal.path)
            assert caught.value.pid == holder.pid
            assert holder_of(terminal.path) == holder.pid
            holder.kill()
    port = SerialPort(terminal.path)
    port.close()


def test_a_second_port_in_this_process_is_refused_too(terminal: Terminal) -> None:
    first = SerialPort(terminal.path)
    with pytest.raises(BoardBusyError, match="another process"):
        SerialPort(terminal.path)
    first.close()
    SerialPort(terminal.path).close()


def test_a_real_port_is_held_against_those_who_ask_for_no_lock(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a USB port gets besides the lock; a pseudo-terminal would keep it after a kill."""
    monkeypatch.setattr(ports, "PTY_MAJORS", ())
    asked: list[int] = []
    really = fcntl.ioctl

    def ioctl(fd: int, request: int, argument: bytes = b"") -> object:
        if request in (termios.TIOCEXCL, termios.TIOCNXCL):
            asked.append(request)
        return really(fd, request, argument)

    monkeypatch.setattr("fcntl.ioctl", ioctl)
    port = SerialPort(terminal.path)
    assert asked == [termios.TIOCEXCL]
    port.close()
    assert asked == [termios.TIOCEXCL, termios.TIOCNXCL]


def test_nobody_holds_a_port_that_is_free(terminal: Terminal) -> None:
    assert holder_of(terminal.path) is None
    assert holder_of("/dev/nowhere") is None


def test_without_proc_the_holder_is_unknown(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ports, "LOCKS", tmp_path / "locks")
    monkeypatch.setattr(ports, "PROCESSES", tmp_path)
    first = SerialPort(terminal.path)
    with pytest.raises(BoardBusyError) as caught:
        SerialPort(terminal.path)
    assert caught.value.pid is None
    first.close()


def test_who_has_no_right_is_told_what_to_do(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, *_: object, **__: object) -> None:
        raise serial.SerialException(13, f"could not open port {path}: Permission denied")

    monkeypatch.setattr(serial, "Serial", refuse)
    with pytest.raises(PortLostError, match="group dialout"):
        SerialPort(terminal.path)


def test_what_is_no_port_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (str(tmp_path), str(tmp_path / "file"), "/dev/null"):
        with pytest.raises(PortLostError) as told:
            SerialPort(path)
        assert str(told.value) == f"{path} cannot be opened: it is no serial port"


def test_the_systems_list_is_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [
        SimpleNamespace(device="/dev/ttyACM0", vid=0x2E8A, pid=5, serial_number="e6"),
        SimpleNamespace(device="/dev/ttyS0", vid=None, pid=None, serial_number=None),
    ]
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: listed)
    assert listed_ports() == [ListedPort("/dev/ttyACM0", 0x2E8A, 5, "e6"), ListedPort("/dev/ttyS0")]
