"""Plans: whatever the habits, a plan carried out makes exactly the move, in times of the contract."""

import dataclasses
import itertools
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from hardware.news import Cell
from hardware.simulated.fingers import Fingers
from hardware.simulated.gestures import Act, Gesture, Intention
from hardware.simulated.habits import PROFILES
from hardware.simulated.plans import Plan, plan_move, plan_plainly, plan_takeback
from tests.hardware.table import BEFORE, FakeTable, a_move, cell, cells, pieces

SEEDS = range(150)
QUIET = dataclasses.replace(a_move(), victims=(), after={**BEFORE, cell("d5"): "t"})


def plans(name: str, intention: Intention | None = None) -> Iterator[Plan]:
    for seed in SEEDS:
        yield plan_move(intention or a_move(), PROFILES[name], random.Random(seed))


def carried_out(plan: Plan, intention: Intention) -> FakeTable:
    table = FakeTable(intention.before)
    fingers = Fingers(table)
    fingers.late.update({victim: intention.before[victim] for victim in intention.victims})
    for gesture in plan.gestures:
        fingers.make(gesture.t, "attackers", gesture)
    assert fingers.empty
    return table


@pytest.mark.parametrize("name", PROFILES)
def test_a_plan_makes_the_move(name: str) -> None:
    intention = a_move()
    for plan in plans(name):
        times = [gesture.t for gesture in plan.gestures]
        assert times[0] == 0
        assert times == sorted(times)
        left = {*plan.late, *(victim for victim, _ in plan.elsewhere)}
        expected = dict(intention.after) | {victim: intention.before[victim] for victim in left}
        assert carried_out(plan, intention).pieces == expected
        assert [gesture.cell for gesture in plan.gestures if gesture.last and gesture.onto is None] + [
            gesture.onto for gesture in plan.gestures if gesture.last and gesture.onto is not None
        ] == [intention.destination]


def of_cell(plan: Plan, act: Act, place: Cell) -> list[float]:
    return [gesture.t for gesture in plan.gestures if gesture.act is act and gesture.cell == place]


def test_careful_hands_carry_and_take_off_one_after_the_other() -> None:
    intention = a_move(victims=cells("c5 e3"), after={})
    firsts = set()
    for plan in plans("careful", intention):
        assert [gesture.act for gesture in plan.gestures] == [Act.LIFT, Act.DROP, Act.BOX, Act.BOX]
        times = [gesture.t for gesture in plan.gestures]
        assert all(0.3 <= later - earlier <= 2 for earlier, later in itertools.pairwise(times))
        firsts.add(plan.gestures[2].cell)
    assert firsts == set(intention.victims)


def test_sliders_pass_every_square_stop_and_overshoot() -> None:
    used: Counter[str] = Counter()
    for plan in plans("slider", QUIET):
        used.update(plan.used)
        track = [g.onto if g.act is Act.SLIDE else g.cell for g in plan.gestures if g.act in (Act.DROP, Act.SLIDE)]
        assert track[:3] == list(cells("d7 d6 d5"))
        assert set(track[3:]) <= {*cells("d4 d3 d5")}
        assert all(gesture.overlap_s < 0.25 for gesture in plan.gestures)
    assert used["slide"] == len(SEEDS)
    stopping = sum(plan.used.count("stop") > 0 for plan in plans("slider", QUIET))
    assert 0.45 < stopping / len(SEEDS) < 0.75
    assert 0.05 < used["overshoot"] / len(SEEDS) < 0.25
    assert used["overlap"] > 0


def test_a_stop_is_long_and_a_passing_short() -> None:
    for plan in plans("slider", QUIET):
        if plan.used.count("stop") or "overshoot" in plan.used or "overlap" in plan.used:
            continue
        drops = [gesture.t for gesture in plan.gestures if gesture.act is Act.DROP]
        assert drops[-1] <= 3 * 0.25


@pytest.mark.parametrize(
    ("name", "habit", "low", "high"), [("bumper", "bump", 0.2, 0.4), ("fidgeter", "fidget", 0.4, 0.6)]
)
def test_other_pieces_come_back_where_they_stood(name: str, habit: str, low: float, high: float) -> None:
    doing = [plan for plan in plans(name) if habit in plan.used]
    assert low < len(doing) / len(SEEDS) < high
    for plan in doing:
        part = {*cells("d8 d7 d6 d5 c5 d9 b8")}
        others = [gesture for gesture in plan.gestures if gesture.cell not in part]
        lifts = Counter(gesture.cell for gesture in others if gesture.act is Act.LIFT)
        assert lifts == Counter(gesture.cell for gesture in others if gesture.act is Act.DROP)
        assert 1 <= lifts.total() <= (2 if habit == "bump" else 3)
        if habit == "fidget":
            assert all(BEFORE[place] == "t" for place in lifts)


