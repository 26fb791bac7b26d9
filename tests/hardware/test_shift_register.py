import random

import pytest
from gpiozero import Device, OutputDevice
from gpiozero.pins.mock import MockFactory, MockPin, MockSPIDevice

from hardware.errors import PinsError, SensorsError
from hardware.news import Cell
from hardware.shift_register import ChainPins, ShiftRegisters

CLOCK, MOSI, MISO, SELECT = 11, 10, 9, 8


class Chain(MockSPIDevice):  # type: ignore[misc]  # its base has no types
    """Modelled chips: they take their inputs when the load pin goes low, and shift them out."""

    def __init__(self, factory: MockFactory, pins: ChainPins) -> None:
        super().__init__(CLOCK, MOSI, MISO, SELECT, clock_polarity=True, clock_phase=False, pin_factory=factory)
        self.magnets: set[Cell] = set()
        self.pins = pins
        chain = self

        class LoadPin(MockPin):  # type: ignore[misc]  # its base has no types
            def _set_state(self, value: float) -> None:
                super()._set_state(value)
                if not value:
                    chain.load()

        factory.pin(pins.load, pin_class=LoadPin)

    def load(self) -> None:
        cells = range(self.pins.chips * 8)
        self.latch = [self.pins.magnet if Cell(cell) in self.magnets else 1 - self.pins.magnet for cell in cells]

    def on_start(self) -> None:
        super().on_start()
        self.tx_buf = list(self.latch)


@pytest.mark.parametrize("magnet", [0, 1])
def test_every_occupancy_is_shifted_out_as_it_is(magnet: int, monkeypatch: pytest.MonkeyPatch) -> None:
    factory, pins, rng = MockFactory(), ChainPins(magnet=magnet), random.Random(2)
    chain = Chain(factory, pins)
    monkeypatch.setattr(Device, "pin_factory", factory)  # gpiozero's software SPI asks nobody else
    registers = ShiftRegisters(pins, factory=factory)
    for count in (0, 1, 40, 81):
        chain.magnets = {Cell(cell) for cell in rng.sample(range(81), count)}
        assert registers.scan() == chain.magnets
    registers.close()
    registers.close()


def test_a_pin_in_use_is_named() -> None:
    factory = MockFactory()
    taken = OutputDevice(25, pin_factory=factory)
    with pytest.raises(SensorsError, match=r"the shift registers cannot be opened: .*GPIO25"):
        ShiftRegisters(ChainPins(), factory=factory)
    taken.close()


def test_eleven_chips_carry_the_board() -> None:
    assert ChainPins().chips == 11
    with pytest.raises(PinsError):
        ChainPins(magnet=2)
