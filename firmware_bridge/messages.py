"""The messages of protocol version 1: one table, and nothing about when they are sent (see docs/protocol.md).

A message is a frozen dataclass. A row of `MESSAGES` gives the number of its type (`kind`), the layout of its fixed
fields in the order of the dataclass, and the form of what follows them. Numbers with the top bit set go to the host,
the others to the board.

What may change: new types may come within a version, and a reader ignores types that it does not know. A type's payload
never changes within a version. `Hello` begins in every version with its token and the protocol's number.
"""

from __future__ import annotations

import enum
import struct
from dataclasses import astuple, dataclass, fields

from firmware_bridge.errors import FieldError, MessageError
from firmware_bridge.packets import MAX_PAYLOAD_BYTES
from firmware_bridge.tails import CELLS, COUNTS, FRAME, IDENTITY, NOTHING, RUNS, Rgb, Tail

PROTOCOL = 1
"""The version of the protocol that this program speaks."""

LEAVE_MAGIC = 0x4C504552
"""The bytes `REPL`. A message that stops the firmware must not come about by chance."""

TO_HOST = 0x80
"""The bit of a type's number that says: from the board to the host."""


class Capability(enum.IntFlag):
    """What a board can do besides sensing; unknown bits are kept."""

    LIGHTS = 1  # lights hang on the chip: it takes pictures
    WATCHDOG = 2  # a firmware that hangs is started again
    SUPPLY = 4  # it measures its supply


class Reset(enum.IntEnum):
    """Why the firmware started."""

    POWER = 0
    WATCHDOG = 1  # it hung, or gave up after an error: the chip cannot tell these apart


class FaultCode(enum.IntEnum):
    """What is wrong with a board; the heartbeat's `faults` has one bit for each, bit 0 for code 0."""

    STUCK_ROW = 0  # one row stays powered; value: bit r for each row that it could be
    STUCK_COLUMN = 1  # value: bit c for each column that reads a magnet while no row is powered
    SUPPLY_LOW = 2  # value: mV
    LATE = 3  # value: the longest time between two scans in the last second, ms


@dataclass(frozen=True, slots=True)
class Greet:
    """Ask who is there. The answer repeats the token, so that an old answer is not taken for it."""

    token: int


@dataclass(frozen=True, slots=True)
class Read:
    """Ask for a whole reading now."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Show this: one colour for each light. Travels as runs of equal colours."""

    colours: tuple[Rgb, ...]


@dataclass(frozen=True, slots=True)
class Ping:
    """Say that the host is there, and ask for a `Pong`."""

    token: int


@dataclass(frozen=True, slots=True)
class Leave:
    """Stop the firmware until the power goes, so that its files can be changed. Nothing answers."""

    magic: int = LEAVE_MAGIC


@dataclass(frozen=True, slots=True)
class Hello:
    """Who the board is. `token` is the greeting's, or 0 if the board begins to speak for another reason."""

    token: int
    protocol: int
    major: int
    minor: int
    patch: int
    size: int  # cells of a line; the board has size * size
    lights: int
    capabilities: int
    debounce_ms: int
    boot: int  # drawn at each start, so that a restart shows
    reset: int
    board_id: bytes

    @property
    def firmware(self) -> str:
        """The firmware's version as people write it."""
        return f"{self.major}.{self.minor}.{self.patch}"

    @property
    def name(self) -> str:
        """The board's id as people write it; on a Pico its USB serial number."""
        return self.board_id.hex()


@dataclass(frozen=True, slots=True)
class Lifted:
    """These cells no longer see a magnet, since `at_ms` of the board's clock."""

    news: int
    at_ms: int
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """These cells see a magnet, since `at_ms` of the board's clock."""

    news: int
    at_ms: int
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """Every cell of the board, in order: does it see a magnet."""

    news: int
    at_ms: int
    cells: tuple[bool, ...]

    @property
    def occupied(self) -> frozenset[int]:
        """The cells that see a magnet."""
        return frozenset(cell for cell, magnet in enumerate(self.cells) if magnet)


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The board is there; what it counted since it started, and the longest of the last second."""

    at_ms: int
    news: int  # the number of the last news it told
    faults: int  # bit n: FaultCode n stands
    scans: int
    longest_scan_us: int  # of the last second
    longest_pause_ms: int  # between two scans of the last second
    received: int  # sound packets
    damaged: int  # bytes between two zeros that were no packet, and packets that made no sense
    missed: int  # gaps in the host's sequence numbers
    unsent: int  # packets thrown away because the host did not read
    free_bytes: int


@dataclass(frozen=True, slots=True)
class Pong:
    """The answer to a `Ping`, with its token."""

    token: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class Bounces:
    """How many raw changes some cells have made since the start, modulo 65,536: those that changed since last told."""

    edges: tuple[tuple[int, int], ...]  # cell, raw changes


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault as it stands; a value of 0 says that it is over."""

    code: int
    value: int
    at_ms: int


