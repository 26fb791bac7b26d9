"""The table of habits is the contract's, row by row."""

import dataclasses
import random

import pytest

from hardware.simulated.habits import BORROWED, MIXED, PROFILE_NAMES, PROFILES, Habits, Span, draw_habits

CONTRACT: dict[str, dict[str, object]] = {
    "careful": {"air": Span(0.3, 2.0), "victim": Span(0.3, 2.0), "between": Span(0.5, 5.0)},
    "slider": {"square": Span(0.03, 0.25), "stop_share": 0.6, "stop": Span(0.1, 1.5), "overshoot_share": 0.15},
    "bumper": {"bump_share": 0.3, "bump": Span(0.05, 5.0)},
    "fidgeter": {"fidget_share": 0.5},
    "victim-first": {"wrong_victim": Span(0.5, 3.0)},
    "hasty": {"between": Span(0.05, 0.3), "instant": True},
    "child": {"borrows": True},
}

SOMETIMES = {
    "slider": ["slide_share"],
    "fidgeter": ["tried_share", "takeback_share"],
    "victim-first": ["victim_first_share", "wrong_victim_share"],
    "hasty": ["both_hands_share", "late_victims_share"],
    "child": ["elsewhere_share", "illegal_share", "out_of_turn_share"],
}


@pytest.mark.parametrize("name", CONTRACT)
def test_each_row_has_the_contracts_figures(name: str) -> None:
    row = dataclasses.asdict(PROFILES[name])
    for field, value in CONTRACT[name].items():
        assert row[field] == (dataclasses.asdict(value) if isinstance(value, Span) else value), field


@pytest.mark.parametrize("name", SOMETIMES)
def test_what_a_row_does_sometimes_it_does(name: str) -> None:
    row = dataclasses.asdict(PROFILES[name])
    assert all(0 < row[field] <= 1 for field in SOMETIMES[name])


def test_the_table_is_whole_and_in_range() -> None:
    assert list(PROFILES) == list(CONTRACT)
    assert (*PROFILES, MIXED) == PROFILE_NAMES
    for row in PROFILES.values():
        for field in dataclasses.fields(Habits):
            value = getattr(row, field.name)
            if isinstance(value, Span):
                assert 0 <= value.low_s < value.high_s <= 5, field.name
            elif isinstance(value, float):
                assert 0 <= value <= 1, field.name


def test_a_child_borrows_from_every_other_row() -> None:
    assert {row.name for row in BORROWED} == set(PROFILES) - {"child"}


def test_times_are_drawn_anew_within_the_span() -> None:
    dice, span = random.Random(1), Span(0.05, 5.0)
    for draw in (span.draw, span.draw_by_scale):
        times = [draw(dice) for _ in range(500)]
        assert all(span.low_s <= time <= span.high_s for time in times)
        assert len(set(times)) > 400
    short = sum(span.draw_by_scale(dice) < 0.5 for _ in range(500))
    assert 200 < short < 300  # as many bumps of a twentieth to half a second as of half a second to five


def test_mixed_draws_every_other_profile() -> None:
    dice = random.Random(1)
    assert {draw_habits(MIXED, dice).name for _ in range(200)} == set(PROFILES)
    assert draw_habits("slider", dice) is PROFILES["slider"]


def test_an_unknown_profile_names_the_known_ones() -> None:
    with pytest.raises(KeyError, match=r"wild.*careful.*mixed"):
        draw_habits("wild", random.Random(1))
