"""What a check has found, as the contract tells it. Pure."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class State(enum.Enum):
    """How bad it is."""

    OK = "ok"
    WARNING = "warning"  # works, but not as well or as safely as it could
    FAULT = "fault"  # does not work, or does harm
    UNKNOWN = "unknown"  # could not be examined here


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check has found.

    Args:
        check: its name.
        state: how bad it is.
        found: what is there.
        expected: what ought to be.
        advice: what to do; empty where nothing is.

    """

    check: str
    state: State
    found: str
    expected: str = ""
    advice: str = ""

    def to_json(self) -> dict[str, str]:
        """Give the contract's line."""
        return {
            "check": self.check,
            "state": self.state.value,
            "found": self.found,
            "expected": self.expected,
            "advice": self.advice,
        }


def ok(check: str, found: str, expected: str = "") -> Finding:
    """Give a finding that needs nothing."""
    return Finding(check, State.OK, found, expected)


def warning(check: str, found: str, expected: str, advice: str) -> Finding:
    """Give a finding that could be better."""
    return Finding(check, State.WARNING, found, expected, advice)


def fault(check: str, found: str, expected: str, advice: str) -> Finding:
    """Give a finding that must be mended."""
    return Finding(check, State.FAULT, found, expected, advice)


def unknown(check: str, why: str, expected: str = "", advice: str = "") -> Finding:
    """Give a finding that could not be made."""
    return Finding(check, State.UNKNOWN, why, expected, advice)
