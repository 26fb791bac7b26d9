"""How commands that hold a board end when they are told to: in order, so that lights go out and pins are let go.

Touches the process (signals). Must not know what a command holds; its own `finally` lets go of that.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGHUP)
"""To be ended, and a terminal that went away; Ctrl+C ends in order by itself."""

SIGNALLED = 128
"""Added to a signal's number it is the exit status that shells give for it."""


@contextmanager
def orderly_end() -> Iterator[None]:
    """Leave what is done within by SystemExit when a signal ends it; a second signal ends it at once.

    A signal that whoever started us ignores, as `nohup` does, stays ignored.
    """
    taken = [number for number in SIGNALS if signal.getsignal(number) is signal.SIG_DFL]

    def end(number: int, frame: FrameType | None) -> None:
        for other in taken:
            signal.signal(other, signal.SIG_DFL)
        raise SystemExit(SIGNALLED + number)

    for number in taken:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
