"""Play an engine against itself with one thing changed, from varied openings, sides swapped; tell score and interval.

    python -m bench.matches terms --book tablut-edge      # each term of the evaluation, left out
    python -m bench.matches ideas --book tablut-edge      # each idea of the search, left out (or put in)
    python -m bench.matches depth --book tablut-edge      # how many more positions a depth takes without each idea

Everything is limited by nodes and drawn by seed, so anyone gets the same table. It runs on whichever form of the engine
is installed; 400 games take seconds compiled and many minutes pure.
"""

import math
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench import command
from engine import BOOKS, Book
from engine import ideas as idea_bits
from engine.evaluation import TERMS
from engine.game import Game
from engine.position import RUNNING, Position
from engine.search import Limits, Searcher
from engine.tables import ATTACKING, DEFENDING
from engine.weights import weights_of

MOST_PLIES = 200
"""A game that has not ended by then is a draw."""

OPENING_PLIES = (3, 8)
"""An opening is so many plies drawn at random, at least and at most."""

BALANCED = 160
"""An opening is played only if a search finds it worth no more to either side, beyond what the start is worth."""

JUDGED_NODES = 4000
"""How long that search looks."""

DEPTH_OPENINGS = 20
"""Positions over which the cost of a depth is counted."""

INTERVAL = 1.96
"""Standard errors on each side of a score that make up 95%."""

IDEAS = {
    "killers": idea_bits.KILLERS,
    "open line": idea_bits.OPEN_LINE,
    "forced replies": idea_bits.FORCED,
    "late move reductions": idea_bits.REDUCTIONS,
    "transposition table": idea_bits.REMEMBER,
    "captures first": idea_bits.CAPTURES,
    "quiescence": idea_bits.QUIET,
}


@dataclass(frozen=True, slots=True)
class Score:
    """How one player did against another."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many were played."""
        return self.wins + self.draws + self.losses

    @property
    def rate(self) -> float:
        """Points a game: 1 for a win, half for a draw."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def error(self) -> float:
        """Half the width of the 95% interval of the rate."""
        rate = self.rate
        squares = self.wins * (1 - rate) ** 2 + self.draws * (0.5 - rate) ** 2 + self.losses * rate**2
        return INTERVAL * math.sqrt(squares / self.games / max(self.games - 1, 1))

    def __str__(self) -> str:
        """Write it as a row's last columns."""
        low, high = max(0.0, self.rate - self.error), min(1.0, self.rate + self.error)
        return f"{self.wins} | {self.draws} | {self.losses} | {self.rate:.1%} | {low:.1%} to {high:.1%}"


Player = Callable[[Position], int]
"""Chooses a move of the core."""


def openings(book: Book, count: int, seed: int) -> list[Position]:
    """Draw openings that are about as balanced as the start."""
    draw = random.Random(f"{book.name} {seed}")
    searcher = Searcher(book)
    limits = Limits(nodes=JUDGED_NODES)
    start = Game(book).core
    usual = attackers_worth(start, searcher, limits)
    found: list[Position] = []
    keys: set[int] = set()
    while len(found) < count:
        position = start.copy()
        position.reserve(MOST_PLIES)
        buffer = position.buffer(1)
        for _ in range(draw.randint(*OPENING_PLIES)):
            end = position.generate(position.side, buffer, 0)
            position.make(buffer[draw.randrange(end)])
            if position.ended() != RUNNING:
                break
        if position.ended() != RUNNING or position.key in keys:
            continue
        keys.add(position.key)
        searcher.forget()
        if abs(attackers_worth(position, searcher, limits) - usual) <= BALANCED:
            found.append(position)
    return found


def attackers_worth(position: Position, searcher: Searcher, limits: Limits) -> int:
    """Return what a position is worth to the attackers."""
    worth = searcher.think(position, limits).worth
    return worth if position.side == ATTACKING else -worth


def play(opening: Position, attackers: Player, defenders: Player) -> int:
    """Play a game and return the side that won, 0 for a draw."""
    position = opening.copy()
    seen: dict[int, int] = {}
    for _ in range(MOST_PLIES):
        seen[position.key] = seen.get(position.key, 0) + 1
        if seen[position.key] == 3 and not position.tables.three_moves:
            return 0
        move = (attackers if position.side == ATTACKING else defenders)(position)
        position.reserve(1)
        position.make(move)
        end = position.ended()
        if end != RUNNING:
            return int(position.winner(end))
    return 0


