"""A calibration as pages see it: the same state and commands as on the command line, in the page's own protocol.

Owns the words of these messages. Decides nothing: `boardd.calibrate.calibration_run` does. It is a
`boardd.web.face_protocol.Face`, so the page's server serves it as it serves a game. Server to page: the object of
`CalibrationRun.to_json` with `remarks`, the last few things that were told, `refused` or not, and `stopped`. Page to
server: `{"type": "calibrate", "command": "skip" | "back" | "again" | "trust" | "stop"}`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping

from boardd.calibrate.calibrating import Stage
from boardd.calibrate.calibration_remarks import Remark
from boardd.calibrate.calibration_run import CalibrationRun
from boardd.calibrate.practice_hands import PracticeHands
from boardd.web.audience import Audience
from hardware.errors import HandError

KEPT = 5
"""Remarks that a page shows."""
COMMANDS = ("skip", "back", "again", "trust")
STOP = "stop"


class CalibrationFace:
    """One calibration, for any number of pages.

    Args:
        run: the calibration; whoever owns this calls `step`.
        now: the time.
        hands: the pages' hands on a simulated board; None where real hands move the piece.

    """

    def __init__(self, run: CalibrationRun, now: Callable[[], float], hands: PracticeHands | None = None) -> None:
        self._run = run
        self._now = now
        self._hands = hands
        self._remarks: deque[Remark] = deque(maxlen=KEPT)
        self._audience = Audience()
        self.stopped = False
        """Whether somebody has enough of it for now."""
        self._told = self.state()

    @property
    def done(self) -> bool:
        """Whether everything is learned, and written."""
        return self._run.machine.stage is Stage.DONE

    @property
    def pages(self) -> int:
        """How many pages look at it."""
        return len(self._audience)

    def step(self) -> None:
        """Take what the sensors say, and tell pages if something changed.

        Raises:
            SensorsError: the sensors are lost.
            CalibrationError: the disk refuses what was learned.

        """
        self._hear(self._run.step(self._now()))

    def stop(self) -> None:
        """Have enough of it for now."""
        self.stopped = True
        self._hear([])

    def state(self) -> Mapping[str, object]:
        """Give everything a page shows."""
        return {
            **self._run.to_json(),
            "remarks": [remark.to_json() for remark in self._remarks],
            "stopped": self.stopped,
            "simulated": self._hands is not None,
            **({} if self._hands is None else self._hands.to_json()),
        }

    def handle(self, message: Mapping[str, object]) -> str | None:
        """Do what a page asks; give one line that says why not, or None."""
        match message:
            case {"type": "calibrate", "command": str(word)} if word == STOP:
                self.stop()
                return None
            case {"type": "calibrate", "command": str(word)} if word in COMMANDS:
                self._hear(self._run.command(self._now(), word))
                return None
            case {"type": "lift" | "drop" | "box" | "unbox"} if self._hands is not None:
                return self._act(self._hands, message)
        return f"expected a message of type calibrate with one of the commands {', '.join((*COMMANDS, STOP))}"

    def subscribe(self) -> AsyncIterator[object]:
        """Yield after each change, until it is closed."""
        return self._audience.listen()

    def _act(self, hands: PracticeHands, message: Mapping[str, object]) -> str | None:
        """Move a simulated hand."""
        try:
            hands.act(self._now(), message)
        except HandError as error:
            return str(error)
        self._hear([])
        return None

    def _hear(self, remarks: list[Remark]) -> None:
        self._remarks.extend(remarks)
        told = self.state()
        if told != self._told:
            self._told = told
            self._audience.tell()
