import random

import pytest
from gpiozero import Device, OutputDevice  # type: ignore[import-untyped]  # it ships no types
from gpiozero.pins.mock import MockFactory  # type: ignore[import-untyped]  # it ships no types

from hardware.errors import PinsError, SensorsError
from hardware.news import Cell
from hardware.shift_register import ChainPins, ShiftRegisters
from tests.hardware.benches import Chain


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
