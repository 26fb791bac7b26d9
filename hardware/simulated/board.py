"""The simulated board: pieces that stand on places, are held in hands or lie in a box, and sensors that feel them.

Owns the physical truth and the sensors' errors. A piece is a short text that is only shown, never interpreted: sensors
feel a magnet, not a kind. What hands intend and what a game makes of it is known elsewhere.

A hand acts at a time; the news of it lies in the future of that time, in order. A driver in virtual time asks
`next_time` and goes there; one in real time polls. Both get the same news.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from random import Random
from types import MappingProxyType

from hardware.errors import HandError
from hardware.news import Cell, Changed, Frame, News, Scan
from hardware.simulated.faults import FLAWLESS, Faults, Flap, Stuck
from hardware.simulated.lights import SimulatedLights
from hardware.simulated.wiring import Wiring, straight

# What a sensor reads at a time that was set down before: a value, or what is true when the time comes.
_EMPTY, _OCCUPIED, _TRUTH, _WRONG = range(4)

_NEVER = float("inf")


@dataclass(frozen=True, slots=True)
class Held:
    """A piece in a hand, and the place it was lifted from; None if it came out of the box."""

    piece: str
    origin: Cell | None


class SimulatedBoard:
    """A board of `size` by `size` places; its sensors are `hardware.sensors.Sensors`, its lights are `lights`.

    Args:
        size: places of one side.
        pieces: what stands where at time 0.
        rng: draws bounce, loss and the faults' times; the same seed and the same acts give the same news.
        faults: what is wrong with the sensors.
        boxed: the pieces that lie beside the board.
        wiring: which cell is under which place; straight if not given.
    """

    def __init__(
        self,
        size: int,
        pieces: Mapping[Cell, str],
        rng: Random,
        *,
        faults: Faults = FLAWLESS,
        boxed: Iterable[str] = (),
        wiring: Wiring | None = None,
    ) -> None:
        self.size = size
        self.faults = faults
        self.wiring = wiring or straight(size * size)
        if len(self.wiring.sensors) != size * size:
            raise ValueError(f"wiring: expected {size * size} cells, got {len(self.wiring.sensors)}")
        self.lights = SimulatedLights(self.wiring)
        self._rng = rng
        self._pieces = dict(pieces)
        self._boxed = list(boxed)
        self._held: list[Held] = []
        self._neighbours = [_neighbours(Cell(place), size) for place in range(size * size)]
        self._now = 0.0
        self._connected = True
        self._seq = 0
        self._sensed = set(pieces) - faults.dead  # the places that sensors read occupied now
        self._frozen = set(faults.dead)  # the places whose sensors never change
        self._versions = [0] * (size * size)  # counts the acts on a place; what older acts set down no longer counts
        self._order = count()
        # time, order, place, reading, version: what a sensor will read
        self._readings: list[tuple[float, int, Cell, int, int]] = []
        # time, order, act: everything else that will happen
        self._plans: list[tuple[float, int, Callable[[float], None]]] = []
        self._news: list[News] = []
        self._plan_faults()

    # The hands' side. Places are counted `rank * size + file`, however the board is wired.

    @property
    def pieces(self) -> Mapping[Cell, str]:
        """What stands where, as it stands now (a view)."""
        return MappingProxyType(self._pieces)

    @property
    def in_hand(self) -> tuple[Held, ...]:
        """The pieces in hands, the one taken last at the end."""
        return tuple(self._held)

    @property
    def boxed(self) -> tuple[str, ...]:
        """The pieces in the box, in the order they came there."""
        return tuple(self._boxed)

    def lift(self, t: float, place: Cell) -> str:
        """Take a piece off its place into the hand and return it.

        Raises:
            HandError: nothing stands there, or `t` is before the last act or the last news.
        """
        self._run(t)
        piece = self._pieces.pop(place, None)
        if piece is None:
            raise HandError(f"lift: expected a piece on {place}, got none")
        self._held.append(Held(piece, place))
        self._feel(t, place)
        return piece

    def drop(self, t: float, place: Cell, piece: str | None = None) -> str:
        """Put a piece from the hand down and return it.

        Args:
            t: when.
            place: an empty place.
            piece: which; of several alike the one taken last, and if not given the one taken last of all.

        Raises:
            HandError: no such piece is held, the place is occupied or not on the board, or `t` is before the last act
                or the last news.
        """
        self._run(t)
        if not 0 <= place < len(self._versions):
            raise HandError(f"drop: expected a place of 0 to {len(self._versions) - 1}, got {place}")
        if place in self._pieces:
            raise HandError(f"drop: expected {place} empty, got {self._pieces[place]} on it")
        piece = self._let_go("drop", piece)
        self._pieces[place] = piece
        self._feel(t, place)
        return piece

    def box(self, piece: str | None = None) -> str:
        """Lay a piece from the hand into the box and return it; which one, as for `drop`.

        Raises:
            HandError: no such piece is held.
        """
        piece = self._let_go("box", piece)
        self._boxed.append(piece)
        return piece

    def unbox(self, piece: str) -> str:
        """Take a piece out of the box into the hand and return it.

        Raises:
            HandError: no such piece lies there.
        """
        if piece not in self._boxed:
            raise HandError(f"unbox: expected one of {self._boxed}, got {piece!r}")
        self._boxed.remove(piece)
        self._held.append(Held(piece, None))
        return piece

    # The sensors' side. Cells are what the wires count.

    @property
    def next_time(self) -> float | None:
        """When the sensors may next have news if no hand acts; None if they stay silent."""
        if self._news:
            return self._news[0].t
        time = self._next()
        return None if time == _NEVER else time

    @property
    def connected(self) -> bool:
        """Whether news arrives; not while the board is unplugged."""
        return self._connected

    def news_until(self, t: float) -> list[News]:
        """Return the news up to and including `t` that were not returned before, oldest first."""
        if self._next() <= t:
            self._run(t)
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
        return self._frame()

    def close(self) -> None:
        """Do nothing."""

    # Acts become readings.

    def _let_go(self, verb: str, piece: str | None) -> str:
        """Take a piece out of the hand."""
        for index in range(len(self._held) - 1, -1, -1):
            if piece is None or self._held[index].piece == piece:
                return self._held.pop(index).piece
        wanted = "a piece" if piece is None else repr(piece)
        raise HandError(f"{verb}: expected {wanted} in the hand, got {[held.piece for held in self._held]}")

    def _feel(self, t: float, place: Cell) -> None:
        """Set down what the sensors will read after a piece came to a place or left it."""
        version = self._versions[place] = self._versions[place] + 1
        occupied = place in self._pieces
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

    # Readings and plans become news.

    def _next(self) -> float:
        """Return the time of the next reading or plan."""
        time = self._readings[0][0] if self._readings else _NEVER
        if self._plans and self._plans[0][0] < time:
            return self._plans[0][0]
        return time

    def _run(self, t: float) -> None:
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
                    occupied = place in self._pieces
                elif reading == _WRONG:
                    occupied = place not in self._pieces
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
        if not self._connected:
            return
        seq = None
        loss = self.faults.loss
        if loss is not None:
            seq = self._number()
            if self._rng.random() < loss.chance:
                return
        self._news.append(Changed(t, (self.wiring.sensors[place],), occupied is not self.wiring.inverted, seq))

    def _number(self) -> int:
        self._seq += 1
        return self._seq

    def _frame(self) -> Frame:
        """Return the whole reading."""
        sensors = self.wiring.sensors
        read = frozenset([sensors[place] for place in self._sensed])
        return frozenset(sensors) - read if self.wiring.inverted else read

    def _scan(self, t: float) -> None:
        """Tell a whole reading."""
        self._news.append(Scan(t, self._frame(), None if self.faults.loss is None else self._number()))

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
                self._sense(t, flap.cell, flap.cell in self._pieces)
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
