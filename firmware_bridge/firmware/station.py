"""The board's end of the conversation. Pure: bytes, time and hardware are handed in. See docs/protocol.md.

Rules:

1. The board never speaks first. It speaks from the first sound packet on until nothing was heard for three seconds.
2. It begins with HELLO, the faults that stand, a whole reading and a heartbeat.
3. News (LIFTED, DROPPED, READING) are numbered together, and the numbers go on while nobody listens.
4. A whole reading follows every burst of changes, every second, and every READ.
5. Nothing is sent again, and nothing waits for the host: what it does not read is thrown away and counted.
6. When the host falls silent the lights go black.
"""

import struct

from .scanner import MAGNET
from .wire import (
    BOUNCES,
    DROPPED,
    FAULT,
    FAULTS,
    GREET,
    HEAD_BYTES,
    HEARTBEAT,
    HELLO,
    LATE,
    LEAVE,
    LEAVE_MAGIC,
    LIFTED,
    MAX_PACKET,
    MAX_WIRE,
    PICTURE,
    PING,
    PONG,
    PROTOCOL,
    READ,
    READING,
    STUCK_COLUMN,
    STUCK_ROW,
    SUPPLY_LOW,
    TICKS,
    TO_HOST,
    Deframer,
    cobs_encode,
    elapsed,
    seal,
    unpack_runs,
)

TYPE_CHECKING = False  # MicroPython has no `typing`
if TYPE_CHECKING:
    from .scanner import Scanner
    from .shapes import Board

VERSION = (1, 0, 0)
"""Of the firmware: the first number goes with the protocol's version."""

HEARTBEAT_MS = 1000
READING_MS = 1000
BURST_QUIET_MS = 60
"""Two bounces of one magnet, and two squares of a fast slide (40 ms), are one burst."""
SILENCE_MS = 3000
"""Three heartbeats of the host that did not come."""
LATE_MS = 50
"""Between two scans. A slide can be as fast as 40 ms a square."""
HELLO_LAYOUT = "<IBBBBBHHHIB"  # then the identity
HEARTBEAT_LAYOUT = "<IHHIHHIHHHI"

SUPPLY_BACK_MV = 100
"""The supply must recover by this much, so that a fault does not come and go with every light."""


