"""Choosing a move: limits, results, and the deepening of one search after another.

The friendly face of `engine.alphabeta`: games and moves instead of numbers. Reads no clock but the one it is given.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from engine.alphabeta import AlphaBeta
from engine.books import Book
from engine.errors import GameStateError
from engine.evaluation import Evaluation
from engine.game import Game
from engine.ideas import CHOSEN
from engine.position import Position
from engine.squares import Square
from engine.table import ENTRY_BITS, Transpositions
from engine.tables import CELL_MASK, MOVE_SHIFT, Tables, tables_of
from engine.values import Move
from engine.walk import MOST_PLIES
from engine.weights import lead_of, weights_of
from engine.worths import DECIDED, WON

POLL_SECONDS: Final = 0.001
"""A compiled search lets no other thread run between two polls, and a stop has to be obeyed within 20 ms; so it is
asked every few milliseconds, with room for a slower stretch up to the 5 that are promised."""
FIRST_NODES: Final = 32
"""Until the pace is known, ask after so many nodes: 3 ms on the slowest of machines."""
MOST_NODES_BETWEEN: Final = 1 << 15

ENDLESS_NODES: Final = 1 << 60

DEEPEST: Final = MOST_PLIES // 2
"""Where a search ends that nothing limits."""

Poll = Callable[[], bool]
"""Called every few milliseconds while a search runs; returns whether to go on."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop: whatever comes first. Without any, a search goes on until it is told to stop or all is decided."""

    depth: int | None = None
    """Plies."""
    nodes: int | None = None
    """Positions looked at. The same limit gives the same move on every machine."""
    seconds: float | None = None


@dataclass(frozen=True, slots=True, order=True)
class Value:
    """What a position is worth to the side to move. Greater is better.

    Made by `value_of`; ordered, wins before all else and a quick win before a slow one.
    """

    worth: int
    """In hundredths of a soldier, about; beyond DECIDED the end can be forced."""

    @property
    def plies(self) -> int | None:
        """In how many plies the game can be forced to end, if it can."""
        return WON - abs(self.worth) if abs(self.worth) >= DECIDED else None

    @property
    def wins(self) -> bool:
        """Whether the side to move can force a win."""
        return self.worth >= DECIDED

    @property
    def loses(self) -> bool:
        """Whether the opponent can force a win."""
        return self.worth <= -DECIDED

    @property
    def opposite(self) -> "Value":
        """What the same is worth to the other side."""
        return Value(-self.worth)

    def __str__(self) -> str:
        """Write it as `+1.25`, `wins in 3` or `loses in 4` (plies)."""
        if self.plies is not None:
            return f"{'wins' if self.wins else 'loses'} in {self.plies}"
        return f"{self.worth / 100:+.2f}"


@dataclass(frozen=True, slots=True)
class Result:
    """What a search has found."""

    move: Move
    value: Value
    """To the side to move."""
    depth: int
    """Plies of the last search that was finished; 0 if not even the first was."""
    nodes: int
    line: tuple[Move, ...]
    """The best moves of both sides, `move` first, as far as they are known."""


@dataclass(frozen=True, slots=True)
class Thought:
    """What a search has found, in the core's numbers."""

    move: int
    worth: int
    depth: int
    nodes: int
    line: tuple[int, ...]
    ranking: tuple[tuple[int, int], ...]
    """Moves with their worths, as far as the last finished search knows them exactly, the best first."""


