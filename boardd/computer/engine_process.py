"""An engine that is told the game and asked about it, over OTEP.

Owns one process (`engine_child`) at a time: having it running, telling it the game, asking it, and holding it to be
broken where it does not answer, answers nonsense or is gone. A broken engine is ended and `EngineFailedError` raised;
whoever asks next gets a new one. Knows neither board nor lights.

An answer to a question that nobody asks any more must not be taken for the answer to the next one, and nothing in the
protocol tells them apart. So the engine is told that the game was left and has to answer, or to say that it stopped,
before it is asked again; one that does neither is replaced.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from boardd.computer.engine_child import EngineChild
from boardd.computer.engine_command import Patience
from boardd.computer.engine_failure import EngineFailedError, Trouble
from boardd.computer.otep_messages import (
    RESIGNS,
    STOPPED,
    Analysis,
    Analyze,
    AsksClock,
    Chooses,
    Clock,
    End,
    EngineMessage,
    Fault,
    Finish,
    Goodbye,
    Hello,
    HostMessage,
    Made,
    OpponentMove,
    Play,
    PlaysFor,
    Position,
    Refused,
    Rules,
    SimpleMoves,
    Start,
    Status,
    TimeLeft,
)
from engine import EngineError, Game, Move, Side, parse_move, square_name, write_rules
from engine.search import Value
from engine.worths import WON

log = logging.getLogger(__name__)

CHANCES = 2
"""How often an engine may choose a move for one position until it is legal."""


@dataclass(frozen=True, slots=True)
class Told:
    """The game as an engine knows it."""

    rules: str
    start: str
    first: Side
    side: Side
    moves: tuple[Move, ...]


class EngineProcess:
    """Asks an engine, and keeps it running between questions.

    Args:
        command: starts the engine.
        patience: how long to wait for it.

    """

    def __init__(self, command: Sequence[str], patience: Patience | None = None) -> None:
        self._command = tuple(command)
        self._patience = patience or Patience()
        self._child: EngineChild | None = None
        self._told: Told | None = None
        self._owes = False
        """Whether it has not yet answered a question that nobody asks any more."""
        self._simple = True
        self.starts = 0
        """How often it was started."""

    async def greet(self) -> None:
        """Have it running and greeted, or raise EngineFailedError."""
        async with self._whole():
            await self._ready()

    async def choose(self, game: Game, seconds: float) -> Move | None:
        """Have it choose a move for the side to move; None if it resigns.

        If cancelled, the question is taken back.

        Args:
            game: goes on; is not changed.
            seconds: how long it may think.

        Raises:
            EngineFailedError: it is broken.

        """
        game = game.copy()
        async with self._whole():
            await self._ready()
            self._tell(game, game.side)
            for _ in range(CHANCES):
                said = await self._ask(game, seconds, Play(game.side), _clock(seconds))
                if isinstance(said, Chooses):
                    if said.move == RESIGNS:
                        return None
                    move = _legal(game, said.move)
                    if move is not None:
                        return move
                    log.warning("the engine chose %s, which is no legal move here", said.move[:40])
                    self._send(Refused(Fault.ILLEGAL), *self._last(game))
            raise EngineFailedError(Trouble.ILLEGAL, f"it chose a move that is not legal, {CHANCES} times")

    async def best(self, game: Game, seconds: float) -> Move:
        """Have it tell the best move for the side to move, whoever plays that.

        Raises:
            EngineFailedError: it is broken.

        """
        move, _ = await self._analyze(game, seconds)
        return move

    async def value(self, game: Game, seconds: float) -> Value:
        """Have it tell what the game is worth to the attackers.

        Raises:
            EngineFailedError: it is broken.

        """
        _, soldiers = await self._analyze(game, seconds)
        return Value(round(max(-WON, min(WON, soldiers * 100))))

    async def close(self) -> None:
        """Say goodbye, and end it if it does not leave."""
        if self._child is None:
            return
        with contextlib.suppress(OSError, EngineFailedError):
            self._send(Goodbye())
        await self._child.leave()
        await self._end()

    # A question as a whole.

    async def _analyze(self, game: Game, seconds: float) -> tuple[Move, float]:
        """Ask for the best move, and what the game is worth to the attackers in soldiers."""
        game = game.copy()
        async with self._whole():
            await self._ready()
            self._tell(game, game.side.other if self._told is None else self._told.side)
            said = await self._ask(game, seconds, Analyze(1, seconds))
            if isinstance(said, Analysis) and said.lines:
                moves, soldiers = said.lines[0]
                move = _legal(game, moves[0])
                if move is not None and math.isfinite(soldiers):
                    return move, soldiers
            raise EngineFailedError(Trouble.ILLEGAL, "its analysis begins with no legal move or has no value")

    @contextlib.asynccontextmanager
    async def _whole(self) -> AsyncIterator[None]:
        """End an engine that fails; take the question back if nobody waits for the answer any more."""
        try:
            yield
        except asyncio.CancelledError:
            self._take_back()
            raise
        except EngineFailedError:
            await self._end()
            raise

    def _take_back(self) -> None:
        """Tell it that its game was left."""
        self._told = None
        with contextlib.suppress(EngineFailedError):
            self._send(Finish(End.LEFT))

    async def _ready(self) -> None:
        """Have a process that waits for a question."""
        if self._owes:
            try:
                await asyncio.wait_for(self._let_go(), self._patience.let_go_s)
            except (TimeoutError, EngineFailedError):
                log.info("the engine does not stop thinking and is replaced")
                await self._end()
        if self._child is not None and self._child.status is not None:
            log.warning("the engine had ended (status %d) and is started again", self._child.status)
            await self._end()
        if self._child is None:
            await self._start()
        else:
            await self._pass_over()
        assert self._child is not None
        self._child.asked()

    async def _let_go(self) -> None:
        while self._owes:
            said = await self._receive()
            if isinstance(said, Chooses | Analysis) or said == Status(STOPPED):
                self._owes = False

    async def _pass_over(self) -> None:
        """Read what it has said since its last answer: an answer among it is none to the question that comes now."""
        while True:
            reading = asyncio.ensure_future(self._receive())
            try:
                await asyncio.wait({reading}, timeout=0)
            finally:
                if not reading.done():
                    reading.cancel()
                    await asyncio.wait({reading})
            if reading.cancelled():
                return
            reading.result()

    async def _start(self) -> None:
        self.starts += 1
        self._told, self._owes, self._simple = None, False, True
        self._child = await EngineChild.start(self._command)
        try:
            await asyncio.wait_for(self._hello(), self._patience.hello_s)
        except TimeoutError:
            raise EngineFailedError(Trouble.START, f"no hello within {self._patience.hello_s:g} s") from None

    async def _hello(self) -> None:
        while not isinstance(await self._receive(), Hello):
            pass

    async def _end(self) -> None:
        """End the process, which need not agree."""
        child, self._child = self._child, None
        self._told, self._owes = None, False
        if child is not None:
            await child.end()

    # Telling and asking.

    def _tell(self, game: Game, side: Side) -> None:
        """Tell what it does not know yet of a game in which it plays a side."""
        rules = write_rules(game.book)
        moves = tuple(ply.move for ply in game.plies)
        wanted = Told(rules, game.start, game.first_side, side, moves)
        told = self._told
        first = Told(rules, game.start, game.first_side, side, ())
        if told is None or told.moves != moves[: len(told.moves)] or _begin(told) != first:
            self._send(Rules(rules), PlaysFor(side), Start())
            if game.start != Game(game.book).position:
                self._send(Position(game.start))
            known = 0
        else:
            known = len(told.moves)
        for number in range(known + 1, len(moves) + 1):
            self._send(*self._made(game, number, side))
        self._told = wanted

    def _made(self, game: Game, number: int, side: Side) -> Sequence[HostMessage]:
        """Tell one move of a game, which is not changed."""
        earlier = game.copy()
        while len(earlier.plies) > number:
            earlier.undo()
        ply = earlier.plies[-1]
        if ply.side is side:
            return (Made(earlier.position),)
        return (OpponentMove((self._text(ply.move, game.size),), earlier.position),)

    def _last(self, game: Game) -> Sequence[HostMessage]:
        """Tell the last move again."""
        return self._made(game, len(game.plies), game.side) if game.plies else ()

    def _text(self, move: Move, size: int) -> str:
        if not self._simple:
            return move.text(size)
        return f"{square_name(move.origin, size)}-{square_name(move.destination, size)}"

    async def _ask(self, game: Game, seconds: float, *question: HostMessage) -> Chooses | Analysis:
        """Ask and wait for the answer, answering what the engine asks meanwhile."""
        self._owes = True
        self._send(*question)
        allowed = seconds + self._patience.grace_s
        try:
            return await asyncio.wait_for(self._answer(game, seconds), allowed)
        except TimeoutError:
            raise EngineFailedError(Trouble.HUNG, f"no answer within {allowed:g} s") from None

    async def _answer(self, game: Game, seconds: float) -> Chooses | Analysis:
        while True:
            said = await self._receive()
            if isinstance(said, Chooses | Analysis):
                self._owes = False
                return said
            await self._serve(said, game, seconds)

    async def _serve(self, said: EngineMessage, game: Game, seconds: float) -> None:
        """Answer what an engine asks beside."""
        match said:
            case Rules():
                self._send(Rules(write_rules(game.book)))
            case Position():
                self._send(Position(game.position))
            case PlaysFor():
                self._send(PlaysFor(self._told.side if self._told is not None else game.side))
            case AsksClock():
                self._send(_clock(seconds))
            case _:
                return
        assert self._child is not None
        await self._child.heard()

    # Lines.

    def _send(self, *messages: HostMessage) -> None:
        if self._child is None:
            raise EngineFailedError(Trouble.CRASHED, "it is gone")
        self._child.send(*messages)

    async def _receive(self) -> EngineMessage:
        assert self._child is not None
        said = await self._child.receive()
        if isinstance(said, SimpleMoves):
            self._simple = said.on
        return said


def _begin(told: Told) -> Told:
    """Give what was told of a game before its first move."""
    return Told(told.rules, told.start, told.first, told.side, ())


def _clock(seconds: float) -> Clock:
    """Tell that each move may take so long: both sides are in their last overtime, whose periods begin anew."""
    left = TimeLeft(round(seconds * 1000), overtime=True)
    return Clock(left, left, max(1, round(seconds)), 1, 1)


def _legal(game: Game, text: str) -> Move | None:
    """Read a move; None where it is none that may be played."""
    try:
        move = parse_move(text, game.size)
    except EngineError:
        return None
    return game.find(move.origin, move.destination)
