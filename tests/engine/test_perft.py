"""Counts of legal moves from the starts, taken from the rules' own table (docs/rules.md)."""

import pytest

from engine import BOOKS, Game
from engine.perft import divide, perft

COUNTS = [
    ("tablut-edge", (80, 4400, 353_200)),
    ("tablut-corner", (56, 3968, 225_224)),
    ("hnefatafl-11", (60, 6900, 440_056)),
    ("hnefatafl-13", (128, 22_540, 2_874_960)),
    ("linnaean", (80, 4400, 353_200)),
    ("sea-battle", (80, 4400, 353_200)),  # the only one that no other program was asked to count
    ("brandubh", (40, 960, 39_512)),
    ("copenhagen", (116, 6788, 806_344)),
    ("ashton", (56, 4408, 248_456)),
]


@pytest.mark.parametrize(("book", "depth", "nodes"), [(b, d + 1, n) for b, row in COUNTS for d, n in enumerate(row)])
def test_number_of_moves_from_the_start(book: str, depth: int, nodes: int) -> None:
    assert perft(Game(BOOKS[book]), depth) == nodes


def test_every_book_is_counted() -> None:
    assert {book for book, _ in COUNTS} == set(BOOKS)


@pytest.mark.parametrize("book", BOOKS)
def test_divided_counts_add_up(book: str) -> None:
    game = Game(BOOKS[book])
    parts = divide(game, 2)
    assert list(parts) == list(game.legal_moves())
    assert sum(parts.values()) == perft(game, 2)


def test_no_depth_is_one_node_and_a_finished_game_has_no_children() -> None:
    game = Game(BOOKS["tablut-corner"], position="/9/9/9/9/9/K8/9/9/4t4/")
    assert perft(game, 0) == 1
    wins = [move for move in game.legal_moves() if game.wins(move)]
    assert len(wins) == 2
    parts = divide(game, 2)
    assert [parts[move] for move in wins] == [0, 0]
    game.play(wins[0])
    assert perft(game, 1) == 0
    assert divide(game, 1) == {}


def test_counting_leaves_the_game_as_it_was() -> None:
    game = Game(BOOKS["tablut-edge"])
    before = game.position
    perft(game, 2)
    assert (game.position, len(game.plies), game.core.ply) == (before, 0, 0)
