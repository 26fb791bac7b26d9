"""What every driver on the Pi's pins shares: quiet opening, and errors that say what to do.

gpiozero tries one backend after the other and warns of each that is not there; only the last word counts, which is an
error. Nothing here opens a pin.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

log = logging.getLogger(__name__)


@contextmanager
def opening() -> Iterator[None]:
    """Keep gpiozero's search for a backend quiet, and tell the one thing of it that a maker should know."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        yield
    if any(type(item.message).__name__ == "SPISoftwareFallback" for item in told):
        log.warning("SPI is driven bit by bit, which is slow: switch it on with dtparam=spi=on in config.txt")


def pins_advice(error: Exception) -> str:
    """Say on one line why pins cannot be had and what to do."""
    kind, text = type(error).__name__, " ".join(str(error).split())
    if kind == "BadPinFactory":
        return "no GPIO pins here: run it on a Raspberry Pi with konakis[pi4] or konakis[pi5] installed"
    if isinstance(error, ImportError):
        return f"{text}: install konakis[pi4] or, on a Raspberry Pi 5, konakis[pi5]"
    if isinstance(error, PermissionError) or "permission" in text.lower() or "can not open gpiochip" in text.lower():
        return "this user may not use the pins: add it to the group gpio, then log in again"
    if "busy" in text.lower() or kind == "GPIOPinInUse":
        return f"{text}: another program, or an overlay of config.txt, uses the pin"
    return f"{kind}: {text}"
