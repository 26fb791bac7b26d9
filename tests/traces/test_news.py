"""How news comes makes no difference: more of it, later, noisy, or with gaps that a whole reading mends."""

import json
import random

import pytest

from boardd.trace import Asked, Ended, read_trace
from boardd.tracking import Tracker
from hardware.news import Changed, Scan
from tests.traces.acting import GENTLE, Acted, Plan, Style, act
from tests.traces.answers import Json, run, spoken, without_times
from tests.traces.positions import begun
from tests.traces.script import REFUSALS, boards, neighbours

seeds = pytest.mark.parametrize("seed", range(12))
PATIENT = (Style.PLAIN, Style.VICTIMS_FIRST, Style.FIDGET, Style.TAKEBACK, Style.LONG)
SAME_TIME_S = 0.002


def acted(rng: random.Random, styles: tuple[Style, ...] = tuple(Style), most: int = 4) -> Acted:
    plans = [
        Plan(rng.randrange(500), rng.choice(styles), rng.random() < 0.6, rng.random() < 0.3, rng.randrange(10_000))
        for _ in range(rng.randint(1, most))
    ]
    return act(begun(rng.randrange(10**6)), plans)


@seeds
def test_whole_readings_at_any_time_change_nothing(seed: int) -> None:
    rng = random.Random(f"scans {seed}")
    told = acted(rng)
    lines = [told.lines[0]]
    for line, (t, board), after in zip(told.lines[1:], boards(told.lines)[1:], told.lines[2:], strict=False):
        lines.append(line)
        for _ in range(rng.randint(0, 2)):
            t = round(rng.uniform(t, after["t"]), 4)
            lines.append({"t": t, "scan": sorted(board)})
    lines.append(told.lines[-1])
    assert_alike(run(lines), run(told.lines))


@seeds
def test_changes_told_again_change_nothing(seed: int) -> None:
    rng = random.Random(f"again {seed}")
    told = acted(rng)
    lines = [told.lines[0]]
    for line, after in zip(told.lines[1:], told.lines[2:], strict=False):
        lines.append(line)
        if "command" not in line and rng.random() < 0.5:
            lines.append(line | {"t": round(rng.uniform(line["t"], after["t"]), 4)})
    lines.append(told.lines[-1])
    assert_alike(run(lines), run(told.lines))


def assert_alike(first: list[Json], second: list[Json]) -> None:
    assert without_times(first) == without_times(second)
    pairs = zip(spoken(first), spoken(second), strict=True)
    assert all(abs(one["t"] - other["t"]) < SAME_TIME_S for one, other in pairs)


@seeds
@pytest.mark.parametrize("later", [1_000.0, 1_750_000_000.0])
def test_the_hour_makes_no_difference(seed: int, later: float) -> None:
    told = acted(random.Random(f"hour {seed}"))
    shifted = [told.lines[0], *(line | {"t": round(line["t"] + later, 4)} for line in told.lines[1:])]
    first, second = run(told.lines), run(shifted)
    assert without_times(first) == without_times(second)
    for early, late in zip(spoken(first)[1:], spoken(second)[1:], strict=True):
        assert late["t"] - later == pytest.approx(early["t"], abs=SAME_TIME_S)


@seeds
def test_the_clock_may_tick_as_it_likes(seed: int) -> None:
    rng = random.Random(f"ticks {seed}")
    told = acted(rng)
    assert ticked(told, None) == ticked(told, rng)


def ticked(told: Acted, ticks: random.Random | None) -> list[Json]:
    """Drive a tracker through a trace, with more calls of `advance` than there need be."""
    trace = read_trace([json.dumps(line) for line in told.lines], "trace")
    tracker = Tracker(trace.header.saved, trace.header.settings, occupied=trace.header.occupied)
    before = 0.0
    for line in trace.lines:
        for t in sorted(ticks.uniform(before, line.t) for _ in range(ticks.randint(0, 4))) if ticks else ():
            tracker.advance(t)
        before = line.t
        if isinstance(line, Asked):
            tracker.command(line.t, line.command)
        elif isinstance(line, Changed | Scan):
            tracker.sensed(line)
        else:
            assert isinstance(line, Ended)
            tracker.advance(line.t)
    assert told.game is not None
    return [event.to_json(told.game.size) for event in tracker.drain()]


@seeds
def test_lost_changes_are_mended_by_whole_readings(seed: int) -> None:
    """15% of the changes are lost, their numbers are missing, and the whole board is read each second."""
    rng = random.Random(f"lost {seed}")
    told = acted(rng, PATIENT)
    lines, number, scanned = [told.lines[0]], 0, 1.0
    before = boards(told.lines)[0][1]
    for line, (t, board) in zip(told.lines[1:], boards(told.lines)[1:], strict=True):
        while scanned <= t:
            number += 1
            lines.append({"t": scanned, "scan": sorted(before), "seq": number})
            scanned += 1.0
        before = board
        if "lift" not in line and "drop" not in line:
            lines.append(line)
            continue
        number += 1
        if rng.random() > 0.15:
            lines.append(line | {"seq": number})
    events = run(lines)
    assert tuple(events[-1]["moves"]) == told.moves
    assert [event for event in events if event["event"] in REFUSALS] == []


@seeds
def test_neighbours_flicker_while_a_piece_comes_and_goes(seed: int) -> None:
    rng = random.Random(f"flicker {seed}")
    told = acted(rng, GENTLE)
    assert told.game is not None
    noise: list[Json] = []
    for line, (t, board) in zip(told.lines[1:], boards(told.lines)[1:], strict=True):
        square = line.get("lift") or line.get("drop")
        for other in neighbours(square, told.game.size) if square else ():
            if other not in board and rng.random() < 0.5:
                on = t + rng.uniform(0.001, 0.03)
                noise += [
                    {"t": round(on, 4), "drop": other},
                    {"t": round(on + rng.uniform(0.002, 0.03), 4), "lift": other},
                ]
    lines = [told.lines[0], *sorted([*told.lines[1:], *noise], key=lambda line: float(line["t"]))]
    assert without_times(run(lines)) == without_times(run(told.lines))
