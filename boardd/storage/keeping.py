"""Between what a restart resumes from (`boardd.saved`) and the rows that hold it (`boardd.storage.store`). Pure.

Owns the spelling of games as text. A game that cannot be played again is refused here, before anybody trusts it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from boardd.saved import BY_WORD, Saved
from boardd.storage.schema import UnusableStoreError
from boardd.storage.store import StoredGame, StoredMove
from engine import EngineError, Game, Outcome, Reason, Side, Square, book_named, name_of, parse_square, square_name


def stored_game(saved: Saved, game: Game, attackers: str, defenders: str) -> StoredGame:
    """Spell a game.

    Args:
        saved: what must survive.
        game: the same game, which knows captures and result.
        attackers: the player's name.
        defenders: the player's name.

    """
    size = game.size
    result = game.result if saved.over_said else None
    return StoredGame(
        rules=name_of(game.book),
        position=game.start,
        side=game.first_side.value,
        moves=tuple(_move(ply.move.origin, ply.move.destination, ply.move.captures, size) for ply in game.plies),
        winner=None if result is None or result.winner is None else result.winner.value,
        reason=None if result is None else result.reason.value,
        attackers=attackers,
        defenders=defenders,
        removals=_names(saved.removals, size),
        board=None if saved.board is None else _names(saved.board, size),
        masked=_names(saved.masked, size),
        chosen=None if saved.chosen is None else _move(*saved.chosen, (), size),
    )


def saved_from(stored: StoredGame, where: str) -> tuple[Saved, Game]:
    """Read a game and play it again.

    Args:
        stored: as it was found.
        where: names file and game in messages.

    Raises:
        UnusableStoreError: it cannot be played again as it was written.

    """
    try:
        book = book_named(stored.rules)
        size = book.size
        saved = Saved(
            book,
            stored.position,
            Side(stored.side),
            tuple((parse_square(move.origin, size), parse_square(move.destination, size)) for move in stored.moves),
            _ended(stored),
            _squares(stored.removals, size),
            None if stored.board is None else _squares(stored.board, size),
            _squares(stored.masked, size),
            None
            if stored.chosen is None
            else (parse_square(stored.chosen.origin, size), parse_square(stored.chosen.destination, size)),
        )
        game = saved.game()
    except (EngineError, ValueError) as error:
        raise UnusableStoreError(f"{where}: cannot be played again: {error}") from error
    for ply, move in zip(game.plies, stored.moves, strict=True):
        captures = tuple(square_name(square, size) for square in ply.move.captures)
        if captures != move.captures:
            raise UnusableStoreError(
                f"{where}: ply {ply.number}, {move.origin}-{move.destination}: found captures"
                f" {' '.join(move.captures) or 'none'}, expected {' '.join(captures) or 'none'}"
            )
    return replace(saved, over_said=game.result is None or stored.reason is not None), game


def _ended(stored: StoredGame) -> Outcome | None:
    """Give the result where the moves do not show it."""
    if stored.reason is None:
        return None
    reason = Reason(stored.reason)
    return Outcome(None if stored.winner is None else Side(stored.winner), reason) if reason in BY_WORD else None


def _move(origin: Square, destination: Square, captures: tuple[Square, ...], size: int) -> StoredMove:
    return StoredMove(
        square_name(origin, size),
        square_name(destination, size),
        tuple(square_name(square, size) for square in captures),
    )


def _names(squares: Iterable[Square], size: int) -> frozenset[str]:
    return frozenset(square_name(square, size) for square in squares)


def _squares(names: Iterable[str], size: int) -> frozenset[Square]:
    return frozenset(parse_square(name, size) for name in names)
