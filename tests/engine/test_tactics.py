"""The tactical suite: positions with proved answers, searched within a stated number of nodes.

bench/engine_tactics.py made it and proves all of it again (`check`). Here the short claims are proved, and all solved.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.engine_tactics import FOURTH_SIDE_KIND, game_of, prove
from engine.search import Limits, Searcher
from engine.squares import square_name

SUITE = [json.loads(row) for row in Path(__file__).with_name("tactics.jsonl").read_text(encoding="utf-8").splitlines()]

NODES = 20_000
"""A quarter of a second, pure; a hundredth of one, compiled."""

SOLVED = 0.95
"""At least so many of the tasks."""

LEAST = 60
"""Tasks in the suite."""

PROVED_PLIES = 3
"""What is proved again here; deeper claims take minutes."""


def name_of(line: dict[str, Any]) -> str:
    return f"{line['book']} {line['kind']} {line['position']}"


def test_the_suite_is_large_and_varied() -> None:
    kinds = Counter(line["kind"] for line in SUITE)
    assert len(SUITE) >= LEAST
    assert len({name_of(line) for line in SUITE}) == len(SUITE)
    assert len({line["book"] for line in SUITE}) >= 4
    assert {"win in 1", "win in 2", "win in 3", "win in 4", "only move", "refuse", "three moves"} <= set(kinds)
    assert FOURTH_SIDE_KIND in kinds


@pytest.mark.parametrize("line", [line for line in SUITE if line["plies"] <= PROVED_PLIES], ids=name_of)
def test_short_claims_are_so(line: dict[str, Any]) -> None:
    assert prove(game_of(line), line["kind"], line["plies"]) == line["solutions"]


def test_the_search_solves_them() -> None:
    failed = []
    for line in SUITE:
        game = game_of(line)
        move = Searcher(game.book).best_move(game, Limits(nodes=NODES)).move
        text = f"{square_name(move.origin, game.size)}-{square_name(move.destination, game.size)}"
        if text not in line["solutions"]:
            failed.append(f"{name_of(line)}: found {text}, expected one of {line['solutions']}")
    assert len(failed) <= (1 - SOLVED) * len(SUITE), "\n".join(failed)
