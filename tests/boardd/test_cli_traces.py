import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from boardd.cli import traces
from boardd.simulate import Report
from hardware.simulated.faults import Fault
from hardware.simulated.habits import PROFILE_NAMES
from tests.boardd.commands import Terminal

HEADER = '{"konakis": 1, "rules": "tablut-edge"}\n'
MOVE = '{"t": 1.25, "lift": "d1"}\n{"t": 1.9, "drop": "d3"}\n'
END = '{"t": 9.0, "end": true}\n'


def test_a_trace_is_replayed_the_same_every_time(konakis: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(HEADER + MOVE + END)
    first = konakis("replay", path, "--json")
    assert first.status == 0
    assert [line["event"] for line in first.lines] == ["ready", "move", "ready", "end"]
    move = first.lines[1]
    assert {key: move[key] for key in ("ply", "side", "move", "captures", "announce")} == {
        "ply": 1,
        "side": "attackers",
        "move": "d1-d3",
        "captures": [],
        "announce": [],
    }
    assert konakis("replay", path, "--json").out == first.out
    assert konakis("replay", "-", "--json", stdin=path.read_bytes()).out == first.out


def test_without_an_end_timers_still_running_do_not_fire(konakis: Terminal) -> None:
    lines = konakis("replay", "-", "--json", stdin=HEADER + MOVE).lines
    assert [line["event"] for line in lines] == ["ready", "end"]


def test_pictures_are_told_when_asked_for(konakis: Terminal) -> None:
    lines = konakis("replay", "-", "--leds", "--json", stdin="\n" + HEADER + MOVE + END).lines
    pictures = [line["squares"] for line in lines if line["event"] == "leds"]
    assert {"d1", "d3"} <= set(pictures[-1])


def test_the_size_is_the_books(konakis: Terminal) -> None:
    lines = konakis("replay", "-", "--json", stdin='{"konakis": 1, "rules": "hnefatafl-13"}\n').lines
    assert lines[-1]["rules"] == "hnefatafl-13"


def test_people_see_a_line_for_each_event(konakis: Terminal) -> None:
    out = konakis("replay", "-", stdin=HEADER + MOVE + END).out.splitlines()
    assert out[0] == "    0.000  ready      side attackers"
    assert out[1] == "    2.400  move       ply 1 side attackers move d1-d3 captures - announce -"


def test_a_torn_last_line_is_noted_beside_the_answer(konakis: Terminal) -> None:
    ran = konakis("replay", "-", "--json", stdin=HEADER + MOVE + '{"t": 3.0, "li')
    assert ran.status == 0
    assert ran.lines[-1]["event"] == "end"
    assert ran.err.startswith("konakis: standard input, line 4: the last line is torn")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "standard input, line 1: found nothing, expected a header"),
        ("\n\n", "standard input, line 1: found nothing, expected a header"),
        ("rubbish\n", "standard input, line 1: found 'rubbish', expected a JSON object"),
        ('{"konakis": 2}\n', "standard input, line 1: found konakis '2', expected a header"),
        (HEADER + '{"t": 1, "lift": "z9"}\n', "standard input, line 2, lift: "),
        (HEADER + MOVE + '{"t": 1, "lift": "d3"}\n', "standard input, line 4: found t 1.0, expected 1.9 or later"),
        (b"\xff\xfe", "standard input: found a byte that is not UTF-8"),
    ],
)
def test_an_unreadable_trace_is_told_with_its_line(konakis: Terminal, text: str | bytes, why: str) -> None:
    assert konakis("replay", "-", "--json", stdin=text).complaint.startswith(why)


def test_a_missing_trace_is_told(konakis: Terminal, tmp_path: Path) -> None:
    assert konakis("replay", tmp_path / "none").complaint == f"{tmp_path}/none: No such file or directory"
    assert konakis("replay", tmp_path).complaint == f"{tmp_path}: Is a directory"


FIELDS = ["games", "plies", "wrong", "missed", "amended", "asked", "helped", "seconds", "seed", "habits"]


def test_simulated_games_are_summed_up(konakis: Terminal) -> None:
    ran = konakis("simulate", "--games", 1, "--seed", 3, "--profile", "careful", "--fault", "none", "--json")
    answer = ran.json
    assert list(answer)[: len(FIELDS)] == FIELDS
    assert (ran.status, answer["games"], answer["wrong"], answer["missed"], answer["seed"]) == (0, 1, 0, 0, 3)
    again = konakis("simulate", "--games", 1, "--seed", 3, "--profile", "careful", "--fault", "none", "--json").json
    assert {**answer, "seconds": 0} == {**again, "seconds": 0}


def test_people_see_the_sum(konakis: Terminal) -> None:
    out = konakis("simulate", "--games", 1, "--profile", "slider").out
    assert "1 game, " in out
    assert "seed 1" in out
    assert "wrong 0, missed 0" in out
    assert "slide" in out


def test_every_fault_and_profile_is_told_in_the_document() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "simulator.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    told = {word for row in rows for word in re.findall(r"`([\w-]+)`", row)}
    assert {fault.value for fault in Fault} | set(PROFILE_NAMES) <= told


@pytest.fixture
def bad_report(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    asked: dict[str, Any] = {}

    def simulate(games: int, seed: int, *rest: Any, only: int | None) -> Report:
        asked["rest"] = rest[:-1]
        return Report(
            seed, games=games, plies=50, wrong=1, habits=Counter(slide=3), failures={0: "ply 7 was not meant"}
        )

    monkeypatch.setattr(traces, "play_games", simulate)
    return asked


def test_a_game_that_came_out_differently_is_status_1(
    konakis: Terminal, bad_report: dict[str, Any], tmp_path: Path
) -> None:
    arguments = [
        "--games",
        2,
        "--rules",
        "tablut-corner",
        "--fault",
        "bounce",
        "--fault",
        "unplug",
        "--trace",
        tmp_path,
    ]
    ran = konakis("simulate", *arguments)
    assert ran.status == 1
    assert "wrong 1, missed 0" in ran.out
    assert "game 0: ply 7 was not meant" in ran.out
    assert bad_report["rest"] == ("tablut-corner", "mixed", ("bounce", "unplug"), tmp_path)
    ran = konakis("simulate", "--games", 2, "--json")
    assert (ran.status, json.loads(ran.out)["wrong"]) == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "simulate: Missing option '--games'"),
        (["--games", 0], "simulate: Invalid value for '--games'"),
        (["--games", 1, "--profile", "drunk"], "simulate: Invalid value for '--profile': 'drunk' is not one of"),
        (["--games", 1, "--fault", "fire"], "simulate: Invalid value for '--fault': 'fire' is not one of"),
        (["--games", 1, "--rules", "ludo"], "simulate: Invalid value for '--rules': 'ludo' is not one of"),
    ],
)
def test_wrong_arguments_are_told_in_one_line(konakis: Terminal, arguments: list[object], why: str) -> None:
    assert konakis("simulate", *arguments).complaint.startswith(why)


def test_traces_that_cannot_be_kept_are_refused_before_the_first_game(
    konakis: Terminal, tmp_path: Path, bad_report: dict[str, object]
) -> None:
    (tmp_path / "file").write_text("")
    below = tmp_path / "file" / "traces"
    ran = konakis("simulate", "--games", 1, "--trace", below)
    assert ran.complaint == f"{below}: Not a directory, expected a directory to write in"
    assert "rest" not in bad_report