class Searcher:
    """Searches positions of one book, one after another, and remembers what may help the next time.

    What it remembers may change what it finds: for the same answer to the same question, `forget` first.

    Args:
        book: the rules.
        clock: seconds, from any moment on.
        ideas: which of `engine.ideas` to use.
        weights: of the evaluation's terms; the book's own by default.
        table_bits: it remembers two to this power positions, 16 bytes each.

    """

    def __init__(
        self,
        book: Book,
        *,
        clock: Callable[[], float] = time.monotonic,
        ideas: int = CHOSEN,
        weights: Sequence[int] | None = None,
        table_bits: int = ENTRY_BITS,
    ) -> None:
        self._tables: Tables = tables_of(book)
        self._clock = clock
        self._ideas = ideas
        self._evaluation = Evaluation(
            self._tables, list(weights_of(book) if weights is None else weights), Game(book).core, lead_of(book)
        )
        self._table = Transpositions(table_bits)
        self._search: AlphaBeta | None = None

    def forget(self) -> None:
        """Forget what earlier searches have found, as for a new game."""
        self._table.clear()

    def best_move(self, game: Game, limits: Limits, poll: Poll | None = None) -> Result:
        """Return the best move that can be found within the limits.

        Args:
            game: where to search; it knows what was played before, and is not changed.
            limits: when to stop.
            poll: called every 5 ms at least; the search stops when it returns False. There is a move even so.

        Raises:
            GameStateError: the game is over.

        """
        if game.result is not None:
            raise GameStateError("search: found a game that is over, expected one that goes on")
        thought = self.think(game.core.copy(), limits, poll)
        line = moves_of(game, thought.line)
        return Result(line[0], Value(thought.worth), thought.depth, thought.nodes, line)

    def think(self, position: Position, limits: Limits, poll: Poll | None = None, *, margin: int = 0) -> Thought:
        """Search a position of the core.

        Args:
            position: the game must go on in it; used while searching, and as it was afterwards.
            limits: when to stop.
            poll: see `best_move`.
            margin: moves that are worth so much less than the best are ranked too.

        """
        search = self._search
        if search is None or search.slots != position.slot_count:
            search = self._search = AlphaBeta(position, self._evaluation, self._table, self._ideas)
        nodes = limits.nodes if limits.nodes is not None else ENDLESS_NODES
        count = search.begin(position, nodes, self._asking(limits.seconds, poll))
        ranking: list[tuple[int, int]] = []
        line: list[int] = [int(search.moves[0])]
        worth = depth = 0
        for next_depth in range(1, min(limits.depth or DEEPEST, DEEPEST) + 1):
            found = int(search.root(next_depth, margin))
            if search.stopped:
                if search.root_done:
                    worth, line = found, search.best_line()
                    if not ranking or line[0] != ranking[0][0]:
                        ranking = [(line[0], worth)]
                break
            worth, depth, line = found, next_depth, search.best_line()
            ranked = [(int(search.moves[n]), int(search.root_worths[n])) for n in range(count)]
            ranking = sorted((entry for entry in ranked if entry[1] >= worth - margin), key=lambda entry: -entry[1])
            if abs(worth) >= DECIDED and WON - abs(worth) <= depth:
                break
        return Thought(line[0], worth, depth, int(search.nodes), tuple(line), tuple(ranking))

    def _asking(self, seconds: float | None, poll: Poll | None) -> Callable[[int], int]:
        """Return what the search asks whether to go on: it keeps the pace at POLL_SECONDS."""
        clock = self._clock
        last = clock()
        end = None if seconds is None else last + seconds
        step = FIRST_NODES

        def ask(_nodes: int) -> int:
            nonlocal last, step
            now = clock()
            if (end is not None and now >= end) or (poll is not None and not poll()):
                return 0
            if now - last > POLL_SECONDS:
                step = max(step // 2, 1)
            elif now - last < POLL_SECONDS / 2:
                step = min(step * 2, MOST_NODES_BETWEEN)
            last = now
            return step

        return ask


def moves_of(game: Game, line: Sequence[int]) -> tuple[Move, ...]:
    """Return a line of the core's numbers as moves of a game, which is not changed."""
    copy = game.copy()
    square = copy.tables.square
    return tuple(
        copy.play((Square(square(move >> MOVE_SHIFT)), Square(square(move & CELL_MASK)))).move
        for move in line
        if copy.result is None
    )


def best_move(game: Game, limits: Limits, poll: Poll | None = None) -> Result:
    """Return the best move of a game that can be found within the limits: see `Searcher.best_move`."""
    return Searcher(game.book).best_move(game, limits, poll)
