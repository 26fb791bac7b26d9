"""What happens to pieces that no player moves: a sleeve that sweeps several over, a child that plays with them.

Owns these hands and when they come. Putting right what they did is the players' (watching.py), who see it and see the
lights. A child or a sleeve that made a legal move would have made a move, for all that any sensor can tell; so a child
first moves a piece where no move leads, and none twice, and a sleeve sweeps two pieces at least.
"""

from collections.abc import Callable, Iterator

from hardware.news import Cell
from hardware.simulated.faults import Faults, Range
from hardware.simulated.gestures import Act, Gesture
from hardware.simulated.habits import Span
from hardware.simulated.scene import LOOK_S, Scene, Script

SWEPT = (2, 6)
"""So many pieces go over at once."""

SWEEP_SQUARES = 2
"""How far from the middle of the sweep they stood."""

STAY_SHARE = 0.6
"""Of pieces knocked over, how many come to rest on another square; the others roll off the board."""

ROLL_S = Span(0.05, 0.3)
"""From standing to lying."""

TAKEN = (1, 4)
"""So many pieces the child moves, one after the other."""

CARRIED_S = Span(0.3, 2.0)
"""How long it has one in its hand."""

AWAY_SHARE = 0.3
"""Of the pieces it takes, how many it lays beside the board."""

TRIES = 20
"""So often a place is looked for before the child leaves a piece alone."""

SLEEVE, CHILD = "sleeve", "child"
"""The owners of these grips."""


class Mishaps:
    """The mishaps at one table.

    Args:
        scene: What is at the table.
        size: Places of one side.
        told: Called with the time (s) when a mishap is over.

    """

    def __init__(self, scene: Scene, size: int, told: Callable[[float], None]) -> None:
        self._scene, self._size, self._told = scene, size, told

    def scripts(self, faults: Faults) -> Iterator[Script]:
        """Give the scripts of the mishaps that a board's faults ask for."""
        if faults.knocks is not None:
            yield self._knocks(faults.knocks.gap)
        if faults.rearranged is not None:
            yield self._rearranges(faults.rearranged.gap)

    def _knocks(self, gap: Range) -> Script:
        """Sweep pieces over, again and again, whatever anybody is doing."""
        scene = self._scene
        while True:
            yield gap.draw(scene.dice)
            scene.used["knocked-over"] += 1
            rolling = self._swept()
            for grip, cell in enumerate(rolling):
                scene.make(SLEEVE, Gesture(0.0, Act.LIFT, cell, grip))
                yield ROLL_S.draw(scene.dice) / len(rolling)
            for grip, cell in enumerate(rolling):
                free = [near for near in self._around(cell) if near not in scene.pieces]
                if free and scene.dice.random() < STAY_SHARE:
                    scene.make(SLEEVE, Gesture(0.0, Act.DROP, scene.dice.choice(free), grip))
                yield ROLL_S.draw(scene.dice) / len(rolling)
            scene.fingers.lay_down(scene.now, SLEEVE)
            self._told(scene.now)

    def _swept(self) -> list[Cell]:
        """Draw the pieces that a sweep reaches."""
        dice, pieces = self._scene.dice, self._scene.pieces
        crowds = [[cell, *(near for near in self._around(cell) if near in pieces)] for cell in sorted(pieces)]
        middle, *near = dice.choice([crowd for crowd in crowds if len(crowd) > 1] or crowds)
        others = dice.sample(near, min(len(near), dice.randint(*SWEPT) - 1))
        return [middle, *others]

    def _around(self, cell: Cell) -> list[Cell]:
        """Return the places near one."""
        rank, file = divmod(cell, self._size)
        reach = range(-SWEEP_SQUARES, SWEEP_SQUARES + 1)
        places = [(rank + up, file + right) for up in reach for right in reach if up or right]
        return [Cell(r * self._size + f) for r, f in places if 0 <= r < self._size and 0 <= f < self._size]

    def _rearranges(self, gap: Range) -> Script:
        """Let a child at the board while its players are away, again and again."""
        scene = self._scene
        while True:
            yield gap.draw(scene.dice)
            while scene.busy:
                yield LOOK_S
            scene.repairing = True
            scene.used["rearranged"] += 1
            done: set[Cell] = set()
            for _ in range(scene.dice.randint(*TAKEN)):
                yield from self._play_with(done)
            scene.repairing = False
            self._told(scene.now)

    def _play_with(self, done: set[Cell]) -> Script:
        """Let the child take a piece that it is not done with and put it down; a first one where no move leads."""
        scene, dice = self._scene, self._scene.dice
        pieces = scene.pieces
        for _ in range(TRIES):
            cell, square = dice.choice(sorted(pieces)), Cell(dice.randrange(self._size**2))
            if cell in done or square in pieces or (not done and scene.mind.moves(cell, square)):
                continue
            done.add(square)
            scene.make(CHILD, Gesture(0.0, Act.LIFT, cell))
            yield CARRIED_S.draw(dice)
            if dice.random() >= AWAY_SHARE:
                scene.make(CHILD, Gesture(0.0, Act.DROP, square))
            scene.fingers.lay_down(scene.now, CHILD)
            yield CARRIED_S.draw(dice)
            return
