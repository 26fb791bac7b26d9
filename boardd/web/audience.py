"""Those who wait for something to change: every page that shows a face. Knows nothing of what changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator


class Audience:
    """Everybody who is to hear of the next change; several changes before he looks are one."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Event] = set()

    def __len__(self) -> int:
        """How many there are."""
        return len(self._waiting)

    def tell(self) -> None:
        """Say that something has changed."""
        for event in self._waiting:
            event.set()

    async def listen(self) -> AsyncIterator[object]:
        """Yield after each change, until it is closed."""
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            while True:
                await event.wait()
                event.clear()
                yield None
        finally:
            self._waiting.discard(event)
