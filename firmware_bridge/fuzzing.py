"""A fuzzer for both ends: streams that are almost right, into everything that reads the wire. Seeded. Pure.

A round makes a stream of sound packets, of sound packets with nonsense in them, and of damage; cuts it into pieces; and
gives it to the host's codec, the board's, a session and a running firmware. Then it demands:

1. nothing raises;
2. both ends find the same packets in the same bytes;
3. what is understood is written again as it was meant: decode, encode, decode gives the same message;
4. after a zero, the next sound packet is read, whatever came before;
5. a session's news are numbered upwards, and name cells that the board has;
6. a firmware still answers a greeting.

`damaged` demands one thing more, of sound packets that were all damaged on the way: neither end finds one that was not
sent. A checksum of 32 bits lets one in four thousand million pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields
from random import Random
from typing import Any

from firmware_bridge.codec import Heard, Receiver, Sender
from firmware_bridge.errors import BridgeError, PacketError
from firmware_bridge.firmware import wire
from firmware_bridge.firmware.run import INPUT_BYTES
from firmware_bridge.messages import (
    MESSAGES,
    PROTOCOL,
    Greet,
    Hello,
    Message,
    Pong,
    Reading,
    decode_payload,
    encode_payload,
    kind_of,
)
from firmware_bridge.news import Numbering, WholeReading
from firmware_bridge.packets import MAX_PAYLOAD_BYTES, Deframer, Packet, encode_packet
from firmware_bridge.session import ANY_BOARD, Session
from firmware_bridge.statistics import Statistics
from firmware_bridge.tails import CELLS, COUNTS, FRAME, IDENTITY, NOTHING, RUNS, Tail
from firmware_bridge.virtual import MS_PER_S, SCAN_MS, Cable, VirtualBoard, VirtualClock

MOST_PACKETS = 12
MOST_DAMAGE = 6
TOKEN = 7
GREETED_S = 0.1
HELLO = Hello(TOKEN, PROTOCOL, 1, 0, 0, 9, 81, 7, 8, 1, 0, b"\x01")


class FuzzError(BridgeError, AssertionError):
    """A promise was broken; the message has the seed, the round and the bytes."""


@dataclass(slots=True)
class Tally:
    """What the rounds so far have seen; `packets` are those found, where both ends read those that both found."""

    rounds: int = 0
    octets: int = 0
    packets: int = 0
    errors: int = 0
    messages: int = 0
    news: int = 0
    one_end: int = 0
    """Packets that one end alone found."""


class Fuzzer:
    """One seed's rounds.

    Args:
        seed: everything follows from it.

    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.tally = Tally()
        self._rng = Random(seed)

    def round(self) -> None:
        """Make one stream and demand all promises of it.

        Raises:
            FuzzError: one was broken.

        """
        stream = self._stream()
        self.tally.rounds += 1
        self.tally.octets += len(stream)
        try:
            self._agree(stream)
            self._understand(stream, host=True)
            self._understand(stream, host=False)
            self._converse(stream)
            self._disturb(stream)
        except Exception as error:
            what = f"seed {self.seed}, round {self.tally.rounds}: {type(error).__name__}: {error}\n{stream.hex()}"
            raise FuzzError(what) from error

    def damaged(self, count: int) -> None:
        """Make so many sound packets, damage every one, send those that are changed, and demand that no other is found.

        Raises:
            FuzzError: one was.

        """
        rng = self._rng
        sent: set[Packet] = set()
        pieces = []
        for _ in range(count):
            kind, payload = self._message()
            packet = Packet(PROTOCOL, kind, rng.randrange(1 << 16), payload)
            sound = encode_packet(packet)
            piece = bytearray(sound)
            for _ in range(rng.randrange(1, MOST_DAMAGE)):
                self._damage(piece)
            if piece != sound:  # what damage does, more damage may undo
                sent.add(packet)
                pieces.append(bytes(piece))
        stream = b"".join(pieces)
        self.tally.rounds += len(pieces)
        self.tally.octets += len(stream)
        deframer, chip = Deframer(), wire.Deframer()
        ours = [one for one in deframer.feed(stream) if isinstance(one, Packet)]
        theirs = []
        at = 0
        while (at := chip.feed(stream, at, len(stream))) >= 0:
            payload = bytes(chip.buffer[chip.start : chip.end])
            theirs.append(Packet(chip.version, chip.kind, chip.sequence, payload))
        both = (Counter(ours) & Counter(theirs)).total()
        self.tally.packets += both
        self.tally.one_end += len(ours) + len(theirs) - 2 * both
        wrong = [one for one in ours + theirs if one not in sent]
        if wrong:
            raise FuzzError(f"seed {self.seed}, packet {self.tally.rounds}: found {wrong}, never sent\n{stream.hex()}")

    # Streams

    def _stream(self) -> bytes:
        rng = self._rng
        pieces = [self._piece() * rng.choice((1, 1, 1, 2)) for _ in range(rng.randrange(1, MOST_PACKETS))]
        stream = bytearray(b"".join(pieces))
        for _ in range(rng.randrange(MOST_DAMAGE)):
            self._damage(stream)
        return bytes(stream)

    def _piece(self) -> bytes:
        rng = self._rng
        makers: list[Callable[[], bytes]] = [
            *[self._sound] * 6,
            lambda: self._packet(rng.choice(MESSAGES).kind, rng.randbytes(rng.randrange(40))),
            lambda: self._packet(rng.randrange(256), rng.randbytes(rng.choice((0, 1, 4, 9, 254, 600)))),
            lambda: self._packet(1, b"\x01" * rng.randrange(240, 262) + bytes(rng.randrange(3))),  # the ends of a block
            lambda: rng.randbytes(rng.randrange(60)) + b"\0",
            lambda: b"\0" * rng.randrange(5),
            lambda: bytes([rng.randrange(1, 256)]) * rng.randrange(3000) + rng.choice((b"", b"\0")),
            lambda: b">>> AT\r\n" + rng.choice((b"", b"\0")),
        ]
        return rng.choice(makers)()

    def _sound(self) -> bytes:
        return self._packet(*self._message())

    def _message(self) -> tuple[int, bytes]:
        """Make a message of a random type with random fields that fit."""
        rng = self._rng
        row = rng.choice(MESSAGES)
        values: list[Any] = [rng.randrange(1 << 8 * {"B": 1, "H": 2, "I": 4}[letter]) for letter in row.layout]
        if row.tail is not NOTHING:
            values.append(self._tail(row.tail))
        message: Message = row.message(*values)
        return row.kind, encode_payload(message)

    def _tail(self, tail: Tail) -> object:
        rng = self._rng
        cells = sorted(rng.sample(range(rng.choice((9, 81, 361))), rng.randrange(1, 9)))
        if tail is CELLS:
            return tuple(cells)
        if tail is COUNTS:
            return tuple((cell, rng.randrange(1 << 16)) for cell in cells)
        if tail is FRAME:
            return tuple(rng.random() < 0.5 for _ in range(rng.choice((49, 81, 121, 361))))
        if tail is RUNS:
            colours = [(rng.randrange(256), 0, 255) for _ in range(4)]
            return tuple(rng.choice(colours) for _ in range(rng.choice((81, 121, 361))))
        assert tail is IDENTITY
        return rng.randbytes(rng.randrange(1, 33))

    def _packet(self, kind: int, payload: bytes) -> bytes:
        version = PROTOCOL if self._rng.random() < 0.95 else self._rng.randrange(256)
        return encode_packet(Packet(version, kind, self._rng.randrange(1 << 16), payload[:MAX_PAYLOAD_BYTES]))

    def _damage(self, stream: bytearray) -> None:
        rng = self._rng
        if not stream:
            return
        at = rng.randrange(len(stream))
        match rng.randrange(5):
            case 0:
                stream[at] ^= 1 << rng.randrange(8)
            case 1:
                stream[at] = 0
            case 2:
                del stream[at : at + rng.randrange(1, 20)]
            case 3:
                stream[at:at] = rng.randbytes(rng.randrange(20))
            case _:
                stream[at:at] = stream[at : at + rng.randrange(60)]

    def _pieces(self, stream: bytes) -> list[bytes]:
        """Cut a stream as a wire does."""
        longest = self._rng.choice((1, 3, 64, 5000))
        pieces, at = [], 0
        while at < len(stream):
            length = self._rng.randrange(1, longest + 1)
            pieces.append(stream[at : at + length])
            at += length
        return pieces

    # Promises

    def _agree(self, stream: bytes) -> None:
        """Let both ends find the packets, and one more after a zero."""
        last = encode_packet(Packet(PROTOCOL, wire.PING, 1, bytes(4)))
        stream = stream + b"\0" + last
        deframer = Deframer()
        ours = [found for piece in self._pieces(stream) for found in deframer.feed(piece)]
        packets = [found for found in ours if isinstance(found, Packet)]
        self.tally.packets += len(packets)
        self.tally.errors += len(ours) - len(packets)
        chip = wire.Deframer()
        theirs = []
        for piece in self._pieces(stream):
            at = 0
            while (at := chip.feed(piece, at, len(piece))) >= 0:
                payload = bytes(chip.buffer[chip.start : chip.end])
                theirs.append(Packet(chip.version, chip.kind, chip.sequence, payload))
        _demand(packets == theirs, f"the host found {packets}, the board {theirs}")
        _demand(chip.damaged == len(ours) - len(packets), "the board counted other damage than the host")
        _demand(packets[-1:] == [Packet(PROTOCOL, wire.PING, 1, bytes(4))], "the packet after a zero was not read")

    def _understand(self, stream: bytes, *, host: bool) -> None:
        receiver = Receiver(host=host)
        for piece in self._pieces(stream):
            for found in receiver.feed(piece):
                _demand(isinstance(found, Heard | PacketError), f"expected a message or an error, got {found!r}")
                if isinstance(found, Heard):
                    message = found.message
                    again = decode_payload(kind_of(message), encode_payload(message))
                    _demand(again == message, f"{message} became {again}")
                    _demand(all(field.name in repr(message) for field in fields(message)), "it prints itself")
                    self.tally.messages += 1

    def _converse(self, stream: bytes) -> None:
        """Give a session the stream after a good beginning."""
        board = Sender()
        session = Session(0.0, TOKEN, ANY_BOARD, Numbering(), Statistics())
        session.receive(0.0, board.send(HELLO) + board.send(Reading(1, 1, (False,) * 81)))
        seq, now = 0, 0.0
        for piece in self._pieces(stream):
            now += self._rng.random() / 100
            session.receive(now, piece)
            session.advance(now)
            session.output()
            for news in session.drain():
                _demand(news.seq > seq, f"news {news.seq} after {seq}")
                seq = news.seq
                cells = news.occupied if isinstance(news, WholeReading) else news.cells
                size = session.hello.size if session.hello is not None else 9
                _demand(all(0 <= cell < size**2 for cell in cells), f"{news} on a board of {size} lines")
                self.tally.news += 1

    def _disturb(self, stream: bytes) -> None:
        """Give the stream to a running firmware, and greet it."""
        clock = VirtualClock()
        board = VirtualBoard(clock)
        cable = Cable(board, clock)
        port = cable.open_port("/dev/ttyACM0")
        for piece in self._pieces(stream):
            cable.to_board.put(clock.now, piece)
        cable.to_board.put(clock.now, b"\0")  # this wire carries whole frames
        clock.advance(GREETED_S + len(stream) / INPUT_BYTES * SCAN_MS / MS_PER_S)  # it takes so much after each scan
        port.read()
        if board.left:
            return  # the stream told it to, and it did
        port.write(b"\0" + Sender().send(Greet(TOKEN)))
        clock.advance(GREETED_S)
        receiver = Receiver(host=True)
        answers = [found.message for found in receiver.feed(port.read()) if isinstance(found, Heard)]
        hellos = [answer for answer in answers if isinstance(answer, Hello) and answer.token == TOKEN]
        _demand(len(hellos) == 1, f"expected one greeting, got {answers}")
        _demand(not any(isinstance(answer, Pong) for answer in answers), "an answer to nothing")


def _demand(kept: bool, what: str) -> None:
    if not kept:
        raise AssertionError(what)
