"""A trace that fails is made short and still fails, seen at trackers that are broken on purpose."""

import json
from pathlib import Path

import pytest

from boardd.meanings import Squares
from boardd.shrink import NotFailingError, shrink
from boardd.simulate import simulate
from boardd.simulated_values import Beginning
from boardd.trace import Trace, TraceError
from boardd.tracking import Tracker
from hardware.news import Cell, Changed, News
from tests.boardd.commands import Terminal

ROW = frozenset(Cell(square) for square in range(36, 45))
"""The fifth rank, through the throne."""


class Numb(Tracker):
    """Does not feel what is put down on one rank."""

    def sensed(self, news: News) -> None:
        if not isinstance(news, Changed) or not news.occupied or not ROW.issuperset(news.cells):
            super().sensed(news)


class Rash(Tracker):
    """Takes the first stop of a slide for its end: where the piece goes in the next moment is not felt."""

    numb_until = 0.0

    def sensed(self, news: News) -> None:
        self.advance(news.t)
        plies = self.game.plies
        if isinstance(news, Changed) and not news.occupied and plies and Cell(plies[-1].move.destination) in news.cells:
            self.numb_until = news.t + 1.0
        if news.t >= self.numb_until:
            super().sensed(news)


def failing(tracker: type[Tracker], directory: Path) -> Path:
    """Play games; give the trace of the first in which a move is missed."""

    def make(beginning: Beginning) -> Tracker:
        return tracker(
            beginning.saved,
            beginning.settings,
            occupied=beginning.occupied,
            masked=beginning.masked,
            now=beginning.now,
            first=beginning.first,
        )

    report = simulate(3, 1, profile="careful", faults=["none"], trace_dir=directory, make_tracker=make)
    index = next(index for index, failure in report.failures.items() if "nothing went on" in failure)
    return directory / f"tablut-edge-careful-none-1-{index}.jsonl"


def shrunk(tracker: type[Tracker], path: Path) -> list[str]:
    def make(trace: Trace) -> Tracker:
        header = trace.header
        occupied: Squares | None = header.occupied
        return tracker(header.saved, header.settings, occupied=occupied, masked=header.masked)

    left: list[int] = []
    lines = shrink(path.read_text(encoding="utf-8").splitlines(), "trace", make, left.append)
    assert left == sorted(left, reverse=True)
    return lines


def test_a_move_that_is_not_felt_is_left_with_its_two_edges(tmp_path: Path) -> None:
    path = failing(Numb, tmp_path)
    whole = path.read_text(encoding="utf-8").splitlines()
    lines = shrunk(Numb, path)
    assert len(lines) <= 6 < len(whole)
    header, *body = map(json.loads, lines)
    drops = [line["drop"][0] for line in body if "drop" in line]
    assert header["simulated"]["meant"][0].split("-")[1] in drops
    assert any(drop.endswith("5") for drop in drops)
    assert shrunk(Numb, written(tmp_path / "again.jsonl", lines))[:-1] == lines[:-1], "nothing more can be left out"


def test_a_move_that_is_taken_for_another_is_left_with_what_misleads(tmp_path: Path) -> None:
    edges = [
        (0.5, "lift", "e1"), (0.9, "drop", "e1"),
        (2.0, "lift", "a4"), (2.3, "drop", "b4"), (3.3, "lift", "b4"), (3.8, "drop", "d4"),
        (4.1, "lift", "f1"), (4.4, "drop", "f1"), (4.4, "drop", "f1"),
        (6.0, "lift", "c5"), (6.6, "drop", "c3"), (8.0, "lift", "e9"), (9.0, "drop", "e9"),
    ]  # fmt: skip
    header = {"konakis": 1, "rules": "tablut-edge", "simulated": {"meant": ["a4-d4", "c5-c3"]}}
    told = [header, *({"t": t, word: square} for t, word, square in edges)]
    lines = shrunk(Rash, written(tmp_path / "rash.jsonl", [json.dumps(line) for line in told]))
    left = [next(value for key, value in json.loads(line).items() if key in ("lift", "drop")) for line in lines[1:-1]]
    assert set(left) == {"a4", "b4", "d4", "c5", "c3"}
    assert len(left) < 7
    with pytest.raises(NotFailingError):  # a sound tracker sees nothing wrong with the moves
        shrink(lines, "trace")


