"""Each case of what goes wrong on real boards, varied: other squares, other order, other timing, bounce."""

import random

import pytest

from tests.traces.answers import Trace, differences, run, traces
from tests.traces.variations import MAKERS, Turned, bounced, vary

SEEDS = range(8)
TRACES = traces()
SYMMETRIES = range(1, 8)
COUNTS_EDGES = {2, 12, 15}
"""Cases about single edges nearer to each other than bounce lasts: more bounce makes other cases of them."""
EQUALS = {
    *("held-for-long-twice", "held-for-long-in-parts", "silent-origin-after-a-capture"),
    *("held-for-seven-seconds-is-missed", "alike-and-neither-is-meant"),
    *("victim-that-answered", "out-of-turn-after-a-capture"),
}
"""Where the board asks about one of several moves that are equally likely: another of them on a turned board."""
MADE = [(case, number) for case, makers in MAKERS.items() for number in range(len(makers))]


def made_name(made: tuple[int, int]) -> str:
    case, number = made
    return f"{case:02}-{MAKERS[case][number].__name__}"


@pytest.mark.parametrize("trace", [t for t in TRACES if t.name not in EQUALS], ids=lambda trace: trace.name)
@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_turned_and_mirrored(trace: Trace, symmetry: int) -> None:
    turned = Turned(symmetry, trace.size).trace(trace)
    assert not differences(turned, run(turned.lines))


@pytest.mark.parametrize("trace", [t for t in TRACES if t.case not in COUNTS_EDGES], ids=lambda trace: trace.name)
@pytest.mark.parametrize("seed", range(2))
def test_bounce_changes_nothing_but_times(trace: Trace, seed: int) -> None:
    noisy = bounced(trace, random.Random(f"{trace.name} {seed}"))
    assert not differences(noisy, run(noisy.lines))


@pytest.mark.parametrize("made", MADE, ids=made_name)
@pytest.mark.parametrize("seed", SEEDS)
def test_other_squares_order_and_timing(made: tuple[int, int], seed: int) -> None:
    trace = vary(*made, seed)
    assert not differences(trace, run(trace.lines))


@pytest.mark.parametrize("made", [m for m in MADE if m[0] not in COUNTS_EDGES], ids=made_name)
@pytest.mark.parametrize("seed", range(2))
def test_other_squares_order_and_timing_with_bounce(made: tuple[int, int], seed: int) -> None:
    trace = bounced(vary(*made, 100 + seed), random.Random(f"{made} {seed}"))
    assert not differences(trace, run(trace.lines))


def test_every_case_is_varied() -> None:
    assert all(MAKERS[case] for case in range(1, 28))
