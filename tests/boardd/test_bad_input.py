"""Input that is meant to hurt: numbers without end, brackets without bottom, names that are none."""

import json

import pytest

from boardd.jsontext import parse_json, seconds
from boardd.replay import replay
from boardd.settings import SettingsError, parse
from boardd.trace import TraceError
from engine import NotationError
from engine.records import read_record

DEEP = 200_000
DIGITS = 5_000
START = "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/"
AFTER_A4_D4 = (
    *("d1", "e1", "f1", "e2", "e3", "d4", "e4", "i4", "a5", "b5", "c5", "d5", "e5", "f5", "g5", "h5", "i5"),
    *("a6", "e6", "i6", "e7", "e8", "d9", "e9", "f9"),
)
HEADER = '{"konakis": 1, "rules": "tablut-edge"}'


def test_brackets_nested_too_deeply_are_no_json() -> None:
    with pytest.raises(ValueError, match="nested"):
        parse_json("[" * DEEP)


@pytest.mark.parametrize("value", [True, None, "1", float("nan"), float("inf"), 10**400])
def test_what_is_no_time(value: object) -> None:
    assert seconds(value) is None


@pytest.mark.parametrize("text", ["[" * DEEP, f'{{"t": {"9" * 400}, "lift": "a4"}}', '{"t": 1e999, "lift": "a4"}'])
def test_a_trace_says_which_line_is_wrong(text: str) -> None:
    with pytest.raises(TraceError, match="here, line 2: found"):
        list(replay([HEADER, text + "\n"], "here"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * DIGITS, "nested too deeply"),
        ('[play]\n"a\\nb" = 1', r"'a\\nb'"),
        ('[play]\n"\\u001b[31m" = 1', r"'\\x1b\[31m'"),
    ],
)
def test_a_configuration_is_told_in_one_line(text: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said) as caught:
        parse(text, "board.toml")
    assert all("\n" not in problem and "\x1b" not in problem for problem in caught.value.problems)


def test_a_long_key_is_cut() -> None:
    with pytest.raises(SettingsError) as caught:
        parse(f"[play]\n{'k' * DIGITS} = 1", "board.toml")
    assert len(caught.value.problems[0]) < 2_000


@pytest.mark.parametrize(
    "text",
    [
        f"[rules:dim:9 name:tablut-edge start:{START}]\n\n{'9' * DIGITS}. d1-d3",
        f"[rules:dim:{'9' * DIGITS} start:/]\n\n1. a1-a2",
    ],
)
def test_numbers_without_end_in_a_record(text: str) -> None:
    with pytest.raises(NotationError):
        read_record(text)


def test_a_board_of_no_size_is_refused_where_its_rules_are_read() -> None:
    record = read_record("[rules:dim:0 start:/]\n\n1. a1-a1")
    assert record.rules == "dim:0 start:/"


def test_time_never_runs_backwards_when_news_was_lost() -> None:
    """A move that was due while news was known to be lost is decided when the whole reading comes."""
    after = list(AFTER_A4_D4)
    noise = [{"t": round(2 + n * 0.05, 3), "lift" if n % 2 == 0 else "drop": "i4"} for n in range(40)]
    lines = [
        {"t": 1.0, "lift": "a4", "seq": 1},
        {"t": 1.5, "drop": "d4", "seq": 2},
        {"t": 1.6, "drop": "a1", "seq": 4},
        {"t": 1.61, "lift": "a1", "seq": 5},
        *noise,
        {"t": 5.0, "scan": after, "seq": 6},
        {"t": 9.0, "end": True},
    ]
    events = list(replay([HEADER, *(json.dumps(line) for line in lines)], "here"))
    times = [event.t for event in events]
    assert times == sorted(times)
    assert [event.t for event in events if event.name == "move"] == [5.0]
