"""The board's end of the conversation, message by message: the firmware's own code over a matrix in memory."""

import pytest

from firmware_bridge.codec import Heard, Receiver, Sender
from firmware_bridge.firmware import wire
from firmware_bridge.messages import (
    PROTOCOL,
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
    encode_payload,
)
from firmware_bridge.packets import Packet, encode_packet
from firmware_bridge.virtual import Cable, VirtualBoard, VirtualClock

BLACK = ((0, 0, 0),) * 81
RED = ((255, 0, 0),) * 81
GREEN = ((0, 255, 0),) * 81


class Host:
    """A host that says just what it is told to say."""

    def __init__(self, *, lights: int = 81) -> None:
        self.clock = VirtualClock()
        self.board = VirtualBoard(self.clock, lights=lights)
        self.cable = Cable(self.board, self.clock)
        self.port = self.cable.open_port("/dev/ttyACM0")
        self.sender = Sender()
        self.receiver = Receiver(host=True)
        self.run(0.1)

    def run(self, seconds: float) -> list[Message]:
        self.clock.advance(seconds)
        return [found.message for found in self.receiver.feed(self.port.read()) if isinstance(found, Heard)]

    def say(self, *messages: Message, seconds: float = 0.02) -> list[Message]:
        for message in messages:
            self.port.write(self.sender.send(message))
        return self.run(seconds)

    def raw(self, data: bytes, seconds: float = 0.02) -> list[Message]:
        self.port.write(data)
        return self.run(seconds)

    def beat(self) -> Heartbeat:
        (beat,) = [message for message in self.say(Read(), seconds=1.01) if isinstance(message, Heartbeat)]
        return beat


@pytest.fixture
def host() -> Host:
    return Host()


def test_it_never_speaks_first(host: Host) -> None:
    host.board.drop(1)
    assert host.run(10.0) == []
    assert host.raw(b"AT\r\0ATE0\r\0\x03\x04\0") == []


def test_a_greeting_brings_everything(host: Host) -> None:
    host.board.drop(1, 80)
    host.run(0.1)
    hello, reading, bounces, beat = host.say(Greet(77))
    assert isinstance(hello, Hello)
    assert (hello.token, hello.protocol, hello.size, hello.lights) == (77, PROTOCOL, 9, 81)
    assert isinstance(reading, Reading)
    assert reading.occupied == {1, 80}
    assert bounces == Bounces(((1, 1), (80, 1)))
    assert isinstance(beat, Heartbeat)
    assert beat.news == reading.news


def test_any_sound_packet_wakes_it_with_token_0(host: Host) -> None:
    messages = host.say(Ping(5))
    assert Pong(5, next(message.at_ms for message in messages if isinstance(message, Pong))) in messages
    (hello,) = [message for message in messages if isinstance(message, Hello)]
    assert hello.token == 0


def test_a_greeting_of_another_version_is_answered_in_ours(host: Host) -> None:
    messages = host.raw(encode_packet(Packet(9, 0x01, 0, encode_payload(Greet(8)) + b"more")))
    assert isinstance(messages[0], Hello)
    assert (messages[0].token, messages[0].protocol) == (8, PROTOCOL)
    assert host.raw(encode_packet(Packet(9, 0x02, 1, b""))) == [], "nothing else of it is"


def test_it_falls_silent_when_it_hears_nothing(host: Host) -> None:
    host.say(Greet(1), Picture(RED))
    assert host.board.picture == RED
    assert host.run(2.9) != []
    host.run(0.3)
    assert host.board.picture == BLACK
    host.board.drop(5)
    assert host.run(5.0) == []
    messages = host.say(Read())
    assert [type(message) for message in messages[:2]] == [Hello, Reading]
    reading = messages[1]
    assert isinstance(reading, Reading)
    assert reading.occupied == {5}


def test_changes_of_one_kind_and_one_time_share_a_packet(host: Host) -> None:
    host.board.drop(1, 2, 3)
    host.say(Greet(1), seconds=0.2)
    host.board.place({3, 70, 80})
    changes = [message for message in host.run(0.05) if isinstance(message, Lifted | Dropped)]
    assert [(type(change), change.cells) for change in changes] == [(Lifted, (1, 2)), (Dropped, (70, 80))]
    assert changes[1].news == changes[0].news + 1
    assert changes[0].at_ms == changes[1].at_ms


def test_a_reading_follows_a_burst_and_comes_each_second(host: Host) -> None:
    host.say(Greet(1), seconds=0.1)
    host.board.drop(1)
    host.run(0.03)
    host.board.drop(2)
    messages = host.run(0.06)
    assert [type(message) for message in messages] == [Dropped]
    messages = host.run(0.04)
    assert [type(message) for message in messages] == [Reading]
    readings = [message for message in host.say(Ping(1), seconds=2.5) if isinstance(message, Reading)]
    assert len(readings) == 2


