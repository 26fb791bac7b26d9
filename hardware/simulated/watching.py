"""Both players looking after the board together: whenever no hand is busy, they do what the lights ask.

Owns when a light is obeyed, and what happens when no light explains why the board did not understand. What a light
asks for is repairs.py's.
"""

from collections.abc import Mapping
from dataclasses import replace

from hardware.news import Cell
from hardware.simulated.gestures import Act, Gesture, Intention, Sight
from hardware.simulated.plans import PAUSE_S, plan_plainly
from hardware.simulated.repairs import URGENT, Repair, Todo, answer, next_repair, tidy
from hardware.simulated.scene import LOOK_S, NOTICE_S, Scene, Script
from hardware.theme import Role

REDO_S = 1.5
"""A board that stands as last announced, though more was meant, is played on from after so long."""

STRAY_S = 5.0
"""A board that stands otherwise, with no light about it, is put right after so long: the light came sooner if any."""

UNHEARD_S = 8.0
"""A finished move that the board has not announced after so long makes its player touch the piece again."""

LONGER_S = 1.0
"""What did not help is waited for so much longer before it is tried again: a light may come."""

MEMORY_PLIES = 8
"""Positions that players remember; more than anything a light can ask about."""

WATCHER = "watcher"
"""The owner of the grips in which both players look after the board."""


