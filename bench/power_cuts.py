"""Cut the power at every point of a short game, with what was not synced lost, kept or torn; count what restarts find.

    python -m bench.power_cuts              # seed 2026, 20 tears at each point
    python -m bench.power_cuts --torn 100 --seed 5

Every restart must find the last accepted step or the whole next one, and light the captured pieces that still stand;
one that does not is told with its game, seed and point, and the status is 1 then. What is left of the disk is tried
once where several cuts in a step leave the same.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.progress import track

from bench import command
from boardd.storage import store
from tests.boardd.power_cut_game import cut_each, record

SEED, TORN = 2026, 20
LOG_PAGES = (250, 5, 1)
"""How soon the log is moved into the file: as delivered, often, after every commit."""

NEITHER = "neither the last nor the next whole step"


def main() -> int:
    """Play, cut, and print the figures."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument("--torn", type=command.whole(1), default=TORN, help=f"at each point (default {TORN})")
    parser.add_argument("--seed", type=command.seed, default=SEED, help=f"the first (default {SEED})")
    options = parser.parse_args()
    found = Counter({NEITHER: 0})
    points, last = 0, options.seed
    played = {}
    normal = store.SYNCHRONOUS
    with tempfile.TemporaryDirectory() as name:
        for pages in LOG_PAGES:
            (Path(name) / str(pages)).mkdir()
            played[pages] = record(Path(name) / str(pages) / "played", pages)
            points += len(played[pages])
        left = Path(name) / "left"
        left.mkdir()
        tried: dict[int, set[tuple[int, bytes]]] = {pages: set() for pages in LOG_PAGES}
        seeds = range(options.seed, options.seed + options.torn)
        rounds = [(pages, seed) for seed in seeds for pages in LOG_PAGES]
        store.SYNCHRONOUS = "OFF"  # what is left is read again without waiting
        try:
            for pages, seed in track(rounds, "cutting", console=Console(stderr=True)):
                last = seed
                for what in cut_each(played[pages], left, seed, 1, tried[pages]):
                    if isinstance(what, Exception):
                        print(f"seed {seed}, {pages} pages of log: {'; '.join([str(what), *what.__notes__])}")
                        what = NEITHER
                    found[what] += 1
        finally:
            store.SYNCHRONOUS = normal
            images = f"{found.total():,} different images"
            print(f"{points} points in {len(LOG_PAGES)} games, {images}, seeds {seeds[0]} to {last}")
            for what, times in found.most_common():
                print(f"{what:42}{times:8,}")
            sys.stdout.flush()
    return int(found[NEITHER] > 0)


if __name__ == "__main__":
    command.run(main)
