"""What a board's wiring is, once it was learned: the file, and the geometry that follows from it. Touches the disk.

Owns the file's format and that it is written whole or not at all. How the wiring is learned, `calibrating` knows.

    {"konakis_calibration": 1, "size": 9, "inverted": false,
     "sensors": ["a1", "b1", …],    the square of each sensor, by cell
     "lights": ["a1", "b1", …],     the square of each light, by cell
     "dead": ["c4"]}                squares whose sensors never answered
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

from boardd.errors import BoarddError
from boardd.geometry import Geometry, turn
from boardd.jsontext import parse_json
from engine import EngineError, Square, parse_square, square_name
from hardware.errors import one_line
from hardware.files import read_text
from hardware.news import Cell
from hardware.strip import Along, Corner, Layout

FILE_NAME = "calibration.json"
"""The file below the state directory, where the configuration names none."""

FILE_MAX_BYTES = 65_536
"""Of a calibration; that of 19 files and ranks has 6,000."""

FOUND_MAX = 60
"""Characters that are told of what stands in the wrong place."""

VERSION = 1
MARK = "konakis_calibration"


class CalibrationError(BoarddError, ValueError):
    """A calibration file that cannot be used."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The wiring of one board.

    Args:
        size: squares a side.
        sensors: the square of each sensor, by cell.
        lights: the square of each light, by cell.
        inverted: whether the sensors read occupied where nothing stands.
        dead: squares whose sensors never answered.

    Raises:
        GeometryError: not each square has one sensor and one light.

    """

    size: int
    sensors: tuple[Square, ...]
    lights: tuple[Square, ...]
    inverted: bool = False
    dead: frozenset[Square] = frozenset()

    def __post_init__(self) -> None:
        Geometry(self.size, self.sensors, self.lights)

    def geometry(self, rotation_degrees: int) -> Geometry:
        """Give the geometry of the board lying turned clockwise from how it lay when it was calibrated."""
        size = self.size
        return Geometry(
            size,
            [turn(square, size, rotation_degrees) for square in self.sensors],
            [turn(square, size, rotation_degrees) for square in self.lights],
        )

    def to_json(self) -> dict[str, object]:
        """Give the file's content."""
        size = self.size
        return {
            MARK: VERSION,
            "size": size,
            "inverted": self.inverted,
            "sensors": [square_name(square, size) for square in self.sensors],
            "lights": [square_name(square, size) for square in self.lights],
            "dead": [square_name(square, size) for square in sorted(self.dead)],
        }


def read_calibration(path: Path, size: int) -> Calibration:
    """Read a calibration file for a board of so many squares a side.

    Raises:
        CalibrationError: unreadable, or of another board; names what was found and expected.

    """
    advice = "calibrate this board anew"
    found = read_marked(path, MARK, size, advice)
    try:
        return Calibration(
            size,
            _squares(found, "sensors", size),
            _squares(found, "lights", size),
            _truth(found, "inverted"),
            frozenset(_squares(found, "dead", size)),
        )
    except KeyError as error:
        raise CalibrationError(f"{path}: expected the key {error.args[0]!r}, found none: {advice}") from error
    except ValueError as error:
        raise CalibrationError(f"{path}: {error}: {advice}") from error


def write_calibration(path: Path, calibration: Calibration) -> None:
    """Write a calibration file, whole or not at all.

    Raises:
        CalibrationError: the disk refuses.

    """
    write_whole(path, calibration.to_json())


def read_marked(path: Path, mark: str, size: int, advice: str) -> Mapping[str, Any]:
    """Read a JSON file of ours.

    Args:
        path: of the file.
        mark: what it says that it is.
        size: squares a side of the board.
        advice: what to do if it cannot be used.

    Raises:
        CalibrationError: unreadable, no file of ours, or of another board.

    """
    try:
        found = parse_json(read_text(path, FILE_MAX_BYTES))
    except OSError as error:
        raise CalibrationError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise CalibrationError(f"{path}: expected JSON: {error}: {advice}") from error
    if not isinstance(found, dict) or found.get(mark) != VERSION or found[mark] is True:
        raise CalibrationError(f'{path}: expected a file that says "{mark}": {VERSION}: {advice}')
    given = found.get("size")
    if type(given) is not int or given != size:
        raise CalibrationError(f"{path}: size: found {given!r}, expected {size}: {advice}")
    return found


def write_whole(path: Path, content: Mapping[str, object]) -> None:
    """Write a JSON file so that at any instant, also of a power cut, either the old or the new one is there.

    Raises:
        CalibrationError: the disk refuses.

    """
    beside = path.with_name(path.name + ".new")
    try:
        with beside.open("w", encoding="utf-8") as file:
            json.dump(content, file)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    except OSError as error:
        raise CalibrationError(f"{path}: cannot be written: {error.strerror}") from error


def orientation(squares: Sequence[Square], size: int) -> str:
    """Tell in words how a chain lies: where it starts and how it goes, or that it follows no rule."""
    for layout in layouts({Cell(cell): square for cell, square in enumerate(squares)}, size):
        way = "in a serpentine" if layout.serpentine else "each the same way"
        return f"from the {layout.start.value.replace('-', ' ')} along the {layout.along.value}, {way}"
    return "in no regular order"


def layouts(known: Mapping[Cell, Square], size: int) -> list[Layout]:
    """Give the ways in which a chain may lie, as far as the squares of its cells are known."""
    ways = ((Layout(*way), places) for way, places in _ways(size).items())
    return [layout for layout, places in ways if all(places[cell] == square for cell, square in known.items())]


@lru_cache(maxsize=4)
def _ways(size: int) -> Mapping[tuple[Corner, Along, bool], tuple[int, ...]]:
    """Give the square of each cell for every regular way."""
    return {way: tuple(map(int, Layout(*way).cells(size))) for way in product(Corner, Along, (False, True))}


def _squares(found: Mapping[str, Any], key: str, size: int) -> tuple[Square, ...]:
    """Read a list of squares; a ValueError says what stands there instead."""
    names = found[key]
    if not isinstance(names, list):
        raise _wrong(key, names, "a list of squares as e5")
    squares = []
    for name in names:
        try:
            squares.append(parse_square(name, size) if isinstance(name, str) else None)
        except EngineError:
            squares.append(None)
        if squares[-1] is None:
            raise _wrong(key, name, f"a square of a board of {size}x{size}")
    return tuple(square for square in squares if square is not None)


def _truth(found: Mapping[str, Any], key: str) -> bool:
    value = found[key]
    if not isinstance(value, bool):
        raise _wrong(key, value, "true or false")
    return value


def _wrong(key: str, found: object, expected: str) -> ValueError:
    return ValueError(f"{key}: found {one_line(repr(found), FOUND_MAX)}, expected {expected}")
