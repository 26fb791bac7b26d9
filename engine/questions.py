"""What a player may want to know about a game as it stands; the lights ask these. Decides no rule: asks the core.

Every question looks one move ahead at most and leaves the game as it was. "Could" means: were it that side's turn.
"""

from engine import king
from engine.game import Game
from engine.pieces import Side
from engine.position import RUNNING
from engine.squares import Square
from engine.tables import ATTACKING, CELL_MASK, DEFENDING, MOVE_SHIFT
from engine.values import Move

TUICHI = 2
"""From so many open ways on, no single move closes them all (rules, corner 7)."""


def destinations(game: Game, square: Square) -> tuple[Move, ...]:
    """Return the legal moves of the piece on a square; none if it is not its turn."""
    return tuple(move for move in game.legal_moves() if move.origin == square)


def escape_squares(game: Game) -> frozenset[Square]:
    """Return the goal squares that the king could reach next move."""
    position = game.core
    if position.ended_by_king() != RUNNING:
        return frozenset()
    return frozenset(Square(game.tables.square(move & CELL_MASK)) for move in king.escaping(position))


def escapes(game: Game) -> int:
    """Return in how many directions the king could reach his goal next move: 1 is raichi, TUICHI or more is tuichi."""
    return len(escape_squares(game))


def king_takers(game: Game) -> tuple[tuple[Square, Square], ...]:
    """Return the moves, as origin and destination, by which attackers could take the king."""
    position, square = game.core, game.tables.square
    if position.ended_by_king() != RUNNING:
        return ()
    moves = king.taking_king(position)
    return tuple((Square(square(move >> MOVE_SHIFT)), Square(square(move & CELL_MASK))) for move in moves)


def king_in_danger(game: Game) -> bool:
    """Tell whether attackers could take the king."""
    return bool(king_takers(game))


def threats(game: Game) -> frozenset[Square]:
    """Return the attackers that could take the king, and the squares that they would move to."""
    return frozenset(square for taker in king_takers(game) for square in taker)


def endangered(game: Game, side: Side) -> frozenset[Square]:
    """Return the pieces of a side that the other side could take; none when the game is over."""
    return frozenset() if game.result is not None else _takeable(game, side)


def risky(game: Game, move: Move) -> bool:
    """Tell whether the piece that makes a legal move could be taken by the reply; not if it ends the game."""
    if game.outcome_of(move) is not None:
        return False
    position, cell = game.core, game.tables.cell
    position.reserve(1)
    position.make(cell(move.origin) << MOVE_SHIFT | cell(move.destination))
    taken = move.destination in _takeable(game, game.side, move.destination)
    position.undo()
    return taken


def _takeable(game: Game, side: Side, near: Square | None = None) -> frozenset[Square]:
    """Return the pieces of a side that the other could take, as the core stands; all that matters may be one square."""
    position, tables = game.core, game.tables
    position.reserve(1)
    beside: tuple[int, ...] = ()
    if near is not None and not tables.shieldwall:  # whoever takes a piece comes to stand beside it
        cell, width = tables.cell(near), tables.width
        beside = (cell - width, cell - 1, cell + 1, cell + width)
    cells: set[int] = set()
    for move in position.moves(DEFENDING if side is Side.ATTACKERS else ATTACKING):
        if beside and move & CELL_MASK not in beside:
            continue
        count = position.make(move)
        if count:
            cells.update(position.captured(count))
        position.undo()
    return frozenset(Square(game.tables.square(cell)) for cell in cells)
