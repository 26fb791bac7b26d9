"""Own what the page asks of the daemon; know neither HTTP nor the game."""

from collections.abc import AsyncIterator, Mapping
from typing import Protocol


class Face(Protocol):
    """The side of the daemon that the page sees.

    All methods are called on the event loop that serves the page and return without waiting.
    """

    def state(self) -> Mapping[str, object]:
        """Give everything a page shows, as one JSON object with `"type": "state"`."""
        ...

    def handle(self, message: Mapping[str, object]) -> str | None:
        """Do what a page asks.

        Args:
            message: a JSON object whose `type` is a string; nothing else about it is certain.

        Returns:
            One line that says why it was refused, or None when it was done.

        """
        ...

    def subscribe(self) -> AsyncIterator[object]:
        """Give an iterator that yields after each change, until it is closed.

        What it yields means nothing: whoever wants to know the change asks `state`. An iterator that nobody reads
        must hold nothing back and need not remember more than that something changed.
        """
        ...
