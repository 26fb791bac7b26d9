"""In which order moves are looked at: those first that are likely to be good enough. Written for both forms.

Owns what a search learns about moves as such: killers, the quiet moves that lately were good enough so far from the
root. Decides no rule.
"""

from typing import Final

from engine.ideas import CAPTURES, KILLERS
from engine.native import i64, vec
from engine.position import Position
from engine.tables import CELL_MASK, CODE_MASK, MOVE_SHIFT

KNOWN_FIRST: Final = 1 << 10
CAPTURE_FIRST: Final = 1 << 5
"""And one more for each piece captured: three at most without a shieldwall, a row of an edge with one."""
KILLER_FIRST: Final = 1

MOST_PLIES: Final = 80


class Ordering:
    """Two killers for each ply."""

    def __init__(self) -> None:
        self.killers: vec[i64] = vec[i64]([0] * (2 * MOST_PLIES))

    def forget(self) -> None:
        """Forget what an earlier search has learnt."""
        for n in range(2 * MOST_PLIES):
            self.killers[n] = 0

    def rate(
        self,
        position: Position,
        moves: vec[i64],
        scores: vec[i64],
        start: i64,
        stop: i64,
        known: i64,
        ply: i64,
        try_captures: bool,
        ideas: i64,
    ) -> None:
        """Write how promising each move is beside it.

        Args:
            position: where the moves are to be made.
            moves: holds them from `start` to `stop`.
            scores: takes what they promise, at the same places.
            start: see above.
            stop: see above.
            known: the move that was best before, or 0.
            ply: whose killers count.
            try_captures: whether to find out which moves capture, by making them.
            ideas: which of all this to do.

        """
        cells = position.cells
        first: i64 = 0
        second: i64 = 0
        if ideas & KILLERS:
            first = self.killers[2 * ply]
            second = self.killers[2 * ply + 1]
        tables = position.tables
        width = tables.width
        for n in range(start, stop):
            move = moves[n]
            piece = cells[move >> MOVE_SHIFT]
            to = move & CELL_MASK
            score: i64 = 0
            if move == known:
                score = KNOWN_FIRST
            elif move == first:
                score = KILLER_FIRST + 1
            elif move == second:
                score = KILLER_FIRST
            if ideas & CAPTURES and try_captures and score < KNOWN_FIRST:
                around = cells[to + 1] | cells[to - 1] | cells[to + width] | cells[to - width]
                if around & tables.preys[piece & CODE_MASK]:
                    count = position.make(move)
                    position.undo()
                    if count:
                        score = CAPTURE_FIRST + count
            scores[n] = score

    def bring(self, moves: vec[i64], scores: vec[i64], here: i64, stop: i64) -> bool:
        """Bring the most promising of the moves from `here` on to the front; tell whether it promised anything."""
        best = here
        score = scores[here]
        for n in range(here + 1, stop):
            if scores[n] > score:
                best = n
                score = scores[n]
        if best != here:
            move = moves[best]
            moves[best] = moves[here]
            moves[here] = move
            scores[best] = scores[here]
            scores[here] = score
        return score > 0

    def only_blocks(self, position: Position, moves: vec[i64], start: i64, stop: i64, line: i64) -> i64:
        """Keep the moves that end on the way of another move, `line`; return where they end now."""
        origin = line >> MOVE_SHIFT
        goal = line & CELL_MASK
        gone = goal - origin
        width = position.tables.width
        step: i64 = 1
        if gone >= width or gone <= -width:
            step = width
        low = origin if origin < goal else goal
        high = goal if origin < goal else origin
        kept = start
        for n in range(start, stop):
            to = moves[n] & CELL_MASK
            if low <= to <= high and (step == 1 or (to - low) % step == 0):
                moves[kept] = moves[n]
                kept += 1
        return kept

    def cut(self, move: i64, ply: i64) -> None:
        """Learn that a quiet move was too good for the opponent to allow."""
        killers = self.killers
        if killers[2 * ply] != move:
            killers[2 * ply + 1] = killers[2 * ply]
            killers[2 * ply] = move
