"""Every kind of file that a user can hand us, damaged: one clear line or the same again, nothing else."""

import os
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.boardd.hostile import SEEDS, TARGETS, TOKENS

TIMES = int(os.environ.get("KONAKIS_FUZZ_TIMES", "1"))  # by hand, as often as you like

EXAMPLES = {"configuration": 150, "theme": 100, "calibration": 120, "health": 120, "trace": 60, "record": 120}
USUALLY = 250

Edit = tuple[float, int, str]


def damaged(seed: str, edits: Sequence[Edit]) -> bytes:
    """Put something else in place of some of it."""
    for where, length, instead in edits:
        at = int(where * len(seed))
        seed = seed[:at] + instead + seed[at + length :]
    return seed.encode(errors="surrogatepass")


def files(name: str) -> st.SearchStrategy[bytes]:
    edit = st.tuples(
        st.floats(0, 1),
        st.one_of(st.sampled_from([0, 0, 1, 1, 2, 5]), st.integers(0, 400)),
        st.one_of(st.sampled_from(TOKENS), st.text(max_size=6)),
    )
    return st.one_of(
        st.builds(damaged, st.sampled_from(SEEDS[name]), st.lists(edit, min_size=1, max_size=4)),
        st.builds(damaged, st.sampled_from(SEEDS[name]), st.lists(edit, min_size=1, max_size=4)),
        st.builds(lambda words: "".join(words).encode(), st.lists(st.sampled_from(TOKENS), max_size=20)),
        st.binary(max_size=60),
    )


@pytest.mark.parametrize("name", TARGETS)
def test_a_file_is_refused_clearly_or_is_the_same_again(name: str) -> None:
    @settings(
        derandomize=True,
        deadline=None,
        max_examples=EXAMPLES.get(name, USUALLY) * TIMES,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(files(name))
    def holds(data: bytes) -> None:
        TARGETS[name](data)

    holds()


@pytest.mark.parametrize("name", TARGETS)
def test_the_sound_ones_are_sound(name: str) -> None:
    for seed in SEEDS[name]:
        TARGETS[name](seed.encode())
