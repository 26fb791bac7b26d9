"""Whether a given position can be played under a book. Knows nothing of moves."""

from collections.abc import Mapping

from engine.books import Book
from engine.errors import PositionError
from engine.pieces import Piece
from engine.squares import Square, square_name


def check_playable(book: Book, size: int, pieces: Mapping[Square, Piece]) -> None:
    """Refuse a position that cannot be played.

    A side without a legal move and a king who stands enclosed are both playable.

    Raises:
        PositionError: says what was found and what was expected.

    """
    if size != book.size:
        raise PositionError(
            f"position: found {size} x {size} squares, expected {book.size} x {book.size} ({book.name})"
        )
    kings = [square for square, piece in pieces.items() if piece is Piece.KING]
    if len(kings) != 1:
        raise PositionError(f"position: found {len(kings) or 'no'} king{'s' * (len(kings) > 1)}, expected one")
    king = kings[0]
    if king in book.goals:
        raise PositionError(f"position: found the king on {square_name(king, size)}, his goal; the game would be over")
    for square, piece in pieces.items():
        if square == book.throne and piece not in book.throne_stops and not book.given_anywhere:
            place = "the throne"
        elif square in book.corners and piece not in book.corner_stops and not book.given_anywhere:
            place = "a corner"
        elif square in book.camps and piece not in book.camp_moves:
            place = "a camp's square"
        else:
            continue
        raise PositionError(
            f"position: found {piece.value} on {square_name(square, size)}, expected nobody who may not stop on {place}"
        )
