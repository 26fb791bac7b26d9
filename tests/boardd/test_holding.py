"""How long a reading must hold, and since when it does, as tables."""

from collections.abc import Callable

import pytest

from boardd.evidence import Evidence
from boardd.holding import Holding
from boardd.meanings import NOWHERE, Kind, Reading, Squares
from boardd.play import Play
from boardd.saved import Saved
from boardd.settings import PlaySettings
from boardd.states import HOLDS, Phase, Step
from engine import Move, Side, Square, book_named, parse_square

EDGE = book_named("tablut-edge")
SETTINGS = PlaySettings()
OPEN = "/9/9/t3Tt3/4T4/3TKT3/4T4/9/7T1/t7t/"


def at(name: str) -> Square:
    return parse_square(name, 9)


def squares(*names: str) -> Squares:
    return frozenset(map(at, names))


class Room:
    """A game, its evidence, and how long things must hold there."""

    def __init__(self, position: str, phase: Phase = Phase.PLAY, side: Side = Side.ATTACKERS) -> None:
        self.play = Play(Saved(EDGE, position, side), None, 1.0, resumed=False, now=0.0)
        self.play.phase = phase
        self.evidence = Evidence(0.15, 9)
        self.holding = Holding(SETTINGS, self.play, self.evidence)

    def move(self, origin: str, destination: str) -> Move:
        move = self.play.game.find(at(origin), at(destination))
        assert move is not None
        return move


ROOM = Room(OPEN)
LAST = ROOM.move("a9", "c9")  # may go on
STOPPED = ROOM.move("a3", "d3")  # cannot: e3 stands there


@pytest.mark.parametrize("step", [step for step, hold in HOLDS.items() if hold not in ("settle_ms", None)])
def test_a_step_holds_what_its_setting_says(step: Step) -> None:
    setting = HOLDS[step]
    assert setting is not None
    assert ROOM.holding.hold_s(step, Reading(Kind.UNKNOWN)) == pytest.approx(getattr(SETTINGS, setting) / 1000)


@pytest.mark.parametrize("step", [step for step, hold in HOLDS.items() if hold is None])
def test_a_step_without_a_setting_is_taken_at_once(step: Step) -> None:
    assert ROOM.holding.hold_s(step, Reading(Kind.UNKNOWN)) == 0.0


@pytest.mark.parametrize(
    ("what", "reading", "expected_ms"),
    [
        ("it can go no farther", Reading(Kind.MOVE, STOPPED), SETTINGS.settle_ms),
        ("it may slide on",      Reading(Kind.MOVE, LAST),    SETTINGS.settle_sliding_ms),
        ("no move at all",       Reading(Kind.MOVE),          SETTINGS.settle_ms),
    ],
)  # fmt: skip
def test_a_move_rests_the_longer_the_more_may_follow(what: str, reading: Reading, expected_ms: int) -> None:
    assert ROOM.holding.hold_s(Step.ACCEPT, reading) == pytest.approx(expected_ms / 1000), what
    assert not ROOM.holding.ends(reading)


def test_a_move_that_ends_the_game_rests_longest() -> None:
    room = Room("/9/9/9/9/4K4/9/9/9/t7t/", side=Side.DEFENDERS)
    escape, further = Reading(Kind.MOVE, room.move("e5", "a5")), Reading(Kind.MOVE, room.move("e5", "b5"))
    assert room.holding.ends(escape)
    assert room.holding.hold_s(Step.ACCEPT, escape) == pytest.approx(SETTINGS.settle_final_ms / 1000)
    assert not room.holding.ends(further)


