"""Tells which konakis this is."""

from importlib.metadata import PackageNotFoundError, version

DISTRIBUTION = "konakis"
"""The name under which the program is installed."""


def program_version() -> str:
    """Give the installed version, or say that the program runs from its source without being installed."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "not installed"
