"""The rule book that the configuration asks for: one of ours, a rules string, and house rules on top of either."""

from boardd.settings import GameSettings
from engine import Book, book_named
from engine.house import changed


def configured_book(game: GameSettings) -> Book:
    """Give the book of new games.

    Raises:
        EngineError: the book is unknown, or its rules cannot be played.

    """
    return changed(book_named(game.rules), game.house)
