"""A game: a book, a start, the moves played, and what the players may do now.

The friendly face of `engine.position`: squares and immutable values instead of numbers. Owns history, results by
resignation or agreement, and caches. Decides no rule: legality, captures and endings are asked of the core.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from engine import position as core
from engine.books import Book
from engine.errors import GameStateError, PositionError
from engine.king import escaping, taking_king
from engine.notation import parse_position, position_text
from engine.pieces import Piece, Side
from engine.placing import set_up
from engine.playable import check_playable
from engine.position import Position
from engine.squares import Square, check_square
from engine.tables import (
    ATTACKER,
    ATTACKING,
    CELL_MASK,
    CODE_MASK,
    DEFENDER,
    DEFENDING,
    KING,
    MOVE_SHIFT,
    Tables,
    code_of,
    tables_of,
)
from engine.values import Announcement, IllegalMove, Move, Outcome, Ply, Reason, Refusal, squares_of

__all__ = [
    "Announcement",
    "Game",
    "IllegalMove",
    "Move",
    "Outcome",
    "Ply",
    "Reason",
    "Refusal",
]

_PIECES: Final = {ATTACKER: Piece.ATTACKER, DEFENDER: Piece.DEFENDER, KING: Piece.KING}

_SIDES: Final = {ATTACKING: Side.ATTACKERS, DEFENDING: Side.DEFENDERS, 0: None}
_REASONS: Final = {
    core.KING_CAPTURED: Reason.KING_CAPTURED,
    core.KING_ESCAPED: Reason.KING_ESCAPED,
    core.THREE_MOVES: Reason.THREE_MOVES,
    core.NO_LEGAL_MOVES: Reason.NO_LEGAL_MOVES,
    core.ENCIRCLED: Reason.ENCIRCLED,
    core.EXIT_FORT: Reason.EXIT_FORT,
    core.REPETITION: Reason.REPETITION,
}


class _View:
    """What has been worked out about one position of a game; filled on demand, then never changed."""

    __slots__ = ("moves", "moves_by_squares", "occupied", "pieces", "text")

    def __init__(self) -> None:
        self.pieces: Mapping[Square, Piece] | None = None
        self.occupied: frozenset[Square] | None = None
        self.text: str | None = None
        self.moves: tuple[Move, ...] | None = None
        self.moves_by_squares: dict[tuple[Square, Square], Move] = {}


class Game:
    """A game from its start to now.

    For one thread at a time: even a question moves pieces in the core and puts them back.

    Args:
        book: the rules.
        position: the start as an OTN position; the book's own by default.
        side: who moves first; the book's first side by default.

    Raises:
        NotationError: the position cannot be read.
        PositionError: it cannot be played.

    """

    def __init__(self, book: Book, *, position: str | None = None, side: Side | None = None) -> None:
        if side not in (*Side, None):
            raise PositionError(f"side to move: found {side!r}, expected one of Side")
        size, pieces = parse_position(book.start if position is None else position)
        check_playable(book, size, pieces)
        self._book = book
        self._first_side = book.first if side is None else side
        self._tables = tables_of(book)
        squares = sorted(pieces)
        self._core = set_up(
            self._tables,
            [self._tables.cell(square) for square in squares],
            [code_of(pieces[square]) for square in squares],
            ATTACKING if self._first_side is Side.ATTACKERS else DEFENDING,
        )
        self._start = position_text(pieces, size)
        self._plies: list[Ply] = []
        self._views = [_View()]
        self._ended: Outcome | None = self._outcome(self._core.ended())
        self._declared: Outcome | None = None

    def copy(self) -> "Game":
        """Return an independent game with the same history; what has been worked out is shared."""
        twin = Game.__new__(Game)
        twin._book = self._book
        twin._first_side = self._first_side
        twin._tables = self._tables
        twin._core = self._core.copy()
        twin._start = self._start
        twin._plies = self._plies.copy()
        twin._views = self._views.copy()
        twin._ended = self._ended
        twin._declared = self._declared
        return twin

    # What it is

    @property
    def book(self) -> Book:
        """The rules."""
        return self._book

    @property
    def size(self) -> int:
        """Squares a side."""
        return self._book.size

    @property
    def start(self) -> str:
        """Where it began, as an OTN position."""
        return self._start

    @property
    def first_side(self) -> Side:
        """Who made, or will make, the first move."""
        return self._first_side

    @property
    def side(self) -> Side:
        """Who moves next, or would if the game were not over."""
        return self._first_side if len(self._plies) % 2 == 0 else self._first_side.other

    @property
    def plies(self) -> Sequence[Ply]:
        """The moves played, in order. It grows and shrinks with the game; take a `tuple` of it to keep it."""
        return self._plies

    @property
    def result(self) -> Outcome | None:
        """How it ended, or None while it goes on."""
        return self._ended or self._declared

    @property
    def core(self) -> Position:
        """The fast position beneath, for questions and search; whoever changes it puts it back."""
        return self._core

    @property
    def tables(self) -> Tables:
        """How the core counts squares."""
        return self._tables

    @property
    def pieces(self) -> Mapping[Square, Piece]:
        """What stands where."""
        view = self._views[-1]
        if view.pieces is None:
            cells, size, width = self._core.cells, self.size, self.size + 2
            found: dict[Square, Piece] = {}
            for rank in range(size):
                for file in range(size):
                    if code := cells[(rank + 1) * width + file + 1] & CODE_MASK:
                        found[Square(rank * size + file)] = _PIECES[code]
            view.pieces = MappingProxyType(found)
        return view.pieces

    @property
    def occupied(self) -> frozenset[Square]:
        """The squares on which something stands."""
        view = self._views[-1]
        if view.occupied is None:
            view.occupied = frozenset(self.pieces)
        return view.occupied

    @property
    def position(self) -> str:
        """Where the pieces stand, as an OTN position."""
        view = self._views[-1]
        if view.text is None:
            view.text = position_text(self.pieces, self.size)
        return view.text

    # Moves

    def legal_moves(self) -> tuple[Move, ...]:
        """Return every move of the side to move, with its captures; none when the game is over."""
        if self.result is not None:
            return ()
        view = self._views[-1]
        if view.moves is None:
            position = self._core
            position.reserve(1)
            view.moves = tuple(map(self._with_captures, position.moves(position.side)))
            view.moves_by_squares = {(move.origin, move.destination): move for move in view.moves}
        return view.moves

    def find(self, origin: Square, destination: Square) -> Move | None:
        """Return the legal move between two squares, if there is one."""
        self.legal_moves()
        return None if self.result is not None else self._views[-1].moves_by_squares.get((origin, destination))

    def refusal(self, origin: Square, destination: Square) -> Refusal | None:
        """Tell why the piece on `origin` may not move to `destination`; None if it may.

        Raises:
            SquareError: the board has no such square.

        """
        check_square(origin, self.size)
        check_square(destination, self.size)
        if self.result is not None:
            return Refusal.GAME_OVER
        if self.find(origin, destination):
            return None
        piece = self.pieces.get(origin)
        if piece is None:
            return Refusal.NO_PIECE
        if piece.side is not self.side:
            return Refusal.NOT_YOUR_TURN
        size = self.size
        files, ranks = destination % size - origin % size, destination // size - origin // size
        if files and ranks:
            return Refusal.DIAGONAL
        if destination in self.occupied:
            return Refusal.OCCUPIED
        cells, tables, code = self._core.cells, self._tables, code_of(piece)
        start, end = tables.cell(origin), tables.cell(destination)
        step = (end - start) // (abs(files) + abs(ranks))
        crosses = tables.crosses[code] | tables.floor[start] & tables.camping[code]
        if any(cells[cell] and not cells[cell] & crosses for cell in range(start + step, end, step)):
            return Refusal.BLOCKED
        returning = end == tables.throne and tables.barred_for_good & code
        return Refusal.KING_MAY_NOT_RETURN if returning else Refusal.FORBIDDEN_SQUARE

    def play(self, move: Move | tuple[Square, Square]) -> Ply:
        """Play a move.

        Args:
            move: with its captures, which must be exactly right, or as origin and destination.

        Raises:
            IllegalMove: says why not.
            SquareError: the board has no such square.
            GameStateError: this is no move at all.

        """
        origin, destination = squares_of(move)
        refusal = self.refusal(origin, destination)
        found = self.find(origin, destination)
        if found is None or refusal is not None:
            raise IllegalMove(origin, destination, refusal or Refusal.NO_PIECE, self.size)
        if isinstance(move, Move) and move != found:
            raise IllegalMove(origin, destination, Refusal.WRONG_CAPTURES, self.size)
        position, side = self._core, self.side
        king = self.pieces[origin] is Piece.KING
        position.reserve(1)
        position.make(self._packed(origin, destination))
        self._ended = self._outcome(position.ended())
        announcements = () if self._ended else self._announcements(side)
        ply = Ply(len(self._plies) + 1, side, found, announcements, king)
        self._plies.append(ply)
        self._views.append(_View())
        return ply

    def undo(self) -> Ply:
        """Take the last move back, and a resignation or draw that followed it.

        Raises:
            GameStateError: none was played.

        """
        if not self._plies:
            raise GameStateError("undo: found no move played, expected one at least")
        self._core.undo()
        self._views.pop()
        self._ended = None
        self._declared = None
        return self._plies.pop()

    def wins(self, move: Move) -> Side | None:
        """Return who wins by a legal move, judged by the position alone: never by repetition."""
        outcome = self._outcome_after(move, history=False)
        return outcome.winner if outcome else None

    def outcome_of(self, move: Move) -> Outcome | None:
        """Return how a legal move would end the game, if it would."""
        return self._outcome_after(move, history=True)

    # Results that no move brings

    def resign(self, side: Side) -> None:
        """End the game: this side gives up.

        Raises:
            GameStateError: it is over already, or there is no such side.

        """
        if side not in tuple(Side):
            raise GameStateError(f"resign: found {side!r}, expected one of Side")
        self._declare(Outcome(side.other, Reason.RESIGNATION))

    def agree_draw(self) -> None:
        """End the game without a winner.

        Raises:
            GameStateError: it is over already.

        """
        self._declare(Outcome(None, Reason.DRAW_AGREED))

    def withdraw_result(self) -> None:
        """Take back a resignation or a draw.

        Raises:
            GameStateError: there is none.

        """
        if self._declared is None:
            raise GameStateError("withdraw: found no resignation or draw, expected one")
        self._declared = None

    # Beneath

    def _declare(self, outcome: Outcome) -> None:
        if self.result is not None:
            raise GameStateError(f"{outcome.reason.value}: found a game that is over, expected one that goes on")
        self._declared = outcome

    def _packed(self, origin: Square, destination: Square) -> int:
        return self._tables.cell(origin) << MOVE_SHIFT | self._tables.cell(destination)

    def _with_captures(self, packed: int) -> Move:
        """Return a generated move as a value. The core must have room for it."""
        position, square = self._core, self._tables.square
        count = position.make(packed)
        captures: tuple[Square, ...] = ()
        if count:
            captures = tuple(sorted(Square(square(cell)) for cell in position.captured(count)))
        position.undo()
        return Move(Square(square(packed >> MOVE_SHIFT)), Square(square(packed & CELL_MASK)), captures)

    def _outcome_after(self, move: Move, *, history: bool) -> Outcome | None:
        origin, destination = squares_of(move)
        if self.find(origin, destination) is None:
            reason = self.refusal(origin, destination) or Refusal.NO_PIECE
            raise IllegalMove(origin, destination, reason, self.size)
        position = self._core
        position.reserve(1)
        position.make(self._packed(origin, destination))
        end = position.ended() if history else position.ended_as_it_stands()
        outcome = self._outcome(end)
        position.undo()
        return outcome

    def _outcome(self, end: int) -> Outcome | None:
        """Return what an ending of the core's means; the core has made the move already."""
        if end == core.RUNNING:
            return None
        return Outcome(_SIDES[self._core.winner(end)], _REASONS[end])

    def _announcements(self, mover: Side) -> tuple[Announcement, ...]:
        """Return what is said after a move that the core has just made and that does not end the game."""
        position = self._core
        said = []
        if ways := len(escaping(position)):
            said.append(Announcement.RAICHI if ways == 1 else Announcement.TUICHI)
        if mover is Side.ATTACKERS and taking_king(position):
            said.append(Announcement.KING_IN_DANGER)
        if position.warned():
            said.append(Announcement.REPETITION_WARNING)
        return tuple(said)
