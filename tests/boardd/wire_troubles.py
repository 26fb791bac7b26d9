"""What befalls a daemon on a microcontroller: a loop that stalls, a bad wire, a pulled cable, a chip that errs.

Owns the table of troubles and when they strike, in virtual time counted from the game's beginning. Knows the chip and
its cable, neither hands nor the daemon, which asks whether its loop stands still.
"""

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from firmware_bridge.bad_wire import GOOD, Badness
from firmware_bridge.virtual import Cable, VirtualBoard

MS_PER_S = 1000
BEHIND_MS = 5000
"""The chip's clock shows so much when it starts, so that it can be set back without passing zero."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """One row: what may go wrong, each with the seconds (or milliseconds) that are drawn from; empty means never."""

    stalls_s: tuple[float, ...] = ()
    """For so long the daemon's loop stands still."""
    held_up_s: tuple[float, ...] = ()
    """For so long, at the most, packets are on their way for a while."""
    unplugged_s: tuple[float, ...] = ()
    """For so long the cable is out."""
    restarts: bool = False
    """The chip's watchdog starts it again."""
    drifts: tuple[float, ...] = (0.0,)
    """By this share the chip's clock is fast."""
    jumps_ms: tuple[int, ...] = ()
    """By so much the chip's clock is set forth or back."""
    wire: Badness = GOOD
    """Both ways."""


STALL = Trouble(stalls_s=(0.03, 0.06, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 6.0))
HELD_UP = Trouble(held_up_s=(0.0, 0.0, 0.05, 0.1, 0.3, 0.6, 1.0, 2.0))
LOSSY = Trouble(wire=Badness(lost=0.05, doubled=0.05, changed=0.02, shortened=0.02, noise=0.02, delay_s=(0.0, 0.02)))
UNPLUGGED = Trouble(unplugged_s=(0.1, 0.5, 1.0, 2.0, 5.0))
RESTART = Trouble(restarts=True)
DRIFT = Trouble(drifts=(1e-4, -1e-4, 1e-3, -1e-3, 2e-2, -2e-2), jumps_ms=(5, 20, 60, 200, 1000, 10_000))

LOOP_AND_WIRE = replace(STALL, held_up_s=HELD_UP.held_up_s, wire=LOSSY.wire)
SHORT_S = (0.1, 0.5, 1.0)
"""While everything else goes wrong too the cable is out for less: two moves made unseen may look like two others."""

TROUBLES = {
    "nothing": Trouble(),
    "stall": STALL,
    "held up": HELD_UP,
    "lost and doubled": LOSSY,
    "unplugged": UNPLUGGED,
    "restart": RESTART,
    "drift": DRIFT,
    "loop and wire": LOOP_AND_WIRE,
    "all": replace(LOOP_AND_WIRE, unplugged_s=SHORT_S, restarts=True, drifts=DRIFT.drifts, jumps_ms=DRIFT.jumps_ms),
}


class ErringBoard(VirtualBoard):
    """A chip whose clock runs fast by a share, and is off by some milliseconds beside."""

    fast = 0.0
    off_ms = 0

    def _once(self, at: float) -> None:
        self._chip.ms = BEHIND_MS + self.off_ms + int(self._chip.ms * (1.0 + self.fast))
        super()._once(at)


class Striking:
    """Lets the troubles of one row strike.

    Args:
        trouble: the row.
        chip: the board's.
        cable: between it and the daemon.
        rng: draws what strikes when.

    """

    def __init__(self, trouble: Trouble, chip: ErringBoard, cable: Cable, rng: Random) -> None:
        self.stalled_until = 0.0
        self.plugged = True
        self._trouble, self._chip, self._cable, self._rng = trouble, chip, cable, rng
        self._count = itertools.count()
        self._due: list[tuple[float, int, Callable[[float], None]]] = []
        chip.fast = rng.choice(trouble.drifts)
        for wanted, first_s, act in (
            (trouble.stalls_s, (1, 20), self._stall),
            (trouble.held_up_s, (1, 10), self._hold_up),
            (trouble.unplugged_s, (5, 40), self._unplug),
            (trouble.restarts, (5, 40), self._restart),
            (trouble.jumps_ms, (3, 20), self._jump),
        ):
            if wanted:
                self._plan(0.0, first_s, act)

    def strike(self, t: float) -> None:
        """Let everything strike that is due up to `t`."""
        while self._due and self._due[0][0] <= t:
            heapq.heappop(self._due)[-1](t)

    def _plan(self, t: float, after_s: tuple[float, float], act: Callable[[float], None]) -> None:
        heapq.heappush(self._due, (t + self._rng.uniform(*after_s), next(self._count), act))

    def _stall(self, t: float) -> None:
        self.stalled_until = t + self._rng.choice(self._trouble.stalls_s)
        self._plan(self.stalled_until, (0.2, 20), self._stall)

    def _hold_up(self, t: float) -> None:
        longest = self._rng.choice(self._trouble.held_up_s)
        way = self._rng.choice((0.0, longest)), longest  # all by as much, or each by another time
        self._cable.to_host.badness = replace(self._trouble.wire, delay_s=way)
        self._plan(t, (0.3, 8), self._hold_up)

    def _unplug(self, t: float) -> None:
        self._cable.unplug()
        self.plugged = False
        out_s = self._rng.choice(self._trouble.unplugged_s)
        self._plan(t, (out_s, out_s), self._plug)

    def _plug(self, t: float) -> None:
        self._cable.plug(f"/dev/ttyACM{self._rng.randrange(9)}")
        self.plugged = True
        self._plan(t, (5, 60), self._unplug)

    def _restart(self, t: float) -> None:
        if self.plugged:
            self._chip.run()
            self._chip.start(by_watchdog=True)
        self._plan(t, (2, 40), self._restart)

    def _jump(self, t: float) -> None:
        by = self._rng.choice((-1, 1)) * self._rng.choice(self._trouble.jumps_ms)
        self._chip.off_ms = max(self._chip.off_ms + by, 1 - BEHIND_MS)
        self._plan(t, (1, 20), self._jump)
