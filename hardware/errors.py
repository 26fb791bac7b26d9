"""What can go wrong between the daemon and a board, one class for each thing a caller would treat differently.

::

    HardwareError
    ├── SensorsError    the sensors cannot be opened or read        (also OSError)
    ├── LightsError     the lights cannot be opened or written      (also OSError)
    ├── ThemeError      a theme file that cannot be used            (also ValueError)
    ├── BudgetError     a current budget that no picture can keep   (also ValueError)
    ├── PinsError       a pin table that cannot be wired            (also ValueError)
    └── HandError       a simulated hand asked for the impossible   (also ValueError)
"""

from __future__ import annotations

TEXT_MAX = 1_000
"""Characters of a message: whatever a file holds, what is told of it fits on a screen."""


def one_line(text: str, most: int = TEXT_MAX) -> str:
    """Show a text on one line: what a terminal would obey is spelled out, a long one loses its middle."""
    return _cut("".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in _cut(text, most)), most)


def _cut(text: str, most: int) -> str:
    half = most // 2
    return text if len(text) <= most else f"{text[:half]} … {text[-half:]}"


class HardwareError(Exception):
    """Anything this package raises on purpose."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(one_line(arg) if isinstance(arg, str) else arg for arg in args))


class SensorsError(HardwareError, OSError):
    """The sensors cannot be opened or read; the message says what to do."""


class LightsError(HardwareError, OSError):
    """The lights cannot be opened or written; the message says what to do."""


class ThemeError(HardwareError, ValueError):
    """A theme that cannot be used.

    Attributes:
        file: the file or name that was asked for.
        key: the dotted key at fault, empty when the whole file is.

    """

    def __init__(self, file: str, key: str, problem: str) -> None:
        super().__init__(f"{file}: {key}: {problem}" if key else f"{file}: {problem}")
        self.file = file
        self.key = key
        self.problem = problem


class BudgetError(HardwareError, ValueError):
    """A current budget below what the pixels draw when all are black."""


class PinsError(HardwareError, ValueError):
    """A pin table with a pin that does not exist, or that has two uses."""


class HandError(HardwareError, ValueError):
    """A simulated hand asked for what no hand can do, such as lifting from an empty cell."""
