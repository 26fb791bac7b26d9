"""What goes wrong with a board, as data: its sensors, its wire, its clock, the disk, and hands that do not play.

Owns the faults' words and figures, and draws what of them is left to chance. `hardware.simulated.board` acts on those
of the sensors and `mishaps.py` on those of hands; power, clock and disk concern the daemon, so whoever drives it
follows their schedule.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from hardware.news import Cell, Frame


class Fault(enum.Enum):
    """The faults that can be asked for by name; the contract's words."""

    NONE = "none"
    BOUNCE = "bounce"
    LOST_EVENTS = "lost-events"
    DEAD_SENSOR = "dead-sensor"
    FLAPPING = "flapping"
    STUCK = "stuck"
    POWER_CUT = "power-cut"
    UNPLUG = "unplug"
    REPEATED_EVENTS = "repeated-events"
    DOUBLE_READ = "double-read"
    KNOCKED_OVER = "knocked-over"
    REARRANGED = "rearranged"
    CLOCK_JUMP = "clock-jump"
    SLOW_DISK = "slow-disk"
    FULL_DISK = "full-disk"
    READ_ONLY_DISK = "read-only-disk"


@dataclass(frozen=True, slots=True)
class Range:
    """A span of seconds from which a time is drawn evenly."""

    low_s: float
    high_s: float

    def draw(self, rng: Random) -> float:
        """Return a time within the span."""
        return self.low_s + (self.high_s - self.low_s) * rng.random()


@dataclass(frozen=True, slots=True)
class Bounce:
    """What a change of one cell does besides changing it once.

    Args:
        pairs: how many pairs of edges (away and back) follow the change at most; from 0 all are equally likely.
        within_s: all edges come so soon after the change.
        flicker: how often (0 to 1) a neighbour of the cell reads wrong for a moment within that time.

    """

    pairs: int
    within_s: float
    flicker: float = 0.0


@dataclass(frozen=True, slots=True)
class Loss:
    """Changes lost on the way, numbered so that the gap shows, and whole readings that heal them.

    Args:
        chance: how often (0 to 1) a change is lost.
        scan_every_s: the time between whole readings; they are never lost.

    """

    chance: float
    scan_every_s: float


@dataclass(frozen=True, slots=True)
class Repeats:
    """Changes that arrive a second time, numbered as the first time.

    Args:
        chance: how often (0 to 1) a change is repeated.
        after: how long after the first time.

    """

    chance: float
    after: Range


@dataclass(frozen=True, slots=True)
class Askew:
    """Pieces put down between two squares: the magnet is read on an empty neighbour too.

    Args:
        chance: how often (0 to 1) a piece is put down so.
        slips: how often (0 to 1) such a piece comes straight by itself; else it stays until somebody touches it.
        lasts: how long that takes.

    """

    chance: float
    slips: float
    lasts: Range


@dataclass(frozen=True, slots=True)
class Spells:
    """Times of trouble: after a gap something begins, and it lasts; then the next gap."""

    gap: Range
    lasts: Range

    def draw(self, rng: Random) -> Iterator[tuple[float, float]]:
        """Yield when each spell begins and ends, in order and without end, from time 0."""
        end = 0.0
        while True:
            start = end + self.gap.draw(rng)
            end = start + self.lasts.draw(rng)
            yield start, end


@dataclass(frozen=True, slots=True)
class Flap:
    """A cell that toggles by itself in spells, each toggle so long after the one before."""

    cell: Cell
    spells: Spells
    between: Range


@dataclass(frozen=True, slots=True)
class Stuck:
    """A cell that reads for ever what it read at `since_s`."""

    cell: Cell
    since_s: float


@dataclass(frozen=True, slots=True)
class Jumps:
    """A clock that is set to another time in spells, by so many seconds in either direction."""

    spells: Spells
    by: Range


@dataclass(frozen=True, slots=True)
class Disk:
    """How long a disk takes for one write, and when it is slow, full or read only."""

    write: Range
    slow: Spells | None = None
    slow_write: Range = Range(0, 0)
    full: Spells | None = None
    read_only: Spells | None = None


@dataclass(frozen=True, slots=True)
class Faults:
    """Everything that is wrong with one board, by places as a hand counts them; by default, nothing."""

    bounce: Bounce | None = None
    loss: Loss | None = None
    dead: Frame = frozenset()
    flaps: tuple[Flap, ...] = ()
    stuck: tuple[Stuck, ...] = ()
    unplug: Spells | None = None
    power_cut: Spells | None = None
    repeats: Repeats | None = None
    askew: Askew | None = None
    knocks: Spells | None = None
    rearranged: Spells | None = None
    jumps: Jumps | None = None
    disk: Disk | None = None
    """None where nothing tells a good disk from none: the power stays, or what is decided is stored at once."""

    @property
    def numbered(self) -> bool:
        """Whether news carries numbers, as a wire that loses or repeats it, or may be pulled out, makes necessary."""
        return any(fault is not None for fault in (self.loss, self.repeats, self.unplug))


