"""The only place that knows which sensor and which light belong to which square.

Hardware counts cells, the game counts squares; this turns news of cells into news of squares and tells which
light shows a square. Must not know what a square is used for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from boardd.errors import BoarddError
from engine.squares import Square, file_of, rank_of, square_at
from hardware.news import Cell, Changed, News, Scan

QUARTER_DEGREES = 90
"""A board can only be put down in quarters of a turn."""


class GeometryError(BoarddError, ValueError):
    """A wiring that does not give each square one sensor and one light."""


class Geometry:
    """How the cells of one board lie under its squares.

    Args:
        size: squares a side.
        sensors: the square of each sensor, by cell.
        lights: the square of each light, by cell.

    """

    def __init__(self, size: int, sensors: Sequence[Square], lights: Sequence[Square]) -> None:
        self.size = size
        for what, squares in (("sensors", sensors), ("lights", lights)):
            if sorted(squares) != list(range(size * size)):
                raise GeometryError(
                    f"{what}: expected each of {size * size} squares once, found {len(squares)} entries"
                )
        self._sensors = tuple(sensors)
        self._cells = {square: Cell(cell) for cell, square in enumerate(sensors)}
        self._light_cells = {square: Cell(cell) for cell, square in enumerate(lights)}
        self._straight = self._sensors == tuple(range(size * size))

    def square_of(self, cell: Cell) -> Square:
        """Give the square that a sensor lies under."""
        return self._sensors[cell]

    def cell_of(self, square: Square) -> Cell:
        """Give the sensor that lies under a square."""
        return self._cells[square]

    def squares(self, cells: Iterable[Cell]) -> frozenset[Square]:
        """Give the squares of some sensors."""
        return frozenset(self._sensors[cell] for cell in cells)

    def cells(self, squares: Iterable[Square]) -> frozenset[Cell]:
        """Give the sensors of some squares."""
        return frozenset(self._cells[square] for square in squares)

    def news(self, news: News) -> News:
        """Translate news of sensors into news of squares; everything else stays."""
        if self._straight:
            return news
        if isinstance(news, Changed):
            return Changed(news.t, tuple(Cell(self._sensors[cell]) for cell in news.cells), news.occupied, news.seq)
        return Scan(news.t, frozenset(Cell(self._sensors[cell]) for cell in news.occupied), news.seq)

    def light_of(self, square: Square) -> Cell:
        """Give the light that lies under a square."""
        return self._light_cells[square]


def turned(size: int, rotation_degrees: int) -> Geometry:
    """Describe a board that is wired straight and lies turned clockwise.

    Sensors and lights count `rank * size + file` from the wiring's own a1, which lies bottom left at 0 degrees, top
    left at 90.

    Raises:
        GeometryError: not a whole number of quarter turns.

    """
    squares = tuple(turn(Square(cell), size, rotation_degrees) for cell in range(size * size))
    return Geometry(size, squares, squares)


def turn(square: Square, size: int, rotation_degrees: int) -> Square:
    """Turn one square clockwise about the centre.

    Raises:
        GeometryError: not a whole number of quarter turns.

    """
    if rotation_degrees % QUARTER_DEGREES:
        raise GeometryError(f"rotation: expected a multiple of {QUARTER_DEGREES} degrees, found {rotation_degrees}")
    quarters = rotation_degrees // QUARTER_DEGREES % 4
    file, rank = int(file_of(square, size)), int(rank_of(square, size))
    for _ in range(quarters):
        file, rank = rank, size - 1 - file
    return square_at(file, rank, size)
