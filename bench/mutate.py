"""Change the code in small ways, one at a time, and see whether a test notices (docs/mutation.md).

    python -m bench.mutate debounce                        # every mutant of one target
    python -m bench.mutate captures --share 0.5 --seed 5   # half of them, drawn by seed
    python -m bench.mutate debounce --only 'hardware.debounce.xǁDebouncerǁfeed__mutmut_3'

mutmut makes the mutants and runs the tests; it is installed beside the work (--work, build/mutation if not given),
never into the project's own environment. What it works on is a copy of the last commit, so changes not committed yet
do not count. One mutant at a time, each given up at the first test that fails or that takes far too long. A run that
was broken off goes on where it was with --resume.

`survivors.diff` in the work directory of a target shows every mutant that no test noticed.
"""

import argparse
import ast
import io
import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import accumulate
from pathlib import Path
from typing import Any

TOOL = "mutmut==3.8.1"
"""Pinned, since `inside` goes in by doors that are not meant for the public."""

PACKAGES = ("engine", "hardware", "firmware_bridge", "boardd", "docs", "examples")

TIMEOUT_FACTOR = 4.0
TIMEOUT_MORE_S = 5.0
"""A test may take so many times the processor time that it took unchanged, and so much more; then the mutant has failed
by its time."""

SLEEPING_FACTOR, SLEEPING_MORE_S = 30.0, 30.0
"""mutmut's own limit, by the clock, on all the tests of a mutant together: for one that sleeps. On a machine with much
else to do the clock says little, so this is far off."""

TIMED_OUT = 36
"""The exit status by which mutmut knows it."""

MEMORY_BYTES = 4 << 30
"""A mutant that fills the memory instead of ending is stopped by this."""

SEED = 5


@dataclass(frozen=True, slots=True)
class Target:
    """What is mutated and which tests watch it.

    Args:
        files: whose functions are mutated.
        tests: arguments for pytest: the quick and decisive tests.
        functions: patterns of names; mutants elsewhere in the files are left alone.

    """

    files: tuple[str, ...]
    tests: tuple[str, ...]
    functions: tuple[str, ...] = ("*",)


TARGETS = {
    "debounce": Target(("hardware/debounce.py",), ("tests/hardware/test_debounce.py",)),
    "captures": Target(
        ("engine/position.py", "engine/formations.py", "engine/king.py"),
        (
            "tests/engine/test_cases.py",
            "tests/engine/test_further_books.py",
            "tests/engine/test_plain_rules.py",
            "tests/engine/test_questions.py",
            "tests/engine/test_random_games.py::test_the_key_and_the_slots_are_those_of_the_position_set_up_afresh",
            *("-k", "not hnefatafl"),  # the larger boards take long and know no rule of their own
        ),
        (
            *("*make*", "*undo*", "*_capture*", "*_take*", "*_presses*", "*encloses_king*", "*ended*", "*winner*"),
            *("*Formations*", "*escapes*", "*king_takers*"),
        ),
    ),
    "reconstruct": Target(
        ("boardd/reconstruct.py", "boardd/holding.py", "boardd/answering.py", "boardd/doubt.py"),
        (
            *("tests/boardd/test_traces.py::test_the_answer_is_right", "tests/boardd/test_states.py", "tests/traces"),
            *("tests/boardd/test_reconstruct.py", "tests/boardd/test_answering.py", "tests/boardd/test_holding.py"),
            *("tests/boardd/test_standing.py", "tests/boardd/test_promises.py"),
        ),
    ),
    "readings": Target(
        ("boardd/readings.py", "boardd/lines.py", "boardd/signs.py"),
        ("tests/boardd/test_traces.py::test_the_answer_is_right", "tests/traces"),
    ),
    "store": Target(
        (
            *("boardd/storage/store.py", "boardd/storage/rows.py", "boardd/storage/seals.py"),
            *("boardd/storage/schema.py", "boardd/storage/rescue.py", "boardd/storage/write_ahead.py"),
        ),
        (
            *("tests/boardd/test_store.py", "tests/boardd/test_damaged_store.py"),
            *("tests/boardd/test_keeping.py", "tests/boardd/test_full_disk.py", "tests/boardd/test_power_cuts.py"),
        ),
    ),
}

INSIDE = "--inside"
"""Said to the process that works in the copy."""


