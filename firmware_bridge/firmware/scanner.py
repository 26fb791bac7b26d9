"""From readings of the matrix to settled changes. Pure: the matrix and the time are handed in.

One scan powers every row in turn and reads all columns of each. While no row is powered every column must be silent; if
one is not, a row stays powered or a column is shorted, all readings lie, and the scan is thrown away.

Debounce is per cell: a change counts when the cell has read the same for `debounce_ms`, and bears the time of the
change that began this. It is short, for the noise of the wires; whether a piece rests is for the host to decide.

Nothing here allocates between `__init__` and the end of a scan: a collection of garbage in the middle of it would cost
milliseconds. So rows are small integers with a bit a column, numbers live in arrays made once, and changes wait in a
ring.
"""

from array import array

from .wire import STUCK_COLUMN, STUCK_ROW, TICKS, elapsed

TYPE_CHECKING = False  # MicroPython has no `typing`
if TYPE_CHECKING:
    from .shapes import Matrix

MAGNET = 0x8000
"""The bit that tells a drop from a lift in the ring."""

RING = 256
"""Changes that may wait; all 81 cells three times over. The station empties it after every scan."""

MISTRUST = 3
"""Scans in a row with a column that is not silent until it is called a fault."""


class Scanner:
    """The cells of a board of `lines` by `lines`, debounced.

    Args:
        matrix: what has `select(row)`, `columns()` and `release()`; see hal.py.
        lines: rows, and columns. A cell is `row * lines + column`.
        debounce_ms: how long a cell must read the same.

    """

    def __init__(self, matrix: "Matrix", lines: int, debounce_ms: int) -> None:
        self.lines = lines
        self.debounce_ms = debounce_ms
        self.scans = 0
        self.ready = False  # True when the cells have been read for the debounce time
        self.stuck_rows = 0  # one row stays powered: a bit for each that it could be
        self.stuck_columns = 0
        self.overflow = False  # changes were lost because nobody took them
        self.waiting = 0  # changes in the ring
        self.taken_at = 0  # when the change that was taken last began, ms
        self.edges = array("H", [0] * (lines * lines))  # raw changes of each cell since the start, modulo 65,536
        self.bounced = [0] * lines  # per row, a bit for each cell whose edges changed since `bounced` was cleared
        self.settled = [0] * lines  # per row, a bit for each cell that is occupied
        self._matrix = matrix
        self._raw = [0] * lines
        self._fresh = [0] * lines  # the scan that goes on
        self._since = array("H", [0] * (lines * lines))  # when a cell's raw value began, ms modulo 65,536
        self._cells = array("H", [0] * RING)
        self._times = [0] * RING
        self._head = 0
        self._mistrusted = 0
        self._began = -1  # when the first trusted scan was

    def scan(self, now: int) -> bool:
        """Read every cell once.

        Returns:
            True if the reading can be trusted.

        """
        matrix = self._matrix
        fresh = self._fresh
        for row in range(self.lines):
            matrix.select(row)
            fresh[row] = matrix.columns()
        matrix.release()
        silent = matrix.columns()
        self.scans = (self.scans + 1) & TICKS
        if silent:
            self._mistrust(silent)
            return False
        self._mistrusted = 0
        self.stuck_rows = 0
        self.stuck_columns = 0
        if not self.ready:
            self._begin(now)
            return True
        for row in range(self.lines):
            raw = fresh[row]
            changed = raw ^ self._raw[row]
            if changed:
                self._raw[row] = raw
                self._note_edges(row, changed, now)
            unsettled = raw ^ self.settled[row]
            if unsettled:
                self._settle(row, unsettled, now)
        return True

    def take(self) -> int:
        """Take the oldest change out of the ring; its time is in `taken_at`.

        Returns:
            The cell, with MAGNET set for a drop; -1 if none waits.

        """
        if not self.waiting:
            return -1
        place = (self._head - self.waiting) % RING
        self.waiting -= 1
        self.taken_at = self._times[place]
        return self._cells[place]

    def _begin(self, now: int) -> None:
        """Take readings as they are until the debounce time has gone by: nothing has changed, it was never known."""
        if self._began < 0:
            self._began = now
        for row in range(self.lines):
            self._raw[row] = self._fresh[row]
            self.settled[row] = self._fresh[row]
        self.ready = elapsed(now, self._began) >= self.debounce_ms

    def _note_edges(self, row: int, changed: int, now: int) -> None:
        cell = row * self.lines
        self.bounced[row] |= changed
        while changed:
            if changed & 1:
                self._since[cell] = now & 0xFFFF
                self.edges[cell] = (self.edges[cell] + 1) & 0xFFFF
            changed >>= 1
            cell += 1

    def _settle(self, row: int, unsettled: int, now: int) -> None:
        cell = row * self.lines
        bit = 1
        while unsettled:
            if unsettled & 1:
                age = (now - self._since[cell]) & 0xFFFF
                if age >= self.debounce_ms:
                    self.settled[row] ^= bit
                    self._push(cell | MAGNET if self.settled[row] & bit else cell, (now - age) & TICKS)
            unsettled >>= 1
            bit <<= 1
            cell += 1

    def _push(self, change: int, at_ms: int) -> None:
        if self.waiting == RING:
            self.overflow = True
            return
        self._cells[self._head] = change
        self._times[self._head] = at_ms
        self._head = (self._head + 1) % RING
        self.waiting += 1

    def _mistrust(self, silent: int) -> None:
        self._mistrusted += 1
        if self._mistrusted < MISTRUST:
            return
        self.stuck_rows = self._suspects(silent)
        self.stuck_columns = 0 if self.stuck_rows else silent

    def _suspects(self, silent: int) -> int:
        """Find the row that stays powered: it reads the same with and without the others, and as before it was stuck.

        Returns:
            A bit for each row that it could be; 0 if a shorted column explains it better: it is one column, or no row.

        """
        if silent & (silent - 1) == 0:
            return 0
        alike = 0
        known = 0
        for row in range(self.lines):
            if self._fresh[row] == silent:
                alike |= 1 << row
                if self.settled[row] == silent:
                    known |= 1 << row
        return known or alike

    def fault(self, code: int) -> int:
        """Return the value of a fault that the matrix has: a bit for each line; 0 if it is sound."""
        if code == STUCK_ROW:
            return self.stuck_rows
        if code == STUCK_COLUMN:
            return self.stuck_columns
        return 0
