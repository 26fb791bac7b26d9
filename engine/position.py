"""The fast core: pieces on a padded board, moves generated, made and undone, and when a game is over.

The only place where a move's legality, its captures and the end of a game are decided; all else asks it. One typed
source that a compiler (mypyc) may compile as it stands: machine integers, vectors, no exceptions on the way. See
`engine.tables` for the encoding. Knows no names, no notation.

A position also keeps the path that led to it, because some rules look back (rules, edge 6, further 5). `make` needs
room on that path: whoever is about to make n moves in a row calls `reserve(n)` once before.
"""

from typing import Final

from engine.formations import Formations
from engine.native import i64, vec
from engine.repetition import COUNT_SHIFT, LOST_AT, MOVE_MASK, WARNED_AT, occurrences, to_and_fro
from engine.tables import (
    ATTACKER,
    ATTACKING,
    CELL_MASK,
    CODE_MASK,
    DEFENDER,
    DEFENDING,
    KING,
    MAKER_LOSES,
    MAKER_WINS,
    MOVE_SHIFT,
    OTHER_SIDE,
    SLOT_SHIFT,
    TAKE_NEAR_THRONE,
    TAKE_SURROUNDED,
    TAKE_TWO,
    WALL,
    Tables,
)

RUNNING: Final = 0
KING_CAPTURED: Final = 1
KING_ESCAPED: Final = 2
THREE_MOVES: Final = 3
NO_LEGAL_MOVES: Final = 4
ENCIRCLED: Final = 5
EXIT_FORT: Final = 6
REPETITION: Final = 7

KING_SLOT: Final = 0
OFF_BOARD: Final = 0
"""Where a captured piece stands: cell 0 is wall."""

PATH_ROOM: Final = 32
"""Moves that a new path has room for; it grows by as much as is asked for."""


