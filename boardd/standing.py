"""Which piece stands where, as far as lifts and drops tell: sensors feel a magnet and not whose it is.

Pure. Owns what was followed since the board last agreed with the game. Knows no rule and decides nothing: it only keeps
lights from leading a piece to another kind's square.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from boardd.meanings import Squares
from engine import Game, Piece, Square, file_of, rank_of


class Standing:
    """The pieces on the board and in the hands.

    Args:
        pieces: what stands where.

    """

    def __init__(self, pieces: Mapping[Square, Piece]) -> None:
        self._pieces: dict[Square, Piece | None] = dict(pieces)
        self._hands: list[Piece | None] = []

    def agrees(self, pieces: Mapping[Square, Piece]) -> None:
        """Take note that the board is as the game has it, and no piece in the hand."""
        self._pieces = dict(pieces)
        self._hands.clear()

    def lifted(self, square: Square) -> None:
        """Follow a piece off its square."""
        self._hands.append(self._pieces.pop(square, None))

    def dropped(self, square: Square) -> None:
        """Follow a piece onto a square; of several different ones in the hands nobody knows which it was."""
        hands = self._hands
        if len(set(hands)) > 1:
            hands[:] = [None] * len(hands)
        self._pieces[square] = hands.pop() if hands else None

    def piece(self, square: Square) -> Piece | None:
        """Tell what stands on a square; None where nothing does or nobody knows."""
        return self._pieces.get(square)

    def first_to_mend(self, missing: Squares, extra: Squares, game: Game) -> tuple[Squares, Squares]:
        """Choose which squares to mend first, and how.

        Returns:
            A missing square and the extra one whose piece belongs there, the nearest pair of a kind that is known
            before one that may be; else an extra one alone, whose piece comes off; else a missing one alone.

        """
        pairs = [
            (self.piece(there) is None, _distance(square, there, game.size), square, there)
            for square in missing
            for there in extra
            if self.piece(there) in (None, game.pieces.get(square))
        ]
        if pairs:
            _, _, square, there = min(pairs)
            return frozenset((square,)), frozenset((there,))
        return _one(() if extra else missing), _one(extra)


def _one(squares: Iterable[Square]) -> Squares:
    return frozenset(sorted(squares)[:1])


def _distance(first: Square, second: Square, size: int) -> int:
    files = abs(file_of(first, size) - file_of(second, size))
    ranks = abs(rank_of(first, size) - rank_of(second, size))
    return files + ranks
