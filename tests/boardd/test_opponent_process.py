"""Engines as child processes: those that play, and those that hang, crash, babble, cheat and give up."""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from boardd.computer import engine_child, engine_process
from boardd.computer.engine_command import Patience, engine_command
from boardd.computer.engine_failure import EngineFailedError, Trouble
from boardd.computer.engine_process import EngineProcess
from boardd.computer.otep_messages import HostMessage
from engine import BOOKS, Game, Move, parse_square

FAKE = Path(__file__).with_name("fake_engine.py")
SHORT = Patience(hello_s=60.0, grace_s=0.3, let_go_s=0.5)
THINK_S = 0.2

Run = Callable[[EngineProcess], Coroutine[Any, Any, None]]


def fake(behaviour: str, counter: Path | None = None) -> list[str]:
    command = [sys.executable, "-P", str(FAKE), behaviour]
    return command if counter is None else [*command, str(counter)]


def with_engine(command: list[str], run: Run, patience: Patience = SHORT) -> EngineProcess:
    engine = EngineProcess(command, patience)

    async def whole() -> None:
        try:
            await run(engine)
        finally:
            await engine.close()

    asyncio.run(whole())
    return engine


def game_after(moves: str = "", book: str = "tablut-edge") -> Game:
    game = Game(BOOKS[book])
    for move in moves.split():
        origin, destination = (parse_square(name, game.size) for name in move.split("-"))
        game.play((origin, destination))
    return game


async def fails(asking: Awaitable[Move | None]) -> Trouble:
    with pytest.raises(EngineFailedError) as failure:
        await asking
    assert "\n" not in str(failure.value)
    return failure.value.trouble


def test_a_whole_opening_is_told_to_one_process() -> None:
    async def run(engine: EngineProcess) -> None:
        game = game_after()
        for _ in range(4):
            assert game.result is None
            move = await engine.choose(game, THINK_S)
            assert move == game.legal_moves()[0]
            game.play(move)
            game.play(game.legal_moves()[3])

    assert with_engine(fake("good"), run).starts == 1


def test_a_takeback_and_a_new_game_are_told_from_the_start() -> None:
    async def run(engine: EngineProcess) -> None:
        game = game_after("d1-d3 e3-h3")
        await engine.choose(game, THINK_S)
        game.undo()
        game.play((parse_square("e3", 9), parse_square("f3", 9)))
        assert await engine.choose(game, THINK_S) == game.legal_moves()[0]
        other = game_after(book="hnefatafl-11")
        assert await engine.choose(other, THINK_S) == other.legal_moves()[0]
        given = Game(BOOKS["tablut-edge"], position="/9/9/9/4t4/3tKt3/9/4T4/9/t8/")
        assert await engine.best(given, THINK_S) == given.legal_moves()[0]

    assert with_engine(fake("good"), run).starts == 1


def test_what_an_engine_asks_is_answered() -> None:
    async def run(engine: EngineProcess) -> None:
        game = game_after("d1-d3")
        assert await engine.choose(game, THINK_S) == game.legal_moves()[0]

    with_engine(fake("curious"), run)


def test_an_engine_resigns() -> None:
    async def run(engine: EngineProcess) -> None:
        assert await engine.choose(game_after("d1-d3"), THINK_S) is None

    with_engine(fake("resign"), run)


def test_a_slip_is_pardoned_once() -> None:
    async def run(engine: EngineProcess) -> None:
        game = game_after("d1-d3")
        assert await engine.choose(game, THINK_S) == game.legal_moves()[0]

    assert with_engine(fake("slip"), run).starts == 1


@pytest.mark.parametrize(
    ("behaviour", "trouble"),
    [
        ("hang", Trouble.HUNG),
        ("crash", Trouble.CRASHED),
        ("garbage", Trouble.NONSENSE),
        ("long", Trouble.NONSENSE),
        ("fatal", Trouble.NONSENSE),
        ("illegal", Trouble.ILLEGAL),
    ],
)
def test_a_broken_engine_is_told_and_the_next_question_gets_a_new_one(
    behaviour: str, trouble: Trouble, tmp_path: Path
) -> None:
    async def run(engine: EngineProcess) -> None:
        game = game_after("d1-d3")
        assert await fails(engine.choose(game, THINK_S)) is trouble
        assert await engine.choose(game, THINK_S) == game.legal_moves()[0]

    more = [behaviour] * (2 if behaviour == "illegal" else 1)
    assert with_engine(fake(",".join([*more, "good"]), tmp_path / "asked"), run).starts == 2