FLAWLESS = Faults()

# The contract's figures, where it gives any.
USUAL_BOUNCE = Bounce(pairs=1, within_s=0.015)  # 1 or 3 edges: a change ends where it leads, so their number is odd
HARD_BOUNCE = Bounce(pairs=4, within_s=0.035, flicker=0.3)
LOSS = Loss(chance=0.05, scan_every_s=1.0)
UNPLUG = Spells(gap=Range(30, 120), lasts=Range(1, 5))
POWER_CUT = Spells(gap=Range(10, 60), lasts=Range(0.5, 3))  # a moment for the machine to start again
FLAP = Spells(gap=Range(10, 40), lasts=Range(1.5, 5))  # long enough to be found, short enough to be over
FLAP_BETWEEN = Range(0.01, 0.08)  # never quiet for the 0.1 s that would end the flapping
STUCK_SINCE = Range(5, 60)  # while a game is on

# Figures of ours.
REPEATS = Repeats(chance=0.05, after=Range(0, 2))
ASKEW = Askew(chance=0.05, slips=0.5, lasts=Range(0.05, 3))
KNOCKS = Spells(gap=Range(20, 90), lasts=Range(0.1, 0.5))  # one sweep of a sleeve
REARRANGED = Spells(gap=Range(40, 120), lasts=Range(1, 10))
JUMPS = Jumps(Spells(gap=Range(5, 30), lasts=Range(1, 20)), by=Range(0.05, 3600))  # from a skew to a wrong hour
WRITE = Range(0.002, 0.05)  # an SD card that is well
SLOW_WRITE = Range(0.5, 8)  # one that tidies up inside itself
TROUBLED = Spells(gap=Range(5, 60), lasts=Range(5, 60))  # a disk as likely ill as well when the power goes


_OF_THE_DISK = (Fault.SLOW_DISK, Fault.FULL_DISK, Fault.READ_ONLY_DISK)


def faults_named(
    names: Iterable[Fault], cells: int, rng: Random, *, dead: Frame | None = None, flapping: Cell | None = None
) -> Faults:
    """Return the faults of one board, with what is left to chance drawn.

    Args:
        names: the faults; without `NONE` the usual bounce is there.
        cells: how many cells the board has.
        rng: draws the cells that are not named, and when a cell gets stuck.
        dead: the dead cells, if they are known.
        flapping: the flapping cell, if it is known.

    """
    wanted = set(names)
    bounce = None if Fault.NONE in wanted else USUAL_BOUNCE
    if Fault.BOUNCE in wanted:
        bounce = HARD_BOUNCE

    def any_cell() -> Cell:
        return Cell(rng.randrange(cells))

    if Fault.DEAD_SENSOR not in wanted:
        dead = frozenset()
    elif dead is None:
        dead = frozenset({any_cell()})
    flaps: tuple[Flap, ...] = ()
    if Fault.FLAPPING in wanted:
        flaps = (Flap(any_cell() if flapping is None else flapping, FLAP, FLAP_BETWEEN),)
    stuck: tuple[Stuck, ...] = ()
    if Fault.STUCK in wanted:
        stuck = (Stuck(any_cell(), STUCK_SINCE.draw(rng)),)
    spells = {fault: TROUBLED if fault in wanted else None for fault in _OF_THE_DISK}
    disk = Disk(WRITE, spells[Fault.SLOW_DISK], SLOW_WRITE, spells[Fault.FULL_DISK], spells[Fault.READ_ONLY_DISK])
    return Faults(
        bounce=bounce,
        loss=LOSS if Fault.LOST_EVENTS in wanted else None,
        dead=dead,
        flaps=flaps,
        stuck=stuck,
        unplug=UNPLUG if Fault.UNPLUG in wanted else None,
        power_cut=POWER_CUT if Fault.POWER_CUT in wanted else None,
        repeats=REPEATS if Fault.REPEATED_EVENTS in wanted else None,
        askew=ASKEW if Fault.DOUBLE_READ in wanted else None,
        knocks=KNOCKS if Fault.KNOCKED_OVER in wanted else None,
        rearranged=REARRANGED if Fault.REARRANGED in wanted else None,
        jumps=JUMPS if Fault.CLOCK_JUMP in wanted else None,
        disk=disk if wanted & {Fault.POWER_CUT, *_OF_THE_DISK} else None,
    )
