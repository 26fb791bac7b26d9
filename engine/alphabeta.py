"""The search itself: alpha-beta in the core's numbers, from one position to a given depth.

Owns the tree: what is looked at, in which order, how deep. Knows no clock, no names and no threads: whoever starts it
gives a `poll` that decides when to stop (`engine.search` is the friendly face). Decides no rule: the core says what is
legal and how games end. Written for both forms; both search the same tree.

Worths are counted as `engine.worths` tells.
"""

from collections.abc import Callable
from typing import Final

from engine.evaluation import Evaluation
from engine.ideas import (
    FORCED,
    OPEN_LINE,
    QUIET,
    REDUCTIONS,
    REMEMBER,
)
from engine.king import king_takers
from engine.native import i64, vec
from engine.ordering import KILLER_FIRST, Ordering
from engine.position import KING_SLOT, NO_LEGAL_MOVES, RUNNING, Position
from engine.repetition import occurrences
from engine.table import EXACT, LOWER, UPPER, Transpositions
from engine.tables import ATTACKING, CELL_MASK, CODE_MASK, KING, MOVE_SHIFT
from engine.walk import MOST_PLIES, Walk
from engine.worths import ENDLESS, WON, from_here, from_there

REMEMBERED_DEPTH: Final = 2
"""Next to the leaves a look into the table costs more than it saves."""

REDUCED_DEPTH: Final = 3
REDUCED_FROM: Final = 3
"""The first moves are never reduced."""
REDUCED_MORE: Final = 12
"""From so many moves on by another ply."""


