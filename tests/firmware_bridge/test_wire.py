"""The codec against streams: byte by byte, cut, changed, among garbage; and the board's COBS against the library's."""

import random

import pytest
from cobs import cobs  # type: ignore[import-untyped]  # it ships no types
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.codec import Counts, Heard, Receiver, Sender
from firmware_bridge.errors import ChecksumError, FieldError, FramingError, MessageError, PacketError, VersionError
from firmware_bridge.firmware import wire
from firmware_bridge.messages import Dropped, Hello, Lifted, Message, Picture, Ping, Pong, Reading
from firmware_bridge.packets import MAX_PAYLOAD_BYTES, MAX_WIRE_BYTES, Deframer, Packet, encode_packet

MESSAGES: list[Message] = [
    Lifted(1, 1000, (4,)),
    Dropped(2, 1200, (22, 23)),
    Reading(3, 1300, tuple(cell % 3 == 0 for cell in range(81))),
    Pong(0, 0),
]

packets = st.builds(
    Packet, st.integers(0, 255), st.integers(0, 255), st.integers(0, 65535), st.binary(max_size=MAX_PAYLOAD_BYTES)
)


def heard(found: list[Heard | PacketError]) -> list[Message]:
    return [item.message for item in found if isinstance(item, Heard)]


def wire_of(messages: list[Message]) -> bytes:
    sender = Sender()
    return b"".join(sender.send(message) for message in messages)


@given(st.lists(packets, max_size=4), st.integers(1, 600))
def test_any_packets_in_any_pieces(sent: list[Packet], step: int) -> None:
    data = b"".join(encode_packet(packet) for packet in sent)
    deframer = Deframer()
    got = [found for at in range(0, len(data), step) for found in deframer.feed(data[at : at + step])]
    assert got == sent


@given(packets)
def test_the_wire_has_one_zero_a_packet(packet: Packet) -> None:
    data = encode_packet(packet)
    assert data.count(0) == 1
    assert data[-1] == 0
    assert len(data) <= MAX_WIRE_BYTES + 1


