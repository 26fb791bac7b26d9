"""One connection, the host's end: the table of session.py, row by row, in virtual time."""

from dataclasses import replace

import pytest

from firmware_bridge.codec import Heard, Receiver, Sender
from firmware_bridge.errors import BoardRefusedError, BoardSilentError
from firmware_bridge.messages import (
    Bounces,
    Dropped,
    Fault,
    FaultCode,
    Greet,
    Heartbeat,
    Hello,
    Leave,
    Lifted,
    Message,
    Picture,
    Ping,
    Pong,
    Read,
    Reading,
)
from firmware_bridge.news import CellsChanged, News, Numbering, WholeReading
from firmware_bridge.packets import Packet, encode_packet
from firmware_bridge.session import ANY_BOARD, Phase, Session, Wanted
from firmware_bridge.statistics import Statistics

TOKEN = 77
HELLO = Hello(TOKEN, 1, 1, 0, 0, 9, 81, 7, 8, 1234, 0, b"\xab\xcd")
NOWHERE = Reading(1, 1000, (False,) * 81)
BEAT = Heartbeat(2000, 1, 0, 100, 3300, 4, 5, 0, 0, 0, 1000)
BLACK = ((0, 0, 0),) * 81


class Talk:
    """A session, and a board that says what it is told to say."""

    def __init__(self, wanted: Wanted = ANY_BOARD, picture: tuple[tuple[int, int, int], ...] | None = None) -> None:
        self.now = 100.0
        self.numbering = Numbering()
        self.statistics = Statistics()
        self.session = Session(self.now, TOKEN, wanted, self.numbering, self.statistics, picture)
        self.board = Sender()
        self._ear = Receiver(host=False)

    def say(self, *messages: Message, after: float = 0.0) -> list[News]:
        """Let the board say something, and return the news that come of it."""
        self.now += after
        for message in messages:
            self.session.receive(self.now, self.board.send(message))
        self.session.advance(self.now)
        return self.session.drain()

    def lose(self, *messages: Message) -> None:
        for message in messages:
            self.board.send(message)

    def heard(self, after: float = 0.0) -> list[Message]:
        """Return what the session has said by then."""
        self.now += after
        self.session.advance(self.now)
        self.session.advance_picture(self.now)
        return [found.message for found in self._ear.feed(self.session.output()) if isinstance(found, Heard)]

    def live(self) -> "Talk":
        self.say(HELLO, NOWHERE)
        self.heard()
        return self

    def is_in(self, phase: Phase) -> bool:
        return self.session.phase is phase


def test_it_greets_after_a_zero_and_until_it_is_answered() -> None:
    talk = Talk()
    assert talk.session.output().startswith(b"\0")
    talk = Talk()
    assert talk.heard() == [Greet(TOKEN)]
    assert talk.heard(0.49) == []
    assert talk.heard(0.02) == [Greet(TOKEN)]
    assert talk.session.deadline(writing=False) == pytest.approx(talk.now + 0.5)
    talk.say(HELLO)
    assert talk.is_in(Phase.SYNCING)
    assert Greet(TOKEN) not in talk.heard(1.0)


@pytest.mark.parametrize(
    "message", [NOWHERE, Lifted(1, 1, (1,)), BEAT, Pong(TOKEN, 1), replace(HELLO, token=TOKEN - 1)]
)
def test_nothing_is_believed_before_our_hello(message: Message) -> None:
    talk = Talk()
    assert talk.say(message) == []
    assert talk.is_in(Phase.GREETING)
    assert talk.statistics.board is None


def test_whatever_stays_silent_for_three_seconds_is_no_board() -> None:
    talk = Talk()
    talk.heard(2.9)
    assert talk.is_in(Phase.GREETING)
    talk.heard(0.2)
    assert talk.is_in(Phase.LOST)
    assert isinstance(talk.session.why, BoardSilentError)
    assert "konakis firmware" in str(talk.session.why)
    assert talk.session.deadline(writing=False) < talk.now


def test_only_a_whole_reading_makes_it_live() -> None:
    talk = Talk()
    assert talk.say(HELLO, Lifted(7, 900, (1,)), Dropped(8, 950, (2,))) == []
    assert talk.is_in(Phase.SYNCING)
    (news,) = talk.say(Reading(9, 1000, (True,) + (False,) * 80))
    assert isinstance(news, WholeReading)
    assert news.occupied == {0}
    assert talk.is_in(Phase.LIVE)
    assert talk.statistics.connections == 1


def test_it_asks_for_the_reading_that_did_not_come() -> None:
    talk = Talk()
    talk.heard()
    talk.say(HELLO)
    talk.heard()
    assert Read() in talk.heard(0.31)
    assert Read() in talk.heard(0.31)


