"""What players hear: a tune for each announcement and for what the board wants of them.

Owns which event has which tune. Decides nothing and waits for nothing: a buzzer that is missing is silence.
"""

from __future__ import annotations

from boardd.events import Event, GameOver, Illegal, Mismatch, Moved, Question, Restored
from hardware.buzzer import Buzzer


class Sound:
    """The buzzer's part in the game.

    Args:
        buzzer: open; None is silence.

    """

    def __init__(self, buzzer: Buzzer | None) -> None:
        self._buzzer = buzzer

    def hear(self, event: Event) -> None:
        """Begin an event's tune."""
        word = tune_of(event)
        if self._buzzer is not None and word is not None:
            self._buzzer.play(event.t, word)

    def advance(self, t: float) -> None:
        """Go on with the tune that plays."""
        if self._buzzer is not None:
            self._buzzer.advance(t)


def tune_of(event: Event) -> str | None:
    """Name the tune of an event; None if it is silent."""
    match event:
        case Moved(ply=ply):
            return ply.announcements[0].value if ply.announcements else None
        case GameOver():
            return "game-over"
        case Illegal():
            return "illegal"
        case Restored():
            return None
        case Mismatch():
            return "mismatch"
        case Question():
            return "question"
    return None
