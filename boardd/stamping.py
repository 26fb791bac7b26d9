"""The times of news, as the game may take them: a device's clock is not to be trusted.

Pure. Owns nothing but the rule; which clock is right is `boardd.clock`'s.
"""

from dataclasses import replace

from boardd.clock import counted
from hardware.news import News


def stamped(news: News, latest: float, now: float) -> News:
    """Let time neither go back nor run ahead, whatever the clock of a device says.

    Args:
        news: with the device's time (seconds).
        latest: the last time that the game has heard of.
        now: the time by our own clock.

    """
    return replace(news, t=max(latest, min(counted(news.t), now)))
