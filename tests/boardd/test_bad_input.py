"""Input that is meant to hurt: numbers without end, brackets without bottom, names that are none."""

import json
import os
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from boardd.jsontext import parse_json, seconds
from boardd.replay import replay
from boardd.saved import Saved
from boardd.settings import PlaySettings, SettingsError, parse
from boardd.storage.cutting import cut, text_of
from boardd.storage.recorder import Recorder, Situation
from boardd.storage.schema import DamagedStoreError, NoSuchGameError
from boardd.storage.store import Database, StoredGame, StoredMove
from boardd.storage.trace_files import trace_files
from boardd.trace import TraceError
from boardd.wiring.sensor_health import MARK, read_health
from engine import BOOKS, NotationError, Side
from engine.records import read_record
from hardware.errors import ThemeError
from hardware.theme_file import load_theme
from tests.boardd.commands import Terminal

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
        ("a = " + "9" * DIGITS, "thousands of digits"),
        ('[storage]\ndirectory = "a\\u0000b"', "without NUL"),
        ('[lights]\ntheme = "a\\u0000b"', "without NUL"),
        ('[microcontroller]\nport = "a\\u0000b"', "without NUL"),
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


@pytest.mark.parametrize(("text", "said"), [("[" * DIGITS, "nested too deeply"), ("9" * DIGITS, "thousands of digits")])
def test_a_theme_is_told_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "theme.toml"
    path.write_text(f"a = {text}\n")
    with pytest.raises(ThemeError, match=said):
        load_theme(str(path))


# What the daemon finds in its state directory.


@pytest.mark.parametrize(
    "line", ["[" * DEEP, '{"t":NaN}', '{"t":1e308}', '{"t":1e9}', '{"t":-1}', f'{{"t":{"9" * 400}}}', '{"t":"1"}']
)
def test_a_trace_that_ends_in_no_time_is_not_gone_on_with(tmp_path: Path, line: str) -> None:
    start = Situation(Saved(BOOKS["tablut-edge"], START, Side.ATTACKERS), frozenset(), 1, 0)
    for fresh in (True, False):
        recorder = Recorder(tmp_path, settings=PlaySettings(), file_bytes=10_000_000, files=5)
        recorder.start(0.0, start, frozenset(), "2026-03-01T18:00:00+00:00", fresh=fresh)
        recorder.close(1.0)
        with trace_files(tmp_path)[0].open("a") as file:
            file.write(line + "\n")
    assert len(trace_files(tmp_path)) == 2
    *_, end = text_of(cut(trace_files(tmp_path), 1))
    assert end == '{"t":1.0,"end":true}'


@pytest.mark.parametrize("noise", ["Infinity, 1, 1", "-1, 1, 1", f"1, {'9' * 400}, 1", "1, NaN, 1", "1, 1, 1e308"])
def test_averages_that_no_sensor_has_are_forgotten(tmp_path: Path, noise: str) -> None:
    path = tmp_path / "health.json"
    path.write_text(f'{{"{MARK}": 1, "size": 9, "squares": {{"a1": [{noise}, false]}}}}')
    assert read_health(path, 9) == {}


def stored(path: Path) -> Database:
    database = Database(path, lambda: datetime(2026, 3, 1, 18, 0, tzinfo=UTC))
    database.write(StoredGame("tablut-edge", START, "attackers", (StoredMove("d1", "d3"),), removals=frozenset({"a1"})))
    database.close()
    return database


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE resume SET chosen = 'd1 d2'",
        "UPDATE resume SET game = 7",
        "DELETE FROM resume",
        "DELETE FROM moves",
        "UPDATE games SET attackers = x'ff00'",
        "UPDATE games SET attackers = CAST(x'ff00' AS TEXT)",
        "UPDATE moves SET origin = x'ff00'",
        "UPDATE moves SET captures = CAST(x'c3' AS TEXT)",
        "UPDATE resume SET removals = x'ff'",
        "UPDATE games SET plies = 'one'",
        "UPDATE games SET started = 'yesterday'",
        "UPDATE games SET seal = 1.5",
    ],
)
@pytest.mark.usefixtures("quick_disk")
def test_rows_that_make_no_sense_are_no_sound_database(tmp_path: Path, damage: str) -> None:
    database = stored(tmp_path / "games.sqlite3")
    connection = sqlite3.connect(database.path, isolation_level=None)
    connection.execute(damage)
    connection.close()
    for ask in (database.open, database.open_reading):
        with pytest.raises(DamagedStoreError, match=r"games\.sqlite3: (not a sound database|damaged): ") as told:
            ask()
        assert "\n" not in str(told.value)
    database.close()


@pytest.mark.usefixtures("quick_disk")
def test_a_game_of_a_number_without_end_is_not_found(tmp_path: Path) -> None:
    database = stored(tmp_path / "games.sqlite3")
    for number in (2**63 - 1, 2**63, 10**400):
        with pytest.raises(NoSuchGameError, match="found no game"):
            database.game(number)
    database.close()


# Standard input and output as nobody should give them.


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run `konakis` by a shell, which can close what we cannot; buffered, as for users."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    whole = f"exec {sys.executable} -m boardd {command}"
    return subprocess.run(["sh", "-c", whole], capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize(
    "command", ["verify -", "replay -", "analyze -", "run --config -", "engine"], ids=lambda command: command.split()[0]
)
def test_a_closed_standard_input_is_told(konakis: Terminal, command: str) -> None:
    assert konakis(*command.split(), stdin=None).complaint == "standard input: found it closed, expected it open"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("rules --json >&-", "konakis: standard output: found it closed, expected it open"),
        ("rules --json >/dev/full", "konakis: standard output: No space left on device\n"),
        ("rules nope 2>/dev/full", ""),
        ("rules nope 2>&-", ""),
    ],
)
def test_an_output_that_takes_nothing_is_told_as_far_as_it_can_be(command: str, told: str) -> None:
    done = shell(command)
    assert done.returncode == 2
    assert done.stderr.startswith(told)
    assert done.stderr.count("\n") == bool(told)
    assert not done.stdout


def test_a_full_disk_is_not_the_traces_fault(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    trace.write_text(HEADER + '\n{"t": 9.0, "end": true}\n')
    assert shell(f"replay {trace} --json >/dev/full").stderr == "konakis: standard output: No space left on device\n"


def test_a_configuration_that_is_no_text_is_told(konakis: Terminal) -> None:
    ran = konakis("book", "--config", "-", stdin=b"[play]\n\xff")
    assert ran.complaint == "standard input: line 2, column 1: found byte 0xff, expected UTF-8 text"


def test_no_complaint_commands_the_terminal(konakis: Terminal) -> None:
    assert "\x1b" not in konakis("rules", "\x1b[31m").complaint
