"""Flapping cells, and lines that vanish together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.health import Condition, Finding, FlapDetector, vanished_line
from hardware.news import Cell, Frame

A, B = Cell(0), Cell(1)


def frame(*indices: int) -> Frame:
    return frozenset(Cell(index) for index in indices)


def flutter(detector: FlapDetector, cell: Cell, start_ms: int, end_ms: int, every_ms: int) -> int:
    """Feed edges; return the time of the last, in ms."""
    times = range(start_ms, end_ms + 1, every_ms)
    for ms in times:
        detector.feed(ms / 1000, cell)
    return times[-1]


def test_a_second_without_quiet_is_flapping() -> None:
    detector = FlapDetector()
    flutter(detector, A, 5000, 5999, 99)
    before = detector.deadline
    assert before is None
    flutter(detector, A, 6000, 6000, 1)
    assert detector.deadline == 6.0
    assert detector.advance(6.0) == [Finding(6.0, A, Condition.FLAPPING)]
    assert detector.flapping == {A}
    assert detector.advance(6.5) == [], "said once"


def test_a_pause_of_the_quiet_time_begins_anew() -> None:
    detector = FlapDetector()
    flutter(detector, A, 0, 900, 50)
    flutter(detector, A, 1000, 1900, 50)
    assert detector.advance(3.0) == []


def test_a_flapping_cell_is_ok_after_a_calm() -> None:
    detector = FlapDetector(calm_ms=500)
    last = flutter(detector, A, 0, 1500, 50)
    detector.advance(last / 1000)
    assert detector.deadline == pytest.approx(2.0)
    assert detector.advance(1.999) == []
    assert detector.advance(2.0) == [Finding(2.0, A, Condition.OK)]
    assert detector.flapping == frozenset()
    assert detector.deadline is None
    flutter(detector, A, 2010, 3000, 50)
    assert detector.advance(3.0) == [], "after the calm it takes a whole second again"


def test_a_calm_counts_although_nobody_asked_in_time() -> None:
    detector = FlapDetector(calm_ms=500)
    last = flutter(detector, A, 0, 1500, 50)
    detector.feed(5.0, A)
    assert [(finding.t, finding.condition) for finding in detector.advance(5.0)] == [
        (1.0, Condition.FLAPPING),
        (last / 1000 + 0.5, Condition.OK),
    ]
    assert detector.flapping == frozenset()


def test_findings_come_in_the_order_of_time() -> None:
    detector = FlapDetector(calm_ms=200)
    last = flutter(detector, B, 0, 1020, 20)
    flutter(detector, A, 500, 1500, 20)
    assert detector.advance(1.5) == [
        Finding(1.0, B, Condition.FLAPPING),
        Finding(last / 1000 + 0.2, B, Condition.OK),
        Finding(1.5, A, Condition.FLAPPING),
    ]


def test_a_slide_over_every_square_flaps_nowhere() -> None:
    detector = FlapDetector()
    for step in range(200):
        detector.feed(step * 0.03, Cell(step % 9))
        detector.feed(step * 0.03 + 0.03, Cell(step % 9))
    assert detector.advance(100) == []


FULL = frozenset(Cell(index) for index in range(81))


@pytest.mark.parametrize("line", range(9))
def test_a_rank_or_a_file_that_vanishes_is_named(line: int) -> None:
    rank = frame(*range(line * 9, line * 9 + 9))
    file = frame(*range(line, 81, 9))
    assert vanished_line(FULL, FULL - rank, 9) == rank
    assert vanished_line(FULL, FULL - file, 9) == file
    assert vanished_line(FULL, FULL - rank - file, 9) == rank | file


def test_a_line_of_fewer_than_three_is_no_line() -> None:
    assert vanished_line(frame(0, 1, 40), frame(40), 9) == frame()
    assert vanished_line(frame(0, 1, 2, 40), frame(40), 9) == frame(0, 1, 2)


def test_a_line_that_keeps_a_piece_did_not_vanish() -> None:
    assert vanished_line(frame(0, 1, 2, 3), frame(3), 9) == frame()
    assert vanished_line(frame(0, 1, 2), frame(3), 9) == frame(), "one of it was put down in the same line"


def test_three_that_share_no_line_did_not_vanish_as_one() -> None:
    assert vanished_line(frame(0, 10, 20, 40), frame(40), 9) == frame()


@given(st.frozensets(st.sampled_from(sorted(FULL))), st.frozensets(st.sampled_from(sorted(FULL))))
def test_only_cells_that_vanished_are_named(before: Frame, after: Frame) -> None:
    assert vanished_line(before, after, 9) <= before - after
