"""From readings to settled changes, on the chip's side: under CPython, and under MicroPython with its heap locked."""

import random
from collections.abc import Callable

import pytest

from firmware_bridge.firmware.scanner import MAGNET, RING, Scanner
from firmware_bridge.firmware.wire import STUCK_COLUMN, STUCK_ROW, TICKS

DEBOUNCE_MS = 8
SCAN_MS = 4


class Matrix:
    """Rows of magnets, a row that may stay powered, columns that may be shorted."""

    def __init__(self, lines: int = 9) -> None:
        self.rows = [0] * lines
        self.stuck: int | None = None
        self.shorted = 0
        self._selected: int | None = None

    def select(self, row: int) -> None:
        self._selected = row

    def columns(self) -> int:
        found = self.shorted
        for row in (self._selected, self.stuck):
            found |= 0 if row is None else self.rows[row]
        return found

    def release(self) -> None:
        self._selected = None


class Bench:
    def __init__(self, lines: int = 9, start: int = 0) -> None:
        self.matrix = Matrix(lines)
        self.scanner = Scanner(self.matrix, lines, DEBOUNCE_MS)
        self.now = start

    def scan(self, times: int = 1) -> list[tuple[int, bool, int]]:
        """Scan, and return what settled: cell, occupied, time."""
        changes = []
        for _ in range(times):
            self.scanner.scan(self.now)
            while (change := self.scanner.take()) >= 0:
                changes.append((change & ~MAGNET, bool(change & MAGNET), self.scanner.taken_at))
            self.now = (self.now + SCAN_MS) & TICKS
        return changes

    def flip(self, cell: int) -> None:
        lines = self.scanner.lines
        self.matrix.rows[cell // lines] ^= 1 << cell % lines


def test_what_stands_there_at_the_start_is_no_change() -> None:
    bench = Bench()
    bench.matrix.rows[0] = 0b111
    assert bench.scan(2) == []
    ready = [bench.scanner.ready]
    assert bench.scan(1) == []
    assert [*ready, bench.scanner.ready] == [False, True], "after the debounce time"
    assert bench.scanner.settled[0] == 0b111
    assert bench.scan(5) == []


def test_a_change_settles_after_the_debounce_time_and_bears_the_time_of_its_beginning() -> None:
    bench = Bench()
    bench.scan(5)
    bench.flip(22)
    began = bench.now
    assert bench.scan(2) == []
    assert bench.scan(1) == [(22, True, began)]
    bench.flip(22)
    began = bench.now
    assert bench.scan(5) == [(22, False, began)]


def test_a_bounce_moves_the_time_and_is_counted() -> None:
    bench = Bench()
    bench.scan(5)
    for _ in range(3):
        bench.flip(4)
        assert bench.scan() == []
    began = bench.now - SCAN_MS
    assert bench.scan(5) == [(4, True, began)]
    assert bench.scanner.edges[4] == 3
    assert bench.scanner.bounced[0] == 1 << 4


def test_a_flicker_shorter_than_the_debounce_is_nothing() -> None:
    bench = Bench()
    bench.scan(5)
    bench.flip(80)
    bench.scan()
    bench.flip(80)
    assert bench.scan(5) == []
    assert bench.scanner.edges[80] == 2


def test_changes_come_by_time_and_then_by_cell() -> None:
    bench = Bench()
    bench.scan(5)
    bench.flip(40)
    first = bench.now
    bench.scan()
    bench.flip(3)
    bench.flip(70)
    second = bench.now
    assert bench.scan(5) == [(40, True, first), (3, True, second), (70, True, second)]


def test_times_go_round() -> None:
    bench = Bench(start=TICKS - 30)
    bench.scan(5)
    bench.flip(1)
    began = bench.now
    changes = bench.scan(3)
    assert changes == [(1, True, began)]
    assert bench.now < 100, "the clock has gone round meanwhile"


def test_a_row_that_stays_powered_is_named_and_nothing_is_believed() -> None:
    bench = Bench()
    for row in range(9):
        bench.matrix.rows[row] = 1 << row | 1
    bench.scan(5)
    settled = list(bench.scanner.settled)
    bench.matrix.rows[3] = 0b101010
    bench.matrix.stuck = 3
    assert bench.scan(2) == []
    assert bench.scanner.fault(STUCK_ROW) == 0, "two scans could be a spark"
    assert bench.scan(10) == []
    assert bench.scanner.fault(STUCK_ROW) == 1 << 3
    assert bench.scanner.fault(STUCK_COLUMN) == 0
    assert list(bench.scanner.settled) == settled
    bench.matrix.stuck = None
    assert [cell for cell, _, _ in bench.scan(5)] == [27, 28, 32], "what changed meanwhile, once it is mended"
    assert bench.scanner.fault(STUCK_ROW) == 0


def test_rows_that_stood_alike_cannot_be_told_apart() -> None:
    bench = Bench()
    bench.matrix.rows = [0b111, 0, 0, 0, 0b110, 0, 0, 0, 0b111]
    bench.scan(5)
    bench.matrix.stuck = 8
    bench.scan(5)
    assert bench.scanner.fault(STUCK_ROW) == 0b100000001


def test_before_anything_is_known_any_row_that_fits_could_be_it() -> None:
    bench = Bench()
    bench.matrix.rows = [0b111, 0b1000, 0, 0b1, 0b11000, 0b1000, 0b1000, 0b1000, 0b1000]
    bench.matrix.stuck = 0
    bench.scan(5)
    assert bench.scanner.fault(STUCK_ROW) == 0b1101


def test_a_shorted_column_is_named() -> None:
    bench = Bench()
    bench.matrix.rows[4] = 0b1
    bench.scan(5)
    bench.matrix.shorted = 1 << 7
    assert bench.scan(10) == []
    assert bench.scanner.fault(STUCK_COLUMN) == 1 << 7
    assert bench.scanner.fault(STUCK_ROW) == 0
    assert bench.scanner.fault(99) == 0


def test_what_nobody_takes_is_lost_and_said_to_be() -> None:
    bench = Bench()
    bench.scan(5)
    for _ in range(4):
        for cell in range(81):
            bench.flip(cell)
        for _ in range(4):
            bench.scanner.scan(bench.now)
            bench.now += SCAN_MS
    assert bench.scanner.waiting == RING
    assert bench.scanner.overflow
    assert len(bench.scan()) == RING


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("lines", [7, 9, 19])
def test_any_noise_ends_in_what_stands_there(seed: int, lines: int) -> None:
    rng = random.Random(seed)
    bench = Bench(lines, start=rng.randrange(TICKS))
    bench.scan(5)
    believed = [0] * lines
    for _ in range(60):
        for _ in range(rng.randrange(6)):
            bench.flip(rng.randrange(lines * lines))
        for cell, occupied, _ in bench.scan(rng.randrange(6)):
            assert bool(believed[cell // lines] >> cell % lines & 1) != occupied, "a lift follows a drop"
            believed[cell // lines] ^= 1 << cell % lines
    for cell, _, _ in bench.scan(5):
        believed[cell // lines] ^= 1 << cell % lines
    assert believed == bench.matrix.rows == list(bench.scanner.settled)


SCAN_WITH_A_LOCKED_HEAP = """
import gc, micropython
from konakis import hal, pins
from konakis.scanner import MAGNET, Scanner

board = hal.Board(pins)
scanner = Scanner(board, len(pins.ROWS), pins.DEBOUNCE_MS)

def scan():
    now = board.now_ms()
    gc.collect()
    before = gc.mem_alloc()
    micropython.heap_lock()      # from here on an allocation is a MemoryError
    scanner.scan(now)
    micropython.heap_unlock()
    assert gc.mem_alloc() == before

while not scanner.ready:
    scan()
for row in range(9):
    board._magnets[row] = 1 << row | 1 << (row + 1) % 9
for _ in range(10):
    scan()
changes = []
while scanner.waiting:
    changes.append(scanner.take() & ~MAGNET)
print(changes)
board._stuck = 1 << 2
for _ in range(4):
    scan()
print(scanner.stuck_rows, scanner.stuck_columns, len(scanner.edges), sum(scanner.edges))
"""


def test_a_scan_allocates_nothing(on_the_chip: Callable[..., str]) -> None:
    """Every path of a scan, under a locked heap: at rest, edges, settling, a row that stays powered."""
    assert on_the_chip(SCAN_WITH_A_LOCKED_HEAP, hal="hal_model").splitlines() == [
        str(sorted(row * 9 + column for row in range(9) for column in (row, (row + 1) % 9))),
        "4 0 81 18",
    ]
