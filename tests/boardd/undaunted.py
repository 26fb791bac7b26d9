"""Hands that play game after game at a daemon's simulated board through its page's socket, however often it is killed.

They know which moves they mean, look at what the page is told, and after a restart go on from how the pieces stand,
which the daemon's end does not move.
"""

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from websockets.sync.client import ClientConnection

from boardd.events import bare_move_text, names, outcome_json
from boardd.meant import MeantGame
from engine import Book, Game, Square, square_name
from tests.boardd.told import Json, Judge, Played, PlayedGame

PLIES = 30
"""A game that is not won by then is agreed to be drawn."""

PATIENCE_S = 15.0
"""A board that tells nothing new for so long has stopped following."""

PUT_BACK_SHARE = 0.4
"""Of moves that a kill interrupted, how many are put back and begun anew; the others are gone on with."""

TELLING = ("state", "ply", "result", "removals", "mismatch", "illegal", "question", "sensors", "board", "in_hand")
"""What a failure tells of the last state."""

EARLY_SHARE = 0.3
"""Of moves with captures, how many have their victims taken off before the board asks for it."""

AIR_S = (0.01, 0.06)
STOP_S = (0.01, 0.12)
STAND_S = (0.0, 0.2)
"""How long a piece is in the air, stops on its way, and a captured piece still stands, in seconds. With the timings of
the test some stops are short enough to pass, and some are taken for the end of the move."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A move as the hands mean it, in names of squares.

    Attributes:
        origin: Where the piece stands.
        route: Where it is put down, the destination last.
        victims: What is to be taken off.
        early: Whether that is done before the piece is put down.
        before: The pieces as the move finds them.
        after: The pieces as it leaves them.
        courses: What the board may make of the route: the moves it may tell, in the order in which it may.

    """

    origin: str
    route: tuple[str, ...]
    victims: tuple[str, ...]
    early: bool
    before: Mapping[str, str]
    after: Mapping[str, str]
    courses: tuple[Played, ...]

    @property
    def destination(self) -> str:
        """Where the piece shall stand."""
        return self.route[-1]


