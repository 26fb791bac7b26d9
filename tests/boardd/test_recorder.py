import itertools
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from boardd.commands import Command, Word
from boardd.saved import Saved
from boardd.settings import HintLevel, PlaySettings
from boardd.storage.cutting import NoSuchPieceError, cut, text_of
from boardd.storage.recorder import Recorder, Situation
from boardd.storage.trace_files import trace_files
from engine import BOOKS, Side, Square, parse_square, square_name
from hardware.news import Cell, Changed, Scan

POSITION = "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/"
START = Situation(Saved(BOOKS["tablut-edge"], POSITION, Side.ATTACKERS), frozenset(), 1, 0)
BOARD = START.saved.game().occupied
DELIVERED = PlaySettings()
DAY = "2026-03-01T18:00:00+00:00"


def cells(*names: str) -> tuple[Cell, ...]:
    return tuple(Cell(parse_square(name, 9)) for name in names)


def squares(*names: str) -> frozenset[Square]:
    return frozenset(parse_square(name, 9) for name in names)


TWO = squares("d1", "e1")


def lift(t: float, *names: str, seq: int | None = None) -> Changed:
    return Changed(t, cells(*names), False, seq)


def drop(t: float, *names: str, seq: int | None = None) -> Changed:
    return Changed(t, cells(*names), True, seq)


