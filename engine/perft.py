"""Perft: how many sequences of legal moves there are, the usual check that two programs play the same rules.

Counts with the core alone; a finished game has no children. Knows no rule.
"""

from engine.game import Game
from engine.values import Move


def perft(game: Game, depth: int) -> int:
    """Count the sequences of that many legal moves from where the game stands; one of none."""
    if depth and game.result is not None:
        return 0
    position = game.core.copy()
    position.reserve(depth)
    return position.perft(depth, position.buffer(depth), 0)


def divide(game: Game, depth: int) -> dict[Move, int]:
    """Count by first move.

    Args:
        game: where to start; unchanged.
        depth: one at least.

    """
    copy = game.copy()
    counts = {}
    for move in game.legal_moves():
        copy.play(move)
        counts[move] = perft(copy, depth - 1)
        copy.undo()
    return counts
