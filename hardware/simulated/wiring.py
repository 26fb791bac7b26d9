"""How the cells of a simulated board are wired: which sensor and which light lie under which place.

A place is what a hand sees, counted `rank * size + file` from a1; a cell is what the wires count. On a straight board
they are the same number, and only a board that waits for its calibration has other wiring.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from hardware.news import Cell


@dataclass(frozen=True, slots=True)
class Wiring:
    """The wires of one board.

    Args:
        sensors: for each place, the cell of its sensor.
        lights: for each place, the cell of its light.
        inverted: whether sensors read occupied where no magnet is.

    """

    sensors: tuple[Cell, ...]
    lights: tuple[Cell, ...]
    inverted: bool = False

    def __post_init__(self) -> None:
        for name, cells in (("sensors", self.sensors), ("lights", self.lights)):
            if sorted(cells) != list(range(len(self.sensors))):
                raise ValueError(f"{name}: expected each of {len(self.sensors)} cells once")

    @property
    def straight(self) -> bool:
        """Whether places and cells are the same numbers and nothing is inverted."""
        return not self.inverted and self.sensors == self.lights == straight(len(self.sensors)).sensors


def straight(cells: int) -> Wiring:
    """Return the wiring of a board that needs no calibration."""
    order = tuple(Cell(index) for index in range(cells))
    return Wiring(order, order)


def scrambled(cells: int, rng: Random) -> Wiring:
    """Return a wiring drawn at random, polarity included."""
    order = [Cell(index) for index in range(cells)]
    sensors = tuple(rng.sample(order, cells))
    lights = tuple(rng.sample(order, cells))
    return Wiring(sensors, lights, inverted=rng.random() < 0.5)
