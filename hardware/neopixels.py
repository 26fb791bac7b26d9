"""WS2812 lights on the pins of a Raspberry Pi, through adafruit-circuitpython-neopixel.

Opens GPIO or SPI when `NeoPixels.open` is called; importing this opens nothing. Uses one thread, the only one that
writes: `show` leaves a picture for it and never waits, and a newer picture takes the place of one that still waits.
The lights are black when they are opened and when they are closed.

Which wire fits which Pi:

    pwm   GPIO18 and others   Pi 4 and older: PWM and DMA; needs root, and no analogue audio beside it
    pio   any GPIO            Pi 5: its own package, through /dev/pio0
    spi   GPIO10              all: no root; a Pi 4 and older need a fixed core clock
"""

from __future__ import annotations

import contextlib
import enum
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from hardware.errors import LightsError, PinsError
from hardware.lights import BLACK, Picture, Rgb
from hardware.machine import Machine
from hardware.strip import Layout

PWM_PINS = (12, 13, 18, 19)
"""The pins of the PWM channels (BCM2835 peripherals, table of alternate functions)."""
SPI_PIN = 10
DMA_CHANNEL = 10
"""What rpi_ws281x takes by itself."""
HARMFUL_DMA = {5: "the SD card's controller uses it, and the card is written over"}
"""DMA channels that must not be taken, and why (reports to rpi_ws281x, which warns of it)."""
COLOUR_BYTES = 3
JOIN_S = 1.0
"""A picture takes milliseconds; a writer that does not end in this time hangs in the kernel."""


class Wire(enum.Enum):
    """How the lights' data line is driven."""

    PWM = "pwm"
    PIO = "pio"
    SPI = "spi"


@dataclass(frozen=True, slots=True)
class NeoPixelWires:
    """How the lights hang on the Pi.

    Args:
        wire: what drives the data line.
        pin: the GPIO of the data line; SPI has no choice.
        size: lights a side.
        layout: the chain's way.
        order: the colours' order on the wire, as most WS2812 have it.
        dma_channel: with PWM.

    Raises:
        PinsError: it cannot work, or would do harm.

    """

    wire: Wire
    pin: int = 18
    size: int = 9
    layout: Layout = field(default_factory=Layout)
    order: str = "GRB"
    dma_channel: int = DMA_CHANNEL

    def __post_init__(self) -> None:
        if self.wire is Wire.PWM and self.pin not in PWM_PINS:
            raise PinsError(f"pin: expected one of {', '.join(map(str, PWM_PINS))} for pwm, got {self.pin}")
        if self.wire is Wire.SPI and self.pin != SPI_PIN:
            raise PinsError(f"pin: expected {SPI_PIN} for spi, got {self.pin}")
        if sorted(self.order) != sorted("RGB"):
            raise PinsError(f"order: expected the letters R, G and B in some order, got {self.order!r}")
        if self.wire is Wire.PWM and self.dma_channel in HARMFUL_DMA:
            raise PinsError(
                f"dma_channel: expected another than {self.dma_channel}, since {HARMFUL_DMA[self.dma_channel]}; "
                f"{DMA_CHANNEL} is safe"
            )


class Pixels(Protocol):
    """What we use of `adafruit_pixelbuf.PixelBuf`, which neopixel's and neopixel_spi's classes are."""

    def __setitem__(self, index: slice, colours: list[Rgb]) -> None:
        """Take the colours of many pixels."""

    def show(self) -> None:
        """Transmit them."""


class NeoPixels:
    """A chain of lights; they are `hardware.lights.Lights`.

    Args:
        open_pixels: takes hold of the wire and gives the buffer; raises LightsError.
        chain: the place in the chain of each cell's light.

    """

    def __init__(self, open_pixels: Callable[[], Pixels], chain: Sequence[int]) -> None:
        self._open_pixels = open_pixels
        self._cells = sorted(range(len(chain)), key=chain.__getitem__)  # the cell of each light, in the chain's order
        self._pixels: Pixels | None = None
        self._changed = threading.Condition()
        self._waiting: Picture | None = None
        self._stop = False
        self._thread: threading.Thread | None = None
        self._failed: Exception | None = None

    def open(self) -> None:
        """Take hold of the wire, put out what the lights showed, and begin to write.

        Raises:
            LightsError: it cannot be had; says what to do.

        """
        if self._thread is not None:
            return
        self._pixels = self._open_pixels()
        try:
            self._transmit((BLACK,) * len(self._cells))  # some backends open their wire only now
        except Exception as error:  # the backends have no common base
            self._pixels = None
            raise LightsError(f"the lights cannot be opened: {lights_advice(error)}") from error
        self._stop, self._failed, self._waiting = False, None, None
        self._thread = threading.Thread(target=self._run, name="lights", daemon=True)
        self._thread.start()

    def show(self, colours: Sequence[Rgb]) -> None:
        """Leave a picture for the writer; one that still waits is forgotten. Never waits.

        Raises:
            LightsError: the writer has failed.
            ValueError: another number of colours than lights.

        """
        if len(colours) != len(self._cells):
            raise ValueError(f"expected {len(self._cells)} colours, got {len(colours)}")
        if self._failed is not None:
            raise LightsError(f"the lights failed: {lights_advice(self._failed)}") from self._failed
        with self._changed:
            self._waiting = tuple(colours)
            self._changed.notify()

    def close(self) -> None:
        """Put the lights out, end the writer and let go of the wire. May be called again."""
        thread = self._thread
        if thread is None:
            return
        with self._changed:
            self._stop = True
            self._waiting = None
            self._changed.notify()
        thread.join(JOIN_S)
        self._thread = None

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._stop or self._waiting is not None)
                picture, self._waiting = self._waiting, None
            try:
                self._transmit((BLACK,) * len(self._cells) if picture is None else picture)
                if picture is None:
                    _let_go(self._pixels)
                    return
            except Exception as error:  # whatever it is, whoever shows the next picture must hear of it
                self._put_out()
                self._failed = error
                return

    def _put_out(self) -> None:
        """Leave no old picture behind, where the wire still takes one."""
        with contextlib.suppress(Exception):
            self._transmit((BLACK,) * len(self._cells))
        with contextlib.suppress(Exception):
            _let_go(self._pixels)

    def _transmit(self, picture: Picture) -> None:
        pixels = self._pixels
        assert pixels is not None
        pixels[:] = [picture[cell] for cell in self._cells]
        pixels.show()


