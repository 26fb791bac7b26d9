"""What starts the engine that the configuration names, and how long to wait for one. Pure."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass

OWN_ENGINE = ("", "konakis")
"""As the configuration names the program's own engine; where nobody plays, it still gives hints."""

HELLO_S = 5.0
"""The protocol's: an engine that has not said hello by then is held to be broken."""

GRACE_S = 10.0
"""How long an engine may take beyond the time it was given: machines are busy, and clocks differ."""

LET_GO_S = 2.0
"""How long an engine may take to stop once its question is no longer asked."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for an engine, in seconds."""

    hello_s: float = HELLO_S
    grace_s: float = GRACE_S
    let_go_s: float = LET_GO_S


def engine_command(engine: str, level: int) -> list[str]:
    """Give what starts an engine.

    Args:
        engine: as the configuration names it; blanks part a command's arguments.
        level: how strong the program's own engine plays.

    """
    if engine in OWN_ENGINE:
        return [sys.executable, "-P", "-m", "boardd", "engine", "--level", str(level)]
    return shlex.split(engine)
