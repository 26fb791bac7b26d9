"""The simulated board of the daemon, moved by a person at the page: touches the disk.

Its pieces outlive a restart: what stands where is kept in a file of the state directory, as on a real board nothing
moves when the power goes. Owns that file and the hands' acts by square. Knows the rules only as far as which pieces a
game has.
"""

from __future__ import annotations

import json
import logging
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random

from boardd.geometry import Geometry
from boardd.jsontext import parse_json
from boardd.saved import Saved
from engine import Game, Piece, Square, parse_position, parse_square, square_name
from hardware.errors import HandError
from hardware.files import read_text
from hardware.news import Cell
from hardware.simulated.board import SimulatedBoard
from hardware.simulated.wiring import Wiring

log = logging.getLogger(__name__)

FILE_NAME = "simulated-board.json"
FILE_MAX_BYTES = 65_536  # that of 19 files and ranks has 6,000
"""The file below the state directory."""

SEED = 1
"""The simulated sensors are flawless here and draw nothing; the seed only has to be something."""


class TableTop:
    """The hands and pieces of a simulated board. Squares are where players see them, however the board is turned.

    Args:
        geometry: how sensors and lights lie under the squares.
        saved: the game that stands on the board if no file says otherwise.
        path: the file, or None to keep nothing.

    """

    def __init__(self, geometry: Geometry, saved: Saved, path: Path | None) -> None:
        self._size = geometry.size
        self._path = path
        squares = [Square(square) for square in range(geometry.size**2)]
        wiring = Wiring(
            tuple(geometry.cell_of(square) for square in squares),
            tuple(geometry.light_of(square) for square in squares),
        )
        pieces, boxed = _standing(saved)
        found = None if path is None else _read(path, saved)
        held: list[str] = []
        if found is not None:
            pieces, boxed, held = found
        self.board = SimulatedBoard(
            geometry.size,
            {Cell(square): piece for square, piece in pieces.items()},
            Random(SEED),
            boxed=[*boxed, *held],
            wiring=wiring,
        )
        for piece in held:
            self.board.take_out(piece)

    def lift(self, t: float, square: Square) -> None:
        """Take a piece off its square.

        Raises:
            HandError: nothing stands there.

        """
        self._occupied(square)
        self.board.lift(t, Cell(square))
        self._keep()

    def drop(self, t: float, square: Square) -> None:
        """Put the piece taken last down.

        Raises:
            HandError: nothing is held, or the square is occupied.

        """
        if not self.board.in_hand:
            raise HandError("no piece is in the hand")
        self._free(square)
        self.board.drop(t, Cell(square))
        self._keep()

    def box(self, t: float, square: Square | None) -> None:
        """Take a piece off its square into the box, or lay the piece in the hand there.

        Raises:
            HandError: there is no such piece.

        """
        if square is not None:
            self._occupied(square)
            self.board.box(t, Cell(square))
        elif self.board.in_hand:
            self.board.put_away()
        else:
            raise HandError("no piece is in the hand")
        self._keep()

    def unbox(self, t: float, piece: str, square: Square) -> None:
        """Put a piece out of the box onto a square.

        Raises:
            HandError: there is no such piece, or the square is occupied.

        """
        if piece not in self.board.boxed:
            raise HandError("no such piece lies in the box")
        self._free(square)
        self.board.unbox(t, Cell(square), piece)
        self._keep()

    def set_up(self, t: float, pieces: Mapping[Square, Piece]) -> bool:
        """Put every piece where a game has it, as quick as thought: nobody wants to drag forty pieces.

        Returns:
            False if all stood there already.

        """
        wanted = {Cell(square): piece.value for square, piece in pieces.items()}
        board = self.board
        if not board.in_hand and board.pieces == wanted:
            return False
        while board.in_hand:
            board.put_away()
        for place, piece in sorted(board.pieces.items()):
            if wanted.get(place) != piece:
                board.box(t, place)
        for place, piece in sorted(wanted.items()):
            if place not in board.pieces and piece in board.boxed:
                board.unbox(t, place, piece)
        self._keep()
        return True

    def to_json(self) -> dict[str, object]:
        """Tell what stands, lies and is held where, as the page's state has it."""
        board = self.board
        held = [[held.piece, None if held.origin is None else self._name(held.origin)] for held in board.in_hand]
        return {
            "board": {self._name(place): piece for place, piece in sorted(board.pieces.items())},
            "box": list(board.boxed),
            "in_hand": held,
        }

    def _occupied(self, square: Square) -> None:
        if Cell(square) not in self.board.pieces:
            raise HandError(f"nothing stands on {square_name(square, self._size)}")

    def _free(self, square: Square) -> None:
        if Cell(square) in self.board.pieces:
            raise HandError(f"a piece stands on {square_name(square, self._size)} already")

    def _name(self, place: Cell) -> str:
        return square_name(Square(place), self._size)

    def _keep(self) -> None:
        """Write the file; a disk that refuses costs only this."""
        if self._path is None:
            return
        beside = self._path.with_suffix(".new")
        try:
            beside.write_text(json.dumps({"size": self._size} | self.to_json()), encoding="utf-8")
            os.replace(beside, self._path)
        except OSError as error:
            log.warning("what stands on the simulated board is not kept: %s", error.strerror)
            self._path = None


def _standing(saved: Saved) -> tuple[dict[Square, str], list[str]]:
    """Tell what stands on the board and lies in the box when a game is set up as it was saved."""
    game = saved.game()
    pieces = {square: piece.value for square, piece in game.pieces.items()}
    captured = _all_pieces(game) - Counter(pieces.values())
    for square in sorted(saved.removals - pieces.keys()):
        if captured:
            letter = min(captured)
            pieces[square] = letter
            captured -= Counter(letter)
    return pieces, sorted(captured.elements())


def _all_pieces(game: Game) -> Counter[str]:
    """Count the pieces that belong to a game."""
    _, pieces = parse_position(game.start)
    return Counter(piece.value for piece in pieces.values())


def _read(path: Path, saved: Saved) -> tuple[dict[Square, str], list[str], list[str]] | None:
    """Read what stood, lay and was held; None where that is not known or belongs to another game's set of pieces."""
    size = saved.book.size
    try:
        found = parse_json(read_text(path, FILE_MAX_BYTES))
        pieces = {parse_square(name, size): str(piece) for name, piece in found["board"].items()}
        boxed, held = list(map(str, found["box"])), [str(piece) for piece, _ in found["in_hand"]]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        log.warning("%s: cannot be read, the board is set up anew: %s", path, error)
        return None
    if found.get("size") != size or Counter([*pieces.values(), *boxed, *held]) != _all_pieces(saved.game()):
        return None
    return pieces, boxed, held
