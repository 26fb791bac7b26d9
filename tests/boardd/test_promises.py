"""What tracking promises, whatever the hands do: properties of whole games acted out by hands with habits."""

import json
import random
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boardd.replay import replay
from engine import Square, square_name
from tests.traces.acting import GENTLE, REST_S, Acted, Plan, Style, act
from tests.traces.answers import Json, Lights, run, spoken, without_times
from tests.traces.following import Follower, assert_comes_to_rest, assert_contract, driven, monkey
from tests.traces.positions import begun
from tests.traces.script import boards

SIZE = 9
ERRORS = ("illegal", "mismatch", "question", "sensor")
calm = settings(
    derandomize=True, deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow], database=None
)


def plans(styles: Sequence[Style], most: int = 8) -> st.SearchStrategy[list[Plan]]:
    one = st.builds(
        Plan,
        pick=st.integers(0, 500),
        style=st.sampled_from(styles),
        takes=st.booleans(),
        back=st.booleans(),
        chance=st.integers(0, 10_000),
    )
    return st.lists(one, min_size=1, max_size=most)


seeds = st.integers(0, 100_000)


# Reading the output as a script would.


def followed(acted: Acted, events: Sequence[Json]) -> Follower:
    """Follow the events, and hold the game against what the hands meant at every rest."""
    follower = Follower(acted.lines[0])
    left = list(spoken(events))
    for t, moves in acted.checkpoints:
        while left and left[0]["t"] <= t:
            follower.take(left.pop(0))
        assert follower.texts() == moves
    for event in left:
        follower.take(event)
    assert list(follower.texts()) == events[-1]["moves"]
    assert follower.game.position == events[-1]["position"]
    return follower


def unwanted(events: Sequence[Json]) -> list[Json]:
    return [event for event in events if event["event"] in ERRORS]


# The promises.


@calm
@given(seeds, plans(GENTLE))
def test_the_game_is_the_one_that_the_hands_meant(seed: int, wanted: list[Plan]) -> None:
    acted = act(begun(seed), wanted)
    events = run(acted.lines)
    assert_contract(events)
    follower = followed(acted, events)
    assert follower.moves == len(acted.moves)  # one `move` a ply
    assert not unwanted(events)


@calm
@given(seeds, plans(tuple(Style)))
def test_no_move_is_invented_and_none_missed(seed: int, wanted: list[Plan]) -> None:
    acted = act(begun(seed), wanted)
    events = run(acted.lines)
    assert_contract(events)
    follower = followed(acted, events)
    assert follower.moves == len(acted.moves) + acted.takebacks
    assert [event["event"] for event in events].count("takeback") == acted.takebacks


@calm
@given(seeds, plans((Style.HASTY, Style.PLAIN, Style.SLIDE), most=10))
def test_replies_may_follow_at_once(seed: int, wanted: list[Plan]) -> None:
    acted = act(begun(seed), wanted)
    events = run(acted.lines)
    followed(acted, events)
    assert not unwanted(events)


@calm
@given(seeds, plans((Style.PLAIN,), most=10), st.integers(1, 6), st.booleans(), st.integers(0, 1000))
def test_a_takeback_restores_announcements_and_repetition(
    seed: int, wanted: list[Plan], back: int, by_hand: bool, chance: int
) -> None:
    shuttle = [Plan(plan.pick, plan.style, takes=False, back=True, chance=plan.chance) for plan in wanted]
    game = begun(seed)
    acted = act(game, wanted + shuttle)
    if game.result is not None:
        return
    rng = random.Random(chance)
    lines, t = acted.lines[:-1], acted.lines[-1]["t"]
    undone = []
    for _ in range(min(back, len(game.plies))):
        move = game.undo().move
        undone.append(move)
        steps = [("lift", move.destination), ("drop", move.origin), *(("drop", square) for square in move.captures)]
        if not by_hand:
            lines.append({"t": t, "command": "takeback"})
        for word, square in steps:
            t = round(t + rng.uniform(0.1, 1.0), 3)
            lines.append({"t": t, word: square_name(square, game.size)})
        t = round(t + REST_S, 3)
    for move in reversed(undone):
        for word, square in [("lift", move.origin), ("drop", move.destination)]:
            lines.append({"t": t, word: square_name(square, game.size)})
            t = round(t + 0.5, 3)
        t = round(t + REST_S, 3)
        for square in move.captures:
            lines.append({"t": t, "lift": square_name(square, game.size)})
            t = round(t + 0.5, 3)
        game.play(move)
    events = run([*lines, {"t": t, "end": True}])
    plies = [event for event in without_times(events) if event["event"] == "move"]
    assert [event["event"] for event in events].count("takeback") == len(undone)
    assert plies[-len(undone) :] == plies[-2 * len(undone) : -len(undone)]
    assert tuple(events[-1]["moves"]) == acted.moves


