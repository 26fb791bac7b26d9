"""The chip's own module, hal.py, under MicroPython, its `machine` and `neopixel` faked pin by pin."""

from collections.abc import Callable

import pytest

from firmware_bridge.deploy import PICO_9X9, Pins

FAKES = """
import sys

class Chip:
    levels = {}        # of outputs
    magnets = set()    # (row, column)
    shown = []
    fed = 0
    resets = 0

class Pin:
    IN, OUT, PULL_UP = 0, 1, 2
    def __init__(self, number, mode=OUT, pull=None, value=None):
        self.number = number
        if mode == Pin.OUT and value is not None:
            Chip.levels[number] = value
        assert mode == Pin.OUT or pull == Pin.PULL_UP
    def value(self, level):
        Chip.levels[self.number] = level

class Mem32:
    def __getitem__(self, address):
        assert address == 0xD0000004
        levels = Chip.idle
        for row, column in Chip.magnets:
            if Chip.levels[Chip.rows[row]] == Chip.row_on:
                levels ^= 1 << Chip.columns[column]
        return levels

class ADC:
    def __init__(self, channel):
        assert channel == 3
    def read_u16(self):
        return 31775    # 4.8 V at the divider

class WDT:
    def __init__(self, timeout):
        assert 0 < timeout <= 8388
    def feed(self):
        Chip.fed += 1

class NeoPixel:
    def __init__(self, pin, count):
        self.buf = bytearray(3 * count)
    def write(self):
        Chip.shown.append(bytes(self.buf[:6]))

class Machine:
    pass

machine = Machine()
machine.Pin, machine.ADC, machine.WDT, machine.mem32 = Pin, ADC, WDT, Mem32()
machine.WDT_RESET = 3
machine.reset_cause = lambda: 3
machine.unique_id = lambda: bytes([0xE6, 0x61, 0x41, 4, 3, 0x96, 0xB2, 0x2D])
def reset():
    Chip.resets += 1
machine.reset = reset
neopixel = Machine()
neopixel.NeoPixel = NeoPixel
sys.modules["machine"] = machine
sys.modules["neopixel"] = neopixel

import micropython
from konakis import hal, pins
Chip.rows, Chip.columns = pins.ROWS, pins.COLUMNS
Chip.row_on = pins.ROW_ON
Chip.idle = 0 if pins.COLUMN_MAGNET else 0x3FFFFFFF
board = hal.Board(pins)
"""

READ = """
Chip.magnets = {(0, 0), (0, 8), (4, 3), (8, 8)}
found = []
for row in range(len(pins.ROWS)):
    micropython.heap_lock()
    board.select(row)
    micropython.heap_unlock()
    on = [pin for pin in Chip.rows if Chip.levels[pin] == Chip.row_on]
    assert on == [Chip.rows[row]], on
    found.append(board.columns())
board.release()
assert all(Chip.levels[pin] != Chip.row_on for pin in Chip.rows)
print(found, board.columns())
"""

SCATTERED = Pins(
    rows=(0, 2, 4, 6, 8, 10, 12, 14, 16),
    columns=(1, 3, 5, 7, 9, 11, 13, 15, 28),
    row_on=0,
    column_magnet=1,
    supply_low_mv=0,
    watchdog_ms=0,
)


@pytest.mark.parametrize("pins", [PICO_9X9, SCATTERED], ids=["in order", "scattered, the other polarity"])
def test_rows_are_powered_one_at_a_time_and_columns_read(on_the_chip: Callable[..., str], pins: Pins) -> None:
    assert on_the_chip(FAKES + READ, pins=pins).strip() == "[257, 0, 0, 0, 8, 0, 0, 0, 256] 0"


def test_reading_columns_that_stand_in_order_allocates_nothing(on_the_chip: Callable[..., str]) -> None:
    script = """
Chip.magnets = {(1, 1)}
class Register:
    def __getitem__(self, address):
        return 0x3FFFFFFF ^ 1 << 10
board._mem32 = Register()
board.select(1)
micropython.heap_lock()
found = board.columns()
micropython.heap_unlock()
print(found)
"""
    assert on_the_chip(FAKES + script).strip() == "2"


def test_lights_take_their_colours_in_their_own_order(on_the_chip: Callable[..., str]) -> None:
    script = """
board.show(bytearray([1, 2, 3, 4, 5, 6]) + bytearray(3 * 79))
print(Chip.shown, board.lights, board.capabilities, board.supply_mv())
board.feed()
print(Chip.fed, board.identity == machine.unique_id(), board.by_watchdog, 0 <= board.boot < 1 << 32)
print(board.read_into(bytearray(10)), 0 <= board.now_ms() <= 0x3FFFFFFF, 0 <= board.now_us() <= 0x3FFFFFFF)
print(board.tidy() > 0)
"""
    lines = on_the_chip(FAKES + script).splitlines()
    assert lines == [r"[b'\x02\x01\x03\x05\x04\x06'] 81 7 4800", "1 True True True", "0 True True", "True"]


def test_without_lights_supply_and_watchdog(on_the_chip: Callable[..., str]) -> None:
    script = "board.show(bytearray(0)); board.feed(); print(board.lights, board.capabilities, board.supply_mv())"
    assert on_the_chip(FAKES + script, pins=SCATTERED).strip() == "0 0 -1"


def test_stepping_aside_lasts_for_one_start(on_the_chip: Callable[..., str]) -> None:
    script = """
print(hal.may_start())
board.leave()
print(Chip.resets, hal.may_start(), hal.may_start())
"""
    assert on_the_chip(FAKES + script).splitlines() == ["True", "1 False True"]


def test_the_loop_runs_on_the_chips_module(on_the_chip: Callable[..., str]) -> None:
    script = """
from konakis.run import Loop
loop = Loop(board, len(pins.ROWS), pins.DEBOUNCE_MS, pins.SUPPLY_LOW_MV)
for _ in range(20):
    loop.once()
print(loop.scanner.ready, loop.scanner.scans, Chip.fed)
try:
    raise ValueError("for the terminal")
except ValueError as error:
    board.give_up(error)
print(Chip.resets)
"""
    output = on_the_chip(FAKES + script)
    assert output.splitlines()[0] == "True 20 20"
    assert "ValueError: for the terminal" in output
    assert output.splitlines()[-1] == "1"
