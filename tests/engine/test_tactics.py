"""The tactical suite: positions with proved answers, searched within a stated number of nodes.

bench/engine_tactics.py made it and proves all of it again (`check`). Here the short claims are proved, and all solved.
"""

from collections import Counter
from pathlib import Path

import pytest

from bench.engine_tactics import FOURTH_SIDE_KIND, prove
from bench.suite import Claim, read_suite
from engine.search import Limits, Searcher
from engine.squares import square_name

SUITE = list(read_suite(Path(__file__).with_name("tactics.jsonl")).values())

NODES = 20_000
"""A quarter of a second, pure; a hundredth of one, compiled."""

SOLVED = 0.95
"""At least so many of the tasks."""

LEAST = 60
"""Tasks in the suite."""

PROVED_PLIES = 3
"""What is proved again here; deeper claims take minutes."""


def name_of(claim: Claim) -> str:
    return f"{claim.book} {claim.kind} {claim.position}"


def test_the_suite_is_large_and_varied() -> None:
    kinds = Counter(claim.kind for claim in SUITE)
    assert len(SUITE) >= LEAST
    assert len({name_of(claim) for claim in SUITE}) == len(SUITE)
    assert len({claim.book for claim in SUITE}) >= 4
    assert {"win in 1", "win in 2", "win in 3", "win in 4", "only move", "refuse", "three moves"} <= set(kinds)
    assert FOURTH_SIDE_KIND in kinds


@pytest.mark.parametrize("claim", [claim for claim in SUITE if claim.plies <= PROVED_PLIES], ids=name_of)
def test_short_claims_are_so(claim: Claim) -> None:
    assert prove(claim.game(), claim.kind, claim.plies) == list(claim.solutions)


def test_the_search_solves_them() -> None:
    failed = []
    for claim in SUITE:
        game = claim.game()
        move = Searcher(game.book).best_move(game, Limits(nodes=NODES)).move
        text = f"{square_name(move.origin, game.size)}-{square_name(move.destination, game.size)}"
        if text not in claim.solutions:
            failed.append(f"{name_of(claim)}: found {text}, expected one of {claim.solutions}")
    assert len(failed) <= (1 - SOLVED) * len(SUITE), "\n".join(failed)
