"""What a daemon may tell of the games that hands play at it: `Judge` holds every state against what was meant."""

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

Played = tuple[str, tuple[str, ...]]
"""A move and what it captured, as the page tells them."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """What was played of a game, and its result."""

    moves: tuple[Played, ...]
    result: Json | None


class Judge:
    """Knows what may be told: all moves that were completed, and of the one under way at most what the hands did.

    Nothing that was told may be missing from what is told later.
    """

    def __init__(self) -> None:
        self.moves: tuple[Played, ...] = ()
        """The moves that were completed, and told."""
        self.reached = 0
        """What was told last of `open`."""
        self._open: tuple[tuple[Played, ...], ...] = ((),)
        self._result: Json | None = None

    def expect(self, *courses: tuple[Played, ...]) -> None:
        """Say which games may be told from now on, in the order in which they may; the first one was told."""
        self._open, self.reached = courses, 0

    def finish(self) -> None:
        """Take the last of the expected games for what has been played."""
        assert self.reached == len(self._open) - 1
        self.moves = self._open[-1]
        self._open, self.reached = (self.moves,), 0

    def told(self, state: Json) -> None:
        """Hold a state against what was meant."""
        moves = tuple((ply["move"], tuple(ply["captures"])) for ply in state["moves"])
        assert moves in self._open, f"told {moves}, meant one of {self._open}"
        index = self._open.index(moves)
        assert index >= self.reached, f"told {moves}, after {self._open[self.reached]} had been told"
        if index != self.reached:
            self.reached, self._result = index, None
        if self._result is not None:
            assert state["result"] == self._result, "a result that had been told is gone"
        self._result = state["result"]
        assert state["stored"]
        assert state["connected"]
