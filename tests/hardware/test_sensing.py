"""What simulated sensors make of magnets: bounce, flicker, loss, faults; and that it is the same for one seed."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.debounce import Debouncer
from hardware.health import Condition, FlapDetector
from hardware.news import Cell, Changed, Edge, Frame, News, Scan
from hardware.sensors import Sensors
from hardware.simulated.board import SimulatedBoard
from hardware.simulated.faults import (
    FLAP_BETWEEN,
    FLAWLESS,
    HARD_BOUNCE,
    LOSS,
    UNPLUG,
    USUAL_BOUNCE,
    Askew,
    Bounce,
    Fault,
    Faults,
    Flap,
    Range,
    Repeats,
    Spells,
    Stuck,
    faults_named,
)
from hardware.simulated.wiring import Wiring, scrambled, straight

SIZE = 9
CELLS = SIZE * SIZE
DEBOUNCE_MS = 40
BETWEEN_S = (0.08, 0.6)  # a change bounces for 35 ms at most and then has to be still for the debounce
PIECES = {Cell(place): "t" for place in range(0, 40, 2)}


def board(faults: Faults = FLAWLESS, seed: int = 1, wiring: Wiring | None = None) -> SimulatedBoard:
    return SimulatedBoard(SIZE, PIECES, Random(seed), faults=faults, wiring=wiring)


def play(one: SimulatedBoard, acts: int, seed: int, start_s: float = 0.0) -> tuple[list[News], list[Edge]]:
    """Lift and drop at random; return the news and what was really done."""
    rng = Random(seed)
    news: list[News] = []
    done: list[Edge] = []
    t = start_s
    for _ in range(acts):
        t += rng.uniform(*BETWEEN_S)
        origin = rng.choice(sorted(one.pieces))
        one.lift(t, origin)
        done.append(Edge(t, origin, False))
        t += rng.uniform(*BETWEEN_S)
        free = rng.choice([Cell(place) for place in range(CELLS) if place not in one.pieces])
        one.drop(t, free)
        done.append(Edge(t, free, True))
        news += one.news_until(t)
    news += one.news_until(t + 0.1)
    return news, done


def settle(news: Iterable[News], occupied: Frame) -> list[Edge]:
    debouncer = Debouncer(DEBOUNCE_MS, occupied)
    edges: list[Edge] = []
    for one in news:
        edges += debouncer.advance(one.t)
        if isinstance(one, Changed):
            for cell in one.cells:
                debouncer.feed(one.t, cell, one.occupied)
        else:
            debouncer.feed_frame(one.t, one.occupied)
    return edges + debouncer.advance(float("inf"))


def test_the_board_is_a_set_of_sensors() -> None:
    one = board()
    either: tuple[Sensors, Sensors] = (one, one.sensors)
    for sensors in either:
        sensors.open()
        assert sensors.read() == set(PIECES)
        assert sensors.poll(1.0) == []
        sensors.close()
        sensors.close()


def test_without_bounce_each_act_is_one_change() -> None:
    news, done = play(board(), 200, 7)
    assert news == [Changed(edge.t, (edge.cell,), edge.occupied) for edge in done]


@pytest.mark.parametrize("bounce", [USUAL_BOUNCE, replace(HARD_BOUNCE, flicker=0.0)])
def test_a_change_bounces_within_its_figures(bounce: Bounce) -> None:
    one = board(Faults(bounce=bounce))
    edges: Counter[int] = Counter()
    latest = 0.0
    for number in range(300):
        t = 1.0 + number
        one.slide(t, Cell(number % 2), Cell(1 - number % 2))
        changes = [new for new in one.news_until(t + 0.5) if isinstance(new, Changed)]
        for cell in (Cell(0), Cell(1)):
            here = [new for new in changes if new.cells == (cell,)]
            occupied = cell in one.pieces
            assert here[0].t == t
            assert [new.occupied for new in here] == [occupied ^ (index % 2 == 1) for index in range(len(here))]
            edges[len(here)] += 1
            latest = max(latest, here[-1].t - t)
    assert set(edges) == {1 + 2 * pairs for pairs in range(bounce.pairs + 1)}
    assert 0.9 * bounce.within_s < latest <= bounce.within_s
    assert bounce.within_s < DEBOUNCE_MS / 1000


@given(st.integers(0, 10_000))
def test_debounced_bounce_is_what_was_done(seed: int) -> None:
    one = board(Faults(bounce=HARD_BOUNCE), seed)
    news, done = play(one, 12, seed)
    assert len(news) > len(done)
    settled = settle(news, frozenset(PIECES))
    assert [(edge.cell, edge.occupied) for edge in sorted(settled, key=lambda edge: edge.cell)] == [
        (edge.cell, edge.occupied) for edge in sorted(done, key=lambda edge: edge.cell)
    ]
    assert one.read() == set(one.pieces)


def test_a_neighbour_flickers_and_settles_nothing() -> None:
    one = board(Faults(bounce=replace(HARD_BOUNCE, flicker=1.0)))
    one.lift(1.0, Cell(20))
    news = one.news_until(2.0)
    flickered = {cell for new in news if isinstance(new, Changed) for cell in new.cells} - {Cell(20)}
    assert flickered <= {Cell(11), Cell(19), Cell(21), Cell(29)}
    assert len(flickered) == 1
    assert [edge.cell for edge in settle(news, frozenset(PIECES))] == [Cell(20)]


@pytest.mark.parametrize("fault", list(Fault))
def test_one_seed_gives_the_same_news_however_it_is_asked(fault: Fault) -> None:
    def run(every_s: float | None) -> list[News]:
        one = board(faults_named([fault], CELLS, Random(5)), seed=3)
        rng = Random(9)
        news: list[News] = []
        t = 0.0
        for _ in range(60):
            t += rng.uniform(0.2, 3)
            if every_s is None:
                while (following := one.next_time) is not None and following <= t:
                    news += one.news_until(following)
            else:
                steps = int(t / every_s)
                news += one.news_until(max(steps * every_s, news[-1].t if news else 0.0))
            origin = rng.choice(sorted(one.pieces))
            one.slide(t, origin, rng.choice([Cell(place) for place in range(CELLS) if place not in one.pieces]), 0.02)
        return news + one.news_until(t + 1)

    by_deadline = run(None)
    assert by_deadline == run(0.02) == run(0.7)
    assert [new.t for new in by_deadline] == sorted(new.t for new in by_deadline)


def test_lost_changes_leave_gaps_and_readings_heal_them() -> None:
    one = board(Faults(loss=LOSS))
    news, done = play(one, 2000, 4)
    changes = [new for new in news if isinstance(new, Changed)]
    scans = [new for new in news if isinstance(new, Scan)]
    numbers = [new.seq for new in news if new.seq is not None]
    assert len(numbers) == len(news)
    assert numbers == sorted(set(numbers))
    assert len(done) - len(changes) == numbers[-1] - len(numbers)
    assert 0.04 < 1 - len(changes) / len(done) < 0.06
    assert len(scans) == int(news[-1].t)
    assert all(scan.t == pytest.approx(number) for number, scan in enumerate(scans, 1))
    debouncer = Debouncer(0, frozenset(PIECES))
    for new in [*news, Scan(1e9, one.read())]:
        if isinstance(new, Changed):
            debouncer.feed(new.t, new.cells[0], new.occupied)
        else:
            debouncer.feed_frame(new.t, new.occupied)
    assert debouncer.raw == set(one.pieces)


def test_a_dead_sensor_reads_empty_for_ever() -> None:
    dead = Cell(4)
    one = board(Faults(bounce=USUAL_BOUNCE, dead=frozenset({dead})))
    assert one.read() == set(PIECES) - {dead}
    one.lift(1.0, dead)
    one.drop(2.0, dead)
    assert one.news_until(3.0) == []
    news, _ = play(one, 300, 2, start_s=4.0)
    assert all(dead not in new.cells for new in news if isinstance(new, Changed))


def test_a_stuck_sensor_reads_for_ever_what_it_read() -> None:
    one = board(Faults(stuck=(Stuck(Cell(4), 5.0), Stuck(Cell(6), 5.0))))
    one.lift(1.0, Cell(4))
    assert one.news_until(6.0) == [Changed(1.0, (Cell(4),), False)]
    one.drop(7.0, Cell(4))
    one.lift(8.0, Cell(6))
    assert one.news_until(9.0) == []
    assert one.read() == set(PIECES) - {Cell(4)}


def test_a_flapping_cell_is_found_and_comes_to_rest_as_it_is() -> None:
    cell = Cell(50)
    flap = Flap(cell, Spells(Range(2, 2), Range(3, 3)), FLAP_BETWEEN)
    one = board(Faults(flaps=(flap,)))
    detector = FlapDetector()
    findings = []
    for new in one.news_until(7.5):
        assert isinstance(new, Changed)
        assert new.cells == (cell,)
        detector.feed(new.t, cell)
        findings += detector.advance(new.t)
    assert [finding.condition for finding in findings] == [Condition.FLAPPING, Condition.OK]
    assert findings[0].t == pytest.approx(3.0, abs=0.1)
    assert findings[1].t == pytest.approx(6.0, abs=0.1)


def test_a_flapping_cell_at_rest_tells_the_truth() -> None:
    cell = Cell(50)
    one = board(Faults(flaps=(Flap(cell, Spells(Range(2, 2), Range(3, 3)), FLAP_BETWEEN),)))
    one.news_until(3.0)
    one.slide(3.0, Cell(4), cell)
    one.news_until(5.2)
    assert one.read() == set(one.pieces)


def test_nothing_is_heard_while_unplugged_and_a_whole_reading_after() -> None:
    one = board(Faults(unplug=Spells(Range(10, 10), Range(2, 2))))
    one.news_until(11.0)
    connected = [one.connected]
    one.lift(11.0, Cell(4))
    assert one.news_until(11.9) == []
    assert one.news_until(12.0) == [Scan(12.0, frozenset(PIECES) - {Cell(4)}, seq=2)]  # the lift was the first
    connected.append(one.connected)
    one.drop(13.0, Cell(4))
    assert one.news_until(14.0) == [Changed(13.0, (Cell(4),), True, seq=3)]
    one.news_until(23.0)
    assert [*connected, one.connected] == [False, True, False]


def test_a_board_without_faults_falls_silent() -> None:
    one = board(Faults(bounce=USUAL_BOUNCE))
    times = [one.next_time]
    one.lift(1.0, Cell(4))
    assert [*times, one.next_time] == [None, 1.0]
    while (following := one.next_time) is not None:
        one.news_until(following)
    assert one.read() == set(one.pieces)


def test_news_of_before_an_act_waits_to_be_asked_for() -> None:
    one = board()
    one.lift(1.0, Cell(4))
    one.lift(2.0, Cell(6))
    assert one.next_time == 1.0
    assert one.news_until(1.5) == [Changed(1.0, (Cell(4),), False)]


# The table of faults.


@pytest.mark.parametrize("fault", list(Fault))
def test_a_named_fault_is_there_and_no_other(fault: Fault) -> None:
    faults = faults_named([fault], CELLS, Random(2))
    bounce = {Fault.NONE: None, Fault.BOUNCE: HARD_BOUNCE}.get(fault, USUAL_BOUNCE)
    assert faults.bounce == bounce
    assert (faults.loss is not None) == (fault is Fault.LOST_EVENTS)
    assert len(faults.dead) == (fault is Fault.DEAD_SENSOR)
    assert len(faults.flaps) == (fault is Fault.FLAPPING)
    assert len(faults.stuck) == (fault is Fault.STUCK)
    assert (faults.power_cut is not None) == (fault is Fault.POWER_CUT)
    assert (faults.unplug is not None) == (fault is Fault.UNPLUG)
    assert (faults.repeats is not None) == (fault is Fault.REPEATED_EVENTS)
    assert (faults.askew is not None) == (fault is Fault.DOUBLE_READ)
    assert (faults.knocks is not None) == (fault is Fault.KNOCKED_OVER)
    assert (faults.rearranged is not None) == (fault is Fault.REARRANGED)
    assert (faults.jumps is not None) == (fault is Fault.CLOCK_JUMP)
    disk = faults.disk
    assert (disk is not None) == (fault in (Fault.POWER_CUT, Fault.SLOW_DISK, Fault.FULL_DISK, Fault.READ_ONLY_DISK))
    if disk is not None:
        assert (disk.slow is not None) == (fault is Fault.SLOW_DISK)
        assert (disk.full is not None) == (fault is Fault.FULL_DISK)
        assert (disk.read_only is not None) == (fault is Fault.READ_ONLY_DISK)


def test_what_is_repeated_is_old_news() -> None:
    one = board(Faults(repeats=Repeats(chance=1.0, after=Range(0.5, 0.5))))
    one.lift(1.0, Cell(4))
    one.drop(3.0, Cell(5))
    assert one.news_until(9.0) == [
        Changed(1.0, (Cell(4),), False, 1),
        Changed(1.5, (Cell(4),), False, 1),
        Changed(3.0, (Cell(5),), True, 2),
        Changed(3.5, (Cell(5),), True, 2),
    ]


def test_a_piece_put_down_askew_is_read_on_a_neighbour_until_it_is_touched() -> None:
    one = board(Faults(askew=Askew(chance=1.0, slips=0.0, lasts=Range(1, 1))))
    one.lift(1.0, Cell(4))
    one.drop(2.0, Cell(40))
    one.news_until(100.0)
    ((ghost, place),) = one.askew.items()
    assert place == 40
    assert ghost in (31, 39, 41, 49)
    assert one.read() == {*one.pieces, ghost}
    one.lift(101.0, Cell(40))
    one.news_until(102.0)
    assert not one.askew
    assert one.read() == set(one.pieces)


def test_a_piece_put_down_askew_may_come_straight_by_itself() -> None:
    one = board(Faults(askew=Askew(chance=1.0, slips=1.0, lasts=Range(1, 1))))
    one.lift(1.0, Cell(4))
    one.drop(2.0, Cell(40))
    news = one.news_until(100.0)
    assert [(new.t, isinstance(new, Changed) and new.occupied) for new in news[1:]] == [
        (2.0, True), (2.0, True), (3.0, False),
    ]  # fmt: skip
    assert one.read() == set(one.pieces)


def test_the_cells_can_be_named() -> None:
    faults = faults_named(
        [Fault.DEAD_SENSOR, Fault.FLAPPING], CELLS, Random(2), dead=frozenset({Cell(3)}), flapping=Cell(5)
    )
    assert faults.dead == {Cell(3)}
    assert faults.flaps[0].cell == Cell(5)


def test_spells_keep_their_figures() -> None:
    end = 0.0
    for start, following in islice(UNPLUG.draw(Random(1)), 200):
        assert 30 <= start - end <= 120
        assert 1 <= following - start <= 5
        end = following


# Wiring.


def test_a_scrambled_board_tells_cells_and_hands_see_places() -> None:
    wiring = scrambled(CELLS, Random(8))
    assert not wiring.straight
    for inverted in (False, True):
        one = board(wiring=replace(wiring, inverted=inverted))
        cells = {wiring.sensors[place] for place in PIECES}
        assert one.read() == (set(map(Cell, range(CELLS))) - cells if inverted else cells)
        one.lift(1.0, Cell(4))
        assert one.news_until(2.0) == [Changed(1.0, (wiring.sensors[4],), inverted)]


def test_a_straight_board_is_known_as_one() -> None:
    assert straight(CELLS).straight
    assert not replace(straight(CELLS), inverted=True).straight


def test_a_wiring_that_uses_a_cell_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="lights: expected each of 2 cells once"):
        Wiring((Cell(0), Cell(1)), (Cell(0), Cell(0)))
    with pytest.raises(ValueError, match="wiring: expected 81 cells, got 4"):
        board(wiring=straight(4))


def test_an_act_ends_the_bounce_of_the_one_before() -> None:
    one = board(Faults(bounce=HARD_BOUNCE))
    for number in range(200):
        t = 1.0 + number
        one.lift(t, Cell(4))
        one.drop(t + 0.004, Cell(4))
        one.news_until(t + 0.5)
        assert one.read() == set(one.pieces)


def test_faults_come_together() -> None:
    faults = replace(faults_named(list(Fault), CELLS, Random(4)), unplug=Spells(Range(3.2, 3.2), Range(2.5, 2.5)))
    one = board(faults)
    news, _ = play(one, 100, 6)
    scans = [scan.t for scan in news if isinstance(scan, Scan)]
    assert scans[:6] == pytest.approx([1, 2, 3, 5.7, 6, 7])
    assert not any(3.2 < new.t < 5.7 for new in news)
