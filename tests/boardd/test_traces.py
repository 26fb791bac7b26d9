"""What goes wrong on real boards: recorded or written traces, each with its right answer beside it."""

import pytest

from boardd.saved import Saved
from boardd.settings import PlaySettings
from boardd.tracking import Tracker
from engine import Game, Square, book_named, parse_move
from hardware.news import Cell, Changed
from tests.traces.answers import Trace, differences, game_of, run, traces, without_times

TRACES = traces()
CASES = range(1, 28)
START = Game(book_named("tablut-edge")).occupied


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace.name)
def test_the_answer_is_right(trace: Trace) -> None:
    events = run(trace.lines, trace.name)
    assert not differences(trace, events)


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace.name)
def test_the_end_is_what_the_rules_make_of_the_moves(trace: Trace) -> None:
    end = run(trace.lines, trace.name)[-1]
    game = game_of(trace.lines[0])
    for text in end["moves"]:
        move = parse_move(text, trace.size)
        game.play((move.origin, move.destination))
    assert [ply.move.text(trace.size) for ply in game.plies] == end["moves"]
    assert (end["position"], end["side"]) == (game.position, game.side.value)


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace.name)
def test_a_replay_says_the_same_every_time(trace: Trace) -> None:
    assert run(trace.lines, trace.name) == run(trace.lines, trace.name)


@pytest.mark.parametrize("offset_s", [0.36, 7.1, 86_400.3])
@pytest.mark.parametrize("trace", [one for one in TRACES if "occupied" not in one.lines[0]], ids=lambda one: one.name)
def test_a_clock_that_counts_from_elsewhere_changes_nothing(trace: Trace, offset_s: float) -> None:
    """Differences of shifted times are not the same floats; the daemon's clock and its trace count from elsewhere."""
    later = [line | {"t": round(line["t"] + offset_s, 4)} if "t" in line else line for line in trace.lines]
    assert without_times(run(later, trace.name)) == without_times(run(trace.lines, trace.name))


def test_a_piece_seen_for_just_as_long_as_a_flicker_was_seen_whatever_the_clock_says() -> None:
    tables = []
    for begin in (11.248, 11.608):
        tracker = Tracker(Saved(book_named("tablut-edge")), PlaySettings(), occupied=START)
        tracker.sensed(Changed(begin, (Cell(10),), occupied=True))
        tracker.sensed(Changed(round(begin + 0.02, 4), (Cell(10),), occupied=False))
        tables.append(tracker.board._evidence.touched(Square(10)))
    assert [None if t is None else round(t, 4) for t in tables] == [11.248, 11.608]


def test_every_case_has_a_trace() -> None:
    assert {trace.case for trace in TRACES if trace.case} == set(CASES)
