"""Ten strengths of play, from one that a child beats to all that the engine can.

Owns what a level sees and how choosy it is. A weak level makes the mistakes of people: it looks less far, the weakest
do not notice what the opponent is about to do, and it takes any of the moves that look about as good to it. It does
not play at random: what it sees to win it plays, what it sees to lose it avoids.

Levels are limited by nodes and plies, never by time, so they play alike on every machine.
"""

import random
from dataclasses import dataclass
from typing import Final

from engine.books import Book
from engine.errors import GameStateError, LevelError
from engine.game import Game
from engine.ideas import CHOSEN, FORCED, OPEN_LINE, QUIET
from engine.position import Position
from engine.search import Limits, Poll, Result, Searcher, Thought, Value, moves_of

HASTY: Final = CHOSEN & ~QUIET
"""Stops looking in the middle of an exchange."""
CARELESS: Final = HASTY & ~OPEN_LINE & ~FORCED
"""Nor does it notice that the king has an open line, or can be taken, without trying the move."""


@dataclass(frozen=True, slots=True)
class Level:
    """What one strength of play sees."""

    number: int
    plies: int | None
    """How far it looks; None is as far as its nodes reach."""
    nodes: int
    """How many positions it looks at for a move, at most."""
    slack: int
    """It takes any move that seems worth so much less than the best, in hundredths of a soldier."""
    ideas: int
    """How it looks: a set of `engine.ideas`."""


# fmt: off
LEVELS: Final = tuple(
    Level(*row)
    for row in (
        # number plies   nodes slack ideas
        (      1,    1,    500,  120, CARELESS),
        (      2,    1,    500,   50, HASTY),
        (      3,    1,   1500,   30, CHOSEN),
        (      4,    2,   4000,   25, CHOSEN),
        (      5, None,   4000,   15, CHOSEN),
        (      6, None,  10000,   10, CHOSEN),
        (      7, None,  16000,    6, CHOSEN),
        (      8, None,  40000,    4, CHOSEN),
        (      9, None,  64000,    3, CHOSEN),
        (     10, None, 160000,    2, CHOSEN),
    )
)
"""The levels, weakest first."""
# fmt: on


def level_numbered(number: int) -> Level:
    """Return a level.

    Raises:
        LevelError: there is none of this number.

    """
    if not 1 <= number <= len(LEVELS):
        raise LevelError(f"level: found {number}, expected 1 to {len(LEVELS)}")
    return LEVELS[number - 1]


class Opponent:
    """Plays a book at a level.

    The same seed, level and game bring the same move, whatever was asked before.

    Args:
        book: the rules.
        level: how strong.
        seed: decides among moves that look alike to it.

    """

    def __init__(self, book: Book, level: Level, seed: int = 0) -> None:
        self._level = level
        self._seed = seed
        self._limits = Limits(depth=level.plies, nodes=level.nodes)
        self._searcher = Searcher(book, ideas=level.ideas)

    def choose(self, game: Game, poll: Poll | None = None) -> Result:
        """Return the move that it would play.

        Args:
            game: it is this side's turn.
            poll: as for `Searcher.best_move`.

        Raises:
            GameStateError: the game is over.

        """
        if game.result is not None:
            raise GameStateError("level: found a game that is over, expected one that goes on")
        move, worth, thought = self.pick(game.core.copy(), poll)
        line = moves_of(game, thought.line if move == thought.move else (move,))
        return Result(line[0], Value(worth), thought.depth, thought.nodes, line)

    def pick(self, position: Position, poll: Poll | None = None) -> tuple[int, int, Thought]:
        """Return the move that it would play in a position of the core, its worth, and what it was chosen from."""
        self._searcher.forget()
        thought = self._searcher.think(position, self._limits, poll, margin=self._level.slack)
        ranking = thought.ranking or ((thought.move, thought.worth),)
        best = ranking[0][1]
        nearness = [self._level.slack + 1 - (best - worth) for _, worth in ranking]
        draw = random.Random(f"{self._seed} {position.key} {position.ply}")
        move, worth = draw.choices(ranking, nearness)[0]
        return move, worth, thought
