"""Computers for tests: a file system of a few files below a temporary directory."""

import atexit
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from hardware.machine import Machine

PI_4 = "Raspberry Pi 4 Model B Rev 1.5"
PI_5 = "Raspberry Pi 5 Model B Rev 1.0"
PI_3 = "Raspberry Pi 3 Model B Plus Rev 1.3"
ZERO_2 = "Raspberry Pi Zero 2 W Rev 1.0"


def machine(model: str | None, files: Mapping[str, str] | None = None) -> Machine:
    """Make a computer with a model's name and some files, gone when the tests end."""
    root = Path(tempfile.mkdtemp(prefix="konakis-machine-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    given = dict(files or {})
    if model is not None:
        given["proc/device-tree/model"] = model + "\0"
    for path, text in given.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return Machine(root)