class Position:
    """Pieces, the side to move and the path that led here. Made by `engine.placing.set_up` and by `copy`.

    Args:
        tables: of the book that is played.
        side: ATTACKING or DEFENDING, to move.
        cells: the padded board, pieces on it; belongs to the position from now on.
        slots: by slot, the cell where that piece stands; belongs to the position from now on.
        defenders: the first slot of the defenders; the king has KING_SLOT, the attackers those between.

    """

    def __init__(self, tables: Tables, side: i64, cells: vec[i64], slots: vec[i64], defenders: i64) -> None:
        self.tables = tables
        self.formations = Formations(tables)
        self.side: i64 = side
        self.key: i64 = 0
        self.cells: vec[i64] = cells
        self.slots: vec[i64] = slots
        """By slot: the cell where that piece stands, or OFF_BOARD."""
        self.defenders: i64 = defenders
        self.slot_count: i64 = len(slots)
        self.taken: vec[i64] = vec[i64]([0] * len(slots))
        """Captured pieces in the order they went, each as `cell contents << 9 | cell`."""
        self.taken_count: i64 = 0
        self.room: i64 = PATH_ROOM
        self.path: vec[i64] = vec[i64]([0] * PATH_ROOM)
        """The moves made, each with its number of captures above it."""
        self.past_keys: vec[i64] = vec[i64]([0] * PATH_ROOM)
        """The key before each of these moves."""
        self.ply: i64 = 0
        """How many moves lie on the path."""

    def copy(self) -> "Position":
        """Return an independent position with the same path."""
        twin = Position(self.tables, self.side, self.cells[:], self.slots[:], self.defenders)
        twin.key = self.key
        twin.taken = self.taken[:]
        twin.taken_count = self.taken_count
        twin.room = self.room
        twin.path = self.path[:]
        twin.past_keys = self.past_keys[:]
        twin.ply = self.ply
        return twin

    def reserve(self, plies: i64) -> None:
        """Make room on the path for that many further moves."""
        if self.ply + plies > self.room:
            room = self.ply + plies + PATH_ROOM
            path = vec[i64]([0] * int(room))
            past_keys = vec[i64]([0] * int(room))
            for n in range(self.ply):
                path[n] = self.path[n]
                past_keys[n] = self.past_keys[n]
            self.path = path
            self.past_keys = past_keys
            self.room = room

    def most_moves(self) -> int:
        """Return a number of moves that neither side can exceed: the room that `generate` needs."""
        return int(self.slot_count) * 2 * (int(self.tables.size) - 1)

    def buffer(self, plies: int) -> vec[i64]:
        """Return a buffer for the moves of that many plies, one behind the other."""
        return vec[i64]([0] * (self.most_moves() * plies))

    # Moves

    def generate(self, side: i64, moves: vec[i64], start: i64) -> i64:
        """Write every move of a side into a buffer from `start` on and return where they end.

        Whose turn it is and whether the game is over does not matter here.
        """
        cells = self.cells
        slots = self.slots
        tables = self.tables
        steps = tables.steps
        end = start
        first: i64 = 1
        last: i64 = self.defenders
        if side != ATTACKING:
            first = self.defenders
            last = self.slot_count
            if slots[KING_SLOT] != OFF_BOARD:
                end = self.generate_from(slots[KING_SLOT], moves, end)
        code: i64 = ATTACKER if side == ATTACKING else DEFENDER
        stops = tables.stops[code]
        crosses = tables.crosses[code]
        camping = tables.camping[code]
        for slot in range(first, last):
            origin = slots[slot]
            if origin == OFF_BOARD:
                continue
            base = origin << MOVE_SHIFT
            camp = tables.floor[origin] & camping
            special = stops | crosses | camp
            for step in steps:
                to = origin + step
                while not cells[to]:
                    moves[end] = base | to
                    end += 1
                    to += step
                if cells[to] & special:
                    end = self._beyond(base, to, step, stops | camp, crosses | camp, moves, end)
        return end

    def moves(self, side: i64) -> list[int]:
        """Return every move of a side: `generate` for code that is not compiled, which no vector may reach."""
        moves = self.buffer(1)
        return [moves[n] for n in range(self.generate(side, moves, 0))]

    def captured(self, count: i64) -> list[int]:
        """Return the cells of the pieces that were captured last."""
        return [int(self.taken[n] & CELL_MASK) for n in range(self.taken_count - count, self.taken_count)]

    def generate_from(self, origin: i64, moves: vec[i64], start: i64) -> i64:
        """Write every move of the piece on a cell into a buffer from `start` on and return where they end."""
        cells = self.cells
        code = cells[origin] & CODE_MASK
        camp = self.tables.floor[origin] & self.tables.camping[code]
        stops = self.tables.stops[code] | camp
        crosses = self.tables.crosses[code] | camp
        base = origin << MOVE_SHIFT
        end = start
        for step in self.tables.steps:
            end = self._beyond(base, origin, step, stops, crosses, moves, end)
        return end

    def _beyond(self, base: i64, start: i64, step: i64, stops: i64, crosses: i64, moves: vec[i64], end: i64) -> i64:
        """Write the moves of one slide on from `start`, itself maybe a special square; return their end."""
        cells = self.cells
        to = start
        if base >> MOVE_SHIFT != start:
            if cells[to] & stops:
                moves[end] = base | to
                end += 1
            if not cells[to] & crosses:
                return end
        while True:
            to += step
            while not cells[to]:
                moves[end] = base | to
                end += 1
                to += step
            if cells[to] & stops:
                moves[end] = base | to
                end += 1
            if not cells[to] & crosses:
                return end

    def has_move(self, side: i64) -> bool:
        """Tell whether a side has any move."""
        cells = self.cells
        slots = self.slots
        tables = self.tables
        for slot in range(self.slot_count):
            origin = slots[slot]
            if origin == OFF_BOARD:
                continue
            code = cells[origin] & CODE_MASK
            if (code == ATTACKER) != (side == ATTACKING):
                continue
            camp = tables.floor[origin] & tables.camping[code]
            stops = tables.stops[code] | camp
            crosses = tables.crosses[code] | camp
            for step in tables.steps:
                to = origin + step
                while cells[to] & crosses and not cells[to] & stops:
                    to += step
                if not cells[to] or cells[to] & stops:
                    return True
        return False

    def make(self, move: i64) -> i64:
        """Make a generated move and return how many pieces it took; they lie last on `taken`."""
        cells = self.cells
        tables = self.tables
        keys = tables.keys
        ply = self.ply
        origin = move >> MOVE_SHIFT
        to = move & CELL_MASK
        piece = cells[origin]
        cells[origin] = tables.floor[origin]
        cells[to] = piece
        self.slots[piece >> SLOT_SHIFT] = to
        key = self.key
        self.past_keys[ply] = key
        code = piece & CODE_MASK
        kind = code << MOVE_SHIFT
        self.key = key ^ keys[kind | origin] ^ keys[kind | to] ^ tables.side_key
        self.side ^= OTHER_SIDE
        self.ply = ply + 1
        width = tables.width
        around = cells[to + 1] | cells[to - 1] | cells[to + width] | cells[to - width]
        if around & tables.preys[code]:
            count = self._capture(to, DEFENDER if code == ATTACKER else ATTACKER)
            self.path[ply] = move | count << COUNT_SHIFT
            return count
        self.path[ply] = move
        return 0

    def undo(self) -> None:
        """Take the last move of the path back, and put back what it took."""
        cells = self.cells
        floor = self.tables.floor
        ply = self.ply - 1
        step = self.path[ply]
        to = step & CELL_MASK
        origin = step >> MOVE_SHIFT & CELL_MASK
        piece = cells[to]
        cells[to] = floor[to]
        cells[origin] = piece
        self.slots[piece >> SLOT_SHIFT] = origin
        self.key = self.past_keys[ply]
        self.side ^= OTHER_SIDE
        self.ply = ply
        if step > MOVE_MASK:
            count = step >> COUNT_SHIFT
            taken = self.taken
            top = self.taken_count
            for n in range(top - count, top):
                gone = taken[n]
                cell = gone & CELL_MASK
                cells[cell] = gone >> MOVE_SHIFT
                self.slots[gone >> (MOVE_SHIFT + SLOT_SHIFT)] = cell
            self.taken_count = top - count

    # Captures

    def _capture(self, to: i64, prey: i64) -> i64:
        """Take what the piece that has just come to `to` encloses, and return how many (rules, common 3)."""
        cells = self.cells
        tables = self.tables
        anvils = tables.anvils[prey]
        count: i64 = 0
        for step in tables.steps:
            cell = to + step
            victim = cells[cell]
            if victim & prey:
                far = cell + step
                if cells[far] & anvils or (tables.pressing[far] and self._presses(far, cell, prey)):
                    count += self._take(cell)
            elif victim & KING and prey == DEFENDER and self.encloses_king(to, cell):
                count += self._take(cell)
        if tables.shieldwall:
            for n in range(self.formations.walled(cells, to, prey)):
                cell = self.formations.found[n]
                if cells[cell] & prey:
                    count += self._take(cell)
        return count

    def _take(self, cell: i64) -> i64:
        piece = self.cells[cell]
        self.cells[cell] = self.tables.floor[cell]
        self.slots[piece >> SLOT_SHIFT] = OFF_BOARD
        self.key ^= self.tables.keys[(piece & CODE_MASK) << MOVE_SHIFT | cell]
        self.taken[self.taken_count] = piece << MOVE_SHIFT | cell
        self.taken_count += 1
        return 1

    def _presses(self, far: i64, victim: i64, prey: i64) -> bool:
        """Tell whether a throne or camp, whoever is there, encloses a piece beside it (rules, edge 3, further 1)."""
        tables = self.tables
        throne = tables.throne
        if far != throne:
            return tables.camp_hostile & prey != 0 and not tables.floor[far] & tables.floor[victim]
        held = self.cells[throne]
        if not held & CODE_MASK:
            return False
        if tables.held_throne & prey:
            return True
        if not tables.fourth_side or prey != DEFENDER or not held & KING:
            return False
        attackers: i64 = 0
        for step in tables.steps:
            attackers += self.cells[throne + step] & ATTACKER
        return attackers == 3

    def encloses_king(self, to: i64, king: i64) -> bool:
        """Tell whether the attacker that has just come to `to`, beside the king, closes him in (rules, edge 4)."""
        cells = self.cells
        tables = self.tables
        closers = tables.anvils[KING]
        kind = tables.king_capture
        if kind == TAKE_TWO or (kind == TAKE_NEAR_THRONE and not tables.near_throne[king]):
            return cells[king + king - to] & closers != 0
        if kind == TAKE_SURROUNDED:
            closers |= WALL
        for step in tables.steps:  # noqa: SIM110  # a generator would be no plain loop when compiled
            if not cells[king + step] & closers:
                return False
        return True

    # What the position is

    def ended(self) -> i64:
        """Return how the game has ended, or RUNNING (rules, common 5 and 6, edge 6, further 3 to 5)."""
        end = self.ended_by_king()
        if end == RUNNING and self.repeated():
            return THREE_MOVES if self.tables.three_moves else REPETITION
        if end == RUNNING and not self.has_move(self.side):
            return NO_LEGAL_MOVES
        return end

    def ended_as_it_stands(self) -> i64:
        """Return how the last move would have ended the game had there been no others before it."""
        end = self.ended_by_king()
        if end == RUNNING and not self.has_move(self.side):
            return NO_LEGAL_MOVES
        return end

    def ended_by_king(self) -> i64:
        """Return whether what befell the king has ended the game; what is around him only a move can bring about."""
        tables = self.tables
        king = self.slots[KING_SLOT]
        if king == OFF_BOARD:
            return KING_CAPTURED
        if tables.goal[king]:
            return KING_ESCAPED
        if self.ply == 0:
            return RUNNING
        if self.side == ATTACKING:
            return EXIT_FORT if tables.exit_fort and self.formations.exit_fort(self.cells, king) else RUNNING
        if tables.encirclement and self.formations.encircled(self.cells, self.slots, self.defenders, king):
            return ENCIRCLED
        return RUNNING

    def winner(self, end: i64) -> i64:
        """Return the side that wins by an ending which the last move has brought about, or 0 for a draw."""
        mover = self.side ^ OTHER_SIDE
        if end in (KING_CAPTURED, ENCIRCLED):
            return ATTACKING
        if end in (KING_ESCAPED, EXIT_FORT):
            return DEFENDING
        if end == NO_LEGAL_MOVES:
            return 0 if self.tables.stuck_draws else mover
        if end == THREE_MOVES or self.tables.repetition_maker == MAKER_LOSES:
            return self.side
        return mover if self.tables.repetition_maker == MAKER_WINS else 0

    def warned(self) -> bool:
        """Tell whether the side that has just moved is to be warned of repetition (rules, edge 6, further 5)."""
        tables = self.tables
        if tables.three_moves:
            return to_and_fro(self.path, self.ply) >= WARNED_AT
        return tables.most_occurrences > 2 and self._occurrences() == tables.most_occurrences - 1

    def repeated(self) -> bool:
        """Tell whether the last move has ended the game by repetition (rules, edge 6, further 5)."""
        tables = self.tables
        if tables.three_moves:
            return to_and_fro(self.path, self.ply) >= LOST_AT
        return tables.most_occurrences != 0 and self._occurrences() >= tables.most_occurrences

    def _occurrences(self) -> i64:
        return occurrences(self.path, self.past_keys, self.ply, self.key)
