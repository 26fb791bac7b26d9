"""What can be wrong with an engine, in words for the page and the log. Pure."""

from __future__ import annotations

import enum

from boardd.errors import BoarddError


class Trouble(enum.Enum):
    """What is wrong with an engine."""

    START = "start"
    """It cannot be started, or did not say hello in time."""
    HUNG = "hung"
    """It did not answer in time."""
    CRASHED = "crashed"
    """It ended by itself."""
    NONSENSE = "nonsense"
    """It does not speak the protocol, or says that it cannot play these rules."""
    ILLEGAL = "illegal"
    """It chose moves that are none."""


class EngineFailedError(BoarddError, RuntimeError):
    """An engine is broken and was ended; the text says why."""

    def __init__(self, trouble: Trouble, why: str) -> None:
        super().__init__(why)
        self.trouble = trouble
