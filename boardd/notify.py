"""Tells systemd how the daemon is, and keeps its watchdog quiet while sensors are read: touches a socket.

The protocol is sd_notify's: lines of `KEY=value` in one datagram to the socket that the environment names. Owns when
the watchdog is fed. Where nobody listens everything here does nothing.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import MutableMapping

log = logging.getLogger(__name__)

SOCKET, PERIOD, FOR_PROCESS = "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"
"""What systemd sets: where to tell, how long it waits to be told (µs), and which process it waits for."""

FEEDS = 4
"""So often within the watchdog's patience it is fed: three may be late. systemd advises two."""

US = 1_000_000


class Supervisor:
    """Whoever started the daemon and wants to know how it is.

    Args:
        path: the socket; `@` first stands for an abstract one; empty for nobody.
        patience_s: how long the watchdog waits; None for no watchdog.

    """

    def __init__(self, path: str = "", patience_s: float | None = None) -> None:
        self._path = path
        self._interval_s = None if patience_s is None else patience_s / FEEDS
        self._fed: float | None = None
        self._turns: int | None = None
        self._status = ""

    @classmethod
    def of(cls, environment: MutableMapping[str, str], process: int) -> Supervisor:
        """Find the supervisor that the environment names, and take it out, so that no child thinks it is meant.

        Args:
            environment: the process's own.
            process: its id.

        """
        path = environment.pop(SOCKET, "")
        period = environment.pop(PERIOD, "")
        meant = environment.pop(FOR_PROCESS, "") in ("", str(process))
        watches = bool(path) and meant and period.isdecimal() and int(period) > 0
        return cls(path, int(period) / US if watches else None)

    @property
    def listens(self) -> bool:
        """Whether anybody wants to know."""
        return bool(self._path)

    @property
    def watches(self) -> bool:
        """Whether there is a watchdog."""
        return self._interval_s is not None

    def ready(self, status: str) -> None:
        """Tell that the daemon plays; `status` is what people are told about it, on one line."""
        self._status = status
        self._tell(f"READY=1\nSTATUS={status}")

    def status(self, status: str) -> None:
        """Tell people something else, if it is."""
        if status != self._status:
            self._status = status
            self._tell(f"STATUS={status}")

    def stopping(self) -> None:
        """Tell that the daemon ends by itself."""
        self._tell("STOPPING=1")

    def feed(self, now: float, turns: int | None) -> None:
        """Keep the watchdog quiet; to be called by the loop that plays, every time around.

        It is fed only if whatever reads the sensors has gone on too: a loop that turns while the thread beside it
        hangs in a wire would look well and hear nothing.

        Args:
            now: the time.
            turns: counts what the sensors' own thread has done; None if the loop reads them itself.

        """
        if self._interval_s is None or (self._fed is not None and now - self._fed < self._interval_s):
            return
        if turns is not None and turns == self._turns:
            return
        self._fed, self._turns = now, turns
        self._tell("WATCHDOG=1")

    def _tell(self, lines: str) -> None:
        """Send one datagram; a supervisor that cannot be told is no reason not to play."""
        if not self._path:
            return
        address = f"\0{self._path[1:]}" if self._path.startswith("@") else self._path
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as wire:
                wire.setblocking(False)
                wire.connect(address)
                wire.send(lines.encode())
        except OSError as error:
            log.debug("systemd cannot be told %r: %s", lines, os.strerror(error.errno or 0))
