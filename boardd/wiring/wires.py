"""From the configuration's words about wires to hardware's, and what is wrong with them together.

Owns which table of the configuration becomes which pin table. Opens nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from boardd.errors import BoarddError
from boardd.settings import LightSettings, Settings
from boardd.settings_table import NO_PIN
from firmware_bridge import PinError, Pins
from hardware.boards import BoardWires, SerialWires, pin_uses
from hardware.errors import PinsError
from hardware.matrix import US_PER_S, MatrixPins, need_distinct
from hardware.neopixels import SPI_PIN, NeoPixelWires, Wire
from hardware.shift_register import ChainPins
from hardware.strip import Along, Corner, Layout

T = TypeVar("T")

FOUND_BY = frozenset({"board_id", "port"})
"""Keys of [microcontroller] that any firmware has; the others are our own firmware's."""

COMPUTER_MA = 1_000
"""What a Pi 4 or 5 draws by itself while it plays (mA), where it hangs on the lights' supply; a Zero half of it."""


class WiringError(BoarddError, ValueError):
    """Wires that the configuration names cannot be; the message names table and key."""


def board_wires(settings: Settings, size: int) -> BoardWires | None:
    """Give the board that the configuration names; None for the simulated one.

    Args:
        settings: valid each key by itself.
        size: squares a side.

    Raises:
        WiringError: it cannot be wired.

    """
    board = settings.board
    if board.kind == "simulated":
        return None
    buttons = {
        name.removesuffix("_pin").replace("_", "-"): pin
        for name, pin in settings.buttons.model_dump().items()
        if pin != NO_PIN
    }
    wires = BoardWires(
        size=size,
        sensors=_sensors(settings, size),
        lights=light_wires(settings.lights, size),
        own_lights=settings.lights.wire == "board",
        poll_hz=board.poll_hz,
        buttons=buttons,
        buzzer_pin=None if settings.buzzer.pin == NO_PIN else settings.buzzer.pin,
    )
    if isinstance(wires.sensors, ChainPins) and wires.lights is not None and wires.lights.wire is Wire.SPI:
        raise WiringError("[lights] wire: SPI 0 is taken by the shift registers; choose pwm or pio")
    _told("pins", lambda: need_distinct(pin_uses(wires)))
    return wires


def light_wires(lights: LightSettings, size: int) -> NeoPixelWires | None:
    """Give the lights on the Pi's own pins; None if they hang elsewhere or nowhere.

    Raises:
        WiringError: they cannot be wired, or would do harm.

    """
    if lights.wire in ("board", "none"):
        return None
    wire = Wire(lights.wire)
    return _told(
        "lights",
        lambda: NeoPixelWires(
            wire=wire,
            pin=SPI_PIN if wire is Wire.SPI else lights.pin,
            size=size,
            layout=Layout(Corner(lights.start), Along(lights.along), lights.serpentine),
            order=lights.order,
            dma_channel=lights.dma_channel,
        ),
    )


def firmware_pins(settings: Settings, size: int) -> Pins:
    """Give the pin table that goes onto the microcontroller.

    Raises:
        WiringError: it cannot be wired.

    """
    chip, lights = settings.microcontroller, settings.lights
    if len(chip.rows) == len(chip.columns) != size:
        raise WiringError(f"[microcontroller] rows: {_few(len(chip.rows), size)}")
    return _told(
        "microcontroller",
        lambda: Pins(
            rows=chip.rows,
            columns=chip.columns,
            row_on=chip.row_on,
            column_magnet=chip.column_magnet,
            lights_pin=None if chip.lights_pin == NO_PIN else chip.lights_pin,
            lights=size * size,
            lights_order=lights.order,
            supply_low_mv=chip.supply_low_mv,
            settle_us=chip.settle_us,
            debounce_ms=chip.debounce_ms,
            watchdog_ms=chip.watchdog_ms,
        ),
    )


def wiring_problems(settings: Settings, size: int) -> Iterator[str]:
    """Tell why the configured wires cannot be, or would do harm; a line each."""
    lights = settings.lights
    if lights.budget_ma > lights.supply_ma:
        yield (
            f"[lights] budget_ma: found {lights.budget_ma}, expected at most supply_ma, {lights.supply_ma}: "
            "more would make the supply give way, and the computer with it"
        )
    try:
        light_wires(lights, size)  # also where they are not in use: a harmful value should not lie in wait
        board_wires(settings, size)
        # a foreign firmware has its own pins: those that nobody gave need not fit
        given = settings.microcontroller.model_fields_set - FOUND_BY
        if settings.board.kind == "microcontroller" and given:
            firmware_pins(settings, size)
    except WiringError as error:
        yield str(error)


def wiring_warnings(settings: Settings) -> Iterator[str]:
    """Tell what may be meant so but seldom is; a line each."""
    lights = settings.lights
    if settings.board.kind == "simulated":
        return
    if lights.supply_ma - COMPUTER_MA < lights.budget_ma <= lights.supply_ma:
        yield (
            f"[lights] budget_ma: {lights.budget_ma} leaves the computer less than {COMPUTER_MA} of the supply's "
            f"{lights.supply_ma} mA; it is right only if the computer has a supply of its own"
        )
    if lights.wire == "none" or (lights.wire == "board" and settings.board.kind != "microcontroller"):
        yield "[lights] wire: the board has no lights of its own and stays dark; choose pwm, pio or spi"


def _sensors(settings: Settings, size: int) -> MatrixPins | ChainPins | SerialWires:
    match settings.board.kind:
        case "matrix":
            matrix = settings.matrix
            pins = _told(
                "matrix",
                lambda: MatrixPins(matrix.rows, matrix.columns, matrix.row_on, matrix.column_magnet, matrix.settle_us),
            )
            if len(pins.rows) != size:
                raise WiringError(f"[matrix] rows: {_few(len(pins.rows), size)}")
            most_hz = int(US_PER_S / ((size + 1) * pins.settle_us)) if pins.settle_us else settings.board.poll_hz
            if settings.board.poll_hz > most_hz:
                raise WiringError(
                    f"[board] poll_hz: found {settings.board.poll_hz}, expected at most {most_hz}: {size} rows and the "
                    f"pause after them take [matrix] settle_us, {pins.settle_us}, each"
                )
            return pins
        case "shift-registers":
            chain = settings.shift_registers
            return _told("shift_registers", lambda: ChainPins(size * size, chain.load_pin, chain.magnet))
        case _:
            chip = settings.microcontroller
            return SerialWires(chip.board_id or None, chip.port or None)


def _few(found: int, size: int) -> str:
    return f"expected {size} pins for a board of {size}x{size}, got {found}"


def _told(table: str, make: Callable[[], T]) -> T:
    """Make something, and name the table in what it complains of."""
    try:
        return make()
    except (PinsError, PinError) as error:
        place = f"[{table}] " if table != "pins" else ""
        raise WiringError(f"{place}{error}") from error