class Watcher:
    """The watch over one board."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._tapped: set[Cell] = set()  # empty squares whose light did not mind a piece
        self._tapped_at = 0  # after so many plies announced

    def watch(self) -> Script:
        """Look again and again, and do what the lights ask, one thing at a time."""
        scene = self._scene
        complained_s = quiet_s = overtaken_s = 0.0
        notice_s = NOTICE_S.draw(scene.dice)
        tried: tuple[int, int, int] = (0, 0, 0)  # plies meant, plies announced, how often something was tried then
        while True:
            sight = self._heeded((yield LOOK_S))
            if scene.busy or sight.dark:
                complained_s = quiet_s = overtaken_s = 0.0
                continue
            overtaken_s = overtaken_s + LOOK_S if sight.heard > len(scene.intentions) else 0.0
            if overtaken_s >= REDO_S:  # the board did not see the last move taken back: the button tells it
                overtaken_s = 0.0
                yield from self._repair(self._press("takeback"))
                continue
            if self._complained(sight):
                complained_s, quiet_s = complained_s + LOOK_S, 0.0
                if complained_s >= notice_s:
                    complained_s, notice_s = 0.0, NOTICE_S.draw(scene.dice)
                    yield from self._repair(self._obey(sight))
                continue
            complained_s, meant = 0.0, scene.as_meant
            if meant and sight.heard >= len(scene.intentions) and scene.misunderstood(sight) is None:
                quiet_s = 0.0
                continue
            quiet_s += LOOK_S
            if tried[:2] != (len(scene.intentions), sight.heard):
                tried = (len(scene.intentions), sight.heard, 0)
            patience_s = UNHEARD_S if meant else REDO_S if scene.pieces == scene.announced(sight) else STRAY_S
            if quiet_s < patience_s + tried[2] * LONGER_S:
                continue
            quiet_s, tried = 0.0, (tried[0], tried[1], tried[2] + 1)
            if meant:
                scene.unlit.add(sight.heard + 1)
            if meant and tried[2] == 1:
                yield from self._repair(self._do(Todo(Repair.NUDGE, scene.intentions[-1].destination)))
            else:
                yield from self._repair(self._put_right(sight))

    def _heeded(self, sight: Sight) -> Sight:
        """Leave out what players do nothing about.

        That is a piece to be taken off that they know belongs there, and a light over an empty square that went on
        shining after they had put a piece there and taken it away again.
        """
        scene = self._scene
        if self._tapped_at != sight.heard:
            self._tapped_at = sight.heard
            self._tapped.clear()
        asked_off = [cell for cell, role in sight.lights.items() if role is Role.REMOVE]
        meant = scene.memory[-1]
        idle = {
            cell
            for cell in asked_off
            if cell in self._tapped or (cell in scene.pieces and scene.pieces[cell] == meant.get(cell))
        }
        if not idle:
            return sight
        return replace(sight, lights={cell: role for cell, role in sight.lights.items() if cell not in idle})

    def _repair(self, script: Script) -> Script:
        """Let a script put something right, while no move begins."""
        scene = self._scene
        scene.helped.add(len(scene.intentions))
        scene.repairing = True
        yield from script
        scene.repairing = False
        scene.repaired_s = scene.now

    def _complained(self, sight: Sight) -> bool:
        """Say whether a light asks for something that no hand is about to do anyway."""
        if sight.asked is not None:
            return True
        late = self._scene.fingers.late
        return any(role in URGENT or (role is Role.REMOVE and cell not in late) for cell, role in sight.lights.items())

    def _obey(self, sight: Sight) -> Script:
        """Do the next thing that the lights ask."""
        scene = self._scene
        if sight.asked is not None:
            late = [cell for cell, role in sight.lights.items() if role is Role.QUESTION and cell in scene.fingers.late]
            if sight.asked.about == "sensor" and late:  # the sensor is right
                scene.fingers.take_off(scene.now, late[0])
                return
            recent = scene.intentions[max(0, sight.heard - 1) : sight.heard + 1]  # amended, or the next
            made = [intention for intention in recent if self._is_made(intention)]
            last = scene.misunderstood(sight)
            if last is not None and (sight.asked.origin, sight.asked.destination) != (
                (wish := scene.intentions[sight.heard - 1]).origin,
                wish.destination,
            ):
                made = []  # first the move before
            yield from self._press(answer(sight.asked, made).value)
            return
        table = scene.fingers.table
        leaning = next(iter(table.askew.values()), None)
        if leaning is not None:  # seen at a glance, and put right first
            yield from self._do(Todo(Repair.NUDGE, leaning))
            return
        remembered = [scene.believed(sight), *scene.memory[: -MEMORY_PLIES - 1 : -1]]
        todo = next_repair(sight, table.pieces, remembered, table.boxed)
        if todo is not None:
            yield from self._do(todo)
        else:
            yield from self._go_back(sight.heard)

    def _press(self, button: str) -> Script:
        """Press a button of the board."""
        self._scene.used[button] += 1
        self._scene.mind.press(self._scene.now, button)
        yield PAUSE_S.draw(self._scene.dice)

    def _is_made(self, intention: Intention) -> bool:
        """Say whether the piece of a move stands where it was meant to go."""
        pieces = self._scene.pieces
        arrived = pieces.get(intention.destination) == intention.before[intention.origin]
        return arrived and intention.origin not in pieces

    def _put_right(self, sight: Sight) -> Script:
        """Bring the board to the position last announced, or from there make the next move again.

        A move that the board took in though nobody made it is taken back by hand; one that ends elsewhere is corrected.
        """
        scene = self._scene
        last = scene.misunderstood(sight)
        wish = scene.intentions[sight.heard - 1] if last is not None else None
        if last is not None and wish is not None and last.origin == wish.origin:
            ends = (last.destination, wish.destination)
            there, wanted = ends if last.destination in scene.pieces else ends[::-1]  # first to where it is taken to be
            if there in scene.pieces and wanted not in scene.pieces:
                yield from self._do(Todo(Repair.MOVE, there, wanted))
            else:
                yield from self._go_back(sight.heard)
        elif last is not None and last.origin != scene.intentions[sight.heard - 1].origin:
            if last.destination in scene.pieces and last.origin not in scene.pieces:
                yield from self._do(Todo(Repair.MOVE, last.destination, last.origin))
            yield from self._tidy(scene.memory[sight.heard - 1])
        elif scene.pieces != scene.announced(sight):
            yield from self._go_back(sight.heard)
        elif sight.heard < len(scene.intentions):
            scene.used["redo"] += 1
            intention = scene.intentions[sight.heard]
            scene.condemn(intention)
            yield from scene.follow(WATCHER, plan_plainly(intention, scene.dice).gestures)

    def _go_back(self, plies: int) -> Script:
        """Take back what was not announced, the last move first, so that nothing else can be read on the way."""
        scene = self._scene
        plies = min(plies, len(scene.memory) - 1)
        differing = [
            len(dict(scene.pieces).items() ^ scene.memory[index].items()) for index in range(plies, len(scene.memory))
        ]
        nearest = plies + differing.index(min(differing))
        for index in range(nearest - 1, plies - 1, -1):
            yield from self._tidy(scene.memory[index])
        yield from self._tidy(scene.memory[plies])

    def _tidy(self, wanted: Mapping[Cell, str]) -> Script:
        """Put the pieces as they were, without looking at the lights in between."""
        table = self._scene.fingers.table
        self._scene.used["tidy"] += table.pieces != wanted
        for _ in range(len(wanted)):
            todo = tidy(table.pieces, wanted, table.boxed)
            if todo is None:
                break
            yield from self._do(todo)

    def _do(self, todo: Todo) -> Script:
        """Make the gestures of one repair."""
        scene = self._scene
        scene.used[f"repair-{todo.repair.value}"] += 1
        cell = todo.cell
        if todo.repair in (Repair.PUT, Repair.TAP):
            scene.make(WATCHER, Gesture(0.0, Act.UNBOX, cell, piece=todo.piece))
            if todo.repair is Repair.TAP:
                self._tapped.add(cell)
                yield PAUSE_S.draw(scene.dice)
                scene.fingers.take_off(scene.now, cell)
        elif todo.repair is Repair.OFF:
            scene.fingers.take_off(scene.now, cell)
        else:
            onto = cell if todo.repair is Repair.NUDGE else todo.onto
            scene.make(WATCHER, Gesture(0.0, Act.LIFT, cell))
            yield PAUSE_S.draw(scene.dice)
            scene.make(WATCHER, Gesture(0.0, Act.DROP, onto))
            yield from scene.empty_hands(WATCHER)
        yield PAUSE_S.draw(scene.dice)
