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

import argparse
import logging
import random
import tempfile
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from rich.progress import track

from boardd.storage import store
from boardd.storage.store import FILE_NAME, Database
from boardd.storage.write_ahead import FRAME, HEADER, log_of
from tests.boardd.damaging import NEW, OLD, Content, content, flipped, judge, wall, write_small

FLIPS, SEED = 8192, 2026
PAGE_BYTES = 4096


def crashed(path: Path) -> tuple[bytes, bytes]:
    """Write a file as the power leaves it, with its log; give both."""
    with closing(Database(path, wall)) as database:
        database.write(OLD)
        for plies in range(len(NEW.moves) + 1):
            moves = NEW.moves[:plies]
            database.write(store.StoredGame(NEW.rules, NEW.position, NEW.side, moves), begins=not plies)
        database.write(NEW)
        return path.read_bytes(), log_of(path).read_bytes()


def before_last_commit(log: bytes) -> int:
    """Tell how many bytes of a log lie before its last commit, of which alone nothing can be told."""
    step = FRAME.size + PAGE_BYTES
    ends = [end for end in range(HEADER.size + step, len(log) + 1, step) if FRAME.unpack_from(log, end - step)[1]]
    return ends[-2]


def telling(data: bytes, count: int, rng: random.Random) -> list[int]:
    """Choose bits of bytes that are not zero; most of a small file is empty."""
    full = [at for at, byte in enumerate(data) if byte]
    return [rng.choice(full) * 8 + rng.randrange(8) for _ in range(count)]


def run(file: bytes, log: bytes, bits: Iterable[int], was: Content, directory: Path) -> Counter[str]:
    """Judge each flip, of the log where there is one, else of the file."""
    verdicts: Counter[str] = Counter()
    for bit in track(bits, "flipping"):
        changed = (file, flipped(log, bit)) if log else (flipped(file, bit), b"")
        try:
            verdicts[judge(*changed, was, directory)] += 1
        except BaseException:
            print(f"bit {bit % 8} of byte {bit // 8}")
            raise
    return verdicts


def main() -> None:
    """Flip, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flips", type=int, default=FLIPS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--log", action="store_true")
    options = parser.parse_args()
    logging.disable()
    store.SYNCHRONOUS = "OFF"  # no power is cut here
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        path = directory / FILE_NAME
        if options.log:
            file, log = crashed(path)
            path.write_bytes(file)
            log_of(path).write_bytes(log)
            was = content(path)
            target = log[: before_last_commit(log)]
        else:
            write_small(path)
            file, log = path.read_bytes(), b""
            was = content(path)
            target = file
        bits = range(len(target) * 8) if options.all else telling(target, options.flips, random.Random(options.seed))
        verdicts = run(file, log, bits, was, directory / "flipped")
    print(f"{'log' if options.log else 'file'} of {len(target):,} bytes, {len(bits):,} flips, seed {options.seed}")
    for verdict, count in verdicts.most_common():
        print(f"{verdict:12}{count:8,}")
    print("changed unnoticed: 0")


if __name__ == "__main__":
    main()
