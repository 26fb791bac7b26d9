import random

from hardware.news import Cell, Changed, Frame, News, Scan
from hardware.readings import HOLD_MS, Readings

SIZE = 9
RANK = frozenset(Cell(index) for index in range(9, 14))
OTHERS = frozenset(Cell(index) for index in (0, 40, 62))
HOLD_S = HOLD_MS / 1000


def cells(*indices: int) -> Frame:
    return frozenset(Cell(index) for index in indices)


def heard(before: Frame, news: list[News]) -> Frame:
    for item in news:
        if isinstance(item, Scan):
            before = item.occupied
        elif item.occupied:
            before = before.union(item.cells)
        else:
            before = before.difference(item.cells)
    return before


def test_the_first_frame_is_told_whole_and_then_only_changes() -> None:
    readings = Readings(SIZE)
    assert readings.feed(0.0, cells(1, 2)) == [Scan(0.0, cells(1, 2))]
    assert readings.feed(0.1, cells(1, 2)) == []
    assert readings.feed(0.2, cells(2, 3)) == [
        Changed(0.2, (Cell(1),), occupied=False),
        Changed(0.2, (Cell(3),), occupied=True),
    ]


def test_a_rank_that_vanishes_for_a_moment_is_never_told() -> None:
    readings = Readings(SIZE)
    readings.feed(0.0, RANK | OTHERS)
    assert readings.feed(0.02, OTHERS) == []
    assert readings.held == RANK
    assert readings.feed(0.04, OTHERS) == []
    assert readings.feed(0.06, RANK | OTHERS) == []
    assert readings.held == frozenset()
    assert readings.faults == 1


def test_other_cells_are_told_meanwhile() -> None:
    readings = Readings(SIZE)
    readings.feed(0.0, RANK | OTHERS)
    assert readings.feed(0.02, OTHERS - cells(40)) == [Changed(0.02, (Cell(40),), occupied=False)]
    assert readings.told == RANK | cells(0, 62)


def test_a_rank_that_stays_away_is_told_in_one_whole_reading() -> None:
    readings = Readings(SIZE)
    readings.feed(0.0, RANK | OTHERS)
    readings.feed(1.0, OTHERS)
    assert readings.feed(1.0 + HOLD_S, OTHERS) == [Scan(1.0 + HOLD_S, OTHERS)]
    assert readings.feed(2.0, RANK | OTHERS) == [Changed(2.0, tuple(sorted(RANK)), occupied=True)]


def test_a_column_that_reads_occupied_all_at_once_is_a_fault_too() -> None:
    readings = Readings(SIZE)
    readings.feed(0.0, OTHERS)
    column = frozenset(Cell(index) for index in range(4, 81, 9))
    assert readings.feed(0.02, OTHERS | column) == []
    assert readings.feed(0.04, OTHERS) == []


def test_two_pieces_lifted_with_two_hands_are_two_lifts() -> None:
    readings = Readings(SIZE)
    readings.feed(0.0, cells(9, 10, 62))
    assert readings.feed(0.02, cells(62)) == [Changed(0.02, (Cell(9), Cell(10)), occupied=False)]


def test_whatever_is_read_the_listener_ends_with_the_truth() -> None:
    rng = random.Random(8)
    for _ in range(50):
        readings = Readings(SIZE)
        truth = frozenset(Cell(index) for index in rng.sample(range(81), 40))
        known = heard(frozenset(), readings.feed(0.0, truth))
        t = 0.0
        for _ in range(40):
            t += 0.02
            if rng.random() < 0.2:
                line = rng.randrange(9)
                gone = frozenset(Cell(index) for index in range(line * 9, line * 9 + 9))
                frame = truth - gone if rng.random() < 0.5 else truth | gone
            else:
                truth ^= frozenset(Cell(index) for index in rng.sample(range(81), rng.randrange(3)))
                frame = truth
            known = heard(known, readings.feed(t, frame))
        for _ in range(10):
            t += 0.02
            known = heard(known, readings.feed(t, truth))
        assert known == truth == readings.told
