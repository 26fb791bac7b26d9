"""The times of news, as the game may take them: a device's clock is not to be trusted.

Pure. Owns nothing but the rule; which clock is right is `boardd.clock`'s.
"""

from dataclasses import replace

from boardd.clock import counted
from hardware.news import News

LATE_S = 0.04
"""How late a change is heard at the most if nothing holds it up: the chip's debouncing, its scan, the wire and our next
look take 36 ms together."""


def stamped(news: News, latest: float, looked: float, now: float) -> News:
    """Let time neither go back nor run ahead, whatever the clock of a device says.

    What was held up on its way does not get its own time: more may have been held up with it, and what falls due must
    not be decided before that is heard.

    Args:
        news: with the device's time (seconds).
        latest: when the last thing happened of which the game knows.
        looked: when news were asked for before.
        now: the time by our own clock.

    """
    return replace(news, t=max(latest, min(looked, now - LATE_S), min(counted(news.t), now)))
