"""What the daemon costs while nobody plays: the share of one core, over some seconds, with its page open to nobody.

Case 36 of what goes wrong on real boards: idle for a minute, under 3% of one core. Run it on a machine that does
nothing else: `python -m bench.idle [SECONDS]`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SETTLING_S = 5.0
"""After the start, before counting: imports and first pictures are not idling."""

SECONDS = 60.0
"""Counted by default."""


def cpu_s(process: int) -> float:
    """Give the CPU time that a process has used (seconds), from the 14th and 15th field of /proc/PID/stat."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(seconds: float) -> None:
    """Start a daemon, leave it alone, and print what it used."""
    with tempfile.TemporaryDirectory() as state:
        command = [sys.executable, "-m", "boardd", "run", "--port", "0"]
        environment = os.environ | {"XDG_STATE_HOME": state}
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as daemon:
            try:
                time.sleep(SETTLING_S)
                before, began = cpu_s(daemon.pid), time.monotonic()
                time.sleep(seconds)
                used, took = cpu_s(daemon.pid) - before, time.monotonic() - began
            finally:
                daemon.terminate()
    print(f"idle: {used:.2f} s of CPU in {took:.0f} s, {used / took:.1%} of one core")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS)
