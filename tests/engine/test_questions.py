"""What the lights ask. Agreement with a second reading of the rules is tested in test_plain_rules.py."""

import time
from collections.abc import Callable

import pytest

from engine import BOOKS, Game, Side, Square, king, parse_move, parse_square
from engine.questions import (
    destinations,
    endangered,
    escape_squares,
    escapes,
    king_in_danger,
    king_takers,
    risky,
    threats,
)

EDGE, CORNER = BOOKS["tablut-edge"], BOOKS["tablut-corner"]

QUICK_ENOUGH = 1e-3
"""Seconds that an answer may take uncompiled on 9 x 9; a light waits for it."""


def sq(*names: str) -> frozenset[Square]:
    return frozenset(parse_square(name, 9) for name in names)


def find(game: Game, text: str) -> bool:
    origin, destination, _ = parse_move(text, 9)
    move = game.find(origin, destination)
    assert move is not None
    return risky(game, move)


def test_destinations_are_those_of_the_side_to_move() -> None:
    game = Game(EDGE)
    (d1,) = sq("d1")
    assert {move.destination for move in destinations(game, d1)} == sq("d2", "d3", "d4", "c1", "b1", "a1")
    assert destinations(game, *sq("e5")) == ()
    assert destinations(game, *sq("e3")) == ()
    assert destinations(game, *sq("a1")) == ()


def test_escapes() -> None:
    game = Game(EDGE, position="/9/9/9/4K4/9/9/9/9/4t4/")
    assert escape_squares(game) == sq("a4", "i4", "e1")
    assert escapes(game) == 3
    corner = Game(CORNER, position="/9/9/9/t8/K8/9/9/9/9/")
    assert escape_squares(corner) == sq("a9")


def test_a_king_who_is_gone_goes_nowhere_and_is_taken_by_nobody() -> None:
    game = Game(EDGE, position="/9/9/9/3t5/1t1K5/3t5/9/9/9/")
    game.play(parse_move("b5-c5", 9)[:2])
    assert escapes(game) == 0
    assert king_takers(game) == ()
    buffer = game.core.buffer(1)
    assert king.escapes(game.core, buffer) == 0
    assert king.king_takers(game.core, buffer) == 0


def test_what_lies_in_the_buffer_from_before_is_no_escape() -> None:
    game = Game(EDGE, position="/9/9/9/4K4/9/9/9/9/4t4/")
    buffer = game.core.buffer(1)
    assert king.escapes(game.core, buffer) == 3
    shut_in = Game(EDGE).core
    assert king.escapes(shut_in, buffer) == 0


def test_danger_and_what_it_comes_from() -> None:
    game = Game(EDGE, position="/9/9/9/4t4/3tKt3/9/9/4t4/9/", side=Side.DEFENDERS)
    assert king_takers(game) == ((*sq("e8"), *sq("e6")),)
    assert threats(game) == sq("e8", "e6")
    assert king_in_danger(game)


def test_an_attacker_who_encloses_cannot_be_the_one_who_comes() -> None:
    """Of the three around him each could go to the fourth side, but would leave its own open."""
    game = Game(EDGE, position="/9/9/9/4t4/3tKt3/9/9/9/9/", side=Side.DEFENDERS)
    assert not king_in_danger(game)
    assert threats(game) == frozenset()


def test_pieces_that_can_be_taken_next() -> None:
    game = Game(EDGE, position="/9/9/2tT5/6t2/7K1/9/9/9/t8/", side=Side.ATTACKERS)
    assert endangered(game, Side.DEFENDERS) == frozenset()
    near = Game(EDGE, position="/9/9/2tT5/4t4/7K1/9/9/9/t8/", side=Side.DEFENDERS)
    assert endangered(near, Side.DEFENDERS) == sq("d3")
    assert endangered(near, Side.ATTACKERS) == sq("e4"), "the empty throne is behind it, and d3 may come below"


def test_the_king_among_the_pieces_that_can_be_taken() -> None:
    game = Game(EDGE, position="/9/9/2tK5/4t4/9/9/9/9/t8/")
    assert endangered(game, Side.DEFENDERS) == sq("d3")


def test_risky_destinations() -> None:
    game = Game(EDGE, position="/9/2t6/5T3/4t4/7K1/9/9/9/t8/", side=Side.DEFENDERS)
    assert not find(game, "f3-g3")
    assert not find(game, "f3-d3")
    threatened = Game(EDGE, position="/9/9/2t2T3/4t4/7K1/9/9/9/t8/", side=Side.DEFENDERS)
    assert find(threatened, "f3-d3")
    assert not find(threatened, "f3-e3")


def test_a_move_that_ends_the_game_is_no_risk() -> None:
    game = Game(EDGE, position="/9/9/9/9/4K4/9/9/9/t8/", side=Side.DEFENDERS)
    assert not find(game, "e5-e9")


def test_a_finished_game_has_nothing_to_ask() -> None:
    game = Game(EDGE, position="/9/9/4t4/3tK4/9/5t3/9/9/9/")
    game.play(parse_move("f6-f4", 9)[:2])
    assert escapes(game) == 0
    assert threats(game) == frozenset()
    assert all(endangered(game, side) == frozenset() for side in Side)
    escaped = Game(EDGE, position="/9/9/9/9/4K4/9/9/9/t8/", side=Side.DEFENDERS)
    escaped.play(parse_move("e5-e1", 9)[:2])
    assert escapes(escaped) == 0


def test_questions_leave_the_game_as_it_was() -> None:
    game = Game(EDGE)
    move = game.legal_moves()[5]
    before = list(game.core.cells), list(game.core.slots), game.core.key, game.core.side, game.core.ply
    risky(game, move)
    for side in Side:
        endangered(game, side)
    threats(game)
    escapes(game)
    assert (list(game.core.cells), list(game.core.slots), game.core.key, game.core.side, game.core.ply) == before


QUESTIONS: dict[str, Callable[[Game], object]] = {
    "destinations": lambda game: destinations(game, game.legal_moves()[0].origin),
    "risky": lambda game: risky(game, game.legal_moves()[0]),
    "escapes": escapes,
    "king in danger": king_in_danger,
    "threats": threats,
    "endangered attackers": lambda game: endangered(game, Side.ATTACKERS),
    "endangered defenders": lambda game: endangered(game, Side.DEFENDERS),
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("book", [EDGE, CORNER], ids=lambda book: book.name)
def test_answers_come_quickly(book: object, question: str) -> None:
    """The best of some tries counts: the machine may be busy with something else."""
    game = Game(EDGE if book is EDGE else CORNER)
    QUESTIONS[question](game)
    best = min(_seconds(QUESTIONS[question], game) for _ in range(20))
    assert best < QUICK_ENOUGH


def _seconds(question: Callable[[Game], object], game: Game) -> float:
    start = time.perf_counter()
    question(game)
    return time.perf_counter() - start