def test_an_engine_that_says_no_hello() -> None:
    async def run(engine: EngineProcess) -> None:
        assert await fails(engine.choose(game_after(), THINK_S)) is Trouble.START

    with_engine(fake("mute"), run, Patience(hello_s=0.3, grace_s=0.3, let_go_s=0.3))


@pytest.mark.parametrize("command", [["/nowhere/engine"], ["/etc/passwd"]])
def test_an_engine_that_cannot_be_started(command: list[str]) -> None:
    async def run(engine: EngineProcess) -> None:
        assert await fails(engine.choose(game_after(), THINK_S)) is Trouble.START

    with_engine(command, run)


@pytest.mark.parametrize(("behaviour", "starts"), [("late", 1), ("stubborn", 1), ("hang", 2)])
def test_an_answer_to_a_question_taken_back_is_thrown_away(behaviour: str, starts: int, tmp_path: Path) -> None:
    async def run(engine: EngineProcess) -> None:
        asking = asyncio.create_task(engine.choose(game_after("d1-d3"), 5.0))
        while not (tmp_path / "asked").exists():
            await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        game = game_after("a4-a3 e3-f3")
        assert await engine.choose(game, THINK_S) == game.legal_moves()[0]

    assert with_engine(fake(f"{behaviour},good", tmp_path / "asked"), run).starts == starts


def test_our_own_engine_stops_within_20_ms() -> None:
    async def run(engine: EngineProcess) -> None:
        await engine.choose(game_after("d1-d3"), 1.0)
        asking = asyncio.create_task(engine.best(game_after("d1-d3 e3-f3"), 60.0))
        await asyncio.sleep(0.3)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        loop = asyncio.get_running_loop()
        began = loop.time()
        await engine._let_go()
        assert loop.time() - began < 5.0  # of 60 s; 20 ms are promised, but this machine may have much else to do
        game = game_after("a4-a3")
        move = await engine.choose(game, 1.0)
        assert move in game.legal_moves()

    assert with_engine(engine_command("konakis", 2), run, replace(Patience(), hello_s=60.0)).starts == 1


def test_an_engine_that_talks_without_end_is_ended_and_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_child, "MOST_LINES", 4000)
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async def run(engine: EngineProcess) -> None:
        await engine.greet()
        beside = asyncio.create_task(others())
        assert await fails(engine.choose(game_after("d1-d3"), 60.0)) is Trouble.NONSENSE
        beside.cancel()

    with_engine(fake("flood"), run)
    assert turns > 4000 / 10


def test_an_engine_that_asks_and_does_not_listen_is_not_told_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_child, "MOST_LINES", 10_000)
    told = 0

    class Counting(engine_child.EngineChild):
        def send(self, *messages: HostMessage) -> None:
            nonlocal told
            told += 1
            super().send(*messages)

    monkeypatch.setattr(engine_process, "EngineChild", Counting)

    async def run(engine: EngineProcess) -> None:
        assert await fails(engine.choose(game_after("d1-d3"), 2.0)) is Trouble.HUNG

    with_engine(fake("deaf"), run)
    assert told < 5000


def test_a_second_answer_is_none_to_the_next_question() -> None:
    async def run(engine: EngineProcess) -> None:
        for _ in range(3):
            assert await engine.choose(game_after("d1-d3"), THINK_S) == game_after("d1-d3").legal_moves()[0]

    assert with_engine(fake("twice"), run).starts == 1


def test_an_engine_whose_child_keeps_the_pipe_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_child, "GONE_S", 0.2)
    child = tmp_path / "child"

    async def run(engine: EngineProcess) -> None:
        try:
            async with asyncio.timeout(20):
                assert await fails(engine.choose(game_after("d1-d3"), THINK_S)) is Trouble.HUNG
        finally:
            os.kill(int(child.read_text()), signal.SIGKILL)

    with_engine(fake("child", child), run)