@calm
@given(seeds, plans((Style.PLAIN,), most=3), st.lists(st.integers(0, 80), min_size=1, max_size=4), st.integers(0, 1000))
def test_lifted_and_put_back_says_nothing(seed: int, wanted: list[Plan], picks: list[int], chance: int) -> None:
    game = begun(seed)
    acted = act(game, wanted)
    if game.result is not None:
        return
    rng = random.Random(chance)
    lines, began = acted.lines[:-1], acted.lines[-1]["t"]
    standing = sorted(game.occupied)
    hand = sorted({standing[pick % len(standing)] for pick in picks})
    t = began
    for word in ("lift", "drop"):
        for square in rng.sample(hand, len(hand)):
            lines.append({"t": t, word: square_name(square, game.size)})
            t = round(t + rng.choice((rng.uniform(0.01, 0.1), rng.uniform(0.1, 1.0), rng.uniform(1.0, 20.0))), 3)
    t = lines[-1]["t"]
    events = run([*lines, {"t": t + 30.0, "end": True}])
    assert [event for event in spoken(events) if event["t"] >= began] == events[-1:]
    lights = Lights(events)
    assert lights.at(t + 0.1) == lights.at(began - 0.01) == lights.at(t + 30.0)


@calm
@given(seeds, plans(GENTLE, most=5), st.integers(0, 1000))
def test_bounce_changes_nothing_but_times(seed: int, wanted: list[Plan], chance: int) -> None:
    acted = act(begun(seed), wanted)
    rng = random.Random(chance)
    lines = [acted.lines[0]]
    for line in acted.lines[1:]:
        lines.append(line)
        word = "lift" if "lift" in line else "drop" if "drop" in line else None
        if word is None:
            continue
        times = sorted(round(line["t"] + rng.uniform(0.001, 0.035), 4) for _ in range(2 * rng.randint(0, 4)))
        for number, t in enumerate(times):
            away = {"lift": "drop", "drop": "lift"}[word]
            lines.append({"t": t, (word if number % 2 else away): line[word]})
    lines[1:] = sorted(lines[1:], key=lambda line: float(line["t"]))
    assert without_times(run(lines)) == without_times(run(acted.lines))


@calm
@given(seeds, plans(tuple(Style), most=5), st.lists(st.floats(0, 1), min_size=1, max_size=3))
def test_a_restart_at_any_instant_loses_no_ply_and_repeats_none(
    seed: int, wanted: list[Plan], instants: list[float]
) -> None:
    acted = act(begun(seed), wanted)
    body, until = acted.lines[1:], acted.lines[-1]["t"]
    cuts: list[Json] = [{"t": round(instant * until, 3), "restart": True} for instant in instants]
    lines = [acted.lines[0], *sorted([*body, *cuts], key=lambda line: float(line["t"]))]
    events = run(lines)
    assert_contract(events)
    follower = Follower(lines[0])
    for event in events:
        follower.take(event)  # a ply lost or repeated would not fit
    assert list(follower.texts()) == events[-1]["moves"]


