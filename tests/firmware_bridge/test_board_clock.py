"""The board's times on the host's clock."""

import random

import pytest

from firmware_bridge.board_clock import TICKS, BoardClock


def test_the_shortest_delay_counts() -> None:
    clock = BoardClock()
    assert clock.heard(1000, 50.0) == pytest.approx(50.0)
    assert clock.heard(2000, 51.2) == pytest.approx(51.0), "0.2 s late"
    assert clock.heard(3000, 51.99) == pytest.approx(51.99), "a shorter delay than ever"
    assert clock.heard(4000, 53.5) == pytest.approx(52.99)


def test_the_clock_goes_round() -> None:
    clock = BoardClock()
    clock.heard(TICKS - 1000, 50.0)
    assert clock.heard(500, 51.7) == pytest.approx(51.5)
    assert clock.heard(TICKS - 500, 51.8) == pytest.approx(50.5), "an older time after it"
    assert clock.heard(1500, 52.5) == pytest.approx(52.5)


def test_old_samples_are_forgotten_so_that_drift_does_not_add_up() -> None:
    clock = BoardClock()
    for second in range(3600):
        drift = 100e-6 * second
        at = clock.heard(second * 1000, 50.0 + second + drift)
        assert 0 <= 50.0 + second + drift - at < 0.005


@pytest.mark.parametrize("seed", range(3))
def test_no_time_lies_in_the_future(seed: int) -> None:
    rng = random.Random(seed)
    clock = BoardClock()
    now = 10.0
    for _ in range(500):
        now += rng.random()
        delay = rng.random() ** 4
        at = clock.heard(round((now - delay) * 1000) % TICKS, now)
        assert now - delay - 0.001 <= at <= now or at <= now
