"""Measure how many plies a second hands, tracker and engine play together, profile by profile.

    python -m bench.simulate                    # tablut-edge, every profile
    python -m bench.simulate --rules hnefatafl-13 --seconds 5
    python -m bench.simulate --fault bounce --json

The last column is fair between machines: plies played in the time that this machine takes for a fixed loop of integer
work, so half the speed gives the same figure. Times are the process's own, so a busy machine does no harm. The last
lines tell where the time goes.
"""

import cProfile
import json
import pstats
import time
from typing import Any

from bench import command
from boardd.settings import PlaySettings
from boardd.simulate import real_tracker
from boardd.simulated_game import SimulatedGame
from boardd.simulated_values import Setting
from engine import BOOKS, book_named
from hardware.simulated.faults import Fault
from hardware.simulated.habits import MIXED, PROFILE_NAMES

LOOP_ROUNDS = 2_000_000
"""Of the fixed loop: about a tenth of a second of today's Python."""

LOOP_TRIES = 5
"""The fastest of so many is taken: everything slower was disturbed."""

MOST_PLIES = 160
"""A game is drawn after so many."""

PARTS = {
    "hands": ("hardware/simulated/", "boardd/meant.py", "boardd/simulated_game.py"),
    "tracker": ("boardd/", "hardware/"),
    "engine": ("engine/",),
}
"""Where a function's own time is counted, the first that fits."""


def fixed_loop_s() -> float:
    """Return the time of the fixed loop, in seconds."""
    best = float("inf")
    for _ in range(LOOP_TRIES):
        started = time.process_time()
        total = 0
        for number in range(LOOP_ROUNDS):
            total += number & 7
        best = min(best, time.process_time() - started)
    return best


def measure(setting: Setting, seconds: float) -> tuple[int, int, float]:
    """Play games until the time is used; return games, plies and the time taken (s).

    Raises:
        RuntimeError: A game came out differently from what was meant; its figures would mean nothing.

    """
    games = plies = 0
    started = time.process_time()
    while (spent := time.process_time() - started) < seconds:
        verdict = SimulatedGame(setting, games).play()
        if verdict.failed and not setting.faults:
            raise RuntimeError(f"game {games} of seed {setting.seed}, {setting.profile}: {verdict.why}")
        games, plies = games + 1, plies + verdict.plies
    return games, plies, spent


def shares(setting: Setting, games: int) -> dict[str, float]:
    """Return what share of the time (0 to 1) hands, tracker and engine take."""
    profiler = cProfile.Profile()
    with profiler:
        for index in range(games):
            SimulatedGame(setting, index).play()
    spent = dict.fromkeys((*PARTS, "other"), 0.0)
    for (path, _, _), (_, _, own_s, _, _) in pstats.Stats(profiler).stats.items():  # type: ignore[attr-defined]
        name = path.replace("\\", "/")
        part = next((part for part, marks in PARTS.items() if any(mark in name for mark in marks)), "other")
        spent[part] += own_s
    whole = sum(spent.values())
    return {part: own_s / whole for part, own_s in spent.items()}


def main() -> None:
    """Print one line a profile, then the shares of the mixed one."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument("--rules", default="tablut-edge", choices=list(BOOKS), help="the book (default tablut-edge)")
    parser.add_argument("--seconds", type=command.seconds, default=2.0, help="for each profile (default 2)")
    parser.add_argument("--seed", type=command.seed, default=1, help="default 1")
    parser.add_argument(
        "--fault", action="append", default=[], choices=[fault.value for fault in Fault], help="may be repeated"
    )
    parser.add_argument("--json", action="store_true", help="one object a profile")
    arguments = parser.parse_args()
    loop_s = fixed_loop_s()
    settings, book = PlaySettings(), book_named(arguments.rules)
    if not arguments.json:
        print(f"{arguments.rules}, seed {arguments.seed}; the fixed loop takes {loop_s:.3f} s here")
        print(f"{'profile':<14}{'games':>7}{'plies':>8}{'plies/s':>10}{'plies/loop':>12}")
    for profile in PROFILE_NAMES:
        faults = tuple(map(Fault, arguments.fault))
        setting = Setting(book, profile, faults, arguments.seed, MOST_PLIES, settings, real_tracker)
        games, plies, seconds = measure(setting, arguments.seconds)
        figures: dict[str, Any] = {"profile": profile, "games": games, "plies": plies}
        figures |= {"plies_per_s": round(plies / seconds, 1), "plies_per_loop": round(plies / seconds * loop_s, 2)}
        if arguments.json:
            print(json.dumps({"bench": "simulate", "rules": arguments.rules, **figures}))
        else:
            print(f"{profile:<14}{games:>7}{plies:>8}{plies / seconds:>10.0f}{plies / seconds * loop_s:>12.1f}")
        if profile == MIXED and not arguments.json:
            told = ", ".join(f"{part} {share:.0%}" for part, share in shares(setting, max(1, games // 4)).items())
            print(f"time of the mixed games: {told}")


if __name__ == "__main__":
    command.run(main)
