"""The link to the board, for those who neither wait nor know packets. `Link` keeps a thread, `SteppedLink` none.

Both have the methods of `Bridge`. The thread is the only one that touches the port; what others call takes the news
that it left, or leaves a picture for it, and never waits. `open` may take the time that opening a port takes, `reading`
and `close` the time that their arguments and constants say.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from firmware_bridge.connector import Connection, Connector, LinkState
from firmware_bridge.errors import BoardBusyError, BoardSilentError, LinkError
from firmware_bridge.news import News, WholeReading
from firmware_bridge.statistics import Statistics
from firmware_bridge.tails import Rgb

LONGEST_WAIT_S = 1.0
"""However far the next deadline: a computer that slept, or a port that dies without a word, is noticed."""
FLUSH_S = 0.3
"""For the last picture, black, to get out: a picture takes 30 ms at the slowest that USB serial goes."""
JOIN_S = 2.0
READING_STEP_S = 0.002
"""Shorter than a scan."""
CLOCK_ERROR_S = 0.02
"""By so much a busy computer may misjudge the board's clock while only few packets have come."""
READING_S = 5.0
"""A board that is plugged in answers in a tenth of a second; after a boot in two."""


class Bridge(Protocol):
    """A link to a board, however it is driven."""

    @property
    def state(self) -> LinkState:
        """How far the link has come, what is missing, which board it is, what faults it reports."""

    @property
    def statistics(self) -> Statistics:
        """The counts since the link was made."""

    @property
    def bounces(self) -> Mapping[int, int]:
        """Raw changes of each cell since the board's start, modulo 65,536; cells that never changed are missing."""

    def open(self) -> None:
        """Begin to look for the board. One that is not there yet is waited for.

        Raises:
            BoardBusyError: another process has it.

        """

    def poll(self, now: float) -> list[News]:
        """Return the news that were not returned before, oldest first, `seq` always growing; never wait.

        Their times never decrease and are never later than `now`; by the way they came they may be earlier than the
        last call's `now`.

        Raises:
            LinkError: the link has failed for good. A lost board only falls silent.

        """

    def show(self, colours: Sequence[Rgb]) -> None:
        """Show a picture: soon if the board is there, else when it is back; a newer one replaces it. Never wait."""

    def reading(self, timeout_s: float = READING_S) -> WholeReading:
        """Wait for a whole reading that is not older than this call.

        Raises:
            LinkError: none came in that time; the message says why.

        """

    def leave(self) -> bool:
        """Tell the firmware to step aside, so that its files can be changed; False if no board is connected."""

    def close(self) -> None:
        """Let the last picture out and let go of the board. May be called again."""


