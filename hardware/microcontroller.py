"""A board on a microcontroller: the bridge's link as sensors and lights.

Owns nothing but the translation between the link's words and this package's; the link finds, opens and keeps the port.
"""

from __future__ import annotations

from collections.abc import Sequence

from firmware_bridge.errors import LinkError
from firmware_bridge.link import Bridge
from firmware_bridge.news import CellsChanged
from hardware.errors import LightsError, SensorsError
from hardware.lights import Rgb
from hardware.news import Cell, Changed, Frame, News, Scan

FIRST_READING_S = 3.0
"""For a board that is plugged in: greeting and reading take a tenth of a second, after its boot two."""
NO_PORT_S = 0.0
"""A board that is not plugged in is not waited for; it sends a whole reading when it comes."""
NO_LIGHTS = (
    "the board's firmware has no lights: set [microcontroller] lights_pin and run `konakis firmware`, or wire them to "
    "the Pi and choose it with [lights] wire"
)


class LinkSensors:
    """The sensors at the other end of a link; they are `hardware.sensors.Sensors`.

    Args:
        link: not yet open.

    """

    def __init__(self, link: Bridge) -> None:
        self._link = link
        self._frame: Frame | None = None

    @property
    def link(self) -> Bridge:
        """The link."""
        return self._link

    @property
    def connected(self) -> bool:
        """Whether news come in."""
        return self._link.state.live

    @property
    def trouble(self) -> str:
        """Why they do not, on one line; empty while they do."""
        state = self._link.state
        return "" if state.live else state.why

    def open(self) -> None:
        """Begin to look for the board; one that is not there yet is waited for, while play goes on without it.

        Raises:
            SensorsError: another process has it.

        """
        try:
            self._link.open()
        except LinkError as error:
            raise SensorsError(str(error)) from error

    def poll(self, now: float) -> list[News]:
        """Return the news up to `now`; never wait."""
        try:
            found = self._link.poll(now)
        except LinkError as error:
            raise SensorsError(str(error)) from error
        told: list[News] = []
        for news in found:
            if isinstance(news, CellsChanged):
                cells = tuple(Cell(cell) for cell in news.cells)
                told.append(Changed(news.t, cells, news.occupied, news.seq))
                if self._frame is not None:
                    self._frame = self._frame.union(cells) if news.occupied else self._frame.difference(cells)
            else:
                self._frame = frozenset(Cell(cell) for cell in news.occupied)
                told.append(Scan(news.t, self._frame, news.seq))
        return told

    def read(self) -> Frame:
        """Return what the board told so far; before it told anything, wait for its first reading.

        Raises:
            SensorsError: it is not there; it is still looked for.

        """
        if self._frame is not None:
            return self._frame
        try:
            reading = self._link.reading(NO_PORT_S if self._link.state.port is None else FIRST_READING_S)
        except LinkError as error:
            raise SensorsError(self._link.state.why or str(error)) from error
        return frozenset(Cell(cell) for cell in reading.occupied)

    def close(self) -> None:
        """Let the last picture out and let go of the board. May be called again."""
        self._link.close()


class LinkLights:
    """The lights at the other end of a link; they are `hardware.lights.Lights`. The sensors open and close the link."""

    def __init__(self, link: Bridge) -> None:
        self._link = link

    def open(self) -> None:
        """Take note of whether the firmware has lights.

        Raises:
            LightsError: the board that is connected has none.

        """
        hello = self._link.state.hello
        if hello is not None and not hello.lights:
            raise LightsError(NO_LIGHTS)

    def show(self, colours: Sequence[Rgb]) -> None:
        """Leave a picture for the link.

        Raises:
            LightsError: the board that is connected has none, or another number of them.

        """
        hello = self._link.state.hello
        if hello is not None and hello.lights != len(colours):
            there = f"the board's firmware has {hello.lights} lights, expected {len(colours)}: "
            raise LightsError(there + "put new firmware on it with `konakis firmware`" if hello.lights else NO_LIGHTS)
        self._link.show(colours)

    def close(self) -> None:
        """Do nothing: the link is closed with the sensors, and lets the last picture out before."""
