"""Whole readings become news, and readings that no hand can cause are held back as faults. Pure.

A driver that scans its wires hands in one frame after the other; out come the changes between them. Three pieces of one
line that vanish, or appear, within one reading are no lifts but a wire: a row without power, a shorted column.
Such a reading is held back for `HOLD_MS`; if it was a loose contact nobody hears of it, and if it stays it is told as
one whole reading, from which whoever follows the game knows that a line is gone.
"""

from __future__ import annotations

from hardware.debounce import MS_PER_S, TOLERANCE_S
from hardware.health import vanished_line
from hardware.news import Cell, Changed, Frame, News, Scan

HOLD_MS = 100
"""A plug that is touched loses contact for tens of milliseconds; two hands that lift a whole line need longer."""


class Readings:
    """Turn frames into news.

    Args:
        size: the cells of one line; the grid has `size * size`.
        hold_ms: how long an impossible reading is held back.

    """

    __slots__ = ("_all", "_held", "_hold_s", "_since", "_told", "faults", "size")

    def __init__(self, size: int, hold_ms: int = HOLD_MS) -> None:
        self.size = size
        self.faults = 0
        """How many impossible readings began."""
        self._hold_s = hold_ms / MS_PER_S
        self._all = frozenset(Cell(index) for index in range(size * size))
        self._told: Frame | None = None
        self._held: Frame = frozenset()  # cells whose change is held back
        self._since = 0.0

    @property
    def told(self) -> Frame:
        """The occupancy as it was told so far; empty before the first frame."""
        return frozenset() if self._told is None else self._told

    @property
    def held(self) -> Frame:
        """The cells whose change is impossible and held back."""
        return self._held

    def feed(self, t: float, frame: Frame) -> list[News]:
        """Take the reading of time `t` and return what is to be told of it."""
        if self._told is None:
            self._told = frame
            return [Scan(t, frame)]
        if self._held:
            still = (frame ^ self._told) & self._held
            if still != self._held:
                self._held = frozenset()  # something of the line came back: the wire has contact again
            elif t - self._since >= self._hold_s - TOLERANCE_S:
                self._held = frozenset()
                self._told = frame
                return [Scan(t, frame)]
        else:
            self._hold_back(t, frame)
        return self._changes(t, frame)

    def _hold_back(self, t: float, frame: Frame) -> None:
        before = self.told
        gone = vanished_line(before, frame, self.size)
        come = vanished_line(self._all - before, self._all - frame, self.size)
        if gone or come:
            self._held = gone | come
            self._since = t
            self.faults += 1

    def _changes(self, t: float, frame: Frame) -> list[News]:
        before = self.told
        after = frame if not self._held else (frame - self._held) | (before & self._held)
        self._told = after
        news: list[News] = []
        if lifted := before - after:
            news.append(Changed(t, tuple(sorted(lifted)), occupied=False))
        if dropped := after - before:
            news.append(Changed(t, tuple(sorted(dropped)), occupied=True))
        return news
