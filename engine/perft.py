"""Perft: how many sequences of legal moves there are, the usual check that two programs play the same rules.

A finished game has no children. Knows no rule; `count` speaks the core's numbers and may be compiled with it.
"""

from engine.game import Game
from engine.native import i64, vec
from engine.position import RUNNING, Position
from engine.values import Move


def perft(game: Game, depth: int) -> int:
    """Count the sequences of that many legal moves from where the game stands; one of none."""
    if depth == 0:
        return 1
    if game.result is not None:
        return 0
    position = game.core.copy()
    position.reserve(depth)
    return count(position, depth, position.buffer(depth), 0)


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


def count(position: Position, depth: i64, moves: vec[i64], start: i64) -> i64:
    """Count sequences of one move or more, making each move.

    Args:
        position: where to start; its path has room for as many moves.
        depth: how many moves, one at least.
        moves: a buffer with room for the moves of as many plies from `start` on.
        start: where the buffer is free.

    """
    if position.ended_by_king() != RUNNING or position.repeated():
        return 0
    end = position.generate(position.side, moves, start)
    nodes: i64 = 0
    for n in range(start, end):
        position.make(moves[n])
        nodes += 1 if depth == 1 else count(position, depth - 1, moves, end)
        position.undo()
    return nodes
