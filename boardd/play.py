"""The game as its players know it: what was accepted, what is to be taken off, what was said, and what was asked.

Owns every step that the state machine may take (`boardd.states.Step`) and every event that comes of it. Knows nothing
of timers: `boardd.reconstruct` says when a reading has held long enough, and what the reading is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from boardd.course import Course, goes_on
from boardd.events import (
    Amended,
    Event,
    GameOver,
    Illegal,
    Mismatch,
    Moved,
    NewGame,
    Question,
    Ready,
    Remove,
    Removed,
    Restored,
    Sensor,
    SensorState,
    TakenBack,
    Topic,
)
from boardd.meanings import NOWHERE, Kind, Reading, Squares
from boardd.saved import Saved
from boardd.states import Phase
from boardd.suspicion import Suspect
from engine import Game, Move, Side, Square


@dataclass(frozen=True, slots=True)
class Sight:
    """What the board sees when a step is taken."""

    reading: Reading
    seen: Squares
    """The occupied squares that are evidence."""
    moved_at: float | None
    """When the piece of the reading's move was put down, if that was seen."""
    lost: bool = False
    """Whether news was lost since the board agreed last."""
    swept: bool = False
    """Whether missing pieces left their squares almost at once before the one that is too much was put down."""


class Play:
    """One game after the other on one board. Times are seconds.

    Args:
        saved: what there was before.
        opponent: the side that a computer plays.
        linger_s: how long a game that ended on a move which may be part of a slide can still go on.
        resumed: whether the power was off.
        now: the time.

    """

    def __init__(self, saved: Saved, opponent: Side | None, linger_s: float, *, resumed: bool, now: float) -> None:
        self.course = Course(saved)
        self.opponent = opponent
        self.phase = Phase.RESUME if resumed else Phase.SETUP
        self.removals = saved.removals
        """Where captured pieces stand, as far as was said."""
        self.displaced: Squares = saved.removals - self.course.captured
        """Those of them that were put down where they were not captured."""
        self.masked = saved.masked
        """Squares whose sensor the players agreed not to trust."""
        self.chosen_squares = saved.chosen
        self.wrong: tuple[Square, Square] | None = None
        """The pair that was called illegal and is not mended."""
        self.mismatch: tuple[Squares, Squares] | None = None
        """What was missing and what too much when a mismatch was said that is not mended."""
        self.question: Question | None = None
        self.asked: Reading | None = None
        """The reading that the question is about; None if the board has no part in it."""
        self.suspect: Suspect | None = None
        """The move that the question is about, where one sensor does not show it."""
        self.king_unsure = resumed
        """Whether the players should be shown which piece is the king: a swap cannot be seen."""
        self.moved_at = now
        """When the piece that moved last was put down."""
        self.over_at: float | None = None
        """When to say that the game is over."""
        self.events: list[Event] = []
        self._linger_s = linger_s
        self._asked_removals = saved.removals
        self._ready_due = True
        self._in_hand_at_cut = _in_hand(self.game, saved) if resumed else NOWHERE
        if self.game.result is not None:
            self.phase = Phase.OVER
            if not resumed:
                self.over_at = now
            elif not saved.over_said:
                self.over_at = now + linger_s

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self.course.game

    @property
    def chosen(self) -> Move | None:
        """The computer's move that waits to be made on the board."""
        if self.chosen_squares is None or self.game.side is not self.opponent:
            return None
        return self.game.find(*self.chosen_squares)

    def say(self, event: Event) -> None:
        """Add an event."""
        self.events.append(event)

    # Steps of the state machine.

    def agree(self, t: float, sight: Sight) -> None:
        """Hold the board to be as the game has it, but for victims that stand."""
        if self.phase is not Phase.OVER:
            self.phase = Phase.PLAY
        if self.mismatch is not None or self.wrong is not None:
            pair = self.wrong or ()
            missing, extra = self.mismatch or (frozenset(pair[:1]), frozenset(pair[1:]))
            self.king_unsure = self.mismatch is not None
            self.mismatch = self.wrong = None
            self.say(Restored(t, missing, extra))
            self._ready_due = True
        if sight.reading.kind is Kind.AGREES and self._ready_due and self.phase is Phase.PLAY:
            self._ready_due = False
            self.say(Ready(t, self.game.side))

    def count_victims(self, t: float, sight: Sight) -> None:
        """Take note of captured pieces taken off or put back, or standing after the power was off."""
        self.removals = sight.reading.squares
        self.displaced &= self.removals
        if self.removals:
            self._asked_removals |= self.removals
            if self.phase in (Phase.SETUP, Phase.RESUME):
                self.agree(t, sight)
            self.say(Remove(t, self.removals))
        else:
            self.say(Removed(t, self._asked_removals))
            self._asked_removals = NOWHERE
            self._ready_due = True

    def call_displaced(self, t: float, sight: Sight) -> None:
        """Ask a captured piece that was put down elsewhere off again."""
        standing = sight.seen & self.course.captured - self.game.occupied
        self.displaced |= sight.reading.squares
        self.removals = standing | (self.displaced & sight.seen)
        self._asked_removals |= self.removals
        self.say(Remove(t, self.removals))

    def accept(self, t: float, sight: Sight) -> None:
        """Accept the move of the reading."""
        reading = sight.reading
        if self.removals and not reading.amends:
            self.say(Removed(t, self._asked_removals))
        base = self.course.base(reading)
        ply = self.course.play(reading)
        self._forget()
        self.say(Amended(t, ply) if reading.amends else Moved(t, ply))
        self.moved_at = t if sight.moved_at is None else sight.moved_at
        self._ready_due = self._ready_due or not reading.amends
        self.king_unsure = False
        self.phase = Phase.PLAY
        if self.game.result is not None:
            self.phase = Phase.OVER
            self.over_at = t + self._linger_s if goes_on(ply.move, base) else t
            return
        self.displaced = reading.squares if reading.kind is Kind.STRAY else NOWHERE
        self.removals = self._asked_removals = sight.seen & (self.course.captured | self.displaced)
        if self.removals:
            self.say(Remove(t, self.removals))

    def take_back(self, t: float, sight: Sight | None = None) -> None:
        """Take the last move back, as the board shows or by command."""
        self.say(TakenBack(t, self.course.undo()))
        self._forget()
        self.moved_at = t
        self._ready_due = True
        self.phase = Phase.PLAY

    def offer_new_game(self, t: float, sight: Sight) -> None:
        """Ask whether the start position means a new game; begin it if the last game is over."""
        if self.game.result is not None:
            self.begin_game(t)
        else:
            self._ask(Question(t, Topic.NEW_GAME), sight.reading)

    def ask_move(self, t: float, sight: Sight) -> None:
        """Offer a move that is not certain."""
        self._ask(Question(t, Topic.MOVE, sight.reading.move), sight.reading)

    def ask_resumed(self, t: float, sight: Sight) -> None:
        """Accept a move whose piece alone was in the hand when the power went; offer any other."""
        move = sight.reading.move
        if move is not None and self._in_hand_at_cut == {move.origin} and not sight.reading.amends:
            self.accept(t, sight)
        else:
            self.ask_move(t, sight)

    def say_illegal(self, t: float, sight: Sight) -> None:
        """Say that one piece rests where it may not; once for a pair."""
        move = sight.reading.move
        if move is not None and (move.origin, move.destination) != self.wrong:
            self.wrong = move.origin, move.destination
            self.say(Illegal(t, *self.wrong, sight.reading.reason))

    def say_mismatch(self, t: float, sight: Sight) -> None:
        """Say that nothing explains the board.

        Nothing is accepted unasked next where more than one piece is astray, where news was lost, where several pieces
        may have been swept over at once, or where the piece that moved last is gone: it may have ended its move where
        no sensor shows it.
        """
        if self.mismatch is None:
            self.mismatch = sight.reading.missing, sight.reading.extra
            self.say(Mismatch(t, *self.mismatch))
        if self.phase is Phase.PLAY:
            plies, reading = self.game.plies, sight.reading
            moved_on = bool(plies) and plies[-1].move.destination in reading.missing
            few = len(reading.extra) <= 1 and len(reading.missing) <= 2  # a mover, and one more in the hand
            clear = few and not (sight.lost or sight.swept or moved_on)
            self.phase = Phase.WRONG if clear else Phase.RESUME
            self._in_hand_at_cut = NOWHERE

    # What is decided beside the board.

    def set_up(self) -> None:
        """Accept nothing until the board has agreed once."""
        self.phase = Phase.OVER if self.game.result is not None else Phase.SETUP
        self._ready_due = True

    def begin_game(self, t: float) -> None:
        """Begin a new game of the same book."""
        self.course.begin()
        self._forget()
        self.moved_at = t
        self.say(NewGame(t, self.game.book.name))
        self.set_up()

    def ask_new_game(self, t: float) -> None:
        """Ask whether the unfinished game is to be given up, whatever the board shows."""
        self._ask(Question(t, Topic.NEW_GAME), None)

    def end_by_word(self, t: float, end: Callable[[Game], None]) -> None:
        """End the game by resignation or agreement."""
        self.course.end(end)
        self._forget()
        self.phase = Phase.OVER
        self.say_over(t)

    def say_over(self, t: float) -> None:
        """Say that the game is over, and that no slide can change it."""
        self.over_at = None
        if self.game.result is not None:
            self.say(GameOver(t, self.game.result))

    def call_stuck(self, t: float, squares: Squares, reading: Reading) -> None:
        """Say that sensors seem broken, and ask whether to go on without them."""
        self.say(Sensor(t, squares, SensorState.STUCK))
        self._ask(Question(t, Topic.SENSOR, squares=squares), reading)

    def ask_without(self, t: float, sound: Squares) -> None:
        """Ask about the other sensors alone, if some of those that were asked about work after all."""
        question, asked = self.question, self.asked
        if question is None or not question.squares & sound:
            return
        self.withdraw()
        if rest := question.squares - sound:
            self._ask(Question(t, question.about, squares=rest), asked)

    def ask_suspect(self, t: float, suspect: Suspect, reading: Reading) -> None:
        """Offer a move that one sensor does not show."""
        self._ask(Question(t, Topic.MOVE, suspect.move), reading)
        self.suspect = suspect

    def accept_suspect(self, t: float, suspect: Suspect, sight: Sight) -> None:
        """Accept a move that was confirmed although one sensor does not show it, and trust that sensor no more."""
        silent = frozenset({suspect.silent})
        self.masked |= silent
        self.say(Sensor(t, silent, SensorState.STUCK))
        reading = replace(sight.reading, kind=Kind.MOVE, move=suspect.move, amends=suspect.amends, squares=NOWHERE)
        self.accept(t, replace(sight, reading=reading, seen=sight.seen - silent, moved_at=suspect.since))

    def withdraw(self) -> None:
        """Ask nothing any more."""
        self.question = self.asked = self.suspect = None

    def _ask(self, question: Question, asked: Reading | None) -> None:
        self.question, self.asked, self.suspect = question, asked, None
        self.say(question)

    def _forget(self) -> None:
        """Drop what belonged to the game before it changed."""
        self.chosen_squares = None
        self.mismatch = self.wrong = None
        self.over_at = None
        self.withdraw()
        self.removals = self.displaced = self._asked_removals = NOWHERE


def _in_hand(game: Game, saved: Saved) -> Squares:
    """Give the pieces of the side to move that were in the hand when the power went, if nothing else was unsettled."""
    if saved.board is None or saved.board - game.occupied - saved.removals:
        return NOWHERE
    return frozenset(square for square in game.occupied - saved.board if game.pieces[square].side is game.side)
