"""A calibration without a board: a simulated one, wired at random, and a maker who does what he is asked.

For those who want to see how it goes before they have wires, and for the documents. Runs in virtual time. Touches the
disk where it is told to keep the calibration.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from boardd.calibrate.calibrating import Stage
from boardd.calibrate.calibration import FILE_NAME, Calibration, read_calibration
from boardd.calibrate.calibration_run import CalibrationRun
from engine import Square
from hardware.news import Cell
from hardware.simulated.board import SimulatedBoard
from hardware.simulated.faults import Bounce, Faults
from hardware.simulated.wiring import scrambled

SIZE = 9
CELLS = SIZE * SIZE
STEP_S = 0.02
HAND_S = 0.3
"""A quick maker; sensors are believed after half of it."""
EMPTY_S = 1.2
BOUNCE = Bounce(pairs=3, within_s=0.015)
PIECE = "t"


def practise(seed: int, directory: Path, tell: Callable[[str], None]) -> Calibration:
    """Calibrate a board that is wired at random.

    Args:
        seed: draws the wiring.
        directory: where the calibration is kept.
        tell: told each request and each remark.

    """
    board = practice_board(seed)
    path = directory / FILE_NAME
    run = CalibrationRun(board, board.lights, [Square(cell) for cell in range(CELLS)], path, SIZE, 0.0)
    t = 0.0
    while run.machine.stage is not Stage.DONE:
        done, steps = run.machine.done
        tell(f"[{done}/{steps}] {run.machine.request}")
        rest = EMPTY_S if run.machine.stage is Stage.EMPTY else HAND_S
        _obey(board, run, t)
        for _ in range(round(rest / STEP_S)):
            t += STEP_S
            for remark in run.step(t):
                tell(remark.text)
    run.close()
    return read_calibration(path, SIZE)


def practice_board(seed: int) -> SimulatedBoard:
    """Give a board that is wired at random, with one piece beside it."""
    rng = Random(seed)
    wiring = scrambled(CELLS, rng)
    return SimulatedBoard(SIZE, {}, rng, faults=Faults(bounce=BOUNCE), boxed=[PIECE], wiring=wiring)


def _obey(board: SimulatedBoard, run: CalibrationRun, t: float) -> None:
    """Do what is asked: put the one piece on the square that is named, or on the one that shines."""
    if run.machine.stage is Stage.EMPTY:
        return
    if run.machine.stage is Stage.SENSORS:
        assert run.machine.square is not None
        place = Cell(run.machine.square)
    else:
        (place,) = board.lights.lit()
    standing = next(iter(board.pieces), None)
    if standing is not None:
        board.box(t, standing)
    if standing != place:  # where the piece stands already it is lifted first, and put back when asked again
        board.unbox(t, place, PIECE)
