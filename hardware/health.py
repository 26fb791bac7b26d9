"""The health of sensors: flapping, stuck and bouncing cells, and lines of cells that vanish together.

Pure detectors; time is an argument. They say what a sensor does, never what a game makes of it: whoever knows which
cells ought to be occupied tells `StuckDetector` which ones look wrong.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
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
STUCK_MS = 10_000
"""Longer than anybody takes to put a piece where a light asks for it."""
LINE_AT_LEAST = 3
"""Two pieces of a line may be lifted with two hands within one reading; three may not."""


class Condition(enum.Enum):
    """What a sensor is found to be; the contract's words."""

    FLAPPING = "flapping"
    STUCK = "stuck"
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


class StuckDetector:
    """Find cells that have looked wrong, without a pause, for `stuck_ms`."""

    __slots__ = ("_findings", "_stuck", "_stuck_s", "_suspects")

    def __init__(self, stuck_ms: int = STUCK_MS) -> None:
        self._stuck_s = stuck_ms / MS_PER_S
        self._suspects: dict[Cell, float] = {}  # suspected and not yet found stuck -> since when
        self._stuck: set[Cell] = set()
        self._findings: list[Finding] = []

    def suspect(self, t: float, cells: Frame) -> None:
        """Say which cells look wrong from `t` on; all others look right, and are ok again if they were stuck."""
        for cell in [cell for cell in self._suspects if cell not in cells]:
            del self._suspects[cell]
        for cell in sorted(self._stuck - cells):
            self._stuck.remove(cell)
            self._findings.append(Finding(t, cell, Condition.OK))
        for cell in cells:
            if cell not in self._stuck:
                self._suspects.setdefault(cell, t)

    def advance(self, t: float) -> list[Finding]:
        """Return what was found by `t` and not returned before, in the order of time, then cell."""
        findings = self._findings
        self._findings = []
        for cell, since in list(self._suspects.items()):
            if since + self._stuck_s <= t + TOLERANCE_S:
                del self._suspects[cell]
                self._stuck.add(cell)
                findings.append(Finding(since + self._stuck_s, cell, Condition.STUCK))
        findings.sort(key=_order)
        return findings

    @property
    def deadline(self) -> float | None:
        """When `advance` will next have something to say if nothing changes."""
        if self._findings:
            return self._findings[0].t
        if self._suspects:
            return min(self._suspects.values()) + self._stuck_s
        return None

    @property
    def stuck(self) -> Frame:
        """The cells that are stuck now."""
        return frozenset(self._stuck)


@dataclass(frozen=True, slots=True)
class Bounces:
    """How noisy one cell has been: raw edges for settled changes. A silent sensor makes one edge a change."""

    edges: int
    changes: int

    @property
    def per_change(self) -> float:
        """Raw edges for each settled change; edges that settled nothing count as noise of one change."""
        return self.edges / max(self.changes, 1)


class BounceCounter:
    """Count raw edges and settled changes of every cell."""

    __slots__ = ("_changes", "_edges")

    def __init__(self) -> None:
        self._edges: dict[Cell, int] = {}
        self._changes: dict[Cell, int] = {}

    def edge(self, cell: Cell) -> None:
        """Count a raw edge."""
        self._edges[cell] = self._edges.get(cell, 0) + 1

    def change(self, cell: Cell) -> None:
        """Count a settled change."""
        self._changes[cell] = self._changes.get(cell, 0) + 1

    def report(self) -> Mapping[Cell, Bounces]:
        """Return the counts of every cell that ever said anything, by cell."""
        cells = sorted(self._edges.keys() | self._changes.keys())
        return {cell: Bounces(self._edges.get(cell, 0), self._changes.get(cell, 0)) for cell in cells}


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
