"""Play many seeded games over kinds of faults, hands and books, and tell per fault how they came out.

    python -m bench.campaign                                  # every row, 20,000 plies together
    python -m bench.campaign --plies 100000 --seed 1 --trace failed/ --shrink
    python -m bench.campaign --row bounce --plies 100000 --profile mixed --rules tablut-edge
    python -m bench.campaign --json                           # a line a row

A row is one fault, or two that only mean something together. Its games go round the books, then the profiles, each
game by its own number: `konakis simulate --rules B --profile P --fault F --seed S --games 1 --game N` plays game N
again, with the seed that stands in the row. Exit status 1 if a move was wrong or missed. Columns: docs/campaigns.md.
"""

import argparse
import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import command
from boardd.cli.output import console, directory_to_write, progress, table, write_json
from boardd.errors import BoarddError
from boardd.settings import PlaySettings
from boardd.shrink import shrink
from boardd.simulate import PLIES_A_SQUARE, RECOVERED, Report, play_game, real_tracker
from boardd.simulated_values import Setting
from engine import BOOKS, Book, book_named
from hardware.simulated.faults import Fault
from hardware.simulated.habits import PROFILE_NAMES

BOTH = ("tablut-edge", "tablut-corner")
"""The books played if none are named: both of the 9x9 board, one escape at the edge, one in the corner."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: faults that come together."""

    faults: tuple[Fault, ...]

    @property
    def name(self) -> str:
        """The faults' words."""
        return "+".join(fault.value for fault in self.faults) or "usual"


_OF_THE_DISK = (Fault.SLOW_DISK, Fault.FULL_DISK, Fault.READ_ONLY_DISK)
_WITH_A_CUT = (*_OF_THE_DISK, Fault.CLOCK_JUMP)
"""Faults that change little unless the power goes: they come alone and with it."""

ROWS: tuple[Row, ...] = (
    Row(()),
    *(Row((fault,)) for fault in Fault if fault not in (Fault.NONE, *_OF_THE_DISK)),
    *(Row((fault, Fault.POWER_CUT)) for fault in _WITH_A_CUT),
    Row((Fault.BOUNCE, Fault.LOST_EVENTS, Fault.REPEATED_EVENTS, Fault.UNPLUG)),
    Row((Fault.BOUNCE, Fault.KNOCKED_OVER, Fault.REARRANGED, Fault.POWER_CUT)),
)


SEEDS_APART = 1000
"""Each row has a seed of its own: else the same games would be played over every fault."""


def seed_of(row: Row, seed: int) -> int:
    """Give the seed of a row, whichever others are played."""
    return seed + SEEDS_APART * ROWS.index(row)


def play_row(
    row: Row,
    books: Sequence[Book],
    profiles: Sequence[str],
    seed: int,
    plies: int,
    trace_dir: Path | None = None,
    told: Callable[[Report], None] = lambda _: None,
) -> Report:
    """Play games of one row until so many plies have been accepted.

    Args:
        row: the faults.
        books: games go round these.
        profiles: and, book by book, round these.
        seed: the same gives the same games.
        plies: how many at least.
        trace_dir: where the traces of failed games are kept; None keeps none.
        told: told after each game.

    """
    report = Report(seed)
    started = time.perf_counter()
    while report.plies < plies:
        turn, which = divmod(report.games, len(books))
        book, profile = books[which], profiles[turn % len(profiles)]
        most = PLIES_A_SQUARE * book.size**2
        setting = Setting(book, profile, row.faults, seed, most, PlaySettings(), real_tracker)
        play_game(setting, report.games, report, trace_dir)
        report.seconds = time.perf_counter() - started
        told(report)
    return report


COLUMNS = (
    *("faults", "seed", "games", "plies", "wrong", "missed", "undone", "unlit", "amended", "asked", "helped"),
    "troubles",
    *RECOVERED,
)


