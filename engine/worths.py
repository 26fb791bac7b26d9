"""How the search counts: about a hundred to a soldier, from the side to move, and wins by their distance.

A game won n plies from where one counts is worth WON - n. Written for both forms.
"""

from typing import Final

from engine.native import i64

WON: Final = 100_000
"""The worth of a game won already."""
DECIDED: Final = 90_000
"""From here on a worth tells of a forced win, since no tree is so deep and no evaluation so high."""
ENDLESS: Final = 200_000
"""Beyond every worth."""


def from_here(worth: i64, ply: i64) -> i64:
    """Return a worth of the table, which counts from its own position, as counted from the root."""
    if worth >= DECIDED:
        return worth - ply
    return worth + ply if worth <= -DECIDED else worth


def from_there(worth: i64, ply: i64) -> i64:
    """Return a worth counted from the root as the table keeps it."""
    if worth >= DECIDED:
        return worth + ply
    return worth - ply if worth <= -DECIDED else worth
