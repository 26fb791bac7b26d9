"""Puts pieces on the core's board. Speaks the core's numbers and may be compiled with it."""

from engine.native import i64, vec
from engine.position import KING_SLOT, Position
from engine.tables import ATTACKER, ATTACKING, DEFENDER, KING, MOVE_SHIFT, SLOT_SHIFT, Tables


def set_up(tables: Tables, cells: list[int], codes: list[int], side: int) -> Position:
    """Return a position without a past.

    Args:
        tables: of the book that is played.
        cells: where pieces stand, as cells of the padded board.
        codes: what stands there; exactly one king among them.
        side: ATTACKING or DEFENDING, to move.

    """
    board = vec[i64](tables.floor)
    placed = [cells[codes.index(KING)]]
    placed += [cells[n] for n in range(len(cells)) if codes[n] == ATTACKER]
    defenders = len(placed)
    placed += [cells[n] for n in range(len(cells)) if codes[n] == DEFENDER]
    key: i64 = 0 if side == ATTACKING else tables.side_key
    for slot in range(len(placed)):
        code = KING if slot == KING_SLOT else ATTACKER if slot < defenders else DEFENDER
        cell = placed[slot]
        board[cell] = code | slot << SLOT_SHIFT
        key ^= tables.keys[code << MOVE_SHIFT | cell]
    position = Position(tables, side, board, vec[i64](placed), defenders)
    position.key = key
    return position
