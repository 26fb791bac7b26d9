"""Watches the sensors' health while a game is played, and keeps what it learned: touches the disk (one small file).

Owns when the file is written and who is told. What counts as noise is `boardd.wiring.sensor_health`'s.
"""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from boardd.geometry import Geometry
from boardd.wiring.sensor_health import Noise, SensorHealth, describe, read_health, write_health
from engine import Square
from firmware_bridge import Bridge
from hardware.news import Cell, News

log = logging.getLogger(__name__)

WRITE_EVERY_S = 600.0
"""A power cut costs ten minutes of averages over weeks."""
CLOSE_S = 2.0
"""How long the end of the daemon waits for a disk that hangs."""
ASK_CHIP_EVERY_S = 1.0
"""The chip tells its counts with some of its heartbeats, once a second."""
CHIP_COUNTS = 1 << 16
"""Its counters go round here (docs/protocol.md)."""


class HealthWatch:
    """The watch over one board.

    Args:
        debounce_ms: as the game has it.
        geometry: which sensor lies under which square.
        link: to a microcontroller, which counts bounce itself; None elsewhere.
        raw: what the sensors read now.
        path: the file; None keeps nothing.

    """

    def __init__(
        self, debounce_ms: int, geometry: Geometry, link: Bridge | None, raw: frozenset[Square], path: Path | None
    ) -> None:
        self._geometry = geometry
        self._link = link
        self._path = path
        known = {} if path is None else read_health(path, geometry.size, log.warning)
        self.health = SensorHealth(debounce_ms, frozenset(Cell(square) for square in raw), known)
        self._ask_at = float("-inf")
        self._write_at: float | None = None
        self._written = dict(self.health.noise)
        self._writer: threading.Thread | None = None

    @property
    def worse(self) -> frozenset[Square]:
        """The squares that bounce ever more."""
        return self.health.worse

    def sensed(self, news: News) -> None:
        """Take raw news, by squares."""
        self._tell(self.health.sensed(news))

    def step(self, now: float) -> None:
        """Do what is due."""
        self._tell(self.health.advance(now))
        if self._link is not None and now >= self._ask_at:
            self._ask_at = now + ASK_CHIP_EVERY_S
            counts = {self._geometry.square_of(Cell(cell)): count for cell, count in self._link.bounces.items()}
            self.health.chip_edges(counts, CHIP_COUNTS)
        if self._write_at is None:
            self._write_at = now + WRITE_EVERY_S
        elif now >= self._write_at:
            self._write_at = now + WRITE_EVERY_S
            self._write()

    def close(self) -> None:
        """Write what was learned, as far as the disk takes it soon."""
        if self._writer is not None:
            self._writer.join(CLOSE_S)
        self._write()
        if self._writer is not None:
            self._writer.join(CLOSE_S)

    def _tell(self, squares: list[Square]) -> None:
        for square in squares:
            log.warning("%s", describe(square, self.health.noise[square], self._geometry.size))

    def _write(self) -> None:
        """Have the file written by a thread of its own: a disk may take a second, or never answer."""
        if self._path is None or self.health.noise == self._written:
            return
        if self._writer is not None and self._writer.is_alive():
            return
        arguments = (self._path, dict(self.health.noise))
        self._writer = threading.Thread(target=self._put, args=arguments, name="health", daemon=True)
        self._writer.start()

    def _put(self, path: Path, noise: dict[Square, Noise]) -> None:
        """Write the file: the thread. A disk that refuses is tried again; whoever stores games tells of it."""
        if write_health(path, noise, self._geometry.size):
            self._written = noise
