"""Two players' hands at one board: they make the moves they mean, look at the lights, and put right what is asked.

Owns time: which script is next. A player's turn is turns.py's, what a move looks like plans.py's, what happens when a
light asks for something watching.py's, which moves are meant a `Mind`'s. Must not know any rule of the game.
"""

import heapq
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from hardware.news import Cell
from hardware.simulated.gestures import Intention, Mind, Sight, Table
from hardware.simulated.habits import Habits
from hardware.simulated.scene import Scene, Script
from hardware.simulated.turns import Turns
from hardware.simulated.watching import Watcher


class Players:
    """Both players and what they have in their hands, in virtual time: `deadline` says when they next want to act.

    Args:
        mind: What game is meant.
        table: The pieces they touch.
        look: Gives what they see now.
        habits: Each side's habits.
        dice: Everything left to chance; the same dice, lights and mind give the same gestures.
        first: The side that moves first.
        start: The position meant at the start.
        mishaps: What happens to pieces that no player moves, given what is at the table.

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
        mishaps: Callable[[Scene], Iterable[Script]] = lambda _: (),
    ) -> None:
        self._look = look
        self._scene = Scene(mind, table, dice, start)
        self._counter = itertools.count()
        self._scripts: list[tuple[float, int, Script]] = []
        self._turns = Turns(self._scene, habits, self._begin)
        self._begin(self._turns.turn(first))
        self._begin(Watcher(self._scene).watch())
        for script in mishaps(self._scene):
            self._begin(script)

    @property
    def deadline(self) -> float:
        """When hands next do something or look."""
        return self._scripts[0][0]

    @property
    def used(self) -> Counter[str]:
        """How often each habit was used."""
        return self._scene.used

    @property
    def helped(self) -> set[int]:
        """Plies, counted from 1, that needed the lights' help."""
        return self._scene.helped

    @property
    def unlit(self) -> set[int]:
        """Plies, counted from 1, that were made and not announced while no light asked for anything."""
        return self._scene.unlit

    @property
    def made(self) -> Mapping[int, float]:
        """When each move was first carried out (seconds), by its number from 1."""
        return self._scene.made

    @property
    def intentions(self) -> Sequence[Intention]:
        """The moves meant, begun or finished, none of those taken back."""
        return self._scene.intentions

    @property
    def forgotten(self) -> Sequence[Intention]:
        """The moves once meant and taken back."""
        return self._scene.forgotten

    @property
    def finished(self) -> bool:
        """The mind wants no more moves."""
        return self._turns.finished

    @property
    def resting(self) -> bool:
        """No hand is in the middle of anything, no victim waits, the board stands as meant."""
        return self._scene.resting

    def act(self, t: float) -> None:
        """Do everything that is due at `t`."""
        self._scene.now = t
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
        heapq.heappush(self._scripts, (self._scene.now + wait_s, next(self._counter), script))