@given(st.binary(max_size=600))
def test_the_boards_cobs_is_the_librarys(plain: bytes) -> None:
    target = bytearray(len(plain) + len(plain) // 254 + 3)
    length = wire.cobs_encode(bytearray(plain), len(plain), target)
    assert bytes(target[: length - 1]) == cobs.encode(plain)
    assert target[length - 1] == 0
    assert bytes(target[: wire.cobs_decode(target, length - 1)]) == plain


@pytest.mark.parametrize("length", [0, 1, 253, 254, 255, 507, 508, 509])
@pytest.mark.parametrize("fill", [0, 1])
@pytest.mark.parametrize("last", [0, 1])
def test_the_boards_cobs_at_the_ends_of_blocks(length: int, fill: int, last: int) -> None:
    plain = bytes([fill] * length + [last])
    target = bytearray(600)
    written = wire.cobs_encode(bytearray(plain), len(plain), target)
    assert bytes(target[: written - 1]) == cobs.encode(plain)


@given(st.binary(max_size=60))
def test_the_boards_cobs_refuses_what_the_library_refuses(garbage: bytes) -> None:
    buffer = bytearray(garbage)
    length = wire.cobs_decode(buffer, len(buffer))
    try:
        expected = cobs.decode(garbage)
    except cobs.DecodeError:
        assert length == -1
    else:
        assert bytes(buffer[:length]) == expected


def test_one_byte_changed_anywhere_costs_that_packet_and_no_other() -> None:
    """board-cases.md 33: every byte of a packet, every kind of change, at both ends."""
    sender = Sender()
    first, second, third = (sender.send(message) for message in MESSAGES[:3])
    for at in range(len(second)):
        for change in (0x01, 0x80, 0xFF, second[at]):  # the last makes it a zero
            changed = bytearray(second)
            changed[at] ^= change
            if bytes(changed) == second:
                continue
            receiver = Receiver(host=True)
            messages = heard(receiver.feed(first + bytes(changed) + third))
            if at == len(second) - 1:  # the zero between two packets: both are lost, the reader is not
                assert messages == [MESSAGES[0]]
                messages += heard(receiver.feed(third))
            assert messages == [MESSAGES[0], MESSAGES[2]]
            deframer = wire.Deframer()
            data = first + bytes(changed) + third + third
            place, kinds = 0, []
            while (place := deframer.feed(data, place, len(data))) >= 0:
                kinds.append(deframer.kind)
            assert kinds in ([wire.LIFTED, wire.READING, wire.READING], [wire.LIFTED, wire.READING])


@pytest.mark.parametrize("seed", range(5))
def test_garbage_between_packets_costs_none_of_them(seed: int) -> None:
    rng = random.Random(seed)
    sender = Sender()
    data = b""
    for _ in range(50):
        data += rng.randbytes(rng.randrange(40)) + b"\0" + sender.send(rng.choice(MESSAGES))
    receiver = Receiver(host=True)
    messages = [message for octet in data for message in heard(receiver.feed(bytes([octet])))]
    assert len(messages) == 50
    assert receiver.counts.packets == 50
    assert receiver.counts.lost == 0
    assert receiver.counts.damaged > 0
    assert receiver.counts.octets == len(data)


@pytest.mark.parametrize("cut", range(1, 30))
def test_half_a_packet_costs_the_next_one_at_most(cut: int) -> None:
    data = wire_of(MESSAGES)
    first = len(Sender().send(MESSAGES[0]))
    receiver = Receiver(host=True)
    messages = heard(receiver.feed(data[cut:]))
    assert messages == MESSAGES[1 if cut <= first else 2 :][: len(messages)]
    assert len(messages) >= 2


def test_a_flood_without_a_zero_holds_no_memory() -> None:
    deframer = Deframer()
    for _ in range(1000):
        assert deframer.feed(b"\x55" * 1000) == []
    assert len(deframer._frame) <= MAX_WIRE_BYTES
    found = deframer.feed(b"\0" + encode_packet(Packet(1, 2, 3, b"")))
    assert isinstance(found[0], FramingError)
    assert "1000000" in str(found[0])
    assert found[1] == Packet(1, 2, 3, b"")


def test_empty_frames_are_nothing() -> None:
    receiver = Receiver(host=True)
    assert receiver.feed(b"\0" * 100) == []
    assert receiver.counts == Counts(octets=100)


def test_sequence_numbers_tell_what_was_lost_and_what_came_again() -> None:
    sender = Sender()
    sent = [sender.send(MESSAGES[0]) for _ in range(10)]
    receiver = Receiver(host=True)
    receiver.feed(sent[0] + sent[1] + sent[4] + sent[4] + sent[3] + sent[9])
    assert receiver.counts.lost == 6
    assert receiver.counts.late == 2
    receiver.restart()
    receiver.feed(sent[0])
    assert receiver.counts.lost == 6


def test_sequence_numbers_go_round() -> None:
    receiver = Receiver(host=True)
    for sequence in (65534, 65535, 0, 1):
        receiver.feed(encode_packet(Packet(1, 0x86, sequence, bytes(8))))
    assert receiver.counts == Counts(octets=receiver.counts.octets, packets=4)


def test_an_echo_is_no_message() -> None:
    """A terminal that echoes sends our own packets back."""
    receiver = Receiver(host=True)
    (found,) = receiver.feed(Sender().send(Ping(1)))
    assert isinstance(found, MessageError)
    assert "echo" in str(found)


def test_counts_by_kind_and_their_sum() -> None:
    receiver = Receiver(host=True)
    good = Sender().send(MESSAGES[0])
    found = receiver.feed(
        b"AT\r\0"
        + bytes([good[0], good[1] ^ 4])
        + good[2:]
        + encode_packet(Packet(2, 0x86, 0, bytes(8)))
        + encode_packet(Packet(1, 0xF0, 65535, b""))
        + good
    )
    assert [type(item) for item in found] == [FramingError, ChecksumError, VersionError, MessageError, Heard]
    assert receiver.counts == Counts(receiver.counts.octets, packets=1, framing=1, checksum=1, version=1, unknown=1)
    total = Counts()
    total.add(receiver.counts)
    total.add(receiver.counts)
    assert total.packets == 2
    assert total.damaged == 4


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (Lifted(65536, 0, (1,)), "65535"),
        (Lifted(0, -1, (1,)), "range"),
        (Lifted(0, 0, ()), "one cell at least"),
        (Lifted(0, 0, (2, 1)), "ascending"),
        (Dropped(0, 0, (361,)), "0 to 360"),
        (Dropped(0, 0, (-1,)), "0 to 360"),
        (Reading(0, 0, ()), "1 to 361 cells"),
        (Picture(()), "1 to 361 lights"),
        (Picture(((0, 0, 256),)), "255"),
        (Hello(0, 1, 1, 0, 0, 9, 0, 0, 8, 0, 0, b""), "1 to 32 bytes"),
        (Hello(0, 1, 1, 0, 0, 9, 0, 0, 8, 0, 0, bytes(33)), "1 to 32 bytes"),
    ],
)
def test_what_does_not_fit_is_our_own_mistake(message: Message, why: str) -> None:
    sender = Sender()
    with pytest.raises(FieldError, match=why):
        sender.send(message)
    assert sender.packets == 0
    assert Receiver(host=True).feed(sender.send(MESSAGES[0]))


def test_a_packet_prints_itself() -> None:
    assert str(Packet(1, 0x82, 7, b"\x01\x02")) == "v1 type 0x82 #7 [01 02]"


def test_a_payload_too_long_is_refused() -> None:
    with pytest.raises(FieldError, match="1500"):
        encode_packet(Packet(1, 1, 1, bytes(MAX_PAYLOAD_BYTES + 1)))
    with pytest.raises(FieldError, match="head"):
        encode_packet(Packet(1, 256, 1, b""))
