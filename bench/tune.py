"""Tune the evaluation's weights by self-play, and print them.

    python -m bench.tune --books tablut-edge --seed 1

All weights are shifted at once, each by a step up or down drawn by seed; the shifted engine plays the one shifted the
other way, and the weights follow the winner a little (simultaneous perturbation). Limited by nodes: the same seed gives
the same weights on every machine. What came out stands in docs/engine.md and `engine.weights`.
"""

import random
from collections.abc import Sequence

from bench import command
from bench.matches import match, openings, player
from engine import BOOKS, Book
from engine.evaluation import TERMS
from engine.weights import weights_of

OPENINGS = 400
"""Drawn once for each book; every round picks from them."""

PAIRS = 4
"""Openings a round, each played with both sides."""

STEP = 0.2
"""A weight is shifted by so much of itself at first, and by a third of that at the end."""

LEAST_STEP = 2.0
"""But by so much at least, or it could never grow from nothing."""

PACE = 0.6
"""A round that is won outright moves a weight by so many of its steps at first, and by a third of that at the end."""


def tune(books: Sequence[Book], rounds: int, nodes: int, seed: int) -> list[float]:
    """Return tuned weights for books of one family, starting from those that it has."""
    draw = random.Random(seed)
    places = [openings(book, OPENINGS, seed) for book in books]
    weights = [float(weight) for weight in weights_of(books[0])]
    tuned = [n for n, weight in enumerate(weights) if weight and n]  # the first term is the measure of the others
    total = [0.0] * len(weights)
    for turn in range(rounds):
        cooling = 1 / (1 + 2 * turn / rounds)
        steps = {n: max(LEAST_STEP, STEP * abs(weights[n])) * cooling * draw.choice((-1, 1)) for n in tuned}
        up = [round(weight + steps.get(n, 0)) for n, weight in enumerate(weights)]
        down = [round(weight - steps.get(n, 0)) for n, weight in enumerate(weights)]
        book = turn % len(books)
        positions = draw.sample(places[book], PAIRS)
        score, _ = match(positions, player(books[book], nodes, weights=up), player(books[book], nodes, weights=down))
        lead = 2 * score.rate - 1
        for n, step in steps.items():
            weights[n] = max(0.0, weights[n] + PACE * cooling * lead * step)
        if turn >= rounds // 2:
            total = [so_far + weight for so_far, weight in zip(total, weights, strict=True)]
        if (turn + 1) % 50 == 0:
            print(turn + 1, " ".join(f"{weight:.0f}" for weight in weights), flush=True)
    return [weight / (rounds - rounds // 2) for weight in total]


def main() -> None:
    """Run what the arguments ask for."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument("--books", nargs="+", default=["tablut-edge"], choices=list(BOOKS))
    parser.add_argument("--rounds", type=command.whole(1), default=1000)
    parser.add_argument("--nodes", type=command.whole(1), default=600, help="for a move")
    parser.add_argument("--seed", type=command.seed, default=1)
    arguments = parser.parse_args()
    before = weights_of(BOOKS[arguments.books[0]])
    after = tune([BOOKS[name] for name in arguments.books], arguments.rounds, arguments.nodes, arguments.seed)
    for term, old, new in zip(TERMS, before, after, strict=True):
        print(f"{term:12}{old:6}{round(new):6}")


if __name__ == "__main__":
    command.run(main)
