"""An engine as a child process that speaks OTEP: touches processes.

Owns one process at a time: starting it, telling it the game, asking it, and holding it to be broken where it does not
answer, answers nonsense or is gone. A broken engine is ended and `EngineFailedError` raised; whoever asks next gets a
new one. Knows neither board nor lights.

An answer to a question that nobody asks any more must not be taken for the answer to the next one, and nothing in the
protocol tells them apart. So the engine is told that the game was left and has to answer, or to say that it stopped,
before it is asked again; one that does neither is replaced.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import os
import signal
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from boardd.computer.engine_command import Patience
from boardd.computer.engine_failure import EngineFailedError, Trouble
from boardd.computer.otep import LINE_BYTES, OtepError, read_engine, text_of
from boardd.computer.otep_messages import (
    RESIGNS,
    STOPPED,
    Analysis,
    Analyze,
    AsksClock,
    Chooses,
    Clock,
    Complains,
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

LEAVE_S = 0.5
"""How long an engine may take to leave once it was told goodbye."""

NICE = 10
"""Thinking must not be in the way of sensors and lights."""

MOST_NONSENSE = 1000
"""So many lines that are no message, with none that is one between, and the engine is held to be broken. OpenTafl's own
engine repeats every line that it hears, and after a takeback it hears a whole game at once."""
TOLD_NONSENSE = 3  # such lines of one process are worth a warning

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
        self._process: asyncio.subprocess.Process | None = None
        self._told: Told | None = None
        self._owes = False
        """Whether it has not yet answered a question that nobody asks any more."""
        self._simple = True
        self._nonsense = 0  # since the last message
        self._strange = 0  # since it was started
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
        process = self._process
        if process is None:
            return
        with contextlib.suppress(OSError, EngineFailedError):
            self._send(Goodbye())
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(process.wait(), LEAVE_S)
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
        if self._process is not None:
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
        if self._process is not None and self._process.returncode is not None:
            status = self._process.returncode
            await self._end()
            log.warning("the engine had ended (status %d) and is started again", status)
        if self._process is None:
            await self._start()

    async def _let_go(self) -> None:
        while self._owes:
            said = await self._receive()
            if isinstance(said, Chooses | Analysis) or said == Status(STOPPED):
                self._owes = False

    async def _start(self) -> None:
        self.starts += 1
        self._told, self._owes, self._simple, self._nonsense, self._strange = None, False, True, 0, 0
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LINE_BYTES,
                start_new_session=True,  # the terminal's interrupt is for us
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise EngineFailedError(Trouble.START, f"{self._command[0]}: {reason}") from error
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self._process.pid, NICE)
        try:
            await asyncio.wait_for(self._hello(), self._patience.hello_s)
        except TimeoutError:
            raise EngineFailedError(Trouble.START, f"no hello within {self._patience.hello_s:g} s") from None

    async def _hello(self) -> None:
        while not isinstance(await self._receive(), Hello):
            pass

    async def _end(self) -> None:
        """End the process, which need not agree."""
        process, self._process = self._process, None
        self._told, self._owes = None, False
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # a session of its own, with whatever it has started
        if process.stdin is not None:
            process.stdin.close()
        if process.stdout is not None:
            with contextlib.suppress(ValueError):
                await process.stdout.read()  # the pipe closes when it has been read to its end
        await process.wait()

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
            self._serve(said, game, seconds)

    def _serve(self, said: EngineMessage, game: Game, seconds: float) -> None:
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

    # Lines.

    def _send(self, *messages: HostMessage) -> None:
        process = self._process
        if process is None or process.stdin is None or process.stdin.is_closing():
            raise EngineFailedError(Trouble.CRASHED, "it is gone")
        text = "".join(text_of(message) + "\n" for message in messages)
        log.debug("to the engine: %s", text.strip())
        process.stdin.write(text.encode("ascii"))

    async def _receive(self) -> EngineMessage:
        """Give the next message; nonsense is passed over as long as it is little."""
        process = self._process
        assert process is not None
        assert process.stdout is not None
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError:
                raise EngineFailedError(Trouble.NONSENSE, f"a line of more than {LINE_BYTES} bytes") from None
            if not line.endswith(b"\n"):
                status = await process.wait()
                raise EngineFailedError(Trouble.CRASHED, f"it ended with status {status}")
            try:
                said = read_engine(line.decode("ascii", "backslashreplace"))
            except OtepError as error:
                self._nonsense += 1
                self._strange += 1
                log.log(logging.WARNING if self._strange <= TOLD_NONSENSE else logging.DEBUG, "the engine: %s", error)
                if self._nonsense >= MOST_NONSENSE:
                    raise EngineFailedError(Trouble.NONSENSE, str(error)) from None
                continue
            self._nonsense = 0
            if isinstance(said, SimpleMoves):
                self._simple = said.on
            elif isinstance(said, Complains):
                if said.code < 0:
                    raise EngineFailedError(Trouble.NONSENSE, f"it says: {said.text or 'nothing more'}")
                log.warning("the engine says: %s", said.text)
            elif isinstance(said, Status):
                log.debug("the engine says: %s", said.text)
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
