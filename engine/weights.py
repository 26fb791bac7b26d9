"""The weights of the evaluation's terms, by family of books: where the king flees to tells the families apart.

Owns the numbers, which self-play has tuned (bench/tune.py; docs/engine.md tells with what result).
"""

from collections.abc import Mapping

from engine.books import Book, Goal
from engine.evaluation import TERMS

# fmt: off
_WEIGHTS: Mapping[str, tuple[int, int]] = {
    #            king flees to: edge  corner
    "attackers":                 (100, 100),
    "defenders":                 ( 66,  81),
    "near":                      (  9,   0),
    "ways":                      ( 12,  27),
    "guards":                    (  0,  39),
    "mobility":                  (  0,   6),
}

_LEADS: Mapping[str, int] = {
    "tablut-corner": 300,
    "hnefatafl-11":  120,
    "sea-battle":   -300,
    "brandubh":      300,
    "copenhagen":    300,
    "ashton":       -300,
}
"""How much better than at the start the attackers of a book have to stand for an even game, in hundredths of a soldier
(bench/calibrate.py); nothing in the others."""
# fmt: on


def weights_of(book: Book) -> tuple[int, ...]:
    """Return the weights for a book, in the order of TERMS."""
    family = 0 if book.goal is Goal.EDGE else 1
    return tuple(_WEIGHTS[term][family] for term in TERMS)


def lead_of(book: Book) -> int:
    """Return how much better than at its start the attackers of a book have to stand for an even game.

    A book that has not been measured begins even.
    """
    return _LEADS.get(book.name, 0)
