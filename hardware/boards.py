"""Boards, put together from their wires: sensors, lights, buttons and a buzzer that are opened and closed as one.

Nothing is opened before `Board.open`. Everything a board can hang on is named in `BoardWires`; the simulated board is
not made here, since its hands belong to whoever plays.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firmware_bridge import Bridge, Connector, Finder, Link, SerialPort, Wanted
from hardware.buttons import Buttons
from hardware.buzzer import Buzzer
from hardware.errors import LightsError, SensorsError
from hardware.lights import DarkLights, Lights
from hardware.machine import Machine
from hardware.matrix import Matrix, MatrixPins
from hardware.microcontroller import LinkLights, LinkSensors
from hardware.neopixels import NeoPixelWires, Wire, neopixels
from hardware.polling import POLL_HZ, PolledSensors, Scanner, SteppedSensors
from hardware.sensors import Sensors
from hardware.shift_register import ChainPins, ShiftRegisters

log = logging.getLogger(__name__)

SPI_PINS = (8, 9, 10, 11)
"""What SPI 0 takes: select, data in, data out, clock. The kernel holds GPIO7 too, as second select."""


@dataclass(frozen=True, slots=True)
class SerialWires:
    """A microcontroller at a serial port.

    Args:
        board_id: its USB serial number; None for the only one.
        port: its port; None searches.

    """

    board_id: str | None = None
    port: str | None = None


@dataclass(frozen=True, slots=True)
class BoardWires:
    """Everything that one board hangs on.

    Args:
        size: cells of one line.
        sensors: where the sensors are; the type says what they hang on.
        lights: the lights on the Pi's pins, if they are there.
        own_lights: whether the lights hang on the microcontroller.
        poll_hz: how often the Pi scans sensors on its own pins.
        buttons: the pin of each button, by its word.
        buzzer_pin: the buzzer's pin, if there is one.

    """

    size: int
    sensors: MatrixPins | ChainPins | SerialWires
    lights: NeoPixelWires | None = None
    own_lights: bool = True
    poll_hz: float = POLL_HZ
    buttons: Mapping[str, int] = field(default_factory=dict)
    buzzer_pin: int | None = None


def pin_uses(wires: BoardWires) -> dict[str, Sequence[int]]:
    """Return the Pi's pins that a board takes, by use, for `hardware.matrix.need_distinct`."""
    uses: dict[str, Sequence[int]] = {}
    sensors, lights = wires.sensors, wires.lights
    on_spi = ""
    if isinstance(sensors, MatrixPins):
        uses |= {"[matrix] rows": sensors.rows, "[matrix] columns": sensors.columns}
    elif isinstance(sensors, ChainPins):
        uses["[shift_registers] load_pin"] = (sensors.load,)
        on_spi = "the shift registers"
    if lights is not None and lights.wire is Wire.SPI:
        on_spi = "the lights"
    elif lights is not None:
        uses["[lights] pin"] = (lights.pin,)
    if on_spi:
        uses[f"SPI 0 of {on_spi}"] = SPI_PINS
    uses |= {f"[buttons] {word.replace('-', '_')}_pin": (pin,) for word, pin in wires.buttons.items()}
    if wires.buzzer_pin is not None:
        uses["[buzzer] pin"] = (wires.buzzer_pin,)
    return uses


class Board:
    """The parts of one board.

    Args:
        sensors: opened and closed with the board.
        lights: given to whoever shows pictures; he opens and closes them.
        buttons: opened and closed with the board; a board plays on without them.
        buzzer: likewise.
        link: to a microcontroller, if the board hangs on one.

    """

    def __init__(
        self,
        sensors: Sensors,
        lights: Lights,
        buttons: Buttons | None = None,
        buzzer: Buzzer | None = None,
        link: Bridge | None = None,
    ) -> None:
        self.sensors = sensors
        self.lights = lights
        self.buttons = buttons
        self.buzzer = buzzer
        self.link = link

    def open(self) -> None:
        """Take hold of everything but the lights; buttons and a buzzer that cannot be had are told and left out.

        Raises:
            SensorsError: the sensors cannot be had.

        """
        self.sensors.open()
        try:
            if self.buttons is not None:
                self.buttons.open()
        except SensorsError as error:
            log.warning("%s", error)
            self.buttons = None
        try:
            if self.buzzer is not None:
                self.buzzer.open()
        except LightsError as error:
            log.warning("%s", error)
            self.buzzer = None

    def close(self) -> None:
        """Let go of everything; the lights must have been closed before. May be called again."""
        if self.buttons is not None:
            self.buttons.close()
        if self.buzzer is not None:
            self.buzzer.close()
        self.sensors.close()


def assemble(
    wires: BoardWires,
    clock: Callable[[], float],
    *,
    factory: Any = None,
    machine: Machine | None = None,
    stepped: bool = False,
    link: Bridge | None = None,
    sleep: Callable[[float], None] | None = None,
) -> Board:
    """Put a board together; nothing is opened yet.

    Args:
        wires: what it hangs on.
        clock: the time of its news, seconds; asked from other threads too.
        factory: gpiozero's pin factory; its own choice if not given.
        machine: the computer.
        stepped: scan when polled instead of in a thread, for virtual time.
        link: in place of the one that the wires name.
        sleep: lets a row settle; really, if not given.

    """
    buttons = Buttons(wires.buttons, factory=factory) if wires.buttons else None
    buzzer = None if wires.buzzer_pin is None else Buzzer(wires.buzzer_pin, factory=factory)
    there: Bridge | None = None
    sensors: Sensors
    if isinstance(wires.sensors, SerialWires):
        there = link or serial_link(wires.sensors, wires.size, clock)
        sensors = LinkSensors(there)
    else:
        kind = SteppedSensors if stepped else PolledSensors
        sensors = kind(_scanner(wires.sensors, factory, sleep), wires.size, wires.poll_hz, clock)
    return Board(sensors, _lights(wires, there, machine), buttons, buzzer, there)


def serial_link(wires: SerialWires, size: int | None, clock: Callable[[], float]) -> Link:
    """Make the link to a microcontroller; nothing is opened yet."""
    finder = Finder(board_id=wires.board_id, path=wires.port)
    return Link(Connector(finder, SerialPort, wanted=Wanted(wires.board_id, size)), clock=clock)


def _scanner(
    pins: MatrixPins | ChainPins, factory: Any, sleep: Callable[[float], None] | None
) -> Callable[[], Scanner]:
    if isinstance(pins, ChainPins):
        return lambda: ShiftRegisters(pins, factory=factory)
    if sleep is None:
        return lambda: Matrix(pins, factory=factory)
    return lambda: Matrix(pins, factory=factory, sleep=sleep)


def _lights(wires: BoardWires, link: Bridge | None, machine: Machine | None) -> Lights:
    if wires.lights is not None:
        return neopixels(wires.lights, machine)
    if wires.own_lights and link is not None:
        return LinkLights(link)
    if wires.own_lights:
        return DarkLights("sensors on the Pi's pins bring no lights: choose [lights] wire = 'pwm', 'pio' or 'spi'")
    return DarkLights("the configuration says [lights] wire = 'none'")
