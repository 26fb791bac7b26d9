"""The course of the game: the game, a look at it before its last move, and the course that lost by evidence alone.

Owns how the game changes when a move is accepted, amended or taken back. Knows nothing of when or why, nor of events.
"""

from __future__ import annotations

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
        self._rival: Game | None = None

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
        """Play the move of a reading, in place of the last one if it amends it.

        Had another reading left the very same squares, the game as it would be then is kept until the next change.
        """
        assert reading.move is not None
        rival = None if reading.rival is None else self._played(reading.rival)
        before = self.base(reading)
        ply = self._change(self._played(reading)).plies[-1]
        self._before, self._rival = before, rival
        return ply

    def undo(self) -> Ply:
        """Take the last move back."""
        ply = self.game.plies[-1]
        game = self.game.copy()
        game.undo()
        self._change(game)
        return ply

    def begin(self) -> None:
        """Begin a new game of the same book."""
        self._change(Game(self.game.book))

    def rival(self) -> tuple[View, View] | None:
        """Give the rival game as it stands, and before its last move."""
        if self._rival is None:
            return None
        before = self._rival.copy()
        before.undo()
        return View(self._rival), View(before)

    def go_over(self) -> tuple[list[Ply], list[Ply]]:
        """Put the rival game in place of the game.

        Returns:
            The plies that are no more and those that are instead. The first of both lists is one piece's move,
            amended.

        """
        assert self._rival is not None
        gone = self.game.plies[min(len(self.game.plies), len(self._rival.plies)) - 1 :]
        instead = self._rival.plies[len(self.game.plies) - len(gone) :]
        self._change(self._rival)
        return list(gone), list(instead)

    def _played(self, reading: Reading) -> Game:
        assert reading.move is not None
        game = self.game.copy()
        if reading.amends:
            game.undo()
        game.play(reading.move)
        return game

    def _change(self, game: Game) -> Game:
        self.game = game
        self._now = self._before = self._rival = None
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
