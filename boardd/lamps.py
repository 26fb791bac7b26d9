"""The lights of the board as they are played: roles become colours in their rhythm, within the current budget.

Owns when the picture is drawn anew. Must not know why a square has a role. Time is an argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from boardd.geometry import Geometry
from engine import Square
from hardware.current import Draw
from hardware.lights import Show
from hardware.theme import Role, Theme, colours

UNSTORED, UNSTORED_BRIGHTNESS = Role.VICTIM, 0.6
"""While a power cut would lose moves, the light of whose turn it is has this role's rhythm, which no other light of a
board at rest has, and this brightness."""


class Lamps:
    """What shines.

    Args:
        show: the gate in front of the lights, not yet open.
        theme: how roles look.
        geometry: which light lies under which square.
        draw: what the pixels draw.
        budget_ma: what they may draw together.
        brightness: the player's setting, 0 to 1.

    """

    def __init__(
        self, show: Show, theme: Theme, geometry: Geometry, draw: Draw, budget_ma: float, brightness: float
    ) -> None:
        self._show = show
        self.theme = self._calm = theme
        turn = replace(theme.looks[Role.TURN], rhythm=theme.looks[UNSTORED].rhythm, brightness=UNSTORED_BRIGHTNESS)
        self._uneasy = Theme(theme.name, {**theme.looks, Role.TURN: turn})
        self._geometry = geometry
        self._draw = draw
        self._budget_ma = budget_ma
        self._brightness = brightness
        self._roles: Mapping[Square, Role] = {}
        self._next: float | None = None

    @property
    def brightness(self) -> float:
        """The player's setting, 0 to 1."""
        return self._brightness

    @property
    def roles(self) -> Mapping[Square, Role]:
        """What shines, and what it means."""
        return self._roles

    @property
    def dark_because(self) -> str | None:
        """Why the lights stay dark, None while they work."""
        return self._show.dark_because

    @property
    def deadline(self) -> float | None:
        """When a picture that had to wait may be shown; None if none waits. Rhythms are in no such hurry."""
        return self._show.deadline

    def open(self, t: float) -> None:
        """Take hold of the lights and put them out."""
        self._show.open(t)

    def dim(self, t: float, brightness: float) -> None:
        """Change the brightness of all lights."""
        self._brightness = brightness
        self._redraw(t)

    def mean(self, t: float, roles: Mapping[Square, Role], *, stored: bool = True) -> None:
        """Show these roles from now on; where what is played is not stored, the turn's light says so."""
        theme = self._calm if stored else self._uneasy
        if roles != self._roles or theme is not self.theme:
            self._roles, self.theme = dict(roles), theme
            self._redraw(t)

    def advance(self, t: float) -> None:
        """Go on with the rhythms, and show what had to wait."""
        if self._next is not None and t >= self._next:
            self._redraw(t)
        else:
            self._show.advance(t)

    def close(self) -> None:
        """Put the lights out and let go of them."""
        self._show.close()

    def _redraw(self, t: float) -> None:
        cells = self._geometry.size**2
        by_cell = {self._geometry.light_of(square): role for square, role in self._roles.items()}
        picture = colours(by_cell, self.theme, self._brightness, t, cells)
        self._show.offer(t, self._draw.within_budget(picture, self._budget_ma))
        self._next = self.theme.next_change(self._roles.values(), t)
