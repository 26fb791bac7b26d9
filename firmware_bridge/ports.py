"""The serial port: finding the board, holding it alone, bytes in and out without waiting. Touches devices and /proc.

A board is known by what it is, its USB vendor, product and serial number, never by the name that the kernel gave it.

Alone means two locks. `flock` keeps out whoever asks for it, a second daemon first of all, and tells the holder's
process id. TIOCEXCL keeps out everybody else but root: a terminal program, a modem manager. A pseudo-terminal gets the
first only: there TIOCEXCL outlives a killed holder as long as the other end is open, and would lock out the daemon's
next start.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import stat
import termios
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import serial
from serial.tools import list_ports

from firmware_bridge.errors import BoardAmbiguousError, BoardBusyError, BoardNotFoundError, PortLostError

MICROPYTHON_PICO = (0x2E8A, 0x0005)
"""Raspberry Pi's vendor number, and the product number of MicroPython on an RP2040."""

BAUD = 115_200
"""USB has no such thing, but closing a port at 1,200 would start the Pico's boot loader."""
READ_BYTES = 4096
PTY_MAJORS = range(136, 144)
"""The kernel's device numbers of pseudo-terminals (devices.txt)."""
LOCKS = Path("/proc/locks")
PROCESSES = Path("/proc")


class Port(Protocol):
    """A wire to a board: bytes in and out. No method waits but `wait`."""

    name: str

    def read(self) -> bytes:
        """Return some of what has arrived, nothing if nothing has.

        Raises:
            PortLostError: the port is gone.

        """

    def write(self, data: bytes) -> int:
        """Write as much as there is room for, and return how many bytes that was.

        Raises:
            PortLostError: the port is gone.

        """

    @property
    def deadline(self) -> float | None:
        """When there will be something to read, where that can be known before."""

    def wait(self, timeout_s: float, wake: int, *, writable: bool) -> None:
        """Wait for something to read, for room to write if asked, for the file `wake`, or for the time to pass."""

    def close(self) -> None:
        """Let go of the wire. May be called again."""


@dataclass(frozen=True, slots=True)
class ListedPort:
    """A serial port that the system has."""

    path: str
    vendor: int | None = None
    product: int | None = None
    serial_number: str | None = None


def listed_ports() -> list[ListedPort]:
    """Return the serial ports that the system has now."""
    return [ListedPort(port.device, port.vid, port.pid, port.serial_number) for port in list_ports.comports()]


class Finder:
    """Find the port of the board.

    Args:
        board_id: the USB serial number; None for the only board there is.
        path: a port to take as it is, whatever it is called; then nothing is searched.
        usb: the vendor and product numbers of boards.
        listed: returns the ports that the system has.

    """

    def __init__(
        self,
        *,
        board_id: str | None = None,
        path: str | None = None,
        usb: Iterable[tuple[int, int]] = (MICROPYTHON_PICO,),
        listed: Callable[[], Iterable[ListedPort]] = listed_ports,
    ) -> None:
        self._board_id = board_id
        self._path = path
        self._usb = frozenset(usb)
        self._listed = listed

    def __call__(self) -> str:
        """Return the path of the board's port, as it is called now.

        Raises:
            BoardNotFoundError: it is not plugged in.
            BoardAmbiguousError: several could be it.

        """
        if self._path is not None:
            if not os.path.exists(self._path):
                raise BoardNotFoundError(f"expected a board at {self._path}, there is no such port: is it plugged in?")
            return self._path
        boards = [port for port in self._listed() if (port.vendor, port.product) in self._usb]
        if self._board_id is not None:
            wanted = self._board_id.lower()
            matching = [port for port in boards if (port.serial_number or "").lower() == wanted]
            if not matching:
                raise BoardNotFoundError(
                    f"expected the board {self._board_id}, got {_names(boards)}: is it plugged in?"
                )
            if len(matching) > 1:
                raise BoardAmbiguousError(
                    f"expected one board {self._board_id}, got {_names(matching)}: unplug one, or name a port in the "
                    "configuration"
                )
            return matching[0].path
        if not boards:
            raise BoardNotFoundError("no board is plugged in")
        if len(boards) > 1:
            raise BoardAmbiguousError(f"expected one board, got {_names(boards)}: name one in the configuration")
        return boards[0].path


