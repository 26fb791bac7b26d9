"""Tells which konakis this is."""

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
