"""When the engine is asked, and what becomes of its answers. Decides by what the session shows; touches nothing.

Owns the two reasons to ask (it is the computer's turn; somebody wants a hint), the rule that it happens only while the
hands are still, and what is done about an engine that fails. An answer belongs to the game it was asked for: once that
has changed, by a move, a takeback or a new game, the question is taken back and whatever comes of it thrown away.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import logging
from dataclasses import dataclass
from typing import Any, Protocol

from boardd.computer.engine_failure import EngineFailedError, Trouble
from boardd.computer.opponent_settings import OpponentSettings
from boardd.events import bare_move_text
from boardd.session import Session
from boardd.states import State
from engine import Book, Game, Move, Side, Square

log = logging.getLogger(__name__)

STILL = frozenset({State.READY, State.REMOVE})
"""States in which no hand is at work on a move; captured pieces may stand while the computer thinks."""

GOING_ON = STILL | {State.PROVISIONAL}
"""States in which a hint that was asked for comes by itself; in the others the pieces must be put right first."""

HINT_S = 3.0
"""How long a hint may take: somebody waits for it."""

RETRY_S = (0.0, 1.0, 2.0, 5.0, 10.0, 30.0)
"""How long to wait before an engine that has failed so many times in a row is asked again; the last for ever."""

GIVE_UP = 3
"""So many failures in a row, and the program's own engine plays in place of another; a hint is given up."""


class Mind(Protocol):
    """Whoever is asked."""

    async def choose(self, game: Game, seconds: float) -> Move | None:
        """Choose a move for the side to move; None resigns.

        Raises:
            EngineFailedError: it is broken; it may be asked again.

        """

    async def best(self, game: Game, seconds: float) -> Move:
        """Tell the best move for the side to move.

        Raises:
            EngineFailedError: as for `choose`.

        """

    async def close(self) -> None:
        """Be done."""


class Want(enum.Enum):
    """What is asked for."""

    MOVE = "move"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, for which game."""

    want: Want
    book: Book
    start: str
    first: Side
    moves: tuple[tuple[Square, Square], ...]


class Opponent:
    """Plays the computer's side of a session, and answers who asks for a hint.

    Args:
        settings: which side, how long.
        session: the game being played.
        mind: the engine.
        spare: takes over when the engine fails again and again; None if the engine is the program's own.

    """

    def __init__(self, settings: OpponentSettings, session: Session, mind: Mind, spare: Mind | None = None) -> None:
        self._settings = settings
        self._seconds = settings.think_ms / 1000
        self._session = session
        self._mind = mind
        self._spare = spare
        self._replaced = False
        self._question: Question | None = None
        self._task: asyncio.Task[Move | None] | None = None
        self._leaving: set[asyncio.Task[Any]] = set()
        self._failures = 0
        self._again_at = 0.0
        self.trouble: Trouble | None = None
        """What was wrong with the engine last; forgotten when it is asked for the move after the one it chose."""

    def step(self, now: float) -> None:
        """See to it that what should be thought about is, and nothing else."""
        question = self._wanted()
        if self._task is not None and question != self._question:
            self._take_back()
        still = self._session.tracker.state in STILL
        if self._task is not None:
            if self._task.done() and (still or self._task.cancelled() or self._task.exception() is not None):
                self._hear(now, self._task)
        elif question is not None and still and now >= self._again_at and not self._leaving:
            self._ask(question)

    def to_json(self) -> dict[str, object] | None:
        """Tell how it goes, for the page; None where no computer plays and nothing is asked."""
        session, settings = self._session, self._settings
        side = session.opponent
        chosen = session.tracker.board.chosen
        return {
            "side": None if side is None else side.value,
            "engine": "konakis" if self._replaced or not settings.engine else settings.engine,
            "level": settings.level,
            "thinking": self._question is not None and self._question.want is Want.MOVE,
            "hinting": session.hint_asked,
            "hint_waits": session.hint_asked and self._task is None and session.tracker.state not in GOING_ON,
            "chosen": None if chosen is None else bare_move_text(chosen, session.game.size),
            "trouble": None if self.trouble is None else self.trouble.value,
            "replaced": self._replaced,
        }

    async def close(self) -> None:
        """Take back what is asked, and end the engine."""
        self._take_back()
        if self._leaving:
            await asyncio.wait(self._leaving)
        await self._mind.close()

    # Asking.

    def _wanted(self) -> Question | None:
        """Give what should be thought about now."""
        session = self._session
        game = session.game
        if game.result is not None:
            session.hint_asked = False
            return None
        computers = game.side is session.opponent
        if computers:
            session.hint_asked = False
            want = Want.MOVE
            if session.tracker.board.chosen is not None:
                return None
        elif session.hint_asked:
            want = Want.HINT
        else:
            return None
        moves = tuple((ply.move.origin, ply.move.destination) for ply in game.plies)
        return Question(want, game.book, game.start, game.first_side, moves)

    def _ask(self, question: Question) -> None:
        game = self._session.game.copy()
        wants_move = question.want is Want.MOVE
        asking = self._mind.choose(game, self._seconds) if wants_move else self._best(game)
        if not self._failures:
            self.trouble = None
        self._question = question
        self._task = asyncio.create_task(asking)
        self._session.version += 1

    async def _best(self, game: Game) -> Move | None:
        return await self._mind.best(game, min(HINT_S, self._seconds))

    def _take_back(self) -> None:
        """Ask no more."""
        task, self._task, self._question = self._task, None, None
        self._session.version += 1
        if task is not None and not task.done():
            task.cancel()
            self._leaving.add(task)
            task.add_done_callback(self._left)

    def _left(self, task: asyncio.Task[Any]) -> None:
        self._leaving.discard(task)
        if not task.cancelled():
            with contextlib.suppress(EngineFailedError):
                task.result()

    # Answers.

    def _hear(self, now: float, task: asyncio.Task[Move | None]) -> None:
        """Take an answer to what is still asked."""
        question, self._question, self._task = self._question, None, None
        assert question is not None
        session = self._session
        session.version += 1
        try:
            move = task.result()
        except asyncio.CancelledError:
            return
        except EngineFailedError as error:
            self._fail(now, error.trouble, str(error))
            return
        except Exception:  # the boundary: a fault in here must not end the game
            log.exception("asking the engine has failed")
            self._fail(now, Trouble.CRASHED, "a fault of this program")
            return
        self._failures = 0
        if question.want is Want.HINT:
            assert move is not None
            session.hinted(now, move.origin, move.destination)
        elif move is None:
            log.info("the engine resigns")
            session.resign(now)
        else:
            session.opponent_moves(now, move.origin, move.destination)

    def _fail(self, now: float, trouble: Trouble, why: str) -> None:
        """Say that the engine has failed, and when it is asked again."""
        self._failures += 1
        self.trouble = trouble
        self._again_at = now + RETRY_S[min(self._failures, len(RETRY_S)) - 1]
        log.warning("the engine has failed (%s) and is started again: %s", trouble.value, why)
        if self._failures < GIVE_UP:
            return
        self._session.hint_asked = False
        if self._spare is not None:
            log.warning("the engine has failed %d times in a row: the program's own plays in its place", self._failures)
            closing = asyncio.ensure_future(self._mind.close())
            self._leaving.add(closing)
            closing.add_done_callback(self._left)
            self._mind, self._spare, self._replaced = self._spare, None, True
            self._failures, self._again_at = 0, now
