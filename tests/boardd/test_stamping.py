from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardd.stamping import LATE_S, OLDEST_S, behind, stamped
from hardware.news import Cell, Changed

NOW = 100.0


def news(t: float) -> Changed:
    return Changed(t, (Cell(3),), occupied=True)


def time_of(t: float, latest: float = 90.0, looked: float = 99.98, now: float = NOW) -> float:
    return stamped(news(t), latest, looked, now).t


@pytest.mark.parametrize(
    ("what", "t", "latest", "looked", "expected"),
    [
        ("made since the last look",                    99.99,    90.0,  99.98, 99.99),
        ("made before it, and told after it",           99.965,   90.0,  99.98, 99.965),
        ("held up on its way",                          97.7,     90.0,  99.98, 97.7),
        ("so long that it cannot have been",            96.0,     90.0,  99.98, 97.0),
        ("we were held up ourselves, and looked late",  95.7,     90.0,  95.5,  95.7),
        ("and it was held up, too",                     95.3,     90.0,  95.5,  95.5),
        ("something was decided meanwhile",             99.965,   99.97, 99.98, 99.97),
        ("the device's clock runs ahead",               200.0,    90.0,  99.98, 100.0),
        ("it is far behind",                            -5.0,     90.0,  99.98, 97.0),
        ("finer than we count",                         99.99004, 90.0,  99.98, 99.99),
    ],
)  # fmt: skip
def test_the_time_of_news(what: str, t: float, latest: float, looked: float, expected: float) -> None:
    assert time_of(t, latest, looked) == pytest.approx(expected, abs=1e-9), what


times = st.floats(-1e4, 1e4)


@given(st.lists(times, min_size=2, max_size=20), times, st.floats(0, 10), st.floats(0, 10))
def test_time_neither_goes_back_nor_runs_ahead(device: list[float], latest: float, since: float, look: float) -> None:
    looked = latest + since
    now = looked + look
    given_times = [latest]
    for t in device:
        given_times.append(time_of(t, given_times[-1], looked, now))
    assert all(before <= after for before, after in pairwise(given_times))
    assert all(t <= now for t in given_times)
    assert all(t >= min(looked, now - OLDEST_S) - 1e-9 for t in given_times[1:])


def test_time_stays_behind_after_news_that_were_held_up_and_only_then() -> None:
    assert behind(news(NOW), NOW) == behind(news(NOW - 0.9 * LATE_S), NOW) == 0.0
    assert behind(news(NOW - 0.5), NOW) == 0.5
