"""The command that judges records of games: verify. Asks the engine; knows no rule."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import click

from boardd.cli import FOUND_WRONG
from boardd.cli.output import CommandError, console, counted, json_option, read_text, result_words, table, write_json
from boardd.drawing import board_text
from boardd.events import bare_move_text, outcome_json, ply_json
from engine import EngineError, Game, IllegalMove, Move, MoveText, NotationError, Refusal, book_named
from engine.records import Record, game_of, parse_moves, read_record

_RECORD = re.compile(r"\ufeff?\s*(\[|[0-9]+\.?\s)")
"""How a record begins: with a tag, or with the number of a turn. No move does."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A game played as far as its moves are legal, and the first that is not."""

    game: Game
    wrong: tuple[int, MoveText, Refusal] | None

    def to_json(self) -> dict[str, Any]:
        """Give the contract's object."""
        game, size = self.game, self.game.size
        found: dict[str, Any] = {
            "rules": game.book.name,
            "plies": [ply_json(ply, size) for ply in game.plies],
            "position": game.position,
            "side": game.side.value,
            "result": None if game.result is None else outcome_json(game.result),
        }
        if self.wrong is not None:
            ply, move, reason = self.wrong
            found["error"] = {
                "ply": ply,
                "move": bare_move_text(Move(move.origin, move.destination), size),
                "reason": reason.value,
            }
        return found


@click.command()
@click.argument("file")
@click.option("--rules", "book", metavar="BOOK", help="The rule book; needed for bare moves, overrides a record's own.")
@json_option
def verify(file: str, book: str | None, as_json: bool) -> int:
    """Play a record move by move and tell whether all of it is legal. FILE may be - for standard input."""
    name, text = read_text(file)
    try:
        game, moves, record = read_game(text, book)
    except EngineError as error:
        raise CommandError(f"{name}: {error}") from error
    verdict = judge(game, moves)
    if verdict.wrong is None:
        record.finish(game)
    if as_json:
        write_json(verdict.to_json())
    else:
        _tell(verdict)
    return 0 if verdict.wrong is None else FOUND_WRONG


def judge(game: Game, moves: tuple[MoveText, ...]) -> Verdict:
    """Play moves until one is illegal; captures that were left out are taken as the rules say."""
    for move in moves:
        try:
            if move.captures is None:
                game.play((move.origin, move.destination))
            else:
                game.play(Move(move.origin, move.destination, move.captures))
        except IllegalMove as error:
            return Verdict(game, (len(game.plies) + 1, move, error.reason))
    return Verdict(game, None)


def read_game(text: str, book: str | None) -> tuple[Game, tuple[MoveText, ...], Record]:
    """Read a record or bare moves, of which the record is empty: the game without its moves, these, and the record."""
    rules = None if book is None else book_named(book)
    if _RECORD.match(text):
        record = read_record(text)
        game = game_of(record, rules)
        return game, record.moves(game.size), record
    if rules is None:
        first = text.split()[:1]
        raise NotationError(
            repr(first[0]) if first else "nothing", "a tag such as [rules:…], or --rules with bare moves"
        )
    return Game(rules), parse_moves(text, rules.size), Record((), None, ())


def _tell(verdict: Verdict) -> None:
    """Tell people: the moves, the board, the result."""
    game, size = verdict.game, verdict.game.size
    out = console()
    out.print(
        table(
            ("ply", "side", "move", "announced"),
            [
                (ply.number, ply.side.value, ply.move.text(size), " ".join(word.value for word in ply.announcements))
                for ply in game.plies
            ],
        )
    )
    last = game.plies[-1].move if game.plies else None
    out.print()
    out.print(board_text(game.book, game.pieces, () if last is None else (last.origin, last.destination)))
    out.print()
    if verdict.wrong is None:
        out.print(
            f"{counted(len(game.plies), 'ply', 'plies')}, all legal under {game.book.name}; {result_words(game.result)}"
        )
        return
    ply, move, reason = verdict.wrong
    text = bare_move_text(Move(move.origin, move.destination), size)
    out.print(f"[bold red]illegal[/]: ply {ply}, {game.side.value}, {text}: {reason.value}")
