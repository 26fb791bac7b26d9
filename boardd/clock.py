"""The daemon's clock: touches the machine's, the one place that asks for the time that play runs on.

Owns what a second is and how fine it is counted. A virtual clock of the same shape drives tests.
"""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

DIGITS = 4
"""Decimals of every time: a tenth of a millisecond. What the recorder writes is then exactly what the tracker saw."""

TICK_S = 10**-DIGITS
"""The least that it counts; a time that it gives may be half of it too early."""


def counted(t: float) -> float:
    """Give a time as fine as the daemon counts."""
    return round(t, DIGITS)


class Clock(Protocol):
    """Seconds that never go back, from some zero."""

    def now(self) -> float:
        """Give the time, as fine as `counted`."""

    async def sleep_until(self, t: float) -> None:
        """Return when it is `t` or later; let others run in any case."""


class MachineClock:
    """The machine's monotonic clock, zero when it is made."""

    def __init__(self) -> None:
        self._zero = time.monotonic()

    def now(self) -> float:
        """Give the seconds since it was made."""
        return counted(time.monotonic() - self._zero)

    async def sleep_until(self, t: float) -> None:
        """Sleep, which the event loop's own clock decides."""
        await asyncio.sleep(max(0.0, t - (time.monotonic() - self._zero)))


class VirtualClock:
    """Time that stands still until it is told to go on, and then goes as fast as the machine allows.

    `advance_to` wakes sleepers one by one at their times, each with the clock showing exactly that time, and lets
    everything that follows from it happen before time goes on. Work on other threads is not waited for.
    """

    SETTLE_TURNS = 12
    """Turns of the event loop that one waking may need until nothing more follows from it."""

    def __init__(self, now: float = 0.0) -> None:
        self._now = now
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> float:
        """Give the time it shows."""
        return counted(self._now)

    async def sleep_until(self, t: float) -> None:
        """Sleep until somebody advances the time so far."""
        sleeper = asyncio.get_running_loop().create_future()
        self._sleepers.append((t, sleeper))
        await sleeper

    async def advance_to(self, t: float) -> None:
        """Let time go on to `t`, waking everybody on the way."""
        await self.settle()
        while due := [sleeper for sleeper in self._sleepers if sleeper[0] <= t]:
            first = min(due, key=lambda sleeper: sleeper[0])
            self._sleepers.remove(first)
            self._now = max(self._now, first[0])
            if not first[1].done():
                first[1].set_result(None)
            await self.settle()
        self._now = max(self._now, t)

    async def settle(self) -> None:
        """Let everything happen that needs no time."""
        for _ in range(self.SETTLE_TURNS):
            await asyncio.sleep(0)
