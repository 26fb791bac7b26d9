"""The link's thread and the real firmware, in real time: as little of it as shows that they hold together."""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from firmware_bridge.bad_wire import Badness, BadPort, Wire
from firmware_bridge.connector import Connection, Connector
from firmware_bridge.errors import BoardBusyError, BoardSilentError, LinkError, PortLostError
from firmware_bridge.link import Link
from firmware_bridge.modelled import BOOT_NOISE, ModelledBoard
from firmware_bridge.news import News, WholeReading
from firmware_bridge.ports import Finder, Port, SerialPort
from firmware_bridge.session import Wanted

PATIENCE_S = 15.0
START = frozenset({3, 4, 5, 13, 40})


class Listener:
    """Polls a link and follows its news."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.news: list[News] = []
        self.occupied: frozenset[int] | None = None

    def until(self, reached: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
        end = time.monotonic() + seconds
        while not reached():
            assert time.monotonic() < end, f"{self.link.state}, {self.news[-3:]}"
            for news in self.link.poll(time.monotonic()):
                assert not self.news or news.seq > self.news[-1].seq
                if isinstance(news, WholeReading):
                    self.occupied = news.occupied
                elif self.occupied is not None and news.seq == self.news[-1].seq + 1:
                    both = self.occupied.union(news.cells), self.occupied.difference(news.cells)
                    self.occupied = both[0] if news.occupied else both[1]
                self.news.append(news)
            threading.Event().wait(0.002)


@pytest.fixture
def listener(board: ModelledBoard) -> Iterator[Listener]:
    board.place(START)
    link = Link(Connector(board.finder(), SerialPort, wanted=Wanted(size=9)))
    link.open()
    yield Listener(link)
    link.close()


def test_a_reading_a_lift_and_a_picture(board: ModelledBoard, listener: Listener) -> None:
    link = listener.link
    assert link.reading(PATIENCE_S).occupied == START
    assert link.state.live
    assert link.state.hello is not None
    assert link.state.hello.board_id == board.identity
    listener.until(lambda: listener.occupied == START)
    board.lift(4)
    listener.until(lambda: listener.occupied == START - {4})
    board.drop(22)
    listener.until(lambda: listener.occupied == START - {4} | {22})
    picture = ((1, 2, 3), (255, 0, 0), *((0, 0, 0),) * 79)
    link.show(picture)
    assert board.wait_for(lambda: board.picture == picture)
    link.show([(0, 0, 0)] * 81)
    link.close()
    assert board.wait_for(lambda: set(board.picture) == {(0, 0, 0)})
    assert link.state.connection is Connection.CLOSED
    link.close()


def test_unplugged_within_a_move_and_plugged_in_under_another_name(board: ModelledBoard, listener: Listener) -> None:
    """board-cases.md 31, with the real firmware: found by its identity, a whole reading, nothing invented."""
    listener.until(lambda: listener.link.state.live and listener.occupied == START)
    name = board.path
    board.lift(4)
    board.unplug()
    listener.until(lambda: listener.link.state.connection is Connection.SEARCHING)
    board.drop(22)
    before = len(listener.news)
    assert board.plug()
    began = time.monotonic()
    listener.until(lambda: listener.link.state.live)
    assert time.monotonic() - began < 3.0
    assert name is not None
    listener.until(lambda: len(listener.news) > before)
    assert all(isinstance(news, WholeReading) for news in listener.news[before:])
    assert listener.occupied == START - {4} | {22}


def test_boot_noise_and_a_modem_managers_probe(board: ModelledBoard) -> None:
    assert board.path is not None
    prober = os.open(board.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    os.write(prober, b"AT\rAT\rATE1 E0\r\x03\x04" + b"\x7e" * 2000)
    threading.Event().wait(0.1)  # for an answer that must not come
    assert os.read(prober, 4096) == BOOT_NOISE
    with pytest.raises(BlockingIOError):
        os.read(prober, 1)
    link = Link(Connector(Finder(path=board.path), SerialPort))
    link.open()
    os.write(prober, b"AT+GCAP\r")
    assert link.reading(PATIENCE_S).occupied == frozenset()
    os.close(prober)
    link.close()


def test_a_flood_of_garbage_stops_nothing(board: ModelledBoard, listener: Listener) -> None:
    listener.until(lambda: listener.link.state.live)
    assert board.path is not None
    flood = os.open(board.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    rng = Random(5)
    for _ in range(20):
        with contextlib.suppress(BlockingIOError):
            os.write(flood, rng.randbytes(1000))
        listener.until(lambda: True)
    os.close(flood)
    board.lift(4)
    listener.until(lambda: listener.occupied is not None and 4 not in listener.occupied)


def test_a_lossy_wire_each_way(board: ModelledBoard) -> None:
    board.place(START)
    wires = Wire(Random(1), Badness(lost=0.05)), Wire(Random(2), Badness(lost=0.05, single=True))

    def open_port(path: str) -> Port:
        return BadPort(SerialPort(path), *wires, time.monotonic)

    link = Link(Connector(board.finder(), open_port))
    link.open()
    listener = Listener(link)
    rng = Random(3)
    for _ in range(30):
        cell = rng.randrange(81)
        board.lift(cell) if cell in board.occupied else board.drop(cell)
        listener.until(lambda: listener.occupied == board.occupied)
    assert sum(wire.lost for wire in wires) > 0
    link.close()


def test_a_second_link_is_refused(board: ModelledBoard, listener: Listener) -> None:
    """board-cases.md 34; with the id of another process in test_ports.py."""
    listener.until(lambda: listener.link.state.live)
    second = Link(Connector(board.finder(), SerialPort))
    with pytest.raises(BoardBusyError, match="only one program"):
        second.open()
    assert listener.link.reading(PATIENCE_S).occupied == START


def test_nothing_waits_while_no_board_is_there() -> None:
    link = Link(Connector(Finder(listed=list), SerialPort))
    link.open()
    link.open()
    began = time.monotonic()
    for _ in range(100):
        link.show([(0, 0, 0)] * 81)
        assert link.poll(time.monotonic()) == []
    assert time.monotonic() - began < 0.5
    assert "no board is plugged in" in link.state.why
    with pytest.raises(BoardSilentError, match="no board is plugged in"):
        link.reading(0.05)
    assert not link.leave()
    link.close()
    link.show([(0, 0, 0)] * 81)


class Stuck:
    """A port whose driver never takes another byte."""

    name = "stuck"
    deadline = None

    def __init__(self) -> None:
        self.closed = threading.Event()

    def read(self) -> bytes:
        return b""

    def write(self, data: bytes) -> int:
        return 0

    def wait(self, timeout_s: float, wake: int, *, writable: bool) -> None:
        self.closed.wait(min(timeout_s, 0.01))

    def close(self) -> None:
        self.closed.set()


def test_closing_does_not_wait_for_ever() -> None:
    port = Stuck()
    link = Link(Connector(lambda: "stuck", lambda path: port))
    link.open()
    began = time.monotonic()
    link.close()
    assert time.monotonic() - began < 1.5
    assert port.closed.is_set()


def test_a_mistake_in_the_thread_is_told_to_whoever_asks() -> None:
    def fail(path: str) -> Port:
        raise ZeroDivisionError

    def find() -> str:
        if threading.current_thread() is threading.main_thread():
            raise PortLostError("not yet")
        return "somewhere"

    link = Link(Connector(find, fail))
    link.open()
    end = time.monotonic() + PATIENCE_S
    while "ZeroDivisionError" not in link.state.why:
        assert time.monotonic() < end
        threading.Event().wait(0.01)
    with pytest.raises(LinkError, match="ZeroDivisionError"):
        link.poll(0.0)
    with pytest.raises(BoardSilentError, match="ZeroDivisionError"):
        link.reading(0.01)
    link.close()


def test_idle_costs_next_to_nothing(listener: Listener) -> None:
    """board-cases.md 36, the link's part of it: the thread alone."""
    listener.until(lambda: listener.link.state.live)
    began, used = time.monotonic(), time.process_time()
    threading.Event().wait(2.0)
    share = (time.process_time() - used) / (time.monotonic() - began)
    assert share < 0.02


def test_files_of_the_firmware_are_those_that_run(board: ModelledBoard, tmp_path: Path) -> None:
    assert (tmp_path / "main.py").read_bytes()
    assert sorted(path.name for path in (tmp_path / "konakis").iterdir() if path.suffix == ".py") == [
        "__init__.py",
        "hal.py",
        "pins.py",
        "run.py",
        "scanner.py",
        "station.py",
        "wire.py",
    ]
    assert board.starts == 1
