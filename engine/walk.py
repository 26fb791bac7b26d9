"""How a search walks about in the tree: its limits, its keys, its best line. Written for both forms.

Knows no evaluation and chooses no move: `engine.alphabeta` does.
"""

from collections.abc import Callable
from typing import Final

from engine.native import i64, vec
from engine.position import Position
from engine.repetition import MOVE_MASK, to_and_fro
from engine.tables import CELL_MASK, MOVE_SHIFT
from engine.worths import WON

MOST_PLIES: Final = 64
"""No line is longer."""


class Walk:
    """The part of a search that knows where it is and when to stop.

    Args:
        position: gives the book, and how many pieces there can be.

    """

    def __init__(self, position: Position) -> None:
        self.position = position
        self.slots: i64 = position.slot_count
        self.most_nodes: i64 = 0
        self.poll: Callable[[int], int] = _stop_at_once
        self.nodes: i64 = 0
        """Positions looked at: moves made in the tree."""
        self.pause: i64 = 1
        """At so many nodes it asks whether to go on."""
        self.stopped: i64 = 0
        """1 once a limit or `poll` has ended the search. A number: a checker would believe a bool not to change."""
        self.moves: vec[i64] = position.buffer(MOST_PLIES + 2)
        self.line: vec[i64] = vec[i64]([0] * ((MOST_PLIES + 2) * (MOST_PLIES + 2)))
        """By ply: the best line from there."""
        self.lengths: vec[i64] = vec[i64]([0] * (MOST_PLIES + 2))
        self.draws_by_return: bool = position.tables.three_moves == 0 and position.tables.repetition_maker == 0
        """A position that comes about again is as good as drawn, by the book or because nothing else would end it."""

    def set_out(self, position: Position, most_nodes: int, poll: Callable[[int], int]) -> None:
        """Go to where a search begins.

        Args:
            position: where to start, of the same book, with as many slots; moved about while searching and as it was
                afterwards.
            most_nodes: when to stop at the latest.
            poll: is told the nodes so far and returns after how many more it wants to be asked again, 0 to stop. It is
                asked first after one node.

        """
        self.position = position
        position.reserve(MOST_PLIES + 2)
        self.most_nodes = most_nodes
        self.poll = poll
        self.nodes = 0
        self.pause = 1
        self.stopped = 0

    def final(self, end: i64, ply: i64) -> i64:
        """Return the worth of a game that has ended, to the side that would move."""
        winner = self.position.winner(end)
        if winner == 0:
            return 0
        return WON - ply if winner == self.position.side else ply - WON

    def table_key(self) -> i64:
        """Return the position's key in the table: with a player who goes to and fro it is a different one."""
        position = self.position
        key = position.key
        tables = position.tables
        if tables.three_moves:
            keys = tables.keys
            for back in range(2):
                ply = position.ply - back
                run = to_and_fro(position.path, ply)
                if run > 1:
                    move = position.path[ply - 1] & MOVE_MASK
                    key ^= keys[run << MOVE_SHIFT | move & CELL_MASK] >> (back + 1)
                    key ^= keys[run << MOVE_SHIFT | move >> MOVE_SHIFT] >> (back + 3)
        return key

    def keep(self, ply: i64, move: i64) -> None:
        """Keep a move and the best line behind it as the best line of a ply."""
        line = self.line
        here = ply * (MOST_PLIES + 2)
        there = here + MOST_PLIES + 2
        length = self.lengths[ply + 1]
        line[here] = move
        for n in range(length):
            line[here + 1 + n] = line[there + n]
        self.lengths[ply] = length + 1

    def ask(self) -> None:
        """Ask whether to go on."""
        if self.nodes >= self.most_nodes:
            self.stopped = 1
            return
        more = self.poll(int(self.nodes))
        if more <= 0:
            self.stopped = 1
        self.pause = self.nodes + more
        if self.pause > self.most_nodes:
            self.pause = self.most_nodes


def _stop_at_once(_nodes: int) -> int:
    """Stand in until a search begins."""
    return 0
