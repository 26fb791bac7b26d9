"""What every table of the configuration shares, and the kinds of values that several have.

Owns how strict a table is. Knows no table.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class Table(BaseModel):
    """What every table of the file shares: frozen, exact types, no key that is not declared."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


TEXT_PATTERN = r"^[^\x00]*$"
"""Most texts end up as a file's name, and the system's names end at NUL."""

Text = Annotated[str, Field(pattern=TEXT_PATTERN)]
"""Any text that may name a file or a device."""

Milliseconds = Annotated[int, Field(ge=0, le=600_000)]
"""A time that a player or a sensor takes; ten minutes is far above any that makes sense."""

Pin = Annotated[int, Field(ge=0, le=27)]
"""A GPIO of the Pi, by its BCM number."""

NO_PIN = -1
"""Stands for a pin that is not used; TOML has no word for nothing."""

MAX_PIN = 28
"""The highest number that any pin has: a Pi's GPIO go up to 27, a Pico's to 28."""

PinOrNone = Annotated[int, Field(ge=NO_PIN, le=27)]
"""A GPIO of the Pi, or NO_PIN."""

Pins = Annotated[tuple[Annotated[int, Field(ge=0, le=MAX_PIN)], ...], Field(strict=False)]
"""Pins in order, as TOML and JSON lists give them; a Pico's go up to 28."""


def _no_truth(value: object) -> object:
    """Refuse `true` where a number is wanted: Python takes it for 1."""
    if isinstance(value, bool):
        raise ValueError("expected a number")
    return value


Counted = BeforeValidator(_no_truth)
"""Goes with a choice among numbers."""

Level = Annotated[Literal[0, 1], Counted]
"""The level of a pin."""
