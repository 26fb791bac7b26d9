# mypy: ignore-errors
# ruff: noqa: D102 - what each method must do is told by shapes.Board
# It is written for MicroPython's own modules; that it runs is shown by running it there.
"""A chip for tests: MicroPython on a computer, and a modelled matrix that the test drives. Takes the place of hal.py.

Standard input and output are the board's end of a pseudo-terminal. The file whose number is in BOARD_TEST is the
test's: lines of text in, what the test does to the board; lines of text out, what the board did. See
`firmware_bridge.modelled`, which is the other end.

    in     cell C 0|1     a magnet leaves or comes      out   ready          the loop is about to start
           row R 0|1      a row stays powered                 show HEX       a picture was put on the lights
           column C 0|1   a column is shorted                 fed            the watchdog was fed (ten times a second)
           supply MV      the supply's voltage                left           the firmware was told to stay away
           deaf 0|1       the host no longer reads
           hang           never come back
           crash          fail with an exception
"""

import binascii
import gc
import os
import select
import sys
import time

from .wire import LIGHTS, SUPPLY, TICKS, WATCHDOG

EXIT_RESET = 3
FED_EVERY_MS = 100
STAY = "stay"


class Board:
    """What hal.py's is, without a chip."""

    def __init__(self, pins: "object") -> None:
        import micropython

        micropython.kbd_intr(-1)
        self._sleep_us = time.sleep_us
        self._settle_us = pins.SETTLE_US
        self._magnets = [0] * len(pins.ROWS)
        self._lines = len(pins.ROWS)
        self._stuck = 0
        self._shorted = 0
        self._selected = -1
        self._supply = 4800
        self._deaf = False
        self._in = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._readable = select.poll()
        self._readable.register(sys.stdin, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(sys.stdout, select.POLLOUT)
        test = int(os.getenv("BOARD_TEST"))
        self._test_in = open(test, "rb", buffering=0)  # noqa: SIM115 - open as long as the board
        self._test_out = open(test, "wb", buffering=0)  # noqa: SIM115
        self._told = select.poll()
        self._told.register(self._test_in, select.POLLIN)
        self._octet = bytearray(1)
        self._fed = 0
        self.lights = pins.LIGHTS if pins.LIGHTS_PIN is not None else 0
        self.capabilities = LIGHTS if self.lights else 0
        if pins.SUPPLY_LOW_MV:
            self.capabilities |= SUPPLY
        if pins.WATCHDOG_MS:
            self.capabilities |= WATCHDOG
        self.identity = binascii.unhexlify(os.getenv("BOARD_ID"))
        self.by_watchdog = os.getenv("BOARD_BY_WATCHDOG") == "1"
        self.boot = int.from_bytes(os.urandom(4), "little")
        self._out.write(binascii.unhexlify(os.getenv("BOARD_NOISE") or ""))
        magnets = int(os.getenv("BOARD_MAGNETS") or "0", 16)
        for row in range(self._lines):
            self._magnets[row] = magnets >> (row * self._lines) & ((1 << self._lines) - 1)
        self._say("ready")

    def now_ms(self) -> int:
        return time.ticks_ms() & TICKS

    def now_us(self) -> int:
        return time.ticks_us() & TICKS

    def select(self, row: int) -> None:
        self._selected = row
        self._sleep_us(self._settle_us)

    def columns(self) -> int:
        found = self._shorted
        if self._selected >= 0:
            found |= self._magnets[self._selected]
        if self._stuck:
            for row in range(self._lines):
                if self._stuck >> row & 1:
                    found |= self._magnets[row]
        return found

    def release(self) -> None:
        self._selected = -1
        self._sleep_us(self._settle_us)

    def read_into(self, buffer: bytearray) -> int:
        length = 0
        try:
            while length < len(buffer) and self._ready(self._readable):
                if not self._in.readinto(self._octet):  # one at a time: asked for more, it waits until it has them
                    break
                buffer[length] = self._octet[0]
                length += 1
        except OSError:
            pass  # nobody has the other end open
        return length

    def write(self, data: memoryview) -> bool:
        if self._deaf or not self._ready(self._writable):
            return False
        self._out.write(data)
        return True

    def show(self, colours: bytearray) -> None:
        if self.lights:
            self._say("show " + binascii.hexlify(colours).decode())

    def supply_mv(self) -> int:
        return self._supply

    def feed(self) -> None:
        now = self.now_ms()
        if (now - self._fed) & TICKS >= FED_EVERY_MS:
            self._fed = now
            self._say("fed")
        if self._ready(self._told):
            self._hear()

    def tidy(self) -> int:
        gc.collect()
        return gc.mem_free()

    def leave(self) -> None:
        with open(STAY, "w") as file:
            file.write("")
        self._say("left")
        sys.exit(EXIT_RESET)

    def give_up(self, error: Exception) -> None:
        sys.print_exception(error)
        time.sleep_ms(50)
        sys.exit(EXIT_RESET)

    def _hear(self) -> None:
        """Do what the test says."""
        while self._ready(self._told):
            line = self._test_in.readline()
            if not line:
                sys.exit(0)  # the test is gone
            words = line.decode().split()
            numbers = [int(word) for word in words[1:]]
            if words[0] == "cell":
                self._set(self._magnets, numbers[0] // self._lines, numbers[0] % self._lines, numbers[1])
            elif words[0] == "row":
                self._stuck = self._stuck & ~(1 << numbers[0]) | numbers[1] << numbers[0]
            elif words[0] == "column":
                self._shorted = self._shorted & ~(1 << numbers[0]) | numbers[1] << numbers[0]
            elif words[0] == "supply":
                self._supply = numbers[0]
            elif words[0] == "deaf":
                self._deaf = bool(numbers[0])
            elif words[0] == "hang":
                while True:
                    time.sleep_ms(100)
            elif words[0] == "crash":
                raise RuntimeError("the test asked for it")

    def _set(self, rows: "list[int]", row: int, bit: int, value: int) -> None:
        rows[row] = rows[row] & ~(1 << bit) | value << bit

    def _say(self, line: str) -> None:
        self._test_out.write(line.encode() + b"\n")

    def _ready(self, poll: "object") -> bool:
        for _, event in poll.ipoll(0):
            return bool(event & (select.POLLIN | select.POLLOUT))
        return False


def may_start() -> bool:
    """Return False, once, if the firmware was told to stay away."""
    try:
        os.remove(STAY)
    except OSError:
        return True
    return False
