"""The current that a picture draws, and pictures that stay within a budget. Pure.

A WS2812 pixel draws up to 20 mA for each of its three channels, in proportion to the channel's value, and about 1 mA
when black (its datasheet, and makers' measurements). 81 white pixels would draw 4.9 A from a supply of 1.5 or 2.
"""

from __future__ import annotations

from dataclasses import dataclass

from hardware.errors import BudgetError
from hardware.lights import Picture

FULL = 255
"""The value of a channel at full."""


@dataclass(frozen=True, slots=True)
class Draw:
    """What the pixels draw.

    Args:
        channel_ma: one channel of one pixel at full.
        rest_ma: one black pixel.

    """

    channel_ma: float = 20.0
    rest_ma: float = 1.0

    def current_ma(self, picture: Picture) -> float:
        """Return the current of a picture."""
        return self._current(len(picture), _light(picture))

    def within_budget(self, picture: Picture, budget_ma: float) -> Picture:
        """Return the picture, or the picture dimmed evenly so that its current is at most the budget.

        The channels are rounded down, so `current_ma` of the answer never exceeds the budget.

        Raises:
            BudgetError: the pixels draw more than the budget when black.

        """
        cells = len(picture)
        light = _light(picture)
        if self._current(cells, light) <= budget_ma:
            return picture
        allowed = self._allowed(cells, budget_ma)
        return tuple(
            (red * allowed // light, green * allowed // light, blue * allowed // light) for red, green, blue in picture
        )

    def least_budget_ma(self, cells: int) -> float:
        """Return the smallest budget that some picture of so many cells can keep: that of the black one."""
        return self._current(cells, 0)

    def _allowed(self, cells: int, budget_ma: float) -> int:
        """Return the greatest sum of all channels that the budget allows."""
        rest = self.least_budget_ma(cells)
        if rest > budget_ma:
            raise BudgetError(
                f"expected a budget of {rest:g} mA or more for {cells} black pixels, got {budget_ma:g} mA"
            )
        allowed = int((budget_ma - rest) * FULL / self.channel_ma)
        while self._current(cells, allowed) > budget_ma:  # the division may have been rounded up
            allowed -= 1
        return allowed

    def _current(self, cells: int, light: int) -> float:
        return cells * self.rest_ma + light * self.channel_ma / FULL


def _light(picture: Picture) -> int:
    """Return the sum of all channels."""
    return sum(map(sum, picture))
