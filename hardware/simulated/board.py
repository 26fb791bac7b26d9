"""The simulated board: pieces that stand on places, are held in hands or lie in a box, and sensors that feel them.

Owns the physical truth; what sensors make of it is in sensing.py. A piece is a short text that is only shown, never
interpreted: sensors feel a magnet, not a kind. What hands intend and what a game makes of it is known elsewhere.

A hand acts at a time; the news of it lies in the future of that time, in order. A driver in virtual time asks
`next_time` and goes there; one in real time polls. Both get the same news.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from hardware.errors import HandError
from hardware.news import Cell, Frame, News
from hardware.simulated.faults import FLAWLESS, Faults
from hardware.simulated.lights import SimulatedLights
from hardware.simulated.sensing import SimulatedSensors
from hardware.simulated.wiring import Wiring, straight


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
        self.wiring = wiring or straight(size * size)
        self.lights = SimulatedLights(self.wiring)
        self._pieces = dict(pieces)
        self._boxed = list(boxed)
        self._held: list[Held] = []
        self.sensors = SimulatedSensors(size, self._pieces.keys(), rng, faults, self.wiring)

    # The hands' side. Places are counted `rank * size + file`, however the board is wired.

    @property
    def pieces(self) -> Mapping[Cell, str]:
        """What stands where, as it stands now (a view)."""
        return MappingProxyType(self._pieces)

    @property
    def askew(self) -> Mapping[Cell, Cell]:
        """The empty places that a piece leans over, and the place that it stands on."""
        return self.sensors.askew

    @property
    def in_hand(self) -> tuple[Held, ...]:
        """The pieces in hands, the one taken last at the end."""
        return tuple(self._held)

    @property
    def boxed(self) -> tuple[str, ...]:
        """The pieces in the box, in the order they came there."""
        return tuple(self._boxed)

    def lift(self, t: float, cell: Cell) -> str:
        """Take a piece off its place into the hand and return it.

        Raises:
            HandError: nothing stands there, or `t` is before the last act or the last news; so for every act.

        """
        piece = self._take("lift", t, cell)
        self._held.append(Held(piece, cell))
        self.sensors.feel(t, cell)
        return piece

    def drop(self, t: float, cell: Cell, piece: str | None = None) -> None:
        """Put a piece from the hand down on an empty place.

        Args:
            t: when.
            cell: where.
            piece: which; of several alike the one taken last, and if not given the one taken last of all.

        Raises:
            HandError: no such piece is held, or the place is not free.

        """
        self._need_free("drop", t, cell)
        self._pieces[cell] = self._let_go("drop", piece)
        self.sensors.feel(t, cell)

    def slide(self, t: float, origin: Cell, cell: Cell, overlap_s: float = 0.0) -> None:
        """Push a piece to an empty place; for `overlap_s` its magnet is read on both.

        Raises:
            HandError: nothing stands on `origin`, or the other place is not free.

        """
        self._need_free("slide", t, cell)
        self._pieces[cell] = self._take("slide", t, origin)
        self.sensors.feel(t, cell)
        self.sensors.feel(t + overlap_s, origin)

    def box(self, t: float, cell: Cell) -> None:
        """Take a piece off its place into the box.

        Raises:
            HandError: nothing stands there.

        """
        self._boxed.append(self._take("box", t, cell))
        self.sensors.feel(t, cell)

    def unbox(self, t: float, cell: Cell, piece: str) -> None:
        """Put a piece from the box on an empty place.

        Raises:
            HandError: no such piece lies in the box, or the place is not free.

        """
        self._need_free("unbox", t, cell)
        self._pieces[cell] = self._out_of_box("unbox", piece)
        self.sensors.feel(t, cell)

    def put_away(self, piece: str | None = None) -> str:
        """Lay a piece from the hand into the box and return it; which one, as for `drop`.

        Raises:
            HandError: no such piece is held.

        """
        piece = self._let_go("put away", piece)
        self._boxed.append(piece)
        return piece

    def take_out(self, piece: str) -> None:
        """Take a piece out of the box into the hand.

        Raises:
            HandError: no such piece lies there.

        """
        self._held.append(Held(self._out_of_box("take out", piece), None))

    # The sensors' side. Cells are what the wires count.

    @property
    def next_time(self) -> float | None:
        """When the sensors may next have news if no hand acts; None if they stay silent."""
        return self.sensors.next_time

    @property
    def connected(self) -> bool:
        """Whether news arrives; not while the board is unplugged."""
        return self.sensors.connected

    @property
    def trouble(self) -> str:
        """Why no news arrives; empty while it does."""
        return self.sensors.trouble

    def news_until(self, t: float) -> list[News]:
        """Return the news up to and including `t` that were not returned before, oldest first."""
        return self.sensors.news_until(t)

    def open(self) -> None:
        """Do nothing: there is no wire to take hold of."""

    def poll(self, now: float) -> list[News]:
        """Return the news up to `now`; see `news_until`."""
        return self.sensors.news_until(now)

    def read(self) -> Frame:
        """Return the cells that read occupied at the time of the last act or news."""
        return self.sensors.read()

    def close(self) -> None:
        """Do nothing."""

    # What the hands' acts have in common.

    def _take(self, verb: str, t: float, place: Cell) -> str:
        """Take a piece off its place, once everything that comes before has happened."""
        self.sensors.run(t)
        piece = self._pieces.pop(place, None)
        if piece is None:
            raise HandError(f"{verb}: expected a piece on {place}, got none")
        return piece

    def _need_free(self, verb: str, t: float, place: Cell) -> None:
        """Refuse a place where no piece can be put down, once everything that comes before has happened."""
        self.sensors.run(t)
        if not 0 <= place < self.size**2:
            raise HandError(f"{verb}: expected a place of 0 to {self.size**2 - 1}, got {place}")
        if place in self._pieces:
            raise HandError(f"{verb}: expected {place} empty, got {self._pieces[place]} on it")

    def _let_go(self, verb: str, piece: str | None) -> str:
        """Take a piece out of the hand."""
        for index in range(len(self._held) - 1, -1, -1):
            if piece is None or self._held[index].piece == piece:
                return self._held.pop(index).piece
        wanted = "a piece" if piece is None else repr(piece)
        raise HandError(f"{verb}: expected {wanted} in the hand, got {[held.piece for held in self._held]}")

    def _out_of_box(self, verb: str, piece: str) -> str:
        """Take a piece out of the box."""
        if piece not in self._boxed:
            raise HandError(f"{verb}: expected one of {self._boxed}, got {piece!r}")
        self._boxed.remove(piece)
        return piece
