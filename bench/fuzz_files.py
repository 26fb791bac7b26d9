"""Fuzz the readers of every file that a user can hand us, guided by which code was reached, for as long as you like.

    pip install atheris        # wheels for x86-64 alone, so it is no dependency of ours
    python -m bench.fuzz_files --seconds 300
    python -m bench.fuzz_files --seconds 3600 rules trace

Each target (`tests/boardd/hostile.py` says what it demands) runs by itself, from sound files. What breaks a promise,
takes longer than 20 s or more than 1 GB ends the target and is kept beside as `crash-…`, `timeout-…` or `oom-…`; the
status is 1 then. The executions of each target are printed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from bench import command

SLOW_S, MEMORY_MB, BYTES_MAX = 20, 1_024, 4_096
INSIDE = "--inside"
"""Said to the process that fuzzes one target."""

TOKEN_MAX = 60
"""Bytes of a word that the fuzzer is given."""


def main() -> int:
    """Fuzz the targets one after the other, each in a process of its own."""
    if sys.argv[1:2] == [INSIDE]:
        return _fuzz(sys.argv[2], sys.argv[3:])

    from boardd.cli.output import directory_to_write
    from tests.boardd.hostile import SEEDS, TARGETS, TOKENS

    parser = command.Parser(__file__, __doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; all of them by default")
    parser.add_argument("--seconds", type=command.whole(1), default=60, help="for each target (default 60)")
    parser.add_argument("--seed", type=command.whole(0, 2**32 - 1), default=1, help="(default 1)")
    parser.add_argument("--corpus", type=Path, help="a directory to go on from, and to keep what was found in")
    arguments = parser.parse_args()
    for name in arguments.targets:
        if name not in TARGETS:
            parser.error(f"found {name}, expected some of {', '.join(TARGETS)}")
    if find_spec("atheris") is None:
        raise command.RefusedError("atheris is not installed; `pip install atheris` does that (on x86-64)")
    if arguments.corpus is not None:
        directory_to_write(arguments.corpus)
    failed = False
    for name in arguments.targets or TARGETS:
        with tempfile.TemporaryDirectory() as directory:
            words = Path(directory, "words")
            words.write_text("".join(f'"{_escaped(token)}"\n' for token in TOKENS if 0 < len(token) <= TOKEN_MAX))
            corpus = Path(arguments.corpus or directory, name)
            corpus.mkdir(parents=True, exist_ok=True)
            for number, seed in enumerate(SEEDS[name]):
                Path(corpus, f"seed{number}").write_text(seed)
            limits = [f"-timeout={SLOW_S}", f"-rss_limit_mb={MEMORY_MB}", f"-max_len={BYTES_MAX}", f"-dict={words}"]
            length = [f"-max_total_time={arguments.seconds}", f"-seed={arguments.seed}", "-print_final_stats=1"]
            line = [sys.executable, "-m", "bench.fuzz_files", INSIDE, name, *limits, *length, str(corpus)]
            done = subprocess.run(line, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        runs = re.search(r"number_of_executed_units:\s*(\d+)", done.stderr)
        peak = re.search(r"peak_rss_mb:\s*(\d+)", done.stderr)
        told = f"{runs[1] if runs else '?'} executions, at most {peak[1] if peak else '?'} MB"
        print(f"{name}: {told}, {'nothing found' if done.returncode == 0 else 'FOUND'}", flush=True)
        if done.returncode:
            failed = True
            print(done.stderr[-4_000:])
    return int(failed)


def _fuzz(name: str, options: list[str]) -> int:
    """Fuzz one target in this process; libFuzzer never returns."""
    import atheris  # type: ignore[import-not-found]  # by hand

    with atheris.instrument_imports(include=["boardd", "engine", "hardware", "tomllib", "json"]):
        from tests.boardd.hostile import TARGETS

    atheris.Setup([sys.argv[0], *options], TARGETS[name])
    atheris.Fuzz()
    return 0


def _escaped(token: str) -> str:
    """Write a word as libFuzzer's dictionaries do."""
    return "".join(f"\\x{octet:02x}" for octet in token.encode(errors="surrogatepass"))


if __name__ == "__main__":
    command.run(main)
