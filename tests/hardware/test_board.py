"""The simulated board's physical side: what hands can do to pieces, and what they cannot."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.errors import HandError
from hardware.news import Cell, Changed
from hardware.simulated.board import Held, SimulatedBoard

SIZE = 5
A1, B1, C1, E5 = Cell(0), Cell(1), Cell(2), Cell(24)


def board(boxed: tuple[str, ...] = ()) -> SimulatedBoard:
    return SimulatedBoard(SIZE, {A1: "t", B1: "T", E5: "K"}, Random(1), boxed=boxed)


def test_a_piece_goes_from_its_place_into_the_hand_and_down_again() -> None:
    one = board()
    assert one.lift(1.0, A1) == "t"
    assert list(one.in_hand) == [Held("t", A1)]
    assert A1 not in one.pieces
    one.drop(2.0, C1, "t")
    assert list(one.in_hand) == []
    assert one.pieces == {C1: "t", B1: "T", E5: "K"}
    assert one.news_until(3.0) == [Changed(1.0, (A1,), False), Changed(2.0, (C1,), True)]


def test_the_piece_put_down_is_the_one_named_or_the_one_taken_last() -> None:
    one = board()
    for cell in (A1, B1, E5):
        one.lift(1.0, cell)
    one.drop(2.0, C1, "T")
    one.drop(3.0, B1)
    assert one.pieces == {C1: "T", B1: "K"}
    assert one.in_hand == (Held("t", A1),)


def test_a_slid_piece_is_read_on_both_places_for_a_moment() -> None:
    one = board()
    one.slide(1.0, B1, C1, overlap_s=0.1)
    assert one.pieces[C1] == "T"
    assert B1 not in one.pieces
    assert one.news_until(2.0) == [Changed(1.0, (C1,), True), Changed(1.1, (B1,), False)]


def test_a_victim_goes_into_the_box_and_may_come_out() -> None:
    one = board(boxed=("t",))
    one.box(1.0, B1)
    assert list(one.boxed) == ["t", "T"]
    one.unbox(2.0, C1, "t")
    assert list(one.boxed) == ["T"]
    assert one.pieces == {A1: "t", C1: "t", E5: "K"}
    assert one.news_until(3.0) == [Changed(1.0, (B1,), False), Changed(2.0, (C1,), True)]


def test_the_hand_reaches_the_box_without_the_board() -> None:
    one = board(boxed=("T",))
    one.lift(1.0, A1)
    assert one.put_away() == "t"
    one.take_out("T")
    assert one.in_hand == (Held("T", None),)
    assert one.boxed == ("t",)
    assert one.news_until(2.0) == [Changed(1.0, (A1,), False)]


def test_what_no_hand_can_do_is_refused_and_changes_nothing() -> None:
    one = board()
    one.lift(1.0, B1)
    before = dict(one.pieces), one.in_hand, one.boxed
    with pytest.raises(HandError, match="lift: expected a piece on 2, got none"):
        one.lift(2.0, C1)
    with pytest.raises(HandError, match="drop: expected 0 empty, got t on it"):
        one.drop(2.0, A1)
    with pytest.raises(HandError, match="drop: expected a place of 0 to 24, got 25"):
        one.drop(2.0, Cell(25))
    with pytest.raises(HandError, match="drop: expected 'K' in the hand"):
        one.drop(2.0, C1, "K")
    with pytest.raises(HandError, match="slide: expected 24 empty, got K on it"):
        one.slide(2.0, A1, E5)
    with pytest.raises(HandError, match="slide: expected a piece on 1, got none"):
        one.slide(2.0, B1, C1)
    with pytest.raises(HandError, match="unbox: expected one of"):
        one.unbox(2.0, C1, "t")
    with pytest.raises(HandError, match="take out: expected one of"):
        one.take_out("t")
    with pytest.raises(HandError, match="box: expected a piece on 2, got none"):
        one.box(2.0, C1)
    assert (dict(one.pieces), one.in_hand, one.boxed) == before
    one.drop(2.0, B1)
    with pytest.raises(HandError, match="put away: expected a piece in the hand"):
        one.put_away()


def test_time_does_not_run_backwards() -> None:
    one = board()
    one.news_until(5.0)
    with pytest.raises(HandError, match=r"expected a time of 5\.000000 s or later, got 4\.000000 s"):
        one.lift(4.0, A1)


def test_what_stands_where_cannot_be_changed_from_outside() -> None:
    pieces = board().pieces
    with pytest.raises(TypeError):
        pieces[C1] = "t"  # type: ignore[index]  # that it is refused is the point


acts = st.tuples(
    st.sampled_from(["lift", "drop", "slide", "box", "unbox", "put away", "take out"]),
    st.integers(0, SIZE * SIZE - 1).map(Cell),
    st.integers(0, SIZE * SIZE - 1).map(Cell),
    st.sampled_from(["t", "T", "K"]),
)


@given(st.lists(acts, max_size=60))
def test_no_piece_is_ever_lost_or_made(todo: list[tuple[str, Cell, Cell, str]]) -> None:
    one = board(boxed=("t", "t"))
    t = 0.0
    for act, cell, other, piece in todo:
        t += 0.1
        try:
            match act:
                case "lift":
                    one.lift(t, cell)
                case "drop":
                    one.drop(t, cell, piece)
                case "slide":
                    one.slide(t, cell, other, 0.01)
                case "box":
                    one.box(t, cell)
                case "unbox":
                    one.unbox(t, cell, piece)
                case "put away":
                    one.put_away()
                case _:
                    one.take_out(piece)
        except HandError:
            pass
        everything = [*one.pieces.values(), *one.boxed, *(held.piece for held in one.in_hand)]
        assert sorted(everything) == ["K", "T", "t", "t", "t"]
    one.news_until(t + 1)
    assert one.read() == set(one.pieces)
