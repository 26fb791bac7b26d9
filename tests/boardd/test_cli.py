import os
import subprocess
import sys

import pytest

import boardd.cli
from boardd.cli import COMMANDS, COULD_NOT_RUN, HUNG_UP, INTERRUPTED, TRACEBACK_VARIABLE
from engine.errors import GameStateError
from firmware_bridge.errors import BoardBusyError
from hardware.errors import SensorsError
from tests.boardd.commands import Terminal

PROGRAM = [sys.executable, "-c", "import sys; from boardd.cli import main; sys.exit(main())"]


def test_the_version(konakis: Terminal) -> None:
    assert konakis("--version").out.startswith("konakis ")


def test_the_version_loads_nothing_else() -> None:
    code = "import sys; from boardd.cli import main; main(['--version']); print(sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for slow in ("engine", "hardware", "rich", "pydantic", "uvicorn", "sqlite3", "asyncio"):
        assert f"'{slow}'" not in out


@pytest.mark.parametrize("arguments", [[], ["--help"], *([command, "--help"] for command in COMMANDS)])
def test_help(konakis: Terminal, arguments: list[str]) -> None:
    ran = konakis(*arguments)
    assert ran.status == 0
    assert ran.out.startswith("Usage: konakis")


def test_every_command_is_there(konakis: Terminal) -> None:
    out = konakis("--help").out
    for command in ("rules", "moves", "perft", "verify", "replay", "simulate", "run", "games"):
        assert f"\n  {command} " in out
    games = konakis("games", "--help").out
    for command in ("list", "show", "export", "trace"):
        assert f"\n  {command} " in games


def test_games_alone_tells_its_commands(konakis: Terminal) -> None:
    assert konakis("games").complaint == (
        "games: found no command, expected one of export, list, show, trace; konakis games --help tells of them"
    )


@pytest.mark.parametrize("group", [(), ("games",)])
def test_no_sentence_of_the_help_is_cut(konakis: Terminal, group: tuple[str, ...]) -> None:
    assert "..." not in konakis(*group, "--help").out.partition("Commands:")[2]


def failing(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(arguments: list[str]) -> int:
        raise error

    monkeypatch.setattr(boardd.cli, "_run", fail)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("two\nlines"), "a fault of the program: ValueError: two lines (KONAKIS_TRACEBACK=1 shows where)"),
        (FileNotFoundError(2, "No such file or directory", "x.toml"), "x.toml: No such file or directory"),
        (PermissionError(13, "Permission denied"), "Permission denied"),
        (BoardBusyError("/dev/ttyACM0", 7), str(BoardBusyError("/dev/ttyACM0", 7))),
        (SensorsError("no board"), "no board"),
        (GameStateError("over"), "over"),
    ],
)
def test_no_error_shows_a_traceback(
    konakis: Terminal, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    failing(error, monkeypatch)
    ran = konakis("rules")
    assert ran.status == COULD_NOT_RUN
    assert ran.complaint == told


def test_whoever_asks_sees_where_an_error_came_from(konakis: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(ZeroDivisionError("x"), monkeypatch)
    monkeypatch.setenv(TRACEBACK_VARIABLE, "1")
    with pytest.raises(ZeroDivisionError):
        konakis("rules")


def test_an_interrupt_is_silent(konakis: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(KeyboardInterrupt(), monkeypatch)
    ran = konakis("rules")
    assert (ran.status, ran.out, ran.err) == (INTERRUPTED, "", "")


@pytest.mark.parametrize(
    "arguments", [["rules"], ["rules", "--json"], ["perft", "--rules", "hnefatafl-13", "--depth", "1", "--divide"]]
)
def test_a_reader_that_goes_away_is_no_error(arguments: list[str]) -> None:
    with subprocess.Popen(
        [*PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.close()
        assert program.stderr.read() == b""
        assert program.wait() == HUNG_UP


def test_text_that_the_terminal_cannot_show_is_shown_as_it_can() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*PROGRAM, "rules", "Ж"], capture_output=True, check=False, env=environment)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
