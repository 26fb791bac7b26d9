"""The engine called wrongly: every answer is one of its own errors and says what was found."""

from collections.abc import Callable
from typing import Any

import pytest

from engine import BOOKS, EngineError, Game, Move, NotationError, Record, Square, SquareError, square_at, square_name
from engine.records import read_record, write_record

EDGE = BOOKS["tablut-edge"]
BESIDE: Any = [-1, 81, 84, None, "d1"]


@pytest.mark.parametrize("square", BESIDE)
def test_a_square_beside_the_board_is_told(square: Any) -> None:
    game = Game(EDGE)
    asked: list[Callable[[], object]] = [
        lambda: square_name(square, 9),
        lambda: game.refusal(Square(3), square),
        lambda: game.refusal(square, Square(3)),
        lambda: game.play((Square(3), square)),
        lambda: game.wins(Move(Square(3), square)),
    ]
    for ask in asked:
        with pytest.raises(SquareError, match=r"found .*, expected a number from 0 to 80"):
            ask()
    assert not game.plies


def test_a_file_beside_the_board_is_told() -> None:
    with pytest.raises(SquareError, match="found file 9, rank 9, expected 0 to 8"):
        square_at(9, 9, 9)


@pytest.mark.parametrize("move", ["d1-d3", None, 5, (), (Square(3),)])
def test_what_is_no_move_is_told(move: Any) -> None:
    game = Game(EDGE)
    for ask in (game.play, game.wins, game.outcome_of):
        with pytest.raises(EngineError, match="expected a Move or two squares"):
            ask(move)


@pytest.mark.parametrize("side", ["attackers", 1, True])
def test_what_is_no_side_is_told(side: Any) -> None:
    with pytest.raises(EngineError, match="expected one of Side"):
        Game(EDGE, side=side)
    either: list[Any] = [side, None]
    for wrong in either:
        game = Game(EDGE)
        with pytest.raises(EngineError, match="expected one of Side"):
            game.resign(wrong)
        assert game.legal_moves()


@pytest.mark.parametrize("name", ["a:b", "a]", "[a", "a b", "", "rules"])
def test_a_tag_that_would_be_read_as_another_is_not_written(name: str) -> None:
    with pytest.raises(NotationError, match="tag"):
        write_record(Record(((name, "x"),), None, ()))


def test_what_a_tag_says_may_hold_colons_and_brackets() -> None:
    record = Record((("a", "b:[c]]"),), None, ())
    assert read_record(write_record(record)) == record