@pytest.mark.parametrize(
    ("what", "phase", "known", "standing", "expected_ms"),
    [
        ("one is gone",                      Phase.PLAY,   ("e3", "d4"), ("e3",),      SETTINGS.victim_removed_ms),
        ("all as before",                    Phase.PLAY,   ("e3",),      ("e3",),      SETTINGS.victim_removed_ms),
        ("one is back",                      Phase.PLAY,   ("e3",),      ("e3", "d4"), SETTINGS.victim_back_ms),
        ("nothing was known: after a start", Phase.SETUP,  (),           ("e3",),      0),
        ("or a power cut",                   Phase.RESUME, (),           ("e3",),      0),
    ],
)  # fmt: skip
def test_victims_are_counted_later_when_one_comes_back(
    what: str, phase: Phase, known: tuple[str, ...], standing: tuple[str, ...], expected_ms: int
) -> None:
    room = Room(OPEN, phase)
    room.play.removals = squares(*known)
    reading = Reading(Kind.REMOVING, squares=squares(*standing))
    assert room.holding.hold_s(Step.COUNT_VICTIMS, reading) == pytest.approx(expected_ms / 1000), what


def put_down(room: Room, name: str, t: float) -> None:
    room.evidence.note(t - 0.5, at(name), False, False)
    room.evidence.note(t, at(name), True, False)


NEW = 9.0
OLD = 5.0


def same(kind: Kind, move: Move | None = STOPPED, *, amends: bool = False) -> Reading:
    return Reading(kind, move, amends)


@pytest.mark.parametrize(
    ("what", "old", "new", "expected"),
    [
        ("no move",                     same(Kind.MOVE),                  Reading(Kind.HAND),             NEW),
        ("another move",                same(Kind.MOVE, LAST),            same(Kind.MOVE),                NEW),
        ("the same, a reply begun",     same(Kind.MOVE),                  same(Kind.REPLYING),            OLD),
        ("the reply put back",          same(Kind.REPLYING),              same(Kind.MOVE),                OLD),
        ("others up, down again",       same(Kind.WAITING),               same(Kind.MOVE),                OLD),
        ("as an amendment",             same(Kind.MOVE),                  same(Kind.AMENDMENT, amends=True), NEW),
        ("still an amendment",          same(Kind.AMENDMENT, amends=True), same(Kind.REPLYING, amends=True), OLD),
        ("after a stray victim",        same(Kind.STRAY),                 same(Kind.MOVE),                NEW),
        ("as a stray victim's",         same(Kind.MOVE),                  same(Kind.STRAY),               NEW),
        ("still held by victims",       same(Kind.HELD),                  same(Kind.HELD),                OLD),
    ],
)  # fmt: skip
def test_a_move_rests_from_when_its_piece_was_put_down(what: str, old: Reading, new: Reading, expected: float) -> None:
    assert ROOM.holding.since(old, OLD, new, NEW) == expected, what


def test_where_a_move_waited_for_victims_they_must_be_gone_for_good() -> None:
    gone_s = SETTINGS.victim_removed_ms / 1000
    at_t, old = 9.0, same(Kind.HELD)
    since = ROOM.holding.since(old, OLD, same(Kind.MOVE), at_t)
    assert since + ROOM.holding.hold_s(Step.ACCEPT, same(Kind.MOVE)) == pytest.approx(at_t + gone_s)
    late = 8.95
    assert ROOM.holding.since(old, late, same(Kind.MOVE), at_t + 0.0) == pytest.approx(max(late, since))


@pytest.mark.parametrize(
    ("kind", "square", "touch"),
    [
        (Kind.RETAKING, "a3", put_down),
        (Kind.LINE, "d3", put_down),
        (Kind.LINE, "d3", lambda room, name, t: room.evidence.glimpse(t, at(name))),
    ],
)
def test_what_is_older_than_its_reading(kind: Kind, square: str, touch: Callable[[Room, str, float], None]) -> None:
    room = Room(OPEN)
    reading = Reading(kind, STOPPED)
    assert room.holding.since(Reading(Kind.HAND), OLD, reading, NEW) == NEW, "nothing was seen to come down"
    touch(room, square, 7.0)
    assert room.holding.since(Reading(Kind.HAND), OLD, reading, NEW) == 7.0
    assert room.evidence.lifted(at("e9")) is None
    assert reading.squares == NOWHERE
