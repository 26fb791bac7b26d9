"""A program that is not ours plays at the board: named by its path, it speaks nothing but the protocol."""

import asyncio
import random
import sys
from pathlib import Path

import pytest

from boardd.computer.engine_process import EngineProcess
from boardd.settings import parse
from engine import BOOKS, Game, Move, Reason, Side
from engine.search import Limits, Searcher
from tests.boardd.daemons import Table, table

FOREIGN = Path(__file__).with_name("foreign_engine.py")
NODES = 300
ANSWER_S = 30.0
MOST_PLIES = 120
LONG_PLIES = 60


async def chosen(board: Table) -> Move:
    """Wait, in real time, for the other program's move; the board stands still meanwhile."""
    loop = asyncio.get_running_loop()
    end = loop.time() + ANSWER_S
    while (text := board.state["computer"]["chosen"]) is None:
        assert loop.time() < end, board.state["computer"]
        await asyncio.sleep(0.001)
        await board.wait(0.02)
    game = board.daemon.session.game
    return next(move for move in game.legal_moves() if move.text(game.size).partition("x")[0] == text)


@pytest.mark.usefixtures("quick_disk")
@pytest.mark.parametrize(("side", "seed"), [(Side.ATTACKERS, 1), (Side.DEFENDERS, 2)])
def test_a_whole_game_against_a_foreign_program(tmp_path: Path, side: Side, seed: int) -> None:
    program = tmp_path / "other engine.py"
    program.write_text(f"#!{sys.executable}\n{FOREIGN.read_text(encoding='utf-8')}", encoding="utf-8")
    program.chmod(0o755)
    settings = parse(f'[opponent]\nengine = "\'{program}\' {seed}"\nside = "{side.value}"\n', "test")
    searcher = Searcher(BOOKS["tablut-edge"])

    async def play() -> Game:
        async with table(tmp_path / "state", settings) as board:
            game = board.daemon.session.game
            while game.result is None and len(game.plies) < MOST_PLIES:
                if game.side is side:
                    move = await chosen(board)
                    lit = {role: square for square, role in board.lit.items()}
                    assert f"{lit['engine-from']}-{lit['engine-to']}" == move.text(9).partition("x")[0]
                else:
                    move = searcher.best_move(game, Limits(nodes=NODES)).move
                await board.play(move)
                game = board.daemon.session.game
            told = board.state["computer"]
            assert (told["trouble"], told["replaced"]) == (None, False)
            return game

    game = asyncio.run(play())
    assert game.result is not None
    assert game.result.winner is side.other
    assert game.result.reason in (Reason.KING_ESCAPED, Reason.KING_CAPTURED)
    assert len(game.plies) > 4


def test_a_long_game_may_be_told_to_a_program_that_repeats_what_it_hears() -> None:
    """After a takeback everything is told anew: more lines of echo than a babbler would be allowed at first sight."""
    game = Game(BOOKS["hnefatafl-11"])
    draw = random.Random(1)
    while len(game.plies) < LONG_PLIES:
        game.play(draw.choice([move for move in game.legal_moves() if not move.captures]))

    async def ask() -> tuple[Move | None, int]:
        engine = EngineProcess([sys.executable, str(FOREIGN), "1"])
        try:
            return await engine.choose(game, ANSWER_S), engine.starts
        finally:
            await engine.close()

    move, starts = asyncio.run(ask())
    assert move in game.legal_moves()
    assert starts == 1
