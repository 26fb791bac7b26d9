"""The kinds of numbers that commands take, so that one that makes no sense is refused before anything is done.

What is refused is told as everywhere in the program: what was found, and what was expected.
"""

from __future__ import annotations

import math
from typing import Any

import click

A_DAY_S = 86_400.0
"""Nobody watches for longer."""

MOST = 1_000_000_000
"""Of anything that is counted; more would not end in a lifetime."""


class Whole(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions only
    """A whole number, of which there is a least and a most.

    Args:
        least: that is taken.
        most: that is taken.

    """

    name = "integer"

    def __init__(self, least: int, most: int = MOST) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the number."""
        try:
            number = int(value)
        except ValueError:
            number = self._least - 1
        if not self._least <= number <= self._most:
            self.fail(f"found {value}, expected a whole number from {self._least} to {self._most}", param, ctx)
        return number


class Seconds(click.ParamType):  # type: ignore[type-arg]
    """A length of time, of which there is a least and a most.

    Args:
        least: seconds.
        most: seconds.

    """

    name = "seconds"

    def __init__(self, least: float, most: float) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the number; what is none compares with nothing."""
        try:
            seconds = float(value)
        except ValueError:
            seconds = math.nan
        if not self._least <= seconds <= self._most:
            self.fail(f"found {value}, expected seconds from {self._least:g} to {self._most:g}", param, ctx)
        return seconds


SEED = Whole(0, (1 << 64) - 1)
"""What chance begins with; a negative one would mean the same as its positive."""
