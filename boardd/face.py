"""What the page sees and asks: the state message, and what becomes of the page's messages.

Owns the words between page and daemon (docs/page.md tells them all). Decides nothing: commands go to the session,
hands to the simulated board. Knows neither HTTP nor sockets; `boardd.web` serves it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from boardd.commands import Command, Word
from boardd.computer.looking_back import LookingBack
from boardd.events import names, outcome_json
from boardd.history import History
from boardd.lamps import Lamps
from boardd.session import Session
from boardd.settings import HintLevel, Name
from boardd.table_top import TableTop
from boardd.web.audience import Audience
from engine import NotationError, Square, parse_square, square_name
from hardware.errors import HandError, one_line

Json = dict[str, Any]

REFUSAL_MAX = 200
"""Characters of a refusal; it says again some of what was asked."""

_NAME: TypeAdapter[str] = TypeAdapter(Name)


class RefusedError(ValueError):
    """A message that is not obeyed; says why in one line."""


class Face:
    """The daemon as pages see it (`boardd.web.face_protocol.Face`).

    What is told is what was released last: a move that the disk does not hold yet is not shown.

    Args:
        session: the game being played.
        lamps: what shines.
        hands: the simulated board's hands, None where real hands play.
        now: the time.
        version: of the program.
        computer: tells how the engine does; None where there is none to ask.
        looking_back: judges finished games; None where nobody can.

    """

    def __init__(
        self,
        session: Session,
        lamps: Lamps,
        hands: TableTop | None,
        now: Callable[[], float],
        version: str,
        computer: Callable[[], Json | None] = lambda: None,
        looking_back: LookingBack | None = None,
    ) -> None:
        self._looking_back = looking_back
        self._computer = computer
        self._session = session
        self._lamps = lamps
        self._hands = hands
        self._now = now
        self._version = version
        self._history = History()
        self._audience = Audience()
        self._released = True
        self.stored = True
        """Whether the disk holds everything that is told."""
        self.damaged: str | None = None
        """The name under which a damaged file of games is kept, if one was found since the start."""
        self._told = self._state()

    # What the page's server asks.

    def state(self) -> Mapping[str, object]:
        """Give everything a page shows, as it was released last."""
        return self._told

    def handle(self, message: Mapping[str, object]) -> str | None:
        """Do what a page asks; give one line that says why not, or None."""
        gate = self._session.gate
        try:
            self._handle(message)
        except (RefusedError, HandError) as error:
            return one_line(str(error), REFUSAL_MAX)
        finally:
            if self._session.gate != gate:
                self.hold()  # the disk must have it first; the daemon releases it then
        self.changed()
        return None

    def subscribe(self) -> AsyncIterator[object]:
        """Yield after each change, until it is closed."""
        return self._audience.listen()

    # What the daemon says.

    def hold(self) -> None:
        """Keep telling what was told last: what happened since is not on the disk yet."""
        self._released = False

    def release(self) -> None:
        """Tell how things stand from now on."""
        self._released = True
        self.changed()

    def changed(self) -> None:
        """Take down how things stand and have all pages ask again, unless nothing new may be told yet."""
        if not self._released:
            return
        self._told = self._state()
        self._audience.tell()

    # The state message.

    def _state(self) -> Json:
        session = self._session
        tracker, game, size = session.tracker, session.game, session.geometry.size
        board = tracker.board
        last = game.plies[-1] if game.plies and game.result is None else None
        missing, extra = board.mismatch or (frozenset(), frozenset())
        question = tracker.question
        state: Json = {
            "type": "state",
            "version": self._version,
            "rules": game.book.name,
            "goal": game.book.goal.value,
            "camps": names(game.book.camps, size),
            "size": size,
            "simulated": self._hands is not None,
            "connected": session.connected,
            "stored": self.stored,
            "damaged": self.damaged,
            "pieces": {square_name(square, size): piece.value for square, piece in game.pieces.items()},
            "sensors": names(tracker.occupied, size),
            "health": {"noisy": names(session.watch.worse, size), "untrusted": names(board.blind, size)},
            "side": game.side.value,
            "ply": len(game.plies),
            "moves": self._history.of(game),
            "start": game.start,
            "result": None if game.result is None else outcome_json(game.result),
            "announce": [] if last is None else [word.value for word in last.announcements],
            "whose": None if last is None or not last.announcements else last.whose(last.announcements[0]).value,
            "state": tracker.state.value,
            "removals": names(tracker.removals, size),
            "mismatch": {"missing": names(missing, size), "extra": names(extra, size)},
            "illegal": self._illegal(),
            "question": None if question is None else question.details(size),
            "lights": self._lights(),
            "hint": names(tracker.hint, size),
            "level": tracker.level.value,
            "brightness": self._lamps.brightness,
            "names": {"attackers": session.attackers, "defenders": session.defenders},
            "computer": self._computer(),
            "curve": None if self._looking_back is None else self._looking_back.to_json(),
            "allowed": {"act": True},
        }
        return state if self._hands is None else state | self._hands.to_json()

    def _illegal(self) -> Json | None:
        """Give the piece that rests where it may not, while it does."""
        session = self._session
        said, pair = session.illegal, session.tracker.board.wrong
        if said is None or pair != (said.origin, said.destination):
            return None
        return said.details(session.geometry.size)

    def _lights(self) -> Json:
        size = self._session.geometry.size
        lights = {}
        for square, role in sorted(self._lamps.roles.items()):
            look = self._lamps.theme.looks[role]
            lights[square_name(square, size)] = {
                "role": role.value,
                "colour": look.hex,
                "rhythm": look.rhythm.name,
                "brightness": look.brightness,
            }
        return lights

    # Messages.

    def _handle(self, message: Mapping[str, object]) -> None:
        match message:
            case {"type": "command", "command": str(word)}:
                self._command(word)
            case {"type": "hints", "level": str(level)}:
                self._session.command(self._now(), Command(Word.HINTS, _level(level)))
            case {"type": "brightness", "value": float() | int() as value} if not isinstance(value, bool):
                if not 0 <= value <= 1:
                    raise RefusedError(f"brightness: found {value}, expected 0 to 1")
                self._lamps.dim(self._now(), float(value))
            case {"type": "names", "attackers": str(attackers), "defenders": str(defenders)}:
                self._session.name_players(_name(attackers), _name(defenders))
            case {"type": "look-back"}:
                if self._looking_back is None or _goes_on(self._session):
                    raise RefusedError("this game is not over yet")
                self._looking_back.ask()
            case {"type": "lift" | "drop" | "box" | "unbox"}:
                self._act(message)
            case {"type": kind}:
                raise RefusedError(f"found a message {str(kind)[:40]!r} that this board cannot obey as it is")

    def _command(self, word: str) -> None:
        """Obey a button, where it means anything now."""
        session = self._session
        game = session.game
        try:
            command = Word(word)
        except ValueError:
            raise RefusedError(f"found command {word[:40]!r}, expected one of {_words(Word)}") from None
        match command:
            case Word.TAKEBACK if not game.plies:
                raise RefusedError("no move was played that could be taken back")
            case Word.RESIGN | Word.DRAW if game.result is not None:
                raise RefusedError("the game is over already")
            case Word.NEW_GAME if not game.plies and game.result is None:
                if self._hands is not None and self._hands.set_up(self._now(), game.pieces):
                    return  # it stood wrong before the first move
                raise RefusedError("this game has not begun yet")
            case Word.CONFIRM | Word.CANCEL if session.tracker.question is None:
                raise RefusedError("the board has asked nothing")
            case Word.HINT if self._computer() is None:
                raise RefusedError("there is no computer that could be asked")
            case Word.HINT if game.result is not None:
                raise RefusedError("the game is over already")
            case Word.HINT if game.side is session.opponent:
                raise RefusedError("it is the computer's turn")
            case Word.HINT if session.tracker.question is not None:
                raise RefusedError("the board has asked something: answer that first")
            case Word.HINTS:
                raise RefusedError("found command 'hints', expected a message of type hints")
        before = session.games
        session.command(self._now(), Command(command))
        if self._hands is not None and session.games != before:
            # whoever sets up a real board does it with both hands; dragging forty pieces would be no fun
            self._hands.set_up(self._now(), session.game.pieces)

    def _act(self, message: Mapping[str, object]) -> None:
        """Move a simulated hand."""
        hands, now = self._hands, self._now()
        if hands is None:
            raise RefusedError("the pieces of this board are moved by real hands")
        match message:
            case {"type": "lift", "square": str(square)}:
                hands.lift(now, self._square(square))
            case {"type": "drop", "square": str(square)}:
                hands.drop(now, self._square(square))
            case {"type": "box", "square": str(square)}:
                hands.box(now, self._square(square))
            case {"type": "box"} if message.get("square") is None:
                hands.box(now, None)
            case {"type": "unbox", "piece": str(piece), "square": str(square)}:
                hands.unbox(now, piece, self._square(square))
            case _:
                raise RefusedError(f"{message['type']}: expected a square such as e5")

    def _square(self, name: str) -> Square:
        try:
            return parse_square(name, self._session.geometry.size)
        except NotationError as error:
            raise RefusedError(f"found {error.found[:40]}, expected {error.expected}") from None


def _goes_on(session: Session) -> bool:
    """Tell whether there is no finished game to look back at."""
    return session.game.result is None or not session.game.plies


def _level(word: str) -> HintLevel:
    try:
        return HintLevel(word)
    except ValueError:
        raise RefusedError(f"found level {word[:40]!r}, expected one of {_words(HintLevel)}") from None


def _name(text: str) -> str:
    try:
        return _NAME.validate_python(text.strip())
    except ValidationError:
        raise RefusedError("a name has at most 80 characters, and none of [ ] |") from None


def _words(kind: type[Word] | type[HintLevel]) -> str:
    return ", ".join(str(member.value) for member in kind)
