"""A finished game is judged for the page's curve, position by position."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from boardd.computer.engine_failure import EngineFailedError, Trouble
from boardd.computer.looking_back import LookingBack
from engine import Game
from engine.search import Value
from tests.boardd.daemons import Table, table

pytestmark = pytest.mark.usefixtures("quick_disk")


class FakeJudge:
    """Holds the attackers to be a soldier further ahead with each move."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.asked: list[int] = []
        self.closed = 0
        self._fails_at = fails_at

    async def value(self, game: Game, seconds: float) -> Value:
        number = len(game.plies)
        self.asked.append(number)
        if number == self._fails_at:
            raise EngineFailedError(Trouble.CRASHED, "it ended")
        await asyncio.sleep(0)
        return Value(100 * number)

    async def close(self) -> None:
        self.closed += 1


def at_board(directory: Path, judge: FakeJudge, play: Callable[[Table], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with table(directory) as board:
            looking_back = LookingBack(board.daemon.session, judge)
            board.daemon.looking_back = looking_back
            board.face._looking_back = looking_back
            await play(board)

    asyncio.run(whole())
    assert judge.closed


def curve(board: Table) -> Any:
    return board.state["curve"]


def test_it_begins_when_the_game_is_over_and_somebody_asks(tmp_path: Path) -> None:
    judge = FakeJudge()

    async def play(board: Table) -> None:
        assert "not over" in board.refused("look-back")
        await board.make("d1", "d3")
        await board.make("e3", "f3")
        assert "not over" in board.refused("look-back")
        await board.command("resign")
        assert curve(board) is None
        await board.say("look-back")
        await board.wait(0.2)
        assert curve(board) == {"chances": [0.5, 0.622, 0.0], "busy": False}
        await board.say("look-back")
        assert judge.asked == [0, 1]
        await board.command("takeback")
        await board.wait(0.1)
        assert curve(board) is None

    at_board(tmp_path, judge, play)


def test_a_new_game_is_never_told_with_the_old_ones_curve(tmp_path: Path) -> None:
    async def play(board: Table) -> None:
        await board.make("d1", "d3")
        await board.command("resign")
        await board.say("look-back")
        await board.wait(0.2)
        assert curve(board) is not None
        old = curve(board)
        assert board.face.handle({"type": "command", "command": "new-game"}) is None  # and no time goes by
        assert (len(board.state["moves"]), curve(board)) == (1, old), "nothing is told before the disk has it"
        await board.wait(0.1)
        assert (board.state["moves"], curve(board)) == ([], None)

    at_board(tmp_path, FakeJudge(), play)


def test_a_judge_that_fails_leaves_what_there_is(tmp_path: Path) -> None:
    judge = FakeJudge(fails_at=1)

    async def play(board: Table) -> None:
        await board.make("d1", "d3")
        await board.make("e3", "f3")
        await board.command("resign")
        await board.say("look-back")
        await board.wait(0.2)
        assert curve(board) == {"chances": [0.5], "busy": False}

    at_board(tmp_path, judge, play)
