"""Which positions can be played, and what is said of those that cannot."""

import pytest

from engine import BOOKS, EngineError, Game, NotationError, PositionError, Side

REFUSED = [
    ("tablut-edge", "/7/7/7/3K3/7/7/7/", r"found 7 x 7 squares, expected 9 x 9 \(tablut-edge\)"),
    ("hnefatafl-11", "/9/9/9/9/4K4/9/9/9/9/", r"found 9 x 9 squares, expected 11 x 11"),
    ("tablut-edge", "/9/9/9/9/9/9/9/9/t8/", "found no king, expected one"),
    ("tablut-edge", "/9/9/9/9/3KK4/9/9/9/t8/", "found 2 kings, expected one"),
    ("tablut-edge", "/9/9/9/9/1K7/9/4t4/9/4K4/", "found 2 kings"),
    ("tablut-edge", "/4K4/9/9/9/9/9/9/9/t8/", "found the king on e1, his goal"),
    ("tablut-edge", "/9/9/9/8K/9/9/9/9/t8/", "found the king on i4, his goal"),
    ("tablut-edge", "/K8/9/9/9/9/9/9/9/t8/", "found the king on a1, his goal"),
    ("tablut-corner", "/K8/9/9/9/9/9/9/9/1t7/", "found the king on a1, his goal"),
    ("hnefatafl-13", "/13/13/13/13/13/13/13/13/13/13/13/13/12K/", "found the king on m13, his goal"),
    ("tablut-edge", "/9/9/9/1K7/4t4/9/9/9/9/", "found t on e5, .* may not stop on the throne"),
    ("tablut-edge", "/9/9/9/1K7/4T4/9/9/9/t8/", "found T on e5, .* may not stop on the throne"),
    ("tablut-corner", "/9/9/9/1K7/4T4/9/9/9/1t7/", "found T on e5"),
    ("tablut-corner", "/t8/9/9/1K7/9/9/9/9/9/", "found t on a1, .* may not stop on a corner"),
    ("tablut-corner", "/9/9/9/1K7/9/9/9/9/8T/", "found T on i9, .* may not stop on a corner"),
]

UNREADABLE = [
    ("", "column 1: found nothing, expected '/'"),
    ("9/9/", "column 1: found '9', expected '/'"),
    ("/9/9", "column 5: found the end, expected '/' after the last rank"),
    ("/", "expected '/' after the last rank"),
    ("/9/9/9/9/9/9/9/9/", "found 8 ranks, expected an odd number of ranks from 7 to 19"),
    ("/9/9/9/9/4K3/9/9/9/9/", "column 13: found 8 squares on rank 5, expected 9"),
    ("/9/9/9/9/4K5/9/9/9/9/", "column 12: found more than 9 squares on rank 5, expected 9"),
    ("/9/9/9/9/4x4/9/9/9/9/", "column 11: found 'x', expected t, T, K, a number or '/'"),
    ("/9/9/9/9/4k4/9/9/9/9/", "column 11: found 'k', expected t, T, K"),
    ("/9/9/9/9/4K4/9/9/9/n8/", "column 20: found 'n', a Berserk knight, expected t, T or K"),
    ("/9/9/9/9/4K4/9/9/9/C8/", "found 'C', a Berserk commander"),
    ("/9/9/9/9/4K4/9/9/9/m8/", "found 'm', a Berserk mercenary"),
    ("/9/9/9/9/4K4/9/9/9/G8/", "found 'G', a Berserk guard"),
    ("/9/9/9/9/4K4/9/9/9/999999999999/", "found more than 9 squares on rank 9"),
    ("/9/9/9/9/4K4/9/9/9/²8/", "found '²'"),
]

PLAYABLE = [
    ("tablut-edge", "/9/9/9/3tKt3/9/9/9/9/9/"),  # between two attackers: he may have walked there
    ("tablut-edge", "/9/9/9/4t4/3tKt3/4t4/9/9/9/"),
    ("tablut-edge", "/t7t/9/9/9/4K4/9/9/9/T7T/"),  # corners are ordinary squares
    ("tablut-edge", "/9/9/9/9/1K7/9/9/9/9/"),  # no attackers
    ("tablut-corner", "/4K4/9/9/9/9/9/9/9/1t7/"),  # an edge is no goal
    ("tablut-corner", "/1tKt5/2t6/9/9/9/9/9/9/9/"),
    ("hnefatafl-11", "/11/11/11/11/11/5K5/11/11/11/11/1t9/"),
]


@pytest.mark.parametrize(("book", "position", "why"), REFUSED)
def test_refused(book: str, position: str, why: str) -> None:
    with pytest.raises(PositionError, match=why):
        Game(BOOKS[book], position=position)


@pytest.mark.parametrize(("position", "why"), UNREADABLE)
def test_unreadable(position: str, why: str) -> None:
    with pytest.raises(NotationError) as caught:
        Game(BOOKS["tablut-edge"], position=position)
    assert why in str(caught.value)
    assert isinstance(caught.value, EngineError)


@pytest.mark.parametrize(("book", "position"), PLAYABLE)
@pytest.mark.parametrize("side", Side)
def test_playable(book: str, position: str, side: Side) -> None:
    assert Game(BOOKS[book], position=position, side=side).position == position
