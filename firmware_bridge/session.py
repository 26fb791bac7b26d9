"""One connection to the board, the host's end. Pure: bytes and time in, bytes and news out.

Rules:

1. Nothing that arrives is believed before a HELLO that repeats our token: what lay in buffers belongs to the past.
2. No news are passed on before a whole reading; and never again without one after the board has started anew.
3. A gap in the board's numbers is passed on as a gap, and a whole reading is asked for until it comes.
4. The picture that ought to be seen is sent when it changes, and once a second.
5. We say something each second, and believe the board gone when it says nothing for three.

    phase      our HELLO         HELLO of another start   READING   LIFTED, DROPPED   others   silence for 3 s
    GREETING   SYNCING or LOST   -                        -         -                 -        LOST
    SYNCING    -                 SYNCING or LOST          LIVE      -                 noted    LOST
    LIVE       -                 SYNCING or LOST          news      news              noted    LOST
    LOST       is final: begin another session

A board that is not the one that was asked for makes the session LOST instead of SYNCING.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from firmware_bridge.board_clock import BoardClock
from firmware_bridge.codec import Counts, Receiver, Sender
from firmware_bridge.errors import BoardRefusedError, BoardSilentError, LinkError, PacketError, VersionError
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
)
from firmware_bridge.news import CellsChanged, News, Numbering, WholeReading
from firmware_bridge.packets import DELIMITER
from firmware_bridge.statistics import Statistics
from firmware_bridge.tails import Rgb

GREET_EVERY_S = 0.5
"""A board that is starting, or reading a modem manager's probe, misses the first greeting."""
SYNC_EVERY_S = 0.3
READ_EVERY_S = 0.1
"""While news are missing: several answers fit in, should one be lost, before anybody's patience ends."""
PING_EVERY_S = 1.0
PICTURE_EVERY_S = 1.0
SILENCE_S = 3.0
"""Three heartbeats that did not come."""


