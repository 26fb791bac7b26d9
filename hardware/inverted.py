"""Sensors that read occupied where nothing stands, put right.

Some hall switches pull their output down without a magnet, and a calibration may find it so. Owns the turning round and
nothing else.
"""

from __future__ import annotations

from hardware.news import Cell, Changed, Frame, News, Scan
from hardware.sensors import Sensors


class InvertedSensors:
    """Other sensors, each reading the opposite; they are `hardware.sensors.Sensors`.

    Args:
        sensors: what they really read.
        cells: how many there are.

    """

    def __init__(self, sensors: Sensors, cells: int) -> None:
        self._sensors = sensors
        self._all = frozenset(Cell(index) for index in range(cells))

    @property
    def inner(self) -> Sensors:
        """The sensors as they are."""
        return self._sensors

    @property
    def connected(self) -> bool:
        """Whether news come in."""
        return self._sensors.connected

    @property
    def trouble(self) -> str:
        """Why they do not, on one line."""
        return self._sensors.trouble

    def open(self) -> None:
        """Take hold of the wires."""
        self._sensors.open()

    def poll(self, now: float) -> list[News]:
        """Return the news up to `now`, turned round."""
        return [self._turned(news) for news in self._sensors.poll(now)]

    def read(self) -> Frame:
        """Take a whole reading, turned round."""
        return self._all - self._sensors.read()

    def close(self) -> None:
        """Let go of the wires."""
        self._sensors.close()

    def _turned(self, news: News) -> News:
        if isinstance(news, Changed):
            return Changed(news.t, news.cells, not news.occupied, news.seq)
        return Scan(news.t, self._all - news.occupied, news.seq)