@pytest.mark.parametrize(
    ("wanted", "hello", "why"),
    [
        (Wanted(size=11), HELLO, "expected a board of 11x11 cells, abcd has 9x9"),
        (Wanted(board_id="0123"), HELLO, "expected the board 0123, got abcd"),
        (ANY_BOARD, replace(HELLO, protocol=2), "speaks protocol 2, this program 1"),
    ],
)
def test_another_board_is_refused(wanted: Wanted, hello: Hello, why: str) -> None:
    talk = Talk(wanted)
    talk.say(hello)
    assert talk.is_in(Phase.LOST)
    assert isinstance(talk.session.why, BoardRefusedError)
    assert why in str(talk.session.why)
    assert talk.say(NOWHERE) == []


def test_the_wanted_board_is_taken_whatever_the_case_of_its_name() -> None:
    talk = Talk(Wanted(board_id="ABCD", size=9))
    talk.say(HELLO)
    assert talk.is_in(Phase.SYNCING)


def test_a_board_of_another_protocol_is_told_apart_from_none() -> None:
    talk = Talk()
    talk.session.receive(talk.now, encode_packet(Packet(3, 0x81, 0, bytes(30))))
    talk.heard(3.1)
    assert isinstance(talk.session.why, BoardRefusedError)
    assert "version 3" in str(talk.session.why)


def test_news_keep_their_order_and_bear_times_of_our_clock() -> None:
    talk = Talk().live()
    (first,) = talk.say(Lifted(2, 1490, (4,)), after=0.5)
    (second,) = talk.say(Dropped(3, 1700, (5, 6)), after=0.2)
    assert first == CellsChanged(first.t, (4,), False, 3)
    assert second == CellsChanged(second.t, (5, 6), True, 4)
    assert [first.t, second.t] == pytest.approx([100.49, 100.70])


def test_a_delay_on_the_way_does_not_move_the_time() -> None:
    talk = Talk().live()
    talk.say(BEAT, after=1.0)
    (news,) = talk.say(Lifted(2, 2100, (4,)), after=0.9)
    assert news.t == pytest.approx(101.1)


def test_a_gap_shows_and_is_asked_about_until_it_is_healed() -> None:
    talk = Talk().live()
    talk.lose(Lifted(2, 1100, (1,)))
    (news,) = talk.say(Dropped(3, 1200, (2,)), after=0.2)
    assert news.seq == 4, "3 is missing"
    assert talk.heard() == [Read()]
    assert talk.heard(0.11) == [Read()]
    (news,) = talk.say(Reading(4, 1300, (False,) * 81), after=0.05)
    assert news.seq == 5
    assert Read() not in talk.heard(0.5)
    assert talk.statistics.gaps == 1


def test_a_reading_that_shows_the_gap_heals_it_at_once() -> None:
    talk = Talk().live()
    talk.lose(Lifted(2, 1100, (1,)))
    (news,) = talk.say(Reading(3, 1200, (False,) * 81))
    assert news.seq == 4
    assert Read() not in talk.heard(0.2)
    assert talk.statistics.gaps == 1


def test_a_heartbeat_tells_of_lost_news_that_nothing_followed() -> None:
    talk = Talk().live()
    talk.lose(Lifted(2, 1100, (1,)))
    assert talk.say(replace(BEAT, news=2)) == []
    assert talk.heard() == [Read()]


def test_old_news_change_nothing() -> None:
    talk = Talk().live()
    talk.say(Lifted(5, 1100, (1,)), Lifted(6, 1200, (2,)))
    assert talk.say(Lifted(5, 1100, (1,)), Lifted(6, 1200, (2,)), Reading(4, 1050, (False,) * 81)) == []
    assert talk.statistics.old_news == 3


def test_numbers_go_round_without_a_gap() -> None:
    talk = Talk()
    talk.say(HELLO, Reading(65534, 1000, (False,) * 81))
    seqs = [news.seq for n in (65535, 0, 1) for news in talk.say(Lifted(n, 1100, (1,)))]
    assert seqs == [3, 4, 5]
    assert talk.statistics.gaps == 0


def test_a_board_that_started_anew_begins_anew_and_leaves_a_gap() -> None:
    talk = Talk().live()
    (before,) = talk.say(Lifted(200, 1100, (1,)))
    assert talk.say(replace(HELLO, token=0, boot=99), Dropped(1, 5, (3,))) == []
    assert talk.is_in(Phase.SYNCING)
    (after,) = talk.say(Reading(2, 10, (False,) * 81))
    assert after.seq == before.seq + 2
    assert talk.statistics.connections == 2
    assert after.t == pytest.approx(talk.now)


def test_the_same_hello_again_is_nothing() -> None:
    talk = Talk().live()
    talk.say(HELLO, replace(HELLO, token=0))
    assert talk.is_in(Phase.LIVE)
    (news,) = talk.say(Lifted(2, 1100, (1,)))
    assert news.seq == 3


