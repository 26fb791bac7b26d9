import logging
from pathlib import Path

import pytest
from gpiozero import OutputDevice  # type: ignore[import-untyped]  # it ships no types
from gpiozero.pins.mock import MockFactory, MockPWMPin  # type: ignore[import-untyped]  # it ships no types

from firmware_bridge.virtual import Cable, VirtualBoard, VirtualClock
from hardware.boards import Board, BoardWires, SerialWires, assemble, pin_uses
from hardware.errors import LightsError, PinsError, SensorsError
from hardware.lights import DarkLights
from hardware.machine import Machine
from hardware.matrix import MatrixPins, need_distinct
from hardware.microcontroller import LinkLights, LinkSensors
from hardware.mock_matrix import MockMatrix
from hardware.neopixels import NeoPixels, NeoPixelWires, Wire
from hardware.news import Scan
from hardware.polling import PolledSensors, SteppedSensors
from hardware.shift_register import ChainPins

MATRIX = BoardWires(9, MatrixPins())


def now() -> float:
    return 0.0


def lights_of(wires: BoardWires, machine: Machine | None = None) -> object:
    return assemble(wires, now, factory=MockFactory(), machine=machine).lights


def test_each_kind_of_wires_has_its_drivers() -> None:
    assert isinstance(assemble(MATRIX, now).sensors, PolledSensors)
    assert isinstance(assemble(MATRIX, now, stepped=True).sensors, SteppedSensors)
    assert isinstance(assemble(BoardWires(9, ChainPins()), now).sensors, PolledSensors)
    pico = assemble(BoardWires(9, SerialWires()), now)
    assert isinstance(pico.sensors, LinkSensors)
    assert isinstance(pico.lights, LinkLights)
    assert pico.link is not None
    assert isinstance(lights_of(BoardWires(9, SerialWires(), NeoPixelWires(Wire.SPI, 10))), NeoPixels)


def test_a_board_without_lights_says_why_it_is_dark() -> None:
    own = lights_of(MATRIX)
    assert isinstance(own, DarkLights)
    assert "choose [lights] wire" in own.reason
    none = lights_of(BoardWires(9, SerialWires(), own_lights=False))
    assert isinstance(none, DarkLights)
    assert "'none'" in none.reason


def test_nothing_is_opened_before_it_is_opened(tmp_path: Path) -> None:
    factory = MockFactory()
    wires = BoardWires(9, MatrixPins(), NeoPixelWires(Wire.PIO, 18), buttons={"hint": 14}, buzzer_pin=11)
    assemble(wires, now, factory=factory, machine=Machine(tmp_path))
    assert factory.pins == {}


def test_every_pin_of_a_board_is_listed_by_its_key() -> None:
    wires = BoardWires(9, MatrixPins(), NeoPixelWires(Wire.SPI, 10), buttons={"new-game": 14}, buzzer_pin=15)
    uses = pin_uses(wires)
    assert uses["[buttons] new_game_pin"] == (14,)
    assert uses["[buzzer] pin"] == (15,)
    assert 10 in uses["SPI 0 of the lights"]
    need_distinct(uses)
    with pytest.raises(PinsError, match=r"\[buzzer\] pin: GPIO4 is already used by \[matrix\] rows"):
        need_distinct(pin_uses(BoardWires(9, MatrixPins(), buzzer_pin=4)))


def test_a_board_plays_on_without_its_buttons_and_buzzer(caplog: pytest.LogCaptureFixture) -> None:
    factory = MockFactory(pin_class=MockPWMPin)
    taken = [OutputDevice(14, pin_factory=factory), OutputDevice(11, pin_factory=factory)]
    matrix = MockFactory()
    model = MockMatrix(matrix, MatrixPins())
    whole = assemble(MATRIX, now, factory=matrix, stepped=True, sleep=model.sleep)
    spare = assemble(BoardWires(9, MatrixPins(), buttons={"hint": 14}, buzzer_pin=11), now, factory=factory)
    board = Board(whole.sensors, whole.lights, spare.buttons, spare.buzzer)
    with caplog.at_level(logging.WARNING):
        board.open()
    assert len(caplog.records) == 2
    assert board.buttons is None
    assert board.buzzer is None
    assert board.sensors.poll(0.0) == [Scan(0.0, frozenset())]
    board.close()
    for device in taken:
        device.close()


class OnCable:
    """A Pico on a virtual cable."""

    def __init__(self, *, lights: int | None = None) -> None:
        self.clock = VirtualClock()
        self.chip = VirtualBoard(self.clock, lights=lights)
        self.cable = Cable(self.chip, self.clock)
        self.board = assemble(BoardWires(9, SerialWires()), self.clock, link=self.cable.link())


def test_a_pico_without_lights_leaves_the_board_dark() -> None:
    there = OnCable(lights=0)
    there.board.open()
    there.board.sensors.read()
    with pytest.raises(LightsError, match=r"has no lights: set \[microcontroller\] lights_pin"):
        there.board.lights.open()
    there.board.close()


def test_a_pico_that_is_not_there_is_no_reason_to_wait() -> None:
    there = OnCable()
    there.cable.unplug()
    there.board.open()
    before = there.clock()
    with pytest.raises(SensorsError, match="no board is plugged in"):
        there.board.sensors.read()
    assert there.clock() - before < 0.1
    assert not there.board.sensors.connected
    assert there.board.sensors.trouble == "no board is plugged in"
    there.board.close()


def test_a_picos_reading_is_known_at_once_when_it_was_told() -> None:
    there = OnCable()
    there.chip.drop(3, 40)
    there.board.open()
    assert there.board.sensors.read() == {3, 40}
    there.clock.advance(0.2)
    there.board.sensors.poll(there.clock())
    there.chip.lift(3)
    there.clock.advance(0.2)
    there.board.sensors.poll(there.clock())
    before = there.clock()
    assert there.board.sensors.read() == {40}
    assert there.clock() == before
    there.board.close()
