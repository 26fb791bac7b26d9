"""Tells which konakis this is, and in which form its engine runs. Loads nothing of it."""

import importlib.util
import os
from importlib.machinery import SOURCE_SUFFIXES, PathFinder
from importlib.metadata import PackageNotFoundError, version

DISTRIBUTION = "konakis"
"""The name under which the program is installed."""

UNINSTALLED = "0+source"
"""Told where no version is known."""


def program_version() -> str:
    """Give the installed version, or one that says that the program runs from its source without being installed."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return UNINSTALLED


PURE_VARIABLE = "KONAKIS_PURE"
"""As in `engine.forms`, which loading would load the engine."""


def engine_form() -> str:
    """Tell which form of the engine runs: `compiled` or `pure`."""
    package = importlib.util.find_spec("engine")
    places = package.submodule_search_locations if package else None
    core = PathFinder.find_spec("engine.position", places)
    origin = core.origin if core else None
    pure = origin is None or origin.endswith(tuple(SOURCE_SUFFIXES)) or os.environ.get(PURE_VARIABLE) == "1"
    return "pure" if pure else "compiled"
