"""Finding, losing and finding again, in virtual time, with the firmware's own code at the other end."""

from random import Random

import pytest

from firmware_bridge.bad_wire import Badness
from firmware_bridge.connector import NEWS_A_POLL, NEWS_KEPT, Connection, Connector
from firmware_bridge.errors import BoardBusyError, BoardSilentError
from firmware_bridge.link import Bridge, SteppedLink
from firmware_bridge.messages import FaultCode
from firmware_bridge.news import CellsChanged, News, WholeReading
from firmware_bridge.ports import Port
from firmware_bridge.session import Wanted
from firmware_bridge.tails import Rgb
from firmware_bridge.virtual import Cable, VirtualBoard, VirtualClock

START = frozenset(range(0, 81, 4))
RED: Rgb = (255, 0, 0)


class Table:
    """A board on its cable, and what the link has told so far."""

    def __init__(self, *, badness: Badness | None = None, seed: int = 0, wanted: Wanted | None = None) -> None:
        self.clock = VirtualClock(1000.0)
        self.board = VirtualBoard(self.clock, rng=Random(seed))
        self.board.place(START)
        bad = badness or Badness()
        self.cable = Cable(self.board, self.clock, rng=Random(seed), to_board=bad, to_host=bad)
        self.link = self.cable.link(wanted=wanted or Wanted(size=9), seed=seed)
        self.news: list[News] = []
        self.occupied: frozenset[int] | None = None  # as the news tell it; None after a gap
        self.changes: list[tuple[int, bool]] = []
        self._seq = 0

    def run(self, seconds: float, step: float = 0.02) -> list[News]:
        """Let time pass, and follow the news as a tracker does."""
        fresh = []
        for _ in range(round(seconds / step)):
            for news in self.link.poll(self.clock.advance(step)):
                fresh.append(news)
                self._follow(news)
        self.news += fresh
        return fresh

    def _follow(self, news: News) -> None:
        assert news.seq > self._seq
        if isinstance(news, WholeReading):
            self.occupied = news.occupied
        elif news.seq != self._seq + 1:
            self.occupied = None
        elif self.occupied is not None:
            self.occupied = self.occupied.union(news.cells) if news.occupied else self.occupied.difference(news.cells)
        self._seq = news.seq

    def open(self) -> "Table":
        self.link.open()
        self.run(0.2)
        assert self.link.state.live
        return self


def test_a_board_that_is_there_is_live_within_a_tenth_of_a_second() -> None:
    table = Table()
    connections = [table.link.state.connection]
    table.link.open()
    connections.append(table.link.state.connection)
    assert connections == [Connection.CLOSED, Connection.GREETING]
    table.run(0.1)
    state = table.link.state
    assert state.live
    assert state.why == ""
    assert state.port == "/dev/ttyACM0"
    assert state.hello is not None
    assert state.hello.firmware == "1.0.0"
    assert table.occupied == START
    table.link.close()
    assert table.link.state.connection is Connection.CLOSED


def test_a_board_that_comes_later_is_waited_for() -> None:
    table = Table()
    table.cable.unplug()
    table.link.open()
    assert table.link.state.connection is Connection.SEARCHING
    assert "no board is plugged in" in table.link.state.why
    table.run(60.0)
    table.cable.plug("/dev/ttyACM3")
    table.run(1.8)
    assert table.link.state.live
    assert table.link.state.port == "/dev/ttyACM3"


@pytest.mark.parametrize("seed", range(10))
def test_unplugged_and_plugged_in_under_another_name(seed: int) -> None:
    """board-cases.md 31: within three seconds, a whole reading first, no move invented."""
    table = Table(seed=seed).open()
    rng = Random(seed)
    for name in range(1, 6):
        table.run(rng.uniform(0.1, 8.0))
        table.board.lift(4)
        table.run(rng.choice([0.0, 0.004, 0.012, 0.5]), step=0.002)
        table.cable.unplug()
        table.run(rng.uniform(0.5, 5.0))
        assert table.link.state.connection is Connection.SEARCHING
        table.board.drop(4, 5)
        before = len(table.news)
        table.cable.plug(f"/dev/ttyACM{name}")
        table.run(3.0)
        assert table.link.state.live
        assert table.link.state.port == f"/dev/ttyACM{name}"
        fresh = table.news[before:]
        assert all(isinstance(news, WholeReading) for news in fresh), "nobody has touched anything meanwhile"
        assert fresh[0].seq > table.news[before - 1].seq + 1, "a gap shows that something may have been missed"
        assert table.occupied == table.board.occupied
        table.board.lift(5)
        table.run(0.2)
    assert table.link.statistics.connections == 6


