"""The firmware under the real MicroPython: what it reports, what it survives, how it starts anew."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_bridge.connector import Connector
from firmware_bridge.deploy import PICO_9X9
from firmware_bridge.link import Link
from firmware_bridge.messages import Capability, FaultCode
from firmware_bridge.modelled import ModelError, ModelledBoard
from firmware_bridge.news import WholeReading
from firmware_bridge.ports import SerialPort

PATIENCE_S = 15.0
RED = ((255, 0, 0),) * 81
BLACK = ((0, 0, 0),) * 81


@pytest.fixture
def link(board: ModelledBoard) -> Iterator[Link]:
    link = Link(Connector(board.finder(), SerialPort))
    link.open()
    link.reading(PATIENCE_S)
    yield link
    link.close()


def faults(link: Link) -> dict[FaultCode, int]:
    """Return the faults that stand, without lateness: this computer may be busy."""
    return {code: value for code, value in link.state.faults.items() if code is not FaultCode.LATE}


def until(reached: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not reached():
        assert time.monotonic() < end, what
        time.sleep(0.005)


def test_it_says_what_it_is(link: Link) -> None:
    hello = link.state.hello
    assert hello is not None
    assert (hello.protocol, hello.firmware, hello.size, hello.lights) == (1, "1.0.0", 9, 81)
    assert Capability(hello.capabilities) == Capability.LIGHTS | Capability.WATCHDOG | Capability.SUPPLY
    assert hello.reset == 0


def test_faults_come_and_go(board: ModelledBoard, link: Link) -> None:
    board.place({9, 11, 40})
    until(lambda: link.reading(PATIENCE_S).occupied == {9, 11, 40}, "three pieces")
    board.stick_row(1)
    until(lambda: faults(link) == {FaultCode.STUCK_ROW: 0b10}, "row 1")
    board.stick_row(1, stuck=False)
    board.short_column(7)
    until(lambda: faults(link) == {FaultCode.STUCK_COLUMN: 1 << 7}, "column 7")
    board.short_column(7, shorted=False)
    board.supply(4100)
    until(lambda: faults(link) == {FaultCode.SUPPLY_LOW: 4100}, "supply")
    board.supply(4900)
    until(lambda: faults(link) == {}, "all is well")
    assert link.reading(PATIENCE_S).occupied == {9, 11, 40}


def test_a_firmware_that_fails_starts_anew(board: ModelledBoard, link: Link) -> None:
    board.place({1, 2})
    board.crash()
    until(lambda: board.starts == 2, "a second start")
    until(lambda: link.state.live and link.statistics.connections == 2, "connected again")
    assert link.reading(PATIENCE_S).occupied == {1, 2}
    assert link.state.hello is not None
    assert link.state.hello.reset == 1


def test_a_firmware_that_hangs_is_started_anew_by_the_watchdog(micropython: str, tmp_path: Path) -> None:
    pins = replace(PICO_9X9, watchdog_ms=500)
    with ModelledBoard(tmp_path, pins=pins, interpreter=micropython) as board:
        link = Link(Connector(board.finder(), SerialPort))
        link.open()
        link.reading(PATIENCE_S)
        board.hang()
        until(lambda: board.starts == 2, "the watchdog")
        until(lambda: link.state.live and link.statistics.connections == 2, "connected again")
        assert link.state.hello is not None
        assert link.state.hello.reset == 1
        link.close()


def test_stepping_aside_lasts_until_the_power_goes(board: ModelledBoard, link: Link) -> None:
    assert link.leave()
    until(lambda: board.left and board.starts == 2 and board.path is None, "no firmware runs")
    board.plug()
    until(lambda: link.state.live and link.statistics.connections == 2, "it runs again")


def test_killed_hosts_leave_no_light_on(board: ModelledBoard, link: Link) -> None:
    """board-cases.md 28: the link says nothing any more, as if its process had been killed."""
    link.show(RED)
    assert board.wait_for(lambda: board.picture == RED)
    link._connector._session = None
    link._connector._retry_at = float("inf")
    assert board.wait_for(lambda: board.picture == BLACK)


def test_nothing_is_kept_for_a_host_that_does_not_read(board: ModelledBoard, link: Link) -> None:
    board.deafen()
    board.drop(5)
    time.sleep(0.3)
    board.lift(5)
    board.drop(6)
    time.sleep(0.3)
    board.deafen(deaf=False)
    seen: list[object] = []

    def healed() -> bool:
        seen.extend(link.poll(time.monotonic()))
        return isinstance(seen[-1], WholeReading) and seen[-1].occupied == {6} if seen else False

    until(healed, "the reading makes good")
    until(lambda: link.statistics.board is not None and link.statistics.board.unsent > 0, "counted by the board")
    assert link.state.live


def test_bounces_are_told(board: ModelledBoard, link: Link) -> None:
    for _ in range(10):
        board.drop(7)
        time.sleep(0.01)
        board.lift(7)
        time.sleep(0.01)
    until(lambda: link.bounces.get(7, 0) >= 8, f"edges of cell 7: {link.bounces}")
    assert set(link.bounces) == {7}


def test_a_board_of_eleven_lines_without_lights(micropython: str, tmp_path: Path) -> None:
    pins = replace(PICO_9X9, rows=tuple(range(11)), columns=tuple(range(11, 22)), lights_pin=None)
    with ModelledBoard(tmp_path, pins=pins, interpreter=micropython) as board:
        board.place({0, 60, 120})
        link = Link(Connector(board.finder(), SerialPort))
        link.open()
        assert link.reading(PATIENCE_S).occupied == {0, 60, 120}
        assert link.state.hello is not None
        assert link.state.hello.size == 11
        assert not link.state.hello.capabilities & Capability.LIGHTS
        link.close()


def test_without_micropython_the_model_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.modelled.find_micropython", lambda: None)
    with pytest.raises(ModelError, match="pip install"):
        ModelledBoard(tmp_path)