class Station:
    """One board, and the host that it talks to.

    Args:
        board: the hardware; see shapes.py.
        scanner: the cells.
        supply_low_mv: below this the supply is too low.

    """

    def __init__(self, board: "Board", scanner: "Scanner", supply_low_mv: int) -> None:
        self.live = False  # has a host been heard lately
        self._board = board
        self._scanner = scanner
        self._supply_low_mv = supply_low_mv
        self._deframer = Deframer()
        self._packet = bytearray(MAX_PACKET)
        self._wire = bytearray(MAX_WIRE + 1)
        self._colours = bytearray(3 * board.lights)
        self._fresh_colours = bytearray(3 * board.lights)
        self._sequence = 0
        self._news = 0
        self._faults = [0] * FAULTS
        self._heard = 0  # when the last sound packet came
        self._expected = -1  # the host's next sequence number, -1 if any is right
        self._picture = -1  # the sequence number of the last picture
        self._received = 0
        self._misunderstood = 0
        self._missed = 0
        self._unsent = 0
        self._free = 0
        self._changed_at = 0
        self._burst = False  # changes were told, and no reading since
        self._wanted = False  # a reading is wanted now
        self._read_at = 0
        self._beat_at = 0
        self._checked_at = 0
        self._scan_us = 0  # the longest since the last check
        self._pause_ms = 0
        self._told_scan_us = 0  # the longest of the second before it
        self._told_pause_ms = 0
        self._last_scan = -1
        board.show(self._colours)

    def receive(self, data: bytearray, length: int, now: int) -> None:
        """Take bytes from the host."""
        deframer = self._deframer
        place = 0
        while True:
            place = deframer.feed(data, place, length)
            if place < 0:
                return
            self._handle(now)

    def step(self, now: int, scan_us: int) -> None:
        """Say what there is to say after a scan that took `scan_us`."""
        if self._last_scan >= 0:
            self._pause_ms = max(self._pause_ms, elapsed(now, self._last_scan))
        self._last_scan = now
        self._scan_us = max(self._scan_us, scan_us)
        if self.live and elapsed(now, self._heard) > SILENCE_MS:
            self._hang_up()
        self._tell_changes(now)
        if elapsed(now, self._checked_at) >= HEARTBEAT_MS:
            self._checked_at = now
            self._check_slowly(now)
        self._check_matrix(now)
        if not self.live:
            return
        if self._reading_due(now):
            self._tell_reading(now)
        if elapsed(now, self._beat_at) >= HEARTBEAT_MS:
            self._beat(now)

    # The host's messages

    def _handle(self, now: int) -> None:
        deframer = self._deframer
        kind = deframer.kind
        payload = memoryview(deframer.buffer)[deframer.start : deframer.end]
        # A greeting is answered whatever its version, so that both ends can say which versions they speak.
        if kind & TO_HOST or (deframer.version != PROTOCOL and kind != GREET):
            self._misunderstood += 1
            return
        if kind == GREET:
            if len(payload) < 4:
                self._misunderstood += 1
                return
            self._expected = -1
            self._picture = -1
        self._follow(deframer.sequence)
        self._heard = now
        self._received += 1
        if kind == GREET:
            self._begin(now, struct.unpack_from("<I", payload, 0)[0])
        elif not self.live:
            self._begin(now, 0)
        if not self._obey(kind, payload, now):
            self._misunderstood += 1

    def _obey(self, kind: int, payload: memoryview, now: int) -> bool:
        """Do what a message asks; return False if it makes no sense."""
        if kind == GREET:
            return True
        if kind == READ:
            self._wanted = True
            return len(payload) == 0
        if kind == PING and len(payload) == 4:
            struct.pack_into("<II", self._packet, HEAD_BYTES, struct.unpack_from("<I", payload, 0)[0], now)
            self._send(PONG, 8)
            return True
        if kind == PICTURE:
            return self._show(payload)
        if kind == LEAVE and len(payload) == 4 and struct.unpack_from("<I", payload, 0)[0] == LEAVE_MAGIC:
            self._hang_up()
            self._board.leave()
            return True
        return False

    def _follow(self, sequence: int) -> None:
        """Count the host's packets that did not come."""
        if self._expected < 0:
            self._expected = sequence
        ahead = (sequence - self._expected) & 0xFFFF
        if ahead < 0x8000:
            self._missed += ahead
            self._expected = (sequence + 1) & 0xFFFF

    def _show(self, payload: memoryview) -> bool:
        """Show a picture, unless a newer one was shown already."""
        sequence = self._deframer.sequence
        if self._picture >= 0 and (sequence - self._picture - 1) & 0xFFFF >= 0x8000:
            return True
        colours = self._fresh_colours
        if not unpack_runs(payload, colours):
            return False
        self._picture = sequence
        self._fresh_colours = self._colours
        self._colours = colours
        self._board.show(colours)
        return True

    # The conversation

    def _begin(self, now: int, token: int) -> None:
        """Greet the host and tell it everything."""
        board = self._board
        scanner = self._scanner
        self.live = True
        identity = board.identity
        struct.pack_into(
            HELLO_LAYOUT,
            self._packet,
            HEAD_BYTES,
            token,
            PROTOCOL,
            VERSION[0],
            VERSION[1],
            VERSION[2],
            scanner.lines,
            board.lights,
            board.capabilities,
            scanner.debounce_ms,
            board.boot,
            1 if board.by_watchdog else 0,
        )
        start = struct.calcsize(HELLO_LAYOUT)
        self._packet[HEAD_BYTES + start : HEAD_BYTES + start + len(identity)] = identity
        self._send(HELLO, start + len(identity))
        self._wanted = True
        self._beat_at = (now - HEARTBEAT_MS) & TICKS

    def _hang_up(self) -> None:
        """Nobody listens: lights out, so that no old picture stays."""
        self.live = False
        for place in range(len(self._colours)):
            self._colours[place] = 0
        self._board.show(self._colours)

    def _send(self, kind: int, length: int) -> None:
        """Send the payload that stands in the packet buffer."""
        size = seal(self._packet, kind, self._sequence, length)
        self._sequence = (self._sequence + 1) & 0xFFFF
        size = cobs_encode(self._packet, size, self._wire)
        if not self._board.write(memoryview(self._wire)[:size]):
            self._unsent = (self._unsent + 1) & 0xFFFF

    # News

    def _tell_changes(self, now: int) -> None:
        """Tell the changes since the last scan: one packet for those of one kind and one time."""
        scanner = self._scanner
        if scanner.overflow:
            scanner.overflow = False
            self._news = (self._news + 1) & 0xFFFF  # a number that never comes: the host sees that news were lost
            self._wanted = True
        if not scanner.waiting:
            return
        self._changed_at = now
        self._burst = True
        kind = 0
        at_ms = 0
        length = 0
        while scanner.waiting:
            change = scanner.take()
            of = DROPPED if change & MAGNET else LIFTED
            if length and (of != kind or scanner.taken_at != at_ms):
                self._tell(kind, at_ms, length)
                length = 0
            kind = of
            at_ms = scanner.taken_at
            struct.pack_into("<H", self._packet, HEAD_BYTES + 6 + length, change & ~MAGNET)
            length += 2
        self._tell(kind, at_ms, length)

    def _tell(self, kind: int, at_ms: int, length: int) -> None:
        self._news = (self._news + 1) & 0xFFFF
        if self.live:
            struct.pack_into("<HI", self._packet, HEAD_BYTES, self._news, at_ms)
            self._send(kind, 6 + length)

    def _reading_due(self, now: int) -> bool:
        scanner = self._scanner
        if not scanner.ready or scanner.stuck_rows or scanner.stuck_columns:
            return False
        if self._wanted or elapsed(now, self._read_at) >= READING_MS:
            return True
        return self._burst and elapsed(now, self._changed_at) >= BURST_QUIET_MS

    def _tell_reading(self, now: int) -> None:
        """Tell every cell: cell 0 is bit 0 of the first byte."""
        scanner = self._scanner
        lines = scanner.lines
        cells = lines * lines
        self._news = (self._news + 1) & 0xFFFF
        struct.pack_into("<HIH", self._packet, HEAD_BYTES, self._news, now, cells)
        start = HEAD_BYTES + 8
        length = (cells + 7) >> 3
        for place in range(start, start + length):
            self._packet[place] = 0
        for row in range(lines):
            mask = scanner.settled[row]
            cell = row * lines
            while mask:
                if mask & 1:
                    self._packet[start + (cell >> 3)] |= 1 << (cell & 7)
                mask >>= 1
                cell += 1
        self._send(READING, 8 + length)
        self._read_at = now
        self._wanted = False
        self._burst = False

    # Health

    def _check_matrix(self, now: int) -> None:
        self._judge(STUCK_ROW, self._scanner.fault(STUCK_ROW), now)
        self._judge(STUCK_COLUMN, self._scanner.fault(STUCK_COLUMN), now)

    def _check_slowly(self, now: int) -> None:
        """Look once a second at what costs time."""
        self._free = self._board.tidy()
        supply = self._board.supply_mv()
        limit = self._supply_low_mv + (SUPPLY_BACK_MV if self._faults[SUPPLY_LOW] else 0)
        self._judge(SUPPLY_LOW, supply if 0 < supply < limit else 0, now)
        self._judge(LATE, self._pause_ms if self._pause_ms > LATE_MS else 0, now)
        self._told_scan_us = self._scan_us
        self._told_pause_ms = self._pause_ms
        self._scan_us = 0
        self._pause_ms = 0

    def _judge(self, code: int, value: int, now: int) -> None:
        """Take a fault as it stands, and tell it if it came, went or is another."""
        if value != self._faults[code]:
            self._faults[code] = value
            if self.live:
                self._tell_fault(code, now)

    def _tell_fault(self, code: int, now: int) -> None:
        struct.pack_into("<BII", self._packet, HEAD_BYTES, code, self._faults[code], now)
        self._send(FAULT, 9)

    def _beat(self, now: int) -> None:
        """Send the heartbeat, what stands, and which cells bounced."""
        faults = 0
        for code in range(FAULTS):
            if self._faults[code]:
                faults |= 1 << code
                self._tell_fault(code, now)
        self._tell_bounces()
        struct.pack_into(
            HEARTBEAT_LAYOUT,
            self._packet,
            HEAD_BYTES,
            now,
            self._news,
            faults,
            self._scanner.scans,
            min(max(self._scan_us, self._told_scan_us), 0xFFFF),
            min(max(self._pause_ms, self._told_pause_ms), 0xFFFF),
            self._received & 0x3FFFFFFF,
            (self._deframer.damaged + self._misunderstood) & 0xFFFF,
            self._missed & 0xFFFF,
            self._unsent,
            self._free,
        )
        self._send(HEARTBEAT, struct.calcsize(HEARTBEAT_LAYOUT))
        self._beat_at = now

    def _tell_bounces(self) -> None:
        scanner = self._scanner
        length = 0
        for row in range(scanner.lines):
            mask = scanner.bounced[row]
            scanner.bounced[row] = 0
            cell = row * scanner.lines
            while mask:
                if mask & 1:
                    struct.pack_into("<HH", self._packet, HEAD_BYTES + length, cell, scanner.edges[cell])
                    length += 4
                mask >>= 1
                cell += 1
        if length:
            self._send(BOUNCES, length)
