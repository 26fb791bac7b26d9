"""Flip bits of a small file of games, one at a time, and count what becomes of it: nothing may change unnoticed.

    python -m bench.flips                   # 8,192 bits of bytes that say something, seed 2026
    python -m bench.flips --flips 1000 --seed 3
    python -m bench.flips --all             # every bit of the file, an hour or so
    python -m bench.flips --log             # bits of the write-ahead log before its last commit

Each damaged file is opened as the daemon opens it, set aside and gone on with where it is found damaged, and played on
in where it is not. `same`: read as it was, and played on; `told`: found when it was opened; `told later`: found by the
next move (damage in what was free); `refused`: taken for a file of a newer konakis, and left. Anything else ends the
run with the bit that did it.
"""

import logging
import random
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.progress import track

from bench import command
from boardd.storage import store
from boardd.storage.store import FILE_NAME
from boardd.storage.write_ahead import log_of
from tests.boardd.damaging import Content, commits, content, flipped, judge, telling_bits, write_and_crash, write_small

FLIPS, SEED = 8192, 2026


def run(file: bytes, log: bytes, bits: Iterable[int], was: Content, directory: Path, verdicts: Counter[str]) -> None:
    """Judge each flip, of the log where there is one, else of the file, and count."""
    for bit in track(bits, "flipping", console=Console(stderr=True)):
        changed = (file, flipped(log, bit)) if log else (flipped(file, bit), b"")
        try:
            verdicts[judge(*changed, was, directory)] += 1
        except KeyboardInterrupt:
            raise  # no fault of the bit
        except BaseException:
            print(f"bit {bit % 8} of byte {bit // 8}")
            raise


def main() -> None:
    """Flip, and print the figures."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument("--flips", type=command.whole(1), default=FLIPS)
    parser.add_argument("--seed", type=command.seed, default=SEED)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--log", action="store_true")
    options = parser.parse_args()
    logging.disable()
    store.SYNCHRONOUS = "OFF"  # no power is cut here
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        path = directory / FILE_NAME
        if options.log:
            file, log = write_and_crash(path)
            path.write_bytes(file)
            log_of(path).write_bytes(log)
            was = content(path)
            target = log[: commits(log)[-2]]
        else:
            write_small(path)
            file, log = path.read_bytes(), b""
            was = content(path)
            target = file
        bits = (
            range(len(target) * 8) if options.all else telling_bits(target, random.Random(options.seed), options.flips)
        )
        verdicts: Counter[str] = Counter()
        try:
            run(file, log, bits, was, directory / "flipped", verdicts)
        finally:
            which = f"{'log' if options.log else 'file'} of {len(target):,} bytes"
            print(f"{which}, {verdicts.total():,} flips, seed {options.seed}")
            for verdict, count in verdicts.most_common():
                print(f"{verdict:12}{count:8,}")
    print("changed unnoticed: 0")  # one ends the run


if __name__ == "__main__":
    command.run(main)
