"""The game that two simulated players mean to play: which moves they choose, and what their hands must know of each.

Owns the choice of moves, drawn from the legal ones, and the translation of a move into an `Intention`. Must not know
what hands make of it, nor what the board understood.
"""

import random
from collections.abc import Callable, Mapping, Sequence

from engine import Game, Move, Refusal, Side, Square, file_of, rank_of, square_at
from hardware.news import Cell
from hardware.simulated.gestures import Intention

CAPTURE_SHARE = 0.5
"""Of positions with a capture, how often one is chosen; pure chance would make games without any."""

WIN_SHARE = 0.3
"""Of positions with a winning move, how often it is chosen: games end, but not before much has happened."""

SLIPS = 3
"""So many wrong moves of each kind are offered to hands that err; they choose one."""

TRIES_A_SLIP = 12
"""So often a wrong move is looked for before the position is said to have none."""

TRIES = 3
"""So many other destinations are offered to hands that try one first."""

BEYOND_MOST = 2
"""Squares past the destination that hands are told of."""


class MeantGame:
    """The game as its players mean it; the `Mind` of simulated hands.

    Args:
        game: Where it begins; it is played on.
        dice: Draws the moves.
        plies: After so many the players stop.
        slips: Whether intentions tell of wrong moves, which costs time and only hands that err need.
        press: Told when a player presses a button: time (s), `confirm` or `cancel`.
        record: The moves of a game to be played once more, origin and destination; none are drawn then.

    """

    def __init__(
        self,
        game: Game,
        dice: random.Random,
        plies: int,
        slips: bool,
        press: Callable[[float, str], None],
        record: Sequence[tuple[Square, Square]] = (),
    ) -> None:
        self.game = game
        self._dice = dice
        self._plies = plies
        self._slips = slips
        self._press = press
        self._record = record

    @property
    def position(self) -> Mapping[Cell, str]:
        """The pieces' letters by cell, as the game stands."""
        return {Cell(square): piece.value for square, piece in self.game.pieces.items()}

    def choose(self) -> Intention | None:
        """Choose the next move and play it; None when the game is over or long enough."""
        game, dice = self.game, self._dice
        moves = game.legal_moves()
        if not moves or len(game.plies) >= (len(self._record) or self._plies):
            return None
        move = self._draw(moves)
        before, game_side = self.position, game.side
        occupied = game.occupied
        path = _between(move, game.size)
        stops = tuple(Cell(square) for square in path if self._harmless(move.origin, square))
        others = [other for other in moves if other.origin == move.origin and other.destination != move.destination]
        some = dice.sample(others, min(len(others), TRIES))
        tries = tuple(Cell(other.destination) for other in some if game.outcome_of(other) is None)
        beyond = _beyond(move, game.size, occupied)
        illegal, out_of_turn = self._draw_slips() if self._slips else ((), ())
        game.play(move)
        after = self.position
        empty = [Cell(square) for square in range(game.size**2) if square not in before and square not in after]
        return Intention(
            game_side.value,
            Cell(move.origin),
            Cell(move.destination),
            tuple(Cell(square) for square in move.captures),
            tuple(Cell(square) for square in path),
            stops,
            tuple(Cell(square) for square in beyond),
            tries,
            before,
            after,
            tuple(empty),
            illegal,
            out_of_turn,
            game.result is not None,
        )

    def rewind(self) -> None:
        """Take the last move back."""
        self.game.undo()

    def moves(self, origin: Cell, square: Cell) -> bool:
        """Say whether a piece that went from one square to another would have moved, whoever's turn it is.

        The piece that moved last is left alone: wherever it goes amends its move or is none.
        """
        game = self.game
        if game.plies and game.plies[-1].move.destination == Square(origin):
            return True
        return game.refusal(Square(origin), Square(square)) in (None, Refusal.NOT_YOUR_TURN)

    def press(self, t: float, button: str) -> None:
        """Press a button of the board."""
        self._press(t, button)

    def _draw(self, moves: tuple[Move, ...]) -> Move:
        """Draw a move, a little more often one that captures or wins; or read it from the record."""
        game, dice = self.game, self._dice
        if self._record:
            origin, destination = self._record[len(game.plies)]
            return next(move for move in moves if (move.origin, move.destination) == (origin, destination))
        if dice.random() < WIN_SHARE:
            winning = [move for move in moves if game.wins(move) is game.side]
            if winning:
                return dice.choice(winning)
        capturing = [move for move in moves if move.captures]
        if capturing and dice.random() < CAPTURE_SHARE:
            return dice.choice(capturing)
        return dice.choice(moves)

    def _harmless(self, origin: Square, destination: Square) -> bool:
        """Say whether a stop there is a legal move that does not end the game."""
        move = self.game.find(origin, destination)
        return move is not None and self.game.outcome_of(move) is None

    def _draw_slips(self) -> tuple[tuple[tuple[Cell, Cell], ...], tuple[tuple[Cell, Cell], ...]]:
        """Draw moves that no rule allows, and moves of the side that is not to move.

        The piece that moved last is left alone: moving it again would amend its move.
        """
        game, dice = self.game, self._dice
        last = game.plies[-1].move.destination if game.plies else None
        pieces = sorted(game.pieces)
        empty = [Square(square) for square in range(game.size**2) if square not in game.pieces]
        illegal: list[tuple[Cell, Cell]] = []
        out_of_turn: list[tuple[Cell, Cell]] = []
        for _ in range(TRIES_A_SLIP):
            origin, square = dice.choice(pieces), dice.choice(empty)
            refusal = game.refusal(origin, square)
            if refusal is None or origin == last:
                continue
            if refusal is not Refusal.NOT_YOUR_TURN:
                illegal.append((Cell(origin), Cell(square)))
            elif _clear(origin, square, game):
                out_of_turn.append((Cell(origin), Cell(square)))
        if not out_of_turn:
            out_of_turn = self._steps(game.side.other, last)
        return tuple(illegal[:SLIPS]), tuple(out_of_turn[:SLIPS])

    def _steps(self, side: Side, last: Square | None) -> list[tuple[Cell, Cell]]:
        """Return single steps of a side, none of the piece that moved last."""
        game, found = self.game, []
        for origin, piece in sorted(game.pieces.items()):
            if piece.side is side and origin != last:
                for square in (Square(origin + 1), Square(origin - 1)):
                    inside = 0 <= square < game.size**2 and rank_of(square, game.size) == rank_of(origin, game.size)
                    if inside and square not in game.occupied:
                        found.append((Cell(origin), Cell(square)))
        self._dice.shuffle(found)
        return found


