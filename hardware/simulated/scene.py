"""What two players share while they play: the pieces in their fingers, what they mean, and who is busy.

Owns the state that turns (turns.py) and the common watch over the board (watching.py) both look at, and the few
gestures they have in common. Must not decide what happens next.

A script is a generator that yields how long it waits (seconds) and is resumed with the `Sight` of that moment.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Generator, Mapping

from hardware.news import Cell
from hardware.simulated.fingers import Fingers
from hardware.simulated.gestures import Announced, Gesture, Intention, Mind, Sight, Table
from hardware.simulated.habits import Span
from hardware.simulated.plans import PAUSE_S

Script = Generator[float, Sight, None]

LOOK_S = 0.2
"""How often waiting eyes go over the board."""

NOTICE_S = Span(0.4, 1.5)
"""From a light that asks to the hand that does."""


HAND_S = 0.2
"""A hand that takes a piece off is over its square for so long; nobody puts another down there meanwhile."""


HELD_S = 10.0
"""A piece that cannot be put back is laid beside the board after so long."""


class Scene:
    """The shared state.

    Args:
        mind: What game is meant.
        table: The pieces.
        dice: Everything left to chance.
        start: The position meant at the start.

    Attributes:
        now: The present, in seconds.
        used: How often each habit was used.
        helped: Plies, counted from 1, that needed the lights' help.
        unlit: Plies, counted from 1, that were made and not announced while no light asked for anything.
        intentions: The moves meant, begun or finished, none of those taken back.
        forgotten: Those taken back.
        made: When each intention was first carried out, by its number from 1, in seconds.
        memory: The positions meant: the start, then one after each intention.
        moving: Each side's scripts in the middle of a move.
        repaired_s: When something was last put right.
        repairing: Something is being put right, or taken back: no move begins.

    """

    def __init__(self, mind: Mind, table: Table, dice: random.Random, start: Mapping[Cell, str]) -> None:
        self.mind, self.dice = mind, dice
        self.fingers = Fingers(table)
        self.now = 0.0
        self.used: Counter[str] = Counter()
        self.helped: set[int] = set()
        self.unlit: set[int] = set()
        self.intentions: list[Intention] = []
        self.forgotten: list[Intention] = []
        self.made: dict[int, float] = {}
        self.memory: list[Mapping[Cell, str]] = [start]
        self.moving: Counter[str] = Counter()
        self.repairing = False
        self.repaired_s = -math.inf

    @property
    def pieces(self) -> Mapping[Cell, str]:
        """What stands where."""
        return self.fingers.table.pieces

    @property
    def busy(self) -> bool:
        """A hand is in the middle of something."""
        return bool(self.moving.total()) or self.repairing or not self.fingers.empty

    @property
    def as_meant(self) -> bool:
        """The board stands as meant, apart from victims left for later."""
        return self.stands(self.memory[-1])

    @property
    def resting(self) -> bool:
        """No hand is in the middle of anything, no victim waits, the board stands as meant."""
        return not self.busy and not self.fingers.late and self.as_meant

    def announced(self, sight: Sight) -> Mapping[Cell, str]:
        """Return the position after the last move that the board announced."""
        return self.memory[min(sight.heard, len(self.memory) - 1)]

    def misunderstood(self, sight: Sight) -> Announced | None:
        """Return the last announced move if another was meant."""
        last = sight.last
        if last is None or not 0 < sight.heard <= len(self.intentions):
            return None
        meant = self.intentions[sight.heard - 1]
        same = (last.origin, last.destination) == (meant.origin, meant.destination)
        return None if same or last.origin not in meant.before else last

    def believed(self, sight: Sight) -> Mapping[Cell, str]:
        """Return the position that the board believes in."""
        last = self.misunderstood(sight)
        if last is None:
            return self.announced(sight)
        before = {cell: piece for cell, piece in self.memory[sight.heard - 1].items() if cell not in last.captures}
        before[last.destination] = before.pop(last.origin)
        return before

    def stands(self, position: Mapping[Cell, str]) -> bool:
        """Say whether the board stands so, apart from victims left for later."""
        pieces, late = self.pieces, self.fingers.late
        if pieces == position or not late:
            return pieces == position
        return {**{cell: piece for cell, piece in late.items() if cell in pieces}, **position} == pieces

    def mean(self, intention: Intention) -> None:
        """Note that a move is begun."""
        self.intentions.append(intention)
        self.memory.append(intention.after)

    def forget(self) -> None:
        """Note that the last move is no longer meant."""
        self.made.pop(len(self.intentions), None)
        self.forgotten.append(self.intentions.pop())
        self.memory.pop()

    def condemn(self, intention: Intention) -> None:
        """Note that a move's victims are about to be taken off."""
        self.fingers.late.update((cell, intention.before[cell]) for cell in intention.victims)

    def make(self, owner: str, gesture: Gesture) -> None:
        """Make a gesture now."""
        self.fingers.make(self.now, owner, gesture)

    def follow(self, owner: str, gestures: tuple[Gesture, ...], passing: Callable[[], None] | None = None) -> Script:
        """Make gestures, each at its time after now, and put back what could not be put down.

        Args:
            owner: Whose grips they use.
            gestures: In order of time.
            passing: Called when the moving piece is down for good.

        """
        start_s = self.now
        for gesture in gestures:
            wait_s = start_s + gesture.t - self.now
            if wait_s > 0:
                yield wait_s
            cell = gesture.cell if gesture.onto is None else gesture.onto
            if gesture.last and cell in self.fingers.late:  # a victim of the other's move still stands there
                self.fingers.take_off(self.now, cell)
                self.used["cleared-square"] += 1
                yield PAUSE_S.draw(self.dice)
            if gesture.last and self.now - self.fingers.vacated_s.get(cell, -HAND_S) < HAND_S:
                yield self.fingers.vacated_s[cell] + HAND_S - self.now
            self.make(owner, gesture)
            if gesture.last and passing is not None:
                passing()
        yield from self.empty_hands(owner)

    def empty_hands(self, owner: str) -> Script:
        """Put back what could not be put down; where something lies there by now, lay it beside the board."""
        waited_s = 0.0
        while not self.fingers.put_back(self.now, owner):
            if waited_s > HELD_S:  # something lies where the piece was lifted
                self.fingers.lay_down(self.now, owner)
                break
            waited_s += LOOK_S
            yield LOOK_S
