"""Every kind of board there is, each with hands that put magnets on it and eyes that see what its lights were sent.

A bench puts together the real driver and the closest thing to its wires that a computer has: the simulated board; mock
pins with a modelled matrix and with modelled shift registers, their lights a real PixelBuf whose bytes are kept; the
firmware's own code over a virtual cable; and the firmware under a real MicroPython on a pseudo-terminal. The first four
live in virtual time, the last in the machine's.
"""

import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import gpiozero  # type: ignore[import-untyped]  # it ships no types
from gpiozero.pins.mock import MockFactory, MockPin, MockSPIDevice  # type: ignore[import-untyped]  # it ships no types

from firmware_bridge import Connector, Link, SerialPort
from firmware_bridge.modelled import ModelledBoard
from firmware_bridge.virtual import Cable, VirtualBoard, VirtualClock
from hardware.boards import Board, BoardWires, SerialWires, assemble
from hardware.lights import Picture, Show
from hardware.matrix import MatrixPins
from hardware.mock_matrix import MockMatrix
from hardware.neopixels import NeoPixels
from hardware.news import Cell, Changed, Frame, News, Scan
from hardware.shift_register import ChainPins
from hardware.simulated.board import SimulatedBoard
from hardware.strip import Corner, Layout
from tests.hardware.captured import Captured

SIZE = 9
CELLS = SIZE * SIZE
LAYOUT = Layout(Corner.TOP_RIGHT)
STEP_S = 0.02


class Bench:
    """One board on the bench. Cells are what its wires count."""

    can_be_cut = True

    def __init__(self) -> None:
        self.board: Board
        self.news: list[News] = []
        self.heard: Frame = frozenset()
        self.polls = 0

    # The hands; for each kind of board.

    def drop(self, *cells: Cell) -> None:
        raise NotImplementedError

    def lift(self, *cells: Cell) -> None:
        raise NotImplementedError

    def cut(self) -> None:
        """Break the wires."""
        raise NotImplementedError

    def mend(self) -> None:
        """Put them right."""
        raise NotImplementedError

    def seen(self) -> Picture:
        """What the wire to the lights carried last, by cell."""
        raise NotImplementedError

    # Time.

    def now(self) -> float:
        raise NotImplementedError

    def pass_time(self, seconds: float) -> None:
        raise NotImplementedError

    # What tests do with any of them.

    def open(self) -> None:
        self.board.open()
        self.heard = self.board.sensors.read()

    def poll(self) -> list[News]:
        """Ask for news once, and keep what they say."""
        now = self.now()
        news = self.board.sensors.poll(now)
        for item in news:
            assert item.t <= now
            assert not self.news or item.t >= self.news[-1].t
            self.news.append(item)
            if isinstance(item, Scan):
                self.heard = item.occupied
            elif isinstance(item, Changed):
                self.heard = self.heard.union(item.cells) if item.occupied else self.heard.difference(item.cells)
        self.polls += 1
        return news

    def wait(self, seconds: float, then: Callable[[], None] = lambda: None) -> None:
        """Let time pass as a daemon does, polling."""
        end = self.now() + seconds
        while self.now() < end:
            self.pass_time(STEP_S)
            self.poll()
            then()

    def until(self, reached: Callable[[], bool], timeout_s: float = 8.0) -> bool:
        """Poll until something is so; say whether it came to be."""
        end = self.now() + timeout_s
        while not reached():
            if self.now() >= end:
                return False
            self.pass_time(STEP_S)
            self.poll()
        return True

    def show(self) -> Show:
        return Show(self.board.lights, CELLS)

    def close(self) -> None:
        self.board.close()


class VirtualBench(Bench):
    """A bench whose time passes when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = VirtualClock()

    def now(self) -> float:
        return self.clock.now

    def pass_time(self, seconds: float) -> None:
        self.clock.advance(seconds)


class Simulated(VirtualBench):
    can_be_cut = False  # its unplugging is a fault of its own, tested with it

    def __init__(self) -> None:
        super().__init__()
        self.table = SimulatedBoard(SIZE, {}, Random(1), boxed="t" * CELLS)
        self.board = Board(self.table, self.table.lights)

    def drop(self, *cells: Cell) -> None:
        for cell in cells:
            self.table.unbox(self.now(), cell, "t")

    def lift(self, *cells: Cell) -> None:
        for cell in cells:
            self.table.box(self.now(), cell)

    def seen(self) -> Picture:
        return self.table.lights.picture


class OnPins(VirtualBench):
    """Lights on the Pi, as a buffer of Adafruit's whose bytes are kept."""

    def __init__(self) -> None:
        super().__init__()
        self.factory = MockFactory()
        self.pixels = Captured(CELLS)
        self.lights = NeoPixels(lambda: self.pixels, LAYOUT.lights(SIZE))

    def seen(self) -> Picture:
        self.pixels.settle()
        sent = self.pixels.sent[-1]
        by_light = [(sent[at + 1], sent[at], sent[at + 2]) for at in range(0, len(sent), 3)]
        return tuple(by_light[light] for light in LAYOUT.lights(SIZE))


