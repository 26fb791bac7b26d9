"""How settled occupancy becomes moves: the clockwork of the board.

Owns what is seen, what it reads as, since when, and every timer. Knows nothing of raw news, lights or storage: it is
told settled changes, commands and the time, and answers with events. Pure; time is an argument, in seconds.

How it works. After every settled change `readings.read` says what the board can mean. TABLE says, for the phase the
board is in, which state that is and which step follows; the step is taken when the reading has held as long as HOLDS
asks, and not again until the reading changes. That is all: a slide is a move whose reading changes to an amendment, a
bump is a reading that passes too soon, a takeback is the reading that the last move never happened.

Two things are decided by a hand instead of a timer, since a reply must not wait for the clock: a move or a takeback
that has held `held_ms` is accepted when a piece of the side that moves next is lifted, and a move over which a reply
was begun is accepted when that reply is put down.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from boardd.answering import ANSWERED_BY_LIFT, begins_reply, completes_reply
from boardd.course import Course
from boardd.doubt import Doubt
from boardd.events import Event, Question, Sensor, SensorState, Topic
from boardd.evidence import Evidence
from boardd.holding import Holding
from boardd.meanings import AGREES, NOWHERE, PUZZLING, Kind, Reading, Squares
from boardd.nearly import CLOSE_S, MS, at_least
from boardd.oddity import Oddity, cannot_move, never_left, odd
from boardd.play import Play, Sight
from boardd.readings import read
from boardd.saved import Saved, saved_game
from boardd.scene import Scene
from boardd.settings import PlaySettings
from boardd.signs import swept
from boardd.standing import Standing
from boardd.states import HOLDS, TABLE, Phase, State, Step
from engine import Game, Move, Side, Square

_VICTIMS_STAND = frozenset({Kind.STANDING, Kind.REMOVING, Kind.HELD})
_ACCEPTS = frozenset({Step.ACCEPT, Step.ACCEPT_FIRST, Step.TAKE_BACK})
_COMPLAINS = frozenset({Step.SAY_MISMATCH, Step.ASK_MOVE})
_MUST_AGREE = frozenset({Phase.SETUP, Phase.RESUME})


@dataclass(frozen=True, slots=True)
class Settled:
    """One settled change of one square; `t` is the time of its raw edge.

    Where only a whole reading brought it, `by_scan`, that time is a guess: it was then or before.
    """

    t: float
    square: Square
    occupied: bool
    by_scan: bool = False


class Reconstructor:
    """Follow a game through the settled occupancy of its board.

    Args:
        saved: what there was before: the game, its removals, the board as last seen.
        settings: the timings.
        seen: what the sensors say now, settled.
        blind: squares that are never evidence.
        opponent: the side that a computer plays.
        now: the time.
        resumed: whether the power was off, and not the board set up for the first time.

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
        self.play = Play(saved, opponent, settings.settle_final_ms * MS, resumed=resumed, now=now)
        self.seen = seen
        self.pieces = Standing(self.play.game.pieces)
        self.reading = Reading(Kind.UNKNOWN)
        self._distrusted = blind
        self._evidence = Evidence(settings.overlap_ms * MS, saved.book.size)
        self._oddity = Oddity(settings.stuck_ms * MS)
        self._doubt = Doubt(self.play, settings.stuck_ms * MS, self._scene)
        self._holding = Holding(settings, self.play, self._evidence)
        self._lost = False
        """Whether news was lost since the board agreed last."""
        self._since = now
        """When the reading began to hold."""
        self._puzzled_at = math.inf
        """Since when nothing explains the board, whatever has changed meanwhile."""
        self._changed_at = now
        """When the last settled change was made."""
        self._agreed_at = -math.inf
        """When the board last came to agree: what was seen before explains nothing after."""
        self._acted = False
        """Whether the reading's step has been taken."""
        self._clock = now
        self._lingers = False
        """Whether the end of the game has waited once for a piece in the hand."""
        play = self.play
        self.steps: Mapping[Step, Callable[[float, Sight], None]] = {
            Step.AGREE:          play.agree,
            Step.COUNT_VICTIMS:  self._doubt.count_victims,
            Step.ACCEPT:         play.accept,
            Step.ACCEPT_FIRST:   play.accept,
            Step.TAKE_BACK:      play.take_back,
            Step.OFFER_NEW_GAME: play.offer_new_game,
            Step.CALL_DISPLACED: self._doubt.call_displaced,
            Step.ASK_MOVE:       play.ask_move,
            Step.ASK_RESUMED:    play.ask_resumed,
            Step.SAY_ILLEGAL:    self._doubt.say_illegal,
            Step.SAY_MISMATCH:   self._doubt.complain,
            Step.SAY_AT_ONCE:    play.say_mismatch,
        }
        self._look(now, now)

    # What others may ask.

    @property
    def game(self) -> Game:
        """The game as it stands; read only."""
        return self.play.game

    @property
    def course(self) -> Course:
        """The game with the view before its last move; read only."""
        return self.play.course

    @property
    def events(self) -> list[Event]:
        """What was said and not yet fetched; whoever fetches it clears it."""
        return self.play.events

    @property
    def phase(self) -> Phase:
        """The row of TABLE in force."""
        return self.play.phase

    @property
    def state(self) -> State:
        """What the board is doing."""
        if self.play.asked is not None:
            return State.ASK
        if self.phase is Phase.PLAY and self.reading.kind is Kind.MISPLACED and self._acted:
            return State.WRONG
        return TABLE[self.phase][self.reading.kind][0]

    @property
    def question(self) -> Question | None:
        """What was asked and not answered."""
        return self.play.question

    @property
    def agrees(self) -> bool:
        """Whether the board is as the game has it, captured pieces apart, and nothing is asked."""
        settled = self.phase is Phase.PLAY or self.phase is Phase.OVER
        return settled and self.question is None and self.reading.kind in AGREES

    @property
    def removals(self) -> Squares:
        """Where captured pieces stand, as far as was said."""
        return self.play.removals

    @property
    def standing(self) -> Squares:
        """The captured pieces that are seen to stand now."""
        return self.reading.squares if self.reading.kind in _VICTIMS_STAND else self.removals & self.seen

    @property
    def wrong(self) -> tuple[Square, Square] | None:
        """The pair that was called illegal, until a piece is back where it came from."""
        pair = self.play.wrong
        return None if pair is None or pair[0] in self.seen else pair

    @property
    def mismatch(self) -> tuple[Squares, Squares] | None:
        """What is missing and what is too much, while a mismatch stands."""
        return None if self.play.mismatch is None else (self.reading.missing, self.reading.extra)

    @property
    def chosen(self) -> Move | None:
        """The computer's move that waits to be made on the board."""
        return self.play.chosen

    @property
    def opponent(self) -> Side | None:
        """The side that a computer plays."""
        return self.play.opponent

    @property
    def nowhere(self) -> Squares:
        """Where the pieces came from that have been in the hand for suspiciously long."""
        return self._doubt.nowhere

    @property
    def king_unsure(self) -> bool:
        """Whether the players should be shown which piece is the king."""
        return self.play.king_unsure

    @property
    def blind(self) -> Squares:
        """The squares that are no evidence now."""
        return self._distrusted | self.play.masked

    def saved(self) -> Saved:
        """Give what has to survive a power cut at this moment."""
        play = self.play
        return replace(
            saved_game(self.game),
            removals=play.removals,
            board=self.seen,
            masked=play.masked,
            chosen=play.chosen_squares,
            over_said=play.over_at is None,
        )

    # News and time.

    def settled(
        self, t: float, changes: Iterable[Settled], *, lost: bool = False, since: float | None = None
    ) -> None:
        """Take the changes of one raw reading, now settled.

        Args:
            t: now.
            changes: what changed; at least one.
            lost: whether more may have changed before them, of which nobody heard.
            since: when the board came to be as it is now; by default with the last of them.

        """
        changes = list(changes)
        self._clock = max(self._clock, t)
        self._accept_answered(t, changes, lost)
        self._lost = self._lost or lost
        seen = set(self.seen)
        for change in changes:
            (seen.add if change.occupied else seen.discard)(change.square)
            (self.pieces.dropped if change.occupied else self.pieces.lifted)(change.square)
            self._evidence.note(change.t, change.square, change.occupied, change.by_scan)
        self.seen = frozenset(seen)
        changed = frozenset(change.square for change in changes)
        sound = self._oddity.sound(changed) | (changed & self.play.masked)
        if sound:
            self.play.masked -= sound
            self.play.say(Sensor(t, sound, SensorState.OK))
        self._changed_at = max(change.t for change in changes) if since is None else since
        self._look(t, self._changed_at)
        self.play.ask_without(t, sound)

    def stirred(self, t: float, square: Square) -> None:
        """Take a raw edge, which may settle or not: what trembles does not rest."""
        self._evidence.stir(t, square)

    def unseen(self, since: float, t: float) -> None:
        """Take it that news was lost since some time, until a whole reading at `t`."""
        self._evidence.unseen(since, t)

    def glimpsed(self, t: float, square: Square) -> None:
        """Take a rise that was too brief to settle, as evidence alone."""
        self._evidence.glimpse(t, square)

    def visited(self, t: float, square: Square) -> None:
        """Take it that something came and went on a square while news was lost."""
        self._evidence.visited(t, square)

    def blinded(self, t: float, blind: Squares) -> None:
        """Say which squares are no evidence from now on."""
        if blind != self._distrusted:
            self._distrusted = blind
            self._look(t, t)

    def deadline(self) -> float | None:
        """When the next timer is due, if nothing changes."""
        times = (self._step_due(), self.play.over_at, self._oddity.due(), self._doubt.due())
        return min((time for time in times if time is not None), default=None)

    def advance(self, t: float, not_before: float = -math.inf) -> None:
        """Take every step that is due by `t`, in order; what was held up is taken at `not_before` at the soonest."""
        self._clock = max(self._clock, not_before)
        while (due := self.deadline()) is not None and due <= t + CLOSE_S:
            now = self._clock = max(due, self._clock)
            if due == self._step_due():
                self._act(now)
            elif due == self.play.over_at:
                self._end(now)
            elif due == self._doubt.due():
                self._doubt.wonder(now)
            else:
                self.play.call_stuck(now, self._oddity.call(), self.reading)
        self._clock = max(self._clock, t)

    # Commands.

    def opponent_moves(self, t: float, origin: Square, destination: Square) -> None:
        """Take the computer's move; one that does not fit the game as it stands is thrown away."""
        if self.game.side is self.opponent and self.game.find(origin, destination) is not None:
            self.play.chosen_squares = origin, destination
            self._look(t, t)

    def takeback(self, t: float) -> None:
        """Take back the last move at once; the pieces follow."""
        self._hurry(t)
        if self.game.plies:
            self.play.take_back(t)
            self.play.set_up()
            self._look_anew(t)

    def resign(self, t: float) -> None:
        """End the game: the side to move gives up."""
        self._end_by_word(t, lambda game: game.resign(game.side))

    def draw(self, t: float) -> None:
        """End the game: both agree to a draw."""
        self._end_by_word(t, Game.agree_draw)

    def new_game(self, t: float) -> None:
        """Begin anew; over an unfinished game the board asks first."""
        self._hurry(t)
        if self.game.plies and self.game.result is None:
            self.play.ask_new_game(t)
        else:
            self._begin_game(t)

    def confirm(self, t: float) -> None:
        """Answer yes to what the board asked last; without a question it means nothing."""
        question, asked, suspect = self.question, self.play.asked, self.play.suspect
        self.play.withdraw()
        if question is None:
            return
        if question.about is Topic.NEW_GAME:
            self._begin_game(t)
        elif question.about is Topic.SENSOR:
            self.play.masked |= question.squares
            self._look(t, t)
        elif suspect is not None or asked == self.reading:
            if suspect is None:
                self.play.accept(t, self._sight())
            else:
                self.play.accept_suspect(t, suspect, self._sight())
            self._moved()
            if suspect is not None and suspect.amends:
                self._agreed_at = -math.inf  # it agreed with another game
            self._look(t, self._changed_at)

    def cancel(self, t: float) -> None:
        """Answer no to what the board asked last; the same is not asked again until the board changes."""
        asked, suspect = self.play.asked, self.play.suspect
        self.play.withdraw()
        if suspect is not None:
            self._doubt.refused(t, suspect, self._sight())
            return
        if asked is None or self.phase is Phase.OVER:
            return
        if asked.rival is not None:
            self.reading = asked.rival
            self.play.ask_move(t, self._sight())
            return
        if asked.kind is Kind.START:
            self.play.set_up()
            self._look_anew(t)
            self._acted = True
            return
        if self._lead_out(t):
            return
        if asked.kind is Kind.UNSURE and asked.extra:
            self._doubt.complain(t, self._sight())
            self._lead_out(t)
        elif asked.kind is Kind.UNSURE and not asked.missing:  # then the captured piece itself is back
            self.play.call_displaced(t, self._sight())
            self._look(t, t)

    def _lead_out(self, t: float) -> bool:
        """After a no, let the lights lead back to the game where a move would only be offered again; say whether so."""
        offers = self.phase is Phase.RESUME and self.play.suspect is None
        if offers:
            self.play.set_up()
            self._look_anew(t)
            self._acted = True
        return offers

    # Reading the board.

    def _look(self, t: float, since: float) -> None:
        """Read the board afresh; a reading that is new begins to hold at `since`."""
        reading = self._doubt.heed(read(self._scene()), self.blind)
        if reading != self.reading:
            self._since, self._acted = self._holding.since(self.reading, self._since, reading, since), False
            if self.play.asked is not None and self.play.suspect is None:  # of a suspect the doubt decides
                self.play.withdraw()
        self.reading = reading
        self._puzzled_at = min(self._puzzled_at, self._since) if reading.kind in PUZZLING else math.inf
        self._doubt.watch(t, reading, since)
        if reading.kind in AGREES:
            self._lost = False
        if reading.kind is Kind.AGREES:
            self._agreed_at = since
            self.pieces.agrees(self.game.pieces)
        if reading.kind is Kind.START and self.phase in _MUST_AGREE:
            self.play.say_mismatch(t, self._sight())
        step = self._step()
        if step is not None and not self._acted and HOLDS[step] is None:
            self._act(t)
        self._oddity.watch(t, self._odd(), lasting=reading.kind is Kind.HELD)

    def _odd(self) -> Squares:
        """Give the squares that may stay as they are because their sensors are broken."""
        reading = self.reading
        if reading.kind is Kind.HELD:
            return never_left(reading.squares, self._evidence, self.play.moved_at)
        if reading.kind is Kind.HAND and cannot_move(reading, self.course.now):
            return reading.missing
        called = self.play.mismatch is not None or self.play.wrong is not None
        return odd(reading) if called and reading.kind not in AGREES else NOWHERE

    def _look_anew(self, t: float) -> None:
        """Read the board as if it had just changed."""
        self._since, self._acted = t, False
        self._look(t, t)

    def _scene(self) -> Scene:
        play = self.play
        course = play.course
        finished = play.game.result is not None
        offers_start = finished or len(play.game.plies) > 1  # one move put back is a takeback
        return Scene(
            now=course.now,
            before=course.before,
            seen=self.seen,
            removals=play.removals,
            displaced=play.displaced,
            blind=self.blind,
            evidence=self._evidence,
            moved=play.moved_at,
            since=max(play.moved_at, self._agreed_at),
            start=course.start if offers_start else None,
            opponent=play.opponent,
            chosen=play.chosen,
        )

    def _sight(self) -> Sight:
        move = self.reading.move
        moved_at = None if move is None else self._evidence.dropped(move.destination)
        return Sight(self.reading, self.seen - self.blind, moved_at, self._lost, swept(self.reading, self._evidence))

    # Steps and when they are due.

    def _step(self) -> Step | None:
        return TABLE[self.phase][self.reading.kind][1]

    def _step_due(self) -> float | None:
        step = self._step()
        if step is None or self._acted:
            return None
        due = self._since + self._holding.hold_s(step, self.reading)
        if step in _COMPLAINS:
            if self.play.suspect is not None:  # it is being asked what may explain the board
                return None
            return self._holding.complains_at(due, self._since, self._puzzled_at)
        return max(due, self._still_at()) if step in _ACCEPTS else due

    def _still_at(self) -> float:
        """When the sensor under the piece that came down will have been at rest for long enough."""
        reading = self.reading
        if reading.move is None:
            return -math.inf
        home = reading.kind in (Kind.TAKEBACK, Kind.RETAKING)
        stirred = self._evidence.stirred(reading.move.origin if home else reading.move.destination)
        return stirred + self.settings.quiet_ms * MS

    def _act(self, t: float) -> None:
        step = self._step()
        assert step is not None
        self._acted = True
        plies = len(self.game.plies)
        self.steps[step](t, self._sight())
        if len(self.game.plies) != plies:
            self._moved()
        self._look(t, self._changed_at)

    def _moved(self) -> None:
        """Forget what was in doubt before a move."""
        self._doubt.forget()
        self._oddity.forget()

    # Deciding by a hand.

    def _accept_answered(self, t: float, changes: list[Settled], lost: bool) -> None:
        """Accept what has held long enough and is now answered: the next side lifts a piece, or has put one down.

        Where news was lost nobody knows whether the move still stood when it was answered, if its squares changed too.
        """
        move = self.reading.move
        if lost and move is not None and any(change.square in (move.origin, move.destination) for change in changes):
            return
        for change in changes:
            if change.square in self.blind:
                continue
            while self._waits_for_its_clock(change.t) and self._answered_by(change):
                self._act(t)

    def _answered_by(self, change: Settled) -> bool:
        if change.occupied:
            return completes_reply(change.square, self.reading, self._holding.ends)
        return begins_reply(change.square, self.reading, self.game, self.seen, self._holding.ends)

    def _waits_for_its_clock(self, t: float) -> bool:
        """Whether a step that accepts something has held `held_ms`, its piece still, but not yet its own time."""
        held = at_least(t - self._since, self.settings.held_ms * MS) and at_least(t, self._still_at())
        return held and not self._acted and self._step() in _ACCEPTS

    def _hurry(self, t: float) -> None:
        """Take a step that waits only for its clock, before a command changes the game."""
        self._clock = max(self._clock, t)
        if self.reading.kind in ANSWERED_BY_LIFT and self._waits_for_its_clock(t):
            self._act(t)

    # Beginning and ending.

    def _begin_game(self, t: float) -> None:
        self.play.begin_game(t)
        self._look_anew(t)

    def _end(self, t: float) -> None:
        """Say that the game is over; while the piece that ended it is in the hand, wait once to see it come down."""
        last = self.game.plies[-1].move.destination if self.game.plies else None
        if last is None or last in self.seen or self._lingers:
            self.play.say_over(t)
        else:
            self.play.over_at = t + self.settings.mismatch_ms * MS
        self._lingers = self.play.over_at is not None

    def _end_by_word(self, t: float, end: Callable[[Game], None]) -> None:
        self._hurry(t)
        if self.game.result is None:
            self.play.end_by_word(t, end)
            self._look(t, t)
