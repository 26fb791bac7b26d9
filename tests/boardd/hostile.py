"""Files that a user may hand us, as targets for fuzzers: whatever they hold, one clear line or the same again.

`TARGETS` is what hypothesis tries in every test run (`test_hostile_files`), and atheris for as long as one likes
(`bench/fuzz_files.py`). A target takes the bytes of a file and raises for a promise that was broken:

- what cannot be used is refused by an error of ours, on one line that no terminal takes for a command;
- what can be used is the same when it is written and read again;
- nothing is left by any other error.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from boardd.calibrate.calibration import Calibration, read_calibration, write_calibration
from boardd.check import check
from boardd.cli.records import judge, read_game
from boardd.errors import BoarddError
from boardd.house import configured_book
from boardd.jsontext import parse_json
from boardd.replay import replay
from boardd.saved import Saved
from boardd.settings import Settings, SettingsError, parse
from boardd.table_top import _read
from boardd.trace import Trace, header_json, line_json, read_trace
from boardd.wiring.sensor_health import read_health, write_health
from engine import BOOKS, EngineError, Game, parse_move, square_name
from engine.house import changed, told
from engine.notation import move_text, parse_position, position_text
from engine.records import parse_moves, read_record, write_record
from engine.rulestring import parse_rules, write_rules
from hardware.errors import HardwareError
from hardware.theme_file import parse_theme

OURS = (BoarddError, EngineError, HardwareError)
LINE_AT_MOST = 1_100
"""Characters of what is told of one thing that is wrong."""

EVENTS_AT_MOST = 5_000
"""Of a replay that are looked at."""

PRINTABLE = re.compile(r"[^\x00-\x1f\x7f-\x9f]*")
HERE = Path(__file__).parent
START = BOOKS["tablut-edge"].start


@contextmanager
def refused() -> Iterator[None]:
    """Let errors of ours pass, once they are clear."""
    try:
        yield
    except SettingsError as error:
        for problem in error.problems:
            clear(problem)
    except OURS as error:
        clear(str(error))


def clear(text: str) -> None:
    """Demand that a message is one line of bounded length, with nothing in it that a terminal obeys."""
    assert 0 < len(text) <= LINE_AT_MOST, f"{len(text)} characters: {text[:200]!r}"
    assert PRINTABLE.fullmatch(text), repr(text)[:300]


def decoded(data: bytes) -> str | None:
    """Decode a text as files are; None for what is none, which is refused before anything reads it."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def configuration(data: bytes) -> None:
    """A configuration, with the rule book that it asks for."""
    text = decoded(data)
    if text is None:
        return
    with refused():
        settings = parse(text, "board.toml")
        assert Settings.model_validate(settings.model_dump()) == settings
        check(settings, "board.toml")
        book = configured_book(settings.game)
        assert changed(book, told(book)) == book
        Game(book).legal_moves()


def theme(data: bytes) -> None:
    """A theme."""
    text = decoded(data)
    if text is not None:
        with refused():
            parse_theme(text, "theme.toml").next_change((), 0.0)


def calibration(data: bytes) -> None:
    """What a board's wiring is."""
    with tempfile.TemporaryDirectory() as directory:
        path, again = Path(directory, "calibration.json"), Path(directory, "again.json")
        path.write_bytes(data)
        with refused():
            found = read_calibration(path, 9)
            write_calibration(again, found)
            assert read_calibration(again, 9) == found
            assert isinstance(found, Calibration)
            found.geometry(90)


def health(data: bytes) -> None:
    """What is known of the sensors' noise: never an error, for it is no loss."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "sensor-health.json")
        path.write_bytes(data)
        found = read_health(path, 9)
        write_health(path, found, 9)
        again = read_health(path, 9)
        assert again.keys() == found.keys()
        assert {square: noise.worse for square, noise in again.items()} == {
            square: noise.worse for square, noise in found.items()
        }


def simulated_board(data: bytes) -> None:
    """What stood on the simulated board: never an error, for it is set up anew."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "simulated-board.json")
        path.write_bytes(data)
        found = _read(path, Saved(BOOKS["tablut-edge"]))
        if found is not None:
            board, box, held = found
            assert sorted([*board.values(), *box, *held]) == sorted("K" + "T" * 8 + "t" * 16)


def trace(data: bytes) -> None:
    """A trace: read, written again, and replayed."""
    text = decoded(data)
    if text is None:
        return
    lines = text.splitlines(keepends=True)
    with refused():
        found = read_trace(lines, "trace.jsonl")
        size = found.header.saved.book.size
        written = [json.dumps(header_json(found.header)) + "\n"]
        read = []
        for line in found.lines:
            read.append(line)
            written.append(json.dumps(line_json(line, size)) + "\n")
        again: Trace = read_trace(written, "again.jsonl")
        assert again.header == found.header
        for line, other in zip(read, again.lines, strict=True):
            assert type(other) is type(line)
            assert line_json(other, size) == line_json(line, size)
    with refused():
        for event in islice(replay(lines, "trace.jsonl", leds=True, warn=clear), EVENTS_AT_MOST):
            json.dumps(event.to_json(size)).encode()


