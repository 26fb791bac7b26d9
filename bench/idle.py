"""What the daemon costs while nobody plays: how soon it is ready, the share of one core, and its memory.

Case 36 of what goes wrong on real boards: idle for a minute, under 3% of one core. Run it on a machine that does
nothing else: `python -m bench.idle 60`. The board is the simulated one, its sensors read 50 times a second; its
page is open to nobody.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from bench import command

SETTLING_S = 5.0
"""After the start, before counting: imports and first pictures are not idling."""

SECONDS = 60.0
"""Counted by default."""

STARTS = 5
"""How often it is started, to tell the time that this takes."""

MB = 1024.0
"""In the kernel's kilobytes."""


def cpu_s(process: int) -> float:
    """Give the CPU time that a process has used (seconds), from the 14th and 15th field of /proc/PID/stat."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(process: int) -> tuple[float, float]:
    """Give what a process has in memory, and the most that it had so far (megabytes)."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    kb = {key: int(rest.split()[0]) for key, _, rest in (line.partition(":") for line in lines) if key.startswith("Vm")}
    return kb["VmRSS"] / MB, kb["VmHWM"] / MB


def started(state: str) -> tuple[subprocess.Popen[str], float]:
    """Start a daemon, and give the seconds until its page answers; by then it plays."""
    began = time.monotonic()
    daemon = subprocess.Popen(
        [sys.executable, "-m", "boardd", "run", "--port", "0"],
        env=os.environ | {"XDG_STATE_HOME": state},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert daemon.stdout is not None
    try:
        line = daemon.stdout.readline()
        if not line:
            raise command.RefusedError("the daemon said nothing, expected the address of its page")
        with urllib.request.urlopen(line.split()[-1], timeout=10) as answer:
            answer.read()
    except BaseException:
        end(daemon)
        raise
    return daemon, time.monotonic() - began


def end(daemon: subprocess.Popen[str]) -> None:
    """End it and hear it out."""
    daemon.terminate()
    daemon.communicate()


def main() -> None:
    """Start a daemon, leave it alone, and print what it used."""
    parser = command.Parser(__file__, __doc__)
    told = f"counted (default {SECONDS:g})"
    parser.add_argument("seconds", nargs="?", type=command.seconds, default=SECONDS, help=told)
    seconds = parser.parse_args().seconds
    ready = []
    with tempfile.TemporaryDirectory() as state:
        for _ in range(STARTS):
            daemon, took_s = started(state)
            ready.append(took_s)
            end(daemon)
        daemon, _ = started(state)
        try:
            time.sleep(SETTLING_S)
            before, began = cpu_s(daemon.pid), time.monotonic()
            time.sleep(seconds)
            used, took = cpu_s(daemon.pid) - before, time.monotonic() - began
            resident, most = memory_mb(daemon.pid)
        finally:
            end(daemon)
    print(f"ready: {min(ready):.2f} s at best, {max(ready):.2f} s at worst of {STARTS} starts")
    print(f"idle: {used:.2f} s of CPU in {took:.0f} s, {used / took:.1%} of one core")
    print(f"memory: {resident:.0f} MB resident, {most:.0f} MB at most")


if __name__ == "__main__":
    command.run(main)
