"""The sensors of a matrix on the pins of a Raspberry Pi: rows that are powered in turn, columns that they share.

Opens GPIO pins, through gpiozero, when a `Matrix` is made; importing this opens nothing. A cell is `row * columns +
column`. Which level powers a row, which level of a column means a magnet and how long a row needs are configuration.

A row's sensors need 25 to 300 µs from power to a valid output, by part (DRV5032, A3144 and others, datasheets); read
earlier they tell nothing. Columns are open-drain outputs with the Pi's own pull-ups, so a magnet reads low.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hardware.errors import PinsError, SensorsError
from hardware.gpio import opening, pins_advice
from hardware.news import Cell, Frame
from hardware.polling import LineFaultError

SETTLE_US = 300
"""The slowest sensor that we know of needs so long from power to a valid output; nine rows take 2.7 ms."""
US_PER_S = 1_000_000

HEADER_PINS = range(28)
"""The BCM numbers that every Pi with forty pins brings out."""

PULLED_UP = (2, 3)
"""They are I2C's, with 1.8 kΩ to 3.3 V on every Pi."""

MIN_LINES, MAX_LINES = 7, 19
"""Boards have 7 to 19 squares a side; a Pi has pins for 9 and no more."""


@dataclass(frozen=True, slots=True)
class MatrixPins:
    """The pin table of a matrix, in BCM numbers.

    Args:
        rows: the pin that powers each row, row 0 first.
        columns: the pin that reads each column.
        row_on: the level that powers a row: 1 with a source driver, 0 with a P-channel transistor at the pin.
        column_magnet: the level at which a column reads a magnet.
        settle_us: from power to a valid output.

    Raises:
        PinsError: it cannot be wired.

    """

    rows: tuple[int, ...] = (4, 5, 6, 12, 13, 16, 17, 19, 20)
    columns: tuple[int, ...] = (2, 3, 21, 22, 23, 24, 25, 26, 27)
    row_on: int = 1
    column_magnet: int = 0
    settle_us: int = SETTLE_US

    def __post_init__(self) -> None:
        if not MIN_LINES <= len(self.rows) <= MAX_LINES:
            raise PinsError(f"rows: expected {MIN_LINES} to {MAX_LINES} pins, got {len(self.rows)}")
        if len(self.columns) != len(self.rows):
            raise PinsError(f"columns: expected as many pins as rows, {len(self.rows)}, got {len(self.columns)}")
        need_distinct({"rows": self.rows, "columns": self.columns})
        for pin in PULLED_UP:
            if self.column_magnet and pin in self.columns:
                raise PinsError(
                    f"columns: GPIO{pin} has a pull-up on the Pi's board and cannot rest low; choose another"
                )


def need_distinct(uses: dict[str, Sequence[int]]) -> None:
    """Refuse a pin that does not exist or has two uses.

    Args:
        uses: the pins of each use, by a name for messages.

    Raises:
        PinsError: names the pin and both uses.

    """
    taken: dict[int, str] = {}
    for use, pins in uses.items():
        for pin in pins:
            if pin not in HEADER_PINS:
                raise PinsError(f"{use}: expected GPIO numbers from 0 to {HEADER_PINS[-1]}, got {pin}")
            if pin in taken:
                raise PinsError(f"{use}: GPIO{pin} is already used by {taken[pin]}")
            taken[pin] = use


class Matrix:
    """The pins of one matrix, open; a `hardware.polling.Scanner`.

    Args:
        pins: the pin table.
        factory: gpiozero's pin factory; its own choice if not given, mock pins in tests.
        sleep: lets a time in seconds pass.

    Raises:
        SensorsError: the pins cannot be had; says what to do.

    """

    def __init__(self, pins: MatrixPins, *, factory: Any = None, sleep: Callable[[float], None] = time.sleep) -> None:
        self._settle_s = pins.settle_us / US_PER_S
        self._sleep = sleep
        self._rows: list[Any] = []
        self._columns: list[Any] = []
        try:
            with opening():
                self._open(pins, factory)
        except Exception as error:  # gpiozero and its four backends have no common base
            self.close()
            raise SensorsError(f"the matrix cannot be opened: {pins_advice(error)}") from error

    def scan(self) -> Frame:
        """Power the rows one after the other and read their columns.

        Raises:
            LineFaultError: a column reads a magnet while no row is powered.

        """
        self._sleep(self._settle_s)
        stuck = [index for index, column in enumerate(self._columns) if column.is_active]
        if stuck:
            raise LineFaultError(
                f"column {', '.join(map(str, stuck))} reads a magnet while no row is powered: look for a short to "
                "ground, or for a row that stays powered; nothing is read until it is mended"
            )
        occupied: list[Cell] = []
        first = 0
        for row in self._rows:
            row.on()
            self._sleep(self._settle_s)
            occupied += [Cell(first + index) for index, column in enumerate(self._columns) if column.is_active]
            row.off()
            first += len(self._columns)
        return frozenset(occupied)

    def close(self) -> None:
        """Power no row and let go of the pins."""
        for device in (*self._rows, *self._columns):
            device.close()
        self._rows, self._columns = [], []

    def _open(self, pins: MatrixPins, factory: Any) -> None:
        from gpiozero import InputDevice, OutputDevice  # type: ignore[import-untyped]  # it ships no types

        for pin in pins.rows:
            self._rows.append(OutputDevice(pin, active_high=bool(pins.row_on), pin_factory=factory))
        for pin in pins.columns:
            # a magnet that reads low comes from an open-drain output, which needs the pull-up
            self._columns.append(InputDevice(pin, pull_up=pins.column_magnet == 0, pin_factory=factory))
