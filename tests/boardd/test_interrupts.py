"""What Ctrl-C does while the program loads: Python loses one that comes in the middle of some imports."""

import subprocess
import sys

import pytest

HOW = """
import signal, sys
signal.signal(signal.SIGINT, {before})
import boardd.__main__
print(repr(signal.getsignal(signal.SIGINT)))
boardd.__main__.main(["rules"])
print(repr(signal.getsignal(signal.SIGINT)))
"""


@pytest.mark.parametrize(
    ("before", "loading", "running"),
    [
        ("signal.default_int_handler", "SIG_DFL", "default_int_handler"),
        ("signal.SIG_IGN", "SIG_IGN", "SIG_IGN"),  # as a shell starts what runs behind
    ],
)
def test_ctrl_c_ends_what_loads_and_is_heard_by_what_runs(before: str, loading: str, running: str) -> None:
    command = [sys.executable, "-c", HOW.format(before=before)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert loading in lines[0]
    assert running in lines[-1]
