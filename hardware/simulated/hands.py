"""Two players' hands at one board: they make the moves they mean, look at the lights, and put right what is asked.

Owns when hands do what: whose turn it is, when a reply begins, what waits for a light. What a move looks like is
plans.py's, what a light asks for repairs.py's, which moves are meant a `Mind`'s. Must not know any rule of the game.

Everything happens in virtual time: `deadline` says when hands next want to do something, `act` lets them. A script is a
generator that yields how long it waits (seconds) and is resumed with the `Sight` of that moment.
"""

import dataclasses
import heapq
import itertools
import random
from collections import Counter
from collections.abc import Callable, Generator, Mapping

from hardware.news import Cell
from hardware.simulated.fingers import Fingers
from hardware.simulated.gestures import Act, Gesture, Intention, Mind, Sight, Table, other_side, side_of
from hardware.simulated.habits import BORROWED, Habits, Span
from hardware.simulated.plans import PAUSE_S, Plan, plan_move, plan_plainly, plan_takeback
from hardware.simulated.repairs import COMPLAINTS, URGENT, Repair, Todo, answer, lit, next_repair, tidy
from hardware.theme import Role

Script = Generator[float, Sight, None]

LOOK_S = 0.2
"""How often waiting eyes go over the board."""

NOTICE_S = Span(0.4, 1.5)
"""From a light that asks to the hand that does."""

LATE_S = Span(0.05, 0.5)
"""From the reply, or the last late victim, to the next late victim taken off."""

LIGHT_WAIT_S = 8.0
"""A child waits so long for a light that says no, then knows better by itself."""

LATE_WAIT_S = 15.0
"""Victims left standing for the reply are taken off after so long without one."""

REDO_S = 1.5
"""A board that stands as last announced, though more was meant, is played on from after so long."""

STRAY_S = 5.0
"""A board that stands otherwise, with no light about it, is put right after so long: the light came sooner if any."""

UNHEARD_S = 8.0
"""A finished move that the board has not announced after so long makes its player touch the piece again."""

READY_WAIT_S = 6.0
"""A player waits so long for bumped or late pieces in the way, then begins as it is."""

MEMORY_PLIES = 8
"""Positions that players remember; more than anything a light can ask about."""

WATCHER = "watcher"
"""The owner of the grips in which both players look after the board together."""

APART_GRIP = -1
"""The grip of a piece that is put where it does not belong; plans count theirs from 0."""


