"""The board that the configuration names, put together for the daemon: touches the disk, to read the calibration.

Owns which parts belong together; opens nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from boardd import table_top
from boardd.calibrate import calibration
from boardd.calibrate.calibration import Calibration, read_calibration
from boardd.geometry import Geometry, turn, turned
from boardd.saved import Saved
from boardd.settings import Settings
from boardd.table_top import TableTop
from boardd.wiring.wires import board_wires
from engine import Square
from hardware.boards import Board, BoardWires, assemble
from hardware.files import may_be_there
from hardware.inverted import InvertedSensors

Assemble = Callable[[BoardWires, Callable[[], float]], Board]
"""Makes a board of wires and a clock: `hardware.boards.assemble`, or a test's."""


@dataclass(frozen=True, slots=True)
class Equipment:
    """What the daemon plays on.

    Args:
        board: sensors, lights and whatever else is wired; not yet open.
        geometry: which of its cells lie under which squares.
        hands: the simulated board's hands; None where real hands play.
        dead: squares whose sensors the calibration found to be dead.

    """

    board: Board
    geometry: Geometry
    hands: TableTop | None = None
    dead: frozenset[Square] = frozenset()


def equip(
    settings: Settings, saved: Saved, directory: Path, clock: Callable[[], float], make: Assemble = assemble
) -> Equipment:
    """Put the configured board together.

    Args:
        settings: checked.
        saved: the game that is played on; its book gives the size.
        directory: the state directory.
        clock: the time of the board's news.
        make: puts the wires together.

    Raises:
        WiringError: the wires cannot be.
        CalibrationError: the calibration file cannot be used.

    """
    size, rotation = saved.book.size, settings.board.rotation_degrees
    wires = board_wires(settings, size)
    if wires is None:
        geometry = turned(size, rotation)
        hands = TableTop(geometry, saved, directory / table_top.FILE_NAME)
        return Equipment(Board(hands.board, hands.board.lights), geometry, hands)
    board = make(wires, clock)
    learned = found_calibration(settings, directory, size)
    if learned is None:
        return Equipment(board, turned(size, rotation))
    if learned.inverted:
        board.sensors = InvertedSensors(board.sensors, size * size)
    dead = frozenset(turn(square, size, rotation) for square in learned.dead)
    return Equipment(board, learned.geometry(rotation), dead=dead)


def found_calibration(settings: Settings, directory: Path, size: int) -> Calibration | None:
    """Read the board's calibration, if it has one.

    Raises:
        CalibrationError: it cannot be used, or the one that the configuration names is not there.

    """
    path = calibration_path(settings, directory)
    # a link that leads nowhere, as to a disk that is not mounted, is no board that was never calibrated
    if not settings.board.calibration and not may_be_there(path) and not path.is_symlink():
        return None
    return read_calibration(path, size)


def calibration_path(settings: Settings, directory: Path) -> Path:
    """Tell where the board's calibration is or will be."""
    named = settings.board.calibration
    if not named:
        return directory / calibration.FILE_NAME
    return Path.home() / named[2:] if named.startswith("~/") else Path(named)