class Link:
    """A link with a thread of its own.

    Args:
        connector: finds the board and talks to it; from `open` to `close` it is the thread's.
        clock: seconds, the clock of everything that news are compared with.

    """

    def __init__(self, connector: Connector, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._connector = connector
        self._clock = clock
        self._thread: threading.Thread | None = None
        self._stop = False
        self._leaving = False
        self._failed: Exception | None = None
        self._wake_read, self._wake_write = -1, -1
        self._changed = threading.Condition()
        self._last: WholeReading | None = None  # the newest whole reading
        self._waking = threading.Lock()  # so that nobody writes to a pipe that is being closed
        self.turns = 0
        """Counts the turns of the thread, at least one each LONGEST_WAIT_S while it lives."""

    @property
    def state(self) -> LinkState:
        """How far the link has come, what is missing, which board it is, what faults it reports."""
        if self._failed is not None:
            return LinkState(Connection.CLOSED, f"the link failed: {self._failed!r}")
        return self._connector.state

    @property
    def statistics(self) -> Statistics:
        """The counts since the link was made."""
        return self._connector.statistics

    @property
    def bounces(self) -> Mapping[int, int]:
        """Raw changes of each cell since the board's start, modulo 65,536; cells that never changed are missing."""
        return dict(self._connector.bounces)

    def open(self) -> None:
        """Begin to look for the board; the first attempt is made here, the others by the thread."""
        if self._thread is not None:
            return
        _connect(self._connector, self._clock())
        self._stop = False
        self._failed = None
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self._thread = threading.Thread(target=self._run, name="board link", daemon=True)
        self._thread.start()

    def poll(self, now: float) -> list[News]:
        """Return the news that were not returned before, oldest first; never wait."""
        if self._failed is not None:
            raise LinkError(f"the link failed: {self._failed!r}") from self._failed
        return self._connector.poll(now)

    def show(self, colours: Sequence[Rgb]) -> None:
        """Show a picture; never wait."""
        self._connector.show(tuple(colours))
        self._wake()

    def reading(self, timeout_s: float = READING_S) -> WholeReading:
        """Wait for a whole reading that is not older than this call."""
        asked = self._clock()
        self._connector.ask()
        self._wake()
        with self._changed:
            self._changed.wait_for(lambda: self._failed is not None or _since(self._last, asked), timeout_s)
            last = self._last
        if last is None or not _since(last, asked):
            raise BoardSilentError(f"expected a reading within {timeout_s:g} seconds, got none: {self.state.why}")
        return last

    def leave(self) -> bool:
        """Tell the firmware to step aside; False if no board is connected."""
        if self.state.hello is None:
            return False
        self._leaving = True
        self._wake()
        return True

    def close(self) -> None:
        """Let the last picture out and let go of the board. May be called again."""
        thread = self._thread
        if thread is None:
            return
        self._stop = True
        self._wake()
        thread.join(JOIN_S)
        self._thread = None
        if thread.is_alive():
            return  # a port that does not come back from the kernel; the process can still end
        with self._waking:
            os.close(self._wake_read)
            os.close(self._wake_write)
            self._wake_read, self._wake_write = -1, -1

    def _run(self) -> None:
        connector = self._connector
        try:
            while not self._stop:
                self.turns += 1
                if self._leaving:
                    self._leaving = False
                    connector.leave()
                due = connector.step(self._clock())
                self._notice()
                self._wait(due - self._clock())
            self._finish()
        except Exception as error:  # whatever it is, the daemon must learn that nothing comes any more
            self._failed = error
            connector.abandon()
            self._notice()

    def _wait(self, seconds: float) -> None:
        """Wait for bytes, room, a call, or the time to pass."""
        seconds = min(seconds, LONGEST_WAIT_S)
        if seconds <= 0:
            return
        port = self._connector.port
        if port is None:
            select.select([self._wake_read], [], [], seconds)
        else:
            port.wait(seconds, self._wake_read, writable=self._connector.writing)
        self._drain_wake()

    def _notice(self) -> None:
        """Tell whoever waits for a reading."""
        newest = self._connector.newest
        if newest is not self._last or self._failed is not None:
            with self._changed:
                self._last = newest
                self._changed.notify_all()

    def _finish(self) -> None:
        """Let the last picture out, but not for long."""
        until = self._clock() + FLUSH_S
        self._connector.close()
        while (port := self._connector.port) is not None:
            left = until - self._clock()
            if left <= 0:
                self._connector.abandon()
                return
            self._drain_wake()
            port.wait(left, self._wake_read, writable=True)
            self._connector.close()

    def _wake(self) -> None:
        with self._waking, contextlib.suppress(BlockingIOError):  # full: the thread is being woken already
            if self._wake_write >= 0:
                os.write(self._wake_write, b"\0")

    def _drain_wake(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake_read, 4096)


class SteppedLink:
    """A link without a thread: it goes on whenever it is polled. For virtual time and for loops of their own.

    Args:
        connector: finds the board and talks to it.
        clock: seconds.
        sleep: lets time pass while `reading` waits: by default really, in virtual time by moving the clock.

    """

    def __init__(
        self,
        connector: Connector,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._connector = connector
        self._clock = clock
        self._sleep = sleep
        self._open = False

    @property
    def state(self) -> LinkState:
        """How far the link has come, what is missing, which board it is, what faults it reports."""
        return self._connector.state

    @property
    def statistics(self) -> Statistics:
        """The counts since the link was made."""
        return self._connector.statistics

    @property
    def bounces(self) -> Mapping[int, int]:
        """Raw changes of each cell since the board's start, modulo 65,536; cells that never changed are missing."""
        return dict(self._connector.bounces)

    def open(self) -> None:
        """Begin to look for the board."""
        if self._open:
            return
        _connect(self._connector, self._clock())
        self._open = True

    def poll(self, now: float) -> list[News]:
        """Go on up to `now`, and return the news."""
        if self._open:
            while self._connector.step(now) <= now and self._connector.port is not None:
                pass
        return self._connector.poll(now)

    def show(self, colours: Sequence[Rgb]) -> None:
        """Show a picture with the next poll."""
        self._connector.show(tuple(colours))

    def reading(self, timeout_s: float = READING_S) -> WholeReading:
        """Wait for a whole reading that is not older than this call."""
        asked = self._clock()
        self._connector.ask()
        while True:
            now = self._clock()
            self._connector.step(now)
            newest = self._connector.newest
            if newest is not None and _since(newest, asked):
                return newest
            if now - asked >= timeout_s:
                raise BoardSilentError(f"expected a reading within {timeout_s:g} seconds, got none: {self.state.why}")
            self._sleep(READING_STEP_S)

    def leave(self) -> bool:
        """Tell the firmware to step aside; False if no board is connected."""
        return self._connector.leave()

    def close(self) -> None:
        """Let the last picture out and let go of the board. May be called again."""
        if self._open:
            self._open = False
            self._connector.close()
            self._connector.abandon()


def _connect(connector: Connector, now: float) -> None:
    """Make the first attempt; only a board that another process has is an error, every other may come yet."""
    try:
        connector.connect(now)
    except BoardBusyError:
        raise
    except LinkError:
        pass  # the state says why; the next steps try on


def _since(reading: WholeReading | None, asked: float) -> bool:
    """Return True if a reading is not older than the question, as far as the two clocks are known."""
    return reading is not None and reading.t >= asked - CLOCK_ERROR_S
