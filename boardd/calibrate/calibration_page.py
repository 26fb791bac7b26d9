"""A calibration that is led by its page: touches the outside world (a socket, signals).

Owns the loop that reads the board and serves the page until everything is learned or somebody stops.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

from boardd.access import qr_code
from boardd.calibrate.calibration_face import CalibrationFace
from boardd.serving import Page
from boardd.web.server import CALIBRATION

STEP_S = 0.02
"""As often as sensors on wires are read."""
TELL_S = 0.3
"""After the end, for the pages to be told of it."""
ALONE_S = 5.0
"""Everything is learned and nobody looks for so long: he has seen it. A page that is loaded anew is away for less."""


def lead(face: CalibrationFace, page: Page, announce: Callable[[str], None], *, step_s: float = STEP_S) -> bool:
    """Calibrate by the page until everything is learned or somebody stops.

    Args:
        face: the calibration.
        page: its open port.
        announce: told where the page is.
        step_s: how often the board is read.

    Returns:
        Whether everything is learned.

    Raises:
        SensorsError: the sensors are lost.
        CalibrationError: the disk refuses what was learned.

    """
    announce(f"Open {page.address} in a browser; Ctrl+C stops.")
    if page.invitation is not None:
        announce(f"Whoever can reach it may watch. To calibrate: {page.invitation}")
        announce(qr_code(page.invitation))
    asyncio.run(_lead(face, page, step_s))
    return face.done


async def _lead(face: CalibrationFace, page: Page, step_s: float) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, face.stop)
    serving = asyncio.create_task(page.serve(face, CALIBRATION))
    try:
        seen = loop.time()
        while not face.stopped and not serving.done():
            face.step()
            if face.pages or not face.done:
                seen = loop.time()
            if loop.time() - seen > ALONE_S:
                break
            await asyncio.sleep(step_s)
        await asyncio.sleep(TELL_S)
    finally:
        await page.end(serving)
