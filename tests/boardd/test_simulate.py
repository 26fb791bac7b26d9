"""Whole games between simulated hands through the real tracker: none wrong, none missed, the same every time."""

import json
from pathlib import Path

import pytest

from boardd.events import End
from boardd.replay import replay_file
from boardd.settings import PlaySettings
from boardd.simulate import Report, real_tracker, simulate
from boardd.simulated_game import SimulatedGame
from boardd.simulated_values import Setting
from engine import BOOKS, UnknownBookError, book_named, square_name
from hardware.simulated.faults import Fault
from hardware.simulated.habits import MIXED, PROFILE_NAMES

HEALED = [Fault.BOUNCE, Fault.LOST_EVENTS, Fault.FLAPPING, Fault.POWER_CUT, Fault.UNPLUG]
"""Faults that news heals by itself; a sensor that stays broken may leave a move unseen for ever."""


def fresh(report: Report) -> dict[str, object]:
    """Return a report without what differs from run to run."""
    found = report.to_json()
    del found["seconds"]
    return found


@pytest.mark.parametrize("rules", BOOKS)
@pytest.mark.parametrize("profile", PROFILE_NAMES)
def test_every_profile_on_every_book(profile: str, rules: str) -> None:
    setting = Setting(book_named(rules), profile, (), 7, 30, PlaySettings(), real_tracker)
    verdict = SimulatedGame(setting, 0).play()
    assert not verdict.failed, verdict.why
    assert verdict.plies > 5


@pytest.mark.parametrize("fault", HEALED)
def test_faults_that_heal_cost_no_move(fault: Fault) -> None:
    report = simulate(2, 3, faults=[fault])
    assert report.good, report.failures


@pytest.mark.parametrize("fault", [Fault.DEAD_SENSOR, Fault.STUCK])
def test_a_broken_sensor_never_invents_a_move(fault: Fault) -> None:
    assert simulate(3, 5, faults=[fault]).wrong == 0


def test_the_same_seed_gives_the_same_result() -> None:
    faults = [Fault.BOUNCE, Fault.POWER_CUT, Fault.LOST_EVENTS]
    assert fresh(simulate(2, 11, profile="child", faults=faults)) == fresh(
        simulate(2, 11, profile="child", faults=faults)
    )
    assert fresh(simulate(2, 11)) != fresh(simulate(2, 12))


def test_any_game_can_be_played_by_itself() -> None:
    whole = fresh(simulate(3, 4))
    parts = [fresh(simulate(3, 4, only=index)) for index in range(3)]
    assert [part["games"] for part in parts] == [1, 1, 1]
    assert whole["plies"] == sum(int(str(part["plies"])) for part in parts)


@pytest.mark.parametrize("faults", [(), (Fault.LOST_EVENTS, Fault.POWER_CUT, Fault.DEAD_SENSOR)])
def test_a_replay_of_the_trace_comes_to_the_same_game(tmp_path: Path, faults: tuple[Fault, ...]) -> None:
    settings = PlaySettings(settle_ms=250)
    setting = Setting(book_named("tablut-edge"), MIXED, faults, 3, 40, settings, real_tracker)
    for index in range(3):
        game = SimulatedGame(setting, index)
        verdict = game.play()
        path = tmp_path / f"{index}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in verdict.lines), encoding="utf-8")
        end = list(replay_file(str(path)))[-1]
        assert isinstance(end, End)
        assert len(end.moves) == verdict.plies
        header = verdict.lines[0]
        assert header["settings"] == {"settle_ms": 250}
        assert header["simulated"] == {
            "seed": 3,
            "game": index,
            "profile": MIXED,
            "faults": [fault.value for fault in faults],
            "meant": [f"{square_name(m.origin, 9)}-{square_name(m.destination, 9)}" for m in end.moves],
        }


def test_progress_is_told_game_by_game() -> None:
    told: list[int] = []
    simulate(2, 1, profile="careful", progress=lambda report: told.append(report.games))
    assert told == [1, 2]


def test_the_object_has_the_contracts_fields() -> None:
    found = simulate(1, 9, profile="slider").to_json()
    fields = ["games", "plies", "wrong", "missed", "amended", "asked", "helped", "seconds", "seed", "habits"]
    assert list(found)[: len(fields)] == fields
    assert found["seed"] == 9
    assert found["habits"]["slide"] == found["plies"]


def test_long_games_are_drawn() -> None:
    setting = Setting(book_named("tablut-corner"), "careful", (), 1, 6, PlaySettings(), real_tracker)
    game = SimulatedGame(setting, 0)
    assert not game.play().failed
    assert game.verdict.plies == 6
    assert game.verdict.lines[-2]["command"] == "draw"


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="profile 'wild', expected one of careful"):
        simulate(1, 1, profile="wild")
    with pytest.raises(ValueError, match="gremlins"):
        simulate(1, 1, faults=["gremlins"])
    with pytest.raises(UnknownBookError):
        simulate(1, 1, rules="chess")
