"""Daemons that are started quickly and killed, for tests that do it a hundred times."""

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tests.boardd import nursery

PATIENCE_S = 20.0


class Life:
    """One daemon, from its start to its end. `end` must be called before the next one starts."""

    def __init__(self, lines: "queue.Queue[str]") -> None:
        self._lines = lines
        self.pid = int(self._heard("pid"))
        self._status: int | None = None
        self._timer: threading.Timer | None = None

    @property
    def doomed(self) -> bool:
        """Whether its kill has been ordered."""
        return self._timer is not None

    def doom(self, after_s: float) -> None:
        """Kill it after a while, whatever happens meanwhile; only the first order counts."""
        if self._timer is None:
            self._timer = threading.Timer(after_s, os.kill, (self.pid, signal.SIGKILL))
            self._timer.start()

    def address(self) -> str | None:
        """Wait for the page's address; None when it ended before it told one."""
        line = self._lines.get(timeout=PATIENCE_S)
        if line.startswith("ended "):
            self._status = int(line.removeprefix("ended "))
            return None
        return line.rpartition(" ")[2]

    def end(self) -> int:
        """Wait for its end; give its exit status, or the signal that ended it as a negative number."""
        while self._status is None:
            line = self._lines.get(timeout=PATIENCE_S)
            if line.startswith("ended "):
                self._status = int(line.removeprefix("ended "))
        if self._timer is not None:
            self._timer.join()
        return self._status

    def stop(self) -> int:
        """Ask it to end, and wait."""
        os.kill(self.pid, signal.SIGTERM)
        return self.end()

    def _heard(self, word: str) -> str:
        line = self._lines.get(timeout=PATIENCE_S)
        assert line.startswith(f"{word} "), line
        return line.removeprefix(f"{word} ")


class Nursery:
    """The process that starts daemons."""

    def __init__(self, orders: IO[str], lines: "queue.Queue[str]", config: Path) -> None:
        self._orders = orders
        self._lines = lines
        self._config = config

    def start(self, *, anew: bool = False) -> Life:
        """Start a daemon, with a Python of its own if `anew`; the one before must have ended."""
        self._orders.write(f"{'exec' if anew else 'fork'} {self._config}\n")
        self._orders.flush()
        return Life(self._lines)


@contextmanager
def nursing(config: Path, complaints: Path) -> Iterator[Nursery]:
    """Start daemons with one configuration; what they write to standard error goes into a file."""
    lines: queue.Queue[str] = queue.Queue()
    with (
        complaints.open("w") as err,
        subprocess.Popen(
            [sys.executable, nursery.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=err,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        reader = threading.Thread(target=_read, args=(process.stdout, lines), daemon=True)
        reader.start()
        try:
            yield Nursery(process.stdin, lines, config)
        finally:
            process.stdin.close()
            try:
                process.wait(1.0)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # a daemon of a test that failed still runs
            reader.join(PATIENCE_S)


def _read(output: IO[str], lines: "queue.Queue[str]") -> None:
    for line in output:
        lines.put(line.rstrip("\n"))
