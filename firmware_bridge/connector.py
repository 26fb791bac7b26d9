"""Keeping a board connected: find it, open it, talk to it, and begin again when it is lost. No thread, no clock.

Whoever owns a connector calls `step` whenever its deadline has come, bytes have arrived or there is a new picture. Then
everything that it does to the world goes through the two functions and the port that it was given.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from random import Random

from firmware_bridge.errors import BridgeError, LinkError, PortLostError
from firmware_bridge.faults import describe_faults
from firmware_bridge.messages import FaultCode, Hello
from firmware_bridge.news import News, Numbering, WholeReading
from firmware_bridge.ports import Port
from firmware_bridge.session import ANY_BOARD, Phase, Session, Wanted
from firmware_bridge.statistics import Statistics
from firmware_bridge.tails import Rgb

FIRST_RETRY_S = 0.1
LAST_RETRY_S = 1.6
"""A board that comes back is found within three seconds, greeting and reading included."""
STEADY_S = 5.0
"""A connection that lasted so long was a good one: after it the first retry is quick again."""
NEWS_KEPT = 4096
"""For somebody who does not ask: an hour of a quiet board. The oldest go first, and their numbers show it."""
NEWS_A_POLL = 128
"""So that a flood does not keep whoever asks from the rest of his work; a board sends a few each time."""
READS_A_STEP = 64
"""So that a flood does not keep the timers from their turn."""
WHY_NOT_OPEN = "the link is not open"


class Connection(enum.Enum):
    """How far the link has come."""

    CLOSED = "closed"
    SEARCHING = "searching"  # no port: not plugged in, busy, gone
    GREETING = "greeting"  # a port, and nobody known behind it
    SYNCING = "syncing"  # a board that has not yet told what stands on it
    LIVE = "live"


@dataclass(frozen=True, slots=True)
class LinkState:
    """The link as it stands. `why` says on one line what is missing; it is empty while the link is live."""

    connection: Connection = Connection.CLOSED
    why: str = WHY_NOT_OPEN
    port: str | None = None
    hello: Hello | None = None
    faults: Mapping[FaultCode, int] = field(default_factory=dict)

    @property
    def live(self) -> bool:
        """True while news come in."""
        return self.connection is Connection.LIVE


_CONNECTIONS = {
    Phase.GREETING: Connection.GREETING,
    Phase.SYNCING: Connection.SYNCING,
    Phase.LIVE: Connection.LIVE,
    Phase.LOST: Connection.SEARCHING,
}


class Connector:
    """One board, connected again and again.

    Args:
        find: returns the board's port; raises LinkError.
        open_port: opens it; raises LinkError.
        wanted: which board we want.
        rng: draws the tokens of greetings.

    """

    def __init__(
        self,
        find: Callable[[], str],
        open_port: Callable[[str], Port],
        *,
        wanted: Wanted = ANY_BOARD,
        rng: Random | None = None,
    ) -> None:
        self.state = LinkState()
        self.bounces: Mapping[int, int] = {}
        self.newest: WholeReading | None = None
        self.port: Port | None = None
        self._find = find
        self._open_port = open_port
        self._wanted = wanted
        self._rng = rng or Random()
        self._statistics = Statistics()
        self._numbering = Numbering()
        self._session: Session | None = None
        self._pending = bytearray()
        self._news: deque[News] = deque(maxlen=NEWS_KEPT)
        self._picture: tuple[Rgb, ...] | None = None
        self._asked = False
        self._retry_at = float("-inf")
        self._retry_s = FIRST_RETRY_S
        self._live_since: float | None = None
        self._told_t = float("-inf")  # the time of the news told last

    @property
    def writing(self) -> bool:
        """True while bytes wait for room in the port."""
        return bool(self._pending)

    @property
    def statistics(self) -> Statistics:
        """The counts since the connector was made."""
        counts = self._statistics.copy()
        if self._session is not None:
            counts.received.add(self._session.counts)
        return counts

    def show(self, picture: tuple[Rgb, ...]) -> None:
        """Say what the lights ought to show from the next step on."""
        self._picture = picture

    def ask(self) -> None:
        """Ask for a whole reading with the next step."""
        self._asked = True

    def leave(self) -> bool:
        """Tell the firmware to step aside, with the next step; False if no board is connected."""
        if self._session is None or self._session.hello is None:
            return False
        self._session.leave()
        return True

    def poll(self, now: float) -> list[News]:
        """Return the news that were not returned before, oldest first; of very many the rest with the next calls.

        Their times never decrease and are never later than `now`; by the way they came they may be earlier than the
        last call's `now`. Safe while another thread is in `step`.
        """
        told: list[News] = []
        while self._news and len(told) < NEWS_A_POLL:
            news = self._news.popleft()
            self._told_t = max(self._told_t, min(news.t, now))
            told.append(replace(news, t=self._told_t))
        return told

    def connect(self, now: float) -> None:
        """Find and open the port, and begin a session.

        Raises:
            LinkError: it cannot be had; `step` will try again.

        """
        try:
            port = self._open_port(self._find())
        except LinkError as error:
            self._retry(now, error)
            raise
        self.port = port
        self._pending.clear()
        token = self._rng.getrandbits(31) + 1
        self._session = Session(now, token, self._wanted, self._numbering, self._statistics, self._picture)
        self._publish(now)

    def step(self, now: float) -> float:
        """Do all that can be done now.

        Returns:
            When to call again at the latest, seconds; earlier if bytes arrive, or there is room for those that wait.

        """
        if self._session is None:
            if now < self._retry_at:
                return self._retry_at
            try:
                self.connect(now)
            except LinkError:
                return self._retry_at
        session, port = self._session, self.port
        assert session is not None
        assert port is not None
        try:
            more = self._talk(now, session, port)
        except BridgeError as error:
            self._drop(now, error)
            return self._retry_at
        self._publish(now)
        if more:
            return now
        due = session.deadline(writing=self.writing)
        return due if port.deadline is None else min(due, port.deadline)

    def close(self) -> None:
        """Write what can be written at once, and let go of the port."""
        session, port = self._session, self.port
        if session is not None and port is not None:
            if self._picture is not None:
                session.show(self._picture)
            session.advance_picture(float("inf"))
            self._pending += session.output()
            try:
                self._flush(port)
            except PortLostError:
                self._pending.clear()
        if not self._pending:
            self.abandon()

    def abandon(self) -> None:
        """Let go of the port whatever still waits to be written, and forget the picture."""
        self._picture = None
        self._end(LinkState())

    def _talk(self, now: float, session: Session, port: Port) -> bool:
        """Read, think, write; return True if more waits to be read."""
        more = True
        for _ in range(READS_A_STEP):
            data = port.read()
            if not data:
                more = False
                break
            session.receive(now, data)
        if self._asked:
            self._asked = False
            session.ask()
        session.advance(now)
        if self._picture is not None:
            session.show(self._picture)
        self._pending += session.output()
        self._flush(port)
        if not self._pending:
            session.advance_picture(now)
            self._pending += session.output()
            self._flush(port)
        self._collect(session)
        if session.phase is Phase.LOST:
            assert session.why is not None
            raise session.why
        return more

    def _collect(self, session: Session) -> None:
        for news in session.drain():
            self._news.append(news)
            if isinstance(news, WholeReading):
                self.newest = news

    def _flush(self, port: Port) -> None:
        while self._pending:
            written = port.write(bytes(self._pending))
            if not written:
                return
            del self._pending[:written]

    def _drop(self, now: float, why: BridgeError) -> None:
        """Give up a connection."""
        if self._live_since is not None and now - self._live_since >= STEADY_S:
            self._retry_s = FIRST_RETRY_S
        self._end(self.state)
        self._retry(now, why)

    def _retry(self, now: float, why: BridgeError) -> None:
        self._retry_at = now + self._retry_s
        self._retry_s = min(2 * self._retry_s, LAST_RETRY_S)
        self.state = LinkState(Connection.SEARCHING, str(why))

    def _end(self, state: LinkState) -> None:
        if self._session is not None:
            self._collect(self._session)
            self._statistics.received.add(self._session.counts)
            self._session = None
        if self.port is not None:
            self.port.close()
            self.port = None
        self._pending.clear()
        self._live_since = None
        self.state = state

    def _publish(self, now: float) -> None:
        """Show the state if it has changed."""
        session, port = self._session, self.port
        assert session is not None
        assert port is not None
        state = LinkState(_CONNECTIONS[session.phase], _why(session), port.name, session.hello, session.faults)
        if state != self.state:
            self.state = state
        if self._live_since is None and state.live:
            self._live_since = now
        self.bounces = session.bounces


def _why(session: Session) -> str:
    """Say what a connection still lacks."""
    if session.phase is Phase.GREETING:
        return "the port is open, the board has not yet answered"
    if session.phase is Phase.SYNCING:
        return describe_faults(session.faults) or "the board has answered, and not yet told what stands on it"
    return ""
