"""Play each level against the one two below it, and print the table of docs/engine.md.

    python -m bench.matches_levels --book tablut-edge

Fifty openings, each played with both sides; limited by nodes and drawn by seed, so anyone gets the same table.
"""

from collections.abc import Callable

from bench import command
from bench.matches import Player, match, openings
from engine import BOOKS, Book
from engine.levels import LEVELS, Level, Opponent

APART = 2
"""A level is held against the one so many below it."""


def leveled(book: Book, level: Level, first_seed: int) -> Callable[[], Player]:
    """Return what makes players of a level, each with a seed of its own."""
    seed = first_seed

    def fresh() -> Player:
        nonlocal seed
        seed += 1
        opponent = Opponent(book, level, seed)
        return lambda position: opponent.pick(position.copy())[0]

    return fresh


def main() -> None:
    """Run what the arguments ask for."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument("--book", default="tablut-edge", choices=list(BOOKS))
    parser.add_argument("--games", type=command.whole(2), default=100)
    parser.add_argument("--seed", type=command.seed, default=1)
    parser.add_argument(
        "--levels",
        nargs="+",
        type=command.whole(1 + APART, len(LEVELS)),
        default=list(range(1 + APART, len(LEVELS) + 1)),
    )
    arguments = parser.parse_args()
    book = BOOKS[arguments.book]
    positions = openings(book, arguments.games // 2, arguments.seed)
    print("| level | against | won | drawn | lost | score | 95% interval | attackers/draw/defenders |")
    print("|---|---|---|---|---|---|---|---|")
    for number in arguments.levels:
        stronger, weaker = LEVELS[number - 1], LEVELS[number - 1 - APART]
        score, sides = match(positions, leveled(book, stronger, 1000), leveled(book, weaker, 2000))
        print(f"| {number} | {weaker.number} | {score} | {sides[0]}/{sides[1]}/{sides[2]} |", flush=True)


if __name__ == "__main__":
    command.run(main)
