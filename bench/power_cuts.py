"""Cut the power at every point of a short game, with what was not synced lost, kept or torn; count what restarts find.

    python -m bench.power_cuts              # seed 2026, 20 tears at each point
    python -m bench.power_cuts --torn 100 --seed 5

Every restart must find the last accepted step or the whole next one, and light the captured pieces that still stand;
else the run ends with the point, and the seed gives it again.
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from rich.progress import track

from boardd.storage import store
from tests.boardd.power_cut_game import cut_everywhere, record

SEED, TORN = 2026, 20
LOG_PAGES = (250, 5, 1)
"""How soon the log is moved into the file: as delivered, often, after every commit."""


def main() -> None:
    """Play, cut, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torn", type=int, default=TORN)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    found: Counter[str] = Counter()
    points = 0
    with tempfile.TemporaryDirectory() as name:
        played = []
        for pages in LOG_PAGES:
            (Path(name) / str(pages)).mkdir()
            played.append(record(Path(name) / str(pages) / "played", pages))
        store.SYNCHRONOUS = "OFF"  # what is left is read again without waiting
        left = Path(name) / "left"
        left.mkdir()
        rounds = [(events, seed) for events in played for seed in range(options.seed, options.seed + options.torn)]
        for events, seed in track(rounds, "cutting"):
            first = seed == options.seed
            points += first * len(events)
            found += cut_everywhere(events, left, seed, 1)
    total = sum(found.values())
    print(f"{points} points in {len(LOG_PAGES)} games, {total:,} cuts, seeds {options.seed} and on")
    for what, times in found.most_common():
        print(f"{what:40}{times:8,}")
    print("neither the last nor the next whole step: 0")


if __name__ == "__main__":
    main()
