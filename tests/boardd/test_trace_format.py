"""What a trace may say, and what is said of one that cannot be replayed: which line, what was found and expected."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from boardd.commands import Command, Word
from boardd.replay import replay, replay_file
from boardd.saved import Kept
from boardd.settings import HintLevel
from boardd.trace import (
    Asked,
    Ended,
    OpponentMoved,
    Restarted,
    TraceError,
    header_json,
    line_json,
    read_trace,
)
from engine import Side, parse_square
from hardware.news import Changed, Scan
from tests.traces.answers import run, traces

HEADER = '{"konakis": 1, "rules": "tablut-edge"}'
SIZE = 9

BAD_HEADERS = [
    # what the first line is                                                what must be said, in this order
    ("",                                                                    ["line 1", "found nothing", "header"]),
    ("tablut",                                                              ["line 1", "'tablut'", "JSON object"]),
    ("[1, 2]",                                                              ["line 1", "'[1, 2]'", "JSON object"]),
    ("17",                                                                  ["line 1", "'17'", "JSON object"]),
    ("{}",                                                                  ["line 1", "konakis", "1"]),
    ('{"t": 1.0, "lift": "e4"}',                                            ["line 1", "konakis", "1"]),
    ('{"konakis": 2, "rules": "tablut-edge"}',                              ["line 1", "'2'", "1"]),
    ('{"konakis": "1", "rules": "tablut-edge"}',                            ["line 1", "'1'", "1"]),
    ('{"konakis": true, "rules": "tablut-edge"}',                           ["line 1", "true", "1"]),
    ('{"konakis": 1}',                                                      ["line 1", "rules", "rule book"]),
    ('{"konakis": 1, "rules": 9}',                                          ["line 1", "rules '9'", "rule book"]),
    ('{"konakis": 1, "rules": "tablut-egde"}',                              ["line 1", "tablut-egde", "tablut-edge"]),
    ('{"konakis": 1, "rules": "tablut-edge", "position": 4}',               ["line 1", "position '4'", "text"]),
    ('{"konakis": 1, "rules": "tablut-edge", "position": "/9/9/"}',         ["line 1", "2 ranks", "7"]),
    ('{"konakis": 1, "rules": "tablut-edge", "position": "/9/9/9/9/9/9/9/9/9/"}', ["line 1", "no king", "one"]),
    ('{"konakis": 1, "rules": "tablut-edge", "position": "/K8/9/9/9/9/9/9/9/9/"}', ["line 1", "king on a1", "goal"]),
    ('{"konakis": 1, "rules": "tablut-edge", "side": "black"}',             ["line 1", "side 'black'", "attackers"]),
    ('{"konakis": 1, "rules": "tablut-edge", "opponent": "me"}',            ["line 1", "opponent 'me'", "defenders"]),
    ('{"konakis": 1, "rules": "tablut-edge", "occupied": 5}',               ["line 1", "occupied '5'", "square"]),
    ('{"konakis": 1, "rules": "tablut-edge", "occupied": ["a1", "j1"]}',    ["line 1", "occupied", "j1", "a1 to i9"]),
    ('{"konakis": 1, "rules": "tablut-edge", "masked": ["a0"]}',            ["line 1", "masked", "a0", "square"]),
    ('{"konakis": 1, "rules": "tablut-edge", "masked": [1]}',               ["line 1", "masked", "[1]", "square"]),
    ('{"konakis": 1, "rules": "tablut-edge", "settings": {"settel_ms": 3}}', ["line 1", "settel_ms", "settle_ms"]),
    ('{"konakis": 1, "rules": "tablut-edge", "settings": {"settle_ms": "x"}}', ["line 1", "settings", "settle_ms"]),
    ('{"konakis": 1, "rules": "tablut-edge", "settings": {"settle_ms": -1}}', ["line 1", "settle_ms", "-1"]),
    ('{"konakis": 1, "rules": "tablut-edge", "settings": {"hints": "all"}}', ["line 1", "settings", "hints", "coach"]),
    ('{"konakis": 1, "rules": "tablut-edge", "settings": [1]}',             ["line 1", "settings", "[1]"]),
]  # fmt: skip

BAD_LINES = [
    # what the third line is                               what must be said, in this order
    ("{",                                                  ["line 3", "'{'", "JSON object"]),
    ("null",                                               ["line 3", "null", "JSON object"]),
    ('"lift"',                                             ["line 3", "JSON object"]),
    ('{"lift": "e4"}',                                     ["line 3", "t", "null", "seconds"]),
    ('{"t": "1", "lift": "e4"}',                           ["line 3", "t '1'", "seconds"]),
    ('{"t": true, "lift": "e4"}',                          ["line 3", "t 'true'", "seconds"]),
    ('{"t": NaN, "lift": "e4"}',                           ["line 3", "NaN", "seconds"]),
    ('{"t": Infinity, "lift": "e4"}',                      ["line 3", "Infinity", "seconds"]),
    ('{"t": 0.5, "lift": "e4"}',                           ["line 3", "0.5", "1.0 or later"]),
    ('{"t": 2, "lift": "k4"}',                             ["line 3", "lift", "k4", "a1 to i9"]),
    ('{"t": 2, "lift": "e10"}',                            ["line 3", "lift", "e10", "a1 to i9"]),
    ('{"t": 2, "lift": 5}',                                ["line 3", "lift '5'", "square"]),
    ('{"t": 2, "lift": {"e4": 1}}',                        ["line 3", "lift", "square"]),
    ('{"t": 2, "drop": ["e4", 3]}',                        ["line 3", "drop", "square"]),
    ('{"t": 2, "drop": "E4"}',                             ["line 3", "drop", "E4", "square"]),
    ('{"t": 2, "scan": "all"}',                            ["line 3", "scan", "all", "square"]),
    ('{"t": 2, "lift": "e4", "drop": "e5"}',               ["line 3", "lift and drop", "one"]),
    ('{"t": 2, "lift": "e4", "seq": "3"}',                 ["line 3", "seq '3'", "whole number"]),
    ('{"t": 2, "lift": "e4", "seq": 1.5}',                 ["line 3", "seq '1.5'", "whole number"]),
    ('{"t": 2, "command": "undo"}',                        ["line 3", "command 'undo'", "takeback"]),
    ('{"t": 2, "command": 3}',                             ["line 3", "command '3'", "takeback"]),
    ('{"t": 2, "command": ["takeback"]}',                  ["line 3", "command", "takeback"]),
    ('{"t": 2, "command": "hints"}',                       ["line 3", "level 'null'", "coach"]),
    ('{"t": 2, "command": "hints", "level": "high"}',      ["line 3", "level 'high'", "off, rules, captures, coach"]),
    ('{"t": 2, "restart": true, "occupied": ["z9"]}',      ["line 3", "occupied", "z9", "square"]),
    ('{"t": 2, "restart": true, "kept": 3}',               ["line 3", "kept '3'", "object"]),
    ('{"t": 2, "restart": true, "kept": {"moves": 1}}',    ["line 3", "moves '1'", "list"]),
    ('{"t": 2, "restart": true, "kept": {"moves": [2]}}',  ["line 3", "kept"]),
    ('{"t": 2, "restart": true, "kept": {"moves": ["a4-a9"]}}', ["line 3", "kept", "a4-a9"]),
    ('{"t": 2, "restart": true, "kept": {"masked": 3}}',   ["line 3", "masked"]),
    ('{"t": 2, "opponent-move": "e5"}',                    ["line 3", "opponent-move"]),
    ('{"t": 2, "opponent-move": "e5-k9"}',                 ["line 3", "opponent-move", "k9"]),
    ('{"t": 2, "opponent-move": 4}',                       ["line 3", "opponent-move", "4"]),
]  # fmt: skip


def said(lines: list[str]) -> str:
    with pytest.raises(TraceError) as caught:
        list(replay([line + "\n" for line in lines], "fault.jsonl"))
    return str(caught.value)


def assert_says(text: str, words: list[str]) -> None:
    assert text.startswith("fault.jsonl")
    assert "\n" not in text
    at = 0
    for word in words:
        assert word in text[at:]
        at = text.index(word, at)


@pytest.mark.parametrize(("line", "words"), BAD_HEADERS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_header_that_cannot_be_read(line: str, words: list[str]) -> None:
    assert_says(said([line] if line else []), words)


@pytest.mark.parametrize(("line", "words"), BAD_LINES, ids=lambda value: value if isinstance(value, str) else "")
def test_a_line_that_cannot_be_read(line: str, words: list[str]) -> None:
    assert_says(said([HEADER, '{"t": 1.0, "lift": "a4"}', line]), words)


def test_lines_are_counted_with_the_empty_ones() -> None:
    assert "line 4" in said(["", HEADER, "", '{"t": "x"}'])


def test_long_lines_are_shown_from_their_beginning() -> None:
    text = said([HEADER, "x" * 5000])
    assert len(text) < 200
    assert "xxx…" in text


def test_what_was_replayed_before_a_bad_line_is_given() -> None:
    lines = [HEADER, '{"t": 0.0, "lift": "a4"}', '{"t": 0.2, "drop": "d4"}', '{"t": 2.0, "end": true}', "{"]
    replayed = replay([line + "\n" for line in lines], "fault.jsonl")
    assert [next(replayed).name for _ in range(3)] == ["ready", "move", "ready"]
    with pytest.raises(TraceError, match="line 5"):
        next(replayed)


def test_a_torn_last_line_is_passed_over_with_a_warning() -> None:
    warnings: list[str] = []
    lines = [f"{HEADER}\n", '{"t": 0.0, "lift": "a4"}\n', '{"t": 0.2, "dr']
    events = [event.name for event in replay(lines, "fault.jsonl", warn=warnings.append)]
    assert events[-1] == "end"
    assert len(warnings) == 1
    assert "line 3" in warnings[0]


def test_a_torn_line_in_the_middle_is_an_error() -> None:
    assert "line 2" in said([HEADER, '{"t": 0.2, "dr', '{"t": 3.0, "end": true}'])


def test_unknown_keys_and_lines_are_passed_over() -> None:
    plain = [json.loads(HEADER), {"t": 0.0, "lift": "a4"}, {"t": 0.3, "drop": "d4"}, {"t": 2.0, "end": True}]
    noted = [line | {"note": "seen by a child", "case": 1} for line in plain]
    noted.insert(2, {"t": 0.1, "battery": 3.7})
    assert run(noted) == run(plain)


def test_one_square_or_a_list_of_squares() -> None:
    header = json.loads(HEADER)
    end = {"t": 3.0, "end": True}
    single = [header, {"t": 0.0, "lift": "a4"}, {"t": 0.3, "drop": "d4"}, end]
    listed = [header, {"t": 0.0, "lift": ["a4"]}, {"t": 0.3, "drop": ["d4"]}, end]
    assert run(single) == run(listed)


def test_a_trace_without_an_end_stops_at_its_last_line() -> None:
    events = run([json.loads(HEADER), {"t": 0.0, "lift": "a4"}, {"t": 0.3, "drop": "d4"}])
    assert [event["event"] for event in events if event["event"] != "leds"] == ["ready", "end"]
    assert events[-1]["t"] == 0.3
    assert events[-1]["moves"] == []


def test_a_trace_that_is_only_a_header() -> None:
    assert [event.name for event in replay([HEADER], "short.jsonl")] == ["ready", "end"]


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere.jsonl"
    with pytest.raises(TraceError, match=r"nowhere\.jsonl: found .*, expected a trace"):
        list(replay_file(str(missing)))


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    binary = tmp_path / "picture.jsonl"
    binary.write_bytes(b"\x89PNG\xff\xfe\x00")
    with pytest.raises(TraceError, match=r"picture\.jsonl: found .*UTF-8.*, expected a trace"):
        list(replay_file(str(binary)))


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{HEADER}\n{{\n"))
    with pytest.raises(TraceError, match="standard input, line 2"):
        list(replay_file("-"))


def test_pictures_only_on_request() -> None:
    lines = [HEADER, '{"t": 1.0, "lift": "a4"}', '{"t": 3.0, "end": true}']
    assert "leds" not in [event.name for event in replay(lines, "lights")]
    assert "leds" in [event.name for event in replay(lines, "lights", leds=True)]


def test_every_kind_of_line_is_read() -> None:
    a4, d4 = parse_square("a4", SIZE), parse_square("d4", SIZE)
    objects: list[dict[str, Any]] = [
        json.loads(HEADER) | {"opponent": "defenders"},
        {"t": 1, "lift": "a4", "seq": 4},
        {"t": 2, "drop": ["d4", "a4"]},
        {"t": 3, "scan": ["d4"], "seq": 5},
        {"t": 4, "command": "takeback"},
        {"t": 5, "command": "hints", "level": "coach"},
        {"t": 6, "restart": True},
        {"t": 6, "restart": True, "occupied": ["a4"]},
        {"t": 6, "restart": True, "occupied": ["a4"], "stored": ["d4"]},
        {"t": 6, "restart": True, "kept": {"moves": ["a4-d4"], "removals": ["a4"], "masked": ["d4"]}},
        {"t": 7, "opponent-move": "a4-d4"},
        {"t": 8, "end": True},
    ]
    trace = read_trace([json.dumps(line) for line in objects], "all")
    assert trace.header.opponent is Side.DEFENDERS
    assert list(trace.lines) == [
        Changed(1.0, (a4,), False, 4),  # type: ignore[arg-type]  # a cell is a square on a board that is wired straight
        Changed(2.0, (a4, d4), True),  # type: ignore[arg-type]
        Scan(3.0, frozenset({d4}), 5),  # type: ignore[arg-type]
        Asked(4.0, Command(Word.TAKEBACK)),
        Asked(5.0, Command(Word.HINTS, HintLevel.COACH)),
        Restarted(6.0, None),
        Restarted(6.0, frozenset({a4})),
        Restarted(6.0, frozenset({a4}), frozenset({d4})),
        Restarted(6.0, None, None, Kept(((a4, d4),), frozenset({a4}), frozenset({d4}))),
        OpponentMoved(7.0, a4, d4),
        Ended(8.0),
    ]


JUNK: list[Any] = [
    None, True, False, 0, 1, -1, 1.5, 10**30, "", "a4", "a4-d4", "x", "ä", [], [[]], [None], ["a4", "a4"], {}, {"a4": 1}
]  # fmt: skip
GOOD: list[dict[str, Any]] = [
    json.loads(HEADER)
    | {"position": "/9/9/9/9/t3K4/9/9/9/9/", "side": "defenders", "occupied": ["a5", "e5"], "masked": []}
    | {"opponent": "attackers", "settings": {"settle_ms": 100}},
    {"t": 1, "lift": "a4", "seq": 4},
    {"t": 2, "drop": ["d4", "a4"]},
    {"t": 3, "scan": ["d4"], "seq": 5},
    {"t": 5, "command": "hints", "level": "coach"},
    {"t": 6, "restart": True, "occupied": ["a4"], "stored": ["d4"], "kept": {"moves": [], "removals": ["a4"]}},
    {"t": 7, "opponent-move": "a4-d4"},
    {"t": 8, "end": True},
]
PLACES = [(number, key) for number, line in enumerate(GOOD) for key in line]


@pytest.mark.parametrize(("number", "key"), PLACES)
def test_whatever_stands_there_is_replayed_or_refused(number: int, key: str) -> None:
    for junk in JUNK:
        lines = [*GOOD[:number], GOOD[number] | {key: junk}, *GOOD[number + 1 :]]
        try:
            events = list(replay([json.dumps(line) + "\n" for line in lines], "fault.jsonl"))
        except TraceError as error:
            assert_says(str(error), [f"line {number + 1}"] if key != "t" or junk != 10**30 else ["line"])
        else:
            assert events[-1].name == "end"


@pytest.mark.parametrize("trace", traces(), ids=lambda trace: trace.name)
def test_what_is_read_can_be_written_again(trace: Any) -> None:
    read = read_trace([json.dumps(line) for line in trace.lines], trace.name)
    written = [header_json(read.header), *(line_json(line, trace.size) for line in read.lines)]
    assert run(written) == run(trace.lines)
    again = read_trace([json.dumps(line) for line in written], trace.name)
    assert header_json(again.header) == written[0]
    assert [line_json(line, trace.size) for line in again.lines] == written[1:]