def match(
    positions: Sequence[Position], first: Callable[[], Player], second: Callable[[], Player]
) -> tuple[Score, tuple[int, int, int]]:
    """Play every opening twice, sides swapped.

    Args:
        positions: the openings.
        first: makes the player whose score is counted, anew for each game.
        second: makes the other.

    Returns:
        The first player's score, and how many games attackers won, nobody won and defenders won.

    """
    wins = draws = losses = 0
    sides = {ATTACKING: 0, 0: 0, DEFENDING: 0}
    for opening in positions:
        for side in (ATTACKING, DEFENDING):
            one, other = first(), second()
            winner = play(opening, one, other) if side == ATTACKING else play(opening, other, one)
            sides[winner] += 1
            wins += winner == side
            draws += winner == 0
            losses += winner not in (0, side)
    return Score(wins, draws, losses), (sides[ATTACKING], sides[0], sides[DEFENDING])


def player(
    book: Book, nodes: int, *, ideas: int = idea_bits.CHOSEN, weights: Sequence[int] | None = None
) -> Callable[[], Player]:
    """Return what makes a player of a strength."""
    searcher = Searcher(book, ideas=ideas, weights=weights)
    limits = Limits(nodes=nodes)

    def fresh() -> Player:
        searcher.forget()
        return lambda position: searcher.think(position.copy(), limits).move

    return fresh


def without_terms(book: Book, games: int, nodes: int, seed: int) -> None:
    """Play with each term of the evaluation against without it."""
    positions = openings(book, games // 2, seed)
    weights = weights_of(book)
    for number, term in enumerate(TERMS):
        if not weights[number]:
            continue
        less = [0 if n == number else weight for n, weight in enumerate(weights)]
        score, sides = match(positions, player(book, nodes), player(book, nodes, weights=less))
        print(f"| {book.name} | {term} | {score} | {sides[0]}/{sides[1]}/{sides[2]} |", flush=True)


def without_ideas(book: Book, games: int, nodes: int, seed: int, only: Sequence[str]) -> None:
    """Play with each idea of the search against without it."""
    positions = openings(book, games // 2, seed)
    for name, idea in IDEAS.items():
        if only and name not in only:
            continue
        with_it, without = (
            player(book, nodes, ideas=idea_bits.CHOSEN | idea),
            player(book, nodes, ideas=idea_bits.CHOSEN & ~idea),
        )
        score, sides = match(positions, with_it, without)
        print(f"| {book.name} | {name} | {score} | {sides[0]}/{sides[1]}/{sides[2]} |", flush=True)


def nodes_for_depth(book: Book, depth: int, seed: int, only: Sequence[str]) -> None:
    """Tell how many times as many positions a depth takes without each idea: mean of logarithms and 95% interval."""
    positions = openings(book, DEPTH_OPENINGS, seed)

    def nodes(ideas: int) -> list[int]:
        searcher = Searcher(book, ideas=ideas)
        found = []
        for position in positions:
            searcher.forget()
            found.append(searcher.think(position.copy(), Limits(depth=depth)).nodes)
        return found

    usual = nodes(idea_bits.CHOSEN)
    for name, idea in IDEAS.items():
        if only and name not in only:
            continue
        ratios = [math.log(more / some) for more, some in zip(nodes(idea_bits.CHOSEN & ~idea), usual, strict=True)]
        middle = statistics.fmean(ratios)
        error = INTERVAL * statistics.stdev(ratios) / math.sqrt(len(ratios))
        low, mean, high = (f"{math.exp(ratio):.2f}" for ratio in (middle - error, middle, middle + error))
        print(f"| {book.name} | {name} | {depth} | {mean} | {low} to {high} |", flush=True)


def main() -> None:
    """Run what the arguments ask for."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument("what", choices=("terms", "ideas", "depth"))
    parser.add_argument("--book", default="tablut-edge", choices=list(BOOKS))
    parser.add_argument("--games", type=command.whole(2), default=400)
    parser.add_argument("--nodes", type=command.whole(1), default=2000, help="for a move")
    parser.add_argument("--seed", type=command.seed, default=1)
    parser.add_argument("--only", action="append", default=[], help="an idea's name; may be repeated")
    parser.add_argument("--depth", type=command.whole(1), default=5, help="of the search, in plies")
    arguments = parser.parse_args()
    book = BOOKS[arguments.book]
    if arguments.what == "depth":
        print("| book | without | depth | times as many positions | 95% interval |")
        print("|---|---|---|---|---|")
        nodes_for_depth(book, arguments.depth, arguments.seed, arguments.only)
        return
    print("| book | with against without | won | drawn | lost | score | 95% interval | attackers/draw/defenders |")
    print("|---|---|---|---|---|---|---|---|")
    if arguments.what == "terms":
        without_terms(book, arguments.games, arguments.nodes, arguments.seed)
    else:
        without_ideas(book, arguments.games, arguments.nodes, arguments.seed, arguments.only)


if __name__ == "__main__":
    command.run(main)
