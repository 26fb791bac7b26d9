"""A simulated board in virtual time, for other people's tests: hands, sensors, tracking and lights in one object.

Owns nothing but the joining: the board is `hardware.simulated`'s, the following `boardd.tracking`'s. No clock, no
thread, no file: a minute of play takes a millisecond, and the same acts give the same events.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from boardd.commands import Command, Word
from boardd.errors import BoarddError
from boardd.events import Event, Json, Leds, Question
from boardd.saved import Saved
from boardd.settings import HintLevel, PlaySettings
from boardd.tracking import Tracker
from engine import Game, NotationError, Side, Square, book_named, parse_square, square_name
from hardware.errors import HandError
from hardware.news import Cell
from hardware.simulated.board import SimulatedBoard
from hardware.simulated.faults import Fault, faults_named
from hardware.theme import Role

A_MOMENT_S = 0.3
"""How long a hand takes for each act, if not told."""

A_WHILE_S = 2.0
"""Longer than any decision about a move takes, as delivered."""


class VirtualBoardError(BoarddError, ValueError):
    """An act that a hand cannot do, or a word that the board does not know."""


class VirtualBoard:
    """A board to play on from Python.

    Args:
        rules: the name of a rule book.
        position: where the pieces stand (OTN); the book's start by default.
        side: who moves first; the book's first side by default.
        faults: what is wrong with the sensors, in the words of `konakis simulate --fault`.
        seed: the same seed and the same acts give the same news.
        settings: timings and hint level.

    Raises:
        EngineError: no such book, or a position that cannot be played.

    >>> board = VirtualBoard("tablut-edge")
    >>> board.move("a4", "d4")
    >>> board.moves
    ['a4-d4']

    """

    def __init__(
        self,
        rules: str = "tablut-edge",
        *,
        position: str | None = None,
        side: Side | None = None,
        faults: tuple[str, ...] = (),
        seed: int = 1,
        settings: PlaySettings | None = None,
    ) -> None:
        saved = Saved(book_named(rules), position, side)
        game = saved.game()
        rng = Random(seed)
        wrong = [Fault(fault) for fault in faults]
        pieces = {Cell(square): piece.value for square, piece in game.pieces.items()}
        self.now = 0.0
        """The board's time in seconds."""
        self._size = game.size
        self._table = SimulatedBoard(game.size, pieces, rng, faults=faults_named(wrong, game.size**2, rng))
        self._tracker = Tracker(saved, settings or PlaySettings(), occupied=game.occupied)
        self._events: list[Event] = self._tracker.drain()

    # What hands do.

    def lift(self, square: str) -> None:
        """Take a piece into the hand."""
        self._act(f"lift {square}", lambda: self._table.lift(self.now, self._cell(square)))

    def drop(self, square: str) -> None:
        """Put the piece that was lifted last down."""
        self._act(f"drop {square}", lambda: self._table.drop(self.now, self._cell(square)))

    def take_off(self, square: str) -> None:
        """Lay a piece beside the board."""
        self._act(f"take off {square}", lambda: self._table.box(self.now, self._cell(square)))

    def put_back(self, piece: str, square: str) -> None:
        """Put a piece from beside the board on a square; `piece` is `t`, `T` or `K`."""
        self._act(f"put back {square}", lambda: self._table.unbox(self.now, self._cell(square), piece))

    def move(self, origin: str, destination: str) -> None:
        """Lift a piece, put it down, take off what the lights ask off, and wait until the board has decided."""
        self.lift(origin)
        self.drop(destination)
        self.wait(A_WHILE_S)
        for square, role in self.lights.items():
            if role is Role.REMOVE:
                self.take_off(square)
        self.wait(A_WHILE_S)

    def press(self, word: str) -> None:
        """Press a button: `takeback`, `new-game`, `resign`, `draw`, `confirm`, `cancel`."""
        try:
            command = Command(Word(word))
        except ValueError:
            words = ", ".join(known.value for known in Word)
            raise VirtualBoardError(f"button: found {word!r}, expected one of {words}") from None
        self._tracker.command(self.now, command)
        self.wait(A_MOMENT_S)

    def hint_level(self, level: HintLevel) -> None:
        """Choose how much the lights tell."""
        self._tracker.command(self.now, Command(Word.HINTS, level))
        self.wait(A_MOMENT_S)

    def wait(self, seconds: float) -> None:
        """Let time go by."""
        self.now += seconds
        for news in self._table.sensors.news_until(self.now):
            self._tracker.sensed(news)
        self._tracker.advance(self.now)
        self._events += self._tracker.drain()

    # What there is to see.

    @property
    def game(self) -> Game:
        """The game as the board has it; read only."""
        return self._tracker.game

    @property
    def moves(self) -> list[str]:
        """The accepted moves with their captures, as `f1-f3xe3`."""
        return [ply.move.text(self._size) for ply in self.game.plies]

    @property
    def lights(self) -> dict[str, Role]:
        """What each lit square means."""
        return {square_name(square, self._size): role for square, role in sorted(self._tracker.roles.items())}

    @property
    def question(self) -> Question | None:
        """What the board has asked and nobody has answered."""
        return self._tracker.question

    def events(self) -> list[Json]:
        """Give what the board has said so far, in the contract's words; pictures of the lights left out."""
        return [event.to_json(self._size) for event in self._events if not isinstance(event, Leds)]

    def _cell(self, name: str) -> Cell:
        return Cell(parse_square(name, self._size))

    def _act(self, what: str, act: Callable[[], object]) -> None:
        try:
            act()
        except NotationError as error:
            raise VirtualBoardError(f"{what}: found {error.found}, expected {error.expected}") from None
        except HandError:
            board = {square_name(Square(cell), self._size): piece for cell, piece in sorted(self._table.pieces.items())}
            square = what.split()[-1]
            stands = f"{board[square]!r} on {square}" if square in board else f"nothing on {square}"
            held = ", ".join(repr(held.piece) for held in self._table.in_hand) or "nothing"
            boxed = ", ".join(map(repr, self._table.boxed)) or "nothing"
            found = f"{stands}, {held} in the hand and {boxed} beside the board"
            raise VirtualBoardError(f"{what}: found {found}") from None
        self.wait(A_MOMENT_S)
