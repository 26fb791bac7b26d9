"""Bad wires: bytes that are lost, changed, doubled, late, or come one at a time. Seeded, in anybody's time. Pure.

A wire keeps the order of what it carries, as a serial line does. What is lost or doubled is a packet, a stretch up to a
zero: losing single bytes looks the same to a reader, only worse.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from firmware_bridge.ports import Port


@dataclass(frozen=True, slots=True)
class Badness:
    """How bad a wire is: chances from 0 to 1 for each packet, and seconds."""

    lost: float = 0.0
    doubled: float = 0.0
    changed: float = 0.0  # one bit of it
    shortened: float = 0.0  # it loses some bytes, perhaps its zero
    noise: float = 0.0  # some bytes come before it that nobody sent
    delay_s: tuple[float, float] = (0.0, 0.0)  # from, to
    single: bool = False  # no more than one byte is read at a time


GOOD = Badness()


class Wire:
    """One direction of a wire.

    Args:
        rng: decides what happens.
        badness: how often.

    """

    def __init__(self, rng: Random, badness: Badness = GOOD) -> None:
        self.badness = badness
        self.lost = 0  # packets that never arrived, or not as they were
        self._rng = rng
        self._frame = bytearray()
        self._travelling: deque[tuple[float, bytes]] = deque()
        self._last = float("-inf")

    def put(self, now: float, data: bytes) -> None:
        """Put bytes in at one end."""
        self._frame += data
        *frames, rest = bytes(self._frame).split(b"\0")
        self._frame = bytearray(rest)
        for frame in frames:
            self._carry(now, frame + b"\0")

    def take(self, now: float) -> bytes:
        """Take out at the other end some of what has arrived."""
        taken = bytearray()
        while self._travelling and self._travelling[0][0] <= now:
            at, data = self._travelling.popleft()
            if self.badness.single:
                if len(data) > 1:
                    self._travelling.appendleft((at, data[1:]))
                return data[:1]
            taken += data
        return bytes(taken)

    def cut(self) -> None:
        """Lose what is on its way."""
        self._frame.clear()
        self._travelling.clear()

    @property
    def deadline(self) -> float | None:
        """When the next bytes arrive."""
        return self._travelling[0][0] if self._travelling else None

    def _carry(self, now: float, frame: bytes) -> None:
        rng, bad = self._rng, self.badness
        if rng.random() < bad.noise:
            self._arrive(now, rng.randbytes(rng.randrange(1, 20)))
        if rng.random() < bad.lost:
            self.lost += 1
            return
        if rng.random() < bad.changed:
            self.lost += 1
            at = rng.randrange(len(frame))
            frame = frame[:at] + bytes([frame[at] ^ 1 << rng.randrange(8)]) + frame[at + 1 :]
        if rng.random() < bad.shortened:
            self.lost += 1
            at = rng.randrange(len(frame))
            frame = frame[:at] + frame[at + rng.randrange(1, 5) :]
        self._arrive(now, frame)
        if rng.random() < bad.doubled:
            self._arrive(now, frame)

    def _arrive(self, now: float, data: bytes) -> None:
        if data:
            self._last = max(self._last, now + self._rng.uniform(*self.badness.delay_s))
            self._travelling.append((self._last, data))


class BadPort:
    """A port with a bad wire on each side of it.

    Args:
        port: the real one.
        to_board: what is written goes through it.
        to_host: what is read comes through it.
        clock: seconds; for delays.

    """

    def __init__(self, port: Port, to_board: Wire, to_host: Wire, clock: Callable[[], float]) -> None:
        self.name = port.name
        self.to_board = to_board
        self.to_host = to_host
        self._port = port
        self._clock = clock
        self._unwritten = b""

    def read(self) -> bytes:
        """Return some of what has come through."""
        self._push()
        now = self._clock()
        self.to_host.put(now, self._port.read())
        return self.to_host.take(now)

    def write(self, data: bytes) -> int:
        """Take all of it, as far as the caller can see."""
        self.to_board.put(self._clock(), data)
        self._push()
        return len(data)

    @property
    def deadline(self) -> float | None:
        """When more comes through one of the wires."""
        to_board = None if self._unwritten else self.to_board.deadline  # while there is no room, time brings nothing
        return min(
            (due for due in (to_board, self.to_host.deadline, self._port.deadline) if due is not None), default=None
        )

    def wait(self, timeout_s: float, wake: int, *, writable: bool) -> None:
        """Wait as the real port does."""
        self._port.wait(timeout_s, wake, writable=writable or bool(self._unwritten))

    def close(self) -> None:
        """Let go of the port."""
        self._port.close()

    def _push(self) -> None:
        """Write what has come through to the real port, as far as there is room."""
        while True:
            self._unwritten = self._unwritten or self.to_board.take(self._clock())
            if not self._unwritten:
                return
            written = self._port.write(self._unwritten)
            if not written:
                return
            self._unwritten = self._unwritten[written:]
