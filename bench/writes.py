"""Count what a daemon writes: bytes and syncs for each move and for each idle hour, in virtual time.

    python -m bench.writes                  # 3 games of random moves and 4 idle hours, seed 2026; Ctrl-C tells so far
    python -m bench.writes --games 2 --hours 1

`SQLite` is what it asks of the disk, taken down between it and the disk; `traces` is what the recorder's files grew by;
`blocks` is what the kernel counts for the process (/proc/self/io, write_bytes): whole pages of 4 KB, without the file
system's own journal, and with what only the simulated board keeps of itself. TMPDIR says on which disk; one in memory
counts no blocks.
"""

import argparse
import asyncio
import random
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from bench import command
from boardd.storage.trace_files import DIRECTORY_NAME, trace_files
from tests.boardd.daemons import Table
from tests.boardd.power import PowerRecorder, Sync, Write, recorded

GAMES, HOURS, SEED = 3, 4, 2026
MOST_PLIES = 100
HOUR_S, STEP_S = 3600.0, 60.0
KB = 1024


@dataclass(frozen=True, slots=True)
class Written:
    """Bytes by who wrote them, and syncs."""

    sqlite: int
    saves: int
    syncs: int
    traces: int
    blocks: int

    def __sub__(self, other: "Written") -> "Written":
        """Give what came since."""
        return Written(
            self.sqlite - other.sqlite,
            self.saves - other.saves,
            self.syncs - other.syncs,
            self.traces - other.traces,
            self.blocks - other.blocks,
        )

    def line(self, per: int) -> str:
        """Tell it for one of `per`."""
        return (
            f"SQLite {self.sqlite / per / KB:7.2f} KB with {self.syncs / per:5.2f} syncs,"
            f" traces {self.traces / per / KB:5.2f} KB, blocks {self.blocks / per / KB:7.2f} KB"
        )


NOTHING = Written(0, 0, 0, 0, 0)


def blocks() -> int:
    """Give the bytes of blocks that this process has had written."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text(encoding="ascii").splitlines())
    return int(fields["write_bytes"])


async def one_move(board: Table, rng: random.Random) -> None:
    """Make a legal move and wait until it counts."""
    session = board.daemon.session
    plies = len(session.game.plies)
    legal = session.game.legal_moves()
    await board.play(rng.choice([move for move in legal if move.captures] or legal), after=0.5)
    while len(session.game.plies) == plies and session.game.result is None:
        await board.wait(0.5)
    await board.wait(5.0)


@dataclass(slots=True)
class Found:
    """What was written so far, by whole games and hours."""

    games: int = 0
    plies: int = 0
    playing: Written = NOTHING
    hours: int = 0
    idle: Written = NOTHING

    def lines(self) -> Iterator[str]:
        """Tell it."""
        if self.plies:
            yield f"a move:       {self.playing.line(self.plies)}, {self.playing.saves / self.plies:.2f} saves"
        if self.hours:
            yield f"an idle hour: {self.idle.line(self.hours)}"


async def play(
    board: Table, written: Callable[[], Written], games: int, hours: int, rng: random.Random, found: Found
) -> None:
    """Play, then do nothing; count what was written in either."""
    session = board.daemon.session
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("playing", total=games)
        await board.wait(10.0)
        before = written()
        for _ in range(games):
            while session.game.result is None and len(session.game.plies) < MOST_PLIES:
                await one_move(board, rng)
            plies = len(session.game.plies)
            await board.new_game()
            await board.wait(5.0)
            found.games, found.plies, found.playing = found.games + 1, found.plies + plies, written() - before
            progress.advance(task)
        before = written()
        task = progress.add_task("idle", total=hours)
        for _ in range(hours):
            for _ in range(int(HOUR_S / STEP_S)):
                await board.wait(STEP_S)
            found.hours, found.idle = found.hours + 1, written() - before
            progress.advance(task)


async def measure(directory: Path, recorder: PowerRecorder, options: argparse.Namespace, found: Found) -> None:
    """Run a daemon and count; it ends in order, also where it is broken off."""
    board = Table(directory)
    running: Awaitable[None] = asyncio.create_task(board.daemon.run(board.stop))

    def written() -> Written:
        board.daemon.session._recorder._writer.wait()
        writes = [event for event in recorder.events if isinstance(event, Write)]
        syncs = sum(isinstance(event, Sync) for event in recorder.events)
        traces = sum(path.stat().st_size for path in trace_files(directory / DIRECTORY_NAME))
        return Written(sum(len(event.data) for event in writes), board.daemon.session.saves, syncs, traces, blocks())

    try:
        await play(board, written, options.games, options.hours, random.Random(options.seed), found)
    finally:
        board.stop.set()
        await board.clock.settle()
        await asyncio.wait_for(running, 10)


def main() -> None:
    """Measure, and print the figures."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument("--games", type=command.whole(1), default=GAMES)
    parser.add_argument("--hours", type=command.whole(1), default=HOURS)
    parser.add_argument("--seed", type=command.seed, default=SEED)
    options = parser.parse_args()
    found = Found()
    recorder = PowerRecorder(real_syncs=True)
    try:
        with tempfile.TemporaryDirectory() as name, recorded(recorder):
            asyncio.run(measure(Path(name), recorder, options, found))
    finally:  # also what was counted so far, where it is broken off
        print(f"{found.games} games, {found.plies} plies, seed {options.seed}; {found.hours} idle hours")
        for line in found.lines():
            print(line)


if __name__ == "__main__":
    command.run(main)