def test_the_board_starts_anew_without_leaving_the_bus() -> None:
    table = Table().open()
    table.board.start(by_watchdog=True)
    table.board.lift(0)
    before = len(table.news)
    table.run(1.5)
    assert table.link.state.live
    assert table.link.state.hello is not None
    assert table.link.state.hello.reset == 1
    assert all(isinstance(news, WholeReading) for news in table.news[before:])
    assert table.occupied == table.board.occupied


def test_a_silent_board_is_lost_and_found_again() -> None:
    table = Table().open()
    table.board.deaf = True
    table.run(3.2)
    assert table.link.state.connection in (Connection.SEARCHING, Connection.GREETING)
    table.run(10.0)
    table.board.deaf = False
    table.board.lift(0)
    table.run(3.2)
    assert table.link.state.live
    assert table.occupied == table.board.occupied


def test_the_right_board_among_others_and_none_of_them() -> None:
    table = Table(wanted=Wanted(size=11))
    table.link.open()
    table.run(5.0)
    assert table.link.state.connection in (Connection.SEARCHING, Connection.GREETING)
    whys = set()
    for _ in range(100):
        table.run(0.02)
        whys.add(table.link.state.why)
    assert any("expected a board of 11x11 cells" in why for why in whys)
    assert table.news == []


def test_a_lift_is_told_within_a_debounce_and_two_scans() -> None:
    table = Table().open()
    at = table.clock.now
    table.board.lift(4)
    fresh = table.run(0.3, step=0.002)
    assert isinstance(fresh[0], CellsChanged)
    assert fresh[0].cells == (4,)
    assert not fresh[0].occupied
    assert at <= fresh[0].t <= at + 0.02
    assert isinstance(fresh[1], WholeReading), "after the burst"
    assert fresh[1].t - at < 0.1


def test_a_lift_after_a_long_rest_is_timed_to_a_few_milliseconds() -> None:
    table = Table().open()
    table.run(30.0, step=0.003)
    at = table.clock.now
    table.board.lift(4)
    (news,) = table.run(0.03, step=0.03)
    assert at - 0.001 <= news.t <= at + 0.008, "one scan, and the rounding of the steps"


@pytest.mark.parametrize("step", [0.002, 0.004])
def test_news_bear_the_time_of_the_edge_however_often_they_are_asked_for(step: float) -> None:
    """Its packet comes 12 ms later: asking meanwhile must not make the change seem younger."""
    table = Table().open()
    table.run(30.0, step=0.003)  # until the board's clock is known well
    for _ in range(50):
        at = table.clock.now
        table.board.lift(8) if 8 in table.board.occupied else table.board.drop(8)
        (change,) = [news for news in table.run(0.1, step) if isinstance(news, CellsChanged)]
        assert at - 0.001 <= change.t <= at + 0.008
    times = [news.t for news in table.news]
    assert times == sorted(times)


def test_pictures_reach_the_lights_and_go_with_the_host() -> None:
    table = Table().open()
    table.link.show([RED] * 81)
    table.run(0.04)
    assert table.board.picture == (RED,) * 81
    shown = table.board.pictures
    table.run(10.0)
    assert 9 <= table.board.pictures - shown <= 11, "once a second, in case one was lost"
    for _ in range(200):
        table.clock.advance(0.02)
        table.board.run()
    assert set(table.board.picture) == {(0, 0, 0)}, "the host was silent for four seconds"
    table.run(0.1)
    assert table.board.picture == (RED,) * 81, "and is back"


def test_the_last_picture_gets_out_before_the_end() -> None:
    table = Table().open()
    table.link.show([RED] * 81)
    table.run(1.0)
    table.link.show([(0, 0, 0)] * 81)
    table.link.close()
    table.clock.advance(0.01)
    table.board.run()
    assert set(table.board.picture) == {(0, 0, 0)}


def test_a_picture_from_before_the_connection_is_shown_by_it() -> None:
    table = Table()
    table.link.show([RED] * 81)
    table.open()
    assert table.board.picture == (RED,) * 81
    table.cable.unplug()
    table.run(1.0)
    table.link.show([(1, 2, 3)] * 81)
    table.cable.plug()
    table.run(2.0)
    assert table.board.picture == ((1, 2, 3),) * 81


def test_a_link_can_be_opened_again_and_shows_no_old_picture() -> None:
    table = Table().open()
    table.link.show([RED] * 81)
    table.run(0.1)
    table.link.close()
    table.run(4.0)
    table.board.run()
    assert set(table.board.picture) == {(0, 0, 0)}
    assert table.link.state.connection is Connection.CLOSED
    last = table.news[-1].seq
    table.link.open()
    table.run(2.0)
    assert table.link.state.live
    assert set(table.board.picture) == {(0, 0, 0)}
    assert table.news[-1].seq > last
    table.link.close()
    table.link.close()


