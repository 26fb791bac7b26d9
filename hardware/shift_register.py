"""Sensors on a chain of 74HC165 shift registers, read over SPI. A `hardware.polling.Scanner`, like the matrix.

Opens the SPI port and a pin through gpiozero when made; importing this opens nothing. All sensors always have power, so
there is no settling; one pulse on the load pin takes all inputs at once, and the bits come out one after the other,
first the H input of the chip nearest to the Pi. 81 sensors need 11 chips, 0.1 ms at 1 MHz.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hardware.errors import PinsError, SensorsError
from hardware.gpio import opening, pins_advice
from hardware.news import Cell, Frame

BITS = 8
"""Inputs of one chip."""


@dataclass(frozen=True, slots=True)
class ChainPins:
    """How a chain of shift registers is wired; SPI 0 gives clock (GPIO11) and data (GPIO9).

    Args:
        cells: how many sensors; those of the chip nearest to the Pi come first, input H before A.
        load: the pin of SH/LD, low for a moment to take the inputs.
        magnet: the level at which a sensor reads a magnet.

    """

    cells: int = 81
    load: int = 25
    magnet: int = 0

    def __post_init__(self) -> None:
        if self.cells < 1 or self.magnet not in (0, 1):
            raise PinsError(f"expected cells, and 0 or 1 for a magnet, got {self.cells} and {self.magnet}")

    @property
    def chips(self) -> int:
        """How many chips the chain has."""
        return -(-self.cells // BITS)


class ShiftRegisters:
    """The chain, open.

    Args:
        pins: how it is wired.
        factory: gpiozero's pin factory; its own choice if not given.

    Raises:
        SensorsError: it cannot be had; says what to do.

    """

    def __init__(self, pins: ChainPins, *, factory: Any = None) -> None:
        self._pins = pins
        self._load: Any = None
        self._spi: Any = None
        try:
            from gpiozero import OutputDevice  # type: ignore[import-untyped]  # it ships no types

            with opening():
                self._load = OutputDevice(pins.load, active_high=False, pin_factory=factory)
                self._spi = self._load.pin_factory.spi(port=0, device=0)
                self._spi.clock_mode = (
                    2  # the chips shift on the rising edge: the bit is taken at the falling one before
                )
        except Exception as error:  # gpiozero and its four backends have no common base
            self.close()
            raise SensorsError(f"the shift registers cannot be opened: {pins_advice(error)}") from error

    def scan(self) -> Frame:
        """Take all inputs and shift them out."""
        self._load.on()
        self._load.off()
        words = self._spi.transfer([0] * self._pins.chips)
        bits = (word >> bit & 1 for word in words for bit in reversed(range(BITS)))
        return frozenset(
            Cell(index) for index, bit in zip(range(self._pins.cells), bits, strict=False) if bit == self._pins.magnet
        )

    def close(self) -> None:
        """Let go of the port and the pin."""
        for device in (self._spi, self._load):
            if device is not None:
                device.close()
        self._spi = self._load = None
