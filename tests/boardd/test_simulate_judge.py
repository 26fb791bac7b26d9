"""The judge of simulated games finds a tracker that forgets, invents or stalls, and lets one that does not pass."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from boardd.commands import Command, Word
from boardd.events import Amended, Event, GameOver, Moved, Question, TakenBack, Topic
from boardd.replay import replay_file
from boardd.saved import Saved, saved_game
from boardd.simulate import Report, simulate
from boardd.simulated_values import Beginning
from engine import Move, Square
from hardware.news import News, Scan
from hardware.theme import Role


class Plain:
    """A tracker for careful hands and sensors that never err: takes whatever move the squares show, at once."""

    faulty_ply: ClassVar[int] = 3

    def __init__(self, beginning: Beginning) -> None:
        self.game = beginning.saved.game()
        self.roles: Mapping[Square, Role] = {}
        self.question: Question | None = None
        self.events: list[Event] = []
        self.occupied = set(beginning.occupied)

    agrees = True

    def sensed(self, news: News) -> None:
        if isinstance(news, Scan):
            self.occupied = {Square(cell) for cell in news.occupied}
        else:
            squares = {Square(cell) for cell in news.cells}
            self.occupied = self.occupied | squares if news.occupied else self.occupied - squares
        standing = self.game.occupied
        for move in self.game.legal_moves():
            if self.occupied == (standing - {move.origin, *move.captures}) | {move.destination}:
                self.take(news.t, move)
                break

    def take(self, t: float, move: Move) -> None:
        self.say(Moved(t, self.game.play(move)))
        if self.game.result is not None:
            self.say(GameOver(t, self.game.result))

    def say(self, event: Event) -> None:
        self.events.append(event)

    def command(self, t: float, command: Command) -> None:
        if command.word is Word.DRAW:
            self.game.agree_draw()
            assert self.game.result is not None
            self.say(GameOver(t, self.game.result))

    def advance(self, t: float) -> None:
        """Have no timers."""

    def deadline(self) -> float | None:
        return None

    def drain(self) -> list[Event]:
        events, self.events = self.events, []
        return events

    def saved(self) -> Saved:
        return saved_game(self.game)


class Forgetful(Plain):
    """Does not see one move, and shows nothing."""

    def take(self, t: float, move: Move) -> None:
        if len(self.game.plies) + 1 != self.faulty_ply:
            super().take(t, move)


class Inventive(Plain):
    """Takes another move than the one made, once."""

    def take(self, t: float, move: Move) -> None:
        if len(self.game.plies) + 1 == self.faulty_ply:
            others = [other for other in self.game.legal_moves() if not other.captures and other != move]
            move = next(other for other in others if other.destination != move.destination)
        super().take(t, move)


class Eager(Plain):
    """Plays a move that nobody has begun."""

    def take(self, t: float, move: Move) -> None:
        super().take(t, move)
        if len(self.game.plies) == self.faulty_ply:
            super().take(t, self.game.legal_moves()[0])


class Wavering(Plain):
    """Takes another move than the one made, and mends that in time."""

    def take(self, t: float, move: Move) -> None:
        if len(self.game.plies) + 1 == self.faulty_ply:
            other = next(other for other in self.game.legal_moves() if other.origin == move.origin and other != move)
            self.say(Moved(t, self.game.play(other)))
            self.say(TakenBack(t, self.game.undo()))
            self.say(Moved(t, self.game.play(other)))
            self.game.undo()
            self.say(Amended(t, self.game.play(move)))
            self.say(Question(t, Topic.SENSOR))
        else:
            super().take(t, move)


class Unfinished(Plain):
    """Never says that the game is over."""

    def say(self, event: Event) -> None:
        if not isinstance(event, GameOver):
            super().say(event)


class Crash(Plain):
    """Fails on the way."""

    def take(self, t: float, move: Move) -> None:
        if len(self.game.plies) + 1 == self.faulty_ply:
            raise RuntimeError("the tracker fell over")
        super().take(t, move)


def judged(tracker: type[Plain], trace_dir: Path | None = None) -> Report:
    return simulate(2, 1, profile="careful", faults=["none"], make_tracker=tracker, trace_dir=trace_dir)


def test_a_tracker_that_does_nothing_wrong_passes() -> None:
    report = judged(Plain)
    assert report.good
    assert (report.wrong, report.missed, report.games) == (0, 0, 2)
    assert report.plies > 20
    assert not report.failures


def test_a_move_that_is_dropped_is_missed() -> None:
    report = judged(Forgetful)
    assert report.missed >= 2
    assert report.wrong == 0
    assert not report.good
    assert report.failures[0].startswith("2 of ")


@pytest.mark.parametrize("tracker", [Inventive, Eager])
def test_a_move_that_is_invented_is_wrong(tracker: type[Plain]) -> None:
    report = judged(tracker)
    assert report.wrong >= 2
    assert not report.good
    assert "accepted" in report.failures[1]


def test_what_is_amended_in_time_is_not_wrong() -> None:
    report = judged(Wavering)
    assert report.good
    assert report.amended == 2
    assert report.asked == 2


def test_a_game_that_never_ends_is_missed() -> None:
    assert judged(Unfinished).missed == 2


def test_a_crash_keeps_the_trace_and_tells_which_game(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="fell over") as caught:
        judged(Crash, tmp_path)
    assert caught.value.__notes__ == ["in game 0 of seed 1, rules tablut-edge, profile careful"]
    assert len(list(tmp_path.iterdir())) == 1


def test_each_failed_game_leaves_a_trace_that_a_right_tracker_replays(tmp_path: Path) -> None:
    judged(Forgetful, tmp_path)
    paths = sorted(tmp_path.iterdir())
    assert [path.name for path in paths] == ["tablut-edge-careful-none-1-0.jsonl", "tablut-edge-careful-none-1-1.jsonl"]
    moves = [event for event in replay_file(str(paths[0])) if isinstance(event, Moved)]
    assert len(moves) >= Plain.faulty_ply  # the news of the forgotten move is all there


def test_reports_add_up() -> None:
    whole = judged(Plain)
    parts = [
        simulate(1, 1, profile="careful", faults=["none"], make_tracker=Plain, only=index).to_json() for index in (0, 1)
    ]
    both = replace(whole, seconds=0.0).to_json()
    for field in ("games", "plies", "wrong", "missed", "amended", "asked", "helped"):
        assert both[field] == parts[0][field] + parts[1][field], field
