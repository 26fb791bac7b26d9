import random

import pytest

from boardd.geometry import Geometry, GeometryError, turned
from engine.squares import Square, parse_square
from hardware.news import Cell, Changed, Scan

SIZE = 9


def at(name: str) -> Square:
    return parse_square(name, SIZE)


@pytest.mark.parametrize(
    ("degrees", "first", "second"), [(0, "a1", "b1"), (90, "a9", "a8"), (180, "i9", "h9"), (270, "i1", "i2")]
)
def test_a_turned_board(degrees: int, first: str, second: str) -> None:
    geometry = turned(SIZE, degrees)
    assert geometry.square_of(Cell(0)) == at(first)
    assert geometry.square_of(Cell(1)) == at(second)
    assert geometry.square_of(Cell(40)) == at("e5")
    for cell in map(Cell, range(SIZE * SIZE)):
        assert geometry.cell_of(geometry.square_of(cell)) == cell
    everything = geometry.squares(map(Cell, range(SIZE * SIZE)))
    assert len(everything) == SIZE * SIZE
    assert geometry.cells([at(first), at(second)]) == {0, 1}


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_news_keep_everything_but_the_cells(degrees: int) -> None:
    geometry = turned(SIZE, degrees)
    corner = geometry.square_of(Cell(0))
    assert geometry.news(Changed(1.5, (Cell(0), Cell(40)), True, 7)) == Changed(1.5, (Cell(corner), Cell(40)), True, 7)
    assert geometry.news(Scan(2.5, frozenset({Cell(0)}), 8)) == Scan(2.5, frozenset({Cell(corner)}), 8)


def test_sensors_and_lights_may_be_wired_apart() -> None:
    rng = random.Random(4)
    squares = [Square(square) for square in range(SIZE * SIZE)]
    sensors, lights = rng.sample(squares, 81), rng.sample(squares, 81)
    geometry = Geometry(SIZE, sensors, lights)
    assert lights[geometry.light_of(at("c3"))] == at("c3")
    assert sensors[geometry.cell_of(at("c3"))] == at("c3")


def test_a_wiring_with_a_gap_is_refused() -> None:
    squares = [Square(square) for square in range(SIZE * SIZE)]
    with pytest.raises(GeometryError, match="sensors: expected each of 81 squares once"):
        Geometry(SIZE, [*squares[:-1], squares[0]], squares)
    with pytest.raises(GeometryError, match="lights: expected each of 81 squares once, found 80 entries"):
        Geometry(SIZE, squares, squares[:-1])
    with pytest.raises(GeometryError, match="found 45"):
        turned(SIZE, 45)