class SerialPort:
    """A port of the system, held alone.

    Raises:
        BoardBusyError: another process has it.
        PortLostError: it cannot be opened.

    """

    def __init__(self, path: str) -> None:
        self.name = path
        try:
            # exclusive: the library takes flock before it touches the port
            self._serial = serial.Serial(path, BAUD, timeout=0, write_timeout=0, exclusive=True)
        except serial.SerialException as error:
            if error.errno in (errno.EBUSY, errno.EAGAIN):  # TIOCEXCL, flock
                raise BoardBusyError(path, holder_of(path)) from None
            raise PortLostError(_advice(path, error)) from None
        except (OSError, ValueError, termios.error) as error:
            raise PortLostError(_advice(path, error)) from None
        self._fd: int = self._serial.fileno()
        try:
            self._pseudo = os.major(os.fstat(self._fd).st_rdev) in PTY_MAJORS
            if not self._pseudo:
                fcntl.ioctl(self._fd, termios.TIOCEXCL)
        except OSError as error:
            self.close()
            raise PortLostError(_advice(path, error)) from None

    def read(self) -> bytes:
        """Return some of what has arrived, nothing if nothing has."""
        try:
            data = os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise PortLostError(f"{self.name} is gone: {error.strerror}") from None
        if not data and self._hung_up():
            raise PortLostError(f"{self.name} is gone: it was unplugged")
        return data

    def write(self, data: bytes) -> int:
        """Write as much as there is room for, and return how many bytes that was."""
        try:
            return os.write(self._fd, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise PortLostError(f"{self.name} is gone: {error.strerror}") from None

    @property
    def deadline(self) -> None:
        """Nobody knows when something will arrive."""
        return

    def wait(self, timeout_s: float, wake: int, *, writable: bool) -> None:
        """Wait for something to read, for room to write if asked, for the file `wake`, or for the time to pass."""
        select.select([self._fd, wake], [self._fd] if writable else [], [], max(0.0, timeout_s))

    def close(self) -> None:
        """Let go of the port."""
        with contextlib.suppress(OSError, termios.error):  # it may be gone already
            if not self._pseudo:
                fcntl.ioctl(self._fd, termios.TIOCNXCL)
        with contextlib.suppress(OSError, termios.error):
            self._serial.close()

    def _hung_up(self) -> bool:
        """Tell the end of a port from one where nothing has arrived: reading gives nothing in both."""
        poll = select.poll()
        poll.register(self._fd, 0)
        return any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0))


def holder_of(path: str) -> int | None:
    """Return the id of another process that has the file locked, or open; None if it cannot be known."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for pid in [*_lock_holders(place), *_openers(status.st_rdev)]:
        if pid > 0 and pid != os.getpid():
            return pid
    return None


def _lock_holders(place: str) -> list[int]:
    """Return who holds a lock on a file: `1: FLOCK  ADVISORY  WRITE 1234 00:18:5 0 EOF`."""
    try:
        lines = LOCKS.read_text().splitlines()
    except OSError:
        return []
    fields = [line.split() for line in lines]
    return [int(field[4]) for field in fields if len(field) > 5 and field[1] == "FLOCK" and field[5] == place]


def _openers(device: int) -> list[int]:
    """Return who has a device open, among the processes that we may look at."""
    found = []
    for process in PROCESSES.iterdir():
        if not process.name.isdigit():
            continue
        try:
            opened = list((process / "fd").iterdir())
        except OSError:
            continue
        for descriptor in opened:
            with contextlib.suppress(OSError):
                if descriptor.stat().st_rdev == device:
                    found.append(int(process.name))
                    break
    return found


def _names(boards: list[ListedPort]) -> str:
    return ", ".join(f"{port.serial_number} at {port.path}" for port in boards) or "none"


def _advice(path: str, error: Exception) -> str:
    code = getattr(error, "errno", None)
    if code in (errno.EACCES, errno.EPERM):
        return f"{path} may not be opened: add this user to the group dialout, or start the service from udev"
    if os.strerror(errno.ENOTTY) in str(error) or not _is_device(path):
        return f"{path} cannot be opened: it is no serial port"
    return f"{path} cannot be opened: {os.strerror(code) if isinstance(code, int) else error}"


def _is_device(path: str) -> bool:
    """Tell whether a path leads to what a port can be; one that has gone meanwhile was one."""
    try:
        return stat.S_ISCHR(os.stat(path).st_mode)
    except OSError:
        return True
