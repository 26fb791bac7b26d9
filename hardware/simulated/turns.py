"""A player's turn: waiting for the other, making the move with all its habits, second thoughts.

Owns the order of a turn and what hinders its beginning. What a move looks like is plans.py's; what happens when the
board does not understand is watching.py's.
"""

import dataclasses
from collections.abc import Callable, Mapping

from hardware.news import Cell
from hardware.simulated.gestures import Act, Gesture, Intention, Sight, other_side, side_of
from hardware.simulated.habits import BETWEEN_MOVES, BORROWED, Habits, Span
from hardware.simulated.plans import PAUSE_S, plan_move, plan_takeback
from hardware.simulated.repairs import COMPLAINTS, URGENT, lit
from hardware.simulated.scene import LOOK_S, NOTICE_S, Scene, Script

LATE_S = Span(0.05, 0.5)
"""From the reply, or the last late victim, to the next late victim taken off."""

LIGHT_WAIT_S = 8.0
"""A child waits so long for a light that says no, then knows better by itself."""

LATE_WAIT_S = 15.0
"""Victims left standing for the reply are taken off after so long without one."""

READY_WAIT_S = 6.0
"""A player waits so long for bumped or late pieces in the way, then begins as it is."""

UNHEARD_PLIES = 4
"""Even instant players stop when the board has not announced so many plies: the lights have stopped following."""

SOBER_S = 10.0
"""For so long after something was put right even instant players look at the lights."""

APART_GRIP = -1
"""The grip of a piece that is put where it does not belong; plans count theirs from 0."""


