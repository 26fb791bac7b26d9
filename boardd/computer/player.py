"""The engine's side of OpenTafl's protocol: hears what a host says, thinks, and answers.

Owns the game as the host has told it and how long to think. It reads on while it thinks: whatever comes then, but a
clock, ends the thinking at once, and `status stopped` is said in place of the answer. Touches no stream: lines come
from and go to functions that it is given.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from boardd.computer.otep import OtepError, read_host, text_of
from boardd.computer.otep_messages import (
    FATAL,
    STOPPED,
    Analysis,
    Analyze,
    Chooses,
    Clock,
    Complains,
    EngineMessage,
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
    Start,
    Status,
    TimeLeft,
)
from engine import EngineError, Game, Move, Side, parse_move, parse_rules, position_text, square_name
from engine.levels import Level, Opponent
from engine.notation import parse_position
from engine.search import Limits, Searcher, Value, moves_of

OVERTIME_SHARE = 0.8
"""Of the rest of an overtime period, how much is thought: the answer has to arrive within it, too."""

MOVES_LEFT = 25
"""A game is held to last so many moves more; each may take its share of the time that is left."""

NEAR = 300
"""In an analysis of several lines, moves that are worth so much less than the best (hundredths of a soldier) count."""

Source = Callable[[bool], Sequence[str] | None]
"""Gives the lines that have come; waits for one if asked to. None at the end."""


@dataclass(slots=True)
class _Thinking:
    """One search that runs."""

    side: Side
    began: float
    seconds: float | None
    """None for no limit but the level's."""
    interrupted: bool = False