@calm
@given(seeds, plans((Style.PLAIN, Style.SLIDE, Style.VICTIMS_FIRST, Style.FIDGET), most=4), st.floats(0, 1))
def test_after_a_restart_the_hands_can_go_on(seed: int, wanted: list[Plan], instant: float) -> None:
    """Cut the power anywhere; finish the ply that was begun, say yes to what the board asks, and nothing is lost."""
    acted = act(begun(seed), wanted)
    cut = round(instant * acted.checkpoints[-1][0], 3)
    rest = next(t for t, _ in acted.checkpoints if t >= cut)
    before = [line for line in acted.lines if line.get("t", 0.0) <= rest]
    before.append({"t": cut, "restart": True})
    lines = [acted.lines[0], *sorted(before[1:], key=lambda line: float(line["t"]))]
    lines += [{"t": rest + 4.0, "command": "confirm"}, {"t": rest + 8.0, "end": True}]
    events = run(lines)
    assert tuple(events[-1]["moves"]) == next(moves for t, moves in acted.checkpoints if t >= cut)


@calm
@given(seeds, plans(tuple(Style), most=4), st.floats(0, 1))
def test_no_timer_arms_itself_without_news(seed: int, wanted: list[Plan], part: float) -> None:
    acted = act(begun(seed), wanted)
    lines = acted.lines[: 2 + int(part * (len(acted.lines) - 2))]
    assert_comes_to_rest(*driven(lines))


# Hands that do anything.

squares = st.integers(0, SIZE * SIZE - 1).map(lambda square: square_name(Square(square), SIZE))
pauses = st.one_of(st.integers(0, 60), st.integers(60, 700), st.integers(700, 12_000)).map(lambda ms: ms / 1000)
deeds = st.one_of(
    st.tuples(st.sampled_from(["lift", "drop", "toggle"]), squares),
    st.tuples(st.sampled_from(["lift", "drop", "toggle"]), squares),
    st.tuples(st.just("carry"), st.integers(0, 500)),
    st.tuples(st.just("carry"), st.integers(0, 500)),
    st.tuples(st.just("scan"), st.none()),
    st.tuples(
        st.just("command"), st.sampled_from(["takeback", "new-game", "confirm", "cancel", "hint", "resign", "draw"])
    ),
    st.tuples(st.just("restart"), st.none()),
)
"""`carry` makes one of the moves that are legal at the start of the trace, or its way back."""


@settings(calm, max_examples=80)
@given(seeds, st.lists(st.tuples(deeds, pauses), min_size=1, max_size=25))
def test_whatever_hands_do_the_output_holds_together(seed: int, done: list[tuple[tuple[str, object], float]]) -> None:
    game = begun(seed)
    header: Json = {"konakis": 1, "rules": game.book.name, "position": game.start, "side": game.first_side.value}
    lines = monkey(header, done)
    events = run([*lines, {"t": lines[-1]["t"] + 20.0, "end": True}])
    assert_contract(events)
    follower = Follower(header)
    for event in events:
        follower.take(event)
    assert list(follower.texts()) == events[-1]["moves"]
    assert follower.game.position == events[-1]["position"]
    assert_made(lines, events)
    assert_comes_to_rest(*driven(lines))


def assert_made(lines: Sequence[Json], events: Sequence[Json]) -> None:
    """Every accepted move was to be seen: its origin empty and its destination occupied, since the decision before."""
    decided = 0.0
    for event in spoken(events):
        if event["event"] in ("move", "amend"):
            origin, _, destination = event["move"].partition("-")
            shown = [board for t, board in boards(lines) if decided - 1.5 <= t <= event["t"]]
            assert any(origin not in board and destination in board for board in shown)
        if event["event"] in ("move", "takeback", "new-game"):
            decided = event["t"]


def test_a_replay_needs_no_clock() -> None:
    """A day passes in a trace as fast as the machine allows."""
    lines = [{"konakis": 1, "rules": "tablut-edge"}, {"t": 0.0, "lift": "a4"}, {"t": 86_400.0, "drop": "d4"}]
    lines.append({"t": 86_401.0, "end": True})
    events = list(replay([json.dumps(line) for line in lines], "day"))
    assert [event.name for event in events] == ["ready", "move", "ready", "end"]
    assert events[1].t == pytest.approx(86_400.2)
