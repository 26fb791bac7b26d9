"""The debouncer against a naive model that knows the whole history, and single cases around its deadline."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.debounce import Debouncer
from hardware.news import Cell, Edge, Frame

A, B, C = Cell(0), Cell(1), Cell(2)
DEBOUNCE_MS = 40

# Raw values as (whole milliseconds since the one before, cell, occupied): bursts and pauses, repeated readings too.
raw_values = st.lists(
    st.tuples(st.sampled_from([0, 1, 7, 39, 40, 41, 200]), st.sampled_from([A, B, C]), st.booleans()), max_size=60
)


def naive(values: Sequence[tuple[int, Cell, bool]], occupied: Frame, until_ms: int) -> list[Edge]:
    """Judge every cell by its whole history, in whole milliseconds."""
    edges: list[tuple[int, Cell, bool]] = []
    for cell in (A, B, C):
        settled = raw = cell in occupied
        history = [(at, value) for at, one, value in values if one == cell]
        changes: list[tuple[int, bool]] = []
        for at, value in history:
            if value != raw:
                changes.append((at, value))
                raw = value
        for (at, value), (following, _) in zip(changes, [*changes[1:], (until_ms, False)], strict=False):
            if value != settled and following - at >= DEBOUNCE_MS:
                edges.append((at, cell, value))
                settled = value
    return [Edge(at / 1000, cell, value) for at, cell, value in sorted(edges)]


def timed(values: Sequence[tuple[int, Cell, bool]]) -> list[tuple[int, Cell, bool]]:
    at = 0
    history = []
    for pause, cell, value in values:
        at += pause
        history.append((at, cell, value))
    return history


@given(raw_values, st.frozensets(st.sampled_from([A, B, C])))
def test_settles_what_a_naive_model_settles(values: list[tuple[int, Cell, bool]], occupied: Frame) -> None:
    history = timed(values)
    end = (history[-1][0] if history else 0) + 2 * DEBOUNCE_MS
    debouncer = Debouncer(DEBOUNCE_MS, occupied)
    for at, cell, value in history:
        debouncer.feed(at / 1000, cell, value)
    found = debouncer.advance(end / 1000)
    assert found == naive(history, occupied, end)
    assert not debouncer.undecided
    assert debouncer.deadline is None
    assert debouncer.occupied == debouncer.raw


@given(raw_values, st.frozensets(st.sampled_from([A, B, C])))
def test_how_often_it_is_asked_changes_nothing(values: list[tuple[int, Cell, bool]], occupied: Frame) -> None:
    history = timed(values)
    end = (history[-1][0] if history else 0) + 2 * DEBOUNCE_MS
    once = Debouncer(DEBOUNCE_MS, occupied)
    often = Debouncer(DEBOUNCE_MS, occupied)
    found: list[Edge] = []
    for at, cell, value in history:
        once.feed(at / 1000, cell, value)
        while (deadline := often.deadline) is not None and deadline <= at / 1000:
            new = often.advance(deadline)
            assert new, "a deadline decides something"
            found += new
        often.feed(at / 1000, cell, value)
        assert often.undecided_cells == often.raw ^ often.occupied
    found += often.advance(end / 1000)
    assert sorted(found, key=lambda edge: (edge.t, edge.cell)) == once.advance(end / 1000)


@given(
    st.lists(st.tuples(st.integers(0, 100), st.sampled_from([A, B, C]), st.integers(1, DEBOUNCE_MS - 1)), max_size=30)
)
def test_pulses_shorter_than_the_debounce_change_nothing(pulses: list[tuple[int, Cell, int]]) -> None:
    debouncer = Debouncer(DEBOUNCE_MS, frozenset({B}))
    at = 0
    for pause, cell, length in pulses:
        at += pause
        debouncer.feed(at / 1000, cell, cell != B)
        at += length
        debouncer.feed(at / 1000, cell, cell == B)
        assert not debouncer.undecided
    assert debouncer.advance(at / 1000 + 1) == []
    assert debouncer.occupied == {B}


def test_an_edge_bears_the_time_of_the_last_raw_edge() -> None:
    debouncer = Debouncer(DEBOUNCE_MS, frozenset())
    for at, value in [(1.000, True), (1.005, False), (1.011, True)]:
        assert debouncer.feed(at, A, value)
    assert debouncer.deadline == pytest.approx(1.051)
    assert debouncer.advance(1.0509) == []
    assert debouncer.undecided
    assert debouncer.advance(1.051) == [Edge(1.011, A, True)]


def test_edges_come_in_the_order_of_time_then_cell() -> None:
    debouncer = Debouncer(DEBOUNCE_MS, frozenset({A}))
    debouncer.feed(1.0, C, True)
    debouncer.feed(1.0, B, True)
    debouncer.feed(1.01, A, False)
    assert debouncer.advance(2.0) == [Edge(1.0, B, True), Edge(1.0, C, True), Edge(1.01, A, False)]


def test_a_repeated_reading_is_no_edge() -> None:
    debouncer = Debouncer(DEBOUNCE_MS, frozenset())
    assert debouncer.feed(1.0, A, True)
    assert not debouncer.feed(1.03, A, True)
    assert debouncer.advance(1.04) == [Edge(1.0, A, True)]


def test_a_change_at_the_very_deadline_comes_too_late() -> None:
    debouncer = Debouncer(DEBOUNCE_MS, frozenset())
    debouncer.feed(1.25, A, True)
    debouncer.feed(1.29, A, False)
    assert debouncer.deadline == pytest.approx(1.29), "the first edge is decided and waits to be asked for"
    assert debouncer.advance(1.29) == [Edge(1.25, A, True)]
    assert debouncer.advance(1.33) == [Edge(1.29, A, False)]


def test_a_deadline_is_reached_whatever_the_rounding() -> None:
    for ms in range(0, 100_000, 7):
        debouncer = Debouncer(DEBOUNCE_MS, frozenset())
        debouncer.feed(ms / 1000, A, True)
        assert debouncer.advance((ms + DEBOUNCE_MS) / 1000)


def test_a_whole_reading_counts_as_what_differs_in_it() -> None:
    debouncer = Debouncer(DEBOUNCE_MS, frozenset({A, B}))
    assert debouncer.feed_frame(1.0, frozenset({B, C})) == {A, C}
    assert debouncer.feed_frame(1.02, frozenset({B, C})) == frozenset()
    assert debouncer.advance(1.04) == [Edge(1.0, A, False), Edge(1.0, C, True)]
    assert debouncer.occupied == {B, C}


def test_late_news_counts_as_just_arrived() -> None:
    debouncer = Debouncer(DEBOUNCE_MS, frozenset())
    debouncer.feed(2.0, A, True)
    debouncer.feed(1.0, B, True)
    assert debouncer.advance(2.04) == [Edge(2.0, A, True), Edge(2.0, B, True)]


def test_without_debounce_everything_is_decided_at_once() -> None:
    debouncer = Debouncer(0, frozenset())
    debouncer.feed(1.0, A, True)
    assert debouncer.deadline == 1.0
    assert debouncer.advance(1.0) == [Edge(1.0, A, True)]


def test_a_negative_time_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 0 or more, got -1"):
        Debouncer(-1, frozenset())
