"""What every set of sensors can do, whatever wire it hangs on.

Sensors are polled, never edge-interrupted. A driver may read its wires in a thread of its own; `poll` then only empties
its queue and never waits.
"""

from __future__ import annotations

from typing import Protocol

from hardware.news import Frame, News


class Sensors(Protocol):
    """The cells of one board, as news since the last question and as a whole reading.

    The order of calls: `open`, then any of `poll` and `read`, then `close`, which may be called at any time, and again.
    """

    @property
    def connected(self) -> bool:
        """Whether news come in now; a board that is unplugged or cannot be read may come back."""

    @property
    def trouble(self) -> str:
        """Why they do not, on one line that says what to do; empty while they do."""

    def open(self) -> None:
        """Take hold of the wires.

        Raises:
            SensorsError: they cannot be had; the message says what to do.

        """

    def poll(self, now: float) -> list[News]:
        """Return the news up to `now` (seconds) that were not returned before, oldest first; never wait.

        Raises:
            SensorsError: the wires are lost for good. A board that may come back only falls silent and sends a whole
                reading when it does.

        """

    def read(self) -> Frame:
        """Take a whole reading: the cells that read occupied at this moment, bounce included.

        Raises:
            SensorsError: the wires cannot be read.

        """

    def close(self) -> None:
        """Let go of the wires."""
