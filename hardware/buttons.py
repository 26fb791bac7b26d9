"""Push-buttons on pins of a Raspberry Pi: what was pressed, bounce taken out.

Opens GPIO pins, through gpiozero, when `Buttons.open` is called; importing this opens nothing. Buttons are polled, like
sensors: a press is told by the first `poll` after it held still. A button connects its pin to ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hardware.debounce import Debouncer
from hardware.errors import SensorsError
from hardware.gpio import opening, pins_advice
from hardware.news import Cell

BOUNCE_MS = 30
"""Cheap push-buttons bounce for up to 10 ms; a finger stays for 80 at least."""


class Buttons:
    """Some buttons.

    Args:
        pins: the pin of each button, by what it is for.
        factory: gpiozero's pin factory; its own choice if not given.

    """

    def __init__(self, pins: Mapping[str, int], *, factory: Any = None) -> None:
        self._pins = dict(pins)
        self._factory = factory
        self._words = tuple(pins)
        self._buttons: list[Any] = []
        self._debouncer = Debouncer(BOUNCE_MS, frozenset())
        self._raw: list[bool] = []

    def open(self) -> None:
        """Take hold of the pins. A button that is held already counts when it is pressed again.

        Raises:
            SensorsError: they cannot be had; says what to do.

        """
        if self._buttons:
            return
        try:
            from gpiozero import InputDevice  # type: ignore[import-untyped]  # it ships no types

            with opening():
                for pin in self._pins.values():
                    self._buttons.append(InputDevice(pin, pull_up=True, pin_factory=self._factory))
        except Exception as error:  # gpiozero and its four backends have no common base
            self.close()
            raise SensorsError(f"the buttons cannot be opened: {pins_advice(error)}") from error
        self._raw = [button.is_active for button in self._buttons]
        held = frozenset(Cell(index) for index, pressed in enumerate(self._raw) if pressed)
        self._debouncer = Debouncer(BOUNCE_MS, held)

    def poll(self, now: float) -> list[str]:
        """Return what was pressed since the last call, in order; never wait."""
        for index, button in enumerate(self._buttons):
            pressed = button.is_active
            if pressed is not self._raw[index]:
                self._raw[index] = pressed
                self._debouncer.feed(now, Cell(index), pressed)
        return [self._words[edge.cell] for edge in self._debouncer.advance(now) if edge.occupied]

    def close(self) -> None:
        """Let go of the pins. May be called again."""
        for button in self._buttons:
            button.close()
        self._buttons = []
