"""The daemon's clock: the one place that asks the machine for the time that play runs on.

Owns what a second is and how fine it is counted. A virtual clock of the same shape drives tests.
"""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

DIGITS = 4
"""Decimals of every time: a tenth of a millisecond. What the recorder writes is then exactly what the tracker saw."""


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
