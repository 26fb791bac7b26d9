"""The measuring tools keep the program's contract: bad arguments are told in one line, with status 2."""

import argparse
import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import bench
from bench import command

HELPERS = {"__init__", "command", "proving"}
"""Modules of bench that are no commands."""

TOOLS = sorted({path.stem for path in Path(bench.__file__).parent.glob("*.py")} - HELPERS)

REFUSED = (
    *("campaign --plies 0", "campaign --plies -5", "campaign --seed x", "campaign --shrink", "campaign --row nope"),
    *("writes --games 0", "writes --games -1", "writes --hours 0", "idle abc", "idle -1", "idle nan", "idle inf"),
    *("week --hz 0", "week --days 0", "week --real 0", "week --real -1", "spectators --moves 0"),
    *("spectators --crowd -1", "spectators --crowd 0", "spectators --crowd 100000", "latency --moves 0"),
    *("strangers --seconds 0", "strangers --seconds -1", "fuzz_files nope", "fuzz_files --nope"),
    *("mutate_traces /nope", "mutate nope", "mutate store --share 2", "power_cuts --torn 0", "power_cuts --torn -3"),
    *("flips --flips 0", "flips --flips -1", "bridge_fuzz --damaged -1", "bridge_fuzz --seconds 0"),
    *("simulate --seconds -1", "simulate --fault fire", "engine_tactics check", "engine_tactics check /nope"),
    *("matches terms --games 0", "matches_levels --levels 1", "calibrate --games x", "tune --rounds 0"),
    "engine_forms x",
)


def ran(monkeypatch: pytest.MonkeyPatch, main: Callable[[], int | None], *arguments: str) -> object:
    """Run a tool as its entry point does; give the exit status."""
    monkeypatch.setattr(sys, "argv", list(arguments))
    with pytest.raises(SystemExit) as ended:
        command.run(main)
    return ended.value.code


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_tells_of_itself(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(monkeypatch, importlib.import_module(f"bench.{name}").main, name, "--help") == 0
    told = capsys.readouterr()
    assert told.out.startswith(f"usage: {name}")
    assert told.err == ""


@pytest.mark.parametrize("line", REFUSED)
def test_what_makes_no_sense_is_refused_in_one_line(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *arguments = line.split()
    assert ran(monkeypatch, importlib.import_module(f"bench.{name}").main, name, *arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    (complaint,) = told.err.splitlines()
    assert complaint.startswith(f"{name}: ")


def test_every_tool_has_arguments_that_are_refused() -> None:
    assert {line.split()[0] for line in REFUSED} == set(TOOLS)


def test_a_fuzzer_that_is_not_installed_is_named_with_what_installs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fuzz_files = importlib.import_module("bench.fuzz_files")
    monkeypatch.setattr(fuzz_files, "find_spec", lambda name: None)
    assert ran(monkeypatch, fuzz_files.main, "fuzz_files", "rules") == 2
    (complaint,) = capsys.readouterr().err.splitlines()
    assert "pip install atheris" in complaint


def test_what_is_broken_off_ends_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def main() -> None:
        raise KeyboardInterrupt

    assert ran(monkeypatch, main, "tool") == 130
    assert capsys.readouterr().err == "tool: broken off\n"


def test_a_fault_of_a_tool_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def main() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(sys, "argv", ["tool"])
    with pytest.raises(ZeroDivisionError):
        command.run(main)


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "x", "1e300"])
def test_no_length_of_time(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected seconds above 0"):
        command.seconds(text)
