"""What a finished game was worth after each move, for the curve on the page: asked of an engine, position by position.

Owns the question and its answers so far; they belong to one finished game and are dropped when that changes. Touches
nothing: the engine is whoever it is given.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Protocol

from boardd.computer.analysis import chance
from boardd.computer.engine_failure import EngineFailedError
from boardd.session import Session
from engine import Game, Outcome, Side, Square
from engine.search import Value
from engine.worths import WON

log = logging.getLogger(__name__)

THINK_S = 0.2
"""How long to think about a position: a curve of forty moves is there after eight seconds."""

DIGITS = 3
"""Decimals of a chance: more than a curve can show."""

_Key = tuple[str, tuple[tuple[Square, Square], ...], Outcome]


class Judge(Protocol):
    """Whoever is asked what positions are worth."""

    async def value(self, game: Game, seconds: float) -> Value:
        """Tell what a game that goes on is worth to the attackers.

        Raises:
            EngineFailedError: it is broken; it may be asked again.

        """

    async def close(self) -> None:
        """Be done; it may be asked again."""


class LookingBack:
    """Has the finished game of a session judged when asked to.

    Args:
        session: the game being played.
        judge: is asked for one position after the other.

    """

    def __init__(self, session: Session, judge: Judge) -> None:
        self._session = session
        self._judge = judge
        self._key: _Key | None = None
        self._chances: list[float] = []
        self._task: asyncio.Task[None] | None = None

    def ask(self) -> None:
        """Begin, unless it is done or under way for this game."""
        key = _key_of(self._session.game)
        if key is None or key == self._key:
            return
        self._drop()
        self._key = key
        self._task = asyncio.create_task(self._work(self._session.game.copy()))

    def step(self) -> None:
        """Drop what belongs to a game that has gone on or was replaced."""
        if self._key is not None and _key_of(self._session.game) != self._key:
            self._drop()

    def to_json(self) -> dict[str, object] | None:
        """Give the attackers' chances so far, from the start on, and whether more will come; None if nobody asked.

        What belongs to another game is not told, though it has not been dropped yet.
        """
        if self._key is None or self._key != _key_of(self._session.game):
            return None
        return {"chances": list(self._chances), "busy": self._task is not None and not self._task.done()}

    async def close(self) -> None:
        """Take the question back, and end the engine."""
        task = self._task
        self._drop()
        if task is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await self._judge.close()

    def _drop(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._key, self._task, self._chances = None, None, []
        self._session.version += 1

    async def _work(self, game: Game) -> None:
        """Judge all positions in turn."""
        chances, at = self._chances, Game(game.book, position=game.start, side=game.first_side)
        try:
            for ply in (None, *game.plies):
                if ply is not None:
                    at.play(ply.move)
                result = at.result if ply is None or ply.number < len(game.plies) else game.result
                value = await self._judge.value(at, THINK_S) if result is None else _final(result)
                chances.append(round(chance(value), DIGITS))
                self._session.version += 1
        except EngineFailedError as error:
            log.warning("the game cannot be looked back at: %s", error)
            self._session.version += 1
        finally:
            with contextlib.suppress(EngineFailedError):
                await self._judge.close()


def _final(result: Outcome) -> Value:
    """Give what a finished game is worth to the attackers."""
    if result.winner is None:
        return Value(0)
    return Value(WON if result.winner is Side.ATTACKERS else -WON)


def _key_of(game: Game) -> _Key | None:
    """Tell one finished game from another; None while it goes on or before it has begun."""
    if game.result is None or not game.plies:
        return None
    return game.start, tuple((ply.move.origin, ply.move.destination) for ply in game.plies), game.result
