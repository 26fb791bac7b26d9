"""One game between simulated hands through the real tracking code, in virtual time, and its judgement.

Owns the driver (whose news, timer or hand comes next), the judge, and the lines of the trace. The hands are
hardware's, the moves that they mean are meant.py's. Must not know how many games there are.
"""

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from boardd.commands import Command, Word
from boardd.events import Amended, GameOver, Illegal, Mismatch, Moved, Question, Sensor, SensorState, TakenBack
from boardd.meant import MeantGame
from boardd.saved import Saved, kept_of
from boardd.simulated_storage import SimulatedStorage, Trouble
from boardd.simulated_values import Beginning, Setting, Tracked, Verdict
from boardd.stamping import behind, stamped
from boardd.trace import kept_json
from engine import Game, Ply, Square, square_name
from hardware.news import Changed, News, Scan
from hardware.simulated.board import SimulatedBoard
from hardware.simulated.faults import faults_named
from hardware.simulated.gestures import Announced, Asked, Sight
from hardware.simulated.habits import draw_habits
from hardware.simulated.hands import Players
from hardware.simulated.mishaps import Mishaps

PATIENCE_S = 60.0
"""A game in which nothing was begun or accepted for so long, though hands did what lights asked, has missed a move."""

LONGEST_S = 7200.0
"""No game lasts longer, in virtual seconds; it is far above any. One that does has missed a move."""

COMPLAINTS = (Illegal, Mismatch, Question, Sensor)
"""What the board says when something is not as it should be."""

POLL_S = 0.02
"""The daemon reads its sensors so often."""

NEVER = float("inf")


