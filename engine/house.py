"""House rules: a book's fields as plain words, and a book made of another by changing some of them.

The words are those of a book's fields, so that a further field needs nothing here: enums by their values, kinds of
piece by their letters, squares by their names.
"""

import dataclasses
import difflib
import enum
import typing
from collections.abc import Mapping
from dataclasses import replace

from engine.books import Book
from engine.errors import EngineError, RulesError
from engine.pieces import Piece
from engine.squares import Square, parse_square, square_name

_TYPES = typing.get_type_hints(Book)


def told(book: Book) -> dict[str, object]:
    """Return every field of a book in plain words."""
    return {field.name: _word(getattr(book, field.name), book.size) for field in dataclasses.fields(book)}


def changed(book: Book, rules: Mapping[str, object]) -> Book:
    """Return a book with some rules changed.

    Args:
        book: what holds where nothing is changed.
        rules: fields by name, in the words that `told` uses. Without a `name` it is called after the book.

    Raises:
        RulesError: names the field, what was found and what was expected.

    """
    if not rules:
        return book
    size = rules.get("size", book.size)
    values = {name: _value(name, value, size if isinstance(size, int) else book.size) for name, value in rules.items()}
    return replace(book, **{"name": f"{book.name}-house", **values})  # type: ignore[arg-type]  # checked above


def _word(value: object, size: int) -> object:
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, frozenset):
        if all(isinstance(item, Piece) for item in value):
            return [piece.value for piece in Piece if piece in value]
        return [square_name(square, size) for square in sorted(value)]
    return value


def _value(name: str, value: object, size: int) -> object:
    """Return a field's value from its word."""
    kind = _TYPES.get(name)
    if kind is None:
        near = difflib.get_close_matches(name, _TYPES, n=1, cutoff=0)[0]
        raise RulesError(f"{name}: unknown rule, did you mean {near}?")
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        words = [member.value for member in kind]
        if value not in words:
            raise _wrong(name, value, f"one of {', '.join(words)}")
        return kind(value)
    if typing.get_origin(kind) is frozenset:
        return _set(name, value, typing.get_args(kind)[0], size)
    if type(value) is not kind:
        raise _wrong(name, value, {bool: "true or false", int: "a whole number", str: "text"}[kind])
    return value


def _set(name: str, value: object, kind: object, size: int) -> frozenset[Piece] | frozenset[Square]:
    """Return a set of pieces or squares from a list of their words."""
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise _wrong(name, value, "a list of words")
    if kind is Piece:
        letters = {piece.value: piece for piece in Piece}
        if unknown := [item for item in value if item not in letters]:
            raise _wrong(name, unknown[0], f"letters of {', '.join(letters)}")
        return frozenset(letters[item] for item in value)
    try:
        return frozenset(parse_square(item, size) for item in value)
    except EngineError as error:
        raise RulesError(f"{name}: {error}") from None


def _wrong(name: str, found: object, expected: str) -> RulesError:
    shown = str(found).lower() if isinstance(found, bool) else repr(found)
    return RulesError(f"{name}: found {shown}, expected {expected}")
