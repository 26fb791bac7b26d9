import pytest
from gpiozero import OutputDevice  # type: ignore[import-untyped]  # it ships no types
from gpiozero.pins.mock import MockFactory, MockPWMPin  # type: ignore[import-untyped]  # it ships no types

from hardware.buttons import Buttons
from hardware.buzzer import TUNES, Buzzer
from hardware.errors import LightsError, SensorsError

PINS = {"takeback": 14, "new-game": 15, "hint": 8, "confirm": 7}


class Panel:
    """Four buttons on mock pins."""

    def __init__(self) -> None:
        self.factory = MockFactory()
        self.buttons = Buttons(PINS, factory=self.factory)

    def press(self, word: str) -> None:
        self.factory.pin(PINS[word]).drive_low()

    def release(self, word: str) -> None:
        self.factory.pin(PINS[word]).drive_high()


def test_each_button_tells_its_word_once() -> None:
    panel = Panel()
    panel.buttons.open()
    panel.buttons.open()
    t = 0.0
    for word in PINS:
        panel.press(word)
        assert panel.buttons.poll(t) == []
        assert panel.buttons.poll(t + 0.04) == [word]
        assert panel.buttons.poll(t + 1.0) == []
        panel.release(word)
        panel.buttons.poll(t + 2.0)
        assert panel.buttons.poll(t + 2.1) == []
        t += 3.0
    panel.buttons.close()
    panel.buttons.close()


def test_bounce_is_one_press_and_a_glitch_none() -> None:
    panel = Panel()
    panel.buttons.open()
    for step in range(8):
        (panel.press if step % 2 == 0 else panel.release)("hint")
        assert panel.buttons.poll(step * 0.002) == []
    assert panel.buttons.poll(0.2) == []
    told = []
    for step in range(9):
        (panel.press if step % 2 == 0 else panel.release)("hint")
        told += panel.buttons.poll(1.0 + step * 0.002)
    told += panel.buttons.poll(1.2)
    assert told == ["hint"]
    panel.buttons.close()


def test_a_button_that_is_held_when_the_power_comes_says_nothing() -> None:
    panel = Panel()
    panel.factory.pin(PINS["new-game"])
    panel.buttons.open()
    panel.buttons.close()
    panel.press("new-game")
    again = Buttons(PINS, factory=panel.factory)
    again.open()
    assert again.poll(0.0) == again.poll(1.0) == []
    again.close()


def test_a_pin_in_use_is_told() -> None:
    panel = Panel()
    taken = OutputDevice(8, pin_factory=panel.factory)
    with pytest.raises(SensorsError, match=r"the buttons cannot be opened: .*GPIO8"):
        panel.buttons.open()
    taken.close()
    panel.buttons.open()
    panel.buttons.close()


def test_a_tune_goes_on_as_time_does() -> None:
    factory = MockFactory(pin_class=MockPWMPin)
    buzzer = Buzzer(11, factory=factory)
    buzzer.play(0.0, "tuichi")  # not open: silent
    buzzer.open()
    buzzer.open()
    pin = factory.pin(11)
    buzzer.play(1.0, "tuichi")
    assert round(pin.frequency) == 659
    buzzer.advance(1.13)
    assert pin.frequency is None
    buzzer.advance(1.2)
    pin = factory.pin(11)
    assert round(pin.frequency) == 880
    assert buzzer.deadline == pytest.approx(1.43)
    buzzer.advance(2.0)
    assert pin.frequency is None
    assert buzzer.deadline is None
    buzzer.play(3.0, "no such word")
    assert buzzer.deadline is None
    buzzer.close()
    buzzer.close()


@pytest.mark.parametrize("word", TUNES)
def test_every_tune_can_be_played_and_ends(word: str) -> None:
    factory = MockFactory(pin_class=MockPWMPin)
    buzzer = Buzzer(11, factory=factory)
    buzzer.open()
    buzzer.play(0.0, word)
    steps = 0
    while buzzer.deadline is not None:
        buzzer.advance(buzzer.deadline)
        steps += 1
    assert steps == len(TUNES[word])
    assert buzzer.deadline is None
    assert sum(length for _, length in TUNES[word]) <= 1500
    buzzer.close()


def test_a_buzzer_without_its_pin_is_told() -> None:
    factory = MockFactory(pin_class=MockPWMPin)
    taken = OutputDevice(11, pin_factory=factory)
    with pytest.raises(LightsError, match=r"the buzzer cannot be opened: .*GPIO11"):
        Buzzer(11, factory=factory).open()
    taken.close()
