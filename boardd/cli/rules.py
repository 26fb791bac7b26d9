"""The commands about rules and positions: rules, moves, perft. Asks the engine; knows no rule."""

from __future__ import annotations

import time

import click

from boardd.cli.numbers import Whole
from boardd.cli.output import CommandError, console, counted, json_option, progress, result_words, table, write_json
from boardd.drawing import board_text
from boardd.events import bare_move_text, names, outcome_json
from engine import BOOKS, EngineError, Game, Move, Side, book_named
from engine.house import told
from engine.perft import perft as count_sequences
from engine.questions import escapes, king_in_danger

SIDES = [side.value for side in Side]

rules_option = click.option(
    "--rules", "book", required=True, metavar="BOOK", help="The rule book; see `konakis rules`."
)
position_option = click.option("--position", metavar="P", help="A position in OTN; the book's start by default.")
side_option = click.option("--side", type=click.Choice(SIDES), help="Who moves; the book's first side by default.")


def make_game(book: str, position: str | None, side: str | None) -> Game:
    """Set a game up as the options say."""
    rules = book_named(book)
    try:
        return Game(rules, position=position, side=None if side is None else Side(side))
    except EngineError as error:
        raise CommandError(f"--position: {error}") from error


@click.command()
@click.argument("book", required=False)
@json_option
def rules(book: str | None, as_json: bool) -> None:
    """List the rule books, or tell every rule of one."""
    if book is None:
        if as_json:
            write_json({"books": [{"name": b.name, "size": b.size, "first": b.first.value} for b in BOOKS.values()]})
        else:
            rows = [(b.name, b.size, b.first.value, b.goal.value) for b in BOOKS.values()]
            console().print(table(("book", "size", "moves first", "goal"), rows))
        return
    chosen = book_named(book)
    fields = told(chosen)
    if as_json:
        write_json(fields)
        return
    out = console()
    out.print(table(("rule", "value"), [(name, _words(value)) for name, value in fields.items()]))
    out.print()
    out.print(board_text(chosen, Game(chosen).pieces))


@click.command()
@rules_option
@position_option
@side_option
@json_option
def moves(book: str, position: str | None, side: str | None, as_json: bool) -> None:
    """Tell every legal move of a position, what it takes and whether it wins."""
    game = make_game(book, position, side)
    size = game.size
    legal = [(move, game.wins(move)) for move in game.legal_moves()]
    answer = {
        "position": game.position,
        "side": game.side.value,
        "moves": [
            {
                "move": bare_move_text(move, size),
                "captures": names(move.captures, size),
                "wins": None if winner is None else winner.value,
            }
            for move, winner in legal
        ],
        "escapes": escapes(game),
        "king_in_danger": king_in_danger(game),
        "result": None if game.result is None else outcome_json(game.result),
    }
    if as_json:
        write_json(answer)
        return
    out = console()
    out.print(board_text(game.book, game.pieces))
    out.print()
    if legal:
        out.print(table(("move", "captures", "wins"), [_move_row(move, winner, size) for move, winner in legal]))
    ways = {0: "no way out for the king", 1: "raichi"}.get(escapes(game), "tuichi")
    danger = ", king in danger" if king_in_danger(game) else ""
    result = "" if game.result is None else f"; over: {result_words(game.result)}"
    out.print(f"{game.side.value} to move, {len(legal)} legal moves; {ways}{danger}{result}")


@click.command()
@rules_option
@position_option
@side_option
@click.option("--depth", required=True, type=Whole(0, 20), help="How many plies to look ahead, at most 20.")
@click.option("--divide", is_flag=True, help="Count for each first move.")
@json_option
def perft(book: str, position: str | None, side: str | None, depth: int, divide: bool, as_json: bool) -> None:
    """Count the sequences of legal moves of a length, to compare with other programs."""
    game = make_game(book, position, side)
    started = time.perf_counter()
    counts = _divided(game, depth, quiet=as_json) if depth else {}
    nodes = sum(counts.values()) if depth else 1
    seconds = time.perf_counter() - started
    by_move = {bare_move_text(move, game.size): count for move, count in counts.items()}
    if as_json:
        write_json(by_move if divide else {"nodes": nodes, "seconds": round(seconds, 6)})
        return
    out = console()
    if divide:
        out.print(table(("move", "nodes"), by_move.items()))
        out.print()
    rate = f", {nodes / seconds:,.0f} a second" if seconds > 0 else ""
    out.print(f"{counted(nodes, 'node', 'nodes')} in {seconds:.3f} s{rate}")


def _divided(game: Game, depth: int, *, quiet: bool) -> dict[Move, int]:
    """Count by first move, with a bar that moves on with each."""
    legal = game.legal_moves()
    counts = {}
    with progress(len(legal), "first moves", quiet=quiet) as bar:
        for move in legal:
            after = game.copy()
            after.play(move)
            counts[move] = count_sequences(after, depth - 1)
            bar.advance(bar.task_ids[0])
    return counts


def _words(value: object) -> str:
    """Show a rule's value to people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(map(str, value)) or "nobody"
    return str(value)


def _move_row(move: Move, winner: Side | None, size: int) -> tuple[str, str, str]:
    return (
        bare_move_text(move, size),
        " ".join(names(move.captures, size)),
        "" if winner is None else winner.value,
    )
