import asyncio
import json
import random
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from boardd.history import History
from engine import BOOKS, Game
from tests.boardd.daemons import Table, table

pytestmark = pytest.mark.usefixtures("quick_disk")

KEYS = {
    *("computer", "curve", "health", "box", "in_hand"),
    *("type", "version", "rules", "size", "simulated", "connected", "stored", "damaged", "pieces", "board"),
    *("sensors", "side", "ply", "moves", "start", "result", "announce", "whose", "state", "removals", "mismatch"),
    *("illegal", "question", "lights", "hint", "level", "brightness", "names", "allowed", "goal", "camps"),
}


def at_table(directory: Path, play: Callable[[Table], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with table(directory) as board:
            await play(board)

    asyncio.run(whole())


def test_the_state_has_every_key_and_is_json(tmp_path: Path) -> None:
    async def play(board: Table) -> None:
        state = board.state
        assert set(state) == KEYS
        assert json.loads(json.dumps(state)) == state
        assert state["type"] == "state"
        assert (state["rules"], state["size"], state["side"], state["ply"]) == ("tablut-edge", 9, "attackers", 0)
        assert state["pieces"] == state["board"]
        assert sorted(state["sensors"]) == sorted(state["board"])
        assert state["health"] == {"noisy": [], "untrusted": []}
        assert state["result"] is state["question"] is state["illegal"] is state["whose"] is None
        assert state["level"] == "captures"
        assert state["lights"]["a1"] == {"role": "turn", "colour": "#ff9f40", "rhythm": "steady", "brightness": 0.15}

    at_table(tmp_path, play)


def test_every_key_is_told_in_the_document() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "page.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    told = {key for row in rows for key in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert told == KEYS


def test_moves_carry_the_position_after_each(tmp_path: Path) -> None:
    async def play(board: Table) -> None:
        game = Game(BOOKS["tablut-edge"])
        for origin, destination in (("d1", "d3"), ("c5", "c4"), ("f1", "f4")):
            await board.make(origin, destination)
        for ply in board.state["moves"]:
            found = next(m for m in game.legal_moves() if m.text(9).startswith(ply["move"]))
            game.play(found)
            assert ply["position"] == game.position
        assert board.state["side"] == "defenders"

    at_table(tmp_path, play)


def test_hands_are_seen_at_once_and_sensors_when_they_settle(tmp_path: Path) -> None:
    async def play(board: Table) -> None:
        assert board.face.handle({"type": "lift", "square": "d1"}) is None
        assert board.state["in_hand"] == [["t", "d1"]]
        assert "d1" in board.state["sensors"]
        await board.wait(0.1)
        assert "d1" not in board.state["sensors"]
        await board.say("box")
        assert board.state["box"] == ["t"]
        await board.say("unbox", piece="t", square="d1")
        await board.wait(0.5)
        assert board.state["state"] == "ready"

    at_table(tmp_path, play)


def test_an_illegal_resting_place_is_told_while_it_lasts(tmp_path: Path) -> None:
    async def play(board: Table) -> None:
        await board.say("lift", square="d1")
        await board.wait(0.3)
        await board.say("drop", square="c2")
        await board.wait(1.5)
        assert board.state["illegal"] == {"from": "d1", "to": "c2", "reason": "diagonal"}
        await board.make("c2", "d1")
        assert board.state["illegal"] is None
        assert board.state["state"] == "ready"

    at_table(tmp_path, play)


def test_a_mess_is_told_square_by_square(tmp_path: Path) -> None:
    async def play(board: Table) -> None:
        for square in ("a4", "a5", "a6"):
            await board.say("box", square=square)
        await board.say("unbox", piece="t", square="a1")
        await board.say("unbox", piece="t", square="i1")
        await board.wait(4.0)
        assert board.state["mismatch"] == {"missing": ["a4", "a5", "a6"], "extra": ["a1", "i1"]}

    at_table(tmp_path, play)


def test_announcements_tell_whose_they_are(tmp_path: Path) -> None:
    async def play(board: Table) -> None:
        rng = random.Random(1)
        said = set()
        for _ in range(40):
            game = board.daemon.session.game
            if game.result is not None:
                break
            legal = game.legal_moves()
            await board.play(rng.choice([move for move in legal if move.captures] or legal))
            state = board.state
            last = board.daemon.session.game.plies[-1]
            if state["result"] is None and last.announcements:
                said.update(state["announce"])
                assert state["announce"] == [word.value for word in last.announcements]
                assert state["whose"] == last.whose(last.announcements[0]).value
        assert said

    at_table(tmp_path, play)


def test_the_hint_level_changes_what_is_lit(tmp_path: Path) -> None:
    async def play(board: Table) -> None:
        await board.say("hints", level="off")
        await board.wait(0.1)
        assert board.state["level"] == "off"
        assert board.lit == {}
        await board.say("hints", level="coach")
        await board.wait(0.1)
        assert board.lit

    at_table(tmp_path, play)


def test_brightness_and_names_are_taken(tmp_path: Path) -> None:
    async def play(board: Table) -> None:
        await board.say("brightness", value=0)
        assert board.state["brightness"] == 0.0
        assert not board.daemon.hands.board.lights.lit()
        await board.say("brightness", value=1.0)
        await board.wait(0.1)  # no more than thirty pictures a second
        assert board.daemon.hands.board.lights.lit()
        await board.say("names", attackers=" Anna ", defenders="Борис")
        assert board.state["names"] == {"attackers": "Anna", "defenders": "Борис"}

    at_table(tmp_path, play)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"type": "command", "command": "takeback"}, "no move was played"),
        ({"type": "command", "command": "confirm"}, "the board has asked nothing"),
        ({"type": "command", "command": "cancel"}, "the board has asked nothing"),
        ({"type": "command", "command": "new-game"}, "has not begun yet"),
        ({"type": "command", "command": "hints"}, "expected a message of type hints"),
        ({"type": "command", "command": "dance"}, "found command 'dance', expected one of resign, draw"),
        ({"type": "command", "command": 7}, "found a message 'command'"),
        ({"type": "command"}, "found a message 'command'"),
        ({"type": "hints", "level": "loud"}, "found level 'loud', expected one of off, rules"),
        ({"type": "brightness", "value": 2}, "brightness: found 2, expected 0 to 1"),
        ({"type": "brightness", "value": float("nan")}, "brightness: found nan, expected 0 to 1"),
        ({"type": "brightness", "value": True}, "found a message 'brightness'"),
        ({"type": "names", "attackers": "a]", "defenders": ""}, "none of [ ] |"),
        ({"type": "names", "attackers": "x" * 81, "defenders": ""}, "at most 80 characters"),
        ({"type": "names", "attackers": "x\ny", "defenders": ""}, "none of [ ] |"),
        ({"type": "names", "attackers": "x"}, "found a message 'names'"),
        ({"type": "lift", "square": "z9"}, "found 'z9', expected a square"),
        ({"type": "lift", "square": 5}, "lift: expected a square"),
        ({"type": "lift", "square": "a1"}, "nothing stands on a1"),
        ({"type": "drop", "square": "a1"}, "no piece is in the hand"),
        ({"type": "box"}, "no piece is in the hand"),
        ({"type": "unbox", "piece": "Q", "square": "a1"}, "no such piece lies in the box"),
        ({"type": "unbox", "square": "a1"}, "unbox: expected a square"),
        ({"type": "explode"}, "found a message 'explode'"),
        ({"type": ["lift"]}, "found a message"),
    ],
)
def test_what_means_nothing_is_refused_in_one_line(tmp_path: Path, message: dict[str, Any], why: str) -> None:
    async def play(board: Table) -> None:
        before = board.state
        told = board.face.handle(message)
        assert told is not None
        assert why in told
        assert "\n" not in told
        await board.wait(0.2)
        assert board.state == before

    at_table(tmp_path, play)


