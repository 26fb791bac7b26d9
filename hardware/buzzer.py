"""A buzzer on a pin of a Raspberry Pi: short tunes, by name, note by note.

Opens a GPIO pin, through gpiozero, when `Buzzer.open` is called; importing this opens nothing. No thread: whoever owns
it calls `advance`, and a tune goes on as time does. gpiozero's TonalBuzzer plays A3 to A5, 220 to 880 Hz.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hardware.debounce import MS_PER_S
from hardware.errors import LightsError
from hardware.gpio import opening, pins_advice

Note = tuple[str, int]
"""A tone as gpiozero writes it, empty for silence, and how long, in milliseconds."""

TUNES: Mapping[str, tuple[Note, ...]] = {
    "raichi":             (("E5", 150),),
    "tuichi":             (("E5", 120), ("", 60), ("A5", 250)),
    "king-in-danger":     (("A4", 90), ("", 40), ("A4", 90), ("", 40), ("A4", 90)),
    "repetition-warning": (("E4", 200), ("", 80), ("E4", 200)),
    "illegal":            (("A3", 350),),
    "mismatch":           (("A3", 150), ("", 80), ("A3", 150)),
    "question":           (("C5", 120), ("E5", 120)),
    "game-over":          (("A4", 150), ("C#5", 150), ("E5", 150), ("A5", 400)),
}  # fmt: skip
"""A tune for each thing that players must hear: rising for the defenders' chances, low for what is wrong."""


class Buzzer:
    """One buzzer.

    Args:
        pin: its GPIO.
        factory: gpiozero's pin factory; its own choice if not given.

    """

    def __init__(self, pin: int, *, factory: Any = None) -> None:
        self._pin = pin
        self._factory = factory
        self._device: Any = None
        self._left: list[Note] = []
        self._until: float | None = None

    def open(self) -> None:
        """Take hold of the pin.

        Raises:
            LightsError: it cannot be had; says what to do.

        """
        if self._device is not None:
            return
        try:
            from gpiozero import TonalBuzzer  # type: ignore[import-untyped]  # it ships no types

            with opening():
                self._device = TonalBuzzer(self._pin, pin_factory=self._factory)
        except Exception as error:  # gpiozero and its four backends have no common base
            raise LightsError(f"the buzzer cannot be opened: {pins_advice(error)}") from error

    def play(self, t: float, word: str) -> None:
        """Begin the tune of a word, in place of any that still plays; a word without a tune is silent."""
        tune = TUNES.get(word)
        if tune is None or self._device is None:
            return
        self._left = list(tune)
        self._until = t
        self.advance(t)

    def advance(self, t: float) -> None:
        """Go on to the note of time `t`."""
        while self._until is not None and t >= self._until:
            if not self._left:
                self._sound("")
                self._until = None
                return
            tone, length_ms = self._left.pop(0)
            self._sound(tone)
            self._until += length_ms / MS_PER_S

    @property
    def deadline(self) -> float | None:
        """When `advance` has something to do; None while it is silent."""
        return self._until

    def close(self) -> None:
        """Be silent and let go of the pin. May be called again."""
        self._left, self._until = [], None
        if self._device is not None:
            self._device.close()
            self._device = None

    def _sound(self, tone: str) -> None:
        if not tone:
            self._device.stop()
            return
        from gpiozero.tones import Tone  # type: ignore[import-untyped]  # it ships no types

        self._device.play(Tone.from_note(tone))
