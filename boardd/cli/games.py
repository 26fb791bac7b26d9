"""The commands about games that were played on the board: list, show, export, trace."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from boardd.cli import WholeGroup
from boardd.cli.configuration import config_option, read_settings, state_path
from boardd.cli.numbers import Whole
from boardd.cli.output import CommandError, console, counted, json_option, notice, result_words, table, write_json
from boardd.drawing import board_text
from boardd.events import End, outcome_json, ply_json
from boardd.replay import replay
from boardd.storage.cutting import cut, text_of
from boardd.storage.keeping import saved_from
from boardd.storage.rows import DamagedGameError
from boardd.storage.schema import DamagedStoreError, UnwritableStoreError
from boardd.storage.store import FILE_NAME, Database, GameLine, StoredGame
from boardd.storage.trace_files import DIRECTORY_NAME, trace_files
from boardd.trace import TraceError
from engine import Game
from engine.records import record_of, write_record

number_argument = click.argument("number", type=Whole(1))


@click.group(cls=WholeGroup, no_args_is_help=True)
def games() -> None:
    """List, show and export what was played on this board."""


@games.command("list")
@config_option
@json_option
def list_games(config: Path | None, as_json: bool) -> None:
    """List all games."""
    directory = state_path(read_settings(config))
    with _database(directory) as database:
        lines = [] if database is None else database.games()
        for damage in [] if database is None else database.damages():
            notice(damage)
    if as_json:
        write_json({"games": [asdict(line) | {"ended": line.ended or None} for line in lines]})
    elif lines:
        columns = ("game", "started", "rules", "plies", "attackers", "defenders", "result")
        console().print(table(columns, [_line_row(line) for line in lines]))
    else:
        console().print(f"no games yet in {directory}", markup=False)


@games.command()
@number_argument
@config_option
@json_option
def show(number: int, config: Path | None, as_json: bool) -> None:
    """Show one game: its moves and the board as it stands."""
    line, stored, game = _game(state_path(read_settings(config)), number)
    size = game.size
    if as_json:
        write_json(
            {
                "number": number,
                "started": line.started,
                "ended": line.ended or None,
                "attackers": stored.attackers,
                "defenders": stored.defenders,
                "rules": game.book.name,
                "plies": [ply_json(ply, size) for ply in game.plies],
                "position": game.position,
                "side": game.side.value,
                "result": None if game.result is None else outcome_json(game.result),
            }
        )
        return
    out = console()
    names = " against ".join(filter(None, (stored.attackers, stored.defenders)))
    out.print(f"game {number}, {game.book.name}, {_local(line.started)}{f', {names}' if names else ''}", markup=False)
    out.print()
    turns = itertools.zip_longest(*[iter(game.plies)] * 2)
    first, second = game.first_side.value, game.first_side.other.value
    rows = [
        (turn, *("" if ply is None else ply.move.text(size) for ply in plies)) for turn, plies in enumerate(turns, 1)
    ]
    if rows:
        out.print(table(("", first, second), rows))
        out.print()
    last = game.plies[-1].move if game.plies else None
    out.print(board_text(game.book, game.pieces, () if last is None else (last.origin, last.destination)))
    out.print()
    state = f"{game.side.value} to move" if game.result is None else result_words(game.result)
    out.print(f"{counted(len(game.plies), 'ply', 'plies')}; {state}")


@games.command()
@number_argument
@config_option
def export(number: int, config: Path | None) -> None:
    """Write one game as an OTN record."""
    line, stored, game = _game(state_path(read_settings(config)), number)
    tags = {"date": datetime.fromisoformat(line.started).astimezone().strftime("%Y.%m.%d")}
    tags |= {side: name for side, name in (("attackers", stored.attackers), ("defenders", stored.defenders)) if name}
    click.echo(write_record(record_of(game, tags)), nl=False)


@games.command()
@number_argument
@config_option
def trace(number: int, config: Path | None) -> None:
    """Write the sensors' trace of one game, for `konakis replay` and for reports of faults."""
    directory = state_path(read_settings(config))
    _, _, game = _game(directory, number)
    piece = cut(trace_files(directory / DIRECTORY_NAME), number, notice)
    lines = list(text_of(piece))
    if piece.ply:
        notice(f"game {number}: the trace begins after ply {piece.ply}, older files are gone")
    else:
        why = _differs(lines, game)
        if why:
            notice(f"game {number}: {why}")
    for line in lines:
        click.echo(line)


def _differs(lines: list[str], game: Game) -> str:
    """Tell why replaying a trace does not give the moves of a game; empty where it does."""
    try:
        *_, end = replay(lines, "the trace")
    except TraceError as error:
        return f"a replay ends early: {error}"
    assert isinstance(end, End)
    if [move.text(game.size) for move in end.moves] == [ply.move.text(game.size) for ply in game.plies]:
        return ""
    return "replaying the trace does not give the game's moves; something was not recorded, or is damaged"


@contextmanager
def _database(directory: Path) -> Iterator[Database | None]:
    """Open the games of a state directory, to read; None if there are none yet."""
    path = directory / FILE_NAME
    if not path.exists():
        yield None
        return
    database = Database(path, lambda: datetime.now(UTC))
    try:
        try:
            database.open()
        except UnwritableStoreError:
            database.open_reading()
        except DamagedStoreError as error:
            told = f"{error}; konakis run sets the file aside and goes on with what is sound"
            try:
                database.open_sound()
            except DamagedStoreError:
                raise CommandError(told) from error
            notice(told)
        yield database
    finally:
        database.close()


def _game(directory: Path, number: int) -> tuple[GameLine, StoredGame, Game]:
    """Read one game and play it, up to where it is damaged if it is."""
    with _database(directory) as database:
        if database is None:
            raise CommandError(f"{directory}: found no games yet, expected game {number}")
        try:
            stored = database.game(number)
        except DamagedGameError as error:
            if error.sound is None:
                raise
            notice(f"{error}; what comes before is sound")
            stored = error.sound.game
        line = next(line for line in database.games() if line.number == number)
        return line, stored, saved_from(stored, f"{database.path}, game {number}")[1]


def _line_row(line: GameLine) -> tuple[object, ...]:
    result = "" if line.reason is None else f"{line.winner or 'draw'} ({line.reason})"
    return line.number, _local(line.started), line.rules, line.plies, line.attackers, line.defenders, result


def _local(time: str) -> str:
    """Show a stored time in the reader's own zone, to the minute."""
    return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")
