"""Sensors that are scanned at a steady rate: the loop, its thread and its punctuality.

Uses a thread. Owns when the wires are scanned; what the wires are is a `Scanner`'s business. `PolledSensors` scans in
one thread of its own, `SteppedSensors` whenever it is polled, for virtual time; both count how late they were.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from hardware.errors import SensorsError
from hardware.news import Frame, News
from hardware.readings import Readings

POLL_HZ = 50
"""Five scans in the 100 ms that the fastest hand leaves a piece on a square."""

IDLE_HZ = 20
"""While nothing moves: a lift is then seen 50 ms later at most, a third of what a settled move waits anyway."""
IDLE_AFTER_S = 5.0
"""Nothing moved for so long: players think. The first change brings the full rate back at once."""

NEWS_KEPT = 4096
"""For a listener who does not ask for a while; hours of play."""

JOIN_S = 1.0
"""A scan takes milliseconds; a thread that does not end in this time never will."""


class Scanner(Protocol):
    """Wires that can be scanned. Opened when made."""

    def scan(self) -> Frame:
        """Read every cell once.

        Raises:
            LineFaultError: the wires cannot be read right now; the next scan may.
            SensorsError: the wires are lost for good.

        """

    def close(self) -> None:
        """Let go of the wires. May be called again."""


class LineFaultError(SensorsError):
    """A scan that means nothing: a row that stays powered, a column that is shorted."""


@dataclass(slots=True)
class Punctuality:
    """How the scans kept their time."""

    scans: int = 0
    overruns: int = 0
    """Scans that were due before the one before them had ended; they are left out, not made up for."""
    longest_scan_s: float = 0.0
    longest_gap_s: float = 0.0
    """From the begin of one scan to the begin of the next."""
    impossible: int = 0
    """Readings that no hand can cause, as a whole row that vanishes."""
    faulty: int = 0
    """Scans that could not be used at all."""


class Polling:
    """The scans of one board, by time. No thread: whoever owns it calls `step` when it is due.

    Args:
        scanner: open.
        size: cells of one line.
        rate_hz: scans a second.
        clock: seconds; also the time of the news.

    """

    def __init__(self, scanner: Scanner, size: int, rate_hz: float, clock: Callable[[], float]) -> None:
        self.punctuality = Punctuality()
        self.fault = ""
        """Why the last scan could not be used, on one line; empty if it could."""
        self._scanner = scanner
        self._readings = Readings(size)
        self._interval_s = 1.0 / rate_hz
        self._idle_interval_s = max(self._interval_s, 1.0 / IDLE_HZ)
        self._changed = clock()
        self._clock = clock
        self._news: deque[News] = deque(maxlen=NEWS_KEPT)
        self._begun: float | None = None
        self._due = clock()

    @property
    def due(self) -> float:
        """When the next scan is due."""
        return self._due

    @property
    def told(self) -> Frame:
        """The occupancy as it was told."""
        return self._readings.told

    def step(self) -> float:
        """Scan once; return when the next scan is due.

        Raises:
            SensorsError: the wires are lost.

        """
        begun = self._clock()
        counts = self.punctuality
        if self._begun is not None:
            counts.longest_gap_s = max(counts.longest_gap_s, begun - self._begun)
        self._begun = begun
        try:
            frame = self._scanner.scan()
        except LineFaultError as error:
            self.fault = str(error)
            counts.faulty += 1
        else:
            self.fault = ""
            news = self._readings.feed(begun, frame)
            if news or self._readings.held:
                self._changed = begun
            self._news.extend(news)
        ended = self._clock()
        counts.scans += 1
        counts.impossible = self._readings.faults
        counts.longest_scan_s = max(counts.longest_scan_s, ended - begun)
        idle = ended - self._changed >= IDLE_AFTER_S
        interval_s = self._idle_interval_s if idle else self._interval_s
        self._due += interval_s
        while self._due < ended:
            counts.overruns += 1
            self._due += interval_s
        return self._due

    def drain(self, now: float) -> list[News]:
        """Return the news up to `now` that were not returned before."""
        told: list[News] = []
        while self._news and self._news[0].t <= now:
            told.append(self._news.popleft())
        return told

    def close(self) -> None:
        """Let go of the wires."""
        self._scanner.close()


class SteppedSensors:
    """Sensors that are scanned when they are polled and a scan is due; they are `hardware.sensors.Sensors`.

    Args:
        open_scanner: takes hold of the wires; raises SensorsError.
        size: cells of one line.
        rate_hz: scans a second.
        clock: seconds.

    """

    def __init__(
        self, open_scanner: Callable[[], Scanner], size: int, rate_hz: float, clock: Callable[[], float]
    ) -> None:
        self._open_scanner = open_scanner
        self._size = size
        self._rate_hz = rate_hz
        self._clock = clock
        self._polling: Polling | None = None

    @property
    def connected(self) -> bool:
        """Whether the wires can be read."""
        return self._polling is not None and not self._polling.fault

    @property
    def trouble(self) -> str:
        """Why they cannot, on one line."""
        return "" if self._polling is None else self._polling.fault

    @property
    def punctuality(self) -> Punctuality:
        """How the scans kept their time."""
        return Punctuality() if self._polling is None else self._polling.punctuality

    def open(self) -> None:
        """Take hold of the wires."""
        if self._polling is None:
            self._polling = Polling(self._open_scanner(), self._size, self._rate_hz, self._clock)

    def poll(self, now: float) -> list[News]:
        """Scan if it is time, and return the news up to `now`."""
        polling = self._need()
        if now >= polling.due:
            polling.step()
        return polling.drain(now)

    def read(self) -> Frame:
        """Take a whole reading; what is new in it is also told as news.

        Raises:
            SensorsError: it cannot be used now.

        """
        polling = self._need()
        polling.step()
        if polling.fault:
            raise SensorsError(polling.fault)
        return polling.told

    def close(self) -> None:
        """Let go of the wires."""
        if self._polling is not None:
            self._polling.close()
            self._polling = None

    def _need(self) -> Polling:
        if self._polling is None:
            raise SensorsError("the sensors are not open")
        return self._polling


class PolledSensors(SteppedSensors):
    """Sensors that are scanned by one thread; `poll` only empties its queue."""

    def __init__(
        self, open_scanner: Callable[[], Scanner], size: int, rate_hz: float, clock: Callable[[], float]
    ) -> None:
        super().__init__(open_scanner, size, rate_hz, clock)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._lost: Exception | None = None

    @property
    def connected(self) -> bool:
        """Whether the wires can be read."""
        return self._lost is None and super().connected

    def open(self) -> None:
        """Take hold of the wires, and begin to scan."""
        if self._thread is not None:
            return
        super().open()
        self._stop.clear()
        self._lost = None
        self._thread = threading.Thread(target=self._run, name="sensors", daemon=True)
        self._thread.start()

    def poll(self, now: float) -> list[News]:
        """Return the news up to `now`; never wait."""
        if self._lost is not None:
            raise SensorsError(f"the sensors can no longer be read: {self._lost}") from self._lost
        return self._need().drain(now)

    def read(self) -> Frame:
        """Take a whole reading; waits for a scan that is under way."""
        with self._lock:
            return super().read()

    def close(self) -> None:
        """End the thread and let go of the wires."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(JOIN_S)
            self._thread = None
        super().close()

    def _run(self) -> None:
        polling = self._need()
        while not self._stop.is_set():
            try:
                with self._lock:
                    due = polling.step()
            except Exception as error:  # whatever it is, whoever polls must hear of it
                self._lost = error
                return
            self._stop.wait(max(0.0, due - self._clock()))