def test_before_the_first_move_a_mess_is_set_up_again(tmp_path: Path) -> None:
    async def play(board: Table) -> None:
        start = board.state["board"]
        await board.make("d1", "d3")
        await board.command("takeback")
        assert board.state["mismatch"] == {"missing": ["d1"], "extra": ["d3"]}
        await board.command("new-game")
        await board.wait(1)
        assert board.state["board"] == start
        assert board.state["mismatch"] == {"missing": [], "extra": []}
        assert board.refused("command", command="new-game") == "this game has not begun yet"

    at_table(tmp_path, play)


def test_a_finished_game_takes_no_more_results(tmp_path: Path) -> None:
    async def play(board: Table) -> None:
        await board.make("d1", "d3")
        await board.command("draw")
        assert board.state["result"] == {"winner": None, "reason": "draw-agreed"}
        assert board.refused("command", command="resign") == "the game is over already"
        assert board.refused("command", command="draw") == "the game is over already"
        await board.command("takeback")
        assert board.state["result"] is None

    at_table(tmp_path, play)


def test_random_messages_break_nothing(tmp_path: Path) -> None:
    async def play(board: Table) -> None:
        rng = random.Random(12)
        words = ["lift", "drop", "box", "unbox", "command", "hints", "brightness", "names", "state", ""]
        values = [
            "d1",
            "d3",
            "e5",
            "a1",
            "t",
            "takeback",
            "new-game",
            "confirm",
            "resign",
            "coach",
            0.5,
            None,
            [],
            {},
            7,
        ]
        keys = ["square", "piece", "command", "level", "value", "attackers", "defenders"]
        for _ in range(600):
            message = {"type": rng.choice(words), **{key: rng.choice(values) for key in rng.sample(keys, 3)}}
            told = board.face.handle(message)
            assert told is None or "\n" not in told
            if rng.random() < 0.2:
                await board.wait(rng.uniform(0.02, 1.5))
            json.dumps(board.state)

    at_table(tmp_path, play)


def test_a_history_follows_takebacks_and_new_games() -> None:
    rng = random.Random(4)
    history = History()
    game = Game(BOOKS["tablut-edge"])
    for _ in range(120):
        act = rng.random()
        if act < 0.3 and game.plies:
            game.undo()
        elif act < 0.33:
            game = Game(BOOKS[rng.choice(list(BOOKS))])
        elif game.legal_moves():
            game.play(rng.choice(game.legal_moves()))
        told = history.of(game)
        assert [ply["ply"] for ply in told] == [ply.number for ply in game.plies]
        if told:
            assert told[-1]["position"] == game.position
