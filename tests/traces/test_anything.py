"""News that no board in order would send, and timings that nobody would choose: the output still holds together."""

import random
from collections.abc import Callable

import pytest

from boardd.settings import PlaySettings
from engine import Square, square_name
from tests.traces.answers import Json, run
from tests.traces.following import COMMANDS, Follower, assert_comes_to_rest, assert_contract, driven, monkey
from tests.traces.positions import begun
from tests.traces.script import boards

SIZE = 9
EVERY = [square_name(Square(square), SIZE) for square in range(SIZE * SIZE)]
TIMINGS = [key for key in PlaySettings.model_fields if key.endswith("_ms")]


def pause(rng: random.Random) -> float:
    return rng.choice((rng.randint(0, 60), rng.randint(60, 700), rng.randint(700, 12_000))) / 1000


def deed(rng: random.Random) -> tuple[str, object]:
    make: Callable[[], tuple[str, object]] = rng.choice(
        (
            lambda: (rng.choice(("lift", "drop", "toggle")), rng.choice(EVERY)),
            lambda: (rng.choice(("lift", "drop", "toggle")), rng.choice(EVERY)),
            lambda: ("carry", rng.randrange(500)),
            lambda: ("carry", rng.randrange(500)),
            lambda: ("carry", rng.randrange(500)),
            lambda: ("scan", None),
            lambda: ("command", rng.choice(COMMANDS)),
            lambda: ("restart", None),
        )
    )
    return make()


def assert_holds_together(lines: list[Json]) -> None:
    events = run([*lines, {"t": lines[-1]["t"] + 30.0, "end": True}])
    assert_contract(events)
    follower = Follower(lines[0])
    for event in events:
        follower.take(event)
    assert list(follower.texts()) == events[-1]["moves"]
    assert_comes_to_rest(*driven(lines))


@pytest.mark.parametrize("seed", range(40))
def test_timings_that_nobody_would_choose(seed: int) -> None:
    rng = random.Random(f"timings {seed}")
    game = begun(rng.randrange(10**6))
    header: Json = {"konakis": 1, "rules": game.book.name, "position": game.start, "side": game.first_side.value}
    chosen = rng.sample(TIMINGS, rng.randint(1, len(TIMINGS)))
    header["settings"] = {key: rng.choice((0, 0, 1, 10, 50, 200, 1000, 5000)) for key in chosen}
    if rng.random() < 0.3:
        header["masked"] = rng.sample(EVERY, rng.randint(1, 3))
    if rng.random() < 0.3:
        header["opponent"] = rng.choice(("attackers", "defenders"))
    lines = monkey(header, [(deed(rng), pause(rng)) for _ in range(rng.randint(1, 25))])
    for _ in range(3 if "opponent" in header else 0):
        move = rng.choice(game.legal_moves())
        place = rng.randint(1, len(lines) - 1)
        text = f"{square_name(move.origin, SIZE)}-{square_name(move.destination, SIZE)}"
        lines.insert(place, {"t": lines[place]["t"], "opponent-move": text})
    assert_holds_together(lines)


@pytest.mark.parametrize("seed", range(40))
def test_news_that_no_board_in_order_would_send(seed: int) -> None:
    """Numbers that jump and go back, readings of anything, whole lines that come and go."""
    rng = random.Random(f"news {seed}")
    game = begun(rng.randrange(10**6))
    lines: list[Json] = [{"konakis": 1, "rules": game.book.name, "position": game.start, "side": game.first_side.value}]
    standing = sorted(boards(lines)[0][1])
    t, number = 0.5, 0
    for _ in range(rng.randint(1, 25)):
        some = rng.sample(EVERY, rng.choice((1, 1, 1, 2, 5)))
        at = rng.randrange(SIZE)
        whole = rng.choice((EVERY[SIZE * at : SIZE * at + SIZE], EVERY[at::SIZE]))
        word = rng.choice(("lift", "drop"))
        line: Json = rng.choice(
            (
                {"scan": standing},
                {"scan": sorted(set(standing).symmetric_difference(some))},
                {word: [square for square in whole if square in standing]},
                {word: some},
                {word: some},
            )
        )
        if rng.random() < 0.6:
            number += rng.choice((1, 1, 1, 1, 2, 0, -3))
            line = line | {"seq": number}
        lines.append({"t": t} | line)
        t = round(t + pause(rng), 4)
    assert_holds_together(lines)
