"""Packets: what stands between two zeros on the wire. Pure: bytes in, packets out; no message is understood here.

    wire      COBS(packet) 00                     every zero byte on the wire ends a packet, and nothing else does
    packet    version, type, sequence (2 bytes), payload, CRC-32 of all before it (4 bytes)

Numbers are little-endian. Head and checksum are the same in every version of the protocol, so that two ends of
different versions can still tell each other so. The CRC is the common one (zlib's, and binascii's in MicroPython).

Whatever else arrives, boot texts, a modem manager's `AT`, half a packet, is what it is until the next zero: no packet.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from cobs import cobs  # type: ignore[import-untyped]  # it ships no types; its two functions are used here only

from firmware_bridge.errors import ChecksumError, FieldError, FramingError, PacketError

DELIMITER = b"\0"

HEAD = struct.Struct("<BBH")
CRC = struct.Struct("<I")
OVERHEAD_BYTES = HEAD.size + CRC.size

MAX_PAYLOAD_BYTES = 1500
"""The longest message, a picture of 19 by 19 lights that all differ, has 1,444."""
MAX_PACKET_BYTES = MAX_PAYLOAD_BYTES + OVERHEAD_BYTES
COBS_BLOCK_BYTES = 254
MAX_WIRE_BYTES = MAX_PACKET_BYTES + MAX_PACKET_BYTES // COBS_BLOCK_BYTES + 1
"""The longest packet after COBS, its zero not counted: one byte more for each block of 254, and one."""

SEQUENCES = 1 << 16
"""Sequence numbers go round at this."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One packet, sound but not understood."""

    version: int
    kind: int  # the type of its message
    sequence: int
    payload: bytes

    def __str__(self) -> str:
        """Say what it is on one line, for logs."""
        return f"v{self.version} type {self.kind:#04x} #{self.sequence} [{self.payload.hex(' ')}]"


def encode_packet(packet: Packet) -> bytes:
    """Return a packet as it goes on the wire, its zero included.

    Raises:
        FieldError: a field does not fit.

    """
    if len(packet.payload) > MAX_PAYLOAD_BYTES:
        raise FieldError(f"expected a payload of at most {MAX_PAYLOAD_BYTES} bytes, got {len(packet.payload)}")
    try:
        plain = HEAD.pack(packet.version, packet.kind, packet.sequence) + packet.payload
    except struct.error as error:
        raise FieldError(f"the head of {packet} does not fit: {error}") from None
    encoded: bytes = cobs.encode(plain + CRC.pack(zlib.crc32(plain)))
    return encoded + DELIMITER


def decode_packet(frame: bytes) -> Packet:
    """Return the packet in a frame: the bytes between two zeros, neither included.

    Raises:
        FramingError: it is no packet.
        ChecksumError: it is one that was damaged, or looks like one by chance.

    """
    try:
        plain: bytes = cobs.decode(frame)
    except cobs.DecodeError as error:
        raise FramingError(f"expected COBS, got {len(frame)} bytes that are none: {error}") from None
    if len(plain) < OVERHEAD_BYTES:
        raise FramingError(f"expected at least {OVERHEAD_BYTES} bytes in a packet, got {len(plain)}")
    body = plain[: -CRC.size]
    (told,) = CRC.unpack_from(plain, len(body))
    counted = zlib.crc32(body)
    if told != counted:
        raise ChecksumError(f"expected checksum {counted:08x}, got {told:08x}")
    version, kind, sequence = HEAD.unpack_from(body)
    return Packet(version, kind, sequence, body[HEAD.size :])


class Deframer:
    """Cut a stream of bytes into packets. Holds at most one packet's bytes, whatever arrives."""

    __slots__ = ("_frame", "_thrown")

    def __init__(self) -> None:
        self._frame = bytearray()
        self._thrown = 0  # bytes of a frame that is already too long

    def feed(self, data: bytes) -> list[Packet | PacketError]:
        """Take bytes as they came, any number of them.

        Returns:
            What was completed by these bytes, in order: each a packet, or the error that explains bytes thrown away.

        """
        found: list[Packet | PacketError] = []
        *ended, rest = data.split(DELIMITER)
        for piece in ended:
            self._add(piece)
            found.extend(self._end())
        self._add(rest)
        return found

    def _add(self, piece: bytes) -> None:
        if self._thrown or len(self._frame) + len(piece) > MAX_WIRE_BYTES:
            self._thrown += len(self._frame) + len(piece)
            self._frame.clear()
        else:
            self._frame += piece

    def _end(self) -> list[Packet | PacketError]:
        """Take the zero that ends a frame; an empty frame is nothing, it only makes sure that the next one is clean."""
        frame, thrown = bytes(self._frame), self._thrown
        self._frame.clear()
        self._thrown = 0
        if thrown:
            return [FramingError(f"expected at most {MAX_WIRE_BYTES} bytes before a zero, got {thrown}")]
        if not frame:
            return []
        try:
            return [decode_packet(frame)]
        except PacketError as error:
            return [error]
