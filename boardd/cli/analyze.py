"""The command that looks back at games: analyze. Touches the disk, to write the picture."""

from __future__ import annotations

from pathlib import Path

import click

from boardd.cli import FOUND_WRONG
from boardd.cli.numbers import Whole
from boardd.cli.output import (
    STANDARD_INPUT,
    CommandError,
    console,
    counted,
    json_option,
    progress,
    read_text,
    result_words,
    table,
    write_json,
)
from boardd.cli.records import judge, read_game
from boardd.computer.analysis import Analysis
from boardd.computer.analysis import analyze as look_at
from boardd.computer.curve import BEGIN, curve
from boardd.events import bare_move_text
from engine import EngineError, Side
from engine.search import Value

LINE_MOVES = 4
"""Moves of the best line that a table shows."""


@click.command()
@click.argument("file")
@click.option("--rules", "book", metavar="BOOK", help="The rule book; needed for bare moves, overrides a record's own.")
@click.option(
    "--nodes",
    type=Whole(1),
    default=50_000,
    show_default=True,
    help="How many positions to look at for each move: more finds more, and takes longer.",
)
@click.option(
    "--picture",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the curve is written, as SVG; by default FILE.svg in this directory, and nowhere for standard input.",
)
@click.option("--no-picture", is_flag=True, help="Write no picture.")
@json_option
def analyze(file: str, book: str | None, nodes: int, picture: Path | None, no_picture: bool, as_json: bool) -> int:
    """Tell what each move of a game was worth, and which moves lost it. FILE may be - for standard input."""
    name, text = read_text(file)
    stem = "game" if file == STANDARD_INPUT else Path(file).stem
    path = None if no_picture else picture or _beside(file)
    try:
        game, moves, record = read_game(text, book)
    except EngineError as error:
        raise CommandError(f"{name}: {error}") from error
    verdict = judge(game, moves)
    if verdict.wrong is None:
        record.finish(game)
    bar = progress(len(game.plies) + 1, "positions", quiet=as_json)
    with bar:
        analysis = look_at(game, nodes, lambda: bar.advance(bar.task_ids[0]))
    if path is not None:
        _write(path, curve(analysis, f"{stem} ({analysis.rules}): {result_words(analysis.result)}"))
    if as_json:
        found = verdict.to_json()
        more = {"error": found["error"]} if "error" in found else {}
        write_json(analysis.to_json() | {"picture": None if path is None else str(path)} | more)
    else:
        _tell(analysis, path)
        if verdict.wrong is not None:
            console().print(f"[bold red]illegal[/]: ply {verdict.wrong[0]}; what comes after it was not looked at")
    return 0 if verdict.wrong is None else FOUND_WRONG


def _beside(file: str) -> Path | None:
    """Give where a picture goes that nobody named a place for; nothing but an older picture may be lost there.

    Raises:
        CommandError: something else is there.

    """
    if file == STANDARD_INPUT:
        return None
    path = Path(f"{Path(file).stem}.svg")
    try:
        with path.open("rb") as there:
            begin = there.read(len(BEGIN))
    except FileNotFoundError:
        return path
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error
    if begin != BEGIN.encode():
        raise CommandError(
            f"{path}: found a file that is no picture of this command's, expected none; --picture names another place"
        )
    return path


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error


def _tell(analysis: Analysis, path: Path | None) -> None:
    """Tell people."""
    size = analysis.size
    values = analysis.values
    rows = [
        (
            one.ply.number,
            one.ply.side.value,
            one.ply.move.text(size),
            _words(values[number]),
            _words(values[number + 1]),
            "" if one.mark is None else one.mark.value.replace("-", " "),
            " ".join(bare_move_text(move, size) for move in one.best[:LINE_MOVES]),
        )
        for number, one in enumerate(analysis.judged)
    ]
    out = console()
    out.print(table(("ply", "side", "move", "before", "after", "", "best line"), rows))
    out.print()
    out.print(f"{counted(len(rows), 'ply', 'plies')} under {analysis.rules}; {result_words(analysis.result)}")
    lost_by = analysis.lost_by
    if lost_by is not None:
        better = f"; better was {bare_move_text(lost_by.best[0], size)}" if lost_by.best else ""
        out.print(f"lost by ply {lost_by.ply.number}, {lost_by.ply.move.text(size)}{better}")
    if path is not None:
        out.print(f"the curve is in {path}")


def _words(value: Value) -> str:
    """Tell a value of the attackers'."""
    if value.plies is None:
        return f"{value.worth / 100:+.2f}"
    winner = Side.ATTACKERS if value.wins else Side.DEFENDERS
    return f"{winner.value} in {value.plies}" if value.plies else f"{winner.value} won"