class Phase(enum.Enum):
    """How far a connection has come."""

    GREETING = "greeting"
    SYNCING = "syncing"
    LIVE = "live"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which board we want; None is any."""

    board_id: str | None = None  # hex, as `Hello.name`
    size: int | None = None  # cells of a line

    def refusal(self, hello: Hello) -> str | None:
        """Say why a board is not the one; None if it is."""
        if hello.protocol != PROTOCOL:
            return (
                f"the board {hello.name} speaks protocol {hello.protocol}, this program {PROTOCOL}: "
                "put this program's firmware on it with `konakis firmware`"
            )
        if self.board_id is not None and hello.name.lower() != self.board_id.lower():
            return f"expected the board {self.board_id}, got {hello.name}"
        if self.size is not None and hello.size != self.size:
            return f"expected a board of {self.size}x{self.size} cells, {hello.name} has {hello.size}x{hello.size}"
        return None


ANY_BOARD = Wanted()


class Session:
    """One connection.

    Args:
        now: when it begins; all times are seconds on one clock.
        token: a number that no session before it had.
        wanted: which board we want.
        numbering: gives news their numbers, over all sessions.
        statistics: where to count, over all sessions.
        picture: what the lights ought to show, if anything.

    """

    def __init__(
        self,
        now: float,
        token: int,
        wanted: Wanted,
        numbering: Numbering,
        statistics: Statistics,
        picture: tuple[Rgb, ...] | None = None,
    ) -> None:
        self.phase = Phase.GREETING
        self.why: LinkError | None = None
        self.hello: Hello | None = None
        self.faults: Mapping[FaultCode, int] = {}
        self.bounces: dict[int, int] = {}  # raw changes of each cell since the board's start, modulo 65,536
        self._token = token
        self._wanted = wanted
        self._numbering = numbering
        self._statistics = statistics
        self._picture = picture
        self._receiver = Receiver(host=True)
        self._sender = Sender()
        self._clock = BoardClock()
        self._news: list[News] = []
        self._output = bytearray(DELIMITER)  # ends whatever stands in the board's buffer
        self._heard = now
        self._gap = False  # news are missing, and no reading came since
        self._asked = False
        self._newer: VersionError | None = None
        self._pings: dict[int, float] = {}  # token -> when it was sent
        self._read_at = now
        self._ping_at = now
        self._picture_at = now
        self._greet_at = now + GREET_EVERY_S
        self._send(Greet(token))
        numbering.restart()

    # In

    def receive(self, now: float, data: bytes) -> None:
        """Take bytes that arrived."""
        for found in self._receiver.feed(data):
            if self.phase is Phase.LOST:
                return
            if isinstance(found, VersionError):
                self._newer = found
            elif not isinstance(found, PacketError):
                self._hear(now, found.message)

    def show(self, picture: tuple[Rgb, ...]) -> None:
        """Say what the lights ought to show."""
        if picture != self._picture:
            self._picture = picture
            self._picture_at = float("-inf")

    def ask(self) -> None:
        """Ask for a whole reading, until one comes."""
        self._asked = True
        self._read_at = float("-inf")

    def leave(self) -> None:
        """Tell the firmware to step aside, so that its files can be changed."""
        self._send(Leave())

    def advance(self, now: float) -> None:
        """Do what is due."""
        if self.phase is Phase.GREETING and now >= self._greet_at:
            self._greet_at = now + GREET_EVERY_S
            self._send(Greet(self._token))
        if now - self._heard >= SILENCE_S and self.phase is not Phase.LOST:
            self._lose(self._silence())
        if self.phase not in (Phase.SYNCING, Phase.LIVE):
            return
        if self._must_read and now >= self._read_at:
            self._read_at = now + (READ_EVERY_S if self.phase is Phase.LIVE else SYNC_EVERY_S)
            self._send(Read())
        if now >= self._ping_at:
            self._ping_at = now + PING_EVERY_S
            self._ping(now)

    def advance_picture(self, now: float) -> None:
        """Send the picture if it is due; to be called only while nothing else waits to be written."""
        if self._picture is not None and self._lights and now >= self._picture_at:
            self._picture_at = now + PICTURE_EVERY_S
            self._send(Picture(self._picture))
            self._statistics.pictures += 1

    # Out

    def output(self) -> bytes:
        """Return the bytes to be written since the last call."""
        output = bytes(self._output)
        self._output.clear()
        return output

    def drain(self) -> list[News]:
        """Return the news since the last call."""
        news = self._news
        self._news = []
        return news

    @property
    def counts(self) -> Counts:
        """What this session has received."""
        return self._receiver.counts

    def deadline(self, *, writing: bool) -> float:
        """Return when `advance`, or `advance_picture` unless bytes wait to be written, will have something to do."""
        if self.phase is Phase.LOST:
            return float("-inf")
        due = [self._heard + SILENCE_S]
        if self.phase is Phase.GREETING:
            due.append(self._greet_at)
        else:
            due.append(self._ping_at)
            if self._must_read:
                due.append(self._read_at)
            if self._lights and not writing:
                due.append(self._picture_at)
        return min(due)

    # The conversation

    @property
    def _must_read(self) -> bool:
        return self._gap or self._asked or self.phase is Phase.SYNCING

    @property
    def _lights(self) -> bool:
        """True if there is a picture, and the board has as many lights; others would be refused by it."""
        if self.hello is None or self._picture is None or self.phase is Phase.LOST:
            return False
        return self.hello.lights == len(self._picture)

    def _send(self, message: Message) -> None:
        wire = self._sender.send(message)
        self._output += wire
        self._statistics.sent_packets += 1
        self._statistics.sent_octets += len(wire)

    def _ping(self, now: float) -> None:
        self._token = (self._token + 1) & 0xFFFFFFFF
        self._pings = {token: sent for token, sent in self._pings.items() if now - sent < SILENCE_S}
        self._pings[self._token] = now
        self._send(Ping(self._token))

    def _hear(self, now: float, message: Message) -> None:
        if isinstance(message, Hello):
            self._greeted(now, message)
            return
        if self.phase is Phase.GREETING or self.hello is None:
            return  # of an older conversation
        self._heard = now
        match message:
            case Lifted() | Dropped():
                at = self._clock.heard(message.at_ms, now)
                self._changed(at, message)
            case Reading():
                self._read(self._clock.heard(message.at_ms, now), message)
            case Heartbeat():
                self._clock.heard(message.at_ms, now)
                self._beat(now, message)
            case Pong():
                self._clock.heard(message.at_ms, now)
                sent = self._pings.pop(message.token, None)
                if sent is not None:
                    self._statistics.round_trips = self._statistics.round_trips.after(now - sent)
            case Bounces():
                if message.edges[-1][0] < self.hello.size**2:
                    self.bounces.update(message.edges)
                else:
                    self._statistics.nonsense += 1
            case Fault():
                self._fault(message)
            case _:  # the receiver lets nothing through that goes to the board
                self._statistics.nonsense += 1

    def _greeted(self, now: float, hello: Hello) -> None:
        mine = hello.token == self._token
        if self.phase is Phase.GREETING:
            if not mine:
                return
        elif self.hello is not None and hello.boot == self.hello.boot:
            self._heard = now
            return  # once more, or awake again: its numbers go on, and show what was lost
        refusal = self._wanted.refusal(hello)
        if refusal is not None:
            self._lose(BoardRefusedError(refusal))
            return
        self.hello = hello
        self.phase = Phase.SYNCING
        self.faults = {}
        self.bounces = {}
        self._heard = now
        self._clock = BoardClock()
        self._gap = False
        self._numbering.restart()
        self._read_at = now + SYNC_EVERY_S  # it comes unasked
        self._ping_at = now
        self._picture_at = now

    def _changed(self, at: float, message: Lifted | Dropped) -> None:
        if self.phase is not Phase.LIVE or self.hello is None:
            return
        if message.cells[-1] >= self.hello.size**2:
            self._statistics.nonsense += 1
            return
        seq = self._number(message.news)
        if seq is not None:
            self._statistics.changes += 1
            self._news.append(CellsChanged(at, message.cells, isinstance(message, Dropped), seq))

    def _read(self, at: float, message: Reading) -> None:
        if self.hello is None or len(message.cells) != self.hello.size**2:
            self._statistics.nonsense += 1
            return
        seq = self._number(message.news)
        if seq is None:
            return
        if self.phase is Phase.SYNCING:
            self.phase = Phase.LIVE
            self._statistics.connections += 1
        self._gap = False
        self._asked = False
        self._statistics.readings += 1
        self._news.append(WholeReading(at, message.occupied, seq))

    def _number(self, board: int) -> int | None:
        """Return the number of news, noting it if some are missing before them."""
        if self._numbering.missing(board):
            self._miss()
        seq = self._numbering.number(board)
        if seq is None:
            self._statistics.old_news += 1
        return seq

    def _miss(self) -> None:
        if not self._gap:
            self._gap = True
            self._read_at = float("-inf")
            self._statistics.gaps += 1

    def _beat(self, now: float, message: Heartbeat) -> None:
        self._statistics.board = message
        if self.phase is Phase.LIVE and self._numbering.missing((message.news + 1) & 0xFFFF):
            self._miss()  # the last news before it were lost
        standing = {code: value for code, value in self.faults.items() if message.faults >> code & 1}
        if standing != self.faults:
            self.faults = standing

    def _fault(self, message: Fault) -> None:
        try:
            code = FaultCode(message.code)
        except ValueError:
            return  # of a newer firmware
        faults = {known: value for known, value in self.faults.items() if known is not code}
        if message.value:
            faults[code] = message.value
        self.faults = faults

    def _silence(self) -> LinkError:
        if self.phase is not Phase.GREETING:
            return BoardSilentError(f"the board said nothing for {SILENCE_S:g} seconds")
        if self._newer is not None:
            return BoardRefusedError(f"{self._newer}: put this program's firmware on it with `konakis firmware`")
        return BoardSilentError(
            "what is plugged in does not answer: is the firmware on it? `konakis firmware` says how"
        )

    def _lose(self, why: LinkError) -> None:
        self.phase = Phase.LOST
        self.why = why
