"""The firmware on a pseudo-terminal inside the container: prints its port, then makes each move that comes on a line.

Pieces stand as at the start. `e2-g2` lifts one there and puts it down here, with a hand's pauses. Ends with its input.
"""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from engine import Game, book_named, parse_square
from firmware_bridge.modelled import ModelledBoard

USER = "konakis"
HAND_S = 0.4


def main() -> None:
    """Be a board."""
    game = Game(book_named("tablut-edge"))
    with tempfile.TemporaryDirectory() as directory, ModelledBoard(Path(directory)) as board:
        for square in game.occupied:
            board.drop(square)
        port = board.path
        assert port is not None
        shutil.chown(port, USER, USER)  # what the udev rule does for a real one
        os.chmod(port, 0o660)
        print(port, flush=True)
        for line in sys.stdin:
            origin, destination = (parse_square(name, game.book.size) for name in line.strip().split("-"))
            board.lift(origin)
            time.sleep(HAND_S)
            board.drop(destination)
            time.sleep(HAND_S)


if __name__ == "__main__":
    main()
