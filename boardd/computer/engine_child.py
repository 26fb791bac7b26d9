"""One process of an engine, and the lines that it says and hears: touches processes.

Owns starting and ending it, and what no engine may do to the program that listens: say endless lines, talk without
end, ask without listening, leave the pipe to a process of its own. Must not know what is asked, nor the game.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Sequence

from boardd.computer.engine_failure import EngineFailedError, Trouble
from boardd.computer.otep import LINE_BYTES, OtepError, read_engine, text_of
from boardd.computer.otep_messages import Complains, EngineMessage, HostMessage, Status

log = logging.getLogger(__name__)

NICE = 10
"""Thinking must not be in the way of sensors and lights."""

LEAVE_S = 0.5
"""How long an engine may take to leave once it was told goodbye."""

GONE_S = 1.0
"""How long a killed engine is waited for. One that runs as another user does not die by our hand, and one that has
started a process in a session of its own leaves it the pipe."""

MOST_NONSENSE = 1000
"""So many lines that are no message, with none that is one between, and the engine is held to be broken. OpenTafl's own
engine repeats every line that it hears, and after a takeback it hears a whole game at once."""
TOLD_NONSENSE = 3  # such lines of one process are worth a warning

MOST_LINES = 50_000
"""So many lines to one question, and the engine is held to be broken. Ten minutes of thought with eighty a second."""

BREATH = 8
"""After so many lines, a fraction of a millisecond's work, everything else in the program has its turn."""


class EngineChild:
    """A process that speaks OTEP.

    Args:
        process: started, with pipes; see `start`.

    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._lines = 0  # since the last question
        self._nonsense = 0  # since the last message
        self._strange = 0  # since it was started

    @classmethod
    async def start(cls, command: Sequence[str]) -> EngineChild:
        """Start a process.

        Raises:
            EngineFailedError: it cannot be started.

        """
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LINE_BYTES,
                start_new_session=True,  # the terminal's interrupt is for us
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise EngineFailedError(Trouble.START, f"{command[0]}: {reason}") from error
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
        return cls(process)

    @property
    def status(self) -> int | None:
        """Its exit status; None while it runs."""
        return self._process.returncode

    async def leave(self) -> None:
        """Wait a little for it to end by itself."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._process.wait(), LEAVE_S)

    async def end(self) -> None:
        """End it, which need not agree, and wait a little until it is gone."""
        process = self._process
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # a session of its own, with whatever it has started
        if process.stdin is not None:
            process.stdin.close()
        try:
            await asyncio.wait_for(self._gone(), GONE_S)
        except TimeoutError:
            log.warning("the engine's process %d, or one that it started, does not end", process.pid)
            process._transport.close()  # type: ignore[attr-defined]  # nothing else lets go of the pipe

    async def _gone(self) -> None:
        if self._process.stdout is not None:
            with contextlib.suppress(ValueError):
                while await self._process.stdout.read(LINE_BYTES):  # the pipe closes when it has been read to its end
                    pass
        await self._process.wait()

    def send(self, *messages: HostMessage) -> None:
        """Tell it something.

        Raises:
            EngineFailedError: it is gone.

        """
        stdin = self._process.stdin
        if stdin is None or stdin.is_closing():
            raise EngineFailedError(Trouble.CRASHED, "it is gone")
        text = "".join(text_of(message) + "\n" for message in messages)
        log.debug("to the engine: %s", text.strip())
        stdin.write(text.encode("ascii"))

    async def heard(self) -> None:
        """Wait until it has read nearly all that it was told.

        Raises:
            EngineFailedError: it is gone.

        """
        if self._process.stdin is not None:
            try:
                await self._process.stdin.drain()
            except OSError:
                raise EngineFailedError(Trouble.CRASHED, "it is gone") from None

    def asked(self) -> None:
        """Begin to count its lines anew."""
        self._lines = 0

    async def receive(self) -> EngineMessage:
        """Give the next message; nonsense is passed over as long as it is little.

        Raises:
            EngineFailedError: it is gone, talks nonsense or without end, or says that it plays no more.

        """
        while True:
            try:
                said = read_engine(await self._line())
            except OtepError as error:
                self._nonsense += 1
                self._strange += 1
                log.log(logging.WARNING if self._strange <= TOLD_NONSENSE else logging.DEBUG, "the engine: %s", error)
                if self._nonsense >= MOST_NONSENSE:
                    raise EngineFailedError(Trouble.NONSENSE, str(error)) from None
                continue
            self._nonsense = 0
            if isinstance(said, Complains):
                if said.code < 0:
                    raise EngineFailedError(Trouble.NONSENSE, f"it says: {said.text or 'nothing more'}")
                log.warning("the engine says: %s", said.text)
            elif isinstance(said, Status):
                log.debug("the engine says: %s", said.text)
            return said

    async def _line(self) -> str:
        stdout = self._process.stdout
        assert stdout is not None
        self._lines += 1
        if self._lines > MOST_LINES:
            raise EngineFailedError(Trouble.NONSENSE, f"more than {MOST_LINES} lines and no answer")
        if self._lines % BREATH == 0:
            await asyncio.sleep(0)  # lines that are here already are given without a pause
        try:
            line = await stdout.readline()
        except ValueError:
            raise EngineFailedError(Trouble.NONSENSE, f"a line of more than {LINE_BYTES} bytes") from None
        if not line.endswith(b"\n"):
            status = await self._process.wait()
            raise EngineFailedError(Trouble.CRASHED, f"it ended with status {status}")
        return line.decode("ascii", "backslashreplace")
