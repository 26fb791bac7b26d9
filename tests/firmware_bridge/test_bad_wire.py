"""Bad wires under the whole conversation: what is lost is healed, and nothing is invented."""

from random import Random

import pytest

from firmware_bridge.bad_wire import Badness, BadPort, Wire
from firmware_bridge.news import CellsChanged, News, WholeReading
from firmware_bridge.virtual import Cable, VirtualBoard, VirtualClock

HEALED_S = 6.0
"""Long enough that several readings in a row would have to be lost."""

WIRES = {
    "good": Badness(),
    "5% lost": Badness(lost=0.05),
    "30% lost": Badness(lost=0.3),
    "doubled": Badness(doubled=0.5),
    "changed": Badness(changed=0.2),
    "shortened": Badness(shortened=0.2),
    "noise": Badness(noise=0.2),
    "late": Badness(delay_s=(0.0, 0.4)),
    "a byte at a time": Badness(single=True),
    "everything": Badness(0.05, 0.1, 0.05, 0.05, 0.1, (0.0, 0.1), single=True),
}


class Follower:
    """Follows news as a tracker does, and checks every one of them against what was really done."""

    def __init__(self) -> None:
        self.board: frozenset[int] | None = None
        self.seq = 0
        self.told: list[tuple[int, bool]] = []

    def follow(self, news: News) -> None:
        assert news.seq > self.seq
        gap = news.seq != self.seq + 1
        self.seq = news.seq
        if isinstance(news, WholeReading):
            self.board = news.occupied
            return
        assert isinstance(news, CellsChanged)
        if gap:
            self.board = None
        if self.board is not None:
            for cell in news.cells:
                assert (cell in self.board) != news.occupied, "a lift of what stood there, a drop where nothing was"
                self.told.append((cell, news.occupied))
            self.board = self.board.union(news.cells) if news.occupied else self.board.difference(news.cells)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", WIRES)
def test_what_stands_on_the_board_is_known_in_the_end(name: str, seed: int) -> None:
    rng = Random(seed)
    clock = VirtualClock(50.0)
    board = VirtualBoard(clock, rng=Random(seed))
    cable = Cable(board, clock, rng=Random(seed), to_board=WIRES[name], to_host=WIRES[name])
    board.place(rng.sample(range(81), 25))
    link = cable.link(seed=seed)
    link.open()
    follower = Follower()
    done: list[tuple[int, bool]] = []

    def run(seconds: float) -> None:
        for _ in range(round(seconds / 0.02)):
            for news in link.poll(clock.advance(0.02)):
                follower.follow(news)

    run(HEALED_S)
    for _ in range(6):
        for _ in range(5):
            cell = rng.randrange(81)
            occupied = cell not in board.occupied
            board.drop(cell) if occupied else board.lift(cell)
            done.append((cell, occupied))
            run(rng.uniform(0.03, 0.6))
        link.show([(rng.randrange(256), 0, 0)] * 81)
        shown = link._connector._picture
        run(HEALED_S)
        assert link.state.live
        assert follower.board == board.occupied
        assert board.picture == shown
    remaining = iter(done)
    assert all(change in remaining for change in follower.told), "told are some of the changes done, in their order"
    if name in ("good", "doubled", "late", "a byte at a time"):
        assert follower.told == done
    if name == "5% lost":
        assert len(follower.told) > 0.8 * len(done)


@pytest.mark.parametrize("name", WIRES)
def test_a_wire_is_the_same_every_time(name: str) -> None:
    def carry() -> list[bytes]:
        wire = Wire(Random(7), WIRES[name])
        out = []
        for second in range(50):
            wire.put(float(second), bytes([1 + second] * 9) + b"\0")
            out.append(wire.take(second + 0.2))
        return out

    assert carry() == carry()


def test_a_wire_keeps_the_order() -> None:
    wire = Wire(Random(1), Badness(delay_s=(0.0, 2.0)))
    for n in range(1, 100):
        wire.put(n / 10, bytes([n, 0]))
    assert wire.deadline is not None
    assert wire.take(0.0) == b""
    assert wire.take(1000.0) == b"".join(bytes([n, 0]) for n in range(1, 100))
    assert wire.deadline is None


def test_half_a_packet_waits_for_its_zero_and_is_lost_with_the_cable() -> None:
    wire = Wire(Random(1))
    wire.put(0.0, b"abc")
    assert wire.take(1.0) == b""
    wire.cut()
    wire.put(1.0, b"def\0")
    assert wire.take(1.0) == b"def\0"


class Loop:
    """A port that takes three bytes at a time."""

    name = "loop"
    deadline = None

    def __init__(self) -> None:
        self.written = b""
        self.closed = False

    def read(self) -> bytes:
        return b"in\0"

    def write(self, data: bytes) -> int:
        self.written += data[:3]
        return len(data[:3]) if len(self.written) < 9 else 0

    def wait(self, timeout_s: float, wake: int, *, writable: bool) -> None:
        assert writable

    def close(self) -> None:
        self.closed = True


def test_a_bad_port_wraps_a_real_one() -> None:
    real = Loop()
    clock = VirtualClock()
    port = BadPort(real, Wire(Random(1)), Wire(Random(1), Badness(delay_s=(1.0, 1.0))), clock)
    assert port.write(b"abcdefg\0hij\0") == 12
    assert real.written == b"abcdefg\0hij\0"[:9]
    port.wait(0.1, 0, writable=False)
    assert port.read() == b""
    assert port.deadline == 1.0
    clock.advance(1.0)
    assert port.read() == b"in\0"
    port.close()
    assert real.closed