class Hands:
    """Two players' hands.

    Args:
        book: The rules they play by.
        dice: Draws the moves and how they are made.
        aimed: Told of every moment at which a kill would be telling: `hand`, `way`, `down`, `standing`.

    """

    def __init__(self, book: Book, dice: random.Random, aimed: Callable[[str], None]) -> None:
        self._book = book
        self._size = book.size
        self._dice = dice
        self._aimed = aimed
        self._judge = Judge()
        self._page: ClientConnection | None = None
        self._state: Json = {}
        self._board: dict[str, str] = {}
        self._hand: list[str] = []
        self._wish: Wish | None = None
        self._putting_back = False
        self._ending = False
        self._mind = self._new_mind()
        self.ended: list[PlayedGame] = []

    @property
    def unfinished(self) -> PlayedGame:
        """The game under way, as far as its moves were completed."""
        return PlayedGame(self._judge.moves, None)

    @property
    def plies(self) -> int:
        """How many moves were completed in all."""
        return len(self._judge.moves) + sum(len(game.moves) for game in self.ended)

    def begin(self, page: ClientConnection) -> str:
        """Look at the board of a daemon that was just started; say what the kill came into."""
        self._page = page
        self._hear()
        self._look()
        found = self._found()
        unsure = self._wish is not None and self._judge.reached == 0 and not self._agrees_with(self._wish.before)
        self._putting_back = unsure and self._dice.random() < PUT_BACK_SHARE
        return found

    def play(self, until: Callable[[], bool] = lambda: False) -> None:
        """Play on and on, until it is said to be enough or the connection is lost; between two moves, if enough."""
        while True:
            while not self._seen():
                self._hear()
            if self._wish is None and not self._ending:
                if until() and self._state["state"] == "ready":
                    return
                self._choose()
            acted = self._end_game() if self._ending else self._make()
            if not acted:
                self._hear()

    # What the hands mean.

    def _new_mind(self) -> MeantGame:
        return MeantGame(Game(self._book), self._dice, PLIES, False, lambda t, button: None)

    def _choose(self) -> None:
        """Choose the next move, or that the game has ended."""
        meant = self._mind.choose()
        if meant is None:
            self._ending = True
            self._judge.expect(self._judge.moves, ())
            return
        before = self._mind.game.copy()
        before.undo()
        stops = [cell for cell in meant.path if cell in meant.stops and self._dice.random() < 0.5]
        route = [Square(int(cell)) for cell in (*stops, meant.destination)]
        courses = []
        for square in route:
            move = before.find(Square(int(meant.origin)), square)
            assert move is not None
            courses.append((bare_move_text(move, self._size), tuple(names(move.captures, self._size))))
        self._wish = Wish(
            self._name(meant.origin),
            tuple(map(self._name, route)),
            tuple(map(self._name, meant.victims)),
            self._dice.random() < EARLY_SHARE,
            {self._name(cell): piece for cell, piece in meant.before.items()},
            {self._name(cell): piece for cell, piece in meant.after.items()},
            tuple(courses),
        )
        played = self._judge.moves
        self._judge.expect(played, *((*played, course) for course in courses))

    def _name(self, cell: int) -> str:
        return square_name(Square(int(cell)), self._size)

    # What the hands do.

    def _make(self) -> bool:
        """Do the next thing towards the wish; False if there is only waiting."""
        wish, state = self._wish, self._state
        assert wish is not None
        if self._judge.reached == len(wish.courses):
            return self._clear(wish)
        question = state["question"]
        if self._putting_back:
            return self._put_back(wish.before)
        if question is not None:
            assert question["about"] == "move", question
            if (question["move"], tuple(question["captures"])) == wish.courses[-1]:
                self._answer("confirm")
                return True
        at = self._where(wish)
        if at == wish.destination:
            return wish.early and self._take_off(wish)
        if at is not None:
            if at == wish.origin and wish.early and self._dice.random() < 0.5:
                self._take_off(wish)
            self._lift(at)
            self._aimed("hand" if at == wish.origin else "way")
            self._pause(AIR_S)
        if wish.early:
            self._take_off(wish)
        left = wish.route[wish.route.index(at) + 1 :] if at in wish.route else wish.route
        for stop in left[:-1]:
            self._drop(stop)
            self._aimed("way")
            self._pause(STOP_S)
            self._lift(stop)
            self._pause(AIR_S)
        self._drop(wish.destination)
        self._aimed("down")
        return True

    def _where(self, wish: Wish) -> str | None:
        """Say where the piece that moves stands, None while it is in the hand."""
        if self._hand:
            return None
        (at,) = [square for square in (wish.origin, *wish.route) if square in self._board]
        return at

    def _take_off(self, wish: Wish) -> bool:
        """Take the victims off without waiting for the lights."""
        standing = [square for square in wish.victims if square in self._board]
        for square in standing:
            self._box(square)
            self._pause(AIR_S)
        return bool(standing)

    def _clear(self, wish: Wish) -> bool:
        """Take off what the board asks for after an accepted move; end the wish when it is content."""
        standing = [square for square in wish.victims if square in self._board]
        over = self._state["state"] == "over"
        asked = [square for square in standing if over or square in self._state["removals"]]
        if asked:
            self._aimed("standing")
            self._pause(STAND_S)
            self._box(self._dice.choice(asked))
            return True
        if standing or self._state["state"] not in ("ready", "over"):
            return False
        assert self._agrees_with(wish.after)
        self._judge.finish()
        self._wish = None
        return True

    def _put_back(self, pieces: Mapping[str, str]) -> bool:
        """Set the pieces as they were before the move, as the lights ask; then begin it anew.

        A move that the board may be about to accept is left alone until it does or asks.
        """
        if self._state["question"] is not None:
            self._answer("cancel")
            return True
        if self._judge.reached:
            self._putting_back = False
            return True
        if self._state["state"] == "provisional":
            return False
        if not self._agrees_with(pieces):
            self._set_up(pieces)
            return True
        self._putting_back = self._state["state"] != "ready"
        return not self._putting_back

    def _set_up(self, pieces: Mapping[str, str]) -> None:
        """Put every piece where it belongs."""
        astray = [square for square, piece in self._board.items() if pieces.get(square) != piece]
        missing = [square for square in pieces if pieces[square] != self._board.get(square)]
        for square in astray:
            self._lift(square)
            self._pause(AIR_S)
            fitting = (one for one in missing if pieces[one] == self._hand[-1] and one not in self._board)
            free = next(fitting, None)
            if free is None:
                self._say({"type": "box"})
                self._hand.pop()
            else:
                self._drop(free)
        while self._hand:
            self._drop(next(one for one in missing if pieces[one] == self._hand[-1] and one not in self._board))
        for square in missing:
            if square not in self._board:
                self._say({"type": "unbox", "piece": pieces[square], "square": square})
                self._board[square] = pieces[square]
                self._pause(AIR_S)

    def _end_game(self) -> bool:
        """Have the board hear that the game has ended, and set up the next one."""
        state, start = self._state, self._start()
        if self._judge.reached == 0:
            if state["result"] is None:
                self._say({"type": "command", "command": "draw"})
                self._hear_until(lambda: self._state["result"] is not None)
            elif not self._agrees_with(start):
                assert state["result"] == self._result(), state["result"]
                self._say({"type": "command", "command": "new-game"})
                self._hear_until(lambda: self._judge.reached == 1)
                self._look()  # the daemon has set the pieces up
            elif state["question"] is not None:  # set up before the kill, when the game that begins was not yet stored
                self._answer("confirm")
            else:
                return False
            return True
        if not self._agrees_with(start):
            self._set_up(start)
            return True
        if state["state"] != "ready":
            return False
        self.ended.append(PlayedGame(self._judge.moves, self._result()))
        self._judge.finish()
        self._mind, self._ending = self._new_mind(), False
        return True

    def _start(self) -> dict[str, str]:
        return {self._name(square): piece.value for square, piece in Game(self._book).pieces.items()}

    def _result(self) -> Json:
        """Give the result that the game must have."""
        result = self._mind.game.result
        return {"winner": None, "reason": "draw-agreed"} if result is None else outcome_json(result)

    # What the hands see.

    def _hear(self) -> None:
        """Wait for the next state."""
        try:
            message = self._receive(PATIENCE_S)
        except TimeoutError:
            told = {key: self._state[key] for key in TELLING}
            raise AssertionError(f"nothing new after {told}, wish {self._wish}") from None
        self._take(message)

    def _hear_until(self, holds: Callable[[], bool]) -> None:
        """Wait until what is told is so."""
        while not holds():
            self._hear()

    def _pause(self, between: tuple[float, float]) -> None:
        """Wait a moment, and listen meanwhile."""
        end = time.monotonic() + self._dice.uniform(*between)
        while (left := end - time.monotonic()) > 0:
            try:
                message = self._receive(left)
            except TimeoutError:
                return
            self._take(message)

    def _receive(self, timeout_s: float) -> Json:
        assert self._page is not None
        message: Json = json.loads(self._page.recv(timeout=timeout_s))
        return message

    def _take(self, message: Json) -> None:
        assert message["type"] == "state", message
        self._state = message
        self._judge.told(message)

    def _look(self) -> None:
        """See where the pieces are."""
        self._board, self._hand = dict(self._state["board"]), [piece for piece, _ in self._state["in_hand"]]

    def _seen(self) -> bool:
        """Say whether the daemon has told of everything that the hands did."""
        in_hand = [piece for piece, _ in self._state["in_hand"]]
        return bool(self._state["board"] == self._board and in_hand == self._hand)

    def _agrees_with(self, pieces: Mapping[str, str]) -> bool:
        return not self._hand and self._board == pieces

    def _found(self) -> str:
        """Say in words what stands where after a restart."""
        wish = self._wish
        if wish is None:
            return "between games" if self._ending else "between moves"
        if self._judge.reached == len(wish.courses):
            return "captured pieces stand" if any(one in self._board for one in wish.victims) else "accepted"
        if self._hand:
            return "in the hand"
        at = self._where(wish)
        if at == wish.destination:
            return "put down"
        if at != wish.origin:
            return "on the way"
        return "begun" if self._agrees_with(wish.before) else "victims first"

    # Single acts.

    def _lift(self, square: str) -> None:
        self._hand.append(self._board.pop(square))
        self._say({"type": "lift", "square": square})

    def _drop(self, square: str) -> None:
        self._board[square] = self._hand.pop()
        self._say({"type": "drop", "square": square})

    def _box(self, square: str) -> None:
        del self._board[square]
        self._say({"type": "box", "square": square})

    def _answer(self, word: str) -> None:
        """Answer what the board asks."""
        self._say({"type": "command", "command": word})
        self._hear_until(lambda: self._state["question"] is None)

    def _say(self, message: Json) -> None:
        assert self._page is not None
        self._page.send(json.dumps(message))
