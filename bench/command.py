"""What the measuring tools share as commands: arguments that are refused in one line, and an end in order.

Owns the exit statuses: 0 done, 1 something was found wrong, 2 it could not run, 130 broken off with Ctrl+C. Must not
know what is measured.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from boardd.errors import BoarddError

COULD_NOT_RUN = 2
"""A bad argument, a path that cannot be used, or something that is not installed."""

BROKEN_OFF = 130
"""What a shell reports for a program that SIGINT ended (128 + 2)."""

HUNG_UP = 141
"""The same for one whose reader went away (128 + SIGPIPE)."""

MOST = 1_000_000_000
"""Of anything that is counted; more would not end in a lifetime."""

A_YEAR_S = 366 * 86_400.0
"""Nobody measures for longer (seconds)."""

ENDING_S = 10.0
"""A process that was started by a tool that is broken off may tell what it has found for so long (seconds)."""


class RefusedError(Exception):
    """A tool cannot do what it was asked; the text is one line: what, where, what is right."""


class Parser(argparse.ArgumentParser):
    """A command line that is refused in one line, without the usage.

    Args:
        file: of the tool; its name is the command's.
        about: its docstring, shown as it is written.

    """

    def __init__(self, file: str, about: str | None) -> None:
        name = Path(file).stem
        super().__init__(name, description=about, formatter_class=argparse.RawDescriptionHelpFormatter)

    def error(self, message: str) -> NoReturn:
        """Tell what is wrong with the arguments, and end."""
        self.exit(COULD_NOT_RUN, f"{self.prog}: {_one_line(message)}\n")


def whole(least: int, most: int = MOST) -> Callable[[str], int]:
    """Make the type of an argument that is a whole number from `least` to `most`."""

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"found {text}, expected a whole number from {least} to {most}")
        return number

    return convert


seed = whole(0, (1 << 64) - 1)
"""What chance begins with; to Python a negative one would mean the same as its positive."""


def above_zero(what: str, most: float) -> Callable[[str], float]:
    """Make the type of an argument that is a number above 0 and at most `most`."""

    def convert(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not 0 < number <= most:
            raise argparse.ArgumentTypeError(f"found {text}, expected {what} above 0, at most {most:g}")
        return number

    return convert


seconds = above_zero("seconds", A_YEAR_S)
"""A length of time."""


def share(text: str) -> float:
    """Read a share, from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"found {text}, expected a share from 0 to 1")
    return number


def inner(command: Sequence[str | Path], environment: Mapping[str, str], directory: Path | None = None) -> int:
    """Run a process and give its exit status; Ctrl+C reaches it too, and it may tell what it has found."""
    with subprocess.Popen(command, env=environment, cwd=directory) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            try:
                return process.wait(ENDING_S)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


@contextlib.contextmanager
def unheard() -> Iterator[None]:
    """Keep Ctrl+C from processes that are started within, also while they load: whoever started them ends them."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # which a process hands on to those that it starts
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def run(main: Callable[[], int | None]) -> NoReturn:
    """Run a tool and end the process: with its status, or with one line on standard error and what that means."""
    name = Path(sys.argv[0]).stem
    try:
        status = main() or 0
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = _complain(name, "broken off", BROKEN_OFF)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = HUNG_UP
    except (RefusedError, BoarddError) as error:
        status = _complain(name, str(error), COULD_NOT_RUN)
    except OSError as error:
        told = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
        status = _complain(name, told, COULD_NOT_RUN)
    sys.exit(status)


def _complain(name: str, text: str, status: int) -> int:
    print(f"{name}: {_one_line(text)}", file=sys.stderr, flush=True)
    return status


def _one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
