"""The keys of the computer opponent, with their defaults, units, bounds and reasons.

Must not know who uses a value.
"""

from typing import Annotated, Literal

from pydantic import Field

from boardd.settings_table import Table


class OpponentSettings(Table):
    """The computer that plays one side, and the engine that is asked for hints."""

    engine: str = ""
    """Who plays: `konakis` (the program's own engine), a command that speaks OTEP, or empty for two people."""
    side: Literal["attackers", "defenders"] = "defenders"
    """The side that the computer plays."""
    level: Annotated[int, Field(ge=1, le=10)] = 4
    """How strong the program's own engine plays; hints are as good as it can."""
    think_ms: Annotated[int, Field(ge=100, le=600_000)] = 10_000
    """How long it may think about a move; the levels of the program's own engine mostly need less."""
