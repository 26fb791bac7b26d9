"""Whole games over a bad wire: hands, the firmware's own code, the wire, the link, the tracker. board-cases.md 32."""

from collections.abc import Iterator
from itertools import count
from random import Random

import pytest

from boardd import simulated_game
from boardd.simulate import simulate
from firmware_bridge.bad_wire import Badness
from firmware_bridge.news import CellsChanged
from firmware_bridge.virtual import Cable, VirtualBoard, VirtualClock
from hardware.news import Cell, Changed, News, Scan
from hardware.simulated.board import SimulatedBoard

POLL_S = 0.02
"""The daemon asks its sensors fifty times a second."""
SCAN_MS = 8
"""Half as often as the chip scans: worse than it is, and twice as fast to simulate."""


def bridged(badness: Badness, cables: list[Cable]) -> type[SimulatedBoard]:
    """Return a simulated board whose raw changes move the magnets of a virtual one; its news come over the wire."""
    seeds: Iterator[int] = count(1)

    class Bridged(SimulatedBoard):
        def __init__(self, size: int, *arguments: object, **more: object) -> None:
            super().__init__(size, *arguments, **more)  # type: ignore[arg-type]  # whatever the simulation gives it
            seed = next(seeds)
            self._clock = VirtualClock()
            self._virtual = VirtualBoard(self._clock, size=size, scan_ms=SCAN_MS, rng=Random(seed))
            cable = Cable(self._virtual, self._clock, rng=Random(seed), to_board=badness, to_host=badness)
            cables.append(cable)
            self._virtual.place(super().read())
            self._link = cable.link(seed=seed)
            self._link.open()
            while not self._link.state.live:
                self._link.poll(self._clock.advance(POLL_S))
            self._began = self._clock.now
            self._polled = 0.0

        @property
        def next_time(self) -> float | None:
            raw = super().next_time
            polled = self._polled + POLL_S
            return polled if raw is None else min(raw, polled)

        def news_until(self, t: float) -> list[News]:
            for news in super().news_until(t):
                self._pass(news.t)
                if isinstance(news, Changed):
                    (self._virtual.drop if news.occupied else self._virtual.lift)(*news.cells)
            self._pass(t)
            if t < self._polled + POLL_S:
                return []
            self._polled = t
            told: list[News] = []
            for found in self._link.poll(self._clock.now):
                at = max(0.0, found.t - self._began)
                if isinstance(found, CellsChanged):
                    told.append(Changed(at, tuple(map(Cell, found.cells)), found.occupied, found.seq))
                else:
                    told.append(Scan(at, frozenset(map(Cell, found.occupied)), found.seq))
            return told

        def _pass(self, t: float) -> None:
            self._clock.now = max(self._clock.now, self._began + t)

    return Bridged


@pytest.mark.parametrize(
    ("name", "badness", "games"),
    [
        ("5% of packets lost both ways", Badness(lost=0.05), 20),
        ("everything", Badness(0.03, 0.05, 0.03, 0.03, 0.05, (0.0, 0.02), single=True), 5),
    ],
)
def test_games_over_a_bad_wire(name: str, badness: Badness, games: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cables: list[Cable] = []
    monkeypatch.setattr(simulated_game, "SimulatedBoard", bridged(badness, cables))
    report = simulate(games, seed=1, profile="mixed")
    assert (report.games, report.wrong, report.missed) == (games, 0, 0), report.failures
    assert report.plies > 15 * games
    assert sum(cable.to_host.lost + cable.to_board.lost for cable in cables) > 20 * games, f"{name}: it was bad"
