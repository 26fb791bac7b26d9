"""What a button, the page or a trace may ask of the board."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from boardd.settings import HintLevel


class Word(enum.Enum):
    """The contract's words for commands."""

    RESIGN = "resign"
    DRAW = "draw"
    TAKEBACK = "takeback"
    NEW_GAME = "new-game"
    HINT = "hint"
    CONFIRM = "confirm"
    CANCEL = "cancel"
    HINTS = "hints"


@dataclass(frozen=True, slots=True)
class Command:
    """One request; `level` belongs to `hints` alone."""

    word: Word
    level: HintLevel | None = None
