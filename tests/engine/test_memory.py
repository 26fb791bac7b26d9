"""What is asked of a game leaves nothing behind, in either form; a vector that left the compiled one would."""

import gc
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import Game, book_named
from engine.questions import endangered, king_takers

BOOK = book_named("tablut-edge")
TIMES = 1500
LOST = 1 << 20
"""Bytes: a vector lost each time would come to four times as much."""


def resident() -> int:
    """Return the bytes that this process has in memory."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()


def moved() -> None:
    game = Game(BOOK)
    game.play(game.legal_moves()[0])


def asked() -> None:
    game = Game(BOOK)
    king_takers(game)
    endangered(game, game.side)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells how much memory a process has")
@pytest.mark.parametrize("ask", [moved, asked])
def test_nothing_is_lost(ask: Callable[[], None]) -> None:
    for _ in range(TIMES // 10):
        ask()
    gc.collect()
    before = resident()
    for _ in range(TIMES):
        ask()
    gc.collect()
    assert resident() - before < LOST
