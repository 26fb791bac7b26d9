"""A small campaign of each kind: every fault, every kind of hands, both books; none wrong, none missed."""

import json
import random
import shutil
import sys
from pathlib import Path

import pytest

from bench import campaign
from bench.campaign import BOTH, ROWS, Row, cells, play_row, summed
from boardd.cli.output import CommandError
from boardd.saved import Saved
from boardd.settings import PlaySettings
from boardd.simulate import Report
from boardd.simulated_storage import NEVER, SimulatedStorage
from boardd.tracking import Tracker
from engine import book_named
from hardware.simulated.faults import WRITE, Disk, Fault, Range, Spells
from hardware.simulated.habits import PROFILE_NAMES

BOOKS = [book_named(name) for name in BOTH]

PLIES = 130
"""Of each row: three or four games, so that all rows together take well under a minute."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_row(row: Row) -> None:
    first = ROWS.index(row) % len(PROFILE_NAMES)
    profiles = [*PROFILE_NAMES[first:], *PROFILE_NAMES[:first]]  # every kind of hands comes with some fault
    report = play_row(row, BOOKS, profiles, 5, PLIES)
    assert report.good, report.failures
    assert report.plies >= PLIES


def test_every_fault_has_a_row() -> None:
    assert {fault for row in ROWS for fault in row.faults} == set(Fault) - {Fault.NONE}


def test_the_same_seed_gives_the_same_row() -> None:
    row = Row((Fault.FULL_DISK, Fault.POWER_CUT))
    one, other = (play_row(row, BOOKS[:1], ["child"], 3, 20) for _ in range(2))
    one.seconds = other.seconds = 0.0
    assert one == other


def test_the_command_tells_row_by_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ["campaign", "--plies", "60", "--row", "unplug", "--row", "bounce", "--profile", "careful"]
    monkeypatch.setattr(sys, "argv", [*asked, "--json", "--trace", str(tmp_path / "none"), "--shrink"])
    assert campaign.main() == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["row"] for line in told] == ["bounce", "unplug", "all"]
    assert told[2]["plies"] == told[0]["plies"] + told[1]["plies"] >= 60
    monkeypatch.setattr(sys, "argv", asked)
    assert campaign.main() == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0][:4] == ["faults", "seed", "games", "plies"]
    seeds = {line[0]: line[1] for line in lines if line[0] in ("bounce", "unplug")}
    assert len(set(seeds.values())) == 2, "other games over every fault"


def test_a_failed_row_is_status_1_and_its_traces_are_made_short(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    header = {"konakis": 1, "rules": "tablut-edge", "simulated": {"meant": ["a4-c4"]}}
    lines = [header, {"t": 1, "lift": "a4"}, {"t": 1.5, "drop": "a4"}, {"t": 2, "lift": "a4"}, {"t": 3, "drop": "d4"}]
    (tmp_path / "bad.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    shutil.copy(tmp_path / "bad.jsonl", tmp_path / "of-another-run.jsonl")
    (tmp_path / "bad.short").write_text("of another run")
    (tmp_path / "good.jsonl").write_text(json.dumps({"konakis": 1, "rules": "tablut-edge"}) + "\n", encoding="utf-8")
    (tmp_path / "worse.jsonl").write_bytes(b"\xff\n")
    traces = [tmp_path / name for name in ("gone.jsonl", "good.jsonl", "worse.jsonl", "bad.jsonl")]
    kept = Report(1, games=1, plies=9, missed=1, seconds=1.0, traces=traces)
    monkeypatch.setattr(campaign, "play_row", lambda row, *_: kept)
    asked = ["campaign", "--row", "stuck", "--trace", str(tmp_path), "--shrink"]
    monkeypatch.setattr(sys, "argv", asked)
    assert campaign.main() == 1
    assert len((tmp_path / "bad.short").read_text(encoding="utf-8").splitlines()) < len(lines) + 1
    told = capsys.readouterr().err.splitlines()
    assert [name for line in told for name in ("gone", "good", "worse", "bad") if name in line] == [
        *("gone", "good", "worse")
    ]
    assert not (tmp_path / "of-another-run.short").exists()
    monkeypatch.setattr(sys, "argv", ["campaign", "--shrink"])
    with pytest.raises(SystemExit):
        campaign.main()
    assert "--shrink: expected --trace DIR" in capsys.readouterr().err


def test_traces_that_cannot_be_kept_are_refused_before_the_first_game(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(campaign, "play_row", lambda *_: pytest.fail("a game was played"))
    monkeypatch.setattr(sys, "argv", ["campaign", "--trace", str(tmp_path / "file" / "traces")])
    with pytest.raises(CommandError, match="expected a directory to write in"):
        campaign.main()


def test_a_campaign_that_is_broken_off_tells_what_it_has_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def play(row: Row, *arguments: object) -> Report:
        report, told = Report(1, games=1, plies=9, seconds=1.0), arguments[-1]
        assert callable(told)
        told(report)
        if row.name == "unplug":
            raise KeyboardInterrupt
        return report

    monkeypatch.setattr(campaign, "play_row", play)
    monkeypatch.setattr(sys, "argv", ["campaign", "--row", "unplug", "--row", "bounce"])
    with pytest.raises(KeyboardInterrupt):
        campaign.main()
    rows = [line.split()[:4] for line in capsys.readouterr().out.splitlines()]
    assert rows[1:4] == [["bounce", "1", "1", "9"], ["unplug", "1", "1", "9"], ["all", "1", "2", "18"]]


def test_reports_add_up_and_tell_times() -> None:
    one, other = Report(1, games=1, plies=3, recoveries=[1.0, 2.0, 9.0]), Report(1, games=2, plies=4, missed=1)
    total = summed([one, other], 1)
    assert (total.games, total.plies, total.missed, total.recoveries) == (3, 7, 1, [1.0, 2.0, 9.0])
    assert cells("x", total)[-4:] == [3, 2.0, 9.0, 9.0]
    assert cells("x", other)[-3:] == ["", "", ""]


# The disk below a simulated game.

ALWAYS = Spells(Range(0.5, 0.5), Range(1e6, 1e6))


class Stored:
    """A game over whose first move the disk has its troubles."""

    def __init__(self, disk: Disk) -> None:
        saved = Saved(book_named("tablut-edge"))
        self.tracker = Tracker(saved, PlaySettings())
        self.storage = SimulatedStorage(disk, random.Random(1), self.tracker.saved(), self.tracker.game)

    def move(self) -> None:
        move = self.tracker.game.legal_moves()[0]
        self.tracker.game.play(move)
        self.storage.want(1.0, self.tracker.saved(), self.tracker.game)

    def run_to(self, t: float) -> None:
        while self.storage.next_time <= t:
            self.storage.run(self.storage.next_time)


def test_what_is_stored_survives() -> None:
    stored = Stored(Disk(WRITE))
    stored.move()
    assert stored.storage.holds(1.0)
    stored.run_to(1.1)
    assert not stored.storage.holds(1.1)
    assert len(stored.storage.cut(2.0).moves) == 1
    stored.storage.close()


def test_a_slow_disk_is_waited_for_a_second_and_no_longer() -> None:
    stored = Stored(Disk(WRITE, slow=ALWAYS, slow_write=Range(5, 5)))
    stored.move()
    assert stored.storage.holds(1.9)
    assert stored.storage.next_time == 2.0
    assert not stored.storage.holds(2.0)
    stored.run_to(7.0)
    assert stored.storage.next_time == NEVER
    assert len(stored.storage.cut(8.0).moves) == 1
    stored.storage.close()


@pytest.mark.parametrize("disk", [Disk(WRITE, full=ALWAYS), Disk(WRITE, read_only=ALWAYS)])
def test_what_a_disk_refused_is_gone_with_the_power(disk: Disk) -> None:
    stored = Stored(disk)
    stored.move()
    stored.run_to(1.1)
    assert not stored.storage.holds(1.1)
    assert stored.storage.next_time == pytest.approx(6.0, abs=0.1)
    assert stored.storage.cut(2.0).moves == ()
    stored.storage.close()


def test_a_disk_that_takes_it_again_gets_everything() -> None:
    stored = Stored(Disk(WRITE, full=Spells(Range(0.95, 0.95), Range(1, 1))))
    stored.move()
    stored.run_to(1.1)
    stored.run_to(11.0)
    assert len(stored.storage.cut(12.0).moves) == 1
    stored.storage.close()