def cells(name: str, report: Report) -> list[object]:
    """Give one line of the table."""
    times = ["" if (s := report.recovered_s(share)) is None else round(s, 1) for share in RECOVERED.values()]
    counted = [report.games, report.plies, report.wrong, report.missed, report.undone, report.unlit, report.amended]
    return [name, report.seed, *counted, report.asked, report.helped, len(report.recoveries), *times]


def summed(reports: Iterable[Report], seed: int) -> Report:
    """Add rows up."""
    total = Report(seed)
    for report in reports:
        total.merge(report)
    return total


def shrink_all(traces: Iterable[Path]) -> None:
    """Write beside each trace of a failed game the shortest that fails alike, where one is found."""
    for path in traces:
        try:
            with path.open(encoding="utf-8") as file:
                lines = shrink(file, str(path))
            path.with_suffix(".short").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        except (BoarddError, OSError) as error:
            print(f"campaign: {error}", file=sys.stderr)
        except Exception as error:  # what a game broke may break this as well; the others are made short all the same
            print(f"campaign: {path}: not made short: {type(error).__name__}: {error}", file=sys.stderr)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument("--plies", type=command.whole(1), default=20_000, help="of all rows together (default 20000)")
    parser.add_argument("--seed", type=command.seed, default=1, help="default 1")
    parser.add_argument("--rules", action="append", choices=list(BOOKS), help="may be repeated (default both of 9x9)")
    parser.add_argument("--profile", action="append", choices=PROFILE_NAMES, help="may be repeated (default all)")
    names = [row.name for row in ROWS]
    parser.add_argument("--row", action="append", choices=names, help="may be repeated (default all)")
    parser.add_argument("--trace", type=Path, help="keep traces of failed games here")
    parser.add_argument("--shrink", action="store_true", help="write the shortest failing trace beside each")
    parser.add_argument("--json", action="store_true", help="one object a row, the sum last")
    found = parser.parse_args()
    if found.shrink and found.trace is None:
        parser.error("--shrink: expected --trace DIR, where the traces are")
    if found.trace is not None:
        directory_to_write(found.trace)
    return found


def main() -> int:
    """Play all rows and print the table."""
    asked = arguments()
    rows = [row for row in ROWS if not asked.row or row.name in asked.row]
    books = [book_named(name) for name in asked.rules or BOTH]
    share = -(-asked.plies // len(rows))
    reports: dict[str, Report] = {}
    with contextlib.ExitStack() as ending, progress(share * len(rows), "plies", quiet=asked.json) as bar:
        if not asked.json:  # also what was played so far, where it is broken off
            ending.callback(tell, reports, asked.seed)
        task = bar.task_ids[0]
        for number, row in enumerate(rows):
            bar.update(task, description=row.name)

            def told(report: Report, before: int = number * share, name: str = row.name) -> None:
                reports[name] = report
                bar.update(task, completed=before + min(report.plies, share))

            seed = seed_of(row, asked.seed)
            report = play_row(row, books, asked.profile or PROFILE_NAMES, seed, share, asked.trace, told)
            reports[row.name] = report
            if asked.json:
                write_json({"row": row.name} | report.to_json())
                sys.stdout.flush()
    total = summed(reports.values(), asked.seed)
    if asked.json:
        write_json({"row": "all"} | total.to_json())
    if asked.shrink:
        shrink_all(total.traces)
    return 0 if total.good else 1


def tell(reports: Mapping[str, Report], seed: int) -> None:
    """Print the table, and why games failed."""
    total = summed(reports.values(), seed)
    lines = [cells(name, report) for name, report in (*reports.items(), ("all", total))]
    console().print(table(COLUMNS, lines))
    rate = total.plies / total.seconds if total.seconds else 0.0
    console().print(f"seed {seed}, {total.seconds:.0f} s, {rate:.0f} plies a second")
    for name, report in reports.items():
        for index, why in sorted(report.failures.items()):
            console().print(f"{name}, game {index}: {why}", markup=False)


if __name__ == "__main__":
    command.run(main)
