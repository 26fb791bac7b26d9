"""The 2015 game through the firmware under a real MicroPython on a pseudo-terminal, with the lights back on the wire.

In real time: every piece is lifted and put down on the modelled matrix, its light must come back over the wire, and
every victim must shine before it is taken off.
"""

import os
from pathlib import Path

import pytest

from boardd.events import Removed
from engine import parse_move, square_name
from firmware_bridge.modelled import find_micropython
from hardware.lights import BLACK
from tests.hardware.benches import SIZE, RealFirmware
from tests.hardware.test_every_board import Game
from tests.real_game import END, MOVES


@pytest.mark.skipif(
    find_micropython() is None and not os.environ.get("CI"), reason="there is no micropython: pip install it"
)
def test_the_game_is_played_through_the_firmware_with_lights_back(tmp_path: Path) -> None:
    bench = RealFirmware(tmp_path)
    bench.open()
    try:
        game = Game(bench)
        for text in MOVES:
            move = parse_move(text, SIZE)
            victims = [square_name(square, SIZE) for square in move.captures or ()]
            game.play(square_name(move.origin, SIZE), square_name(move.destination, SIZE), *victims)
        assert game.moves == list(MOVES)
        assert game.tracker.game.position == END
        captures = sum("x" in text for text in MOVES)
        assert len([event for event in game.events if isinstance(event, Removed)]) == captures
        game.lamps.close()
        bench.wait(0.2)
        assert set(bench.seen()) == {BLACK}
    finally:
        bench.board.lights.close()
        bench.close()
