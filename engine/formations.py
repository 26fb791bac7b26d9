"""What many pieces do together: shieldwalls, encirclement, exit forts.

Speaks the core's numbers and may be compiled with it. Looks at one board as it stands; whose turn it is and whether
a book knows such a rule, its caller knows.
"""

from engine.native import i64, vec
from engine.tables import (
    ATTACKER,
    CODE_MASK,
    DEFENDER,
    KING,
    WALL,
    WALLS_AND_CORNERS,
    Tables,
)

SHORTEST_WALL = 2
"""So many pieces in a row make a shieldwall; a single one is no row (rules, further 2)."""


class Formations:
    """Finds formations under one book. Keeps room to work in, so each position needs its own."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        cells: i64 = tables.width * tables.width
        self.found: vec[i64] = vec[i64]([0] * int(cells))
        """Cells that the last question found; how many, it returned."""
        self.marks: vec[i64] = vec[i64]([0] * int(cells))
        """By cell: the number of the last area that it belonged to."""
        self.area: i64 = 0
        """The number of the area that is being looked at; each gets the next."""

    def walled(self, cells: vec[i64], to: i64, prey: i64) -> i64:
        """Put into `found` the rows that the piece on `to` has just closed, kings in them too; return how many cells.

        Args:
            cells: the padded board after the move.
            to: where the closing piece has come to.
            prey: the code of the soldiers that may be taken.

        """
        steps = self.tables.steps
        count: i64 = 0
        for inward in steps:
            if not cells[to - inward] & WALL:
                continue
            for along in steps:
                if along != inward and along != -inward:
                    count += self._row(cells, to + along, along, inward, prey, count)
        return count

    def _row(self, cells: vec[i64], start: i64, along: i64, inward: i64, prey: i64, at: i64) -> i64:
        """Put a row that begins at `start` into `found` from `at` on, if it is closed; return its length or 0."""
        tables = self.tables
        enemies: i64 = DEFENDER | KING if prey == DEFENDER else ATTACKER
        friends = tables.anvils[prey] & CODE_MASK
        length: i64 = 0
        cell = start
        while cells[cell] & enemies:
            if not cells[cell + inward] & friends:
                return 0
            self.found[at + length] = cell
            length += 1
            cell += along
        closed = cells[cell] & friends != 0
        if tables.shieldwall == WALLS_AND_CORNERS and not cells[cell] & (CODE_MASK | WALL):
            closed = cells[cell + along] & WALL != 0
        return length if closed and length >= SHORTEST_WALL else 0

    def encircled(self, cells: vec[i64], slots: vec[i64], defenders: i64, king: i64) -> bool:
        """Tell whether attackers cut the king and all defenders off from the edge, unbreakably from within.

        Args:
            cells: the padded board.
            slots: where each piece stands; 0 for those that are gone.
            defenders: the first slot of the defenders.
            king: where he stands.

        """
        size = self._spread(cells, king, ATTACKER, WALL)
        if size == 0:
            return False
        for slot in range(defenders, len(slots)):
            if slots[slot] and self.marks[slots[slot]] != self.area:
                return False
        return self._holds(cells, size, ATTACKER, DEFENDER, inside_is_safe=False)

    def exit_fort(self, cells: vec[i64], king: i64) -> bool:
        """Tell whether the king stands on the edge, can move, and his soldiers hold a fort around him."""
        on_edge = False
        free = False
        for step in self.tables.steps:
            beside = cells[king + step]
            if beside & WALL:
                on_edge = True
            elif not beside & CODE_MASK:
                free = True
        if not on_edge or not free:
            return False
        size = self._spread(cells, king, DEFENDER, ATTACKER)
        return size != 0 and self._holds(cells, size, DEFENDER, ATTACKER, inside_is_safe=True)

    def _spread(self, cells: vec[i64], king: i64, boundary: i64, breach: i64) -> i64:
        """Mark the area around the king as far as pieces of a kind bound it, list it in `found`, return its size.

        Args:
            cells: the padded board.
            king: where to begin.
            boundary: the code of the pieces at which the area ends; the board's edge ends it too.
            breach: codes that must not lie beside the area. A corner must not lie in it either.

        Returns:
            0 if there was a breach.

        """
        steps = self.tables.steps
        found = self.found
        marks = self.marks
        self.area += 1
        area = self.area
        found[0] = king
        marks[king] = area
        size: i64 = 1
        n: i64 = 0
        while n < size:
            cell = found[n]
            n += 1
            edges: i64 = 0
            for step in steps:
                beside = cell + step
                code = cells[beside]
                if code & breach:
                    return 0
                if code & WALL:
                    edges += 1
                elif not code & boundary and marks[beside] != area:
                    marks[beside] = area
                    found[size] = beside
                    size += 1
            if edges > 1:
                return 0
        return size

    def _holds(self, cells: vec[i64], size: i64, boundary: i64, enemy: i64, inside_is_safe: bool) -> bool:
        """Tell whether none of the pieces around an area can be sandwiched (rules, further 3 and 4).

        Args:
            cells: the padded board.
            size: of the area that `_spread` has marked and listed.
            boundary: the code of the pieces around it.
            enemy: the code of the soldiers that would have to do it.
            inside_is_safe: whether these could only come from without, or else only from within.

        """
        tables = self.tables
        across: i64 = 1
        for n in range(size):
            for step in tables.steps:
                piece = self.found[n] + step
                if not cells[piece] & boundary:
                    continue
                if not self._safe(cells, piece + across, boundary, enemy, inside_is_safe) and not self._safe(
                    cells, piece - across, boundary, enemy, inside_is_safe
                ):
                    return False
                if not self._safe(cells, piece + tables.width, boundary, enemy, inside_is_safe) and not self._safe(
                    cells, piece - tables.width, boundary, enemy, inside_is_safe
                ):
                    return False
        return True

    def _safe(self, cells: vec[i64], side: i64, boundary: i64, enemy: i64, inside_is_safe: bool) -> bool:
        """Tell whether no enemy soldier stands, or could come to stand, on a cell beside a piece of the boundary."""
        tables = self.tables
        code = cells[side]
        if code & WALL:
            return True
        if code & tables.anvils[boundary]:
            return False
        if code & CODE_MASK or (self.marks[side] == self.area) == inside_is_safe:
            return True
        return code != 0 and not code & tables.stops[enemy]