class Player:
    """Plays at the bidding of a host.

    Args:
        level: how strong it plays; analyses are as strong as can be.
        seed: decides among moves that look alike to it.
        source: what the host says.
        say: takes a line for the host.
        clock: seconds, from any moment on.

    """

    def __init__(
        self,
        level: Level,
        seed: int,
        source: Source,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._level = level
        self._seed = seed
        self._source = source
        self._write = say
        self._clock = clock
        self._inbox: deque[HostMessage] = deque()
        self._ended = False
        self._game: Game | None = None
        self._opponent: Opponent | None = None
        self._searcher: Searcher | None = None
        self._side: Side | None = None
        self._thinking: _Thinking | None = None

    def run(self) -> None:
        """Play until the host says goodbye or is gone."""
        self._say(Hello())
        while True:
            while not self._inbox:
                if self._ended:
                    return
                self._fetch(wait=True)
            message = self._inbox.popleft()
            if isinstance(message, Goodbye):
                return
            try:
                self._obey(message)
            except EngineError as error:
                self._say(Complains(0, str(error)))

    # Lines.

    def _say(self, message: EngineMessage) -> None:
        self._write(text_of(message))

    def _fetch(self, *, wait: bool) -> None:
        lines = self._source(wait)
        if lines is None:
            self._ended = True
            return
        for line in lines:
            if not line.strip():
                continue
            try:
                self._inbox.append(read_host(line))
            except OtepError as error:
                self._say(Complains(0, str(error)))

    def _go_on(self) -> bool:
        """Tell the search whether to go on; it asks every few milliseconds."""
        thinking = self._thinking
        assert thinking is not None
        self._fetch(wait=False)
        while self._inbox and isinstance(self._inbox[0], Clock | Hello | Start):
            message = self._inbox.popleft()
            if isinstance(message, Clock):
                thinking.seconds = _budget_s(message.of(thinking.side))
        thinking.interrupted = bool(self._inbox) or self._ended
        if thinking.interrupted:
            return False
        return thinking.seconds is None or self._clock() - thinking.began < thinking.seconds

    # Messages.

    def _obey(self, message: HostMessage) -> None:
        match message:
            case Rules(text):
                self._begin(text or "")
            case PlaysFor(side):
                self._side = side
            case Position(text):
                self._stand(text or "", self._known.side)
            case OpponentMove(moves, position):
                self._follow(moves, position)
            case Made(position):
                self._made(position)
            case Play(side):
                self._play(side)
            case Analyze(count, seconds):
                self._analyze(count, seconds)
            case Refused(fault):
                self._say(Status(f"my move was refused: {fault.name.lower().replace('_', ' ')}"))
            case Hello() | Start() | Clock() | Finish() | Goodbye():
                pass

    @property
    def _known(self) -> Game:
        """The game; before any rules were told there is none.

        Raises:
            EngineError: there is none.

        """
        if self._game is None:
            raise EngineError("found no rules told yet, expected rules first")
        return self._game

    def _begin(self, rules: str) -> None:
        try:
            book = parse_rules(rules)
            self._game = Game(book)
        except EngineError as error:
            self._say(Complains(FATAL, str(error)))
            return
        self._opponent = Opponent(book, self._level, self._seed)
        self._searcher = None

    def _stand(self, text: str, side: Side) -> None:
        """Have the board as a position says: the game as it is, as it was before, or one that begins here."""
        game = self._known
        position = _tidy(text)
        if game.position == position and game.side is side:
            return
        earlier = game.copy()
        while earlier.plies:
            earlier.undo()
            if earlier.position == position and earlier.side is side:
                self._game = earlier
                return
        self._game = Game(game.book, position=position, side=side)

    def _follow(self, moves: Sequence[str], text: str) -> None:
        """Take moves of the other side."""
        game, position = self._known, _tidy(text)
        if game.position == position and game.plies:
            return  # told again, after a move of ours was refused
        ahead = game.copy()
        try:
            for told in moves:
                move = parse_move(told, game.size)
                ahead.play((move.origin, move.destination))  # captures are believed to be what the rules say
        except EngineError:
            self._stand(text, self._side or game.side.other)
            return
        if ahead.position == position:
            self._game = ahead
        else:
            self._stand(text, self._side or ahead.side)

    def _made(self, text: str) -> None:
        """Find out which move of ours was made."""
        game, position = self._known, _tidy(text)
        for move in game.legal_moves():
            ahead = game.copy()
            ahead.play(move)
            if ahead.position == position:
                self._game = ahead
                return
        self._stand(text, game.side.other if self._side is None else self._side.other)

    def _to_move(self, side: Side) -> Game:
        """Give the game with this side to move."""
        game = self._known
        if game.side is not side:
            game = self._game = Game(game.book, position=game.position, side=side)
        if game.result is not None:
            raise EngineError("found a game that is over, expected one that goes on")
        return game

    def _play(self, side: Side) -> None:
        game = self._to_move(side)
        assert self._opponent is not None
        thinking = self._thinking = _Thinking(side, self._clock(), None)
        self._go_on()  # a clock may be here already
        if not thinking.interrupted:
            result = self._opponent.choose(game, self._go_on)
            self._go_on()
        if thinking.interrupted:
            self._say(Status(STOPPED))
            return
        self._say(Status(f"{side.value}: {result.value}, depth {result.depth}, {result.nodes} nodes"))
        self._say(Chooses(_text(result.move, game.size)))

    def _analyze(self, count: int, seconds: float) -> None:
        game = self._to_move(self._known.side)
        if self._searcher is None:
            self._searcher = Searcher(game.book)
        thinking = self._thinking = _Thinking(game.side, self._clock(), seconds)
        lines: list[tuple[tuple[str, ...], float]] = []
        if count == 1:
            result = self._searcher.best_move(game, Limits(), self._go_on)
            lines.append((_texts(result.line, game.size), _for_attackers(result.value, game.side)))
        else:
            lines = self._ranked(game, count)
        self._go_on()
        if thinking.interrupted:
            self._say(Status(STOPPED))
        else:
            self._say(Analysis(tuple(lines)))

    def _ranked(self, game: Game, count: int) -> list[tuple[tuple[str, ...], float]]:
        """Give several lines; only the best is known beyond its first move."""
        assert self._searcher is not None
        thought = self._searcher.think(game.core.copy(), Limits(), self._go_on, margin=NEAR)
        ranking = thought.ranking or ((thought.move, thought.worth),)
        return [
            (
                _texts(moves_of(game, thought.line if move == thought.move else (move,)), game.size),
                _for_attackers(Value(worth), game.side),
            )
            for move, worth in ranking[:count]
        ]


def _budget_s(left: TimeLeft) -> float | None:
    """Give how long to think with so much time left; None without a clock."""
    if left.ms < 0:
        return None
    seconds = left.ms / 1000
    return seconds * OVERTIME_SHARE if left.overtime else seconds / MOVES_LEFT


def _tidy(text: str) -> str:
    """Spell a position as our games do."""
    size, pieces = parse_position(text)
    return position_text(pieces, size)


def _text(move: Move, size: int) -> str:
    return f"{square_name(move.origin, size)}-{square_name(move.destination, size)}"


def _texts(line: Sequence[Move], size: int) -> tuple[str, ...]:
    return tuple(_text(move, size) for move in line)


def _for_attackers(value: Value, side: Side) -> float:
    """Give a value in soldiers, more being better for the attackers."""
    return (value if side is Side.ATTACKERS else value.opposite).worth / 100
