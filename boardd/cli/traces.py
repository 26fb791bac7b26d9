"""The commands that run the tracking off the board: replay and simulate."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import click

from boardd.cli import FOUND_WRONG
from boardd.cli.numbers import SEED, Whole
from boardd.cli.output import (
    STANDARD_INPUT,
    CommandError,
    console,
    counted,
    directory_to_write,
    json_option,
    notice,
    progress,
    standard_input,
    table,
    write_json,
)
from boardd.replay import replay as replay_lines
from boardd.shrink import shrink
from boardd.simulate import RECOVERED, Report
from boardd.simulate import simulate as play_games
from boardd.trace import LINE_MAX, read_trace
from engine import BOOKS
from hardware.files import open_text, text_lines
from hardware.simulated.faults import Fault
from hardware.simulated.habits import MIXED, PROFILE_NAMES

SHOWN_FIRST = ("t", "event")


@click.command()
@click.argument("trace")
@click.option("--leds", is_flag=True, help="Tell the lights' pictures too.")
@click.option(
    "--shrink",
    "shorter",
    is_flag=True,
    help="Instead write the shortest trace that fails as this one does: of a failed game of konakis simulate --trace.",
)
@json_option
def replay(trace: str, leds: bool, shorter: bool, as_json: bool) -> None:
    """Replay a recorded trace and tell what the board decides. TRACE may be - for standard input."""
    with _lines(trace) as (name, lines):
        if shorter:
            for line in shrink(lines, name, warn=notice):
                click.echo(line)
            return
        ahead, size = _size(lines, name)
        events = replay_lines(itertools.chain(ahead, lines), name, leds=leds, warn=notice)
        out = console()
        for event in events:
            fields = event.to_json(size)
            if as_json:
                write_json(fields)
            else:
                out.print(_event_words(fields), markup=False)


@click.command()
@click.option("--games", required=True, type=Whole(1), metavar="N", help="How many games to play.")
@click.option(
    "--seed", default=1, show_default=True, type=SEED, metavar="S", help="The same seed plays the same games."
)
@click.option(
    "--rules", "book", default="tablut-edge", show_default=True, type=click.Choice(list(BOOKS)), help="The rule book."
)
@click.option(
    "--profile", default=MIXED, show_default=True, type=click.Choice(PROFILE_NAMES), help="What the hands are like."
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    type=click.Choice([fault.value for fault in Fault]),
    help="What is wrong with the board.",
)
@click.option(
    "--trace", "traces", type=click.Path(file_okay=False, path_type=Path), help="Keep traces of failed games here."
)
@click.option("--game", "only", type=Whole(0), metavar="I", help="Play only the game of this number.")
@json_option
def simulate(
    games: int,
    seed: int,
    book: str,
    profile: str,
    faults: tuple[str, ...],
    traces: Path | None,
    only: int | None,
    as_json: bool,
) -> int:
    """Play whole games between simulated hands through the real tracking."""
    if traces is not None:
        directory_to_write(traces)
    with progress(1 if only is not None else games, "games", quiet=as_json) as bar:
        report = play_games(
            games,
            seed,
            book,
            profile,
            faults,
            traces,
            lambda so_far: bar.update(bar.task_ids[0], completed=so_far.games),
            only=only,
        )
    if as_json:
        write_json(report.to_json())
    else:
        _tell(report)
    return 0 if report.good else FOUND_WRONG


@contextmanager
def _lines(trace: str) -> Iterator[tuple[str, Iterator[str]]]:
    """Open a trace; give what to call it, and its lines.

    Raises:
        CommandError: it cannot be read.

    """
    name = "standard input" if trace == STANDARD_INPUT else trace
    if trace == STANDARD_INPUT:
        yield name, _read(standard_input(), name)
        return
    with _opened(Path(trace)) as file:
        yield name, _read(file, name)


def _opened(path: Path) -> TextIO:
    """Open a trace."""
    try:
        return open_text(path)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error


def _read(file: TextIO, name: str) -> Iterator[str]:
    """Read line by line; what whoever uses the lines cannot do is not the trace's fault."""
    try:
        yield from text_lines(file, LINE_MAX)
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{name}: found a byte that is not UTF-8, expected a trace: JSON lines") from error


def _size(texts: Iterator[str], name: str) -> tuple[list[str], int]:
    """Read as far as the header; give the lines read, and the board's size."""
    ahead: list[str] = []
    for line in texts:
        ahead.append(line)
        if line.strip():
            break
    return ahead, read_trace(ahead, name).header.saved.book.size


def _event_words(fields: dict[str, Any]) -> str:
    """Put an event into one line for people."""
    rest = " ".join(f"{key} {_value(value)}" for key, value in fields.items() if key not in SHOWN_FIRST)
    return f"{fields['t']:9.3f}  {fields['event']:<10} {rest}".rstrip()


def _value(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={_value(item)}" for key, item in value.items()) or "-"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ",".join(map(str, value)) or "-"
    return "-" if value is None else str(value)


def _tell(report: Report) -> None:
    """Tell people how the games came out."""
    out = console()
    if report.habits:
        out.print(table(("habit", "times"), sorted(report.habits.items())))
        out.print()
    rate = f", {report.plies / report.seconds:,.0f} plies a second" if report.seconds > 0 else ""
    games, plies = counted(report.games, "game", "games"), counted(report.plies, "ply", "plies")
    out.print(f"{games}, {plies} in {report.seconds:.1f} s{rate}; seed {report.seed}")
    style = "bold green" if report.good else "bold red"
    out.print(
        f"[{style}]wrong {report.wrong}, missed {report.missed}[/], amended {report.amended}, "
        f"asked {report.asked}, helped {report.helped}, undone {report.undone}, unlit {report.unlit}"
    )
    if report.recoveries:
        times = ", ".join(f"{name} {report.recovered_s(share):.1f}" for name, share in RECOVERED.items())
        out.print(
            f"{counted(len(report.recoveries), 'trouble', 'troubles')}, agreed again after so many seconds: {times}"
        )
    for index, why in sorted(report.failures.items()):
        out.print(f"game {index}: {why}", markup=False)