def test_a_matrix_that_lies_is_a_fault_and_no_news() -> None:
    """board-cases.md 15 on the wire's side: nothing is lifted, nothing dropped, and somebody is told."""
    table = Table().open()
    before = len(table.news)
    table.board.stuck_rows = {0}
    table.run(2.0)
    assert table.link.state.faults == {FaultCode.STUCK_ROW: 0b100010001}, "rows 0, 4 and 8 look alike"
    assert table.link.state.live
    assert len(table.news) == before
    table.board.stuck_rows = set()
    table.board.shorted_columns = 1 << 3
    table.run(1.0)
    assert table.link.state.faults == {FaultCode.STUCK_COLUMN: 8}
    table.board.shorted_columns = 0
    table.run(1.5)
    assert table.link.state.faults == {}
    assert all(isinstance(news, WholeReading) for news in table.news[before:])


def test_a_matrix_that_lies_from_the_start_is_said_to() -> None:
    table = Table()
    table.board.shorted_columns = 1
    table.link.open()
    table.run(1.0)
    assert table.link.state.connection is Connection.SYNCING
    assert "column 0 reads a magnet while no row is powered" in table.link.state.why
    assert table.link.state.hello is not None


def test_a_low_supply_is_reported_and_recovers_with_a_margin() -> None:
    table = Table().open()
    for mv, expected in ((4250, 4250), (4350, 4350), (4450, None)):
        table.board.supply_mv = mv
        table.run(1.1)
        assert table.link.state.faults.get(FaultCode.SUPPLY_LOW) == expected


def test_bounces_are_counted_by_cell() -> None:
    table = Table().open()
    for _ in range(6):
        table.board.lift(4)
        table.run(0.004, step=0.004)
        table.board.drop(4)
        table.run(0.004, step=0.004)
    table.run(1.2)
    assert table.link.bounces == {4: 12}


def test_a_reading_on_demand() -> None:
    table = Table().open()
    table.run(0.3)
    asked = table.clock.now
    table.board.lift(0)
    table.clock.advance(0.02)
    reading = table.link.reading()
    assert reading.occupied == START - {0}
    assert reading.t >= asked
    table.run(0.1)
    table.cable.unplug()
    with pytest.raises(BoardSilentError, match="no board is plugged in"):
        table.link.reading(0.5)


def test_leaving() -> None:
    table = Table()
    assert not table.link.leave()
    table.open()
    assert table.link.leave()
    table.run(0.1)
    assert table.board.left


def test_who_never_polls_fills_no_memory() -> None:
    table = Table().open()
    for _ in range(NEWS_KEPT + 100):
        table.clock.advance(0.0)
        table.link._connector._news.append(WholeReading(0.0, frozenset(), 1))
    assert len(table.link._connector._news) == NEWS_KEPT


def test_a_flood_is_taken_in_portions_that_leave_time_for_the_rest() -> None:
    table = Table().open()
    first = table.news[-1].seq + 1
    table.link._connector._news.extend(WholeReading(0.0, START, first + number) for number in range(1_000))
    told = [table.link.poll(table.clock.now) for _ in range(10)]
    assert [len(news) for news in told] == [NEWS_A_POLL] * 7 + [1_000 - 7 * NEWS_A_POLL, 0, 0]
    assert [news.seq for portion in told for news in portion] == list(range(first, first + 1_000))


def test_statistics_know_both_directions() -> None:
    table = Table(badness=Badness(lost=0.2), seed=3)
    table.link.open()
    table.run(60.0)
    statistics = table.link.statistics
    assert statistics.received.lost > 5
    assert statistics.board is not None
    assert statistics.board.missed > 5
    assert statistics.sent_packets > 60
    assert statistics.round_trips.count > 20


class Closet:
    """Opening ports that fail."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.tries: list[float] = []
        self.now = 0.0

    def open(self, path: str) -> Port:
        self.tries.append(self.now)
        raise self.error


def test_a_board_that_somebody_else_has_is_refused_at_once() -> None:
    closet = Closet(BoardBusyError("/dev/ttyACM0", 4711))
    link: Bridge = SteppedLink(Connector(lambda: "/dev/ttyACM0", closet.open))
    with pytest.raises(BoardBusyError, match="4711") as caught:
        link.open()
    assert caught.value.pid == 4711


def test_waiting_between_attempts_doubles_up_to_a_limit() -> None:
    closet = Closet(BoardBusyError("/dev/ttyACM0", None))
    connector = Connector(lambda: "/dev/ttyACM0", closet.open)
    for tick in range(1000):
        closet.now = tick / 100
        due = connector.step(closet.now)
        assert due > closet.now
    waits = [round(b - a, 1) for a, b in zip(closet.tries, closet.tries[1:], strict=False)]
    assert waits == [0.1, 0.2, 0.4, 0.8, 1.6, 1.6, 1.6, 1.6, 1.6]
    assert connector.state.connection is Connection.SEARCHING
    assert "another process" in connector.state.why
