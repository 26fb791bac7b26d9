"""Debounce: from raw changes of cells to settled ones. Pure; time is an argument.

The theory. A cell has a raw value (what its sensor said last) and a settled value (what we believe). A raw edge that
takes the raw value away from the settled one makes the cell *undecided*; it is decided when the raw value has been
constant for `debounce_ms`, and the settled edge bears the time of the raw edge that began this constancy. A raw edge
back to the settled value ends the matter at once: nothing happened.

All cells wait equally long, so the cells that wait form a queue in the order of their last raw edges, and a dict that
keeps the order of insertion is that queue. Feeding and deciding cost the same whatever the size of the board.

Times are float seconds. A deadline counts as reached when it is nearer than `TOLERANCE_S`, since 1.25 + 0.04 and 1.29
need not be the same float; a change at the very deadline comes too late to undo the decision.
"""

from __future__ import annotations

from hardware.news import Cell, Edge, Frame

TOLERANCE_S = 1e-6
"""Above the rounding of a float that counts seconds since 1970 (0.24 µs), far below any debounce time."""

MS_PER_S = 1000.0


class Debouncer:
    """Settle single cells: a change counts once its cell has been still for `debounce_ms`.

    Args:
        debounce_ms: how long a cell must be constant, 0 or more.
        occupied: the settled (and raw) state to begin with.

    """

    __slots__ = ("_debounce_s", "_latest", "_overdue", "_raw", "_raw_frame", "_settled", "_settled_frame", "_waiting")

    def __init__(self, debounce_ms: int, occupied: Frame) -> None:
        if debounce_ms < 0:
            raise ValueError(f"debounce_ms: expected 0 or more, got {debounce_ms}")
        self._debounce_s = debounce_ms / MS_PER_S
        self._raw = set(occupied)
        self._settled = set(occupied)
        self._raw_frame: Frame | None = occupied
        self._settled_frame: Frame | None = occupied
        self._waiting: dict[Cell, float] = {}  # undecided cell -> time of its last raw edge, oldest first
        self._overdue: list[Edge] = []  # decided while feeding, not yet handed out
        self._latest = float("-inf")

    def feed(self, t: float, cell: Cell, occupied: bool) -> bool:
        """Take one raw value; say whether it is a raw edge (it differs from the last raw value).

        A `t` older than one given before counts as that one: news may be late, time does not run backwards.
        """
        raw = self._raw
        if (cell in raw) is occupied:
            return False
        if t > self._latest:
            self._latest = t
        else:
            t = self._latest
        waiting = self._waiting
        since = waiting.pop(cell, None)
        if since is not None and since + self._debounce_s <= t + TOLERANCE_S:
            self._overdue.append(self._settle(cell, since))
            since = None
        if occupied:
            raw.add(cell)
        else:
            raw.remove(cell)
        self._raw_frame = None
        if since is None:  # the cell was settled, so the edge leads away; else it led back
            waiting[cell] = t
        return True

    def feed_frame(self, t: float, occupied: Frame) -> Frame:
        """Take a whole reading; return the cells whose raw value changed by it."""
        changed = frozenset(self._raw ^ occupied)
        for cell in changed:
            self.feed(t, cell, cell in occupied)
        return changed

    def advance(self, t: float) -> list[Edge]:
        """Return what is decided by `t` and was not returned before, ordered by time, then cell."""
        edges = self._overdue
        waiting = self._waiting
        if waiting:
            limit = t + TOLERANCE_S
            due: list[Cell] = []
            for cell, since in waiting.items():
                if since + self._debounce_s > limit:
                    break
                due.append(cell)
            for cell in due:
                edges.append(self._settle(cell, waiting.pop(cell)))
        if not edges:
            return []
        self._overdue = []
        if len(edges) > 1:
            edges.sort(key=_order)
        return edges

    @property
    def deadline(self) -> float | None:
        """When the next cell will be decided if nothing more is fed; None if all are."""
        if self._overdue:
            return self._overdue[0].t + self._debounce_s
        for since in self._waiting.values():
            return since + self._debounce_s
        return None

    @property
    def undecided(self) -> bool:
        """Whether some cell reads otherwise than it is settled."""
        return bool(self._waiting)

    @property
    def undecided_cells(self) -> Frame:
        """The cells that read otherwise than they are settled."""
        return frozenset(self._waiting)

    @property
    def occupied(self) -> Frame:
        """The settled occupancy, everything decided so far included."""
        if self._settled_frame is None:
            self._settled_frame = frozenset(self._settled)
        return self._settled_frame

    @property
    def raw(self) -> Frame:
        """The occupancy as the sensors said it last."""
        if self._raw_frame is None:
            self._raw_frame = frozenset(self._raw)
        return self._raw_frame

    def _settle(self, cell: Cell, since: float) -> Edge:
        """Make the raw value of a cell its settled one."""
        occupied = cell in self._raw
        if occupied:
            self._settled.add(cell)
        else:
            self._settled.discard(cell)
        self._settled_frame = None
        return Edge(since, cell, occupied)


def _order(edge: Edge) -> tuple[float, Cell]:
    return edge.t, edge.cell
