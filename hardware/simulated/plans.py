"""How a move becomes gestures: a schedule of lifts, drops and slides, made of an intention and a player's habits.

Pure: the same intention, habits and dice give the same plan. Must not look at lights; what needs them (waiting for a
light, putting right what went wrong) is hands.py's and repairs.py's.
"""

import enum
import random
from collections.abc import Iterable
from dataclasses import dataclass

from hardware.news import Cell
from hardware.simulated.gestures import Act, Gesture, Intention, other_side
from hardware.simulated.habits import Habits, Span

REACH = Span(0.35, 0.6)
"""How far from its own square, in squares (the unit is not seconds here), a slid magnet is still read."""

FIDGETS_MOST = 3
BUMPS_MOST = 2
STOPS_MOST = 2
"""The contract's one to three, one or two, one or two."""

PAST_MOST = 2
"""A piece overshoots by so many squares at most."""

PAUSE_S = Span(0.2, 1.0)
"""Between two things that the same hand does in peace."""

TOGETHER_S = 0.1
"""Two hands that lift at once are at most so far apart."""

TURNING_S = Span(0.05, 0.4)
"""How long a piece that overshot rests before it comes back: not a stop, only a change of mind."""

AROUND_S = 2.0
"""A bump happens at most so long before the mover's lift or after its drop."""


class Phase(enum.Enum):
    """When a victim is taken off, seen from the mover."""

    BEFORE = "before"
    TOGETHER = "together"
    BETWEEN = "between"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Plan:
    """A move as gestures.

    Attributes:
        gestures: In order of time, from 0 s.
        used: The habits in it by name, once for each time.
        late: Victims that are left standing until the reply is down.
        elsewhere: Victims (square, other square) that are put down where they do not belong.

    """

    gestures: tuple[Gesture, ...]
    used: tuple[str, ...] = ()
    late: tuple[Cell, ...] = ()
    elsewhere: tuple[tuple[Cell, Cell], ...] = ()


def plan_move(intention: Intention, habits: Habits, dice: random.Random) -> Plan:
    """Return how a player with these habits makes this move."""
    return _Planner(intention, habits, dice).plan()


def plan_plainly(intention: Intention, dice: random.Random) -> Plan:
    """Return the move made once more with care: lift, drop, victims off."""
    return plan_move(intention, Habits("plain", air=PAUSE_S, victim=PAUSE_S), dice)


def plan_takeback(intention: Intention, dice: random.Random) -> Plan:
    """Return the gestures that take a finished move back: the mover home, the victims from the box, any order."""
    home = [
        Gesture(0.0, Act.LIFT, intention.destination),
        Gesture(PAUSE_S.draw(dice), Act.DROP, intention.origin),
    ]
    parts = [home] + [[Gesture(0.0, Act.UNBOX, cell, piece=intention.before[cell])] for cell in intention.victims]
    dice.shuffle(parts)
    gestures: list[Gesture] = []
    t = 0.0
    for part in parts:
        for gesture in part:
            t += gesture.t
            gestures.append(Gesture(t, gesture.act, gesture.cell, piece=gesture.piece))
        t += PAUSE_S.draw(dice)
    return Plan(tuple(gestures), ("takeback",))


