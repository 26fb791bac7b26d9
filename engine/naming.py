"""A book as one line of text: the name of one that we ship, or a rules string for any other."""

from engine.books import BOOKS, Book
from engine.books import book_named as shipped
from engine.rulestring import parse_rules, write_rules

RULES_BEGIN = "dim:"
"""How a rules string begins, and no name of ours."""


def book_named(text: str) -> Book:
    """Return the book of a name or of a rules string.

    Raises:
        UnknownBookError: we ship none of this name; the message lists those that there are.
        EngineError: a rules string cannot be read, or asks for what we do not play.

    """
    return parse_rules(text) if text.lstrip().startswith(RULES_BEGIN) else shipped(text)


def name_of(book: Book) -> str:
    """Return what `book_named` gives the book back for: its name if we ship it, else its rules string."""
    return book.name if BOOKS.get(book.name) == book else write_rules(book)
