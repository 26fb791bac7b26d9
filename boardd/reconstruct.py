"""How settled occupancy becomes moves: the state machine of the board.

Owns the game, what the board waits for, and every timer of tracking. Knows nothing of raw news, lights or storage:
it is told settled changes, commands and the time, and answers with events. Pure; time is an argument, in seconds.

How it works. After every settled change `readings.read` says what the board can mean. TABLE says, for the phase the
board is in, which state that is and which step follows; the step is taken when the reading has held as long as HOLDS
asks, and not again until the reading changes. That is all: a slide is a move whose reading changes to an amendment, a
bump is a reading that passes too soon, a takeback is the reading that the last move never happened.

Two things are decided by a lift instead of a timer: a move that has held `held_ms` is accepted when a piece of the
side that moves next is lifted, and so is a takeback; the reply must not wait for the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
from boardd.oddity import Oddity
from boardd.readings import NOWHERE, Evidence, Kind, Reading, Scene, Squares, read
from boardd.saved import Saved, saved_game
from boardd.settings import PlaySettings
from boardd.states import HOLDS, TABLE, Phase, State, Step
from engine import Game, Move, Side, Square

MS = 0.001
CLOSE_S = 1e-6
"""Two times nearer than this are the same: sums of decimal fractions differ by less."""


_AGREES = frozenset({Kind.AGREES, Kind.STANDING, Kind.REMOVING})
_VICTIMS_STAND = frozenset({Kind.STANDING, Kind.REMOVING, Kind.HELD})
ACCEPTED_ON_LIFT = frozenset({Kind.MOVE, Kind.AMENDMENT, Kind.TAKEBACK, Kind.LINE})
_RESTS = frozenset({Kind.MOVE, Kind.AMENDMENT, Kind.HELD, Kind.REPLYING, Kind.WAITING})
_ACCEPTS = frozenset({Step.ACCEPT, Step.ACCEPT_FIRST, Step.TAKE_BACK})


@dataclass(frozen=True, slots=True)
class Settled:
    """One settled change of one square; `t` is the time of its raw edge."""

    t: float
    square: Square
    occupied: bool


class Reconstructor:
    """Follow a game through the settled occupancy of its board.

    Args:
        saved: what there was before: the game, its removals, the board as last seen.
        settings: the timings.
        seen: what the sensors say now, settled.
        blind: squares that are never evidence.
        opponent: the side that a computer plays.
        now: the time.
        resumed: whether the power was off (RESUME) or the board is set up for the first time (SETUP).

    """

    def __init__(
        self,
        saved: Saved,
        settings: PlaySettings,
        *,
        seen: Squares,
        blind: Squares = NOWHERE,
        opponent: Side | None = None,
        now: float = 0.0,
        resumed: bool = False,
    ) -> None:
        self.settings = settings
        self.course = Course(saved)
        self.seen = seen
        self.masked = saved.masked
        self.opponent = opponent
        self.question: Question | None = None
        self.removals: Squares = saved.removals
        self.displaced: Squares = saved.removals - self.course.captured
        self.state = State.SETUP
        self.reading = Reading(Kind.UNKNOWN)
        self.wrong: tuple[Square, Square] | None = None
        self.events: list[Event] = []
        self._blind = blind
        self._in_hand_at_cut = self._hand_at_cut(saved) if resumed else NOWHERE
        self._chosen = saved.chosen
        self._evidence = Evidence(settings.overlap_ms * MS)
        self._phase = Phase.RESUME if resumed else Phase.SETUP
        self._asked: Reading | None = None
        self._asked_removals: Squares = saved.removals
        self._mismatch: tuple[Squares, Squares] | None = None
        self._ready_due = True
        self._moved_at = now
        self._since = now
        self._changed_at = now
        self._acted = False
        self._clock = now
        self._over_at: float | None = None
        self._oddity = Oddity(settings.stuck_ms * MS)
        self.king_unsure = resumed
        """Whether the players should be shown which piece is the king: a swap cannot be seen."""
        self.steps: Mapping[Step, Callable[[float], None]] = {
            Step.AGREE:          self._agree,
            Step.COUNT_VICTIMS:  self._count_victims,
            Step.ACCEPT:         self._accept,
            Step.ACCEPT_FIRST:   self._accept,
            Step.TAKE_BACK:      self._take_back,
            Step.OFFER_NEW_GAME: self._offer_new_game,
            Step.CALL_DISPLACED: self._call_displaced,
            Step.ASK_MOVE:       self._ask_move,
            Step.ASK_RESUMED:    self._ask_resumed,
            Step.SAY_ILLEGAL:    self._say_illegal,
            Step.SAY_MISMATCH:   self._say_mismatch,
            Step.SAY_AT_ONCE:    self._say_mismatch,
        }
        if self.game.result is not None:
            self._phase = Phase.OVER
            if not resumed:
                self._over_at = now
        self._look(now, now)

    # What others may ask.

    @property
    def game(self) -> Game:
        """The game as it stands; read only."""
        return self.course.game

    @property
    def phase(self) -> Phase:
        """The row of TABLE in force."""
        return self._phase

    @property
    def chosen(self) -> Move | None:
        """The computer's move that waits to be made on the board."""
        if self._chosen is None or self.game.side is not self.opponent:
            return None
        return self.game.find(*self._chosen)

    @property
    def standing(self) -> Squares:
        """The captured pieces that are seen to stand now."""
        return self.reading.squares if self.reading.kind in _VICTIMS_STAND else self.removals & self.seen

    @property
    def mismatch(self) -> tuple[Squares, Squares] | None:
        """What is missing and what is too much, while a mismatch stands."""
        if self._mismatch is None:
            return None
        return self.reading.missing, self.reading.extra

    @property
    def blind(self) -> Squares:
        """The squares that are no evidence now."""
        return self._blind | self.masked

    def saved(self) -> Saved:
        """Give what has to survive a power cut at this moment."""
        return replace(
            saved_game(self.game), removals=self.removals, board=self.seen, masked=self.masked, chosen=self._chosen
        )

    # News, time and commands.

    def settled(self, t: float, changes: Iterable[Settled], *, by_scan: bool = False) -> None:
        """Take the changes of one raw reading, now settled.

        Args:
            t: now.
            changes: what changed; at least one.
            by_scan: whether only a whole reading brought them, so that their times are guesses.

        """
        changes = list(changes)
        self._clock = max(self._clock, t)
        self._accept_on_lift(t, changes)
        seen = set(self.seen)
        for change in changes:
            (seen.add if change.occupied else seen.discard)(change.square)
            self._evidence.note(change.t, change.square, change.occupied, by_scan)
        self.seen = frozenset(seen)
        self._call_sound(t, frozenset(change.square for change in changes))
        self._changed_at = max(change.t for change in changes)
        self._look(t, self._changed_at)

    def glimpsed(self, t: float, square: Square) -> None:
        """Take a raw edge to occupied, as evidence alone."""
        self._evidence.glimpse(t, square)

    def blinded(self, t: float, blind: Squares) -> None:
        """Say which squares are no evidence from now on."""
        if blind != self._blind:
            self._blind = blind
            self._look(t, t)

    def deadline(self) -> float | None:
        """When the next timer is due, if nothing changes."""
        due = [time for time in (self._step_due(), self._over_at, self._oddity.due()) if time is not None]
        return min(due) if due else None

    def advance(self, t: float) -> None:
        """Take every step that is due by `t`, in order."""
        while (due := self.deadline()) is not None and due <= t + CLOSE_S:
            now = self._clock = max(due, self._clock)
            if due == self._step_due():
                self._act(now)
            elif due == self._over_at:
                self._say_over(now)
            else:
                self._say_stuck(now)
        self._clock = max(self._clock, t)

    def opponent_moves(self, t: float, origin: Square, destination: Square) -> None:
        """Take the computer's move; one that does not fit the game as it stands is thrown away."""
        if self.game.side is self.opponent and self.game.find(origin, destination) is not None:
            self._chosen = origin, destination
            self._look(t, t)

    def takeback(self, t: float) -> None:
        """Take back the last move at once; the pieces follow."""
        self._hurry(t)
        if not self.game.plies:
            return
        self._undo(t)
        self._begin_setup(t)

    def resign(self, t: float) -> None:
        """End the game: the side to move gives up."""
        self._end_by_word(t, lambda: self.game.resign(self.game.side))

    def draw(self, t: float) -> None:
        """End the game: both agree to a draw."""
        self._end_by_word(t, lambda: self.game.agree_draw())

    def new_game(self, t: float) -> None:
        """Begin anew; over an unfinished game the board asks first."""
        self._hurry(t)
        if self.game.plies and self.game.result is None:
            self._ask(t, Question(t, Topic.NEW_GAME), None)
        else:
            self._begin_game(t)

    def confirm(self, t: float) -> None:
        """Answer yes to what the board asked last; without a question it means nothing."""
        question, asked = self.question, self._asked
        self._withdraw()
        if question is None:
            return
        if question.about is Topic.NEW_GAME:
            self._begin_game(t)
        elif question.about is Topic.SENSOR:
            self.masked |= question.squares
            self._look(t, t)
        elif asked is not None and asked == self.reading:
            self._accept(t)

    def cancel(self, t: float) -> None:
        """Answer no to what the board asked last."""
        asked = self._asked
        if self.question is None:
            return
        self._withdraw()
        must_agree = self._phase is Phase.RESUME or (asked is not None and asked.kind is Kind.START)
        if asked is not None and must_agree and self._phase is not Phase.OVER:
            self._begin_setup(t)
            self._acted = True
        else:
            self._set_state()

    # Reading the board.

    def _look(self, t: float, since: float) -> None:
        """Read the board afresh; a reading that is new begins to hold at `since`."""
        reading = read(self._scene())
        changed = reading != self.reading
        if changed:
            self._since, self._acted = self._holds_since(reading, since), False
        self.reading = reading
        if changed and self._asked is not None:
            self._withdraw()
        self._set_state()
        self._watch_oddity(t)
        if reading.kind is Kind.START and self._phase in (Phase.SETUP, Phase.RESUME):
            self._say_mismatch(t)
        step = self._step()
        if step is not None and not self._acted and HOLDS[step] is None:
            self._act(t)

    def _holds_since(self, reading: Reading, since: float) -> float:
        """Give when a new reading began to hold.

        A move rests from when its piece was put down, whatever other pieces came and went meanwhile; where it waited
        for victims, they must be gone for good. A line of two is as old as its first move.
        """
        old = self.reading
        if reading.move is None:
            return since
        if reading.kind is Kind.RETAKING:
            return self._evidence.dropped(reading.move.origin) or since
        if reading.kind is Kind.LINE:
            return self._evidence.touched(reading.move.destination) or since
        if old.move != reading.move or old.amends != reading.amends or not {old.kind, reading.kind} <= _RESTS:
            return since
        if old.kind is Kind.HELD and reading.kind is Kind.MOVE:
            return max(self._since, since + self.settings.victim_removed_ms * MS - self.settle_s(reading))
        return self._since

    def _scene(self) -> Scene:
        finished = self.game.result is not None
        offers_start = finished or len(self.game.plies) > 1  # one move put back is a takeback
        return Scene(
            now=self.course.now,
            before=self.course.before,
            seen=self.seen,
            removals=self.removals,
            displaced=self.displaced,
            blind=self.blind,
            evidence=self._evidence,
            since=self._moved_at,
            start=self.course.start if offers_start else None,
            opponent=self.opponent,
            chosen=self.chosen,
        )

    def _set_state(self) -> None:
        state, _ = TABLE[self._phase][self.reading.kind]
        if self._asked is not None:
            state = State.ASK
        elif self._phase is Phase.PLAY and self.reading.kind is Kind.MISPLACED and self._acted:
            state = State.WRONG
        self.state = state

    def _step(self) -> Step | None:
        return TABLE[self._phase][self.reading.kind][1]

    def _step_due(self) -> float | None:
        step = self._step()
        if step is None or self._acted:
            return None
        return self._since + self._hold_s(step)

    def _hold_s(self, step: Step) -> float:
        hold = HOLDS[step]
        if hold is None:
            return 0.0
        if hold == "settle_ms" and self.reading.move is not None:
            return self.settle_s(self.reading)
        if step is Step.COUNT_VICTIMS:
            if self._phase in (Phase.SETUP, Phase.RESUME):
                return 0.0
            if not self.reading.squares <= self.removals:
                hold = "victim_back_ms"
        return float(getattr(self.settings, hold)) * MS

    def settle_s(self, reading: Reading) -> float:
        """Give how long a move must rest: longer where it may slide on, longest where it would end the game."""
        assert reading.move is not None
        base = self.course.base(reading)
        if base.game.outcome_of(reading.move) is not None:
            return self.settings.settle_final_ms * MS
        if goes_on(reading.move, base):
            return self.settings.settle_sliding_ms * MS
        return self.settings.settle_ms * MS

    def _act(self, t: float) -> None:
        step = self._step()
        assert step is not None
        self._acted = True
        self.steps[step](t)

    def _say(self, event: Event) -> None:
        self.events.append(event)

    # Steps.

    def _agree(self, t: float) -> None:
        if self._phase is not Phase.OVER:
            self._phase = Phase.PLAY
        if self._mismatch is not None or self.wrong is not None:
            pair = self.wrong or ()
            missing, extra = self._mismatch or (frozenset(pair[:1]), frozenset(pair[1:]))
            self.king_unsure = self._mismatch is not None
            self._mismatch = self.wrong = None
            self._say(Restored(t, missing, extra))
            self._ready_due = True
        if self.reading.kind is Kind.AGREES and self._ready_due and self._phase is Phase.PLAY:
            self._ready_due = False
            self._say(Ready(t, self.game.side))
        self._set_state()

    def _count_victims(self, t: float) -> None:
        in_setup = self._phase in (Phase.SETUP, Phase.RESUME)
        self.removals = self.reading.squares
        self.displaced &= self.removals
        if self.removals:
            self._asked_removals |= self.removals
            if in_setup:
                self._agree(t)
            self._say(Remove(t, self.removals))
        else:
            self._say(Removed(t, self._asked_removals))
            self._asked_removals = NOWHERE
            self._ready_due = True
        self._look(t, t)

    def _call_displaced(self, t: float) -> None:
        standing = self.seen & self.course.captured - self.game.occupied
        self.displaced |= self.reading.squares
        self.removals = standing | (self.displaced & self.seen)
        self._asked_removals |= self.removals
        self._say(Remove(t, self.removals))
        self._look(t, t)

    def _accept(self, t: float) -> None:
        """Accept the move of the reading; what remains on the board is read again."""
        reading = self.reading
        if self.removals and not reading.amends:
            self._say(Removed(t, self._asked_removals))
        base = self.course.base(reading)
        ply = self.course.play(reading)
        self._forget()
        self._say(Amended(t, ply) if reading.amends else Moved(t, ply))
        dropped = self._evidence.dropped(ply.move.destination)
        self._moved_at = t if dropped is None else dropped
        self._ready_due = self._ready_due or not reading.amends
        self.king_unsure = False
        self._phase = Phase.PLAY
        if self.game.result is not None:
            self._phase = Phase.OVER
            self._over_at = t + self.settings.settle_final_ms * MS if goes_on(ply.move, base) else t
        else:
            self.displaced = reading.squares if reading.kind is Kind.STRAY else NOWHERE
            self.removals = self._asked_removals = (self.seen - self.blind) & (self.course.captured | self.displaced)
            if self.removals:
                self._say(Remove(t, self.removals))
        self._look(t, self._changed_at)

    def _forget(self) -> None:
        """Drop what belonged to the game before it changed."""
        self._chosen = None
        self._mismatch = self.wrong = None
        self._over_at = None
        self._withdraw()
        self.removals = self.displaced = self._asked_removals = NOWHERE

    def _take_back(self, t: float) -> None:
        since = self._since
        self._undo(t)
        self._phase = Phase.PLAY
        self._look(t, since)

    def _undo(self, t: float) -> None:
        self._say(TakenBack(t, self.course.undo()))
        self._forget()
        self._moved_at = t
        self._ready_due = True

    def _offer_new_game(self, t: float) -> None:
        if self.game.result is not None:
            self._begin_game(t)
        else:
            self._ask(t, Question(t, Topic.NEW_GAME), self.reading)

    def _ask_move(self, t: float) -> None:
        self._ask(t, Question(t, Topic.MOVE, self.reading.move), self.reading)

    def _ask_resumed(self, t: float) -> None:
        """Accept a move whose piece alone was in the hand when the power went; ask about any other."""
        move = self.reading.move
        assert move is not None
        if self._in_hand_at_cut == {move.origin} and not self.reading.amends:
            self._accept(t)
        else:
            self._ask_move(t)

    def _say_illegal(self, t: float) -> None:
        if self._try_rival(t):
            return
        move = self.reading.move
        assert move is not None
        pair = move.origin, move.destination
        if pair != self.wrong:
            self.wrong = pair
            self._say(Illegal(t, *pair, self.reading.reason))
        self._set_state()

    def _say_mismatch(self, t: float) -> None:
        if self._try_rival(t):
            return
        if self._mismatch is None:
            self._mismatch = self.reading.missing, self.reading.extra
            self._say(Mismatch(t, *self._mismatch))
        if self._phase is Phase.PLAY:
            astray = len(self.reading.extra)
            self._phase = Phase.WRONG if astray <= 1 else Phase.RESUME
        self._set_state()
        self._watch_oddity(t)

    # Beginning and ending.

    def _begin_setup(self, t: float) -> None:
        """Accept nothing until the board has agreed once."""
        self._phase = Phase.OVER if self.game.result is not None else Phase.SETUP
        self._acted = False
        self._ready_due = True
        self._since = t
        self._look(t, t)

    def _begin_game(self, t: float) -> None:
        self.course.begin()
        self._forget()
        self._moved_at = t
        self._say(NewGame(t, self.game.book.name))
        self._begin_setup(t)

    def _end_by_word(self, t: float, end: Callable[[], None]) -> None:
        self._hurry(t)
        if self.game.result is not None:
            return
        end()
        self._forget()
        self._phase = Phase.OVER
        self._over_at = t
        self._look(t, t)
        self.advance(t)

    def _say_over(self, t: float) -> None:
        self._over_at = None
        assert self.game.result is not None
        self._say(GameOver(t, self.game.result))

    # Questions.

    def _ask(self, t: float, question: Question, asked: Reading | None) -> None:
        """Ask; `asked` is the reading that the question is about, None if the board has no part in it."""
        self.question, self._asked = question, asked
        self._say(question)
        self._set_state()

    def _withdraw(self) -> None:
        self.question = self._asked = None

    # Deciding by a lift.

    def _accept_on_lift(self, t: float, changes: list[Settled]) -> None:
        """Accept a move or a takeback that has held long enough when the next side lifts a piece."""
        for change in changes:
            if change.square in self.blind:
                continue
            while self._completes_reply(change) if change.occupied else self._is_reply(change):
                self._act(t)

    def _completes_reply(self, dropped: Settled) -> bool:
        """Whether the reply that was begun over a move has now been made."""
        reading = self.reading
        if reading.kind is not Kind.REPLYING or self._acted or self._step() not in _ACCEPTS or self._ends(reading):
            return False
        return dropped.square not in reading.squares and self._has_held(dropped.t)

    def _is_reply(self, lifted: Settled) -> bool:
        """Whether a lifted piece is the next side's, and what the board reads has held long enough to be answered."""
        reading, piece = self.reading, self.game.pieces.get(lifted.square)
        if reading.kind not in ACCEPTED_ON_LIFT or self._acted or self._step() not in _ACCEPTS:
            return False
        if reading.move is None or piece is None or lifted.square not in self.seen or self._ends(reading):
            return False
        if reading.kind is Kind.LINE:
            return self._has_held(lifted.t)
        next_side = self.game.side if reading.kind is Kind.AMENDMENT else self.game.side.other
        spoken_for = {reading.move.origin, reading.move.destination}
        if reading.kind is not Kind.TAKEBACK:
            spoken_for.update(reading.move.captures)
        return piece.side is next_side and lifted.square not in spoken_for and self._has_held(lifted.t)

    def _has_held(self, t: float) -> bool:
        return t - self._since >= self.settings.held_ms * MS - CLOSE_S

    def _ends(self, reading: Reading) -> bool:
        return (
            reading.kind is not Kind.TAKEBACK
            and reading.move is not None
            and self.course.base(reading).game.outcome_of(reading.move) is not None
        )

    def _hurry(self, t: float) -> None:
        """Take a step that waits only for its clock, before a command changes the game."""
        self._clock = max(self._clock, t)
        waits = not self._acted and self._step() in _ACCEPTS
        if waits and self.reading.kind in ACCEPTED_ON_LIFT and self._has_held(t):
            self._act(t)

    # The course that lost by evidence alone.

    def _try_rival(self, t: float) -> bool:
        """Go over to the rival game if the board fits it and does not fit the game."""
        rival = self.course.rival()
        if rival is None:
            return False
        now, before = rival
        if read(replace(self._scene(), now=now, before=before)).kind is not Kind.MOVE:
            self.course.forget_rival()
            return False
        gone, instead = self.course.go_over()
        for ply in reversed(gone[1:]):
            self._say(TakenBack(t, ply))
        self._say(Amended(t, instead[0]))
        for ply in instead[1:]:
            self._say(Moved(t, ply))
        self._forget()
        self._phase = Phase.PLAY
        self._look(t, self._since)
        return True

    # Sensors that seem broken.

    def _watch_oddity(self, t: float) -> None:
        wrong = self._mismatch is not None and self.reading.kind not in _AGREES
        self._oddity.watch(t, self.reading if wrong else None, self._evidence)

    def _say_stuck(self, t: float) -> None:
        squares = self._oddity.call()
        self._say(Sensor(t, squares, SensorState.STUCK))
        self._ask(t, Question(t, Topic.SENSOR, squares=squares), self.reading)

    def _call_sound(self, t: float, squares: Squares) -> None:
        """Say that a sensor called stuck has changed after all."""
        sound = self._oddity.sound(squares - self.masked)
        if sound:
            self._say(Sensor(t, sound, SensorState.OK))

    # Helpers.

    def _hand_at_cut(self, saved: Saved) -> Squares:
        """Give the pieces of the side to move that were in the hand, if nothing else was unsettled."""
        if saved.board is None:
            return NOWHERE
        if saved.board - self.game.occupied - saved.removals:
            return NOWHERE
        pieces = self.game.pieces
        lifted = self.game.occupied - saved.board
        return frozenset(square for square in lifted if pieces[square].side is self.game.side)