class _Planner:
    """The making of one plan; grips are numbered from 0, which is the mover's."""

    def __init__(self, intention: Intention, habits: Habits, dice: random.Random) -> None:
        self.intention = intention
        self.habits = habits
        self.dice = dice
        self.gestures: list[Gesture] = []
        self.used: list[str] = []
        self.grips = 0
        self.busy: set[Cell] = {intention.origin, intention.destination, *intention.victims}

    def plan(self) -> Plan:
        """Put the tracks together: fidgets, mover, victims, bumps."""
        habits, intention = self.habits, self.intention
        lifted_s = self._fidget()
        phases = self._phases()
        before = [cell for cell, phase in phases.items() if phase is Phase.BEFORE]
        for cell in before:
            self._box(lifted_s, cell)
            lifted_s += habits.victim.draw(self.dice)
        self._both_hands(lifted_s)
        dropped_s = self._slide(lifted_s) if self._chance(habits.slide_share) else self._carry(lifted_s)
        for cell, phase in phases.items():
            if phase is Phase.TOGETHER:
                self._box(lifted_s + self.dice.uniform(-TOGETHER_S, TOGETHER_S), cell)
            elif phase is Phase.BETWEEN:
                self._box(self.dice.uniform(lifted_s, dropped_s), cell)
        rest = [cell for cell, phase in phases.items() if phase is Phase.AFTER]
        late, elsewhere = self._victims_after(dropped_s, rest)
        if intention.victims and self._chance(habits.wrong_victim_share):
            self._wrong_victim(lifted_s, dropped_s)
        if self._chance(habits.bump_share):
            self._bump(lifted_s, dropped_s)
        return self._finish(late, elsewhere)

    def _finish(self, late: Iterable[Cell], elsewhere: Iterable[tuple[Cell, Cell]]) -> Plan:
        start_s = min(gesture.t for gesture in self.gestures)
        shifted = [
            Gesture(g.t - start_s, g.act, g.cell, g.grip, g.onto, g.overlap_s, g.piece, g.last) for g in self.gestures
        ]
        shifted.sort(key=lambda gesture: gesture.t)
        return Plan(tuple(shifted), tuple(self.used), tuple(late), tuple(elsewhere))

    def _chance(self, share: float) -> bool:
        return share > 0 and self.dice.random() < share

    def _away(self, t: float, cell: Cell, away_s: float) -> None:
        """Lift a piece that does not move, and put it back."""
        self.grips += 1
        self.busy.add(cell)
        self.gestures += [Gesture(t, Act.LIFT, cell, self.grips), Gesture(t + away_s, Act.DROP, cell, self.grips)]

    def _box(self, t: float, cell: Cell) -> None:
        self.gestures.append(Gesture(t, Act.BOX, cell))

    def _fidget(self) -> float:
        """Lift some own pieces and put them back; return when the mover may be lifted."""
        if not self._chance(self.habits.fidget_share):
            return 0.0
        own = self.intention.others(self.intention.side)
        t = 0.0
        for cell in self.dice.sample(own, min(len(own), self.dice.randint(1, FIDGETS_MOST))):
            away_s = self.habits.air.draw(self.dice)
            self._away(t, cell, away_s)
            self.used.append("fidget")
            t += away_s + PAUSE_S.draw(self.dice)
        return t

    def _both_hands(self, lifted_s: float) -> None:
        """Lift another own piece together with the mover, when no victim is there for the second hand."""
        own = [cell for cell in self.intention.others(self.intention.side) if cell not in self.busy]
        if own and not self.intention.victims and self._chance(self.habits.both_hands_share):
            t = lifted_s + self.dice.uniform(-TOGETHER_S, TOGETHER_S)
            self._away(t, self.dice.choice(own), self.habits.air.draw(self.dice))
            self.used.append("both-hands")

    def _carry(self, lifted_s: float) -> float:
        """Carry the mover through the air, perhaps by way of another square; return when it is down."""
        intention, habits = self.intention, self.habits
        self.gestures.append(Gesture(lifted_s, Act.LIFT, intention.origin))
        t = lifted_s + habits.air.draw(self.dice)
        if intention.tries and self._chance(habits.tried_share):
            square = self.dice.choice(intention.tries)
            self.gestures.append(Gesture(t, Act.DROP, square))
            t += habits.tried.draw(self.dice)
            self.gestures.append(Gesture(t, Act.LIFT, square))
            t += habits.air.draw(self.dice)
            self.used.append("tried-square")
        self.gestures.append(Gesture(t, Act.DROP, intention.destination, last=True))
        return t

    def _slide(self, lifted_s: float) -> float:
        """Push the mover over the squares of its path; return when it is down for good."""
        intention, habits, dice = self.intention, self.habits, self.dice
        self.used.append("slide")
        stops: set[Cell] = set()
        if intention.stops and self._chance(habits.stop_share):
            stops.update(dice.sample(intention.stops, min(len(intention.stops), dice.randint(1, STOPS_MOST))))
            self.used += ["stop"] * len(stops)
        track = [intention.origin, *intention.path, intention.destination]
        if intention.beyond and self._chance(habits.overshoot_share):
            past = list(intention.beyond[: dice.randint(1, PAST_MOST)])
            track += [*past, *past[-2::-1], intention.destination]
            self.used.append("overshoot")
        square_s, reach = habits.square.draw(dice), REACH.draw(dice)
        t = lifted_s
        for index in range(1, len(track)):
            origin, cell = track[index - 1], track[index]
            if index > 1:
                t += self._rest(track, index - 1, stops)
            off_s, on_s = t + square_s * reach, t + square_s * (1 - reach)
            last = index == len(track) - 1
            if off_s < on_s:
                self.gestures.append(Gesture(off_s, Act.LIFT, origin))
                self.gestures.append(Gesture(on_s, Act.DROP, cell, last=last))
            else:
                slid = Gesture(on_s, Act.SLIDE, origin, onto=cell, overlap_s=off_s - on_s, last=last)
                self.gestures.append(slid)
                self.used.append("overlap")
            t += square_s
        return t

    def _rest(self, track: list[Cell], index: int, stops: set[Cell]) -> float:
        """Return how long the sliding piece rests on a square of its track, in seconds."""
        cell = track[index]
        if cell in stops:
            stops.discard(cell)
            return self.habits.stop.draw(self.dice)
        turning = index + 1 < len(track) and track[index - 1] == track[index + 1]
        return TURNING_S.draw(self.dice) if turning else 0.0

    def _phases(self) -> dict[Cell, Phase]:
        """Choose for each victim, in the order in which they go, when it is taken off."""
        habits, dice, victims = self.habits, self.dice, self.intention.victims
        phases = dict.fromkeys(dice.sample(victims, len(victims)), Phase.AFTER)
        if not victims:
            return phases
        if self._chance(habits.victim_first_share):
            for cell in phases:
                phases[cell] = dice.choice((Phase.BEFORE, Phase.TOGETHER, Phase.BETWEEN))
                self.used.append(f"victim-{phases[cell].value}")
        elif self._chance(habits.both_hands_share):
            phases[next(iter(phases))] = Phase.TOGETHER
            self.used.append("both-hands")
        return phases

    def _victims_after(self, dropped_s: float, victims: list[Cell]) -> tuple[list[Cell], list[tuple[Cell, Cell]]]:
        """Take the other victims off; return those left standing and those put down elsewhere."""
        habits, dice = self.habits, self.dice
        if victims and self._chance(habits.late_victims_share):
            self.used.append("late-victims")
            return victims, []
        free = [cell for cell in self.intention.free if cell not in self.busy]
        elsewhere: list[tuple[Cell, Cell]] = []
        t = dropped_s
        for cell in victims:
            t += habits.victim.draw(dice)
            if free and self._chance(habits.elsewhere_share):
                self.used.append("put-elsewhere")
                elsewhere.append((cell, free.pop(dice.randrange(len(free)))))
            else:
                self._box(t, cell)
        return [], elsewhere

    def _wrong_victim(self, lifted_s: float, dropped_s: float) -> None:
        enemies = [c for c in self.intention.others(other_side(self.intention.side)) if c not in self.busy]
        if enemies:
            t = self.dice.uniform(lifted_s - AROUND_S, dropped_s + AROUND_S)
            self._away(t, self.dice.choice(enemies), self.habits.wrong_victim.draw(self.dice))
            self.used.append("wrong-victim")

    def _bump(self, lifted_s: float, dropped_s: float) -> None:
        intention = self.intention
        others = [cell for cell in intention.before if cell not in self.busy]
        for cell in self.dice.sample(sorted(others), min(len(others), self.dice.randint(1, BUMPS_MOST))):
            t = self.dice.uniform(lifted_s - AROUND_S, dropped_s + AROUND_S)
            self._away(t, cell, self.habits.bump.draw_by_scale(self.dice))
            self.used.append("bump")
