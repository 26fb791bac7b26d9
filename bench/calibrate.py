"""Play games between equals and find what a worth means: where a game is even, and what chance a worth gives.

    python -m bench.calibrate

From openings about as balanced as the start the engine plays itself, under every book. Two things are read off:

- How often a side wins that is so far ahead. Every worth that the engine found on the way stands beside the outcome, a
  draw as half a win, and logistic curves are laid through them: chance = 1 / (1 + exp(-(worth - even) / scale)), with
  one scale for the books of CURVED and an even point for each. The scale stands in `boardd.computer.analysis`.
- How much better than at the start the attackers of a book have to stand for an even game: as much as the curve says
  that their score is short of a half. This lead stands in `engine.weights`, if the score can be told from a half.

Limited by nodes and drawn by seed, so anyone gets the same table.
"""

import math
from collections.abc import Mapping, Sequence

from bench import command
from bench.matches import MOST_PLIES, Score, openings
from engine import BOOKS, Book
from engine.position import RUNNING
from engine.search import Limits, Searcher
from engine.tables import ATTACKING
from engine.worths import DECIDED

Seen = tuple[float, float]
"""What a position was worth to the attackers, in hundredths of a soldier, and what they scored in the end."""

CURVED = ("tablut-edge", "linnaean")
"""Nearly all their games are decided, and both sides win: only such games tell what a worth is worth."""

MOST_LEAD = 300
"""Where one side nearly always wins, games no longer tell by how much it is ahead."""

ROUNDED = 10
"""Leads are no more exact than so many hundredths of a soldier."""

STEPS = 100
"""Newton's method needs about ten."""

GROUPS = 5
"""In so many groups of equal size, by worth, a book's curve is held against its games."""


def seen_in_games(book: Book, games: int, nodes: int, seed: int) -> tuple[list[Seen], tuple[int, int, int]]:
    """Play games; return what was seen, and how many the attackers won, nobody won and the defenders won."""
    searcher = Searcher(book)
    limits = Limits(nodes=nodes)
    found: list[Seen] = []
    won = drawn = 0
    for opening in openings(book, games, seed):
        searcher.forget()
        position = opening.copy()
        seen: dict[int, int] = {}
        worths: list[int] = []
        score = 0.5
        for _ in range(MOST_PLIES):
            seen[position.key] = seen.get(position.key, 0) + 1
            if seen[position.key] == 3 and not position.tables.three_moves:
                break
            thought = searcher.think(position.copy(), limits)
            if abs(thought.worth) < DECIDED:
                worths.append(thought.worth if position.side == ATTACKING else -thought.worth)
            position.reserve(1)
            position.make(thought.move)
            end = position.ended()
            if end != RUNNING:
                winner = int(position.winner(end))
                score = 0.5 if winner == 0 else float(winner == ATTACKING)
                break
        won += score == 1
        drawn += score == 0.5
        found += [(worth, score) for worth in worths]
    return found, (won, drawn, games - won - drawn)


def chance(worth: float, even: float, scale: float) -> float:
    """Give the attackers' chance to win, 0 to 1."""
    return 1 / (1 + math.exp(-(worth - even) / scale))


def fitted(books: Sequence[Sequence[Seen]]) -> tuple[list[float], float]:
    """Return the even point of each book and the scale that fit best; each book counts alike."""
    slope = 1 / 400
    heights = [0.0] * len(books)
    for _ in range(STEPS):
        gradient = curving = 0.0
        for book, found in enumerate(books):
            mixed = 0.0
            height_gradient = height_curving = 0.0
            slope_gradient = slope_curving = 0.0
            for worth, score in found:
                guess = 1 / (1 + math.exp(-(slope * worth + heights[book])))
                steep = guess * (1 - guess)
                height_gradient += score - guess
                height_curving += steep
                slope_gradient += (score - guess) * worth
                slope_curving += steep * worth * worth
                mixed += steep * worth
            heights[book] += height_gradient / height_curving
            gradient += (slope_gradient - mixed * height_gradient / height_curving) / len(found)
            curving += (slope_curving - mixed * mixed / height_curving) / len(found)
        slope += gradient / curving
    return [-height / slope for height in heights], 1 / slope


def lead(score: Score, scale: float) -> int:
    """Return how far the attackers, who scored so, have to be ahead of the start for an even game."""
    if abs(score.rate - 0.5) <= score.error:
        return 0
    short = scale * math.log((1 - score.rate) / score.rate)
    return max(-MOST_LEAD, min(MOST_LEAD, round(short / ROUNDED) * ROUNDED))


def main() -> None:
    """Run what the arguments ask for."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument("--games", type=command.whole(2), default=200)
    parser.add_argument("--nodes", type=command.whole(1), default=1000, help="for a move")
    parser.add_argument("--seed", type=command.seed, default=2)
    arguments = parser.parse_args()
    played = {
        book.name: seen_in_games(book, arguments.games, arguments.nodes, arguments.seed) for book in BOOKS.values()
    }
    tell(played)


def tell(played: Mapping[str, tuple[list[Seen], tuple[int, int, int]]]) -> None:
    """Print what the games say."""
    evens, scale = fitted([played[name][0] for name in CURVED])
    print(f"The scale is {scale:.0f}. For each fifth of the positions, by worth: what attackers scored, the curve\n")
    print("| book | lowest | low | middle | high | highest |")
    print("|---|---|---|---|---|---|")
    for name, even in zip(CURVED, evens, strict=True):
        found = sorted(played[name][0])
        groups = [found[len(found) * n // GROUPS : len(found) * (n + 1) // GROUPS] for n in range(GROUPS)]
        cells = (
            f"{sum(score for _, score in group) / len(group):.0%}, "
            f"{sum(chance(worth, even, scale) for worth, _ in group) / len(group):.0%}"
            for group in groups
        )
        print(f"| {name} | {' | '.join(cells)} |")
    print("\n| book | attackers won | drawn | lost | score | 95% interval | lead |")
    print("|---|---|---|---|---|---|---|")
    for name, (_, sides) in played.items():
        score = Score(*sides)
        print(f"| {name} | {score} | {lead(score, scale):+d} |")


if __name__ == "__main__":
    command.run(main)
