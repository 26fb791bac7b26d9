"""A pytest file of another project: it plays on Konakis's simulated board, without hardware and in no time."""

import json

import pytest

from boardd.replay import replay
from boardd.simulate import simulate
from boardd.virtual import VirtualBoard
from engine import BOOKS, Game, parse_move
from hardware.theme import Role


@pytest.fixture
def board() -> VirtualBoard:
    return VirtualBoard("tablut-edge")


def test_lights_show_where_a_lifted_piece_may_go(board: VirtualBoard) -> None:
    board.lift("a4")
    assert board.lights["a4"] is Role.ORIGIN
    assert board.lights["d4"] is Role.DESTINATION
    assert "e4" not in board.lights


def test_a_capture_is_asked_off_the_board() -> None:
    board = VirtualBoard(position="/9/2t6/2T6/t8/4K4/9/9/9/9/")
    board.lift("a4")
    board.drop("c4")
    board.wait(1)
    assert board.moves == ["a4-c4xc3"]
    assert board.lights["c3"] is Role.REMOVE
    board.take_off("c3")
    board.wait(1)
    assert [event["event"] for event in board.events()] == ["ready", "move", "remove", "removed", "ready"]


def test_a_move_is_taken_back_by_moving_the_piece_back(board: VirtualBoard) -> None:
    board.move("a4", "d4")
    board.move("d4", "a4")
    assert board.moves == []


def test_whole_games_between_clumsy_hands() -> None:
    report = simulate(2, seed=7, profile="child")
    assert (report.wrong, report.missed) == (0, 0)


def test_a_trace_replays_the_same_every_time() -> None:
    header = {"konakis": 1, "rules": "tablut-edge"}
    lines = [header, {"t": 1, "lift": "a4"}, {"t": 2, "drop": "d4"}, {"t": 4, "end": True}]
    trace = [json.dumps(line) for line in lines]
    first, again = list(replay(trace, "here")), list(replay(trace, "here"))
    assert first == again
    assert [event.name for event in first] == ["ready", "move", "ready", "end"]


def test_the_rules_alone() -> None:
    game = Game(BOOKS["tablut-edge"])
    move = parse_move("a4-d4", game.size)
    game.play((move.origin, move.destination))
    assert len(game.legal_moves()) > 0
