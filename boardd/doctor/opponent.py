"""The check of the engine that plays against people and gives hints: it is there, and greets as OTEP wants it.

Looks at the file system, and starts the engine by what the situation gives it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from boardd.computer.engine_command import HELLO_S, OWN_ENGINE, engine_command
from boardd.doctor.finding import Finding, fault, ok
from boardd.doctor.situation import Situation
from hardware.files import may_be_there

OWN_NAME = "the program's own engine"
NOBODY = ", which gives hints to two people,"


def opponent(it: Situation) -> Finding:
    """Tell whether the engine can be started and says hello."""
    chosen = it.settings.opponent
    expected = f"an engine that says hello in OTEP within {HELLO_S:g} s"
    own = chosen.engine in OWN_ENGINE
    try:
        command = engine_command(chosen.engine, chosen.level)
    except ValueError as error:
        return fault("opponent", f"{chosen.engine!r}: {error}", expected, "put [opponent] engine right")
    why = _cannot_run(command[0])
    if why is not None:
        advice = "[opponent] engine: the path of a program that may be run, or konakis for the program's own"
        return fault("opponent", f"{command[0]} {why}", expected, advice)
    why = it.greet(command)
    if why is not None:
        advice = (
            "install the program anew: its own engine should always start"
            if own
            else "run it by hand and enter nothing: its first line should be `hello`; until it does, the program's own "
            "engine takes its place"
        )
        return fault("opponent", f"{OWN_NAME if own else command[0]}: {why}", expected, advice)
    if not own:
        return ok("opponent", f"{command[0]} says hello", expected)
    use = f", level {chosen.level}," if chosen.engine else NOBODY
    return ok("opponent", f"{OWN_NAME}{use} says hello", expected)


def _cannot_run(program: str) -> str | None:
    """Tell why a program cannot be run, as far as its file tells."""
    if shutil.which(program) is not None:
        return None
    if os.sep not in program:
        return "is not on the PATH"
    path = Path(program)
    if not may_be_there(path):
        return "does not exist"
    return "is a directory" if os.path.isdir(path) else "may not be run by this user"
