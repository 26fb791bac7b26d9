"""A plain AND/OR search: every move of both sides, rules only, no evaluation, nothing left out.

What the tactical suite (tests/engine/tactics.jsonl) claims is proved by this, so that no cleverness of the engine's own
search can be wrong in both.
"""

from engine.game import Game
from engine.position import RUNNING, Position
from engine.squares import Square
from engine.tables import CELL_MASK, MOVE_SHIFT
from engine.values import Move

MOST_PLIES = 9
"""No claim looks further."""


class Prover:
    """Proves claims about one game as it stands, its history included."""

    def __init__(self, game: Game) -> None:
        self.position: Position = game.core.copy()
        self.position.reserve(MOST_PLIES + 1)
        self.buffer = self.position.buffer(MOST_PLIES + 2)
        self.tables = game.tables
        self.tried = 0
        """Moves made so far."""

    def wins(self, plies: int, start: int = 0) -> bool:
        """Tell whether the side to move can force a win within so many plies."""
        return any(self.wins_by(move, plies, end) for move, end in self._moves(start))

    def loses(self, plies: int, start: int = 0) -> bool:
        """Tell whether the opponent of the side to move can force a win within so many plies."""
        return all(self.loses_by(move, plies, end) for move, end in self._moves(start))

    def wins_by(self, move: int, plies: int, start: int) -> bool:
        """Tell whether a move forces a win within so many plies, itself the first."""
        position = self.position
        mover = position.side
        position.make(move)
        self.tried += 1
        end = position.ended()
        won = bool(position.winner(end) == mover) if end != RUNNING else plies > 1 and self.loses(plies - 1, start)
        position.undo()
        return won

    def loses_by(self, move: int, plies: int, start: int) -> bool:
        """Tell whether after a move the opponent can force a win within so many plies, the move the first."""
        position = self.position
        mover = position.side
        position.make(move)
        self.tried += 1
        end = position.ended()
        if end != RUNNING:
            lost = bool(position.winner(end) not in (0, mover))
        else:
            lost = plies > 1 and self.wins(plies - 1, start)
        position.undo()
        return lost

    def packed(self, move: Move) -> int:
        """Return a move in the core's numbers."""
        return self.tables.cell(move.origin) << MOVE_SHIFT | self.tables.cell(move.destination)

    def squares(self, move: int) -> tuple[Square, Square]:
        """Return a move of the core as origin and destination."""
        square = self.tables.square
        return Square(square(move >> MOVE_SHIFT)), Square(square(move & CELL_MASK))

    def _moves(self, start: int) -> list[tuple[int, int]]:
        """Return the moves of the side to move, those that end the game first, each with where the buffer is free."""
        position, buffer = self.position, self.buffer
        end = int(position.generate(position.side, buffer, start))
        moves = [(int(buffer[n]), end) for n in range(start, end)]
        return sorted(moves, key=self._goes_on)

    def _goes_on(self, entry: tuple[int, int]) -> bool:
        self.position.make(entry[0])
        self.tried += 1
        going = bool(self.position.ended() == RUNNING)
        self.position.undo()
        return going
