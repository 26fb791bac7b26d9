"""Measuring tools that are broken off with Ctrl+C: no traceback, in order, and what was counted so far is told."""

import asyncio
import importlib
import logging
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from bench import command, engine_tactics, flips, latency, spectators, writes
from engine import Game, Move, Square
from tests.boardd.daemons import Table, table

FORSAKEN = re.compile("made anew|deleted, moved or replaced")
"""What a daemon says whose directory went before it did."""


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """Ctrl+C is heard, also where whoever started the tests ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def broken_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> Callable[[str], str]:
    """Run a tool that is broken off, and give what it printed."""

    def run(line: str) -> str:
        name, *_ = line.split()
        monkeypatch.setattr(sys, "argv", line.split())
        with caplog.at_level(logging.WARNING), pytest.raises(SystemExit) as ended:
            command.run(importlib.import_module(f"bench.{name}").main)
        assert ended.value.code == command.BROKEN_OFF
        told = capsys.readouterr()
        assert told.err.splitlines()[-1] == f"{name}: broken off"
        assert "Traceback" not in told.err
        logged = [record.getMessage() for record in caplog.records if record.exc_info]
        logged += [text for record in caplog.records if FORSAKEN.search(text := record.getMessage())]
        assert logged == []
        return told.out

    return run


def press() -> None:
    """Press Ctrl+C."""
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize(
    ("tool", "line", "told"),
    [
        (latency, "latency", "simulated: 0 moves, 0 pictures, 0 overtaken or looking the same\n"),
        (spectators, "spectators --crowd 1", "sent away: 0\n"),
    ],
)
def test_a_daemon_ends_in_order(
    tool: Any, line: str, told: str, monkeypatch: pytest.MonkeyPatch, broken_off: Callable[[str], str]
) -> None:
    monkeypatch.setattr(tool, "LATEST_S", 0.0)

    def drawn(game: Game, dice: object) -> Move:
        press()
        return next(iter(game.legal_moves()))

    monkeypatch.setattr(tool, "drawn", drawn)
    assert broken_off(line).endswith(told)


async def one_move_counted(directory: Path, found: latency.Found, *, broken_off: bool) -> None:
    async with table(directory) as board:

        def hand(t: float, square: Square, deed: latency.Deed) -> None:
            (board.daemon.hands.drop if deed is latency.Deed.DROP else board.daemon.hands.lift)(t, square)

        watched = latency.Table(board.daemon, board.clock, hand, found)

        async def move() -> None:
            async with watched.counted():
                await watched.make(next(iter(watched.game.legal_moves())))
                if broken_off:
                    await asyncio.Event().wait()

        moving = asyncio.create_task(move())
        await board.wait(3 * latency.LATEST_S)
        moving.cancel()
        await asyncio.wait([moving])
        assert moving.cancelled() is broken_off


def test_what_was_late_so_far_is_counted_but_the_last_picture(tmp_path: Path) -> None:
    whole, part = latency.Found(), latency.Found()
    asyncio.run(one_move_counted(tmp_path / "whole", whole, broken_off=False))
    asyncio.run(one_move_counted(tmp_path / "part", part, broken_off=True))
    assert part.lags
    assert len(part.lags) + part.never == len(whole.lags) + whole.never - 1


def test_spectators_tell_what_they_have() -> None:
    none, many = spectators.Audience(0, moves=3), spectators.Audience(200, moves=2, used_s=1.0, lasted_s=4.0)
    assert list(none.lines()) == []
    none.lights.lags += [0.001, 0.002]
    many.lights.lags += [0.002]
    assert [line.partition(":")[0] for line in none.lines()] == ["0 spectators, 3 moves, lights"]
    assert list(many.lines()) == [
        "200 spectators, 2 moves, lights: 1 times late by p50 2.0 ms, p99 2.0 ms, at most 2.0 ms",
        "200 spectators: the daemon and its players' hands took 25.0% of a core",
    ]


def test_whole_games_that_were_written_are_told(
    monkeypatch: pytest.MonkeyPatch, broken_off: Callable[[str], str]
) -> None:
    moves = iter(range(4))
    one_move = writes.one_move

    async def made(board: Table, rng: Any) -> None:
        if next(moves) == 3:
            press()
        await one_move(board, rng)

    monkeypatch.setattr(writes, "MOST_PLIES", 2)
    monkeypatch.setattr(writes, "one_move", made)
    games, playing = broken_off("writes").splitlines()
    assert games == f"1 games, 2 plies, seed {writes.SEED}; 0 idle hours"
    assert playing.startswith("a move:       SQLite ")


def test_a_bit_is_not_blamed_for_ctrl_c(monkeypatch: pytest.MonkeyPatch, broken_off: Callable[[str], str]) -> None:
    def judge(*_: object) -> NoReturn:
        press()
        raise AssertionError("Ctrl+C comes at once")

    monkeypatch.setattr(flips, "judge", judge)
    monkeypatch.setattr("boardd.storage.store.SYNCHRONOUS", "OFF")  # the tool's own process would keep it so
    monkeypatch.setattr(logging, "disable", lambda level=logging.CRITICAL: None)
    (told,) = broken_off("flips").splitlines()
    assert told.endswith(f" bytes, 0 flips, seed {flips.SEED}")


def test_claims_that_were_proved_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken_off: Callable[[str], str]
) -> None:
    suite = Path(__file__).parents[1] / "engine" / "tactics.jsonl"
    path = tmp_path / "suite"
    path.write_text("".join(suite.read_text(encoding="utf-8").splitlines(keepends=True)[1:3]), encoding="utf-8")
    proving = engine_tactics.prove
    proofs = iter(range(2))

    def prove(game: Game, kind: str, plies: int) -> list[str] | None:
        if next(proofs) == 1:
            press()
        return proving(game, kind, plies)

    monkeypatch.setattr(engine_tactics, "prove", prove)
    assert broken_off(f"engine_tactics check {path}") == "1 of 2 claims proved again, 0 not so\n"


def test_a_process_that_is_started_unheard_ignores_ctrl_c() -> None:
    told = "import signal; print(signal.getsignal(signal.SIGINT).name)"
    with command.unheard():
        process = subprocess.Popen([sys.executable, "-c", told], stdout=subprocess.PIPE, text=True)
    assert process.communicate()[0] == "SIG_IGN\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
