"""What every set of lights can do, and the gate in front of them: few pictures, no repeated ones, black at both ends.

Owns the rate of pictures. Knows nothing of roles, rhythms or current: a picture is one colour a light.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hardware.errors import LightsError

Rgb = tuple[int, int, int]
"""Red, green, blue, each 0 to 255."""

Picture = tuple[Rgb, ...]
"""One colour for every light, by cell."""

BLACK: Rgb = (0, 0, 0)

MAX_HZ = 30
"""Pictures a second at most: 81 pixels need 2.4 ms a picture on the wire and up to 5.5 ms of a slow processor."""


def black(cells: int) -> Picture:
    """Return the picture in which every light is off."""
    return (BLACK,) * cells


class Lights(Protocol):
    """The lights of one board. The order of calls: `open`, any number of `show`, `close`; `close` may be repeated."""

    def open(self) -> None:
        """Take hold of the wire.

        Raises:
            LightsError: it cannot be had; the message says what to do.

        """

    def show(self, colours: Sequence[Rgb]) -> None:
        """Put a picture on the lights, one colour a cell.

        Raises:
            LightsError: the wire failed.

        """

    def close(self) -> None:
        """Let go of the wire; what is shown stays."""


class DarkLights:
    """Lights that do nothing, for a board whose lights cannot be opened or that has none.

    Args:
        reason: why it is dark, one line that says what to do.

    """

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def open(self) -> None:
        """Do nothing."""

    def show(self, colours: Sequence[Rgb]) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class Show:
    """Bring pictures to the lights: at most `max_hz` a second, the newest always, one that equals the last never.

    Black is the first picture after `open` and the last before the lights are closed. Lights that cannot be opened, or
    fail, go dark and stay so; the board plays on and `dark_because` tells why. Time is an argument.

    Args:
        lights: the lights, not yet opened; the show opens and closes them.
        cells: how many lights there are.
        max_hz: the most pictures in any second.

    """

    def __init__(self, lights: Lights, cells: int, *, max_hz: int = MAX_HZ) -> None:
        self._lights = lights
        self._interval_s = 1.0 / max_hz
        self._black = black(cells)
        self._shown = self._black
        self._newest: Picture | None = None  # waits for its time
        self._allowed = float("-inf")  # when the next picture may be shown
        self._opened = False
        self.dark_because: str | None = lights.reason if isinstance(lights, DarkLights) else None
        self.pictures = 0

    @property
    def shown(self) -> Picture:
        """The picture shown last."""
        return self._shown

    @property
    def deadline(self) -> float | None:
        """When `advance` has a picture to show; None if none waits."""
        return None if self._newest is None else self._allowed

    def open(self, t: float) -> None:
        """Open the lights and put out whatever they showed before; go dark if they cannot be opened."""
        try:
            self._lights.open()
        except LightsError as error:
            self._go_dark(error)
        self._opened = True
        self._put(t, self._black)

    def offer(self, t: float, picture: Picture) -> None:
        """Ask for a picture; it replaces any that still waits, and is shown now if its time has come.

        Raises:
            ValueError: the picture has another number of cells than the board, or the show is not open.

        """
        if len(picture) != len(self._black):
            raise ValueError(f"expected a picture of {len(self._black)} cells, got {len(picture)}")
        if not self._opened:
            raise ValueError("the show is not open")
        self._newest = None if picture == self._shown else picture
        self.advance(t)

    def advance(self, t: float) -> None:
        """Show the picture that waits if its time has come."""
        if self._newest is not None and t >= self._allowed:
            self._put(t, self._newest)

    def close(self) -> None:
        """Show black, whatever the time, and close the lights. May be called again."""
        if not self._opened:
            return
        self._opened = False
        try:
            self._lights.show(self._black)
            self._shown = self._black
        except LightsError as error:
            self._go_dark(error)
        self._lights.close()

    def _put(self, t: float, picture: Picture) -> None:
        self._newest = None
        self._allowed = t + self._interval_s
        self._shown = picture
        self.pictures += 1
        try:
            self._lights.show(picture)
        except LightsError as error:
            self._go_dark(error)

    def _go_dark(self, error: LightsError) -> None:
        """Go on without lights."""
        self._lights.close()
        self.dark_because = str(error)
        self._lights = DarkLights(self.dark_because)
