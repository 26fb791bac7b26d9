"""What goes wrong on real boards: recorded or written traces, each with its right answer beside it."""

import pytest

from engine import parse_move
from tests.traces.answers import Trace, differences, game_of, run, traces

TRACES = traces()
CASES = range(1, 28)


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


def test_every_case_has_a_trace() -> None:
    assert {trace.case for trace in TRACES if trace.case} == set(CASES)
