"""A person's hands on a simulated board that is wired at random: one piece, moved at the calibration's page.

Owns what a page may do to that board, and what it sees there: where the piece is, and which square shines, as an eye
would see both on a real one.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine import NotationError, Square, parse_square, square_name
from hardware.errors import HandError
from hardware.news import Cell
from hardware.simulated.board import SimulatedBoard


class PracticeHands:
    """The hands and eyes of whoever practises.

    Args:
        board: what is calibrated.

    """

    def __init__(self, board: SimulatedBoard) -> None:
        self._board = board

    def act(self, t: float, message: Mapping[str, object]) -> None:
        """Do what a page's message says: lift, drop, box, unbox.

        Raises:
            HandError: that cannot be done.

        """
        board = self._board
        match message:
            case {"type": "lift", "square": str(square)}:
                board.lift(t, self._occupied(square))
            case {"type": "drop", "square": str(square)}:
                if not board.in_hand:
                    raise HandError("no piece is in the hand")
                board.drop(t, self._free(square))
            case {"type": "box", "square": str(square)}:
                board.box(t, self._occupied(square))
            case {"type": "box"}:
                if not board.in_hand:
                    raise HandError("no piece is in the hand")
                board.put_away()
            case {"type": "unbox", "piece": str(piece), "square": str(square)} if piece in board.boxed:
                board.unbox(t, self._free(square), piece)
            case {"type": "unbox", "piece": str(), "square": str()}:
                raise HandError("no such piece lies in the box")
            case _:
                raise HandError(f"{message['type']}: expected a square such as e5")

    def to_json(self) -> dict[str, object]:
        """Tell what stands, lies, is held and shines where."""
        board = self._board
        held = [[held.piece, None if held.origin is None else self._name(held.origin)] for held in board.in_hand]
        return {
            "board": {self._name(place): piece for place, piece in sorted(board.pieces.items())},
            "box": list(board.boxed),
            "in_hand": held,
            "lit": [self._name(place) for place in board.lights.lit()],
        }

    def _occupied(self, name: str) -> Cell:
        place = self._place(name)
        if place not in self._board.pieces:
            raise HandError(f"nothing stands on {name}")
        return place

    def _free(self, name: str) -> Cell:
        place = self._place(name)
        if place in self._board.pieces:
            raise HandError(f"a piece stands on {name} already")
        return place

    def _place(self, name: str) -> Cell:
        try:
            return Cell(parse_square(name, self._board.size))
        except NotationError as error:
            raise HandError(f"found {error.found[:40]}, expected {error.expected}") from None

    def _name(self, place: Cell) -> str:
        return square_name(Square(place), self._board.size)
