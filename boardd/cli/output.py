"""What the commands share in talking to people and to scripts.

People get tables, a drawn board and colours where the output is a terminal; scripts get JSON, one object a line.
Diagnostics and progress go to standard error.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TextIO

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from boardd.errors import BoarddError
from engine import Outcome
from hardware.files import read_bytes, read_stream

json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON for scripts.")
"""Every command that tells something has it."""


RECORD_MAX_BYTES = 1_000_000
"""Of what a command reads whole; a game of a thousand moves, each with a comment, has a tenth of it."""

FILE_WIDTH = 200
"""Columns of a table that goes to a file or another program: nothing of ours is wider, so nothing is wrapped."""

STANDARD_INPUT = "-"
"""As the name of a file."""


class CommandError(BoarddError, ValueError):
    """A command cannot do what it was asked; the text says what was found and what was expected."""


class PeopleConsole(Console):
    """A console whose reader may go away, which is no error of the program."""

    def on_broken_pipe(self) -> None:
        """Tell `main`; rich itself would end the program with a status that means something else."""
        raise BrokenPipeError


def standard_input() -> TextIO:
    """Give standard input.

    Raises:
        CommandError: whoever started us closed it.

    """
    given: TextIO | None = sys.stdin
    if given is None:
        raise CommandError("standard input: found it closed, expected it open")
    return given


def read_text(file: str) -> tuple[str, str]:
    """Read a file or standard input whole; give what to call it, and its text.

    Raises:
        CommandError: it cannot be read.

    """
    name = "standard input" if file == STANDARD_INPUT else file
    try:
        if file == STANDARD_INPUT:
            content = read_stream(standard_input().buffer, RECORD_MAX_BYTES)
        else:
            content = read_bytes(Path(file), RECORD_MAX_BYTES)
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror}") from error
    try:
        return name, content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - (content.rfind(b"\n", 0, error.start) + 1) + 1
        found = f"byte 0x{content[error.start]:02x}"
        raise CommandError(f"{name}: line {line}, column {column}: found {found}, expected UTF-8 text") from error


def directory_to_write(path: Path) -> None:
    """Make a directory where there is none, and see that files can be written in it.

    Raises:
        CommandError: they cannot.

    """
    expected = "expected a directory to write in"
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}, {expected}") from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise CommandError(f"{path}: {os.strerror(errno.EACCES)}, {expected}")


def write_json(value: object) -> None:
    """Write one object as one line."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


def console() -> Console:
    """Give the console for people; without colours where it is no terminal."""
    return PeopleConsole(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else FILE_WIDTH)


def notice(text: str) -> None:
    """Tell something that is neither result nor error, on standard error."""
    click.echo(f"konakis: {text}", err=True)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """Make a plain table; a column whose cells are all numbers is set to the right."""
    cells = [list(row) for row in rows]
    made = Table(box=None, pad_edge=False, header_style="bold")
    for index, column in enumerate(columns):
        numbers = bool(cells) and all(isinstance(row[index], int | float) for row in cells)
        made.add_column(column, justify="right" if numbers else "left", overflow="fold")
    for row in cells:
        made.add_row(*("" if cell is None else str(cell) for cell in row))
    return made


def progress(total: int, what: str, *, quiet: bool) -> Progress:
    """Make a bar on standard error for long work; it shows nothing where that is no terminal.

    Args:
        total: how many steps.
        what: what the steps are, in a word.
        quiet: show nothing anyway.

    """
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=quiet or not sys.stderr.isatty(),
    )
    bar.add_task(what, total=total)
    return bar


def counted(number: int, one: str, more: str) -> str:
    """Tell how many in words: 1 ply, 2 plies."""
    return f"{number} {one if number == 1 else more}"


def result_words(result: Outcome | None) -> str:
    """Tell in words how a game ended."""
    if result is None:
        return "not finished"
    return f"{'a draw' if result.winner is None else f'{result.winner.value} win'} ({result.reason.value})"
