"""Runs `konakis` inside the test's own process, for tests of the command line."""

import io
import json
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from boardd.cli import main


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object it wrote; diagnostics must not have come between."""
        (line,) = self.out.splitlines()
        return json.loads(line)

    @property
    def lines(self) -> list[Any]:
        """The objects it wrote, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def complaint(self) -> str:
        """The one line with which it refused to run."""
        assert self.status == 2
        (line,) = self.err.splitlines()
        assert line.startswith("konakis: ")
        assert "Traceback" not in line
        return line.removeprefix("konakis: ")


class Terminal:
    """The command line of a test."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: object, stdin: str | bytes | None = "") -> Ran:
        """Run `konakis` with these arguments; None closes its standard input."""
        content = stdin.encode() if isinstance(stdin, str) else stdin
        given = None if content is None else io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")
        self._monkeypatch.setattr(sys, "stdin", given)
        self._capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        out, err = self._capsys.readouterr()
        return Ran(status, out, err)
