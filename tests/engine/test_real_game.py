"""A game of a tournament played by post in 2015, attackers won by resignation; every move and capture is right."""

import pytest

from engine import BOOKS, Book, Game, Outcome, Reason, Side, game_of, parse_move, parse_rules, read_record

RULES = (
    "dim:9 name:Tablut esc:e atkf:y ka:y ks:c nj:n cj:n cor: cens: cenh: "
    "start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/"
)
SCORE = """
    e2-g2 e3-h3          b5-b3 e4-f4        e1-e3 c5-c2        e8-b8 f4-f3        d1-d3 g5-g4
    i4-h4 g4-d4          i5-i3 c2-d2xd3     g2-g3xf3/h3 f5-f3  b3-d3 d4-e4        f1-d1xd2 e4-c4
    e3-e2 e5-f5          h5-g5 f5-f7        g5-g7 f3-f6        f9-f8 f6-h6        d3-f3 f7-f5
    i3-i5 d5-d3          a4-b4 c4-c3        d1-d2 f5-d5        h4-d4xd3 c3-d3xd4  b4-d4xd3 h6-h1
    a5-c5 d5-f5          g3-h3 h1-e1        d2-d3 e1-b1        a6-b6 b1-b3        i5-g5 e6-d6
    d4-d5 d6-g6          i6-h6 g6-f6        f3-f4 e7-a7        h6-g6
"""
MOVES = SCORE.split()
PLIES = 57


@pytest.mark.parametrize("book", [BOOKS["tablut-edge"], parse_rules(RULES)], ids=["ours", "its own rules"])
def test_every_move_and_capture_is_accepted(book: Book) -> None:
    game = Game(book)
    for text in MOVES:
        origin, destination, captures = parse_move(text, 9)
        assert game.play((origin, destination)).move.captures == (captures or ()), text
        assert game.result is None
    assert len(game.plies) == PLIES
    game.resign(Side.DEFENDERS)
    assert game.result == Outcome(Side.ATTACKERS, Reason.RESIGNATION)
    for _ in range(PLIES):
        game.undo()
    assert game.position == book.start


def test_it_is_read_as_a_record() -> None:
    turns = [" ".join(MOVES[n : n + 2]) for n in range(0, PLIES, 2)]
    body = "".join(f"{n + 1}. {turn}\n" for n, turn in enumerate(turns))
    record = read_record(f"[date:2015.05.04]\n[result:1]\n[termination:White resigns]\n[rules:{RULES}]\n\n{body}")
    game = game_of(record)
    for move in record.moves(game.size):
        game.play((move.origin, move.destination))
    assert len(game.plies) == PLIES
    assert game.position == "/9/4t4/1T1t3t1/5t3/2tt1Kt2/1t3Tt2/T5t2/1t3t3/3tt4/"
