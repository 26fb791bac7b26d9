"""Whether what reads the sensors still turns, for a watchdog. Knows which sensors have a thread of their own."""

from __future__ import annotations

from firmware_bridge.link import Link
from hardware.inverted import InvertedSensors
from hardware.microcontroller import LinkSensors
from hardware.polling import PolledSensors
from hardware.sensors import Sensors


def turns(sensors: Sensors) -> int | None:
    """Count what the thread that reads the sensors has done so far, at least one more each second while it lives.

    None if there is no such thread: then whoever polls reads, and that he polls is all there is to know.
    """
    if isinstance(sensors, InvertedSensors):
        return turns(sensors.inner)
    if isinstance(sensors, PolledSensors):
        return sensors.punctuality.scans
    if isinstance(sensors, LinkSensors):
        return sensors.link.turns if isinstance(sensors.link, Link) else None
    return None