def record(data: bytes) -> None:
    """A game record, or bare moves, as `konakis verify` takes them."""
    text = decoded(data)
    if text is None:
        return
    with refused():
        found = read_record(text)
        written = write_record(found)
        assert read_record(written) == found
    with refused():
        game, moves, _ = read_game(text, None)
        judge(game, moves)
    with refused():
        game, moves, _ = read_game(text, "tablut-edge")
        judge(game, moves)
    with refused():
        for move in parse_moves(text, 9):
            spelled = move_text(move.origin, move.destination, move.captures or (), 9)
            assert parse_move(spelled, 9)[:2] == move[:2]


def position(data: bytes) -> None:
    """A position."""
    text = decoded(data)
    if text is None:
        return
    with refused():
        size, pieces = parse_position(text)
        assert parse_position(position_text(pieces, size)) == (size, pieces)
    for book in BOOKS.values():
        with refused():
            game = Game(book, position=text)
            assert Game(book, position=game.position).pieces == game.pieces
            game.legal_moves()


def rules(data: bytes) -> None:
    """A rules string."""
    text = decoded(data)
    if text is None:
        return
    with refused():
        book = parse_rules(text)
        assert parse_rules(write_rules(book)) == book
        Game(book).legal_moves()


def numbers(data: bytes) -> None:
    """JSON at all: what is none is a `ValueError`."""
    with suppress(ValueError):
        json.dumps(parse_json(data))


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (configuration, theme, calibration, health, simulated_board, trace, record, position, rules, numbers)
}


def _calibration() -> str:
    names = [f"{file}{rank}" for rank in range(1, 10) for file in "abcdefghi"]
    whole = {"size": 9, "inverted": False, "sensors": names, "lights": names[::-1], "dead": ["c4"]}
    return json.dumps({"konakis_calibration": 1, **whole})


def _standing() -> str:
    _, pieces = parse_position(START)
    board = {square_name(square, 9): piece.value for square, piece in pieces.items()}
    return json.dumps({"size": 9, "board": board, "box": [], "in_hand": []})


def _seeds() -> dict[str, list[str]]:
    traces = sorted((HERE.parent / "traces").glob("*.jsonl"))
    short = [path.read_text() for path in traces if ".answer." not in path.name and path.stat().st_size < 3_000]
    games = [path.read_text() for path in sorted((HERE.parent / "engine" / "games").glob("*.txt"))]
    themes = HERE.parent.parent / "hardware" / "themes"
    return {
        "configuration": [
            f'[play]\nsettle_ms = 300\nhints = "coach"\n[game]\nrules = "{book}"\n[game.house]\nencirclement = true\n'
            f'camps = ["a4"]\n[board]\nmasked = ["e5"]\n[lights]\nbrightness = 0.5\n[page]\nnames = ["a.b:80"]\n'
            for book in BOOKS
        ],
        "theme": [path.read_text() for path in sorted(themes.glob("*.toml"))],
        "calibration": [_calibration()],
        "health": ['{"konakis_sensor_health": 1, "size": 9, "squares": {"a1": [5, 1.0, 2.5, false]}}'],
        "simulated_board": [
            '{"size": 9, "board": {"e5": "K"}, "box": ["t", "T"], "in_hand": [["t", "d1"]]}',
            _standing(),
        ],
        "trace": short,
        "record": [text[:2_000] for text in games],
        "position": [book.start for book in BOOKS.values()],
        "rules": [write_rules(book) for book in BOOKS.values()],
        "numbers": ['{"a": [1, 2.5e3, "b", null, true]}'],
    }


SEEDS: Mapping[str, list[str]] = _seeds()
"""Sound files of each kind, to begin with."""

TOKENS = (
    *("", " ", "\n", "\r\n", "\r", "\t", "\0", "\ufeff", "\x1b[31m", "\x85", "\u2028", "é", "𝔘", "\ud7ff"),
    *('"', "'", '"""', "\\", "\\u0000", "\\ud800", "\\n", "[", "]", "[[", "{", "}", "(", ":", ",", ".", "=", "/", "|"),
    *("#", "-", "--", "---", "x", "0", "-1", "9" * 5_000, "1e999", "1e-999", "NaN", "-Infinity", "0x10", "1_000"),
    *("null", "true", "false", "[]", "{}", '""', "2026-11-30", "٣", "１", "²", "e5", "a1", "j10", "s19", "e0", "E5"),
    *(
        "t",
        "T",
        "K",
        "N",
        "c",
        "19",
        "dim:",
        "name:",
        "tablut-edge",
        "start:",
        "konakis",
        "attackers",
        ".....",
        "3b.3.1a",
    ),
)
"""What is put into them."""
