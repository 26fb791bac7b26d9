"""The tables of the configuration that say how a board is wired, with the reason of every key.

Owns their keys, defaults and bounds. Which values go together `hardware` and `firmware_bridge` know; `wires` asks them.
"""

from typing import Annotated, Literal

from pydantic import Field

from boardd.settings_table import NO_PIN, Level, Pin, PinOrNone, Pins, Table, Text


class MatrixSettings(Table):
    """A matrix of sensors on the Pi's own pins, for `[board] kind = "matrix"`. Numbers are GPIO (BCM) numbers."""

    rows: Pins = (4, 5, 6, 12, 13, 16, 17, 19, 20)
    """The pins that power the rows of sensors, row 0 first; they leave SPI, PWM and the serial port free."""
    columns: Pins = (2, 3, 21, 22, 23, 24, 25, 26, 27)
    """The pins that read the columns."""
    row_on: Level = 1
    """The level that powers a row: 1 with a source driver, 0 with P-channel transistors right at the pins."""
    column_magnet: Level = 0
    """The level at which a column reads a magnet: open-drain sensors pull it down."""
    settle_us: Annotated[int, Field(ge=0, le=5_000)] = 300
    """From power to a valid output (µs): 25 to 300 by the sensor's datasheet."""


class ShiftRegisterSettings(Table):
    """Sensors on chained 74HC165 at SPI 0, for `[board] kind = "shift-registers"`."""

    load_pin: Pin = 25
    """The GPIO that has all chips take their inputs (SH/LD)."""
    magnet: Level = 0
    """The level at which an input reads a magnet."""


class MicrocontrollerSettings(Table):
    """A Pico under the board, for `[board] kind = "microcontroller"`; its pins are for `konakis firmware`."""

    board_id: Text = ""
    """Its USB serial number; empty for the only Pico that is plugged in."""
    port: Text = ""
    """Its port, where it cannot be found by what it is; empty searches, and finds it under any name."""
    rows: Pins = (0, 1, 2, 3, 4, 5, 6, 7, 8)
    """The pins that power the rows of sensors, row 0 first."""
    columns: Pins = (9, 10, 11, 12, 13, 14, 15, 16, 17)
    """The pins that read the columns; consecutive ones are read faster."""
    row_on: Level = 1
    """The level that powers a row."""
    column_magnet: Level = 0
    """The level at which a column reads a magnet."""
    settle_us: Annotated[int, Field(ge=0, le=5_000)] = 300
    """From power to a valid output (µs): 25 to 300 by the sensor's datasheet."""
    debounce_ms: Annotated[int, Field(ge=0, le=100)] = 8
    """How long a cell must read the same on the chip: two or three scans, for the noise of wires."""
    lights_pin: Annotated[int, Field(ge=NO_PIN, le=28)] = 22
    """The pin of the lights; -1 if they do not hang on the Pico."""
    supply_low_mv: Annotated[int, Field(ge=0, le=5_500)] = 4_300
    """Below this voltage (mV) the Pico reports a weak supply; 0 does not measure, as a Pico W cannot."""
    watchdog_ms: Annotated[int, Field(ge=0, le=8_388)] = 5_000
    """A firmware that hangs so long starts anew: 500 at least, for it may do nothing else; 0 for no watchdog."""


class ButtonSettings(Table):
    """Push-buttons from pins of the Pi to ground, each for one command; -1 where there is none."""

    takeback_pin: PinOrNone = NO_PIN
    """Takes the last move back."""
    new_game_pin: PinOrNone = NO_PIN
    """Begins a new game; over an unfinished one the board asks first."""
    hint_pin: PinOrNone = NO_PIN
    """Asks for a hint."""
    confirm_pin: PinOrNone = NO_PIN
    """Says yes to what the board asks."""
    cancel_pin: PinOrNone = NO_PIN
    """Says no to it."""


class BuzzerSettings(Table):
    """A passive buzzer on a pin of the Pi: a short tune for each announcement."""

    pin: PinOrNone = NO_PIN
    """Its GPIO; -1 if there is none."""


class WiredLights(Table):
    """The keys of [lights] that say how they are wired; the table itself adds how they look."""

    wire: Literal["board", "pwm", "pio", "spi", "none"] = "board"
    """What drives them: the board itself (simulated, Pico), or the Pi: pwm (to Pi 4), pio (Pi 5), spi (any Pi)."""
    pin: Pin = 18
    """The GPIO of their data line, for pwm (12, 13, 18, 19) and pio; spi is always GPIO10."""
    start: Literal["bottom-left", "bottom-right", "top-left", "top-right"] = "bottom-left"
    """The corner of the chain's first light, seen with the wiring's own a1 at the bottom left."""
    along: Literal["ranks", "files"] = "ranks"
    """What the chain follows from there."""
    serpentine: bool = True
    """Whether every second line runs back; else each begins on the same side."""
    order: Literal["GRB", "RGB", "BRG", "BGR", "RBG", "GBR"] = "GRB"
    """The order of the colours on the wire; with red and green swapped choose RGB."""
    dma_channel: Annotated[int, Field(ge=0, le=14)] = 10
    """The DMA channel of pwm; 5 is refused, it destroys SD cards."""
    supply_ma: Annotated[int, Field(ge=500, le=60_000)] = 3_000
    """What the supply that feeds the lights can give (mA); the budget may not be more."""