Message = (
    Greet | Read | Picture | Ping | Leave
    | Hello | Lifted | Dropped | Reading | Heartbeat | Pong | Bounces | Fault
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: a type of message and its form on the wire."""

    kind: int
    message: type[Message]
    layout: str  # of the fixed fields, as struct writes it, without the byte order
    tail: Tail

    @property
    def to_host(self) -> bool:
        """True if the board sends it, False if the host does."""
        return bool(self.kind & TO_HOST)

    @property
    def head(self) -> struct.Struct:
        """The fixed fields."""
        return struct.Struct("<" + self.layout)


MESSAGES = (
    #   kind  message    fixed fields     what follows
    Row(0x01, Greet,     "I",             NOTHING),
    Row(0x02, Read,      "",              NOTHING),
    Row(0x03, Picture,   "",              RUNS),
    Row(0x04, Ping,      "I",             NOTHING),
    Row(0x05, Leave,     "I",             NOTHING),
    Row(0x81, Hello,     "IBBBBBHHHIB",   IDENTITY),
    Row(0x82, Lifted,    "HI",            CELLS),
    Row(0x83, Dropped,   "HI",            CELLS),
    Row(0x84, Reading,   "HI",            FRAME),
    Row(0x85, Heartbeat, "IHHIHHIHHHI",   NOTHING),
    Row(0x86, Pong,      "II",            NOTHING),
    Row(0x87, Bounces,   "",              COUNTS),
    Row(0x88, Fault,     "BII",           NOTHING),
)  # fmt: skip

_BY_KIND = {row.kind: row for row in MESSAGES}
_BY_MESSAGE = {row.message: row for row in MESSAGES}


def kind_of(message: Message) -> int:
    """Return the number of a message's type."""
    return _BY_MESSAGE[type(message)].kind


def encode_payload(message: Message) -> bytes:
    """Return a message's payload.

    Raises:
        FieldError: a field does not fit; the message says which.

    """
    row = _BY_MESSAGE[type(message)]
    values = [getattr(message, field.name) for field in fields(message)]
    tail = values.pop() if row.tail is not NOTHING else None
    try:
        payload = row.head.pack(*values) + row.tail.encode(tail)
    except (struct.error, FieldError) as error:
        raise FieldError(f"{message} does not fit on the wire: {error}") from None
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise FieldError(f"expected at most {MAX_PAYLOAD_BYTES} bytes, {type(message).__name__} has {len(payload)}")
    return payload


def decode_payload(kind: int, payload: bytes) -> Message:
    """Return the message of a payload.

    Raises:
        MessageError: the type is unknown, or the payload does not have its form.

    """
    row = _BY_KIND.get(kind)
    if row is None:
        raise MessageError(f"expected a type of the table, got {kind:#04x}")
    name = row.message.__name__
    head = row.head
    if len(payload) < head.size:
        raise MessageError(f"expected at least {head.size} bytes in {name}, got {len(payload)}")
    values = head.unpack_from(payload)
    rest = payload[head.size :]
    try:
        message: Message = row.message(*values, *row.tail.decode(rest))
    except MessageError as error:
        raise MessageError(f"{name}: {error}") from None
    return message


def plain(message: Message) -> dict[str, object]:
    """Return a message's fields as JSON knows them: bytes in hex, tuples as lists. For vectors and logs."""
    names = [field.name for field in fields(message)]
    return {name: _plain(value) for name, value in zip(names, astuple(message), strict=True)}


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value
