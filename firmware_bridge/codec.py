"""Both ends of the codec: messages to bytes and bytes to messages, with sequence numbers and counts. Pure.

The theory. Each end numbers the packets that it sends. A reader that expects number n and gets n + k has lost k
packets; one that gets an old number sees a late or repeated packet, or a sender that began anew: the codec counts, and
whoever knows the conversation decides. Nothing that arrives can raise: what is no message comes out as the error that
says why.
"""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge.errors import (
    ChecksumError,
    FramingError,
    MessageError,
    PacketError,
    VersionError,
)
from firmware_bridge.messages import PROTOCOL, TO_HOST, Message, decode_payload, encode_payload, kind_of
from firmware_bridge.packets import SEQUENCES, Deframer, Packet, encode_packet


@dataclass(frozen=True, slots=True)
class Heard:
    """A message, and the number of the packet that brought it."""

    message: Message
    sequence: int


@dataclass(slots=True)
class Counts:
    """What one reader has counted since it was made."""

    octets: int = 0  # bytes, good and bad
    packets: int = 0  # messages understood
    framing: int = 0  # no COBS, too short, too long: noise ends up here
    checksum: int = 0
    version: int = 0
    unknown: int = 0  # sound packets whose type or payload we do not know, or that came the wrong way
    lost: int = 0  # numbers that never came
    late: int = 0  # numbers that came again, or too late

    @property
    def damaged(self) -> int:
        """How often bytes were thrown away because they were no sound packet."""
        return self.framing + self.checksum

    def add(self, other: Counts) -> None:
        """Add another reader's counts to these."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Sender:
    """Number messages and turn them into bytes."""

    __slots__ = ("_next", "octets", "packets")

    def __init__(self) -> None:
        self._next = 0
        self.packets = 0
        self.octets = 0

    def send(self, message: Message) -> bytes:
        """Return a message as it goes on the wire.

        Raises:
            FieldError: a field does not fit; nothing was sent and no number used.

        """
        wire = encode_packet(Packet(PROTOCOL, kind_of(message), self._next, encode_payload(message)))
        self._next = (self._next + 1) % SEQUENCES
        self.packets += 1
        self.octets += len(wire)
        return wire


class Receiver:
    """Turn bytes into messages.

    Args:
        host: True at the host's end, which takes what boards send; False at the board's.

    """

    __slots__ = ("_deframer", "_expected", "_host", "counts")

    def __init__(self, *, host: bool) -> None:
        self._deframer = Deframer()
        self._host = host
        self._expected: int | None = None
        self.counts = Counts()

    def feed(self, data: bytes) -> list[Heard | PacketError]:
        """Take bytes as they came, any number of them.

        Returns:
            What they completed, in order: a message, or the error that says why bytes were thrown away.

        """
        self.counts.octets += len(data)
        return [self._understand(found) for found in self._deframer.feed(data)]

    def restart(self) -> None:
        """Take the next packet's number as it is: the sender began anew."""
        self._expected = None

    def _understand(self, found: Packet | PacketError) -> Heard | PacketError:
        try:
            if isinstance(found, PacketError):
                raise found
            if found.version != PROTOCOL:
                raise VersionError(found.version, PROTOCOL)
            self._follow(found.sequence)
            if bool(found.kind & TO_HOST) != self._host:
                raise MessageError(f"expected no type {found.kind:#04x} from that end: is the wire echoing?")
            message = decode_payload(found.kind, found.payload)
        except FramingError as error:
            self.counts.framing += 1
            return error
        except ChecksumError as error:
            self.counts.checksum += 1
            return error
        except VersionError as error:
            self.counts.version += 1
            return error
        except PacketError as error:
            self.counts.unknown += 1
            return error
        self.counts.packets += 1
        return Heard(message, found.sequence)

    def _follow(self, sequence: int) -> None:
        expected = sequence if self._expected is None else self._expected
        ahead = (sequence - expected) % SEQUENCES
        if ahead >= SEQUENCES // 2:
            self.counts.late += 1
            return
        self.counts.lost += ahead
        self._expected = (sequence + 1) % SEQUENCES