class AlphaBeta(Walk):
    """A search, and what it may use again in the next: room, the table, the order of moves.

    Args:
        position: gives the book, and how many pieces there can be.
        evaluation: of the same book.
        table: of positions searched before.
        ideas: the ideas to use, CHOSEN or some of them.

    """

    def __init__(self, position: Position, evaluation: Evaluation, table: Transpositions, ideas: int) -> None:
        super().__init__(position)
        self.evaluation = evaluation
        self.ordering = Ordering()
        self.table = table
        self.ideas: i64 = ideas
        self.scores: vec[i64] = position.buffer(MOST_PLIES + 2)
        self.takers: vec[i64] = position.buffer(1)
        self.root_end: i64 = 0
        self.root_done = False
        """Whether the first root move has been searched at the present depth."""
        self.root_worths: vec[i64] = position.buffer(1)
        self.deepest: i64 = 0

    # The root

    def begin(self, position: Position, most_nodes: int, poll: Callable[[int], int]) -> int:
        """Begin a search and return how many moves there are; they lie at the head of `moves`.

        Args: as for `Walk.set_out`.

        """
        self.set_out(position, most_nodes, poll)
        self.ordering.forget()
        self.root_end = position.generate(position.side, self.moves, 0)
        return int(self.root_end)

    def root(self, depth: i64, margin: i64) -> i64:
        """Search every root move to a depth and put the best first.

        Args:
            depth: plies, one at least.
            margin: worths down to so much below the best are exact in `root_worths`; others are upper bounds.

        Returns:
            The worth of the best move. When `stopped`, that of the best among those searched: the first move is the
            best of the last depth, so even then the first is a move to play, unless not even one had been searched.

        """
        position = self.position
        moves = self.moves
        worths = self.root_worths
        best: i64 = -ENDLESS
        self.root_done = False
        self.deepest = depth * 2 + 8
        if self.deepest > MOST_PLIES:
            self.deepest = MOST_PLIES
        for n in range(self.root_end):
            move = moves[n]
            floor = best - margin - 1 if best > -ENDLESS else -ENDLESS
            position.make(move)
            self.nodes += 1
            worth: i64
            if n == 0 or margin > 0:
                worth = -self.search(depth - 1, -ENDLESS, -floor, 1, self.root_end)
            else:
                worth = -self.search(depth - 1, -best - 1, -best, 1, self.root_end)
                if worth > best and not self.stopped:
                    worth = -self.search(depth - 1, -ENDLESS, -best, 1, self.root_end)
            position.undo()
            if self.stopped:
                return best
            worths[n] = worth
            self.root_done = True
            if worth > best:
                best = worth
                self.keep(0, move)
                for m in range(n, 0, -1):
                    moves[m] = moves[m - 1]
                    worths[m] = worths[m - 1]
                moves[0] = move
                worths[0] = worth
        return best

    def best_line(self) -> list[int]:
        """Return the best line from the root, as far as it is known."""
        return [int(self.line[n]) for n in range(self.lengths[0])]

    # The tree

    def search(self, depth: i64, alpha: i64, beta: i64, ply: i64, start: i64) -> i64:
        """Return the worth of the position to the side to move, looking `depth` plies ahead.

        Args:
            depth: plies left; 0 or less asks for the evaluation.
            alpha: a worth that the side to move has elsewhere.
            beta: a worth that the opponent has elsewhere; more than alpha.
            ply: how far from the root.
            start: where the buffer is free.

        Returns:
            w. Where alpha < w < beta, w is the worth. Where w <= alpha the worth is w at most, where w >= beta it is w
            at least. Meaningless once `stopped`.

        """
        if self.nodes >= self.pause:
            self.ask()
        if self.stopped:
            return 0
        self.lengths[ply] = 0
        position = self.position
        end = position.ended_by_king()
        if end != RUNNING:
            return self.final(end, ply)
        if position.repeated():
            return self.final(position.ended(), ply)
        if self.draws_by_return and occurrences(position.path, position.past_keys, position.ply, position.key) > 1:
            return 0

        # what the king does, or what is done to him, next move
        ideas = self.ideas
        moves = self.moves
        kings_end = position.generate_from(position.slots[KING_SLOT], moves, start)
        goal = position.tables.goal
        escapes: i64 = 0
        line: i64 = 0
        for n in range(start, kings_end):
            if goal[moves[n] & CELL_MASK]:
                escapes += 1
                line = moves[n]
        attacking = position.side == ATTACKING
        danger: i64 = 0
        if (attacking or depth >= REDUCED_DEPTH) and _touched(position):
            danger = 1 if king_takers(position, self.takers) else 0
        if ideas & OPEN_LINE:
            if attacking:
                if danger:
                    return WON - ply - 1
                if escapes > 1:
                    return ply + 2 - WON
            elif escapes:
                return WON - ply - 1
        forced = attacking and escapes == 1 and ideas & FORCED != 0
        if ply >= self.deepest:
            return self.evaluation.value(position, moves, start, kings_end, alpha, beta)
        if forced and depth <= 0:
            depth = 1
        if depth <= 0:
            worth = self.evaluation.value(position, moves, start, kings_end, alpha, beta)
            if ideas & QUIET and worth < beta:
                return self._captures(worth, alpha, beta, ply, start)
            return worth

        # known already?
        table = self.table
        known_move: i64 = 0
        key: i64 = 0
        remember = depth >= REMEMBERED_DEPTH and ideas & REMEMBER != 0
        if remember:
            key = self.table_key()
            slot = table.find(key)
            if slot >= 0:
                known_move = table.move(slot)
                if table.depth(slot) >= depth:
                    worth = from_here(table.worth(slot), ply)
                    bound = table.bound(slot)
                    if bound == EXACT or (bound == LOWER and worth >= beta) or (bound == UPPER and worth <= alpha):
                        return worth

        quiet = not forced and not (danger and not attacking)
        stop = position.generate(position.side, moves, start)
        if stop == start:
            return self.final(NO_LEGAL_MOVES, ply)
        if forced:
            stop = self.ordering.only_blocks(position, moves, start, stop, line)
            if stop == start:
                return ply + 2 - WON
        ordering = self.ordering
        ordering.rate(position, moves, self.scores, start, stop, known_move, ply, depth > 1, ideas)
        scores = self.scores
        best: i64 = -ENDLESS
        best_move: i64 = 0
        bound = UPPER
        ordered = True
        for n in range(start, stop):
            if ordered:
                ordered = ordering.bring(moves, scores, n, stop)
            move = moves[n]
            count = position.make(move)
            self.nodes += 1
            worth = self._child(depth - 1, alpha, beta, ply, stop, n - start, count, scores[n], quiet)
            position.undo()
            if self.stopped:
                return 0
            if worth > best:
                best = worth
                best_move = move
                if worth > alpha:
                    alpha = worth
                    bound = EXACT
                    self.keep(ply, move)
                    if worth >= beta:
                        bound = LOWER
                        if not count:
                            ordering.cut(move, ply)
                        break
        if remember:
            table.store(key, best_move, depth, bound, from_there(best, ply))
        return best

    def _child(
        self, depth: i64, alpha: i64, beta: i64, ply: i64, start: i64, number: i64, count: i64, score: i64, quiet: bool
    ) -> i64:
        """Return what the move just made is worth to who made it; look less deep first where it is hardly the best."""
        if number == 0:
            return -self.search(depth, -beta, -alpha, ply + 1, start)
        less: i64 = 0
        if (
            self.ideas & REDUCTIONS
            and depth + 1 >= REDUCED_DEPTH
            and number >= REDUCED_FROM
            and not count
            and quiet
            and score < KILLER_FIRST
        ):
            less = 1
            if number >= REDUCED_MORE:
                less = 2
        worth = -self.search(depth - less, -alpha - 1, -alpha, ply + 1, start)
        if less and worth > alpha and not self.stopped:
            worth = -self.search(depth, -alpha - 1, -alpha, ply + 1, start)
        if alpha < worth < beta and not self.stopped:
            worth = -self.search(depth, -beta, -alpha, ply + 1, start)
        return worth

    def _captures(self, worth: i64, alpha: i64, beta: i64, ply: i64, start: i64) -> i64:
        """Return the worth after captures alone, or without, whichever is better for the side to move."""
        position = self.position
        moves = self.moves
        cells = position.cells
        tables = position.tables
        width = tables.width
        stop = position.generate(position.side, moves, start)
        best = worth
        if best > alpha:
            alpha = best
        for n in range(start, stop):
            move = moves[n]
            to = move & CELL_MASK
            around = cells[to + 1] | cells[to - 1] | cells[to + width] | cells[to - width]
            if not around & tables.preys[cells[move >> MOVE_SHIFT] & CODE_MASK]:
                continue
            if not position.make(move):
                position.undo()
                continue
            self.nodes += 1
            worth = -self.search(0, -beta, -alpha, ply + 1, stop)
            position.undo()
            if self.stopped:
                return 0
            if worth > best:
                best = worth
                if worth > alpha:
                    alpha = worth
                    if worth >= beta:
                        break
        return best


def _touched(position: Position) -> bool:
    """Tell whether anything beside the king helps to close him in; if not, nobody can take him next move."""
    cells = position.cells
    king = position.slots[KING_SLOT]
    width = position.tables.width
    around = cells[king + 1] | cells[king - 1] | cells[king + width] | cells[king - width]
    return around & position.tables.anvils[KING] != 0