def test_a_tried_square_is_another_legal_one() -> None:
    tried = [plan for plan in plans("fidgeter") if "tried-square" in plan.used]
    assert tried
    assert all(
        any(gesture.act is Act.DROP and gesture.cell in cells("d9 b8") for gesture in plan.gestures) for plan in tried
    )


def test_victims_go_in_every_order() -> None:
    orders: Counter[str] = Counter()
    for plan in plans("victim-first"):
        gone, up, down = of_cell(plan, Act.BOX, cell("c5"))[0], of_cell(plan, Act.LIFT, cell("d8"))[0], plan_end(plan)
        orders[
            "before" if gone < up - 0.1 else "together" if gone <= up + 0.1 else "between" if gone <= down else "after"
        ] += 1
        wrong = [gesture for gesture in plan.gestures if gesture.cell in cells("e3 f6 e5")]
        assert len(wrong) in (0, 2)
        assert bool(wrong) == ("wrong-victim" in plan.used)
        if wrong:
            assert 0.5 <= wrong[1].t - wrong[0].t <= 3
    assert min(orders[kind] for kind in ("before", "together", "between", "after")) >= 5


def plan_end(plan: Plan) -> float:
    return next(gesture.t for gesture in plan.gestures if gesture.last)


def test_hasty_hands_lift_two_pieces_or_leave_the_victim() -> None:
    used: Counter[str] = Counter()
    for plan in plans("hasty"):
        used.update(plan.used)
        assert bool(plan.late) == ("late-victims" in plan.used)
        if "both-hands" in plan.used:
            assert abs(of_cell(plan, Act.BOX, cell("c5"))[0] - of_cell(plan, Act.LIFT, cell("d8"))[0]) <= 0.1
    assert used["late-victims"] > 20
    assert used["both-hands"] > 20
    assert any("both-hands" in plan.used for plan in plans("hasty", QUIET))


def test_children_lay_victims_elsewhere() -> None:
    elsewhere = [pair for plan in plans("child") for pair in plan.elsewhere]
    assert elsewhere
    assert {victim for victim, _ in elsewhere} == {cell("c5")}
    assert {square for _, square in elsewhere} == set(cells("a1 b2 c9"))


def test_a_takeback_undoes_the_move_in_any_order() -> None:
    intention = a_move()
    firsts = set()
    for seed in SEEDS:
        table = FakeTable(intention.after, boxed="T")
        fingers = Fingers(table)
        plan = plan_takeback(intention, random.Random(seed))
        for gesture in plan.gestures:
            fingers.make(gesture.t, "attackers", gesture)
        assert table.pieces == intention.before
        firsts.add(plan.gestures[0].act)
    assert firsts == {Act.LIFT, Act.UNBOX}


def test_plain_is_plain() -> None:
    plan = plan_plainly(a_move(), random.Random(1))
    assert [gesture.act for gesture in plan.gestures] == [Act.LIFT, Act.DROP, Act.BOX]
    assert not plan.used


def test_the_same_dice_give_the_same_plan() -> None:
    assert list(plans("child")) == list(plans("child"))


def test_fingers_leave_out_what_cannot_be_done() -> None:
    table = FakeTable(pieces(t="a1 b1"))
    fingers = Fingers(table)
    for gesture in (
        Gesture(0, Act.LIFT, cell("c1")),  # nothing there
        Gesture(0, Act.DROP, cell("c1")),  # nothing held
        Gesture(0, Act.BOX, cell("a1")),  # not captured
        Gesture(0, Act.UNBOX, cell("a1"), piece="t"),  # taken
    ):
        fingers.make(0.0, "attackers", gesture)
    assert table.done == []
    fingers.make(1.0, "attackers", Gesture(0, Act.SLIDE, cell("a1"), onto=cell("b1")))  # over a piece it is lifted
    assert table.pieces == pieces(t="b1")
    assert not fingers.empty
    fingers.make(1.1, "attackers", Gesture(0, Act.DROP, cell("b1")))
    assert not fingers.empty
    assert fingers.put_back(2.0, "defenders")
    assert fingers.put_back(2.0, "attackers")
    assert table.pieces == pieces(t="a1 b1")
    assert fingers.touched_s == 1.1