def _step(origin: Square, destination: Square, size: int) -> tuple[int, int]:
    """Return files and ranks of one square on the way."""
    files = int(file_of(destination, size)) - int(file_of(origin, size))
    ranks = int(rank_of(destination, size)) - int(rank_of(origin, size))
    return (files > 0) - (files < 0), (ranks > 0) - (ranks < 0)


def _between(move: Move, size: int) -> list[Square]:
    """Return the squares that a move passes, in order."""
    files, ranks = _step(move.origin, move.destination, size)
    step = files + ranks * size
    return [Square(square) for square in range(move.origin + step, move.destination, step)]


def _beyond(move: Move, size: int, occupied: frozenset[Square]) -> list[Square]:
    """Return the free squares past the destination, nearest first."""
    files, ranks = _step(move.origin, move.destination, size)
    file, rank = int(file_of(move.destination, size)) + files, int(rank_of(move.destination, size)) + ranks
    found: list[Square] = []
    while len(found) < BEYOND_MOST and 0 <= file < size and 0 <= rank < size:
        square = square_at(file, rank, size)
        if square in occupied:
            break
        found.append(square)
        file, rank = file + files, rank + ranks
    return found


def _clear(origin: Square, destination: Square, game: Game) -> bool:
    """Say whether a rook could go there."""
    files, ranks = _step(origin, destination, game.size)
    if files and ranks:
        return False
    return not any(square in game.occupied for square in _between(Move(origin, destination, ()), game.size))