class Bench:
    """A recorder and its files."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.open: list[Recorder] = []

    def recorder(self, *, settings: PlaySettings = DELIVERED, file_bytes: int = 1_000_000, files: int = 5) -> Recorder:
        recorder = Recorder(self.directory, settings=settings, file_bytes=file_bytes, files=files)
        self.open.append(recorder)
        return recorder

    def started(self, occupied: frozenset[Square] = TWO, *, file_bytes: int = 1_000_000, files: int = 5) -> Recorder:
        recorder = self.recorder(file_bytes=file_bytes, files=files)
        recorder.start(100.0, START, occupied, DAY, fresh=True)
        return recorder

    def killed(self, recorder: Recorder) -> None:
        """End as a kill would, but with everything queued on the disk."""
        recorder._writer.close()

    def lines(self) -> list[list[Any]]:
        return [[json.loads(line) for line in path.read_text().splitlines()] for path in trace_files(self.directory)]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path / "traces")
    yield bench
    for recorder in bench.open:
        recorder._writer.close()


def test_changes_become_lines_of_a_trace(bench: Bench) -> None:
    recorder = bench.started()
    recorder.news(lift(101.25, "d1"))
    recorder.news(drop(101.9, "d3", "d4"))
    recorder.news(Scan(102.0, frozenset(cells("e1", "d3")), 7))
    recorder.command(103.0, Command(Word.TAKEBACK))
    recorder.command(103.5, Command(Word.HINTS, HintLevel.COACH))
    recorder.opponent_moves(104.0, *(parse_square(name, 9) for name in ("e5", "e2")))
    recorder.close(105.0)
    assert bench.lines() == [
        [
            {
                "konakis": 1,
                "rules": "tablut-edge",
                "position": POSITION,
                "side": "attackers",
                "ply": 0,
                "game": 1,
                "occupied": ["d1", "e1"],
                "recorded": DAY,
            },
            {"t": 1.25, "lift": ["d1"]},
            {"t": 1.9, "drop": ["d3", "d4"]},
            {"t": 2.0, "scan": ["e1", "d3"], "seq": 7},
            {"t": 3.0, "command": "takeback"},
            {"t": 3.5, "command": "hints", "level": "coach"},
            {"t": 4.0, "opponent-move": "e5-e2"},
            {"t": 5.0, "note": "stopped"},
        ]
    ]


def test_whole_readings_that_say_nothing_new_are_left_out_and_leave_no_gap(bench: Bench) -> None:
    recorder = bench.started()
    same = frozenset(cells("d1", "e1"))
    for number in range(1, 5):
        recorder.news(Scan(100.0 + number, same, number))
    recorder.news(lift(105.0, "d1", seq=5))
    recorder.news(Scan(106.0, frozenset(cells("e1")), 6))
    recorder.news(Scan(107.0, frozenset(cells("e1")), 7))
    recorder.news(drop(108.0, "d1", seq=9))  # 8 was lost
    recorder.news(drop(109.0, "d2", seq=3))  # and this is old
    recorder.close(110.0)
    told = [(line.get("scan") is not None, line["seq"]) for line in bench.lines()[0][1:-1]]
    assert told == [(True, 1), (False, 2), (True, 3), (False, 5), (False, -1)]


def test_a_whole_reading_after_a_gap_is_kept(bench: Bench) -> None:
    recorder = bench.started()
    same = frozenset(cells("d1", "e1"))
    recorder.news(Scan(101.0, same, 1))
    recorder.news(Scan(102.0, same, 3))
    recorder.close(103.0)
    assert [line["seq"] for line in bench.lines()[0][1:-1]] == [1, 3]


def test_time_never_goes_back(bench: Bench) -> None:
    recorder = bench.started()
    recorder.news(lift(102.0, "d1"))
    recorder.news(drop(101.5, "d1"))
    recorder.close(102.5)
    assert [line["t"] for line in bench.lines()[0][1:]] == [2.0, 2.0, 2.5]


def test_a_full_file_is_changed_at_the_next_quiet_moment_and_the_oldest_goes(bench: Bench) -> None:
    recorder = bench.started(BOARD, file_bytes=1_000, files=3)
    t = 100.0
    for ply in range(200):
        t += 1
        recorder.news(lift(t, "d1"))
        recorder.news(drop(t + 0.1, "d1"))
        recorder.quiet(t + 0.5, replace(START, ply=ply), DAY)
    recorder.close(t + 1)
    files = bench.lines()
    assert len(files) == 3
    for lines in files[:-1]:
        assert lines[-1]["note"] == "rotated"
        assert 1_000 <= sum(len(json.dumps(line, separators=(",", ":"))) + 1 for line in lines) < 1_300
    for lines in files:
        assert lines[0]["occupied"] == [square_name(square, 9) for square in sorted(BOARD)]
    plies = [lines[0]["ply"] for lines in files]
    assert plies == sorted(plies)


def test_a_file_is_not_changed_while_a_square_flaps(bench: Bench) -> None:
    recorder = bench.started(BOARD, file_bytes=300)
    blind = replace(START, masked=squares("a9"), saved=replace(START.saved, masked=squares("b9")))
    recorder.news(lift(101.0, "d1"))
    recorder.quiet(101.1, START, DAY)
    recorder.news(drop(101.2, "d1", "a1"))
    recorder.quiet(101.3, START, DAY)
    recorder.news(drop(101.4, "a9", "b9"))  # of these the game knows nothing
    recorder.news(lift(101.5, "a1"))
    recorder.quiet(101.6, blind, DAY)
    recorder.close(102.0)
    first, second = bench.lines()
    assert first[-1] == {"t": 1.6, "note": "rotated"}
    assert set(second[0]["occupied"]) == {square_name(square, 9) for square in BOARD | squares("a9", "b9")}


def test_a_file_that_finds_no_quiet_moment_is_cut_off(bench: Bench) -> None:
    recorder = bench.started(BOARD, file_bytes=1_000)
    for number in range(1000):
        recorder.news((lift if number % 2 else drop)(100.0 + number, "a1"))
    recorder.quiet(2000.0, START, DAY)
    recorder.news(lift(2001.0, "d1"))
    recorder.close(2002.0)
    first, _second = trace_files(bench.directory)
    assert first.stat().st_size < 3_000
    header, *lines = bench.lines()[1]
    assert header["lost"] > 900
    assert lines[0] == {"t": 1.0, "lift": ["d1"]}


def test_a_restart_goes_on_in_the_same_file(bench: Bench) -> None:
    recorder = bench.started()
    recorder.news(lift(101.0, "d1"))
    recorder.note(101.5, "move", {"ply": 1}, keep=True)
    bench.killed(recorder)
    again = bench.recorder()
    again.start(7.0, replace(START, ply=1), squares("e1"), DAY)
    again.news(drop(8.25, "d3"))
    again.close(9.0)
    assert bench.lines()[0][1:] == [
        {"t": 1.0, "lift": ["d1"]},
        {"t": 1.5, "note": "move", "ply": 1},
        {"t": 1.5, "restart": True, "occupied": ["e1"], "recorded": DAY},
        {"t": 2.75, "drop": ["d3"]},
        {"t": 3.5, "note": "stopped"},
    ]


@pytest.mark.parametrize("torn", ['{"t":1.7,"lif', '{"t":1.7,"lift":"d1"}', "\0\0\0"])
def test_a_line_that_was_cut_off_with_the_power_is_taken_away(bench: Bench, torn: str) -> None:
    bench.killed(bench.started())
    path = trace_files(bench.directory)[0]
    with path.open("a") as file:
        file.write(torn)
    again = bench.recorder()
    again.start(0.0, START, squares("e1"), DAY)
    again.close(1.0)
    assert [list(line) for line in bench.lines()[0][1:]] == [["t", "restart", "occupied", "recorded"], ["t", "note"]]


@pytest.mark.parametrize("content", ["", "rubbish\n", "[]\n", '{"konakis":2,"rules":"tablut-edge"}\n{"t":1}\n', "{}\n"])
def test_a_file_that_cannot_be_gone_on_with_is_left(bench: Bench, content: str) -> None:
    bench.directory.mkdir()
    path = bench.directory / "trace-000041.jsonl"
    path.write_text(content)
    recorder = bench.recorder()
    recorder.start(0.0, START, squares("e1"), DAY)
    recorder.close(1.0)
    assert path.read_text() == content
    assert [file.name for file in trace_files(bench.directory)] == [path.name, "trace-000042.jsonl"]


def masked(*names: str, agreed: tuple[str, ...] = ()) -> Situation:
    return replace(START, masked=squares(*names), saved=replace(START.saved, masked=squares(*agreed)))


@pytest.mark.parametrize(
    ("before", "after", "files"),
    [
        (START, START, 1),
        (START, masked("a1"), 2),
        (masked("a1"), START, 2),
        (START, masked(agreed=("a1",)), 1),
        (masked("a1"), masked("a1", agreed=("b1",)), 1),
        (masked("a1", agreed=("b1",)), masked("a1"), 2),
        (START, replace(START, saved=Saved(BOOKS["tablut-corner"])), 2),
    ],
)
def test_what_a_replay_must_know_begins_a_new_file(
    bench: Bench, before: Situation, after: Situation, files: int
) -> None:
    first = bench.recorder()
    first.start(0.0, before, squares("e1"), DAY)
    bench.killed(first)
    second = bench.recorder()
    second.start(0.0, after, squares("e1"), DAY)
    bench.killed(second)
    assert len(trace_files(bench.directory)) == files


def test_other_timings_begin_a_new_file(bench: Bench) -> None:
    bench.killed(bench.started())
    other = bench.recorder(settings=PlaySettings(settle_ms=300))
    other.start(0.0, START, squares("e1"), DAY)
    other.close(1.0)
    assert [lines[0].get("settings") for lines in bench.lines()] == [None, {"settle_ms": 300}]


def test_a_disk_that_refuses_costs_lines_and_nothing_else(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.directory.write_text("in the way")
    recorder = bench.started(BOARD)
    with caplog.at_level(logging.WARNING):
        for number in range(10):
            recorder.news(lift(101.0 + number, "d1"))
        recorder._writer.wait()
        recorder.news(drop(150.0, "d1"))
    assert [record.getMessage() for record in caplog.records] == ["the sensors' trace has a gap from here: File exists"]
    bench.directory.unlink()
    recorder.quiet(200.0, START, DAY)
    recorder.news(lift(201.0, "e1"))
    recorder.close(202.0)
    header, *lines = bench.lines()[0]
    assert header["lost"] == 12
    assert lines == [{"t": 1.0, "lift": ["e1"]}, {"t": 2.0, "note": "stopped"}]


def pieces(bench: Bench, game: int) -> list[Any]:
    return [json.loads(line) for line in text_of(cut(trace_files(bench.directory), game))]


def test_a_games_piece_is_cut_out(bench: Bench) -> None:
    recorder = bench.started()
    recorder.news(lift(101.0, "d1"))
    recorder.news(drop(102.0, "d3"))
    recorder.note(102.6, "move")
    recorder.command(110.0, Command(Word.NEW_GAME))
    recorder.begin_game(110.0, replace(START, game=2))
    recorder.news(lift(111.0, "d3"))
    bench.killed(recorder)
    again = bench.recorder()
    again.start(0.0, replace(START, game=2, ply=0), squares("e1"), DAY)
    again.news(drop(2.0, "d1"))
    again.command(3.0, Command(Word.TAKEBACK))
    again.begin_game(4.0, replace(START, game=3))
    again.close(5.0)
    first, second, third = (pieces(bench, game) for game in (1, 2, 3))
    assert first[0]["game"] == 1
    assert first[1:] == [{"t": 1.0, "lift": ["d1"]}, {"t": 2.0, "drop": ["d3"]}, {"t": 2.6, "end": True}]
    assert second[0]["occupied"] == ["e1", "d3"]
    assert second[1:] == [
        {"t": 1.0, "lift": ["d3"]},
        {"t": 1.0, "restart": True, "occupied": ["e1"], "recorded": DAY},
        {"t": 3.0, "drop": ["d1"]},
        {"t": 4.0, "command": "takeback"},
        {"t": 4.0, "end": True},
    ]
    assert third[1:] == [{"t": 1.0, "end": True}]
    with pytest.raises(NoSuchPieceError, match="nothing of game 4"):
        pieces(bench, 4)


def test_a_piece_runs_over_the_files_it_lies_in(bench: Bench) -> None:
    recorder = bench.started(BOARD, file_bytes=200)
    for number in range(30):
        recorder.news((lift if number % 2 == 0 else drop)(101.0 + number, "d1"))
        recorder.quiet(101.5 + number, replace(START, ply=number), DAY)
    recorder.close(140.0)
    assert len(trace_files(bench.directory)) == 5
    piece = cut(trace_files(bench.directory), 1)
    assert piece.ply > 0  # the oldest files are gone
    times = [line["t"] for line in piece.lines]
    assert times == sorted(times)
    whole = [line for line in piece.lines if "lift" in line or "drop" in line]
    assert [round(b["t"] - a["t"], 4) for a, b in itertools.pairwise(whole)] == [1.0] * (len(whole) - 1)


def test_a_piece_begins_anew_after_something_was_lost(bench: Bench) -> None:
    recorder = bench.started(BOARD, file_bytes=1_000)
    for number in range(100):
        recorder.news((lift if number % 2 else drop)(100.0 + number, "a1"))
    recorder.quiet(300.0, replace(START, ply=8), DAY)
    recorder.news(lift(301.0, "d1"))
    recorder.close(302.0)
    piece = cut(trace_files(bench.directory), 1)
    assert piece.ply == 8
    assert list(piece.lines) == [{"t": 1.0, "lift": ["d1"]}, {"t": 2.0, "end": True}]


def test_unreadable_lines_are_passed_over(bench: Bench) -> None:
    recorder = bench.started()
    recorder.news(lift(101.0, "d1"))
    bench.killed(recorder)
    path = trace_files(bench.directory)[0]
    path.write_bytes(path.read_bytes() + b'\xff\xfe\n{"t": 3\n[1]\n{"t":4.0,"drop":["d1"]}\n')
    assert pieces(bench, 1)[1:] == [{"t": 1.0, "lift": ["d1"]}, {"t": 4.0, "drop": ["d1"]}, {"t": 4.0, "end": True}]