def main() -> int:
    """Read the command line, make the copy, let mutmut work in it, report."""
    from bench import command  # the process in the copy must not: it would find another tree

    parser = command.Parser(__file__, __doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--share", type=command.share, default=1.0, help="of the mutants that are tried (default: all)")
    parser.add_argument("--seed", type=command.seed, default=SEED, help="draws the share")
    parser.add_argument("--only", nargs="+", default=[], help="mutants by name, instead of a share")
    parser.add_argument("--work", type=Path, default=Path("build/mutation"), help="directory to work in")
    parser.add_argument(
        "--seconds", type=command.seconds, default=math.inf, help="of tests for each mutant, the quickest first"
    )
    parser.add_argument("--resume", action="store_true", help="go on with a run that was broken off")
    options = parser.parse_args()
    work = options.work.resolve()
    tool = work / "tool"
    if not (tool / "mutmut").is_dir():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(tool), TOOL]
        if command.inner(pip, os.environ):
            raise command.RefusedError(f"{TOOL} could not be installed into {tool}")
    copy = work / options.target
    if not options.resume:
        take_copy(copy, TARGETS[options.target])
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    asked = {"target": options.target, "share": options.share, "seed": options.seed}
    asked |= {"only": options.only, "seconds": options.seconds}
    line = [sys.executable, "-P", str(Path(__file__).resolve()), INSIDE, json.dumps(asked)]
    return command.inner(line, {**environment, "PYTHONPATH": str(tool)}, copy)


