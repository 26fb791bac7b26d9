"""What survives when the power goes: the game, the captured pieces that still stand, and the board as last seen."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine import Book, Game, Outcome, Reason, Side, Square

BY_WORD = (Reason.RESIGNATION, Reason.DRAW_AGREED)
"""Endings that the position does not show."""


@dataclass(frozen=True, slots=True)
class Saved:
    """Everything that a restart resumes from; the game is told by its moves and played again."""

    book: Book
    position: str | None = None
    """Where the game began (OTN); None for the book's start."""
    side: Side | None = None
    """Who moved first; None for the book's first side."""
    moves: tuple[tuple[Square, Square], ...] = ()
    """Origin and destination of each accepted move."""
    ended: Outcome | None = None
    """How the game was ended by word (resignation, draw); other endings follow from the moves."""
    removals: frozenset[Square] = frozenset()
    """Where captured pieces still stand."""
    board: frozenset[Square] | None = None
    """What the sensors said last; None if they were never read."""
    masked: frozenset[Square] = frozenset()
    """Squares whose sensor the players agreed not to trust."""
    chosen: tuple[Square, Square] | None = None
    """The computer's move, where it waits to be made on the board."""
    over_said: bool = True
    """Whether the end of the game was said; at first it may still be amended by a slide."""

    def game(self) -> Game:
        """Play the game again.

        Raises:
            EngineError: position or moves do not fit the book.

        """
        game = Game(self.book, position=self.position, side=self.side)
        for origin, destination in self.moves:
            game.play((origin, destination))
        if self.ended is not None and game.result is None:
            if self.ended.reason is Reason.RESIGNATION and self.ended.winner is not None:
                game.resign(self.ended.winner.other)
            else:
                game.agree_draw()
        return game


@dataclass(frozen=True, slots=True)
class Kept:
    """What of a game had been stored when the power went, where that was less than what had been decided."""

    moves: tuple[tuple[Square, Square], ...] = ()
    removals: frozenset[Square] = frozenset()
    masked: frozenset[Square] = frozenset()

    def of(self, saved: Saved) -> Saved:
        """Give what survives of a game."""
        return replace(saved, moves=self.moves, removals=self.removals, masked=self.masked, ended=None, chosen=None)


def kept_of(found: Saved, saved: Saved) -> Kept | None:
    """Tell what of a game was found stored; None where it is all that should survive, but for what sensors said."""
    if replace(found, board=saved.board, over_said=saved.over_said) == saved:
        return None
    return Kept(found.moves, found.removals, found.masked)


def saved_game(game: Game) -> Saved:
    """Give what has to survive of a game alone."""
    result = game.result
    return Saved(
        game.book,
        game.start,
        game.first_side,
        tuple((ply.move.origin, ply.move.destination) for ply in game.plies),
        result if result is not None and result.reason in BY_WORD else None,
    )
