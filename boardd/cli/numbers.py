"""The kinds of numbers that commands take, so that one that makes no sense is refused before anything is done."""

from __future__ import annotations

import math
from typing import Any

import click

SEED = click.IntRange(0, (1 << 64) - 1)
"""What chance begins with; a negative one would mean the same as its positive."""

A_DAY_S = 86_400
"""Nobody watches for longer."""


class Seconds(click.FloatRange):
    """A length of time, of which there is a least and a most.

    Args:
        least: seconds.
        most: seconds.

    """

    name = "seconds"

    def __init__(self, least: float, most: float) -> None:
        super().__init__(least, most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the number; refuse what is none, which compares with nothing."""
        seconds: float = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value} is not in the range {self.min:g}<=x<={self.max:g}.", param, ctx)
        return seconds
