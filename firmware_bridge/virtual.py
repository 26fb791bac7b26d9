"""A board that is only thought, in virtual time: the firmware's own code over a matrix in memory, and a cable to it.

The board's end is what runs on the chip, but for hal.py. So a test, or a simulation of games, exercises firmware,
protocol and link together, thousands of times faster than time passes, and the same every time.

    clock = VirtualClock()
    board = VirtualBoard(clock)
    cable = Cable(board, clock)
    link = cable.link()                 # a SteppedLink
    link.open()
    board.drop(4)
    news = link.poll(clock.advance(0.5))
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from firmware_bridge.bad_wire import GOOD, Badness, Wire
from firmware_bridge.connector import Connector
from firmware_bridge.errors import PortLostError
from firmware_bridge.firmware.run import Loop
from firmware_bridge.firmware.wire import LIGHTS, SUPPLY, TICKS
from firmware_bridge.link import SteppedLink
from firmware_bridge.ports import MICROPYTHON_PICO, Finder, ListedPort
from firmware_bridge.session import ANY_BOARD, Wanted
from firmware_bridge.tails import Rgb

SCAN_MS = 4
"""What a scan of nine rows takes on the chip, sensors' settling included, rounded up."""
MS_PER_S = 1000
SUPPLY_MV = 4800
SUPPLY_LOW_MV = 4300
DEBOUNCE_MS = 8


