"""What the link counts. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from firmware_bridge.codec import Counts
from firmware_bridge.messages import Heartbeat

MS_PER_S = 1000


@dataclass(frozen=True, slots=True)
class RoundTrips:
    """How long the board took to answer, milliseconds."""

    count: int = 0
    last_ms: float = 0.0
    best_ms: float = 0.0
    worst_ms: float = 0.0
    mean_ms: float = 0.0

    def after(self, seconds: float) -> RoundTrips:
        """Return these with one more."""
        ms = seconds * MS_PER_S
        return RoundTrips(
            count=self.count + 1,
            last_ms=ms,
            best_ms=min(self.best_ms, ms) if self.count else ms,
            worst_ms=max(self.worst_ms, ms),
            mean_ms=(self.mean_ms * self.count + ms) / (self.count + 1),
        )


@dataclass(slots=True)
class Statistics:
    """Counts since the link was made, over all connections."""

    connections: int = 0  # times that the board was connected and had told everything
    received: Counts = field(default_factory=Counts)  # of ended connections and this one
    sent_packets: int = 0
    sent_octets: int = 0
    changes: int = 0
    readings: int = 0
    gaps: int = 0  # times that news turned out to be missing
    old_news: int = 0
    nonsense: int = 0  # messages that this board cannot mean: a cell that it does not have
    pictures: int = 0
    round_trips: RoundTrips = RoundTrips()
    board: Heartbeat | None = None  # what the board itself counted last

    def copy(self) -> Statistics:
        """Return the counts as they are now."""
        return replace(self, received=replace(self.received))
