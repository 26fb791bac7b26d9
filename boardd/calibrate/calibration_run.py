"""A calibration on a real board: polls its sensors, shows what shines, keeps what was learned. Touches the disk.

Owns the file of the progress, beside the calibration's own, so that a maker may stop at any time and go on another day.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from boardd.calibrate import calibration_remarks as remarks
from boardd.calibrate.calibrating import STEADY_MS, Calibrating, Learned, Progress, Stage
from boardd.calibrate.calibration import (
    VERSION,
    CalibrationError,
    layouts,
    read_marked,
    write_calibration,
    write_whole,
)
from boardd.calibrate.calibration_remarks import Remark
from engine import EngineError, Square, parse_square, square_name
from hardware.files import may_be_there
from hardware.lights import BLACK, DarkLights, Lights, Picture, Show
from hardware.news import Cell
from hardware.sensors import Sensors

MARK = "konakis_calibrating"
SHINE = (60, 60, 60)
"""White, at a quarter: seen in daylight, 15 mA."""


class CalibrationRun:
    """One run: from where it was left to where it is stopped.

    Args:
        sensors: open.
        lights: not yet open.
        believed: the square of each light, by cell, as the configuration has it.
        path: the calibration file; the progress is kept beside it.
        size: squares a side.
        now: the time.
        anew: forget what was learned before.
        steady_ms: how long a sensor must be still to count.

    Raises:
        SensorsError: the sensors cannot be read.
        CalibrationError: the progress cannot be used.

    """

    def __init__(
        self,
        sensors: Sensors,
        lights: Lights,
        believed: Sequence[Square],
        path: Path,
        size: int,
        now: float,
        *,
        anew: bool = False,
        steady_ms: int = STEADY_MS,
    ) -> None:
        self.path = path
        self.progress_path = path.with_name(path.name + ".progress")
        self._sensors = sensors
        self._show = Show(lights, size * size)
        self._show.open(now)
        self._dark = self._show.dark_because
        progress = Progress(size)
        if not anew and may_be_there(self.progress_path):
            progress = read_progress(self.progress_path, size)
        self.resumed = bool(progress.learned)
        lit = not isinstance(lights, DarkLights) and self._dark is None
        if not lit and any(item.stage is Stage.LIGHTS for item in progress.learned):
            raise CalibrationError(
                f"{self.progress_path}: some lights were learned, and now they are dark ({self._dark}): "
                "expected lights that shine, or --anew"
            )
        self._unreachable: Remark | None = None
        frame = sensors.read()
        self.machine = Calibrating(progress, believed, lit=lit, frame=frame, now=now, steady_ms=steady_ms)
        # a run that was killed when the last thing was learned has not written the calibration
        self._kept: Progress | None = None if self.machine.stage is Stage.DONE else self.machine.progress
        self._follow(now)

    @property
    def dark_because(self) -> str | None:
        """Why the lights are dark and not learned; None if they shine."""
        return self._show.dark_because

    def step(self, now: float) -> list[Remark]:
        """Take what the sensors say up to now; give what is to be told.

        Raises:
            SensorsError: the sensors are lost.
            CalibrationError: the disk refuses what was learned.

        """
        self._note_connection(now)
        for news in self._sensors.poll(now):
            self.machine.sensed(news)
        if self._unreachable is None:
            self.machine.advance(now)
        return self._follow(now)

    def command(self, now: float, word: str) -> list[Remark]:
        """Do what the maker asks: `skip`, `back`, `again`, `trust`."""
        machine = self.machine
        match word:
            case "skip":
                machine.skip()
            case "back":
                machine.back()
            case "again":
                machine.again(now)
            case "trust":
                machine.trust()
            case _:
                raise ValueError(f"expected skip, back, again or trust, got {word!r}")
        return self._follow(now)

    def close(self) -> None:
        """Put the lights out. What was learned is on the disk."""
        self._show.close()

    def to_json(self) -> dict[str, Any]:
        """Tell a page how things stand."""
        machine, size = self.machine, self.machine.size
        trouble = self._unreachable or machine.trouble
        done, steps = machine.done
        square, shining = machine.square, machine.shining
        asked = [item for item in machine.progress.learned if item.stage is Stage.SENSORS and item.square is not None]
        known = machine.known

        def names(cells: Mapping[Cell, Square]) -> dict[str, int]:
            return {square_name(square, size): cell for cell, square in cells.items()}

        return {
            "type": "calibration",
            "size": size,
            "stage": machine.stage.value,
            "request": machine.request,
            "square": None if square is None or machine.stage is not Stage.SENSORS else square_name(square, size),
            "shining": shining,
            "done": done,
            "steps": steps,
            "known": [square_name(item.square, size) for item in asked if item.square is not None],
            "sensors": names(known.sensors),
            "dead": [square_name(square, size) for square in known.dead],
            "lights": names(known.lights),
            "dark_lights": list(known.dark),
            "standing": [square_name(square, size) for square in machine.standing],
            "inverted": None if machine.progress.empty is None else machine.inverted,
            "trusted": machine.progress.trusted,
            "lie": {"sensors": _lie(known.sensors, size), "lights": _lie(known.lights, size)},
            "trouble": None if trouble is None else trouble.to_json(),
            "dark": self.dark_because,
            "resumed": self.resumed,
            "file": str(self.path),
        }

    def _note_connection(self, now: float) -> None:
        """Tell once that the board cannot be read, and once that it can again."""
        if self._sensors.connected is (self._unreachable is None):
            return
        if self._sensors.connected:
            self._unreachable = None
            self.machine.remarks.append(remarks.reachable())
            if self.machine.stage is Stage.EMPTY:
                self.machine.again(now)  # what stood there is old
        else:
            self._unreachable = remarks.unreachable(self._sensors.trouble or "the sensors do not answer")
            self.machine.remarks.append(self._unreachable)

    def _follow(self, now: float) -> list[Remark]:
        """Keep what was learned, show what shines, give what is to be told."""
        machine = self.machine
        if machine.progress != self._kept:
            self._kept = machine.progress
            write_whole(self.progress_path, progress_json(machine.progress))
            if machine.stage is Stage.DONE:
                write_calibration(self.path, machine.result())
                with contextlib.suppress(OSError):  # it would only be offered again
                    self.progress_path.unlink()
        self._light(now)
        if self._show.dark_because != self._dark:
            self._dark = self._show.dark_because
            machine.remarks.append(remarks.failed(str(self._dark)))
        told, machine.remarks = machine.remarks, []
        return told

    def _light(self, now: float) -> None:
        size, shining = self.machine.size, self.machine.shining
        picture: Picture = tuple(SHINE if cell == shining else BLACK for cell in range(size * size))
        self._show.offer(now, picture)
        self._show.advance(now)


def _lie(known: Mapping[Cell, Square], size: int) -> dict[str, object] | None:
    """Tell how a chain lies as far as that is known: None if it is not, without a corner if it follows no rule."""
    match layouts(known, size):
        case []:
            return {"regular": False}
        case [only]:
            way = {"corner": only.start.value, "along": only.along.value, "serpentine": only.serpentine}
            return {"regular": True, **way}
    return None


def progress_json(progress: Progress) -> dict[str, object]:
    """Give the content of the progress file."""
    size = progress.size

    def name(item: Learned) -> str | None:
        return None if item.square is None else square_name(item.square, size)

    return {
        MARK: VERSION,
        "size": size,
        "empty": None if progress.empty is None else sorted(progress.empty),
        "trusted": progress.trusted,
        "learned": [[item.stage.value, name(item), item.cell] for item in progress.learned],
    }


def read_progress(path: Path, size: int) -> Progress:
    """Read a progress file.

    Raises:
        CalibrationError: unreadable, or of another board.

    """
    found = read_marked(path, MARK, size, "begin with --anew")
    try:
        empty = found["empty"]
        progress = Progress(
            size,
            None if empty is None else frozenset(_cell(cell, size) for cell in empty),
            tuple(
                Learned(
                    Stage(stage),
                    None if square is None else parse_square(square, size),
                    None if cell is None else _cell(cell, size),
                )
                for stage, square, cell in found["learned"]
            ),
            found["trusted"] is True,
        )
        _need_agreement(progress)
    except (KeyError, TypeError, ValueError, EngineError) as error:
        raise CalibrationError(f"{path}: cannot be gone on with ({error}): begin with --anew") from error
    return progress


def _need_agreement(progress: Progress) -> None:
    """Refuse, by a ValueError, what no run can have learned: a run refuses it too."""
    size = progress.size
    if progress.empty is None and progress.learned:
        raise ValueError("something was learned before the empty board was seen")
    taken: set[tuple[Stage, str]] = set()
    for item in progress.learned:
        sensors = item.stage is Stage.SENSORS
        if item.stage not in (Stage.SENSORS, Stage.LIGHTS) or (item.square if sensors else item.cell) is None:
            raise ValueError(f"found {item.stage.value} of nothing")
        names = [] if item.square is None else [square_name(item.square, size)]
        names += [] if item.cell is None else [f"number {item.cell}"]
        for name in names:
            if (item.stage, name) in taken:
                raise ValueError(f"{item.stage.value}: {name} was learned twice")
            taken.add((item.stage, name))


def _cell(value: object, size: int) -> Cell:
    if type(value) is not int or not 0 <= value < size * size:
        raise ValueError(f"expected a cell below {size * size}, found {value!r}")
    return Cell(value)