def neopixels(wires: NeoPixelWires, machine: Machine | None = None) -> NeoPixels:
    """Make the lights of a pin table; nothing is opened before `open`.

    Args:
        wires: the pin table.
        machine: what the computer is like; looked at to refuse what would do harm.

    """
    there = machine or Machine()
    return NeoPixels(lambda: open_pixels(wires, there), wires.layout.lights(wires.size))


def open_pixels(wires: NeoPixelWires, machine: Machine) -> Pixels:
    """Take hold of the wire.

    Raises:
        LightsError: it cannot be had; says what to do.

    """
    if wires.wire is Wire.PWM and machine.analogue_audio:
        raise LightsError(
            "the lights stay dark: analogue audio uses the same PWM, and what it sends would light them at random and "
            "above the current budget; put dtparam=audio=off into config.txt, or wire the lights to SPI"
        )
    if wires.wire is Wire.PWM and machine.pi_generation == 5:
        raise LightsError("the lights stay dark: a Raspberry Pi 5 has no such PWM; use [lights] wire = 'pio' or 'spi'")
    # Blinka otherwise stops and asks on the terminal whether to install what it misses
    os.environ.setdefault("BLINKA_SKIP_DEPENDENCY_CHECK", "1")
    try:
        return _open_spi(wires) if wires.wire is Wire.SPI else _open_pin(wires)
    except Exception as error:  # Blinka's backends have no common base
        raise LightsError(f"the lights cannot be opened: {lights_advice(error)}") from error


def _open_pin(wires: NeoPixelWires) -> Pixels:
    import board  # type: ignore[import-untyped]  # Blinka ships no types
    import neopixel  # type: ignore[import-untyped]

    if wires.wire is Wire.PWM:
        # the board has been asked for first: off a Pi the next import ends the program
        from adafruit_blinka.microcontroller.bcm283x import (  # type: ignore[import-untyped]
            neopixel as driver,
        )

        driver.LED_DMA_NUM = wires.dma_channel
    pin = getattr(board, f"D{wires.pin}")
    pixels: Pixels = neopixel.NeoPixel(pin, wires.size**2, auto_write=False, pixel_order=wires.order)
    return pixels


def _open_spi(wires: NeoPixelWires) -> Pixels:
    import board
    import neopixel_spi  # type: ignore[import-not-found,import-untyped,unused-ignore]  # only a Pi has it

    spi = board.SPI()
    pixels: Pixels = neopixel_spi.NeoPixel_SPI(spi, wires.size**2, auto_write=False, pixel_order=wires.order)
    return pixels


def _let_go(pixels: Any) -> None:
    """Release the pin; a plain buffer has none."""
    deinit = getattr(pixels, "deinit", None)
    if deinit is not None:
        deinit()


def lights_advice(error: Exception) -> str:
    """Say on one line why lights cannot be had and what to do."""
    text = " ".join(str(error).split())
    if isinstance(error, NotImplementedError):
        return "this computer has no pins for them: run it on a Raspberry Pi, or hang them on the Pico"
    if isinstance(error, ImportError):
        return f"{text}: install konakis[pi4] or, on a Raspberry Pi 5, konakis[pi5]"
    if "sudo" in text or isinstance(error, PermissionError):
        return "pwm needs root, and pio the udev rule for /dev/pio0: without either use [lights] wire = 'spi'"
    if isinstance(error, FileNotFoundError) or "spidev" in text.lower() or "SPI" in text:
        return f"{text}: switch SPI on with dtparam=spi=on in config.txt, and add this user to the group spi"
    return f"{type(error).__name__}: {text}"
