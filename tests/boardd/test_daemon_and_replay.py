"""A daemon behind a bad wire understands every move, and the trace that it wrote tells just what it told."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random

import pytest

from boardd.events import End, Event, Mismatch, NewGame
from boardd.replay import replay, replay_file
from boardd.simulate import simulate
from boardd.simulated_values import Beginning
from boardd.storage.cutting import cut, text_of
from boardd.storage.trace_files import trace_files
from hardware.news import Cell
from hardware.simulated.faults import Fault, Faults
from hardware.simulated.habits import PROFILE_NAMES
from tests.boardd.bridged_daemon import BridgedBoard, BridgedDaemon
from tests.boardd.wire_troubles import TROUBLES

TIMES = int(os.environ.get("KONAKIS_FUZZ_TIMES", "1"))  # by hand, as often as you like
SEEDS = range(2 * TIMES)
SAME_S = 0.001
"""Two times nearer than this are the same."""

Told = tuple[str, dict[str, object], float]
"""An event's name and fields, and when it was told in the game's time."""

HANDS = ((), (Fault.BOUNCE,), (Fault.KNOCKED_OVER,), (Fault.FLAPPING,))
RULES = ("tablut-edge", "tablut-edge", "tablut-corner")
TRACE_KB = (4096, 16)
"""All in one file, or in several."""


def told(events: Iterable[Event], size: int, began: float = 0.0) -> list[Told]:
    return [
        (event.name, event.details(size), event.t - began) for event in events if not isinstance(event, End | NewGame)
    ]


@pytest.mark.usefixtures("quick_disk")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", TROUBLES)
def test_a_replay_tells_what_the_daemon_told(
    name: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = Random(f"{name} {seed}")
    trace_kb = dice.choice(TRACE_KB)
    boards: list[BridgedBoard] = []
    daemons: list[BridgedDaemon] = []

    def make_board(size: int, pieces: Mapping[Cell, str], rng: Random, *, faults: Faults) -> BridgedBoard:
        boards.append(BridgedBoard(size, pieces, rng, faults=faults, trouble=TROUBLES[name], dice=dice))
        return boards[-1]

    def make_tracker(beginning: Beginning) -> BridgedDaemon:
        daemons.append(BridgedDaemon(beginning, boards[-1], tmp_path, trace_kb))
        return daemons[-1]

    monkeypatch.setattr("boardd.simulated_game.SimulatedBoard", make_board)
    rules, profile, faults = dice.choice(RULES), dice.choice(PROFILE_NAMES), dice.choice(HANDS)
    report = simulate(1, seed, rules=rules, profile=profile, faults=faults, make_tracker=make_tracker)
    (daemon,) = daemons
    daemon.session.close()
    assert report.good, report.failures
    size = daemon.game.size
    files = trace_files(tmp_path / "traces")
    lived = told(daemon.events, size, daemon.began)
    replayed = told(replay(text_of(cut(files, 1)), "the game's piece"), size)
    assert [event[:2] for event in replayed] == [event[:2] for event in lived]
    assert [event[2] for event in replayed] == pytest.approx([event[2] for event in lived], abs=SAME_S)
    for file in files[1:]:  # each begins where the board agreed with the game
        assert not any(isinstance(event, Mismatch) and event.t == 0.0 for event in replay_file(str(file)))
