"""The computer at the board, in virtual time: when it thinks, what is shown, what is thrown away."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from boardd.computer.engine_failure import EngineFailedError, Trouble
from boardd.computer.opponent import GIVE_UP, Opponent
from boardd.replay import replay_file
from boardd.settings import Settings, parse
from engine import Game, Move, parse_square
from tests.boardd.daemons import Table, table

pytestmark = pytest.mark.usefixtures("quick_disk")

DEFENDERS = '[opponent]\nengine = "konakis"\n'
ATTACKERS = DEFENDERS + 'side = "attackers"\n'
OLD = ("a4-a3", "e3-f3")


class FakeMind:
    """Is asked, and answers when a test says so."""

    def __init__(self) -> None:
        self.games: list[Game] = []
        self.kinds: list[str] = []
        self.cancelled = 0
        self.closed = False
        self._answer: asyncio.Future[Move | None] | None = None

    async def choose(self, game: Game, seconds: float) -> Move | None:
        return await self._ask("move", game)

    async def best(self, game: Game, seconds: float) -> Move:
        move = await self._ask("hint", game)
        assert move is not None
        return move

    async def close(self) -> None:
        self.closed = True

    async def _ask(self, kind: str, game: Game) -> Move | None:
        assert self._answer is None, "asked twice at once"
        self.kinds.append(kind)
        self.games.append(game)
        self._answer = asyncio.get_running_loop().create_future()
        try:
            return await self._answer
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self._answer = None

    def thinks(self) -> bool:
        return self._answer is not None

    def answer(self, move: str | None) -> None:
        assert self._answer is not None
        if move is None:
            self._answer.set_result(None)
            return
        found = self.games[-1].find(*(parse_square(name, 9) for name in move.split("-")))
        assert found is not None
        self._answer.set_result(found)

    def fail(self, error: Exception) -> None:
        assert self._answer is not None
        self._answer.set_exception(error)


Play = Callable[[Table, FakeMind], Awaitable[None]]


def at_board(directory: Path, play: Play, configuration: str = DEFENDERS) -> FakeMind:
    mind = FakeMind()

    async def whole() -> None:
        async with table(directory, settings(configuration), mind=mind) as board:
            await play(board, mind)

    asyncio.run(whole())
    assert mind.closed
    return mind


def settings(configuration: str) -> Settings:
    return parse(configuration, "test")


def computer(board: Table) -> dict[str, Any]:
    told = board.state["computer"]
    assert isinstance(told, dict)
    return told


def test_its_move_is_shown_until_it_is_made_and_captures_are_asked_for(tmp_path: Path) -> None:
    async def play(board: Table, mind: FakeMind) -> None:
        assert not mind.thinks()
        assert computer(board)["side"] == "defenders"
        await board.make("d1", "d3")
        assert mind.thinks()
        assert computer(board)["thinking"]
        assert not {"engine-from", "engine-to"} & set(board.lit.values())
        mind.answer("e3-f3")
        await board.wait(0.1)
        assert (computer(board)["chosen"], computer(board)["thinking"]) == ("e3-f3", False)
        assert (board.lit["e3"], board.lit["f3"]) == ("engine-from", "engine-to")
        await board.make("e3", "g3")  # one square too far
        assert board.played == ["d1-d3"]
        assert board.state["illegal"]["reason"] == "not-the-chosen-move"
        await board.make("g3", "f3")
        assert board.played == ["d1-d3", "e3-f3"]
        assert computer(board)["chosen"] is None
        assert not {"engine-from", "engine-to"} & set(board.lit.values())
        assert len(mind.games) == 1

    at_board(tmp_path, play)


def test_it_moves_first_where_its_side_does(tmp_path: Path) -> None:
    async def play(board: Table, mind: FakeMind) -> None:
        assert mind.thinks()
        mind.answer("d1-d3")
        await board.wait(0.1)
        await board.make("d1", "d3")
        assert not mind.thinks()
        await board.make("e3", "f3")
        assert mind.thinks()
        assert [ply.move.text(9) for ply in mind.games[-1].plies] == ["d1-d3", "e3-f3"]

    at_board(tmp_path, play, ATTACKERS)


def test_it_waits_for_the_hands(tmp_path: Path) -> None:
    async def play(board: Table, mind: FakeMind) -> None:
        await board.make("d1", "d3")
        await board.say("lift", square="a4")
        await board.wait(0.2)
        mind.answer("e3-f3")
        await board.wait(1.0)
        assert computer(board)["chosen"] is None
        await board.say("drop", square="a4")
        await board.wait(0.2)
        assert computer(board)["chosen"] == "e3-f3"

    at_board(tmp_path, play)


def test_an_amended_move_is_thought_about_anew(tmp_path: Path) -> None:
    async def play(board: Table, mind: FakeMind) -> None:
        await board.make("d1", "d2")
        assert mind.thinks()
        await board.make("d2", "d3")
        assert mind.cancelled == 1
        assert [ply.move.text(9) for ply in mind.games[-1].plies] == ["d1-d3"]
        assert mind.thinks()

    at_board(tmp_path, play)


@pytest.mark.parametrize("word", ["takeback", "new-game"])
def test_a_takeback_or_a_new_game_throws_its_answer_away(tmp_path: Path, word: str) -> None:
    async def play(board: Table, mind: FakeMind) -> None:
        await board.make("d1", "d3")
        assert mind.thinks()
        await board.command(word)
        if word == "new-game":
            await board.command("confirm")
        await board.wait(0.2)
        assert mind.cancelled == 1
        assert not mind.thinks()
        if word == "takeback":
            await board.make("d3", "d1")
        await board.make("a4", "a3")
        assert [ply.move.text(9) for ply in mind.games[-1].plies] == ["a4-a3"]
        mind.answer("e3-f3")
        await board.wait(0.1)
        assert computer(board)["chosen"] == "e3-f3"

    at_board(tmp_path, play)


def test_a_takeback_by_hand_while_it_thinks(tmp_path: Path) -> None:
    async def play(board: Table, mind: FakeMind) -> None:
        await board.make("d1", "d3")
        await board.make("d3", "d1")
        assert mind.cancelled == 1
        assert board.played == []
        assert not mind.thinks()

    at_board(tmp_path, play)


def test_a_chosen_move_is_shown_again_after_a_restart(tmp_path: Path) -> None:
    async def play(board: Table, mind: FakeMind) -> None:
        await board.make("d1", "d3")
        mind.answer("e3-f3")
        await board.wait(0.5)

    async def again(board: Table, mind: FakeMind) -> None:
        await board.wait(0.2)
        assert computer(board)["chosen"] == "e3-f3"
        assert (board.lit["e3"], board.lit["f3"]) == ("engine-from", "engine-to")
        assert not mind.games
        await board.make("e3", "f3")
        assert board.played == ["d1-d3", "e3-f3"]

    at_board(tmp_path, play)
    at_board(tmp_path, again)


def test_an_engine_that_fails_is_asked_again_and_it_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play(board: Table, mind: FakeMind) -> None:
        await board.make("d1", "d3")
        for trouble in Trouble:
            mind.fail(EngineFailedError(trouble, f"because of {trouble.value}"))
            await board.wait(0.05)
            assert computer(board)["trouble"] == trouble.value
            await board.wait(30.0)
            assert mind.thinks()
        mind.answer("e3-f3")
        await board.make("e3", "f3")
        assert board.played == ["d1-d3", "e3-f3"]
        assert computer(board)["trouble"] == "illegal"
        await board.make("d9", "d8")
        assert computer(board)["trouble"] is None

    with caplog.at_level(logging.WARNING):
        at_board(tmp_path, play)
    assert [record.message for record in caplog.records if "because of hung" in record.message]


def test_a_fault_of_our_own_ends_no_game(tmp_path: Path) -> None:
    async def play(board: Table, mind: FakeMind) -> None:
        await board.make("d1", "d3")
        mind.fail(RuntimeError("oops"))
        await board.wait(0.1)
        assert mind.thinks()
        mind.answer("e3-f3")
        await board.wait(0.1)
        assert computer(board)["chosen"] == "e3-f3"

    at_board(tmp_path, play)


def test_our_own_engine_takes_over_from_one_that_fails_again_and_again(tmp_path: Path) -> None:
    spare = FakeMind()

    async def play(board: Table, mind: FakeMind) -> None:
        board.daemon.opponent = opponent = Opponent(board.settings.opponent, board.daemon.session, mind, spare)
        await board.make("d1", "d3")
        for _ in range(GIVE_UP):
            await board.wait(3.0)
            mind.fail(EngineFailedError(Trouble.CRASHED, "it ended"))
            await board.wait(0.1)
        await board.wait(0.1)
        assert mind.closed
        assert spare.thinks()
        told = opponent.to_json()
        assert told is not None
        assert told["replaced"] is True

    at_board(tmp_path, play)


def test_it_resigns(tmp_path: Path) -> None:
    async def play(board: Table, mind: FakeMind) -> None:
        await board.make("d1", "d3")
        mind.answer(None)
        await board.wait(0.2)
        assert board.state["result"] == {"winner": "attackers", "reason": "resignation"}
        assert not mind.thinks()

    at_board(tmp_path, play)


@pytest.mark.parametrize("configuration", ["", DEFENDERS])
def test_a_hint_shines_until_the_board_changes(tmp_path: Path, configuration: str) -> None:
    async def play(board: Table, mind: FakeMind) -> None:
        await board.command("hint")
        assert mind.kinds == ["hint"]
        assert computer(board)["hinting"]
        mind.answer("d1-d3")
        await board.wait(0.1)
        assert not computer(board)["hinting"]
        assert {square for square, role in board.lit.items() if role == "hint"} == {"d1", "d3"}
        await board.wait(20.0)
        assert board.lit["d1"] == "hint"
        await board.say("lift", square="a4")
        await board.wait(0.3)
        assert "hint" not in board.lit.values()
        await board.say("drop", square="a4")
        await board.wait(0.3)
        assert "hint" not in board.lit.values()

    at_board(tmp_path, play, configuration)


def test_a_hint_waits_for_the_pieces_and_shines_alone(tmp_path: Path) -> None:
    def hints(board: Table) -> set[str]:
        return {square for square, role in board.lit.items() if role == "hint"}

    async def play(board: Table, mind: FakeMind) -> None:
        await board.make("d1", "d3")
        await board.command("takeback")
        await board.command("hint")
        assert not mind.thinks()  # d3 has to go back to d1
        assert (computer(board)["hinting"], computer(board)["hint_waits"]) == (True, True)
        await board.make("d3", "d1")
        assert mind.thinks()
        assert (computer(board)["hinting"], computer(board)["hint_waits"]) == (True, False)
        assert (hints(board), board.state["hint"]) == ({"e5"}, [])  # the pieces may have been swapped: the king is here
        mind.answer("d1-d3")
        await board.wait(0.1)
        assert (hints(board), board.state["hint"]) == ({"d1", "d3"}, ["d1", "d3"])
        await board.say("lift", square="a4")
        await board.wait(0.3)
        await board.say("drop", square="a4")
        await board.wait(0.5)
        assert (hints(board), board.state["hint"]) == ({"e5"}, [])

    at_board(tmp_path, play, "")


def test_a_hint_is_for_the_game_it_was_asked_for(tmp_path: Path) -> None:
    async def play(board: Table, mind: FakeMind) -> None:
        await board.command("hint")
        await board.make("d1", "d3")
        assert mind.cancelled == 1
        assert mind.kinds == ["hint"] * 2  # still wanted, now for the side that moves next
        mind.fail(EngineFailedError(Trouble.HUNG, "no answer"))
        await board.wait(5.0)
        mind.fail(EngineFailedError(Trouble.HUNG, "no answer"))
        await board.wait(5.0)
        mind.fail(EngineFailedError(Trouble.HUNG, "no answer"))
        await board.wait(60.0)
        assert not mind.thinks()
        assert not computer(board)["hinting"]

    at_board(tmp_path, play, "")


def test_no_hint_where_none_is_of_use(tmp_path: Path) -> None:
    async def play(board: Table, mind: FakeMind) -> None:
        await board.make("d1", "d3")
        assert "computer's turn" in board.refused("command", command="hint")
        mind.answer("e3-f3")
        await board.make("e3", "f3")
        await board.command("resign")
        assert "over already" in board.refused("command", command="hint")

    at_board(tmp_path, play)


def test_no_hint_while_the_board_asks(tmp_path: Path) -> None:
    async def play(board: Table, mind: FakeMind) -> None:
        await board.make("d1", "d3")
        await board.command("new-game")
        assert "answer that first" in board.refused("command", command="hint")
        await board.command("cancel")
        await board.command("hint")
        assert mind.thinks()

    at_board(tmp_path, play, "")


def test_the_trace_of_a_game_against_the_computer_replays(tmp_path: Path) -> None:
    async def play(board: Table, mind: FakeMind) -> None:
        await board.command("hint")
        mind.answer("d1-d3")
        await board.wait(0.5)
        await board.make("d1", "d3")
        mind.answer("e3-f3")
        await board.make("e3", "f3")
        assert board.played == ["d1-d3", "e3-f3"]
        await board.say("lift", square="a4")  # a trace is replayed up to its last line

    at_board(tmp_path, play)

    (trace,) = (tmp_path / "traces").glob("*.jsonl")
    events = [event.to_json(9) for event in replay_file(str(trace), leds=True)]
    assert [event["move"] for event in events if event["event"] == "move"] == ["d1-d3", "e3-f3"]
    roles = {role for event in events if event["event"] == "leds" for role in event["squares"].values()}
    assert {"hint", "engine-from", "engine-to"} <= roles
