"""What a position is worth when nobody looks further: the sum of a few named terms with weights.

Owns the terms; `engine.weights` holds their weights. Decides no rule and searches nothing. Written for both forms,
like the core; docs/engine.md tells what each term is worth in games.
"""

from typing import Final

from engine.native import i64, vec
from engine.position import KING_SLOT, OFF_BOARD, Position
from engine.tables import ATTACKING, CELL_MASK, KING, Tables
from engine.worths import ENDLESS

ATTACKERS: Final = 0
DEFENDERS: Final = 1
NEAR: Final = 2
WAYS: Final = 3
GUARDS: Final = 4
MOBILITY: Final = 5

TERMS: Final = ("attackers", "defenders", "near", "ways", "guards", "mobility")
"""The names of the terms, in the order of their numbers. `defenders`, `ways` and `mobility` speak for the defenders,
the others for the attackers."""

MOST_WAYS: Final = 4
"""More ways to the goal in two moves are no better than so many."""

GUARDED: Final = 2
"""Files and ranks together from a corner to the squares from which attackers shut it off."""

NEAR_KING: Final = 2
"""Squares, as a king of chess walks, within which an attacker is near."""


class Evaluation:
    """The worth of positions under one book; made once for a search.

    Args:
        tables: of the book.
        weights: one for each of TERMS.
        start: the book's start.
        lead: how much better than at the start the attackers have to stand for an even game.

    """

    def __init__(self, tables: Tables, weights: list[int], start: Position, lead: int) -> None:
        size = int(tables.size)
        width = size + 2
        inside = [(cell // width - 1, cell % width - 1) for cell in range(width * width)]
        last = size - 1
        self.tables = tables
        self.weights: vec[i64] = vec[i64](weights)
        self.even: i64 = 0
        """The sum of the terms, as the defenders see it, at which neither side is ahead."""
        self.ranks: vec[i64] = vec[i64]([rank for rank, _ in inside])
        self.files: vec[i64] = vec[i64]([file for _, file in inside])
        corners = tables.goal[width + 1] != 0 and tables.goal[width + 2] == 0
        self.guards: vec[i64] = vec[i64]([0] * (width * width))
        """By cell: 1 where an attacker helps to shut a corner off."""
        for cell in range(width * width):
            rank, file = inside[cell]
            if 0 <= rank < size and 0 <= file < size:
                from_side, from_end = min(file, last - file), min(rank, last - rank)
                self.guards[cell] = 1 if corners and from_side + from_end == GUARDED else 0
        king_moves = start.buffer(1)
        end = start.generate_from(start.slots[KING_SLOT], king_moves, 0)
        worth = self.value(start, king_moves, 0, end, -ENDLESS, ENDLESS)
        self.even = (-worth if start.side == ATTACKING else worth) - lead

    def value(self, position: Position, king_moves: vec[i64], start: i64, end: i64, alpha: i64, beta: i64) -> i64:
        """Return what the position is worth to the side to move; outside alpha and beta, a bound beyond them will do.

        Args:
            position: one in which the game goes on.
            king_moves: a buffer in which the king's moves lie from `start` to `end`.
            start: see above.
            end: see above.
            alpha: at or below this, w says that the worth is w at most.
            beta: at or above this, w says that the worth is w at least.

        """
        slots = position.slots
        weights = self.weights
        king = slots[KING_SLOT]
        ranks = self.ranks
        files = self.files
        guarding = self.guards
        low_rank = ranks[king] - NEAR_KING
        low_file = files[king] - NEAR_KING
        attackers: i64 = 0
        near: i64 = 0
        guards: i64 = 0
        defenders: i64 = 0
        first_defender = position.defenders
        for slot in range(1, position.slot_count):
            cell = slots[slot]
            if cell != OFF_BOARD:
                if slot >= first_defender:
                    defenders += 1
                else:
                    attackers += 1
                    guards += guarding[cell]
                    rank = ranks[cell] - low_rank
                    if rank >= 0 and rank <= 2 * NEAR_KING:
                        file = files[cell] - low_file
                        if file >= 0 and file <= 2 * NEAR_KING:
                            near += 1
        total = (
            weights[DEFENDERS] * defenders
            - weights[ATTACKERS] * attackers
            - weights[NEAR] * near
            - weights[GUARDS] * guards
            + weights[MOBILITY] * (end - start)
            - self.even
        )
        worth = weights[WAYS]
        most = worth * MOST_WAYS
        if position.side == ATTACKING:
            total = -total
            if total <= alpha or total - most >= beta:
                return total if total <= alpha else total - most
            return total - worth * self.ways(position, king_moves, start, end)
        if total >= beta or total + most <= alpha:
            return total if total >= beta else total + most
        return total + worth * self.ways(position, king_moves, start, end)

    def ways(self, position: Position, king_moves: vec[i64], start: i64, end: i64) -> i64:
        """Return how many ways the king has to his goal in two moves with a turn between, MOST_WAYS at most."""
        cells = position.cells
        tables = self.tables
        goal = tables.goal
        king = position.slots[KING_SLOT]
        width = tables.width
        stops = tables.stops[KING]
        crosses = tables.crosses[KING]
        count: i64 = 0
        for n in range(start, end):
            turn = king_moves[n] & CELL_MASK
            gone = turn - king
            step = width if -width < gone < width else 1
            for _ in range(2):
                to = turn + step
                while not cells[to] or cells[to] & crosses:
                    to += step
                if not (cells[to] & stops and goal[to]):
                    to -= step
                if to != turn and goal[to]:
                    count += 1
                    if count == MOST_WAYS:
                        return count
                step = -step
        return count
