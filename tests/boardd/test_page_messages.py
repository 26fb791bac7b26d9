"""Whatever JSON a page sends to the daemon: it is obeyed, or refused in one line, and what is told can be told."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from boardd.app import Daemon
from boardd.clock import VirtualClock
from boardd.commands import Word
from boardd.face import REFUSAL_MAX
from boardd.settings import HintLevel, Settings
from engine import BOOKS, square_name
from engine.squares import Square
from tests.boardd.daemons import AtOnce

TIMES = int(os.environ.get("KONAKIS_FUZZ_TIMES", "1"))  # by hand, as often as you like

KINDS = ("command", "hints", "brightness", "names", "look-back", "lift", "drop", "box", "unbox", "token", "state", "")
KEYS = ("command", "level", "value", "attackers", "defenders", "square", "piece", "token", "move", "result")
SQUARES = [square_name(Square(square), 9) for square in range(81)]

words = st.one_of(
    st.sampled_from(
        [*SQUARES, *(word.value for word in Word), *(level.value for level in HintLevel), "t", "T", "K", *BOOKS]
    ),
    st.sampled_from(["", " ", "a0", "j1", "e10", "É5", "e٥", "\ud800", "\0", "\n", "\x1b[31m", "[", "|", "x" * 3_000]),
    st.text(max_size=8),
    st.text(st.characters(), max_size=4),
)
values = st.one_of(
    words,
    words,
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from([0.5, -0.0, float("nan"), float("inf"), 1e-320, 10**400]),
    st.lists(words, max_size=3),
    st.dictionaries(words, words, max_size=2),
)
known = st.builds(
    lambda kind, rest: {**rest, "type": kind}, st.sampled_from(KINDS), st.dictionaries(st.sampled_from(KEYS), values)
)
hands = st.builds(
    lambda kind, square, piece: {"type": kind, "square": square, "piece": piece},
    st.sampled_from(["lift", "drop", "box", "unbox"]),
    st.sampled_from([*SQUARES, None]),
    st.sampled_from(["t", "T", "K"]),
)
messages = st.one_of(known, hands, st.builds(lambda kind: {"type": kind}, words))


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Daemon, VirtualClock]]:
    clock = VirtualClock()
    made = Daemon(
        Settings(), tmp_path_factory.mktemp("board"), clock, lambda: datetime(2026, 3, 1, tzinfo=UTC), AtOnce()
    )
    yield made, clock
    made.session.close()
    made.equipment.board.close()
    made._keeper.close()


@settings(
    derandomize=True,
    deadline=None,
    max_examples=200 * TIMES,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(st.lists(messages, min_size=1, max_size=12))
@example([{"type": "names", "attackers": "\ud800", "defenders": ""}])
@example([{"type": "names", "attackers": "a\u2028b", "defenders": "\x85"}])
@example([{"type": "brightness", "value": 10**400}])
@example([{"type": "\ud800"}])
def test_a_message_is_obeyed_or_refused_in_one_line(
    daemon: tuple[Daemon, VirtualClock], said: list[dict[str, object]]
) -> None:
    made, clock = daemon
    for message in said:
        why = made.face.handle(message)
        if why is not None:
            assert 0 < len(why) <= REFUSAL_MAX + len(" … ")
            assert why.isprintable()
        clock._now += 0.25
        made.session.step(clock.now())
        made.face.release()
        told = made.face.state()
        text = json.dumps(told, ensure_ascii=False, allow_nan=False).encode()
        assert len(text) < 200_000
