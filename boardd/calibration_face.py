"""A calibration as pages see it: the same state and commands as on the command line, in the page's own protocol.

Owns the words of these messages. Decides nothing: `boardd.calibration_run` does. It is a
`boardd.web.face_protocol.Face`, so the page's server serves it as it serves a game. Server to page: the object of
`CalibrationRun.to_json` with `remarks`, the last few things that were told, `refused` or not. Page to server:
`{"type": "calibrate", "command": "skip" | "back" | "again" | "trust"}`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping

from boardd.calibrating import Remark, Stage
from boardd.calibration_run import CalibrationRun

KEPT = 5
"""Remarks that a page shows."""
COMMANDS = ("skip", "back", "again", "trust")


class CalibrationFace:
    """One calibration, for any number of pages.

    Args:
        run: the calibration; whoever owns this calls `step`.
        now: the time.

    """

    def __init__(self, run: CalibrationRun, now: Callable[[], float]) -> None:
        self._run = run
        self._now = now
        self._remarks: deque[Remark] = deque(maxlen=KEPT)
        self._subscribers: set[asyncio.Event] = set()
        self._told = self.state()

    @property
    def done(self) -> bool:
        """Whether everything is learned, and written."""
        return self._run.machine.stage is Stage.DONE

    def step(self) -> None:
        """Take what the sensors say, and tell pages if something changed.

        Raises:
            SensorsError: the sensors are lost.
            CalibrationError: the disk refuses what was learned.

        """
        self._hear(self._run.step(self._now()))

    def state(self) -> Mapping[str, object]:
        """Give everything a page shows."""
        remarks = [{"text": remark.text, "refused": remark.refused} for remark in self._remarks]
        return {**self._run.to_json(), "remarks": remarks}

    def handle(self, message: Mapping[str, object]) -> str | None:
        """Do what a page asks; give one line that says why not, or None."""
        match message:
            case {"type": "calibrate", "command": str(word)} if word in COMMANDS:
                self._hear(self._run.command(self._now(), word))
                return None
        return f"expected a message of type calibrate with one of the commands {', '.join(COMMANDS)}"

    async def subscribe(self) -> AsyncIterator[object]:
        """Yield after each change, until it is closed."""
        event = asyncio.Event()
        self._subscribers.add(event)
        try:
            while True:
                await event.wait()
                event.clear()
                yield None
        finally:
            self._subscribers.discard(event)

    def _hear(self, remarks: list[Remark]) -> None:
        self._remarks.extend(remarks)
        told = self.state()
        if told != self._told:
            self._told = told
            for event in self._subscribers:
                event.set()
