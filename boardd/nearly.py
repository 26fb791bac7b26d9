"""When two times are the same: sums of decimal fractions differ by less. The one tolerance of the tracking. Pure."""

MS = 0.001
"""Seconds."""

CLOSE_S = 1e-6
"""Two times nearer than this are the same. A clock that counts from elsewhere gives the same play, so a replay does."""


def at_least(seconds: float, least: float) -> bool:
    """Whether a time is so long, or nearly."""
    return seconds >= least - CLOSE_S
