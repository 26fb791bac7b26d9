"""Draws a board in a terminal, the highest rank on top. Pure: makes text and knows no rule beyond a book's squares."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rich.text import Text

from engine import Book, Piece, Square, square_at
from engine.squares import FILE_LETTERS

STYLES = {Piece.ATTACKER: "bold red", Piece.DEFENDER: "bold cyan", Piece.KING: "bold yellow"}
"""Colours that differ in brightness too; the letters alone say everything."""

EMPTY, SPECIAL, CAMP = ".", "+", ":"
"""An ordinary empty square, one that is the king's only, and one of a camp."""

MARKED = "reverse"
"""How the squares of the last move look."""


def board_text(book: Book, pieces: Mapping[Square, Piece], marked: Collection[Square] = ()) -> Text:
    """Draw the pieces on a book's board.

    Args:
        book: tells the size and which empty squares to tell apart.
        pieces: what stands where.
        marked: squares to bring out where the terminal can.

    """
    special = {book.throne} | (book.corners if book.corner_stops != frozenset(Piece) else frozenset())
    width = len(str(book.size))
    text = Text()
    for rank in reversed(range(book.size)):
        text.append(f"{rank + 1:>{width}} ", "dim")
        for file in range(book.size):
            square = square_at(file, rank, book.size)
            piece = pieces.get(square)
            empty = SPECIAL if square in special else CAMP if square in book.camps else EMPTY
            letter = piece.value if piece else empty
            style = STYLES[piece] if piece else "dim"
            text.append(" ")
            text.append(letter, f"{style} {MARKED}" if square in marked else style)
        text.append("\n")
    text.append(" " * (width + 1) + "".join(f" {FILE_LETTERS[file]}" for file in range(book.size)), "dim")
    return text