def take_copy(copy: Path, target: Target) -> None:
    """Unpack the last commit and prepare it for mutmut."""
    if copy.exists():
        from bench.command import RefusedError

        raise RefusedError(f"{copy} is there from an earlier run; remove it, or give another --work")
    packed = subprocess.run(["git", "archive", "HEAD"], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(copy, filter="data")
    for name in target.files:
        path = copy / name
        path.write_text(undecorated(path.read_text()))
    settings: dict[str, Any] = {
        "source_paths": [name for name in PACKAGES if (copy / name).is_dir()],
        "only_mutate": list(target.files),
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "--hypothesis-profile=ci"],
        "pytest_add_cli_args_test_selection": list(target.tests),
        "timeout_multiplier": SLEEPING_FACTOR,
        "timeout_constant": SLEEPING_MORE_S,
        "track_dependencies": False,
        "use_git_change_detection": False,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    with (copy / "pyproject.toml").open("a") as file:
        file.write("\n".join(["", "[tool.mutmut]", *lines, ""]))


def undecorated(source: str) -> str:
    """Write `@property def f` as `def f` and `f = property(f)`: mutmut passes over decorated functions."""
    lines = source.splitlines()
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for node in sorted(functions, key=lambda node: -node.lineno):
        if len(node.decorator_list) == 1 and isinstance(decorator := node.decorator_list[0], ast.Name):
            assert node.end_lineno is not None
            lines.insert(node.end_lineno, " " * node.col_offset + f"{node.name} = {decorator.id}({node.name})")
            del lines[decorator.lineno - 1]
    return "\n".join(lines) + "\n"


def inside(target: Target, options: argparse.Namespace) -> None:
    """Run mutmut in the copy, with operators of our own, a sample and a time for each test; report."""
    import libcst
    import mutmut.__main__ as mutmut
    from mutmut.mutation import trampoline
    from mutmut.mutation.diff_apply import get_diff_for_mutant
    from mutmut.mutation.mutators import mutation_operators
    from mutmut.runners.harness import PytestRunner
    from mutmut.state import state
    from mutmut.stats import status_by_exit_code

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))

    def negated(node: Any) -> Iterable[Any]:
        """`if a` becomes `if not (a)`."""
        test = node.test.with_changes(lpar=[libcst.LeftParen()], rpar=[libcst.RightParen()])
        yield node.with_changes(test=libcst.UnaryOperation(libcst.Not(), test))

    def dropped(node: Any) -> Iterable[Any]:
        """`f(a)` as a statement becomes `pass`."""
        if isinstance(node.value, libcst.Call):
            yield libcst.Pass()

    mutation_operators.extend([(libcst.If, negated), (libcst.Expr, dropped)])

    collect, wrap = mutmut.collect_source_file_mutation_data, trampoline.wrap_in_trampoline
    run, execute = PytestRunner.run_tests, PytestRunner.execute_pytest
    wrapped: list[tuple[Any, dict[str, Any]]] = []
    tried: list[tuple[Any, str]] = []

    def sampled(*, mutant_names: Iterable[str]) -> Any:
        every, by_path = collect(mutant_names=())
        fits = [one for one in every if any(fnmatch(one[1], f"*{pattern}__mutmut_*") for pattern in target.functions)]
        if options.only:
            chosen = [(data, name, None) for data, name, _ in every if name in options.only]  # tried before or not
        else:
            chosen = random.Random(options.seed).sample(fits, round(len(fits) * options.share))
        tried[:] = [(data, name) for data, name, _ in chosen]
        print(f"{len(every)} mutants, {len(fits)} in the functions asked for, {len(chosen)} to try", flush=True)
        return chosen, by_path

    class EachTest:
        """A plugin for pytest: begins each test without caches and ends the process when the test takes too long."""

        def pytest_runtest_setup(self, item: Any) -> None:
            for module in [module for name, module in sys.modules.items() if name.split(".")[0] in PACKAGES]:
                for thing in vars(module).values():
                    if hasattr(thing, "cache_clear"):  # what was remembered came from the code before it was changed
                        thing.cache_clear()
            if signal.getsignal(signal.SIGPROF) is not signal.SIG_DFL:
                usual_s = state().duration_by_test.get(item.nodeid, 0.0)
                signal.setitimer(signal.ITIMER_PROF, TIMEOUT_FACTOR * usual_s + TIMEOUT_MORE_S)

        def pytest_runtest_teardown(self) -> None:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def remembered(mutants: dict[str, Any], is_classmethod: bool = False) -> Any:
        def wrapper(function: Any) -> Any:
            wrapped.append((made := wrap(mutants, is_classmethod)(function), mutants))
            return made

        return wrapper

    def unwrap(mutant: str) -> None:
        """Put the methods themselves where mutmut asks at every call which one is meant: five times as fast."""
        module, _, name = mutant.rpartition(".")
        for made, mutants in wrapped:
            owner = getattr(sys.modules[made.__module__], made.__qualname__.split(".")[0], None)
            if isinstance(owner, type) and vars(owner).get(made.__name__) is made:
                original = mutants["_mutmut_orig"]
                setattr(owner, made.__name__, mutants.get(name, original) if made.__module__ == module else original)

    def quickest(tests: Iterable[str]) -> list[str]:
        usual_s = state().duration_by_test
        order = sorted(tests, key=lambda name: usual_s[name])
        taken = accumulate(usual_s[name] for name in order)
        return [name for name, total in zip(order, taken, strict=True) if total <= options.seconds] or order[:1]

    def alone(self: Any, *, mutant_name: str | None, tests: Iterable[str]) -> int:
        if mutant_name is not None:  # then this is a process for this mutant alone
            unwrap(mutant_name)
            tests = quickest(tests)
            signal.signal(signal.SIGPROF, lambda *_: os._exit(TIMED_OUT))
        return run(self, mutant_name=mutant_name, tests=tests)

    def watched(self: Any, params: list[str], plugins: Iterable[Any] = ()) -> int:
        return execute(self, params, plugins=[*plugins, EachTest()])

    mutmut.collect_source_file_mutation_data = sampled
    PytestRunner.run_tests = alone
    PytestRunner.execute_pytest = watched
    trampoline.wrap_in_trampoline = remembered
    mutmut._run((), 1)

    counts: Counter[str] = Counter()
    with open("survivors.diff", "w") as file:
        for data, name in sorted(tried, key=lambda one: one[1]):
            status = status_by_exit_code[data.exit_code_by_key[name]]
            counts[status] += 1
            if status != "killed":
                file.write(f"# {name}: {status}\n{get_diff_for_mutant(name, path=data.path)}\n")
    print(f"{options.target}: {sum(counts.values())} tried, {dict(counts)}; see {Path('survivors.diff').resolve()}")


if __name__ == "__main__":
    if sys.argv[1:2] == [INSIDE]:
        told = argparse.Namespace(**json.loads(sys.argv[2]))
        inside(TARGETS[told.target], told)
    else:
        from bench.command import run

        run(main)