class Players:
    """Both players and what they have in their hands.

    Args:
        mind: What game is meant.
        table: The pieces they touch.
        look: Gives what they see now.
        habits: Each side's habits.
        dice: Everything left to chance; the same dice, lights and mind give the same gestures.
        first: The side that moves first.
        start: The position meant at the start.

    Attributes:
        used: How often each habit was used.
        helped: Plies, counted from 1, that needed the lights' help.
        intentions: The moves meant, begun or finished, none of those taken back.
        finished: The mind wants no more moves.

    """

    def __init__(
        self,
        mind: Mind,
        table: Table,
        look: Callable[[], Sight],
        habits: Mapping[str, Habits],
        dice: random.Random,
        first: str,
        start: Mapping[Cell, str],
    ) -> None:
        self.used: Counter[str] = Counter()
        self.helped: set[int] = set()
        self.intentions: list[Intention] = []
        self.finished = False
        self._mind, self._look, self._habits, self._dice = mind, look, habits, dice
        self._fingers = Fingers(table)
        self._memory: list[Mapping[Cell, str]] = [start]
        self._now = 0.0
        self._counter = itertools.count()
        self._scripts: list[tuple[float, int, Script]] = []
        self._moving: Counter[str] = Counter()  # each side's scripts in the middle of a move
        self._repairing = False
        self._down = 0  # plies whose piece has been put down for good
        self._rewinds = 0
        self._begin(self._turn(first))
        self._begin(self._watch())

    @property
    def deadline(self) -> float:
        """When hands next do something or look."""
        return self._scripts[0][0]

    @property
    def touched_s(self) -> float:
        """When a piece was touched last."""
        return self._fingers.touched_s

    @property
    def resting(self) -> bool:
        """No hand is in the middle of anything, no victim waits, the board stands as meant."""
        busy = self._moving.total() or self._repairing or self._fingers.late or not self._fingers.empty
        return not busy and self._as_meant()

    def act(self, t: float) -> None:
        """Do everything that is due at `t`."""
        self._now = t
        while self._scripts[0][0] <= t:
            _, _, script = heapq.heappop(self._scripts)
            try:
                wait_s = script.send(self._look())
            except StopIteration:
                continue
            heapq.heappush(self._scripts, (t + wait_s, next(self._counter), script))

    def _begin(self, script: Script) -> None:
        """Start a script now; it runs to its first wait before it sees anything."""
        wait_s = next(script)
        heapq.heappush(self._scripts, (self._now + wait_s, next(self._counter), script))

    # --- a turn ---

    def _turn(self, side: str) -> Script:
        """Play one move of a side, from waiting for the other's to passing the turn on."""
        rewinds = self._rewinds
        habits = self._habits_now(side)
        sight = yield habits.between.draw(self._dice) if habits.instant else LOOK_S
        waited = habits.instant
        while self._hindered(side, habits, sight) or not waited:
            if rewinds != self._rewinds:
                return  # the other player took the move back that this one would answer
            waited = not self._hindered(side, habits, sight)
            sight = yield habits.between.draw(self._dice) if waited or habits.instant else LOOK_S
        if rewinds != self._rewinds:
            return
        intention = self._mind.choose()
        if intention is None:
            self.finished = True
            return
        self._moving[side] += 1
        self.intentions.append(intention)
        self._memory.append(intention.after)
        ply = len(self.intentions)
        yield from self._err(habits, intention, ply)
        plan = plan_move(intention, habits, self._dice)
        yield from self._await_pieces(intention)
        self._fingers.late.update((cell, intention.before[cell]) for cell in intention.victims)
        self.used.update(plan.used)
        yield from self._follow(side, plan, passing=True)
        for victim, square in plan.elsewhere:
            yield from self._put_elsewhere(side, victim, square, ply)
        self._moving[side] -= 1
        if plan.late:
            yield from self._take_late(plan.late, ply)
        elif self._wants_back(habits, intention, ply):
            yield from self._take_back(intention)

    def _habits_now(self, side: str) -> Habits:
        """Return a side's habits for one move: a borrower's are another row's with his own mistakes."""
        own = self._habits[side]
        if not own.borrows:
            return own
        return dataclasses.replace(
            self._dice.choice(BORROWED),
            elsewhere_share=own.elsewhere_share,
            illegal_share=own.illegal_share,
            out_of_turn_share=own.out_of_turn_share,
        )

    def _hindered(self, side: str, habits: Habits, sight: Sight) -> bool:
        """Say whether a player still waits before the next move."""
        if self._moving[side] or self._repairing or sight.asked is not None or lit(sight, URGENT):
            return True
        if habits.instant and any(side_of(piece) != side for piece in self._fingers.late.values()):
            return True  # his own late victims come first
        if self._moving.total():
            return not habits.instant
        return not self._as_meant()

    def _as_meant(self) -> bool:
        """Say whether the board stands as meant, apart from victims left for later."""
        pieces, wanted, late = self._fingers.table.pieces, self._memory[-1], self._fingers.late
        if pieces == wanted or not late:
            return pieces == wanted
        return {**{cell: piece for cell, piece in late.items() if cell in pieces}, **wanted} == pieces

    def _await_pieces(self, intention: Intention) -> Script:
        """Wait until the pieces and squares that the move needs are there."""
        pieces, waited_s = self._fingers.table.pieces, 0.0
        while waited_s < READY_WAIT_S:
            free = not any(cell in pieces and cell not in self._fingers.late for cell in intention.path)
            if free and all(cell in pieces for cell in (intention.origin, *intention.victims)):
                return
            waited_s += LOOK_S
            yield LOOK_S

    def _wants_back(self, habits: Habits, intention: Intention, ply: int) -> bool:
        """Say whether a player, seeing his move, wants it back; only before the other has begun."""
        if intention.final or ply != len(self.intentions) or not self.resting:
            return False
        return self._dice.random() < habits.takeback_share

    # --- what a turn is made of ---

    def _make(self, owner: str, gesture: Gesture) -> None:
        self._fingers.make(self._now, owner, gesture)

    def _follow(self, owner: str, plan: Plan, passing: bool = False) -> Script:
        """Make the gestures of a plan; the turn passes with its last."""
        start_s = self._now
        for gesture in plan.gestures:
            wait_s = start_s + gesture.t - self._now
            if wait_s > 0:
                yield wait_s
            cell = gesture.cell if gesture.onto is None else gesture.onto
            if gesture.last and cell in self._fingers.late:
                self._fingers.take_off(self._now, cell)
                self.used["cleared-square"] += 1
                yield PAUSE_S.draw(self._dice)
            self._make(owner, gesture)
            if gesture.last and passing:
                self._down = len(self.intentions)
                self._begin(self._turn(other_side(owner)))
        while not self._fingers.put_back(self._now, owner):
            yield LOOK_S

    def _take_late(self, late: tuple[Cell, ...], ply: int) -> Script:
        """Leave victims standing until the reply is down, then take them off."""
        waited_s = 0.0
        while waited_s < LATE_WAIT_S and self._down <= ply:
            waited_s += LOOK_S
            yield LOOK_S
        for cell in late:
            yield LATE_S.draw(self._dice)
            if cell in self._fingers.late:
                self._fingers.take_off(self._now, cell)

    def _take_back(self, intention: Intention) -> Script:
        """Take the move just finished back by hand, and think again."""
        yield PAUSE_S.draw(self._dice) + PAUSE_S.draw(self._dice)
        if self.intentions[-1] is not intention or not self.resting:
            return
        self._repairing = True
        plan = plan_takeback(intention, self._dice)
        self.intentions.pop()
        self._memory.pop()
        yield from self._follow(intention.side, plan)
        self.used.update(plan.used)
        self._mind.rewind()
        self._down = len(self.intentions)
        self._rewinds += 1
        self._repairing = False
        self._begin(self._turn(intention.side))

    def _put_elsewhere(self, side: str, victim: Cell, square: Cell, ply: int) -> Script:
        """Put a victim down where it does not belong, and take it off when the light says so."""
        pieces, late = self._fingers.table.pieces, self._fingers.late
        yield PAUSE_S.draw(self._dice)
        if victim not in late:
            return
        piece = late.pop(victim)
        self._make(side, Gesture(0.0, Act.LIFT, victim, APART_GRIP))
        yield PAUSE_S.draw(self._dice)
        while square in pieces:  # somebody was faster
            square = self._dice.choice(self.intentions[-1].free)
        late[square] = piece
        self._make(side, Gesture(0.0, Act.DROP, square, APART_GRIP))
        yield from self._await_light((square,), ply)
        self._make(side, Gesture(0.0, Act.BOX, square))

    def _err(self, habits: Habits, intention: Intention, ply: int) -> Script:
        """Perhaps put a piece where it may not go, and back after the light."""
        draw = self._dice.random()
        if draw < habits.illegal_share:
            pairs, name = intention.illegal, "illegal-move"
        elif draw < habits.illegal_share + habits.out_of_turn_share:
            pairs, name = intention.out_of_turn, "out-of-turn"
        else:
            return
        free = [pair for pair in pairs if pair[0] in self._fingers.table.pieces]
        if not free:
            return
        origin, square = self._dice.choice(free)
        self.used[name] += 1
        self._make(intention.side, Gesture(0.0, Act.LIFT, origin, APART_GRIP))
        yield PAUSE_S.draw(self._dice)
        self._make(intention.side, Gesture(0.0, Act.DROP, square, APART_GRIP))
        yield from self._await_light((origin, square), ply)
        self._make(intention.side, Gesture(0.0, Act.LIFT, square, APART_GRIP))
        yield PAUSE_S.draw(self._dice)
        self._make(intention.side, Gesture(0.0, Act.DROP, origin, APART_GRIP))
        yield PAUSE_S.draw(self._dice)

    def _await_light(self, cells: tuple[Cell, ...], ply: int) -> Script:
        """Wait until a light complains about one of the squares, and a moment more."""
        waited_s = 0.0
        while waited_s < LIGHT_WAIT_S:
            waited_s += LOOK_S
            sight = yield LOOK_S
            if any(sight.lights.get(cell) in COMPLAINTS for cell in cells):
                self.helped.add(ply)
                break
        yield NOTICE_S.draw(self._dice)

    # --- looking after the board ---

    def _watch(self) -> Script:
        """Watch the lights whenever no hand is in the middle of a move, and do what they ask, one thing at a time."""
        complained_s = quiet_s = 0.0
        notice_s = NOTICE_S.draw(self._dice)
        touched = 0  # how many plies were meant when a piece was touched again
        while True:
            sight = yield LOOK_S
            if self._moving.total() or self._repairing or not self._fingers.empty:
                complained_s = quiet_s = 0.0
                continue
            if self._complained(sight):
                complained_s, quiet_s = complained_s + LOOK_S, 0.0
                if complained_s >= notice_s:
                    complained_s, notice_s = 0.0, NOTICE_S.draw(self._dice)
                    yield from self._repair(self._obey(sight))
                continue
            complained_s, meant = 0.0, self._as_meant()
            if meant and sight.heard >= len(self.intentions):
                quiet_s = 0.0
                continue
            quiet_s += LOOK_S
            announced = self._fingers.table.pieces == self._memory[min(sight.heard, len(self._memory) - 1)]
            if quiet_s < (UNHEARD_S if meant else REDO_S if announced else STRAY_S):
                continue
            quiet_s = 0.0
            if meant and touched != len(self.intentions):
                touched = len(self.intentions)
                yield from self._repair(self._do(Todo(Repair.NUDGE, self.intentions[-1].destination)))
            else:
                yield from self._repair(self._put_right(sight))

    def _repair(self, script: Script) -> Script:
        """Let a script put something right, while no move begins."""
        self.helped.add(len(self.intentions))
        self._repairing = True
        yield from script
        self._repairing = False

    def _complained(self, sight: Sight) -> bool:
        """Say whether a light asks for something that no hand is about to do anyway."""
        if sight.asked is not None:
            return True
        late = self._fingers.late
        return any(role in URGENT or (role is Role.REMOVE and cell not in late) for cell, role in sight.lights.items())

    def _obey(self, sight: Sight) -> Script:
        """Do the next thing that the lights ask."""
        if sight.asked is not None:
            reply = answer(sight.asked, self.intentions[sight.heard :])
            self.used[reply.value] += 1
            self._mind.press(self._now, reply.value)
            return
        table = self._fingers.table
        announced = self._memory[min(sight.heard, len(self._memory) - 1)]
        remembered = [announced, *self._memory[: -MEMORY_PLIES - 1 : -1]]
        todo = next_repair(sight, table.pieces, remembered, table.boxed)
        if todo is not None:
            yield from self._do(todo)

    def _put_right(self, sight: Sight) -> Script:
        """Bring the board to the position last announced, and from there make the next move again."""
        table, announced = self._fingers.table, min(sight.heard, len(self._memory) - 1)
        todo = tidy(table.pieces, self._memory[announced], table.boxed)
        if todo is not None:
            self.used["tidy"] += 1
            yield from self._do(todo)
        elif announced < len(self.intentions):
            self.used["redo"] += 1
            intention = self.intentions[announced]
            self._fingers.late.update((cell, intention.before[cell]) for cell in intention.victims)
            yield from self._follow(WATCHER, plan_plainly(intention, self._dice))

    def _do(self, todo: Todo) -> Script:
        """Make the gestures of one repair."""
        self.used[f"repair-{todo.repair.value}"] += 1
        cell = todo.cell
        if todo.repair is Repair.PUT:
            self._make(WATCHER, Gesture(0.0, Act.UNBOX, cell, piece=todo.piece))
        elif todo.repair is Repair.OFF:
            self._fingers.take_off(self._now, cell)
        else:
            onto = cell if todo.repair is Repair.NUDGE else todo.onto
            self._make(WATCHER, Gesture(0.0, Act.LIFT, cell))
            yield PAUSE_S.draw(self._dice)
            self._make(WATCHER, Gesture(0.0, Act.DROP, onto))
        yield PAUSE_S.draw(self._dice)
