"""What starts the engine that the configuration names. Pure."""

from __future__ import annotations

import shlex
import sys

OWN_ENGINE = ("", "konakis")
"""As the configuration names the program's own engine; where nobody plays, it still gives hints."""


def engine_command(engine: str, level: int) -> list[str]:
    """Give what starts an engine.

    Args:
        engine: as the configuration names it; blanks part a command's arguments.
        level: how strong the program's own engine plays.

    """
    if engine in OWN_ENGINE:
        return [sys.executable, "-P", "-m", "boardd", "engine", "--level", str(level)]
    return shlex.split(engine)
