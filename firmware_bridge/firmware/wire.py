"""The wire at the board's end: packets, and the numbers of the messages. Pure; see docs/protocol.md.

Written for a small heap: one buffer in, two buffers out, made once. The host has a codec of its own (packets.py,
messages.py); golden vectors hold the two together.
"""

import binascii
import struct

PROTOCOL = 1

# The types of messages; the host's table (messages.py) has the same names.
GREET = 0x01
READ = 0x02
PICTURE = 0x03
PING = 0x04
LEAVE = 0x05
HELLO = 0x81
LIFTED = 0x82
DROPPED = 0x83
READING = 0x84
HEARTBEAT = 0x85
PONG = 0x86
BOUNCES = 0x87
FAULT = 0x88

TO_HOST = 0x80
LEAVE_MAGIC = 0x4C504552

# Capabilities
LIGHTS = 1
WATCHDOG = 2
SUPPLY = 4

# Faults
STUCK_ROW = 0
STUCK_COLUMN = 1
SUPPLY_LOW = 2
LATE = 3
FAULTS = 4  # how many there are

HEAD_BYTES = 4  # version, type, sequence
CRC_BYTES = 4
MAX_PAYLOAD = 1500
MAX_PACKET = HEAD_BYTES + MAX_PAYLOAD + CRC_BYTES
MAX_WIRE = MAX_PACKET + MAX_PACKET // 254 + 1  # after COBS, the zero not counted

TICKS = 0x3FFFFFFF  # milliseconds go round at 30 bits: the largest number that a 32-bit chip holds without a heap


def elapsed(now: int, since: int) -> int:
    """Return the milliseconds from `since` to `now`, both of a clock that goes round."""
    return (now - since) & TICKS


def cobs_encode(source: "bytearray | memoryview", length: int, target: bytearray) -> int:
    """Write `length` bytes of `source` to `target` without zeros, and the zero that ends a packet.

    Returns:
        The bytes written, the zero included.

    """
    code_at = 0  # where the length of the present block goes
    write = 1
    code = 1
    for read in range(length):
        octet = source[read]
        if octet:
            target[write] = octet
            write += 1
            code += 1
        if octet == 0 or code == 0xFF:
            target[code_at] = code
            code = 1
            code_at = write
            if octet == 0 or read < length - 1:
                write += 1
    if code_at < write:
        target[code_at] = code
    target[write] = 0
    return write + 1


def cobs_decode(buffer: bytearray, length: int) -> int:
    """Undo `cobs_encode` in place; the zero is not among the `length` bytes.

    Returns:
        The bytes of the packet, or -1 if it is no COBS.

    """
    read = 0
    write = 0
    while read < length:
        code = buffer[read]
        read += 1
        end = read + code - 1
        if code == 0 or end > length:
            return -1
        while read < end:
            octet = buffer[read]
            if octet == 0:
                return -1
            buffer[write] = octet
            write += 1
            read += 1
        if code < 0xFF and read < length:
            buffer[write] = 0
            write += 1
    return write


def seal(packet: bytearray, kind: int, sequence: int, payload_length: int) -> int:
    """Put head and checksum around the payload that stands in `packet` from HEAD_BYTES on.

    Returns:
        The length of the packet.

    """
    struct.pack_into("<BBH", packet, 0, PROTOCOL, kind, sequence)
    end = HEAD_BYTES + payload_length
    struct.pack_into("<I", packet, end, binascii.crc32(memoryview(packet)[:end]))
    return end + CRC_BYTES


def unpack_runs(payload: "bytes | memoryview", colours: bytearray) -> bool:
    """Write the colours of a picture: runs of how many, red, green, blue.

    Returns:
        False if they are not exactly as many as `colours` has room for.

    """
    place = 0
    read = 0
    while read + 4 <= len(payload):
        run = payload[read]
        if run == 0 or place + 3 * run > len(colours):
            return False
        for _ in range(run):
            colours[place] = payload[read + 1]
            colours[place + 1] = payload[read + 2]
            colours[place + 2] = payload[read + 3]
            place += 3
        read += 4
    return read == len(payload) and place == len(colours) and place > 0


class Deframer:
    """Find packets in a stream of bytes.

    `feed` takes bytes until a sound packet is complete; then `version`, `kind`, `sequence`, `start` and `end` tell what
    it is and where its payload stands in `buffer`, until the next `feed`. What is no packet is counted and dropped.
    """

    def __init__(self) -> None:
        self.buffer = bytearray(MAX_WIRE)
        self.version = 0
        self.kind = 0
        self.sequence = 0
        self.start = HEAD_BYTES
        self.end = HEAD_BYTES
        self.damaged = 0
        self._length = 0
        self._overlong = False

    def feed(self, data: "bytes | bytearray | memoryview", start: int, end: int) -> int:
        """Take `data[start:end]` up to the first sound packet.

        Returns:
            Where to go on in `data` after that packet; -1 if the bytes are used up and no packet was completed.

        """
        buffer = self.buffer
        while start < end:
            octet = data[start]
            start += 1
            if octet:
                if self._length < MAX_WIRE:
                    buffer[self._length] = octet
                    self._length += 1
                else:
                    self._overlong = True
            elif self._length:
                length = self._length
                sound = not self._overlong and self._open(length)
                self._length = 0
                self._overlong = False
                if sound:
                    return start
                self.damaged += 1
        return -1

    def _open(self, length: int) -> bool:
        """Decode what stands in the buffer; return True if it is a sound packet."""
        length = cobs_decode(self.buffer, length)
        end = length - CRC_BYTES
        if end < HEAD_BYTES:
            return False
        if struct.unpack_from("<I", self.buffer, end)[0] != binascii.crc32(memoryview(self.buffer)[:end]):
            return False
        self.version, self.kind, self.sequence = struct.unpack_from("<BBH", self.buffer, 0)
        self.end = end
        return True