def test_a_game_that_went_well_cannot_be_shrunk(konakis: Terminal, tmp_path: Path) -> None:
    header = {"konakis": 1, "rules": "tablut-edge", "simulated": {"meant": ["a4-d4"]}}
    told = [header, {"t": 1, "lift": "a4"}, {"t": 2, "drop": "d4"}, {"t": 4, "end": True}]
    path = written(tmp_path / "good.jsonl", [json.dumps(line) for line in told])
    ran = konakis("replay", path, "--shrink")
    assert ran.status == 2
    assert ran.complaint.endswith("every move is as it was meant, expected a trace that fails")
    told[0] = {"konakis": 1, "rules": "tablut-edge"}
    ran = konakis("replay", written(path, [json.dumps(line) for line in told]), "--shrink")
    assert ran.status == 2
    assert "line 1: found no such list of moves" in ran.complaint


def test_the_command_writes_a_trace(konakis: Terminal, tmp_path: Path) -> None:
    header = {"konakis": 1, "rules": "tablut-edge", "simulated": {"meant": ["a4-c4"]}}
    told = [header, *({"t": t, word: square} for t, word, square in EDGES), {"t": 9, "end": True}]
    ran = konakis("replay", written(tmp_path / "bad.jsonl", [json.dumps(line) for line in told]), "--shrink")
    assert ran.status == 0
    lines = ran.out.splitlines()
    assert [json.loads(line).get("drop") for line in lines[1:]].count(["d4"]) <= 1
    assert len(lines) < len(told)
    assert json.loads(lines[0])["simulated"]["meant"] == ["a4-c4"]


def test_a_torn_last_line_is_passed_over_as_in_a_replay(konakis: Terminal, tmp_path: Path) -> None:
    header = {"konakis": 1, "rules": "tablut-edge", "simulated": {"meant": ["a4-c4"]}}
    told = [header, *({"t": t, word: square} for t, word, square in EDGES), {"t": 9, "end": True}]
    path = written(tmp_path / "torn.jsonl", [json.dumps(line) for line in told])
    whole = konakis("replay", path, "--shrink").out
    text = path.read_text(encoding="utf-8")
    path.write_text(text + '{"t": 9.5, "li', encoding="utf-8")
    ran = konakis("replay", path, "--shrink")
    assert (ran.status, ran.out) == (0, whole)
    assert ran.err.endswith("line 7: the last line is torn and was passed over\n")
    path.write_text(text + '{"t": 9.5, "li\n', encoding="utf-8")
    ran = konakis("replay", path, "--shrink")
    assert ran.status == 2
    assert "line 7: found" in ran.complaint


@pytest.mark.parametrize("made", ["x", -1, True, [1]])
def test_a_time_that_is_none_is_told(konakis: Terminal, tmp_path: Path, made: object) -> None:
    header = {"konakis": 1, "rules": "tablut-edge", "simulated": {"meant": ["a4-c4"], "made": made}}
    told = [header, *({"t": t, word: square} for t, word, square in EDGES)]
    ran = konakis("replay", written(tmp_path / "bad.jsonl", [json.dumps(line) for line in told]), "--shrink")
    assert ran.status == 2
    assert "line 1: found made" in ran.complaint
    assert ran.complaint.endswith("expected a time in seconds, 0 or more, or none")


EDGES = [(1.0, "lift", "e1"), (1.5, "drop", "e1"), (2.0, "lift", "a4"), (3.0, "drop", "d4")]


def written(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_trace_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="line 1"):
        shrink(["nonsense"], "trace")