class VirtualClock:
    """Time that passes when it is told to, seconds."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def advance(self, seconds: float) -> float:
        """Let time pass, and return the time then."""
        self.now += seconds
        return self.now


class _Chip:
    """What hal.py is to the firmware: see firmware/shapes.py."""

    def __init__(self, board: VirtualBoard, boot: int, *, by_watchdog: bool) -> None:
        self.identity = board.identity
        self.boot = boot
        self.by_watchdog = by_watchdog
        self.lights = board.lights
        self.capabilities = SUPPLY | (LIGHTS if board.lights else 0)
        self.arrived = bytearray()
        self.sent = bytearray()
        self.ms = 0
        self._board = board
        self._selected = -1

    def now_ms(self) -> int:
        return self.ms & TICKS

    def now_us(self) -> int:
        return self.ms * MS_PER_S & TICKS

    def select(self, row: int) -> None:
        self._selected = row

    def columns(self) -> int:
        board = self._board
        found = board.shorted_columns
        if self._selected >= 0:
            found |= board.rows[self._selected]
        for row in board.stuck_rows:
            found |= board.rows[row]
        return found

    def release(self) -> None:
        self._selected = -1

    def read_into(self, buffer: bytearray) -> int:
        length = min(len(buffer), len(self.arrived))
        buffer[:length] = self.arrived[:length]
        del self.arrived[:length]
        return length

    def write(self, data: memoryview) -> bool:
        if self._board.deaf:
            return False
        self.sent += data
        return True

    def show(self, colours: bytearray) -> None:
        board = self._board
        board.picture = tuple((colours[at], colours[at + 1], colours[at + 2]) for at in range(0, len(colours), 3))
        board.pictures += 1

    def supply_mv(self) -> int:
        return self._board.supply_mv

    def feed(self) -> None:
        pass

    def tidy(self) -> int:
        return 0

    def leave(self) -> None:
        self._board.left = True


class VirtualBoard:
    """A board in memory: magnets on it, lights in it, the firmware running.

    Args:
        clock: virtual time.
        size: cells of a line.
        lights: how many lights hang on the chip.
        identity: what the chip is called.
        scan_ms: how long a scan takes; longer is faster to simulate.
        rng: draws the numbers of starts.

    """

    def __init__(
        self,
        clock: VirtualClock,
        *,
        size: int = 9,
        lights: int | None = None,
        identity: bytes = b"\xe6\x61\x41\x04\x03\x96\xb2\x2d",
        scan_ms: int = SCAN_MS,
        rng: Random | None = None,
    ) -> None:
        self.size = size
        self.lights = size * size if lights is None else lights
        self.identity = identity
        self.rows = [0] * size  # a bit for each cell that has a magnet
        self.stuck_rows: set[int] = set()
        self.shorted_columns = 0  # a bit for each
        self.supply_mv = SUPPLY_MV
        self.deaf = False  # the host does not read
        self.left = False  # the firmware was told to step aside
        self.picture: tuple[Rgb, ...] = ()
        self.pictures = 0
        self._clock = clock
        self._scan_ms = scan_ms
        self._rng = rng or Random(0)
        self._wires: tuple[Wire, Wire] | None = None
        self._powered = True
        self.start()

    def start(self, *, by_watchdog: bool = False) -> None:
        """Start the firmware, as the power or the watchdog does; whatever it knew is gone."""
        self._chip = _Chip(self, self._rng.getrandbits(32), by_watchdog=by_watchdog)
        self._started = self._clock.now
        self._scans = 0
        self._powered = True
        self._loop = Loop(self._chip, self.size, DEBOUNCE_MS, SUPPLY_LOW_MV)

    def stop(self) -> None:
        """Take its power."""
        self.run()
        self._powered = False
        self.picture = ((0, 0, 0),) * self.lights

    def connect(self, to_board: Wire, to_host: Wire) -> None:
        """Solder the wires on."""
        self._wires = to_board, to_host

    @property
    def occupied(self) -> frozenset[int]:
        """The cells that have a magnet."""
        return frozenset(cell for cell in range(self.size**2) if self.rows[cell // self.size] >> cell % self.size & 1)

    def place(self, cells: Iterable[int]) -> None:
        """Put magnets on these cells, and take all others off."""
        self.run()
        self.rows = [0] * self.size
        for cell in cells:
            self.rows[cell // self.size] |= 1 << cell % self.size

    def drop(self, *cells: int) -> None:
        """Put magnets on cells."""
        self.place(self.occupied.union(cells))

    def lift(self, *cells: int) -> None:
        """Take magnets off."""
        self.place(self.occupied.difference(cells))

    def run(self) -> None:
        """Let the firmware scan, hear and speak as often as it would have up to now."""
        while self._powered and not self.left:
            ms = (self._scans + 1) * self._scan_ms
            at = self._started + ms / MS_PER_S
            if at > self._clock.now:
                return
            self._scans += 1
            self._chip.ms = ms
            self._once(at)

    def _once(self, at: float) -> None:
        if self._wires is None:
            self._loop.once()
            return
        to_board, to_host = self._wires
        while data := to_board.take(at):
            self._chip.arrived += data
        self._loop.once()
        to_host.put(at, bytes(self._chip.sent))
        self._chip.sent.clear()


class Cable:
    """A USB cable between a virtual board and a host, which may be pulled, and whose wires may be bad.

    Args:
        board: the board.
        clock: virtual time, the board's.
        rng: for the wires.
        to_board: how bad the wire to the board is.
        to_host: how bad the wire from it is.
        path: how the system calls the port.

    """

    def __init__(
        self,
        board: VirtualBoard,
        clock: VirtualClock,
        *,
        rng: Random | None = None,
        to_board: Badness = GOOD,
        to_host: Badness = GOOD,
        path: str = "/dev/ttyACM0",
    ) -> None:
        rng = rng or Random(0)
        self.board = board
        self.clock = clock
        self.to_board = Wire(rng, to_board)
        self.to_host = Wire(rng, to_host)
        self.path: str | None = path
        self.plugged = 0  # counts, so that a port knows whether it is still the same
        board.connect(self.to_board, self.to_host)

    def unplug(self) -> None:
        """Pull the cable: the board loses its power."""
        self.board.stop()
        self.path = None
        self.plugged += 1
        self.to_board.cut()
        self.to_host.cut()

    def plug(self, path: str = "/dev/ttyACM0") -> None:
        """Plug the cable in: the board starts, and the system gives it a name."""
        self.unplug()
        self.board.start()
        self.path = path

    def listed(self) -> list[ListedPort]:
        """Return what the system lists."""
        vendor, product = MICROPYTHON_PICO
        return [] if self.path is None else [ListedPort(self.path, vendor, product, self.board.identity.hex())]

    def open_port(self, path: str) -> VirtualPort:
        """Open the port.

        Raises:
            PortLostError: there is none of that name.

        """
        if path != self.path:
            raise PortLostError(f"{path} cannot be opened: no such port")
        return VirtualPort(self, path)

    def link(self, *, wanted: Wanted = ANY_BOARD, seed: int = 0) -> SteppedLink:
        """Return a link through this cable, not yet open."""
        connector = Connector(Finder(listed=self.listed), self.open_port, wanted=wanted, rng=Random(seed))
        return SteppedLink(connector, clock=self.clock, sleep=self.sleep)

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.clock.advance(seconds)


class VirtualPort:
    """The host's end of a cable."""

    def __init__(self, cable: Cable, path: str) -> None:
        self.name = path
        self._cable = cable
        self._plugged = cable.plugged

    def read(self) -> bytes:
        """Return some of what has arrived."""
        self._check()
        self._cable.board.run()
        return self._cable.to_host.take(self._cable.clock())

    def write(self, data: bytes) -> int:
        """Write all of it."""
        self._check()
        self._cable.board.run()
        self._cable.to_board.put(self._cable.clock(), data)
        return len(data)

    @property
    def deadline(self) -> float | None:
        """When more arrives, as far as it is on its way."""
        return self._cable.to_host.deadline

    def wait(self, timeout_s: float, wake: int, *, writable: bool) -> None:
        """Let virtual time pass."""
        self._cable.clock.advance(timeout_s)

    def close(self) -> None:
        """Let go of the port."""

    def _check(self) -> None:
        if self._plugged != self._cable.plugged:
            raise PortLostError(f"{self.name} is gone: it was unplugged")