class SimulatedGame:
    """One game; `play` plays it and judges.

    Args:
        setting: What decides it.
        index: Its number.

    Attributes:
        verdict: What came of it so far.

    """

    def __init__(self, setting: Setting, index: int) -> None:
        def dice(what: str) -> random.Random:
            return random.Random(f"{setting.seed} {index} {what}")

        self._setting = setting
        self.verdict = Verdict(index)
        book, size = setting.book, setting.book.size
        draw = dice("faults")
        faults = faults_named(setting.faults, size * size, draw)
        named = bool(faults.dead) and draw.random() < 0.5  # a dead sensor is in the configuration, or to be found
        self._masked = frozenset(Square(cell) for cell in faults.dead) if named else frozenset()
        self._cuts = faults.power_cut.draw(dice("power")) if faults.power_cut is not None else iter(())
        self._cut_s, self._back_s = next(self._cuts, (NEVER, NEVER))
        self._dark = False
        habits = {side: draw_habits(setting.profile, dice(side)) for side in ("attackers", "defenders")}
        slips = any(each.illegal_share or each.out_of_turn_share for each in habits.values())
        self._meant = MeantGame(Game(book), dice("moves"), setting.plies, slips, self._press, setting.record)
        start = self._meant.position
        self._board = SimulatedBoard(size, start, dice("board"), faults=faults)
        self._players = Players(
            self._meant,
            self._board,
            self._look,
            habits,
            dice("hands"),
            book.first.value,
            start,
            lambda scene: Mishaps(scene, size, self._disturb).scripts(faults),
        )
        occupied = self._read()
        self._tracker = self._begin(Saved(book), occupied, 0.0, first=True)
        self._storage: SimulatedStorage | None = None
        if faults.disk is not None:
            self._storage = SimulatedStorage(faults.disk, dice("disk"), self._tracker.saved(), self._tracker.game)
        self._jumps = Trouble(None if faults.jumps is None else faults.jumps.spells, dice("clock"))
        self._jumped_by = faults.jumps.by if faults.jumps is not None else None
        self._off_s: float | None = None  # how far the clocks are off now
        self._clock_dice = dice("jumps")
        self._connected = True
        self._now = 0.0
        self._behind_s = 0.0  # by how much its time stays behind, after news that were held up
        self._heard_s = 0.0  # when the tracker was told something or did something last
        self._troubled_s: float | None = None  # since when the board does not agree
        self._shown = Sight({})
        self._over = False
        self._told = True  # the tracker has been told something since its deadline was asked
        self._progress_s = 0.0
        self._begun = 0
        header: dict[str, Any] = {"konakis": 1, "rules": book.name, "occupied": self._names(occupied)}
        if self._masked:
            header["masked"] = self._names(self._masked)
        differing = setting.settings.model_dump(mode="json", exclude_defaults=True)
        if differing:
            header["settings"] = differing
        made_of = {"seed": setting.seed, "game": index, "profile": setting.profile}
        header["simulated"] = {**made_of, "faults": [fault.value for fault in setting.faults]}
        self._lines = self.verdict.lines
        self._lines.append(header)

    def play(self) -> Verdict:
        """Play the game to its end, or to the first thing that is wrong with it."""
        try:
            self._run()
        finally:
            self.verdict.habits = self._players.used
            if self._storage is not None:
                self._storage.close()
        return self.verdict

    def _run(self) -> None:
        """Let whoever is next do what is due, until the game is judged."""
        board, players, verdict = self._board, self._players, self.verdict
        t = timer_s = 0.0
        while not verdict.failed and t < LONGEST_S:
            if self._told or t >= timer_s:  # else nothing has happened that could move a timer
                self._told, due_s = False, self._tracker.deadline()
                timer_s = NEVER if due_s is None else due_s + self._behind_s
            sensors_s = board.next_time
            disk_s = NEVER if self._storage is None else self._storage.next_time
            t = max(t, min(NEVER if sensors_s is None else sensors_s, timer_s, players.deadline, self._cut_s, disk_s))
            if t >= self._cut_s:
                self._switch(t)
            if t >= disk_s and self._storage is not None:
                self._storage.run(t)
            for news in board.news_until(t):
                if not self._dark:
                    news = self._as_the_clock_says(news, t)
                    self._behind_s = behind(news, t)
                    self._tell(news)
            if board.connected is not self._connected:
                self._connected = board.connected
                if self._connected:
                    self._disturb(t)
            if t >= timer_s:
                self._tracker.advance(t - self._behind_s)
                self._heard_s, self._told = t - self._behind_s, True
            self._now = t
            players.act(t)
            self._judge(t)
            if players.finished and players.resting and self._settle(t):
                break
        self._tracker.advance(t)
        self._judge(t)
        self._lines.append({"t": t, "end": True})
        verdict.plies = len(self._tracker.game.plies)
        made_of = self._lines[0]["simulated"]
        made_of["meant"] = [self._text(wish.origin, wish.destination) for wish in players.intentions]
        if verdict.missed and verdict.plies + 1 in players.made:
            made_of["made"] = players.made[verdict.plies + 1]
        verdict.helped, verdict.unlit = len(players.helped), len(players.unlit)
        if not verdict.failed:
            self._compare(verdict.plies)

    # --- what passes between the parts ---

    def _begin(self, saved: Saved, occupied: frozenset[Square], now: float, *, first: bool) -> Tracked:
        setting = self._setting
        return setting.make_tracker(Beginning(saved, setting.settings, occupied, self._masked, now, first))

    def _read(self) -> frozenset[Square]:
        return frozenset(Square(cell) for cell in self._board.read())

    def _names(self, squares: Iterable[int]) -> list[str]:
        return [square_name(Square(square), self._setting.book.size) for square in sorted(squares)]

    def _as_the_clock_says(self, news: News, t: float) -> News:
        """Give news in the times that the daemon makes of those of a clock that may be wrong, and of a slow way."""
        if self._jumped_by is None:
            return news if news.t >= t else stamped(news, self._heard_s, t - POLL_S, t)
        if not self._jumps.at(t):
            self._off_s = None
        elif self._off_s is None:
            self._off_s = self._jumped_by.draw(self._clock_dice) * self._clock_dice.choice((-1, 1))
        if self._storage is not None:
            self._storage.wall_off_s = self._off_s or 0.0
        told = replace(news, t=news.t + (self._off_s or 0.0))
        return stamped(told, self._heard_s, t - POLL_S, t)

    def _tell(self, news: News) -> None:
        """Give the tracker news, and note it."""
        line: dict[str, Any] = {"t": news.t}
        if isinstance(news, Changed):
            line["drop" if news.occupied else "lift"] = self._names(news.cells)
        elif isinstance(news, Scan):
            line["scan"] = self._names(news.occupied)
        if news.seq is not None:
            line["seq"] = news.seq
        self._lines.append(line)
        self._tracker.sensed(news)
        self._heard_s, self._told = news.t, True

    def _order(self, t: float, word: Word) -> None:
        """Give the tracker a command, and note it."""
        self._lines.append({"t": t, "command": word.value})
        self._tracker.command(t, Command(word))
        self._heard_s, self._behind_s, self._told = t, 0.0, True

    def _press(self, t: float, button: str) -> None:
        if not self._dark:
            self._order(t, Word(button))

    def _look(self) -> Sight:
        """Return what players see at this moment: what was decided is shown once it is stored."""
        if self._storage is None or self._dark or not self._storage.holds(self._now):
            self._shown = self._see()
        return self._shown

    def _see(self) -> Sight:
        tracker, last = self._tracker, None
        plies = tracker.game.plies
        if plies:
            move = plies[-1].move
            last = Announced(_cell(move.origin), _cell(move.destination), tuple(map(_cell, move.captures)))
        if self._dark:
            return Sight({}, None, len(plies), last, dark=True)
        asked, question = None, tracker.question
        if question is not None:
            of = question.move
            pair = (None, None) if of is None else (_cell(of.origin), _cell(of.destination))
            asked = Asked(question.about.value, *pair)
        return Sight(tracker.roles, asked, len(plies), last)  # type: ignore[arg-type]  # straight wiring

    def _switch(self, t: float) -> None:
        """Cut the power, or give it back: what was stored survives, and the sensors read what is then.

        The trace tells of both, so that a replay, whose power is never off for long, does the same: while it is off
        nothing is sensed.
        """
        self._dark = not self._dark
        occupied = self._read()
        self._judge(t)
        saved = self._tracker.saved()
        line: dict[str, Any] = {"t": t, "restart": True, "occupied": self._names(occupied)}
        if self._dark and self._storage is not None:
            found = self._storage.cut(t)
            kept = kept_of(found, saved)
            if kept is not None:
                line["kept"] = kept_json(kept, self._setting.book.size)
            if found.board is not None and found.board != saved.board:
                line["stored"] = self._names(found.board)
            saved = found
        self._tracker = self._begin(saved, occupied, t, first=False)
        self._over = self._tracker.game.result is not None  # the cut may have swallowed the last word
        self._lines.append(line)
        self._heard_s, self._told = t, True
        if self._dark:
            self._cut_s = self._back_s
        else:
            self._disturb(t)
            self._cut_s, self._back_s = next(self._cuts, (NEVER, NEVER))

    # --- the judge ---

    def _disturb(self, t: float) -> None:
        """Note that the power or the wire was back or a mishap over, which is more than nothing going on."""
        self._progress_s = t
        self._trouble(t)

    def _trouble(self, t: float) -> None:
        """Note that there is trouble, if there was none."""
        if self._troubled_s is None:
            self._troubled_s = t

    def _judge(self, t: float) -> None:
        """Look at what the tracker decided."""
        verdict = self.verdict
        events = self._tracker.drain()
        for event in events:
            if isinstance(event, Amended):
                self._progress_s = t
                verdict.amended += 1
            elif isinstance(event, Moved):
                self._progress_s = t
                self._compare(event.ply.number - 1)
            elif isinstance(event, TakenBack):
                verdict.undone += not self._was_meant(event.ply)
            elif isinstance(event, Question):
                verdict.asked += 1
            elif isinstance(event, GameOver):
                self._over = True
            if isinstance(event, COMPLAINTS) and getattr(event, "state", None) is not SensorState.OK and not self._dark:
                self._trouble(t)
        if self._troubled_s is not None and not self._dark and self._tracker.agrees:
            verdict.recoveries.append(t - self._troubled_s)
            self._troubled_s = None
        if self._storage is not None and not self._dark and (events or self._told):
            self._storage.want(t, self._tracker.saved(), self._tracker.game)
        begun = len(self._players.intentions)
        if begun != self._begun:
            self._begun, self._progress_s = begun, t
        if (t - self._progress_s > PATIENCE_S or t >= LONGEST_S) and not verdict.failed:
            accepted = len(self._tracker.game.plies)
            self._compare(accepted)
            verdict.missed += max(1, begun - accepted)
            still_s = t - self._progress_s
            verdict.why = f"{accepted} of {begun} plies accepted, nothing went on for {still_s:.0f} s before {t:.1f} s"

    def _compare(self, plies: int) -> None:
        """Compare what was accepted, up to a ply that can no longer be amended, with what was meant."""
        accepted, meant = self._tracker.game.plies, self._players.intentions
        for number in range(min(plies, len(accepted))):
            move, wish = accepted[number].move, meant[number] if number < len(meant) else None
            if wish is None or int(move.origin) != wish.origin or int(move.destination) != wish.destination:
                found = self._text(move.origin, move.destination)
                wanted = "nothing" if wish is None else self._text(wish.origin, wish.destination)
                self.verdict.wrong += 1
                self.verdict.why = self.verdict.why or f"ply {number + 1}: accepted {found}, meant {wanted}"

    def _was_meant(self, ply: Ply) -> bool:
        """Whether a move that was taken back was ever meant, be it that it should have gone on."""
        meant = (*self._players.forgotten, *self._players.intentions[ply.number - 1 : ply.number])
        return any(int(ply.move.origin) == intention.origin for intention in meant)

    def _text(self, origin: int, destination: int) -> str:
        return "-".join(square_name(Square(square), self._setting.book.size) for square in (origin, destination))

    def _settle(self, t: float) -> bool:
        """Say whether the game has ended for the board too; players who stopped early agree on a draw."""
        game = self._tracker.game
        if len(game.plies) != len(self._players.intentions):
            return False
        if self._meant.game.result is None and game.result is None:
            self._order(t, Word.DRAW)
            self._tracker.advance(t)
            self._judge(t)
        return self._over


def _cell(square: Square) -> Any:
    """Return the cell under a square of a board that is wired straight."""
    return square
