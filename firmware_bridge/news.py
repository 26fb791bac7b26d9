"""What the link tells: changes and whole readings, numbered once and for all. Pure.

The board numbers its news, from its start, modulo 65,536. The link numbers them anew so that the numbers only grow,
over every reconnection and restart of the board, and keeps what they are for: a gap means that news were lost.
"""

from __future__ import annotations

from dataclasses import dataclass

BOARD_NUMBERS = 1 << 16


@dataclass(frozen=True, slots=True)
class CellsChanged:
    """Some cells now read otherwise. `t` is the time of the change in seconds on the host's clock."""

    t: float
    cells: tuple[int, ...]
    occupied: bool
    seq: int


@dataclass(frozen=True, slots=True)
class WholeReading:
    """Every cell that reads occupied, and no other does."""

    t: float
    occupied: frozenset[int]
    seq: int


News = CellsChanged | WholeReading


class Numbering:
    """Number the board's news for those who listen to the link."""

    __slots__ = ("_board", "_given")

    def __init__(self) -> None:
        self._given = 0
        self._board: int | None = None  # the board's number of the newest news

    def restart(self) -> None:
        """Begin again after a time in which anything may have happened: the next number leaves a gap."""
        self._board = None

    def number(self, board: int) -> int | None:
        """Return the number of news that the board numbered so; None if they are old."""
        ahead = 2 if self._board is None else (board - self._board) % BOARD_NUMBERS
        if ahead == 0 or ahead > BOARD_NUMBERS // 2:
            return None
        self._board = board
        self._given += ahead
        return self._given

    def missing(self, board: int) -> int:
        """Return how many news lie before the one that the board would number so next; 0 if it is old or unknown."""
        if self._board is None:
            return 0
        ahead = (board - self._board - 1) % BOARD_NUMBERS
        return ahead if ahead < BOARD_NUMBERS // 2 else 0
