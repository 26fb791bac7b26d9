"""The command `konakis bench`: how fast the engine is here, in both its forms, and against plain integer work."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from typing import Any

import click

from boardd.cli.numbers import Seconds
from boardd.cli.output import CommandError, console, json_option, table, write_json
from boardd.version import PURE_VARIABLE, engine_form

LEAST_S, MOST_S = 0.01, 3_600.0
"""Below, the clock of the processor is what is measured."""

MEASURES = ("perft", "search")

PURE = "pure"
COMPILED = "compiled"


@click.command()
@click.option(
    "--seconds",
    type=Seconds(LEAST_S, MOST_S),
    metavar="SECONDS",
    default=2.0,
    show_default=True,
    help="How long each figure is measured, about.",
)
@json_option
def bench(seconds: float, as_json: bool) -> None:
    """Measure moves made and positions searched a second: compiled against pure, and each against a fixed loop.

    Below stands how long the lights wait for the answers to their questions.

    A figure is the best of several runs, in time of the processor, since other programs run too. The loop is the same
    integer work in plain Python for both forms: a slow pure form cannot make the ratio.
    """
    forms = [PURE] if engine_form() == PURE else [COMPILED, PURE]
    measured = {form: _measure(form, seconds) for form in forms}
    answer: dict[str, Any] = {
        "machine": platform.machine(),
        "processor": _processor(),
        "python": platform.python_version(),
        "forms": measured,
        "ratios": _ratios(measured),
    }
    if as_json:
        write_json(answer)
        return
    out = console()
    out.print(f"{answer['processor']} ({answer['machine']}), Python {answer['python']}")
    for form, figures in measured.items():
        out.print()
        out.print(f"{form}; the loop: {figures['loop'] / 1e6:.1f} million rounds a second")
        rows = [
            (
                row["measure"],
                row["book"],
                row["place"],
                f"{row['rate'] / 1e6:.3f}",
                f"{row['rate'] / figures['loop']:.3f}",
            )
            for row in figures["rows"]
        ]
        out.print(table(("measure", "book", "position", "million a second", "per round of the loop"), rows))
    if answer["ratios"]:
        out.print()
        ratios = [(row["measure"], row["book"], row["place"], f"{row['ratio']:.1f}") for row in answer["ratios"]]
        out.print(table(("measure", "book", "position", "compiled / pure"), ratios))
    else:
        out.print("the engine is installed in its pure form: there is no ratio")
    out.print()
    out.print("what the lights ask: the longest that an answer took, in milliseconds")
    asked = [measured[form]["questions"] for form in forms]
    rows = [
        (answers[0]["question"], answers[0]["book"], *(f"{answer['ms']:.3f}" for answer in answers))
        for answers in zip(*asked, strict=True)
    ]
    out.print(table(("question", "book", *forms), rows))


def _measure(form: str, seconds: float) -> dict[str, Any]:
    """Measure one form in a process of its own, since a process has the one that it began with."""
    environment = {**os.environ, PURE_VARIABLE: "1" if form == PURE else "0"}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "engine.pace", str(seconds)],  # not the engine of a directory that we stand in
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CommandError(f"bench: the {form} form failed: {done.stderr.strip().splitlines()[-1:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    if answer["form"] != form:
        raise CommandError(f"bench: found the {answer['form']} form, expected the {form} one")
    return answer


def _ratios(measured: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Divide the rates of the compiled form by those of the pure one."""
    if len(measured) == 1:
        return []
    pairs = zip(measured[COMPILED]["rows"], measured[PURE]["rows"], strict=True)
    return [
        {**{key: fast[key] for key in ("measure", "book", "place")}, "ratio": round(fast["rate"] / slow["rate"], 1)}
        for fast, slow in pairs
    ]


def _processor() -> str:
    """Name the processor, as far as the system tells."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith(("model name", "Model")):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown processor"
