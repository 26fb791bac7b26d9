"""A modelled matrix on gpiozero's mock pins: rows that, when powered, let the magnets of their cells pull the columns.

Part of the product: with it the real driver runs on any computer, in tests and for trying out a configuration. The mock
pins of gpiozero know nothing of each other, and record every level they ever had; these do neither.

    factory = MockFactory()
    model = MockMatrix(factory, MatrixPins())
    matrix = Matrix(MatrixPins(), factory=factory, sleep=model.sleep)
    model.magnets.add(Cell(40))
    assert matrix.scan() == {40}

Time is the model's: it passes only in `sleep`. A sensor's output is valid when its row has been powered for
`power_up_us`; before that the column stays as if no magnet were there, so a settle time that is too short is seen.
"""

from __future__ import annotations

from gpiozero.pins.mock import MockFactory, MockPin  # type: ignore[import-untyped]  # it ships no types

from hardware.matrix import US_PER_S, MatrixPins
from hardware.news import Cell

POWER_UP_US = 250
"""Of the modelled sensors; near the slowest that is sold."""


class MockRowPin(MockPin):  # type: ignore[misc]  # its base has no types
    """An output pin that tells its matrix when its level changes, and forgets its past."""

    model: MockMatrix | None = None

    def _set_state(self, value: float) -> None:
        super()._set_state(value)
        self.clear_states()  # else a day of scans fills the memory
        if self.model is not None:
            self.model.row_changed()


class MockMatrix:
    """The wires and sensors between mock pins.

    Args:
        factory: where the pins are; the matrix's driver must be given the same.
        pins: the pin table.
        power_up_us: how long a sensor needs from power to a valid output.

    """

    def __init__(self, factory: MockFactory, pins: MatrixPins, power_up_us: int = POWER_UP_US) -> None:
        self.magnets: set[Cell] = set()
        """The cells over which a magnet is; change it as you like, the next scan sees it."""
        self.dead_rows: set[int] = set()
        """Rows whose power has no contact."""
        self.shorted_columns: set[int] = set()
        """Columns that touch ground."""
        self._pins = pins
        self._power_up_s = power_up_us / US_PER_S
        self._powered_for_s = 0.0
        self._rows = [factory.pin(pin, pin_class=MockRowPin) for pin in pins.rows]
        self._columns = [factory.pin(pin) for pin in pins.columns]
        for row in self._rows:
            row.model = self

    def row_changed(self) -> None:
        """Begin a new time of settling."""
        self._powered_for_s = 0.0
        self._drive()

    def sleep(self, seconds: float) -> None:
        """Let time pass, no real time."""
        self._powered_for_s += seconds
        self._drive()

    def _drive(self) -> None:
        """Put the columns at the levels that they have now."""
        pins, width = self._pins, len(self._columns)
        pulled = set(self.shorted_columns)
        if self._powered_for_s >= self._power_up_s:
            for row, pin in enumerate(self._rows):
                if pin.function == "output" and pin.state == bool(pins.row_on) and row not in self.dead_rows:
                    pulled |= {cell - row * width for cell in self.magnets if cell // width == row}
        for column, pin in enumerate(self._columns):
            if pin.function != "input":
                continue
            level = pins.column_magnet if column in pulled else 1 - pins.column_magnet
            if level:
                pin.drive_high()
            else:
                pin.drive_low()
            pin.clear_states()
