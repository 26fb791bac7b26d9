# mypy: ignore-errors
# It is written for the modules of MicroPython on an RP2040, which no computer has.
"""The chip: the only file of the firmware that touches hardware. For an RP2040 (Raspberry Pi Pico) under MicroPython.

Off a chip this file can be imported, and does nothing until `Board` is made. Nothing in it allocates while the matrix
is scanned: the columns are read all at once from the chip's input register, whose 30 bits fit MicroPython's small
integers.
"""

import binascii
import gc
import os
import sys
import time

from .wire import LIGHTS, SUPPLY, TICKS, WATCHDOG

GPIO_IN = 0xD0000004
"""The SIO's register of all pins' levels (RP2040 datasheet, 2.3.1.7)."""

GPIO_BITS = 0x3FFFFFFF

SUPPLY_ADC = 3
"""The Pico measures a third of VSYS here (Pico datasheet, 4.5). A Pico W's radio shares the pin: measure nothing."""
SUPPLY_DIVIDER = 3
ADC_REFERENCE_MV = 3300
ADC_FULL = 65535

STAY = "stay"
"""While a file of this name exists, the next start goes to the REPL instead of the firmware, once."""


class Board:
    """The pins of `pins.py`, the USB port, the lights and the watchdog."""

    def __init__(self, pins: "object") -> None:
        import select

        import machine  # only here: off a chip this module must be importable
        import micropython

        micropython.kbd_intr(-1)  # a 3 among the host's bytes is no Ctrl-C
        self._mem32 = machine.mem32
        self._reset = machine.reset
        self._sleep_us = time.sleep_us
        self._settle_us = pins.SETTLE_US
        self._on = pins.ROW_ON
        self._off = 1 - pins.ROW_ON
        self._rows = [machine.Pin(pin, machine.Pin.OUT, value=self._off) for pin in pins.ROWS]
        for pin in pins.COLUMNS:
            machine.Pin(pin, machine.Pin.IN, machine.Pin.PULL_UP)
        self._columns = pins.COLUMNS
        self._first = min(pins.COLUMNS)
        self._in_order = tuple(pins.COLUMNS) == tuple(range(self._first, self._first + len(pins.COLUMNS)))
        self._mask = (1 << len(pins.COLUMNS)) - 1
        self._flip = 0 if pins.COLUMN_MAGNET else GPIO_BITS
        self._selected = -1
        self._in = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._readable = select.poll()
        self._readable.register(sys.stdin, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(sys.stdout, select.POLLOUT)
        self._octet = bytearray(1)
        self.lights = 0
        self._pixels = None
        self.capabilities = 0
        if pins.LIGHTS_PIN is not None:
            import neopixel

            self.lights = pins.LIGHTS
            self._pixels = neopixel.NeoPixel(machine.Pin(pins.LIGHTS_PIN), pins.LIGHTS)
            self._order = tuple("RGB".index(letter) for letter in pins.LIGHTS_ORDER)
            self.capabilities |= LIGHTS
        self._supply = None
        if pins.SUPPLY_LOW_MV:
            self._supply = machine.ADC(SUPPLY_ADC)
            self.capabilities |= SUPPLY
        self.identity = machine.unique_id()
        self.boot = int.from_bytes(os.urandom(4), "little")
        self.by_watchdog = machine.reset_cause() == machine.WDT_RESET
        self._watchdog = None
        if pins.WATCHDOG_MS:
            self._watchdog = machine.WDT(timeout=pins.WATCHDOG_MS)
            self.capabilities |= WATCHDOG

    def now_ms(self) -> int:
        """Return a clock that goes round at 30 bits."""
        return time.ticks_ms() & TICKS

    def now_us(self) -> int:
        """Return a finer one."""
        return time.ticks_us() & TICKS

    def select(self, row: int) -> None:
        """Power one row and no other, and wait until its sensors tell the truth."""
        if self._selected >= 0:
            self._rows[self._selected].value(self._off)
        self._rows[row].value(self._on)
        self._selected = row
        self._sleep_us(self._settle_us)

    def columns(self) -> int:
        """Return a bit for each column that reads a magnet."""
        levels = (self._mem32[GPIO_IN] & GPIO_BITS) ^ self._flip
        if self._in_order:
            return (levels >> self._first) & self._mask
        found = 0
        bit = 1
        for pin in self._columns:
            if levels >> pin & 1:
                found |= bit
            bit <<= 1
        return found

    def release(self) -> None:
        """Power no row, and wait until the columns are silent."""
        if self._selected >= 0:
            self._rows[self._selected].value(self._off)
        self._selected = -1
        self._sleep_us(self._settle_us)

    def read_into(self, buffer: bytearray) -> int:
        """Put what has arrived into the buffer, never waiting, and return how many bytes."""
        length = 0
        while length < len(buffer) and self._ready(self._readable):
            if not self._in.readinto(self._octet):  # one at a time: asked for more, the port waits until it has them
                break
            buffer[length] = self._octet[0]
            length += 1
        return length

    def write(self, data: memoryview) -> bool:
        """Send bytes; return False, and send nothing, if the host does not read."""
        if not self._ready(self._writable):
            return False
        self._out.write(data)  # may wait half a second if there is room for some of it only
        return True

    def show(self, colours: bytearray) -> None:
        """Put red, green and blue of every light on the lights; interrupts rest meanwhile (30 µs a light)."""
        pixels = self._pixels
        if pixels is None:
            return
        buffer = pixels.buf
        first, second, third = self._order
        for place in range(0, len(colours), 3):
            buffer[place] = colours[place + first]
            buffer[place + 1] = colours[place + second]
            buffer[place + 2] = colours[place + third]
        pixels.write()

    def supply_mv(self) -> int:
        """Return the supply's voltage, or -1 if it cannot be measured."""
        if self._supply is None:
            return -1
        return self._supply.read_u16() * SUPPLY_DIVIDER * ADC_REFERENCE_MV // ADC_FULL

    def feed(self) -> None:
        """Tell the watchdog that all is well."""
        if self._watchdog is not None:
            self._watchdog.feed()

    def tidy(self) -> int:
        """Collect garbage, and return the free bytes."""
        gc.collect()
        return gc.mem_free()

    def leave(self) -> None:
        """Start anew without the firmware, so that its files can be changed."""
        with open(STAY, "w") as file:
            file.write(binascii.hexlify(self.identity).decode())
        self._reset()

    def give_up(self, error: Exception) -> None:
        """Say what went wrong, where a terminal can read it, and start anew."""
        sys.print_exception(error)
        time.sleep_ms(1000)
        self._reset()

    def _ready(self, poll: "object") -> bool:
        for _ in poll.ipoll(0):
            return True
        return False


def may_start() -> bool:
    """Return False, once, if the firmware was told to stay away."""
    try:
        os.remove(STAY)
    except OSError:
        return True
    return False
