"""The lines that `konakis engine` hears."""

import os
from pathlib import Path

from boardd.cli.engine import Lines
from boardd.computer.otep import LINE_BYTES


def test_an_endless_line_is_not_kept_and_the_next_is_heard(tmp_path: Path) -> None:
    said = tmp_path / "said"
    said.write_bytes(b"start\n" + b"x" * (20 * LINE_BYTES) + b"\nhello\n")
    descriptor = os.open(said, os.O_RDONLY)
    try:
        source = Lines(descriptor)
        heard: list[str] = []
        while (lines := source(True)) is not None:
            heard += lines
    finally:
        os.close(descriptor)
    first, long, last = heard
    assert (first, last) == ("start", "hello")
    assert LINE_BYTES <= len(long) <= 2 * LINE_BYTES
