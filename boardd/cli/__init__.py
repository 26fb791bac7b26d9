"""The command `konakis`: finds the subcommand, runs it, and turns every error into one line and a status.

Owns the exit statuses of the contract: 0 done, 1 something was found wrong, 2 it could not run. Each group of commands
is a module of its own, imported when one of them is called: `konakis --version` must not load the engine.
"""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import TextIO

import click

from boardd.errors import BoarddError

FOUND_WRONG = 1
"""It ran and found something wrong."""

COULD_NOT_RUN = 2
"""A bad argument, file or configuration."""

INTERRUPTED = 130
"""What a shell reports for a program that SIGINT ended (128 + 2)."""

HUNG_UP = 141
"""The same for one whose reader went away (128 + SIGPIPE)."""

TRACEBACK_VARIABLE = "KONAKIS_TRACEBACK"
"""Set it to see where an error came from."""

WHOLE = 1_000
"""Characters of a command's help in a list: longer than any sentence, so that none is cut."""

COMMANDS = {
    "rules": "boardd.cli.rules:rules",
    "book": "boardd.cli.book:book",
    "moves": "boardd.cli.rules:moves",
    "perft": "boardd.cli.rules:perft",
    "verify": "boardd.cli.records:verify",
    "replay": "boardd.cli.traces:replay",
    "simulate": "boardd.cli.traces:simulate",
    "run": "boardd.cli.daemon:run",
    "games": "boardd.cli.games:games",
    "engine": "boardd.cli.engine:engine",
    "analyze": "boardd.cli.analyze:analyze",
    "bench": "boardd.cli.bench:bench",
    "calibrate": "boardd.cli.calibrate:calibrate",
    "doctor": "boardd.cli.doctor:doctor",
    "firmware": "boardd.cli.firmware:firmware",
}
"""Where each command is found, in the order of the help."""


class WholeGroup(click.Group):
    """A group whose help tells of each command in a whole sentence."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, command.get_short_help_str(WHOLE)) for name, command in found if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class LazyGroup(WholeGroup):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        command = getattr(importlib.import_module(module), name)
        assert isinstance(command, click.Command)
        _hear_interrupts()
        return command


def _hear_interrupts() -> None:
    """Let Ctrl-C be an exception from now on; while modules were loading it ended the program (`boardd.__main__`)."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _print_version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    """Tell the version and stop."""
    if wanted and not context.resilient_parsing:
        from boardd.version import engine_form, program_version

        click.echo(f"konakis {program_version()} (engine: {engine_form()})")
        context.exit()


@click.group(cls=LazyGroup, invoke_without_command=True)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version, help="Tell the version."
)
@click.pass_context
def konakis(context: click.Context) -> None:
    """Follow, judge and light games of Tablut on an electronic board."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program.

    Args:
        arguments: what stands behind its name on the command line; the process's own by default.

    Returns:
        The exit status.

    """
    if sys.stderr is None:  # closed by whoever started us; nothing else may get its number
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # for as long as the program runs
    if sys.stdout is None:
        _complain("standard output: found it closed, expected it open; /dev/null takes what nobody wants")
        return COULD_NOT_RUN
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name in another script is no reason to fail
    try:
        status = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _let_go(sys.stdout)
        return HUNG_UP
    except Exception as error:
        if os.environ.get(TRACEBACK_VARIABLE):
            raise
        unwritten = _unwritten()
        nameless = isinstance(error, OSError) and error.filename is None and not isinstance(error, BoarddError)
        _complain(unwritten if unwritten is not None and nameless else _one_line(error))
        return COULD_NOT_RUN
    return status


def _complain(text: str) -> None:
    """Tell what is wrong, on one line that no terminal obeys."""
    line = "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
    try:
        print(f"konakis: {line}", file=sys.stderr, flush=True)
    except OSError:
        _let_go(sys.stderr)


def _unwritten() -> str | None:
    """Tell why standard output does not take what was written to it, if it does not."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _let_go(sys.stdout)
        return f"standard output: {error.strerror}"
    return None


def _let_go(stream: TextIO) -> None:
    """Send what is left to nowhere: the interpreter flushes once more at its end and must find somebody who listens."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run(arguments: list[str]) -> int:
    """Find the command, run it and give its status."""
    try:
        with konakis.make_context("konakis", arguments) as context:
            status = konakis.invoke(context)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    return status if isinstance(status, int) else 0


def _one_line(error: Exception) -> str:
    """Tell an error in one line; what nobody foresaw is called by its kind."""
    if isinstance(error, click.UsageError):
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            return _nothing_asked(error.ctx)
        place = error.ctx.command_path.removeprefix("konakis").strip() if error.ctx else ""
        return " ".join(f"{place}{': ' if place else ''}{error.format_message()}".split())
    if isinstance(error, click.ClickException):
        return " ".join(error.format_message().split())
    problems = getattr(error, "problems", None)
    if isinstance(problems, tuple):
        return "; also ".join(problems)
    if isinstance(error, BoarddError) or _is_told(error):
        return " ".join(str(error).split())
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    kind = type(error).__name__
    return " ".join(f"a fault of the program: {kind}: {error} ({TRACEBACK_VARIABLE}=1 shows where)".split())


def _nothing_asked(context: click.Context | None) -> str:
    """Tell what a group of commands, or a command, that was called alone would have needed."""
    assert context is not None
    place = context.command_path.removeprefix("konakis").strip()
    group = context.command
    words = ", ".join(group.list_commands(context)) if isinstance(group, click.Group) else "arguments"
    return f"{place}: found no command, expected one of {words}; {context.command_path} --help tells of them"


def _is_told(error: Exception) -> bool:
    """Tell whether an error is one that another of our packages raises on purpose."""
    from engine.errors import EngineError
    from firmware_bridge.errors import BridgeError
    from hardware.errors import HardwareError

    return isinstance(error, EngineError | BridgeError | HardwareError)
