"""The board's clock as the host's. Pure.

A packet bears the time at which something happened on the board's clock. The host sees when packets arrive: later than
they were sent, by a delay that is never negative. So the smallest difference between arrival and board's time, over the
last packets, is the best guess of how far apart the clocks are, and every delay above it was waiting.
"""

from __future__ import annotations

from collections import deque

TICKS = 1 << 30
"""The board counts milliseconds modulo this: twelve days."""
MS_PER_S = 1000
SAMPLES = 32
"""About ten seconds of a quiet board. Two crystals drift by less than 1 ms in that time."""


class BoardClock:
    """Turn the board's times into the host's."""

    __slots__ = ("_last", "_offsets")

    def __init__(self) -> None:
        self._offsets: deque[float] = deque(maxlen=SAMPLES)
        self._last: int | None = None  # the newest time of the board, counted on beyond its rounds

    def heard(self, at_ms: int, arrival: float) -> float:
        """Take the time in a packet that arrived at `arrival`, seconds, and return it on the host's clock."""
        if self._last is None:
            self._last = at_ms
        turned = (at_ms - self._last) % TICKS
        counted = self._last + (turned if turned < TICKS // 2 else turned - TICKS)
        self._last = max(self._last, counted)
        at = counted / MS_PER_S
        self._offsets.append(arrival - at)
        return min(at + min(self._offsets), arrival)
