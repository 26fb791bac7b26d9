"""The lines of the tactical suite (tests/engine/tactics.jsonl), as values, and what is wrong with one.

Owns the form of a line. Must not know whether a claim is so: bench/proving.py does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from bench.command import RefusedError
from bench.proving import MOST_PLIES
from boardd.cli.output import read_text
from engine import EngineError, Game, Side, book_named, parse_move
from engine.errors import FOUND_MAX, one_line

Kind = Literal["win in 1", "win in 2", "win in 3", "win in 4", "only move", "refuse", "three moves", "fourth side"]
"""What a task asks for; bench/engine_tactics.py says of each what proves it."""


class Claim(BaseModel):
    """One line: from `position`, after `moves`, these `solutions` are right, and no other move is."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    book: str
    position: str
    side: Side
    moves: tuple[str, ...]
    kind: Kind
    plies: Annotated[int, Field(ge=1, le=MOST_PLIES)]
    solutions: tuple[str, ...]

    def game(self) -> Game:
        """Set up the game, played so far.

        Raises:
            EngineError: there is none like it.

        """
        game = Game(book_named(self.book), position=self.position, side=self.side)
        for move in self.moves:
            parsed = parse_move(move, game.size)
            game.play((parsed.origin, parsed.destination))
        return game


def read_suite(path: Path) -> dict[int, Claim]:
    """Read a file of claims; give each by the number of its line, from 1.

    Raises:
        CommandError: it cannot be read, or is not UTF-8.
        RefusedError: there is nothing in it, or a line is no claim.

    """
    name, text = read_text(str(path))
    rows = {number: row for number, row in enumerate(text.split("\n"), 1) if row.strip()}
    if not rows:
        raise RefusedError(f"{name}: found nothing, expected claims, one a line, as `make` writes them")
    return {number: _claim(row, f"{name}:{number}") for number, row in rows.items()}


def _claim(row: str, where: str) -> Claim:
    try:
        claim = Claim.model_validate_json(row)
        claim.game()
    except ValidationError as error:
        raise RefusedError(f"{where}: {_problem(error.errors()[0])}") from error
    except EngineError as error:
        raise RefusedError(f"{where}: its game cannot be set up: {error}") from error
    return claim


def _problem(error: ErrorDetails) -> str:
    """Tell what was found and what was expected."""
    key = "".join(f"{part}: " if isinstance(part, str) else f"item {part + 1}: " for part in error["loc"])
    match error["type"]:
        case "missing":
            return f"{key}found no such key, expected {', '.join(Claim.model_fields)}"
        case "extra_forbidden":
            return f"{key}unknown key, expected {', '.join(Claim.model_fields)}"
        case "json_invalid" | "model_type":
            return f"found {_found(error['input'])}, expected a claim as `make` writes it: a JSON object"
        case _:
            expected = error["msg"].removeprefix("Input should be ")
            return f"{key}found {_found(error['input'])}, expected {expected}"


def _found(value: object) -> str:
    return one_line(value if isinstance(value, str) else repr(value), FOUND_MAX)
