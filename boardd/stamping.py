"""The times of news, as the game may take them: a device's clock is not to be trusted, nor the way that news take.

Pure. Owns the two rules; which clock is right is `boardd.clock`'s.
"""

from dataclasses import replace

from boardd.clock import counted
from hardware.news import News

LATE_S = 0.04
"""How late a change is heard at the most if nothing holds it up: the chip's debouncing, its scan, the wire and our next
look take 36 ms together."""

OLDEST_S = 3.0
"""What is said to be older was not held up: a cable that is silent for so long is taken for unplugged, and a clock that
is so far off is wrong."""


def stamped(news: News, latest: float, looked: float, now: float) -> News:
    """Let time neither go back nor run ahead, whatever the clock of a device says.

    Args:
        news: with the device's time (seconds).
        latest: when the last thing happened of which the game knows.
        looked: when news were asked for before.
        now: the time by our own clock.

    """
    return replace(news, t=max(latest, min(looked, now - OLDEST_S), min(counted(news.t), now)))


def behind(news: News, now: float) -> float:
    """Give by how much time in the game stays behind our clock after news that were held up, in seconds.

    Such news bear their own time, so that their order and what lay between them are right. But more may have been held
    up with them: what falls due is not decided before as much time has passed after them as if they had just been made.
    """
    late = now - news.t
    return late if late > LATE_S else 0.0
