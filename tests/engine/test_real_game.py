"""The real game under the rules, and as a record."""

import pytest

from engine import BOOKS, Book, Game, Outcome, Reason, Side, game_of, parse_move, parse_rules, read_record
from tests.real_game import END, MOVES, RULES

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
    assert game.position == END
