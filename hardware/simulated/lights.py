"""The lights of the simulated board: they remember the picture, and hands can look at what it means.

A hand at a real board learns by colour and rhythm what a light means; a simulated hand is told the role. Both come from
the same picture of roles, so what the hand sees is what a player would.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from hardware.lights import BLACK, Picture, Rgb, black
from hardware.news import Cell
from hardware.simulated.wiring import Wiring
from hardware.theme import Role


class SimulatedLights:
    """Lights that keep what they are shown; they are `hardware.lights.Lights`.

    Args:
        wiring: which light is under which place.
        keep: how many of the last pictures `history` holds.

    """

    def __init__(self, wiring: Wiring, keep: int = 0) -> None:
        self._wiring = wiring
        self._roles: Mapping[Cell, Role] = {}
        self.picture: Picture = black(len(wiring.lights))
        self.history: deque[Picture] = deque(maxlen=keep)
        self.is_open = False

    def open(self) -> None:
        """Begin; the lights still show what they showed before, as real ones do."""
        self.is_open = True

    def show(self, colours: Sequence[Rgb]) -> None:
        """Show a picture, one colour a cell.

        Raises:
            ValueError: another number of colours than lights.

        """
        if len(colours) != len(self.picture):
            raise ValueError(f"expected {len(self.picture)} colours, got {len(colours)}")
        self.picture = tuple(colours)
        self.history.append(self.picture)

    def close(self) -> None:
        """End; what is shown stays."""
        self.is_open = False

    def colour(self, place: Cell) -> Rgb:
        """Return the colour of the light under a place."""
        return self.picture[self._wiring.lights[place]]

    def lit(self) -> dict[Cell, Rgb]:
        """Return the places that are not black, with their colours."""
        return {
            Cell(place): self.picture[cell]
            for place, cell in enumerate(self._wiring.lights)
            if self.picture[cell] != BLACK
        }

    @property
    def roles(self) -> Mapping[Cell, Role]:
        """What the lights mean now, by place; what a simulated hand looks at."""
        return self._roles

    def see(self, roles: Mapping[Cell, Role]) -> None:
        """Take what the lights mean from now on, by place."""
        self._roles = roles