def test_a_board_that_started_anew_as_another_one_is_refused() -> None:
    talk = Talk(Wanted(size=9)).live()
    talk.say(replace(HELLO, boot=5, size=11))
    assert talk.is_in(Phase.LOST)


def test_silence_for_three_seconds_is_loss() -> None:
    talk = Talk().live()
    talk.heard(2.9)
    talk.say(BEAT)
    talk.heard(2.9)
    assert talk.is_in(Phase.LIVE)
    talk.heard(0.2)
    assert talk.is_in(Phase.LOST)
    assert "nothing for 3 seconds" in str(talk.session.why)


def test_a_ping_each_second_and_its_round_trip() -> None:
    talk = Talk().live()
    (ping,) = [message for message in talk.heard(1.01) if isinstance(message, Ping)]
    talk.say(Pong(ping.token, 2000), after=0.003)
    talk.say(Pong(ping.token, 2000), Pong(12345, 2000))
    trips = talk.statistics.round_trips
    assert trips.count == 1
    assert trips.last_ms == pytest.approx(3.0)
    (ping,) = [message for message in talk.heard(1.0) if isinstance(message, Ping)]
    talk.say(Pong(ping.token, 3000), after=0.001)
    trips = talk.statistics.round_trips
    assert [trips.best_ms, trips.worst_ms, trips.mean_ms] == pytest.approx([1.0, 3.0, 2.0])


def test_the_picture_goes_out_at_once_on_change_and_each_second() -> None:
    talk = Talk(picture=BLACK)
    talk.say(HELLO)
    assert Picture(BLACK) in talk.heard(), "before the first reading: lights need no sensors"
    assert Picture(BLACK) not in talk.heard(0.5)
    red = ((255, 0, 0), *BLACK[1:])
    talk.session.show(red)
    talk.session.show(BLACK)
    talk.session.show(red)
    assert talk.session.deadline(writing=False) < talk.now
    assert talk.session.deadline(writing=True) > talk.now, "not while other bytes wait"
    assert [message for message in talk.heard() if isinstance(message, Picture)] == [Picture(red)]
    talk.session.show(red)
    assert Picture(red) not in talk.heard(0.9)
    assert Picture(red) in talk.heard(0.11)


def test_a_picture_of_other_lights_than_the_board_has_is_not_sent() -> None:
    talk = Talk(picture=BLACK[:80]).live()
    assert not [message for message in talk.heard(5) if isinstance(message, Picture)]


def test_faults_stand_until_they_are_over_or_the_heartbeat_knows_none() -> None:
    talk = Talk().live()
    talk.say(Fault(FaultCode.STUCK_ROW, 8, 1), Fault(FaultCode.SUPPLY_LOW, 4200, 1), Fault(200, 1, 1))
    assert talk.session.faults == {FaultCode.STUCK_ROW: 8, FaultCode.SUPPLY_LOW: 4200}
    talk.say(Fault(FaultCode.STUCK_ROW, 0, 2))
    assert talk.session.faults == {FaultCode.SUPPLY_LOW: 4200}
    talk.say(replace(BEAT, faults=1 << FaultCode.SUPPLY_LOW))
    assert talk.session.faults == {FaultCode.SUPPLY_LOW: 4200}
    talk.say(BEAT)
    assert talk.session.faults == {}, "the packet that said so was lost"


def test_bounces_are_totals() -> None:
    talk = Talk().live()
    talk.say(Bounces(((1, 4), (7, 9))))
    talk.say(Bounces(((1, 6),)))
    assert talk.session.bounces == {1: 6, 7: 9}


@pytest.mark.parametrize(
    "message",
    [Lifted(2, 1, (81,)), Dropped(2, 1, (0, 360)), Reading(2, 1, (True,) * 121), Bounces(((100, 1),))],
    ids=lambda message: type(message).__name__,
)
def test_cells_that_the_board_does_not_have_are_nonsense(message: Message) -> None:
    talk = Talk().live()
    assert talk.say(message) == []
    assert talk.statistics.nonsense == 1


def test_asking_for_a_reading_goes_on_until_it_comes() -> None:
    talk = Talk().live()
    talk.session.ask()
    assert talk.heard() == [Read()]
    assert talk.heard(0.11) == [Read()]
    talk.say(Reading(2, 1300, (False,) * 81))
    assert talk.heard(0.11) == []


def test_leaving() -> None:
    talk = Talk().live()
    talk.session.leave()
    assert Leave() in talk.heard()


def test_boot_noise_a_probe_and_half_a_packet_come_first() -> None:
    talk = Talk()
    half = Sender().send(NOWHERE)[5:]
    talk.session.receive(talk.now, b"MPY: soft reboot\r\n>>> AT\r\r\nERROR\r\n" + half)
    talk.say(HELLO, NOWHERE)
    assert talk.is_in(Phase.LIVE)
    assert talk.session.counts.damaged == 1
