"""The king's next move to his goal, and the attackers' next move against him.

Speaks the core's numbers and may be compiled with it. Decides no rule: the core says where pieces go and who
encloses the king.
"""

from engine.native import i64, vec
from engine.position import KING_SLOT, OFF_BOARD, Position
from engine.tables import ATTACKER, CELL_MASK, MOVE_SHIFT


def escapes(position: Position, moves: vec[i64]) -> i64:
    """Write the king's moves to his goal into a buffer and return how many there are, each in its own direction."""
    king = position.slots[KING_SLOT]
    if king == OFF_BOARD:
        return 0
    count: i64 = 0
    goal = position.tables.goal
    end = position.generate_from(king, moves, 0)
    for n in range(end):
        if goal[moves[n] & CELL_MASK]:
            moves[count] = moves[n]
            count += 1
    return count


def king_takers(position: Position, moves: vec[i64]) -> i64:
    """Write the moves by which attackers could take the king, were it their turn; return how many there are."""
    cells = position.cells
    tables = position.tables
    king = position.slots[KING_SLOT]
    count: i64 = 0
    if king == OFF_BOARD:
        return 0
    camping = tables.camping[ATTACKER]
    stops = tables.stops[ATTACKER] | camping
    crosses = tables.crosses[ATTACKER] | camping
    for side in tables.steps:
        to = king + side
        below = cells[to]
        if below and not below & stops:
            continue
        for step in tables.steps:
            origin = to + step
            camps = below & camping
            while not cells[origin] or cells[origin] & crosses:
                camps |= cells[origin] & camping
                origin += step
            piece = cells[origin]
            if not piece & ATTACKER or camps & ~tables.floor[origin]:
                continue
            cells[origin] = tables.floor[origin]
            cells[to] = piece
            if position.encloses_king(to, king):
                moves[count] = origin << MOVE_SHIFT | to
                count += 1
            cells[to] = below
            cells[origin] = piece
    return count


def escaping(position: Position) -> list[int]:
    """Return the moves that `escapes` finds, for code that is not compiled."""
    moves = position.buffer(1)
    return [moves[n] for n in range(escapes(position, moves))]


def taking_king(position: Position) -> list[int]:
    """Return the moves that `king_takers` finds, for code that is not compiled."""
    moves = position.buffer(1)
    return [moves[n] for n in range(king_takers(position, moves))]
