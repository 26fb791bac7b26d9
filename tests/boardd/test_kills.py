"""`kill -9` of the daemon at a hundred instants: every game goes on where it was, nothing lost, nothing twice."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from engine import BOOKS
from tests.boardd.commands import Terminal
from tests.boardd.nursing import PATIENCE_S, Life, nursing
from tests.boardd.undaunted import Hands

ROUNDS = int(os.environ.get("KONAKIS_KILL_ROUNDS", "1"))
"""Of a hundred kills each; `KONAKIS_KILL_ROUNDS=10 pytest -s tests/boardd/test_kills.py` kills a thousand times."""

ANEW = 10
"""So many starts apart the daemon gets a Python of its own, as when a user starts it."""

CONFIGURATION = """
[page]
port = 0
[storage]
directory = "{directory}"
[log]
level = "warning"
[board]
poll_hz = 200
[play]
debounce_ms = 10
overlap_ms = 40
settle_ms = 40
settle_sliding_ms = 70
settle_final_ms = 100
held_ms = 20
victim_removed_ms = 20
victim_back_ms = 40
takeback_ms = 60
illegal_ms = 300
mismatch_ms = 500
two_moves_ms = 50
new_game_ms = 200
draw_ms = 10
"""
"""Everything in a tenth of the time: hands that are as fast bring many instants into a short test."""


@dataclass(frozen=True, slots=True)
class Aim:
    """What a kill waits for.

    Attributes:
        moment: What the hands have just done, or `any`, or `start` for a daemon that has not opened its page.
        late_s: How long after the moment it may come, in seconds.
        kills: How many kills wait for this.
        passes: So many such moments may go by first.

    """

    moment: str
    late_s: float
    kills: int
    passes: int = 0


AIMS = (
    Aim("any", late_s=1.0, kills=25),
    Aim("hand", late_s=0.06, kills=17, passes=3),
    Aim("way", late_s=0.12, kills=15, passes=1),
    Aim("down", late_s=0.15, kills=20, passes=2),
    Aim("standing", late_s=0.06, kills=15),
    Aim("start", late_s=0.1, kills=8),
)
"""Most kills aim at a kind of moment, since the telling ones are short."""

KILLS = sum(aim.kills for aim in AIMS)
LONGEST_S = 3.0
"""A moment that does not come is waited for no longer."""
FEWEST = {"in the hand": 8, "on the way": 4, "put down": 4, "captured pieces stand": 4}
"""So many kills, at least, must have come into each of these."""
MOST_UNLIKE = 2
"""So many traces, at most, may not replay to their game, and must say so: the trace may have noted a move that a kill
kept the game's file from holding; if the hands then put that piece back, the replay takes back what never was."""


class Killer:
    """Kills one daemon after another, each when its moment has come."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._aims = [aim for aim in AIMS for _ in range(aim.kills)]
        dice.shuffle(self._aims)
        self._life: Life | None = None
        self._aim = AIMS[0]
        self._passed = 0
        self._until = 0.0

    def choose(self, life: Life) -> None:
        """Take aim at a daemon."""
        self._life, self._aim = life, self._aims.pop()
        self._passed = self._dice.randint(0, self._aim.passes)
        if self._aim.moment == "start":
            life.doom(self._dice.uniform(0.0, self._aim.late_s))

    def meet(self) -> None:
        """Take note that it plays."""
        assert self._life is not None
        self._until = time.monotonic() + LONGEST_S
        if self._aim.moment == "any":
            self._life.doom(self._dice.uniform(0.0, self._aim.late_s))

    def see(self, moment: str) -> None:
        """Take note of a moment."""
        if self._life is None:
            return
        if moment == self._aim.moment:
            self._passed -= 1
        if self._passed < 0 or time.monotonic() > self._until:
            self._life.doom(self._dice.uniform(0.0, self._aim.late_s))

    def rest(self) -> None:
        """Kill no more."""
        self._life = None


@contextmanager
def page(address: str) -> Iterator[ClientConnection]:
    with connect(
        address.replace("http", "ws") + "/ws", additional_headers={"Origin": address}, open_timeout=PATIENCE_S
    ) as connection:
        yield connection


def live(life: Life, hands: Hands, killer: Killer) -> str:
    """Play until the daemon is killed; say what the kill before came into, or that this one came before the page."""
    found = "starting"
    try:
        address = life.address()
        if address is not None:
            with page(address) as connection:
                found = hands.begin(connection)
                killer.meet()
                hands.play()
    except (WebSocketException, ConnectionError, EOFError):
        assert life.doomed, "the daemon let go of its page by itself"
    assert life.end() == -signal.SIGKILL
    return found


@pytest.mark.parametrize("seed", range(2015, 2015 + ROUNDS))
def test_kills_lose_nothing_and_repeat_nothing(konakis: Terminal, tmp_path: Path, seed: int) -> None:
    config, complaints = tmp_path / "board.toml", tmp_path / "complaints"
    config.write_text(CONFIGURATION.format(directory=tmp_path / "state"))
    dice = random.Random(seed)
    killer = Killer(dice)
    hands = Hands(BOOKS["tablut-edge"], dice, killer.see)
    came_into: Counter[str] = Counter()
    with nursing(config, complaints) as nursery:
        for number in range(KILLS):
            life = nursery.start(anew=number % ANEW == 0)
            killer.choose(life)
            came_into[live(life, hands, killer)] += 1
        killer.rest()
        life = nursery.start()
        address = life.address()
        assert address is not None
        with page(address) as connection:
            came_into[hands.begin(connection)] += 1
            hands.play(until=lambda: True)
        assert life.stop() == 0
    games = [*hands.ended, hands.unfinished]
    assert complaints.read_text() == ""
    assert {what: came_into[what] for what, fewest in FEWEST.items() if came_into[what] < fewest} == {}
    kept = konakis("games", "list", "--config", config, "--json").json["games"]
    assert [game["number"] for game in kept] == list(range(1, len(games) + 1))
    unlike = 0
    for number, game in enumerate(games, start=1):
        shown = konakis("games", "show", number, "--config", config, "--json").json
        assert tuple((ply["move"], tuple(ply["captures"])) for ply in shown["plies"]) == game.moves
        assert shown["result"] == game.result
        traced = konakis("games", "trace", number, "--config", config)
        replayed = konakis("replay", "-", "--json", stdin=traced.out).lines[-1]["moves"]
        same = replayed == [move + "x" * bool(taken) + "/".join(taken) for move, taken in game.moves]
        assert same is (traced.err == "")
        unlike += not same
    assert unlike <= MOST_UNLIKE
    print(f"seed {seed}: {KILLS} kills, {hands.plies} plies in {len(games)} games, {unlike} traces unlike their game")
    print(f"kills came into: {dict(came_into)}")