class Turns:
    """The turns of both players.

    Args:
        scene: What they share.
        habits: Each side's habits.
        begin: Starts a script beside those that run.

    Attributes:
        finished: The mind wants no more moves.

    """

    def __init__(self, scene: Scene, habits: Mapping[str, Habits], begin: Callable[[Script], None]) -> None:
        self.finished = False
        self._scene, self._habits, self._begin = scene, habits, begin
        self._down = 0  # plies whose piece has been put down for good
        self._rewinds = 0

    def turn(self, side: str, again: bool = False) -> Script:
        """Play one move of a side, from waiting for the other's to passing the turn on.

        Args:
            side: Whose turn it is.
            again: The side has just taken a move back, so this is no reply, and nobody's is instant.

        """
        scene = self._scene
        rewinds = self._rewinds
        habits = self._habits_now(side)
        if again:
            habits = dataclasses.replace(habits, instant=False, between=BETWEEN_MOVES)
        sight = yield habits.between.draw(scene.dice) if habits.instant else LOOK_S
        waited = habits.instant
        while self._hindered(side, habits, sight) or not waited:
            if rewinds != self._rewinds:
                return  # the other player took the move back that this one would answer
            waited = not self._hindered(side, habits, sight)
            sight = yield habits.between.draw(scene.dice) if waited or habits.instant else LOOK_S
        if rewinds != self._rewinds:
            return
        intention = scene.mind.choose()
        if intention is None:
            self.finished = True
            return
        scene.moving[side] += 1
        scene.mean(intention)
        ply = len(scene.intentions)
        yield from self._err(habits, intention, ply)
        plan = plan_move(intention, habits, scene.dice)
        yield from self._await_pieces(intention)
        scene.condemn(intention)
        scene.used.update(plan.used)
        yield from scene.follow(side, plan.gestures, lambda: self._pass(side))
        for victim, square in plan.elsewhere:
            yield from self._put_elsewhere(side, victim, square, ply)
        scene.moving[side] -= 1
        scene.made.setdefault(ply, scene.now)
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
            self._scene.dice.choice(BORROWED),
            elsewhere_share=own.elsewhere_share,
            illegal_share=own.illegal_share,
            out_of_turn_share=own.out_of_turn_share,
        )

    def _hindered(self, side: str, habits: Habits, sight: Sight) -> bool:
        """Say whether a player still waits before the next move."""
        scene = self._scene
        if scene.moving[side] or scene.repairing or sight.dark:
            return True
        if len(scene.intentions) - sight.heard >= UNHEARD_PLIES:
            return True
        if sight.asked is not None or lit(sight, URGENT):
            return True
        if habits.instant and any(side_of(piece) != side for piece in scene.fingers.late.values()):
            return True  # his own late victims come first
        if scene.moving.total():
            return not habits.instant
        looks = not habits.instant or scene.now - scene.repaired_s < SOBER_S
        if looks and scene.misunderstood(sight) is not None:
            return True  # the lights show the last move, and it is another
        return not scene.as_meant

    def _await_pieces(self, intention: Intention) -> Script:
        """Wait until the pieces and squares that the move needs are there."""
        pieces, waited_s = self._scene.pieces, 0.0
        while waited_s < READY_WAIT_S:
            free = not any(cell in pieces and cell not in self._scene.fingers.late for cell in intention.path)
            if free and all(cell in pieces for cell in (intention.origin, *intention.victims)):
                return
            waited_s += LOOK_S
            yield LOOK_S

    def _wants_back(self, habits: Habits, intention: Intention, ply: int) -> bool:
        """Say whether a player, seeing his move, wants it back; only before the other has begun."""
        scene = self._scene
        if intention.final or ply != len(scene.intentions) or not scene.resting:
            return False
        return scene.dice.random() < habits.takeback_share

    # --- what a turn is made of ---

    def _pass(self, side: str) -> None:
        """Let the other side have its turn."""
        self._down = len(self._scene.intentions)
        self._begin(self.turn(other_side(side)))

    def _take_late(self, late: tuple[Cell, ...], ply: int) -> Script:
        """Leave victims standing until the reply is down, then take them off."""
        scene = self._scene
        waited_s = 0.0
        while waited_s < LATE_WAIT_S and self._down <= ply:
            waited_s += LOOK_S
            yield LOOK_S
        for cell in late:
            yield LATE_S.draw(scene.dice)
            if cell in scene.fingers.late:
                scene.fingers.take_off(scene.now, cell)

    def _take_back(self, intention: Intention) -> Script:
        """Take the move just finished back by hand, and think again."""
        scene = self._scene
        yield PAUSE_S.draw(scene.dice) + PAUSE_S.draw(scene.dice)
        if self.finished or scene.intentions[-1] is not intention or not scene.resting:
            return
        scene.repairing = True
        plan = plan_takeback(intention, scene.dice)
        scene.forget()
        yield from scene.follow(intention.side, plan.gestures)
        scene.used.update(plan.used)
        scene.mind.rewind()
        self._down = len(scene.intentions)
        self._rewinds += 1
        scene.repairing = False
        self._begin(self.turn(intention.side, again=True))

    def _put_elsewhere(self, side: str, victim: Cell, square: Cell, ply: int) -> Script:
        """Put a victim down where it does not belong, and take it off when the light says so."""
        scene = self._scene
        pieces, late = scene.pieces, scene.fingers.late
        yield PAUSE_S.draw(scene.dice)
        if victim not in late:
            return
        piece = late.pop(victim)
        scene.make(side, Gesture(0.0, Act.LIFT, victim, APART_GRIP))
        yield PAUSE_S.draw(scene.dice)
        while square in pieces:  # somebody was faster
            square = scene.dice.choice(scene.intentions[-1].free)
        late[square] = piece
        scene.make(side, Gesture(0.0, Act.DROP, square, APART_GRIP))
        yield from self._await_light((square,), ply)
        scene.make(side, Gesture(0.0, Act.BOX, square))

    def _err(self, habits: Habits, intention: Intention, ply: int) -> Script:
        """Perhaps put a piece where it may not go, and back after the light."""
        scene = self._scene
        draw = scene.dice.random()
        if draw < habits.illegal_share:
            pairs, name = intention.illegal, "illegal-move"
        elif draw < habits.illegal_share + habits.out_of_turn_share:
            pairs, name = intention.out_of_turn, "out-of-turn"
        else:
            return
        free = [pair for pair in pairs if pair[0] in scene.pieces]
        if not free:
            return
        origin, square = scene.dice.choice(free)
        scene.used[name] += 1
        scene.make(intention.side, Gesture(0.0, Act.LIFT, origin, APART_GRIP))
        yield PAUSE_S.draw(scene.dice)
        scene.make(intention.side, Gesture(0.0, Act.DROP, square, APART_GRIP))
        yield from self._await_light((origin, square), ply)
        scene.make(intention.side, Gesture(0.0, Act.LIFT, square, APART_GRIP))
        yield PAUSE_S.draw(scene.dice)
        scene.make(intention.side, Gesture(0.0, Act.DROP, origin, APART_GRIP))
        yield from scene.empty_hands(intention.side)
        scene.moving[intention.side] -= 1
        sight = yield PAUSE_S.draw(scene.dice)
        while (
            scene.repairing
            or sight.asked is not None
            or lit(sight, URGENT)
            or scene.misunderstood(sight)
            or not any(scene.stands(position) for position in scene.memory[ply - 1 : ply + 1])  # or both made it again
        ):
            sight = yield LOOK_S
        scene.moving[intention.side] += 1

    def _await_light(self, cells: tuple[Cell, ...], ply: int) -> Script:
        """Wait until a light complains about one of the squares, and a moment more."""
        waited_s = 0.0
        while waited_s < LIGHT_WAIT_S:
            waited_s += LOOK_S
            sight = yield LOOK_S
            if any(sight.lights.get(cell) in COMPLAINTS for cell in cells):
                self._scene.helped.add(ply)
                break
        yield NOTICE_S.draw(self._scene.dice)
