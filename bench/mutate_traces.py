"""Replay the traces against mutants of the tracking, all in one process (docs/mutation.md).

    python -m bench.mutate reconstruct --share 0                              # makes the mutants, tries none
    python -m bench.mutate_traces build/mutation/reconstruct --share 0.5      # Ctrl-C breaks it off and tells so far

For the code that traces watch, this is fifty times as fast as a run of pytest for each mutant: a replay takes
milliseconds, and most mutants fail on one of the first. A mutant is killed when a trace's answer is no longer right.
"""

import argparse
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import command
from bench.mutate import SEED
from boardd.jsontext import parse_json

ACTIVE = "MUTANT_UNDER_TEST"
"""The variable by which mutmut's mutants know which of them is meant."""

REPLAY_S = 5.0
"""Of processor time, for one trace: fifty times what the longest takes."""

TIME_OVER = "time over"


class TimeOverError(BaseException):
    """A replay took too long; no `except Exception` of the program may catch it."""


def main() -> int:
    """Start over in the copy, where nothing of this tree can be imported by mistake."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument("copy", type=Path, help="what `bench.mutate` has made")
    parser.add_argument("--share", type=command.share, default=1.0, help="of the mutants that are tried (default: all)")
    parser.add_argument("--seed", type=command.seed, default=SEED, help="draws the share")
    parser.add_argument("--only", nargs="+", default=[], help="mutants by name, instead of a share")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    copy = options.copy.resolve() / "mutants"
    if options.inside:
        sys.path[:0] = [str(copy)]
        return inside(copy, options)
    if not copy.is_dir():
        raise command.RefusedError(f"{options.copy}: found no mutants there, expected what `bench.mutate` has made")
    paths = os.pathsep.join([str(copy), str(copy.parents[1] / "tool"), str(Path(__file__).parents[1])])
    line = [sys.executable, "-P", "-m", "bench.mutate_traces", *sys.argv[1:], "--inside"]
    return command.inner(line, {**os.environ, "PYTHONPATH": paths})


def inside(copy: Path, options: argparse.Namespace) -> int:
    """Try the mutants and report."""
    os.environ[ACTIVE] = ""
    from tests.traces import answers

    if not Path(answers.__file__).is_relative_to(copy):  # those of another tree would be replayed
        raise command.RefusedError(f"{copy}: found no traces there, expected what `bench.mutate` has made")
    traces = answers.traces()
    for trace in traces:
        assert not answers.differences(trace, answers.run(trace.lines, trace.name)), trace.name
    names = sorted(name for meta in copy.rglob("*.meta") for name in names_in(meta))
    if unknown := sorted(set(options.only) - set(names)):
        raise command.RefusedError(f"found no mutants of that name: {', '.join(unknown)}")
    chosen = options.only or random.Random(options.seed).sample(names, round(len(names) * options.share))
    signal.signal(signal.SIGVTALRM, _time_over)
    counts: Counter[str] = Counter()
    started = time.process_time()
    try:
        for number, name in enumerate(chosen, start=1):
            verdict = tried(name, traces, answers)
            counts[verdict] += 1
            if verdict != "killed":
                print(f"{number}/{len(chosen)} {name}: {verdict}", flush=True)
    finally:
        print(f"{len(names)} mutants, {counts.total()} tried: {dict(counts)}; {time.process_time() - started:.0f} s")
    return 0


def names_in(meta: Path) -> list[str]:
    """Read the names of the mutants of one file.

    Raises:
        RefusedError: they do not stand there.

    """
    try:
        return [*parse_json(meta.read_bytes())["exit_code_by_key"].keys()]
    except (ValueError, TypeError, KeyError, AttributeError):
        raise command.RefusedError(f"{meta}: found no names of mutants; have `bench.mutate` make them anew") from None


def tried(name: str, traces: Sequence[Any], answers: Any) -> str:
    """Replay until an answer is wrong; tell what became of the mutant."""
    os.environ[ACTIVE] = name
    for number, trace in enumerate(traces):
        signal.setitimer(signal.ITIMER_VIRTUAL, REPLAY_S)
        try:
            wrong = bool(answers.differences(trace, answers.run(trace.lines, trace.name)))
        except TimeOverError:
            return TIME_OVER
        except Exception:
            wrong = True
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if wrong:
            if isinstance(traces, list):
                traces.insert(0, traces.pop(number))  # what killed one mutant may well kill the next
            return "killed"
    return "survived"


def _time_over(*_: object) -> None:
    raise TimeOverError


if __name__ == "__main__":
    command.run(main)
