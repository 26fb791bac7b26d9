"""The order of what people read at the daemon's start: where the page is, then what is wrong. Touches the log."""

import contextlib
import logging
from collections.abc import Iterator
from logging.handlers import MemoryHandler

MOST = 1000
"""Lines that are kept; a start tells a handful."""
NEVER = logging.CRITICAL + 1


@contextlib.contextmanager
def logged_later() -> Iterator[None]:
    """Keep what is logged until the block has ended, however it does, and log it then."""
    root = logging.getLogger()
    handlers = root.handlers[:]
    keepers = [MemoryHandler(MOST, flushLevel=NEVER, target=handler) for handler in handlers]
    root.handlers[:] = keepers
    try:
        yield
    finally:
        root.handlers[:] = handlers
        for keeper in keepers:
            keeper.close()
