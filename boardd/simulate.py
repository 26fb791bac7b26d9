"""Many games between simulated hands through the real tracking code: what `konakis simulate` does.

Owns the sum over games and the traces of those that failed. One game is simulated_game.py's. Every game follows from
the seed and its own number alone, so one that failed can be played again by itself.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boardd.settings import PlaySettings
from boardd.simulated_game import SimulatedGame
from boardd.simulated_values import Beginning, MakeTracker, Setting, Tracked, Verdict
from boardd.tracking import Tracker
from engine import Square, book_named
from hardware.simulated.faults import Fault
from hardware.simulated.habits import MIXED, PROFILE_NAMES

PLIES_A_SQUARE = 2
"""Games end in a draw after twice as many plies as the board has squares: few last so long."""

RECOVERED = {"median": 0.5, "p99": 0.99, "longest": 1.0}
"""The shares of troubles that are reported with the time within which they were over."""


@dataclass(slots=True)
class Report:
    """The sum over all games; `to_json` gives the contract's object.

    Attributes:
        seed: What the games were made of.
        games: How many were played.
        plies: Accepted moves.
        wrong: Accepted moves that the hands did not mean.
        missed: Meant moves that were not accepted.
        amended: Amendments.
        asked: Questions.
        helped: Plies that needed the lights' help.
        unlit: Plies that were made and not announced while no light asked for anything.
        undone: Accepted moves that nobody meant, and that hands took back before the next.
        recoveries: How long each trouble lasted, in virtual seconds.
        seconds: Real time.
        habits: What hands did, by name.
        failures: Why each failed game failed, by its number.
        traces: The files in which traces of failed games were kept.

    """

    seed: int
    games: int = 0
    plies: int = 0
    wrong: int = 0
    missed: int = 0
    amended: int = 0
    asked: int = 0
    helped: int = 0
    unlit: int = 0
    undone: int = 0
    recoveries: list[float] = field(default_factory=list)
    seconds: float = 0.0
    habits: Counter[str] = field(default_factory=Counter)
    failures: dict[int, str] = field(default_factory=dict)
    traces: list[Path] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Whether every game came out as it was meant."""
        return not self.wrong and not self.missed

    def add(self, verdict: Verdict) -> None:
        """Add one game."""
        self.games += 1
        self.plies += verdict.plies
        self.wrong += verdict.wrong
        self.missed += verdict.missed
        self.amended += verdict.amended
        self.asked += verdict.asked
        self.helped += verdict.helped
        self.unlit += verdict.unlit
        self.undone += verdict.undone
        self.recoveries += verdict.recoveries
        self.habits.update(verdict.habits)
        if verdict.failed:
            self.failures[verdict.index] = verdict.why

    def merge(self, other: "Report") -> None:
        """Add another report; failures keep their numbers only where these differ."""
        for name in ("games", "plies", "wrong", "missed", "amended", "asked", "helped", "unlit", "undone", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.recoveries += other.recoveries
        self.habits.update(other.habits)
        self.failures |= other.failures
        self.traces += other.traces

    def recovered_s(self, share: float) -> float | None:
        """Give the time (virtual seconds) within which this share (0 to 1) of troubles was over; None without any."""
        times = sorted(self.recoveries)
        return times[min(len(times) - 1, int(share * len(times)))] if times else None

    def to_json(self) -> dict[str, Any]:
        """Return the contract's object; what follows `habits` is ours beside it."""
        return {
            "games": self.games,
            "plies": self.plies,
            "wrong": self.wrong,
            "missed": self.missed,
            "amended": self.amended,
            "asked": self.asked,
            "helped": self.helped,
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
            "habits": dict(sorted(self.habits.items())),
            "unlit": self.unlit,
            "undone": self.undone,
            "recovered_s": {
                "troubles": len(self.recoveries),
                **{name: _rounded(self.recovered_s(share)) for name, share in RECOVERED.items()},
            },
            "failures": {str(index): why for index, why in sorted(self.failures.items())},
        }


def real_tracker(beginning: Beginning) -> Tracked:
    """Make the tracker of the daemon."""
    return Tracker(
        beginning.saved,
        beginning.settings,
        occupied=beginning.occupied,
        masked=beginning.masked,
        now=beginning.now,
        first=beginning.first,
    )


def simulate(
    games: int,
    seed: int,
    rules: str = "tablut-edge",
    profile: str = MIXED,
    faults: Iterable[Fault | str] = (),
    trace_dir: Path | None = None,
    progress: Callable[[Report], None] | None = None,
    *,
    only: int | None = None,
    settings: PlaySettings | None = None,
    make_tracker: MakeTracker = real_tracker,
    record: Iterable[tuple[Square, Square]] = (),
) -> Report:
    """Play games and judge them.

    Args:
        games: How many; their numbers count from 0.
        seed: The same seed gives the same result.
        rules: A book's name.
        profile: One of `hardware.simulated.habits.PROFILE_NAMES`.
        faults: What is wrong with the sensors; the contract's words or `Fault` values.
        trace_dir: Where the trace of each failed game is kept, made if missing; None keeps none.
        progress: Told after each game.
        only: Play only the game of this number.
        settings: The tracker's timings; as delivered if None.
        make_tracker: Makes the tracker, for tests of the judge.
        record: The moves of one game, origin and destination, to be played in every game instead of drawn ones.

    Raises:
        UnknownBookError: No such book.
        ValueError: No such profile or fault.

    """
    if profile not in PROFILE_NAMES:
        raise ValueError(f"profile {profile!r}, expected one of {', '.join(PROFILE_NAMES)}")
    book = book_named(rules)
    chosen = tuple(fault if isinstance(fault, Fault) else Fault(fault) for fault in faults)
    plies = PLIES_A_SQUARE * book.size**2
    setting = Setting(book, profile, chosen, seed, plies, settings or PlaySettings(), make_tracker, tuple(record))
    report = Report(seed)
    started = time.perf_counter()
    for index in range(games) if only is None else (only,):
        play_game(setting, index, report, trace_dir)
        report.seconds = time.perf_counter() - started
        if progress is not None:
            progress(report)
    return report


def play_game(setting: Setting, index: int, report: Report, trace_dir: Path | None) -> None:
    """Play one game and add it to a report; keep its trace if it failed."""
    game = SimulatedGame(setting, index)
    try:
        verdict = game.play()
    except Exception as error:
        error.add_note(f"in game {index} of seed {setting.seed}, rules {setting.book.name}, profile {setting.profile}")
        _keep(trace_dir, setting, game.verdict)
        raise
    report.add(verdict)
    if verdict.failed:
        report.traces += _keep(trace_dir, setting, verdict)


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _keep(trace_dir: Path | None, setting: Setting, verdict: Verdict) -> list[Path]:
    """Write the trace of a failed game, which `konakis replay` replays; give the file, if any was wanted."""
    if trace_dir is None:
        return []
    trace_dir.mkdir(parents=True, exist_ok=True)
    name = "-".join(
        (setting.book.name, setting.profile, *(f.value for f in setting.faults), str(setting.seed), str(verdict.index))
    )
    lines = [json.dumps(line, separators=(",", ":")) + "\n" for line in verdict.lines]
    path = trace_dir / f"{name}.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    return [path]
