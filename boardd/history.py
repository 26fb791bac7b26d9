"""The moves of a game with the position after each, as the page's list shows them. Asks the engine; decides nothing.

Owns a game of its own that follows the real one, so that a long game is not played again for every picture.
"""

from __future__ import annotations

from typing import Any

from boardd.events import ply_json
from engine import Game

Json = dict[str, Any]


class History:
    """Remembers what was worked out for the moves that two games share."""

    def __init__(self) -> None:
        self._shadow: Game | None = None
        self._moves: list[Json] = []

    def of(self, game: Game) -> list[Json]:
        """Give every ply of a game with `position`, the board after it."""
        shadow = self._shadow
        if shadow is None or (shadow.book, shadow.start, shadow.first_side) != (game.book, game.start, game.first_side):
            shadow = self._shadow = Game(game.book, position=game.start, side=game.first_side)
            self._moves = []
        same = 0
        for known, played in zip(shadow.plies, game.plies, strict=False):
            if known.move != played.move:
                break
            same += 1
        while len(shadow.plies) > same:
            shadow.undo()
        del self._moves[same:]
        for ply in game.plies[same:]:
            played = shadow.play(ply.move)
            self._moves.append(ply_json(played, game.size) | {"position": shadow.position})
        return list(self._moves)
