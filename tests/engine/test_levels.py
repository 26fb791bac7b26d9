"""The levels of play: ordered, the same for everybody, and never silly about what they see."""

import pytest

from engine import BOOKS, Game, GameStateError, LevelError, Side
from engine.levels import LEVELS, Level, Opponent, level_numbered

EDGE = BOOKS["tablut-edge"]


def test_there_are_ten_and_each_looks_at_no_less_than_the_one_below() -> None:
    assert [level.number for level in LEVELS] == list(range(1, 11))
    nodes = [level.nodes for level in LEVELS]
    assert nodes == sorted(nodes)


def test_a_level_that_does_not_exist_is_refused() -> None:
    with pytest.raises(LevelError, match="found 11, expected 1 to 10"):
        level_numbered(11)
    assert level_numbered(3).number == 3


@pytest.mark.parametrize("level", LEVELS[:6], ids=lambda level: str(level.number))
def test_the_same_seed_brings_the_same_move(level: Level) -> None:
    game = Game(EDGE)
    first = Opponent(EDGE, level, seed=5).choose(game)
    assert Opponent(EDGE, level, seed=5).choose(game) == first
    assert first.move in game.legal_moves()
    assert first.line[0] == first.move


def test_other_seeds_bring_other_moves() -> None:
    game = Game(EDGE)
    moves = {Opponent(EDGE, LEVELS[0], seed).choose(game).move for seed in range(12)}
    assert len(moves) > 3


@pytest.mark.parametrize("level", LEVELS[:8], ids=lambda level: str(level.number))
def test_every_level_takes_a_win_that_it_sees(level: Level) -> None:
    game = Game(EDGE, position="/9/9/4t4/3tK4/9/5t3/9/9/9/", side=Side.ATTACKERS)
    for seed in range(3):
        assert Opponent(EDGE, level, seed).choose(game).move.text(9) == "f6-f4xe4"


def test_a_finished_game_is_not_played_on() -> None:
    game = Game(EDGE)
    game.agree_draw()
    with pytest.raises(GameStateError, match="found a game that is over"):
        Opponent(EDGE, LEVELS[0]).choose(game)
