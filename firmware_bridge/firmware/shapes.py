"""What the firmware wants of the hardware, as types. Never copied to the chip: only type checkers read it."""

from __future__ import annotations

from typing import Protocol


class Matrix(Protocol):
    """Rows of sensors that are powered one at a time, and columns that they share."""

    def select(self, row: int) -> None:
        """Power one row and no other, and wait until its sensors tell the truth."""

    def columns(self) -> int:
        """Return a bit for each column that reads a magnet."""

    def release(self) -> None:
        """Power no row, and wait until the columns are silent."""


class Board(Matrix, Protocol):
    """Everything that the firmware does to the outside world."""

    identity: bytes  # 1 to 32 bytes, the same for ever
    boot: int  # 32 bits, drawn at the start
    by_watchdog: bool  # did the watchdog start the firmware
    capabilities: int
    lights: int

    def now_ms(self) -> int:
        """Return a clock that goes round at 30 bits."""

    def now_us(self) -> int:
        """Return a finer one."""

    def read_into(self, buffer: bytearray) -> int:
        """Put what has arrived into the buffer, never waiting, and return how many bytes."""

    def write(self, data: memoryview) -> bool:
        """Send bytes; return False, and send nothing, if the host does not read."""

    def show(self, colours: bytearray) -> None:
        """Put red, green and blue of every light on the lights."""

    def supply_mv(self) -> int:
        """Return the supply's voltage, or -1 if it cannot be measured."""

    def feed(self) -> None:
        """Tell the watchdog that all is well."""

    def tidy(self) -> int:
        """Collect garbage, and return the free bytes."""

    def leave(self) -> None:
        """Start anew without the firmware, so that its files can be changed."""
