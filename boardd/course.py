"""The course of the game: the game, and a look at it before its last move.

Owns how the game changes when a move is accepted, amended or taken back. Knows nothing of when or why, nor of events.
"""

from __future__ import annotations

from collections.abc import Callable

from boardd.meanings import Reading, Squares
from boardd.saved import Saved
from boardd.scene import View
from engine import Game, Move, Ply, Square, file_of, rank_of


class Course:
    """A game with its views, worked out when they are asked for and kept until the game changes."""

    def __init__(self, saved: Saved) -> None:
        self.game = saved.game()
        self.start: Squares = Game(self.game.book).occupied
        """What a new game of this book begins with."""
        self._now: View | None = None
        self._before: View | None = None

    @property
    def now(self) -> View:
        """The game as it stands."""
        if self._now is None:
            self._now = View(self.game)
        return self._now

    @property
    def before(self) -> View | None:
        """The game before its last move; None before the first."""
        if self._before is None and self.game.plies:
            game = self.game.copy()
            game.undo()
            self._before = View(game)
        return self._before

    @property
    def captured(self) -> Squares:
        """The squares where the last move took a piece."""
        return frozenset(self.game.plies[-1].move.captures) if self.game.plies else frozenset()

    def base(self, reading: Reading) -> View:
        """Give the game in which a reading's move is made: for an amendment the one before the last move."""
        return self.before if reading.amends and self.before is not None else self.now

    def play(self, reading: Reading) -> Ply:
        """Play the move of a reading, in place of the last one if it amends it."""
        assert reading.move is not None
        before = self.base(reading)
        game = self.game.copy()
        if reading.amends:
            game.undo()
        game.play(reading.move)
        ply = self._change(game).plies[-1]
        self._before = before
        return ply

    def undo(self) -> Ply:
        """Take the last move back."""
        ply = self.game.plies[-1]
        game = self.game.copy()
        game.undo()
        self._change(game)
        return ply

    def end(self, by_word: Callable[[Game], None]) -> None:
        """End the game by resignation or agreement."""
        by_word(self.game)
        self._change(self.game)

    def begin(self) -> None:
        """Begin a new game of the same book."""
        self._change(Game(self.game.book))

    def _change(self, game: Game) -> Game:
        self.game = game
        self._now = self._before = None
        return game


def goes_on(move: Move, view: View) -> bool:
    """Whether the piece could legally have gone farther in the direction of its move."""
    size = view.game.size
    step = _direction(move.origin, move.destination, size)
    for other in view.from_.get(move.origin, ()):
        farther = abs(other.destination - other.origin) > abs(move.destination - move.origin)
        if farther and _direction(other.origin, other.destination, size) == step:
            return True
    return False


def _direction(origin: Square, destination: Square, size: int) -> tuple[int, int]:
    files = file_of(destination, size) - file_of(origin, size)
    ranks = rank_of(destination, size) - rank_of(origin, size)
    return (files > 0) - (files < 0), (ranks > 0) - (ranks < 0)