def test_numbers_go_on_while_nobody_listens(host: Host) -> None:
    before = [message for message in host.say(Greet(1)) if isinstance(message, Reading)]
    host.run(5.0)
    host.board.drop(1)
    host.run(0.1)
    host.board.lift(1)
    host.run(0.1)
    after = [message for message in host.say(Greet(2)) if isinstance(message, Reading)]
    assert after[0].news - before[0].news >= 3


def test_news_that_no_room_was_left_for_leave_a_gap_and_a_reading(host: Host) -> None:
    host.say(Greet(1), seconds=0.1)
    host.board._loop.scanner.overflow = True
    messages = host.run(0.01)
    assert [type(message) for message in messages] == [Reading]
    reading = messages[0]
    assert isinstance(reading, Reading)
    assert reading.news == 3, "2 never came"


def test_a_picture_older_than_the_one_shown_is_dropped(host: Host) -> None:
    host.say(Greet(1))
    old, new = host.sender.send(Picture(RED)), host.sender.send(Picture(GREEN))
    host.raw(new)
    host.raw(old)
    assert host.board.picture == GREEN
    host.raw(new)
    assert host.board.picture == GREEN
    host.sender = Sender()
    host.say(Greet(2))
    host.say(Picture(RED))
    assert host.board.picture == RED, "a new conversation counts anew"


@pytest.mark.parametrize(
    "packet",
    [
        (wire.PICTURE, b"\x50\0\0\0"),  # 80 lights
        (wire.PICTURE, b"\x52\0\0\0"),  # 82
        (wire.PICTURE, b"\x51\0\0\0\x01"),
        (wire.PICTURE, b"\0\0\0\0\x51\0\0\0"),
        (wire.PICTURE, b""),
        (wire.PING, b"123"),
        (wire.READ, b"1"),
        (wire.LEAVE, b"LEAV"),
        (wire.GREET, b"12"),
        (0x7F, b""),
        (wire.HELLO, bytes(30)),
    ],
)
def test_nonsense_is_counted_and_changes_nothing(host: Host, packet: tuple[int, bytes]) -> None:
    host.say(Greet(1), Picture(RED))
    damaged = host.beat().damaged
    host.raw(encode_packet(Packet(PROTOCOL, packet[0], 1000, packet[1])))
    assert host.board.picture == RED
    assert not host.board.left
    assert host.beat().damaged == damaged + 1


def test_a_board_without_lights_takes_no_picture() -> None:
    host = Host(lights=0)
    host.say(Greet(1), Picture(RED[:1]))
    assert host.beat().damaged == 1
    assert host.board.picture == ()


def test_it_counts_what_it_received_and_missed(host: Host) -> None:
    host.say(Greet(1))
    for _ in range(4):
        host.sender.send(Read())
    host.say(Read())
    host.raw(b"garbage\0")
    beat = host.beat()
    assert beat.missed == 4
    assert beat.damaged == 1
    assert beat.received == 3


def test_it_steps_aside_when_told(host: Host) -> None:
    host.say(Greet(1), Picture(RED))
    host.say(Leave())
    assert host.board.left
    assert host.board.picture == BLACK


def test_a_late_scan_is_a_fault_for_a_second(host: Host) -> None:
    host.say(Greet(1), seconds=0.5)
    host.board._scans += 30  # 120 ms in which nothing was scanned
    faults = [message for message in host.say(Ping(1), seconds=2.5) if isinstance(message, Fault)]
    assert {fault.code for fault in faults} == {FaultCode.LATE}
    assert faults[0].value >= 120
    assert faults[-1].value == 0


def test_faults_are_repeated_while_they_stand(host: Host) -> None:
    host.say(Greet(1))
    host.board.shorted_columns = 2
    messages = host.run(0.05)
    assert [message for message in messages if isinstance(message, Fault)]
    later = host.say(Ping(1), seconds=2.5)
    assert len([message for message in later if isinstance(message, Fault)]) == 2
    assert all(message.faults == 1 << FaultCode.STUCK_COLUMN for message in later if isinstance(message, Heartbeat))
    assert not [message for message in later if isinstance(message, Reading)]
    assert [type(message) for message in host.say(Greet(2))] == [Hello, Fault, Heartbeat], "and told to a newcomer"


def test_bounces_are_told_once_as_totals(host: Host) -> None:
    host.say(Greet(1), seconds=1.5)
    for _ in range(3):
        host.board.drop(9)
        host.run(0.004)
        host.board.lift(9)
        host.run(0.004)
    first = [message for message in host.say(Ping(1), seconds=1.1) if isinstance(message, Bounces)]
    second = [message for message in host.say(Ping(1), seconds=1.1) if isinstance(message, Bounces)]
    assert first == [Bounces(((9, 6),))]
    assert second == []