class MatrixOnPins(OnPins):
    def __init__(self) -> None:
        super().__init__()
        pins = MatrixPins()
        self.model = MockMatrix(self.factory, pins)
        wires = BoardWires(SIZE, pins)
        self.board = assemble(wires, self.now, factory=self.factory, stepped=True, sleep=self.model.sleep)
        self.board.lights = self.lights

    def drop(self, *cells: Cell) -> None:
        self.model.magnets |= set(cells)

    def lift(self, *cells: Cell) -> None:
        self.model.magnets -= set(cells)

    def cut(self) -> None:
        self.model.shorted_columns = {3}

    def mend(self) -> None:
        self.model.shorted_columns = set()


class Chain(MockSPIDevice):  # type: ignore[misc]  # its base has no types
    """Modelled 74HC165s: they take their inputs when the load pin goes low, and shift them out."""

    def __init__(self, factory: MockFactory, pins: ChainPins) -> None:
        super().__init__(11, 10, 9, 8, clock_polarity=True, clock_phase=False, pin_factory=factory)
        self.magnets: set[Cell] = set()
        chain = self

        class LoadPin(MockPin):  # type: ignore[misc]  # its base has no types
            def _set_state(self, value: float) -> None:
                super()._set_state(value)
                self.clear_states()
                if not value:
                    chain.load(pins)

        factory.pin(pins.load, pin_class=LoadPin)

    def load(self, pins: ChainPins) -> None:
        cells = range(pins.chips * 8)
        self.inputs = [pins.magnet if Cell(cell) in self.magnets else 1 - pins.magnet for cell in cells]

    def on_start(self) -> None:
        super().on_start()
        self.tx_buf = list(self.inputs)


class ChainOnPins(OnPins):
    can_be_cut = False  # nothing on these wires tells a fault from a board that is full or empty

    def __init__(self) -> None:
        super().__init__()
        pins = ChainPins()
        self.chain = Chain(self.factory, pins)
        self._before: Any = gpiozero.Device.pin_factory
        gpiozero.Device.pin_factory = self.factory  # its software SPI asks nobody else
        self.board = assemble(BoardWires(SIZE, pins), self.now, factory=self.factory, stepped=True)
        self.board.lights = self.lights

    def drop(self, *cells: Cell) -> None:
        self.chain.magnets |= set(cells)

    def lift(self, *cells: Cell) -> None:
        self.chain.magnets -= set(cells)

    def close(self) -> None:
        super().close()
        gpiozero.Device.pin_factory = self._before


class VirtualChip(VirtualBench):
    def __init__(self) -> None:
        super().__init__()
        self.chip = VirtualBoard(self.clock)
        self.cable = Cable(self.chip, self.clock)
        self.board = assemble(BoardWires(SIZE, SerialWires()), self.now, link=self.cable.link())

    def drop(self, *cells: Cell) -> None:
        self.chip.drop(*cells)

    def lift(self, *cells: Cell) -> None:
        self.chip.lift(*cells)

    def cut(self) -> None:
        self.cable.unplug()

    def mend(self) -> None:
        self.cable.plug("/dev/ttyACM7")

    def seen(self) -> Picture:
        self.wait(0.1)
        return tuple(self.chip.picture)


class RealFirmware(Bench):
    """The firmware under MicroPython, on a pseudo-terminal, in real time."""

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self.chip = ModelledBoard(directory)
        self.chip.plug()
        link = Link(Connector(self.chip.finder(), SerialPort))
        self.board = assemble(BoardWires(SIZE, SerialWires()), self.now, link=link)

    def now(self) -> float:
        return time.monotonic()

    def pass_time(self, seconds: float) -> None:
        time.sleep(seconds)  # nothing here can be told to go faster

    def drop(self, *cells: Cell) -> None:
        self.chip.drop(*cells)

    def lift(self, *cells: Cell) -> None:
        self.chip.lift(*cells)

    def cut(self) -> None:
        self.chip.unplug()

    def mend(self) -> None:
        self.chip.plug()

    def seen(self) -> Picture:
        self.wait(0.2)
        return tuple(self.chip.picture)

    def close(self) -> None:
        super().close()
        self.chip.unplug()


BENCHES: dict[str, Callable[[Path], Bench]] = {
    "simulated": lambda directory: Simulated(),
    "matrix on mock pins": lambda directory: MatrixOnPins(),
    "74HC165 on mock SPI": lambda directory: ChainOnPins(),
    "firmware, virtual": lambda directory: VirtualChip(),
    "MicroPython on a pty": RealFirmware,
}
