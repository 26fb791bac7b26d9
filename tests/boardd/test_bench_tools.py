"""The measuring tools keep the program's contract: bad arguments are told in one line, with status 2."""

import argparse
import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import bench
from bench import command, engine_tactics, mutate_traces

HELPERS = {"__init__", "command", "proving", "suite"}
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


CLAIM = (
    '{"book": "tablut-edge", "position": "/3t1t3/4t4/9/7Tt/3T1TT1t/t3K4/3TT4/1t7/4t3t/", "side": "defenders",'
    ' "moves": [], "kind": "win in 1", "plies": 1, "solutions": ["e6-i6"]}'
)

NO_SUITES = (
    (b"", "suite: found nothing, expected claims"),
    (b"hello\n", "suite:1: found hello, expected a claim"),
    (b"[" * 100_000, "suite:1: found [[["),
    (b"[1]", "suite:1: found [1], expected a claim"),
    (b"{}", "suite:1: book: found no such key, expected book, position,"),
    (b"\n\xff\n", "suite: line 2, column 1: found byte 0xff, expected UTF-8 text"),
    *(
        (f"{CLAIM}\n\n{CLAIM.replace(found, wrong)}".encode(), f"suite:3: {told}")
        for found, wrong, told in (
            ("tablut-edge", "chess", "its game cannot be set up: rule book: found 'chess', expected"),
            ("/3t1t3/", "/", "its game cannot be set up: "),
            ("[],", '["a1-a2"],', "its game cannot be set up: move: found a1-a2"),
            ("[],", '["e6-i6", 3],', "moves: item 2: found 3, expected a valid string"),
            ("defenders", "\\u001b[31m", "side: found \\x1b[31m, expected 'attackers' or 'defenders'"),
            ("win in 1", "win", "kind: found win, expected 'win in 1', "),
            ("1,", "10,", "plies: found 10, expected less than or equal to 9"),
            ("plies", "ply", "plies: found no such key"),
            ("{", '{"more": 1, ', "more: unknown key, expected book,"),
        )
    ),
)


@pytest.mark.parametrize(("content", "told"), NO_SUITES)
def test_a_suite_that_is_none_is_refused_in_one_line(
    content: bytes, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "suite"
    path.write_bytes(content)
    assert ran(monkeypatch, engine_tactics.main, "engine_tactics", "check", str(path)) == 2
    (complaint,) = capsys.readouterr().err.splitlines()
    assert complaint.startswith(f"engine_tactics: {tmp_path}/{told}")


def test_a_directory_is_no_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(monkeypatch, engine_tactics.main, "engine_tactics", "check", str(tmp_path)) == 2
    assert capsys.readouterr().err == f"engine_tactics: {tmp_path}: Is a directory\n"


def test_a_claim_that_is_not_so_is_told_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "suite"
    path.write_text(f"{CLAIM}\n{CLAIM.replace('e6-i6', 'e6-h6')}\n", encoding="utf-8")
    assert ran(monkeypatch, engine_tactics.main, "engine_tactics", "check", str(path)) == 1
    found = f"{path}:2: found a claim that is not so: win in 1, 1 plies, by e6-h6, proved: e6-i6\n"
    assert capsys.readouterr().err == found


def test_mutants_of_another_tree_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(mutate_traces.ACTIVE, "")
    with pytest.raises(command.RefusedError, match="found no traces there, expected what"):
        mutate_traces.inside(tmp_path, argparse.Namespace(only=[], share=1.0, seed=1))


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"exit_code_by_key": ["a"]}'])
def test_a_file_without_mutants_is_refused(tmp_path: Path, content: str) -> None:
    meta = tmp_path / "one.meta"
    meta.write_text('{"exit_code_by_key": {"a": null, "b": 1}}', encoding="utf-8")
    assert mutate_traces.names_in(meta) == ["a", "b"]
    meta.write_text(content, encoding="utf-8")
    with pytest.raises(command.RefusedError, match="found no names of mutants"):
        mutate_traces.names_in(meta)


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
