"""OTN, the notation of tafl programs: positions and moves as text.

Owns spelling only: it knows neither a book nor whether a move is legal. Game records are `engine.records`, rules
strings `engine.rulestring`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from engine.errors import NotationError
from engine.pieces import Piece
from engine.squares import SIZES, SQUARE_PATTERN, Square, parse_square, square_at, square_name

BERSERK_PIECES = {"n": "knight", "c": "commander", "m": "mercenary", "g": "guard"}
"""Pieces of Berserk games, which we do not play, by their letter in lower case."""

BERSERK_MOVES = ("^=", "^", "=")
"""What stands in place of the hyphen in Berserk games."""

SIGNS = ("---", "--", "++", "-", "+")
"""What may stand behind a move; without meaning for us. `---` alone is a resignation."""

RESIGNS = "---"

_LETTERS = {piece.value: piece for piece in Piece}
_SIZES_TEXT = f"an odd number of ranks from {SIZES[0]} to {SIZES[-1]}"


class MoveText(NamedTuple):
    """A move as it was written."""

    origin: Square
    destination: Square
    captures: tuple[Square, ...] | None
    """In ascending order; None where the text names none (it then says nothing about captures)."""


def refuse_berserk(letter: str, column: int) -> None:
    """Raise the error for a Berserk piece's letter; do nothing for any other.

    Raises:
        NotationError: names the piece.

    """
    if name := BERSERK_PIECES.get(letter.lower()):
        raise NotationError(f"{letter!r}, a Berserk {name}", "t, T or K (Berserk is not played here)", column=column)


def parse_position(text: str) -> tuple[int, dict[Square, Piece]]:
    """Read a position as `/3ttt3/4t4/…/`, rank 1 first.

    Returns:
        The size of the board, and what stands on it.

    Raises:
        NotationError: it cannot be read, or its ranks are not as long as there are ranks.

    """
    if not text.startswith("/"):
        raise NotationError(repr(text[:1]) if text else "nothing", "'/' before the first rank")
    if not text.endswith("/") or len(text) == 1:
        raise NotationError("the end", "'/' after the last rank", column=len(text) + 1)
    rows = text[1:-1].split("/")
    size = len(rows)
    if size not in SIZES:
        raise NotationError(f"{size} ranks", _SIZES_TEXT)
    pieces: dict[Square, Piece] = {}
    column = 2
    for rank, row in enumerate(rows):
        file = 0
        for token in re.finditer(r"[0-9]+|.", row, re.DOTALL):
            at = column + token.start()
            letter = token.group()
            if letter.isdecimal():
                file += int(letter) if len(letter) <= 2 else size + 1
            else:
                refuse_berserk(letter, at)
                if letter not in _LETTERS:
                    raise NotationError(repr(letter), "t, T, K, a number or '/'", column=at)
                if file < size:
                    pieces[square_at(file, rank, size)] = _LETTERS[letter]
                file += 1
            if file > size:
                raise NotationError(f"more than {size} squares on rank {rank + 1}", f"{size} (as many as ranks)", 1, at)
        column += len(row)
        if file < size:
            raise NotationError(f"{file} squares on rank {rank + 1}", f"{size} (as many as ranks)", column=column)
        column += 1
    return size, pieces


def position_text(pieces: Mapping[Square, Piece], size: int) -> str:
    """Write a position; `parse_position` reads it back."""
    rows = []
    for rank in range(size):
        row, empty = "", 0
        for file in range(size):
            piece = pieces.get(square_at(file, rank, size))
            if piece is None:
                empty += 1
                continue
            row += (str(empty) if empty else "") + piece.value
            empty = 0
        rows.append(row + (str(empty) if empty else ""))
    return "/" + "/".join(rows) + "/"


def parse_move(text: str, size: int) -> MoveText:
    """Read a move as `d1-d3xd4/c3`: piece letters and signs are ignored, captures may come in any order.

    Raises:
        NotationError: it cannot be read, or names a square beside the board.

    """
    reader = _Reader(text, size)
    reader.piece()
    origin = reader.square()
    for sign in BERSERK_MOVES:
        if reader.takes(sign):
            raise NotationError(f"{sign!r}, a Berserk move", "'-' (Berserk is not played here)", column=reader.at)
    if not reader.takes("-"):
        raise reader.wrong("'-'")
    reader.at += 1
    destination = reader.square()
    captures: list[Square] | None = None
    if reader.takes("x"):
        captures = []
        while reader.takes("x") or reader.takes("/"):
            reader.at += 1
            reader.piece()
            captures.append(reader.square())
    for sign in SIGNS[1:]:
        if reader.takes(sign):
            reader.at += len(sign)
            break
    if reader.at <= len(text):
        raise reader.wrong("the end of the move")
    return MoveText(origin, destination, None if captures is None else tuple(sorted(set(captures))))


class _Reader:
    """Reads a move from left to right; `at` is the column, counted from 1."""

    def __init__(self, text: str, size: int) -> None:
        self.text = text
        self.size = size
        self.at = 1

    def takes(self, token: str) -> bool:
        return self.text.startswith(token, self.at - 1)

    def wrong(self, expected: str) -> NotationError:
        found = repr(self.text[self.at - 1]) if self.at <= len(self.text) else "the end"
        return NotationError(found, expected, column=self.at)

    def piece(self) -> None:
        """Skip a piece's letter; the letter of a file is no piece if a number follows."""
        letter = self.text[self.at - 1 : self.at]
        if re.match(SQUARE_PATTERN, self.text[self.at - 1 :]):
            return
        if letter:
            refuse_berserk(letter, self.at)
        if letter in ("K", "T", "k", "t"):
            self.at += 1

    def square(self) -> Square:
        match = re.compile(SQUARE_PATTERN).match(self.text, self.at - 1)
        if not match:
            raise self.wrong("a square such as e5")
        try:
            square = parse_square(match.group(), self.size)
        except NotationError as error:
            raise error.moved(1, self.at) from None
        self.at += len(match.group())
        return square


def move_text(origin: Square, destination: Square, captures: Iterable[Square], size: int) -> str:
    """Write a move as `d1-d3xd4/c3`, captures in ascending order; no piece letters, no signs."""
    text = f"{square_name(origin, size)}-{square_name(destination, size)}"
    names = [square_name(square, size) for square in sorted(captures)]
    return f"{text}x{'/'.join(names)}" if names else text
