"""Every kind of file that a user can hand us, damaged: one clear line or the same again, nothing else."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boardd.replay import replay
from boardd.settings import load
from boardd.trace import TraceError
from tests.boardd.commands import Terminal
from tests.boardd.hostile import LINE_AT_MOST, PRINTABLE, SEEDS, TARGETS, TOKENS

CPU_S, MEMORY_BYTES = 30, 1_000_000_000
"""What the largest files may take; sound ones take a second and 70 MB."""

TIMES = int(os.environ.get("KONAKIS_FUZZ_TIMES", "1"))  # by hand, as often as you like

EXAMPLES = {"configuration": 150, "theme": 100, "calibration": 120, "health": 120, "trace": 60, "record": 120}
USUALLY = 250

Edit = tuple[float, int, str]


def damaged(seed: str, edits: Sequence[Edit]) -> bytes:
    """Put something else in place of some of it."""
    for where, length, instead in edits:
        at = int(where * len(seed))
        seed = seed[:at] + instead + seed[at + length :]
    return seed.encode(errors="surrogatepass")


def files(name: str) -> st.SearchStrategy[bytes]:
    edit = st.tuples(
        st.floats(0, 1),
        st.one_of(st.sampled_from([0, 0, 1, 1, 2, 5]), st.integers(0, 400)),
        st.one_of(st.sampled_from(TOKENS), st.text(max_size=6)),
    )
    return st.one_of(
        st.builds(damaged, st.sampled_from(SEEDS[name]), st.lists(edit, min_size=1, max_size=4)),
        st.builds(damaged, st.sampled_from(SEEDS[name]), st.lists(edit, min_size=1, max_size=4)),
        st.builds(lambda words: "".join(words).encode(), st.lists(st.sampled_from(TOKENS), max_size=20)),
        st.binary(max_size=60),
    )


@pytest.mark.parametrize("name", TARGETS)
def test_a_file_is_refused_clearly_or_is_the_same_again(name: str) -> None:
    @settings(
        derandomize=True,
        deadline=None,
        max_examples=EXAMPLES.get(name, USUALLY) * TIMES,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(files(name))
    def holds(data: bytes) -> None:
        TARGETS[name](data)

    holds()


@pytest.mark.parametrize("name", TARGETS)
def test_the_sound_ones_are_sound(name: str) -> None:
    for seed in SEEDS[name]:
        TARGETS[name](seed.encode())


# Files that are none, and files without end.

READERS = ("verify", "replay", "analyze --no-picture", "book --config", "doctor --config")
PLAIN = [reader for reader in READERS if reader != "doctor --config"]


def limits() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def limited(*command: str) -> subprocess.CompletedProcess[str]:
    """Run Python with little time and memory, so that what has no end ends in a failure."""
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False, preexec_fn=limits)


@pytest.mark.parametrize("reader", PLAIN)
@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda path: path.mkdir(), "Is a directory"),
        (lambda path: os.mkfifo(path), ""),
        (lambda path: path.symlink_to("/dev/zero"), "found a "),
        (lambda path: path.symlink_to(path), "Too many levels of symbolic links"),
        (lambda path: None, "No such file or directory"),
        (lambda path: path.write_bytes(b"\xff\xfe"), "UTF-8"),
        (lambda path: path.write_text("{" * 900_000), ""),
        (lambda path: path.write_text("[" * 60_000), ""),
        (lambda path: path.write_text("a." * 30_000 + "a = 1"), ""),
        (lambda path: path.write_text('{"konakis": ' + "9" * 10_000 + "}"), ""),
        (lambda path: path.write_text('{"konakis": NaN, "rules": "\\ud800"}'), ""),
        (lambda path: path.write_bytes(b"\0" * 1_000), ""),
        (lambda path: path.write_text("\x1b[31m\r\r\x85"), ""),
    ],
    ids=[
        "directory",
        "pipe",
        "device",
        "loop",
        "nothing",
        "bytes",
        "braces",
        "brackets",
        "points",
        "digits",
        "nan",
        "nul",
        "terminal",
    ],
)
def test_what_is_no_file_of_ours_is_told_in_one_line(
    konakis: Terminal, tmp_path: Path, reader: str, made: Callable[[Path], object], told: str
) -> None:
    path = tmp_path / "file"
    made(path)
    ran = konakis(*reader.split(), path)
    assert told in ran.complaint
    assert PRINTABLE.fullmatch(ran.complaint)
    assert len(ran.complaint) <= LINE_AT_MOST + len(str(path))


def test_a_configuration_may_begin_with_the_mark_of_byte_order_and_end_its_lines_as_it_likes(
    konakis: Terminal, tmp_path: Path
) -> None:
    path = tmp_path / "board.toml"
    path.write_bytes(b'\xef\xbb\xbf[game]\r\nrules = "brandubh"\r\n')
    assert load(path).game.rules == "brandubh"


def test_a_trace_may_begin_with_the_mark_of_byte_order(konakis: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"konakis": 1, "rules": "tablut-edge"}\r\n{"t": 1, "end": true}\r\n')
    assert konakis("replay", path, "--json").lines[-1]["event"] == "end"


def test_a_device_without_end_costs_little(tmp_path: Path) -> None:
    for reader in READERS:
        done = limited("-m", "boardd", *reader.split(), "/dev/zero")
        assert done.returncode in (1, 2), (reader, done)
        assert "Traceback" not in done.stderr + done.stdout


GIANTS = """
from boardd.settings import SettingsError, parse
from engine import EngineError
from engine.records import parse_moves, read_record
from hardware.errors import ThemeError
from hardware.theme_file import parse_theme
MILLION = 1_000_000
OPEN = "1. d1-d3 a4-b4\\n["
TO_AND_FRO = "e2-d2 e4-d4 d2-e2 d4-e4 "
for text in (
    OPEN + "\\n" * MILLION,
    OPEN + "\\n" * MILLION + "]",
    OPEN + (" " * 999 + "\\n") * 1_000 + "]",
    "[a:" + "]" * MILLION + "x",
    "[a:" + ("]" + " " * 999) * 1_000 + "x",
    "1" * MILLION,
    "1a" + ".1" * (MILLION // 2) + "!",
    "".join(f"{n + 1}. e2-d2 e4-d4 " for n in range(35_000)),
):
    try:
        read_record(text).moves(9)
    except EngineError as error:
        print(error)
try:
    parse_moves(TO_AND_FRO * 40_000, 9)
except EngineError as error:
    print(error)
for text in (
    ".".join("a" * 32_000) + " = 1",
    "[" + ".".join("a" * 32_000) + "]",
    "".join(f"a{n}.a = 1\\n" for n in range(6_000)),
    "[play]\\n" + "".join(f"k{n} = 1\\n" for n in range(6_000)),
    "[game.house]\\nx" + ".x" * 60 + " = 1",
):
    for read in (lambda: parse(text, "x"), lambda: parse_theme(text, "x")):
        try:
            read()
        except (SettingsError, ThemeError) as error:
            print(str(error)[:200])
print("done")
"""


def test_giants_are_read_in_bounded_time_and_memory() -> None:
    done = limited("-c", GIANTS)
    assert done.stdout.endswith("done\n"), done.stderr[-500:]
    assert "found 70000 moves, expected at most 5,000" in done.stdout
    assert "expected keys of a few parts" in done.stdout


def test_a_game_without_end_is_not_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardd.replay.PLIES_MAX", 3)
    lines = ['{"konakis": 1, "rules": "tablut-edge"}']
    for n, move in enumerate(("d1-d3", "e4-d4", "d3-d2", "d4-e4", "d2-d3")):
        origin, destination = move.split("-")
        lines += [f'{{"t": {n * 5 + 1}, "lift": "{origin}"}}', f'{{"t": {n * 5 + 2}, "drop": "{destination}"}}']
    with pytest.raises(TraceError, match="more than 3 moves"):
        list(replay([line + "\n" for line in lines], "here"))
