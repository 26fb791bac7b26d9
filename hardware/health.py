"""The health of sensors: flapping cells, and lines of cells that vanish together.

Pure detectors; time is an argument. They say what a sensor does, never what a game makes of it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from hardware.debounce import MS_PER_S, TOLERANCE_S
from hardware.news import Cell, Frame

QUIET_MS = 100
"""A settled magnet is quiet longer than this; the slowest bounce seen on real boards ended sooner."""
FLAPPING_MS = 1000
"""Noise for so long is no bounce, no slide and no hand."""
CALM_MS = 1000
"""A flapping cell is trusted again after as long a quiet as the noise that condemned it."""
LINE_AT_LEAST = 3
"""Two pieces of a line may be lifted with two hands within one reading; three may not."""


class Condition(enum.Enum):
    """What a sensor is found to be; the contract's words."""

    FLAPPING = "flapping"
    OK = "ok"


@dataclass(frozen=True, slots=True)
class Finding:
    """From `t` on, a cell's sensor is in this condition."""

    t: float
    cell: Cell
    condition: Condition


class FlapDetector:
    """Find cells that are never quiet for `quiet_ms` during `flapping_ms`.

    A cell begins to flap with the raw edge that completes `flapping_ms` of edges always less than `quiet_ms` apart.
    It is ok again after `calm_ms` without an edge.
    """

    __slots__ = ("_bursts", "_calm_s", "_findings", "_flapping_s", "_last", "_quiet_s", "_sick")

    def __init__(self, quiet_ms: int = QUIET_MS, flapping_ms: int = FLAPPING_MS, calm_ms: int = CALM_MS) -> None:
        self._quiet_s = quiet_ms / MS_PER_S
        self._flapping_s = flapping_ms / MS_PER_S
        self._calm_s = calm_ms / MS_PER_S
        self._bursts: dict[Cell, float] = {}  # cell -> when its present run of edges began
        self._last: dict[Cell, float] = {}  # cell -> its last edge
        self._sick: set[Cell] = set()
        self._findings: list[Finding] = []

    def feed(self, t: float, cell: Cell) -> None:
        """Take one raw edge of a cell (a real change of its raw value, not a repeated reading)."""
        last = self._last.get(cell)
        if cell in self._sick and last is not None and last + self._calm_s <= t + TOLERANCE_S:
            self._sick.remove(cell)
            self._findings.append(Finding(last + self._calm_s, cell, Condition.OK))
        self._last[cell] = t
        if last is None or t - last >= self._quiet_s - TOLERANCE_S:
            self._bursts[cell] = t
        elif t - self._bursts[cell] >= self._flapping_s - TOLERANCE_S and cell not in self._sick:
            self._sick.add(cell)
            self._findings.append(Finding(t, cell, Condition.FLAPPING))

    def advance(self, t: float) -> list[Finding]:
        """Return what was found by `t` and not returned before, in the order of time, then cell."""
        if not self._sick and not self._findings:
            return []
        findings = self._findings
        self._findings = []
        for cell in sorted(self._sick):
            calm = self._last[cell] + self._calm_s
            if calm <= t + TOLERANCE_S:
                self._sick.remove(cell)
                findings.append(Finding(calm, cell, Condition.OK))
        findings.sort(key=_order)
        return findings

    @property
    def deadline(self) -> float | None:
        """When `advance` will next have something to say if nothing more is fed."""
        if self._findings:
            return self._findings[0].t
        if self._sick:
            return min(self._last[cell] for cell in self._sick) + self._calm_s
        return None

    @property
    def flapping(self) -> Frame:
        """The cells that flap now."""
        return frozenset(self._sick)


def vanished_line(before: Frame, after: Frame, size: int) -> Frame:
    """Return the cells of every line all of whose occupied cells, three at least, vanished in one reading.

    A line is a rank or a file of a grid of `size` by `size` cells, counted line by line.

    Args:
        before: the occupancy of the reading before.
        after: the occupancy of this reading.
        size: the cells of one line.

    Returns:
        The occupied cells that vanished with their whole line; empty if no line did.

    """
    gone = before - after
    if len(gone) < LINE_AT_LEAST:
        return frozenset()
    found: set[Cell] = set()
    for line in _lines(size):
        occupied = before & line
        if len(occupied) >= LINE_AT_LEAST and occupied <= gone and not after & line:
            found |= occupied
    return frozenset(found)


@cache
def _lines(size: int) -> tuple[Frame, ...]:
    """Return the ranks, then the files, of a grid."""
    ranks = [_frame(range(rank * size, rank * size + size)) for rank in range(size)]
    files = [_frame(range(file, size * size, size)) for file in range(size)]
    return (*ranks, *files)


def _frame(indices: Iterable[int]) -> Frame:
    return frozenset(Cell(index) for index in indices)


def _order(finding: Finding) -> tuple[float, Cell]:
    return finding.t, finding.cell
