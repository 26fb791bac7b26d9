"""The current of a picture, and the budget that no picture exceeds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.current import Draw
from hardware.errors import BudgetError
from hardware.lights import Picture, black

channel = st.integers(0, 255)
pictures = st.lists(st.tuples(channel, channel, channel), min_size=1, max_size=121).map(tuple)
draws = st.builds(Draw, st.floats(0.1, 60), st.floats(0, 3))


def test_the_current_is_the_datasheet_s() -> None:
    assert Draw().current_ma(((255, 255, 255),) * 81) == pytest.approx(81 * 61)
    assert Draw().current_ma(black(81)) == 81
    assert Draw(channel_ma=12, rest_ma=0.5).current_ma(((255, 0, 51),)) == pytest.approx(0.5 + 12 + 2.4)


@given(pictures, draws, st.floats(0, 8000))
def test_no_picture_exceeds_the_budget(picture: Picture, draw: Draw, above_rest_ma: float) -> None:
    budget_ma = draw.least_budget_ma(len(picture)) + above_rest_ma
    dimmed = draw.within_budget(picture, budget_ma)
    assert draw.current_ma(dimmed) <= budget_ma
    assert len(dimmed) == len(picture)
    assert all(
        new <= old for one, other in zip(dimmed, picture, strict=True) for new, old in zip(one, other, strict=True)
    )


@given(pictures, draws)
def test_a_picture_within_the_budget_is_left_alone(picture: Picture, draw: Draw) -> None:
    assert draw.within_budget(picture, draw.current_ma(picture)) == picture


def test_white_everywhere_uses_the_budget_well() -> None:
    dimmed = Draw().within_budget(((255, 255, 255),) * 81, 1500)
    assert 1450 < Draw().current_ma(dimmed) <= 1500
    assert len(set(dimmed)) == 1, "dimmed evenly"


def test_a_division_that_rounds_up_does_not_exceed_the_budget() -> None:
    draw = Draw(channel_ma=25.7, rest_ma=1.6)
    budget_ma = 17.221568627450978  # one step of a float below the current of a channel sum of 155
    dimmed = draw.within_budget(((255, 0, 0),), budget_ma)
    assert dimmed == ((154, 0, 0),)
    assert draw.current_ma(dimmed) <= budget_ma


def test_a_budget_below_the_rest_is_refused() -> None:
    with pytest.raises(BudgetError, match="expected a budget of 81 mA or more for 81 black pixels, got 80 mA"):
        Draw().within_budget(((9, 9, 9),) * 81, 80)
