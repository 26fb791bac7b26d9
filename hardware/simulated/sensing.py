"""The sensors of the simulated board: what they read while magnets come and go, and what of it arrives as news.

Owns the sensors' errors. Feels magnets, not pieces. What will be read is set down in order of time: for each change
of a magnet the edges it makes, and for each fault what happens next.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count
from random import Random

from hardware.errors import HandError
from hardware.news import Cell, Changed, Frame, News, Scan
from hardware.simulated.faults import Askew, Faults, Flap, Stuck
from hardware.simulated.wiring import Wiring

# What a sensor reads at a time that was set down before: a value, or what is true when the time comes.
_EMPTY, _OCCUPIED, _TRUTH, _WRONG = range(4)

_NEVER = float("inf")


class SimulatedSensors:
    """The sensors of a board of `size` by `size` places; they are `hardware.sensors.Sensors`.

    Args:
        size: places of one side.
        magnets: the places where magnets are; it is looked at, so its owner calls `run` before and `feel` after he
            changes it.
        rng: draws bounce, loss and the faults' times.
        faults: what is wrong, by places.
        wiring: which cell is under which place.

    """

    def __init__(self, size: int, magnets: Collection[Cell], rng: Random, faults: Faults, wiring: Wiring) -> None:
        if len(wiring.sensors) != size * size:
            raise ValueError(f"wiring: expected {size * size} cells, got {len(wiring.sensors)}")
        self.faults = faults
        self.wiring = wiring
        self._magnets = magnets
        self._rng = rng
        self._neighbours = [_neighbours(Cell(place), size) for place in range(size * size)]
        self._now = 0.0
        self._connected = True
        self._seq = 0
        self._leaning: dict[Cell, object] = {}  # those of them that will come straight by themselves: this very time
        self._ghosts: dict[Cell, Cell] = {}  # an empty place that is read occupied -> the piece that stands askew
        self._sensed = set(magnets) - faults.dead  # the places that sensors read occupied now
        self._frozen = set(faults.dead)  # the places whose sensors never change
        self._versions = [0] * (size * size)  # counts the changes of a place; what older ones set down no longer counts
        self._order = count()
        # time, order, place, reading, version: what a sensor will read
        self._readings: list[tuple[float, int, Cell, int, int]] = []
        # time, order, act: everything else that will happen
        self._plans: list[tuple[float, int, Callable[[float], None]]] = []
        self._news: list[News] = []
        self._plan_faults()

    @property
    def next_time(self) -> float | None:
        """When there may next be news if no magnet moves; None if the sensors stay silent."""
        if self._news:
            return self._news[0].t
        time = self._next()
        return None if time == _NEVER else time

    @property
    def connected(self) -> bool:
        """Whether news arrives; not while the board is unplugged."""
        return self._connected

    @property
    def trouble(self) -> str:
        """Why no news arrives; empty while it does."""
        return "" if self._connected else "the simulated board is unplugged"

    def news_until(self, t: float) -> list[News]:
        """Return the news up to and including `t` that were not returned before, oldest first."""
        if self._next() <= t:
            self.run(t)
        elif t > self._now:
            self._now = t
        if not self._news:
            return []
        news = self._news
        self._news = []
        return news

    def open(self) -> None:
        """Do nothing: there is no wire to take hold of."""

    def poll(self, now: float) -> list[News]:
        """Return the news up to `now`; see `news_until`."""
        return self.news_until(now)

    def read(self) -> Frame:
        """Return the cells that read occupied at the time of the last act or news."""
        sensors = self.wiring.sensors
        read = frozenset([sensors[place] for place in self._sensed])
        return frozenset(sensors) - read if self.wiring.inverted else read

    def close(self) -> None:
        """Do nothing."""

    @property
    def askew(self) -> Mapping[Cell, Cell]:
        """The empty places that a piece leans over, and the place that it stands on."""
        return self._ghosts

    def feel(self, t: float, place: Cell) -> None:
        """Set down what the sensors will read from `t` on, after a magnet came to a place or left it."""
        if self.faults.askew is not None:
            self._lean(t, place, self.faults.askew)
        version = self._versions[place] = self._versions[place] + 1
        occupied = self._true(place)
        heappush(self._readings, (t, next(self._order), place, occupied, version))
        bounce = self.faults.bounce
        if bounce is None:
            return
        draw = self._rng.random
        pairs = int(draw() * (bounce.pairs + 1))
        if pairs:
            reading = occupied
            for delay in sorted([draw() * bounce.within_s for _ in range(2 * pairs)]):
                reading = not reading
                heappush(self._readings, (t + delay, next(self._order), place, reading, version))
        if bounce.flicker and draw() < bounce.flicker:
            neighbour = self._rng.choice(self._neighbours[place])
            version = self._versions[neighbour]
            first, last = sorted((draw() * bounce.within_s, draw() * bounce.within_s))
            heappush(self._readings, (t + first, next(self._order), neighbour, _WRONG, version))
            heappush(self._readings, (t + last, next(self._order), neighbour, _TRUTH, version))

    def _true(self, place: Cell) -> bool:
        """Say whether a magnet is over a place, or leans over it from another."""
        return place in self._magnets or place in self._ghosts

    def _lean(self, t: float, place: Cell, askew: Askew) -> None:
        """Straighten what leant from a place whose magnet has left, or perhaps let the one that came lean."""
        self._straighten(t, place)
        if place not in self._magnets or self._rng.random() >= askew.chance:
            return
        free = [near for near in self._neighbours[place] if not self._true(near)]
        if not free:
            return
        ghost = self._rng.choice(free)
        self._ghosts[ghost] = place
        self._read(t, ghost)
        if self._rng.random() < askew.slips:
            magnet = self._leaning[ghost] = object()
            self._plan(t + askew.lasts.draw(self._rng), lambda later: self._slip(later, ghost, magnet))

    def _slip(self, t: float, ghost: Cell, magnet: object) -> None:
        """Let the piece that leant over a place come straight by itself, if it is still that piece."""
        if self._leaning.pop(ghost, None) is magnet and ghost in self._ghosts:
            self._straighten(t, self._ghosts[ghost])

    def _straighten(self, t: float, place: Cell) -> None:
        for ghost in [near for near, origin in self._ghosts.items() if origin == place]:
            del self._ghosts[ghost]
            self._leaning.pop(ghost, None)
            self._read(t, ghost)

    def _read(self, t: float, place: Cell) -> None:
        """Set down that a place is read as it is from `t` on."""
        version = self._versions[place] = self._versions[place] + 1
        heappush(self._readings, (t, next(self._order), place, _TRUTH, version))

    # Readings and plans become news.

    def _next(self) -> float:
        """Return the time of the next reading or plan."""
        time = self._readings[0][0] if self._readings else _NEVER
        if self._plans and self._plans[0][0] < time:
            return self._plans[0][0]
        return time

    def run(self, t: float) -> None:
        """Let everything happen that is due by `t`."""
        if t < self._now:
            raise HandError(f"expected a time of {self._now:.6f} s or later, got {t:.6f} s")
        readings = self._readings
        plans = self._plans
        while True:
            time = readings[0][0] if readings else _NEVER
            if plans and plans[0][0] < time:
                time = plans[0][0]
                if time > t:
                    break
                self._now = time
                heappop(plans)[2](time)
            elif time <= t:
                _, _, place, reading, version = heappop(readings)
                if version != self._versions[place]:
                    continue
                if reading == _TRUTH:
                    occupied = self._true(place)
                elif reading == _WRONG:
                    occupied = not self._true(place)
                else:
                    occupied = reading == _OCCUPIED
                self._sense(time, place, occupied)
            else:
                break
        self._now = t

    def _sense(self, t: float, place: Cell, occupied: bool) -> None:
        """Let a sensor read a value, and tell it if it is another than before."""
        sensed = self._sensed
        if (place in sensed) is occupied or place in self._frozen:
            return
        if occupied:
            sensed.add(place)
        else:
            sensed.remove(place)
        faults, draw = self.faults, self._rng.random
        seq = self._number() if faults.numbered else None  # also while nobody hears it
        if not self._connected:
            return
        if faults.loss is not None and draw() < faults.loss.chance:
            return
        news = Changed(t, (self.wiring.sensors[place],), occupied is not self.wiring.inverted, seq)
        self._news.append(news)
        if faults.repeats is not None and draw() < faults.repeats.chance:
            self._plan(t + faults.repeats.after.draw(self._rng), lambda later: self._repeat(later, news))

    def _repeat(self, t: float, news: Changed) -> None:
        """Tell a change again, as if it were new but for its number."""
        if self._connected:
            self._news.append(replace(news, t=t))

    def _number(self) -> int:
        self._seq += 1
        return self._seq

    def _scan(self, t: float) -> None:
        """Tell a whole reading."""
        self._news.append(Scan(t, self.read(), self._number() if self.faults.numbered else None))

    # Faults.

    def _plan(self, t: float, act: Callable[[float], None]) -> None:
        heappush(self._plans, (t, next(self._order), act))

    def _plan_faults(self) -> None:
        """Plan the first of everything that goes wrong by itself."""
        faults = self.faults
        if faults.loss is not None:
            self._plan_scans(faults.loss.scan_every_s)
        for stuck in faults.stuck:
            self._plan_stuck(stuck)
        for flap in faults.flaps:
            self._plan_flap(flap)
        if faults.unplug is not None:
            self._plan_unplug(faults.unplug.draw(self._rng))

    def _plan_scans(self, every_s: float) -> None:
        """Plan the whole readings, one after the other."""

        def scan(t: float) -> None:
            if self._connected:
                self._scan(t)
            self._plan(t + every_s, scan)

        self._plan(every_s, scan)

    def _plan_stuck(self, stuck: Stuck) -> None:
        """Plan that a sensor freezes."""
        self._plan(stuck.since_s, lambda _t: self._frozen.add(stuck.cell))

    def _plan_flap(self, flap: Flap) -> None:
        """Plan the spells of a cell that toggles by itself, one after the other."""
        spells = flap.spells.draw(self._rng)
        start, end = next(spells)

        def toggle(t: float) -> None:
            nonlocal start, end
            if t < end:
                self._sense(t, flap.cell, flap.cell not in self._sensed)
                self._plan(t + flap.between.draw(self._rng), toggle)
            else:
                self._sense(t, flap.cell, self._true(flap.cell))
                start, end = next(spells)
                self._plan(start, toggle)

        self._plan(start, toggle)

    def _plan_unplug(self, spells: Iterator[tuple[float, float]]) -> None:
        """Plan the spells without a connection, one after the other; a whole reading ends each."""
        start, end = next(spells)

        def pull(_t: float) -> None:
            self._connected = False
            self._plan(end, plug)

        def plug(t: float) -> None:
            nonlocal start, end
            self._connected = True
            self._scan(t)
            start, end = next(spells)
            self._plan(start, pull)

        self._plan(start, pull)


def _neighbours(place: Cell, size: int) -> tuple[Cell, ...]:
    """Return the places that share a side with a place."""
    rank, file = divmod(place, size)
    around = ((rank - 1, file), (rank, file - 1), (rank, file + 1), (rank + 1, file))
    return tuple(Cell(r * size + f) for r, f in around if 0 <= r < size and 0 <= f < size)
