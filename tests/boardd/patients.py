"""What the doctor examines in tests: a made-up computer, a matrix on mock pins, a chip on a virtual cable."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gpiozero.pins.mock import MockFactory  # type: ignore[import-untyped]  # it ships no types

from boardd.doctor.finding import Finding
from boardd.doctor.situation import Situation
from boardd.doctor.table import examine
from boardd.settings import BoardSettings, LightSettings, Settings
from boardd.wiring.wires import board_wires
from engine import BOOKS, Game
from firmware_bridge.virtual import Cable, VirtualClock
from hardware.boards import Board, BoardWires, SerialWires, assemble
from hardware.machine import Machine
from hardware.matrix import MatrixPins
from hardware.mock_matrix import MockMatrix
from hardware.neopixels import NeoPixels
from hardware.news import Cell
from tests.hardware.captured import Captured
from tests.hardware.machines import PI_4, machine

GOOD_PI: Mapping[str, str] = {
    "boot/firmware/config.txt": "dtparam=spi=on\ndtparam=audio=off\n[pi4]\ncore_freq_min=500\n",
    "proc/modules": "spi_bcm2835 1 0\n",
    "proc/mounts": "/dev/root / ext4 rw,noatime 0 0\n",
    "sys/devices/platform/soc/soc:firmware/get_throttled": "0\n",
    "etc/os-release": 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    "dev/gpiochip0": "",
    "dev/spidev0.0": "",
    "dev/ttyACM0": "",
}
NOON = 1_780_000_000.0
MATRIX_SPI = Settings(board=BoardSettings(kind="matrix"), lights=LightSettings(wire="spi"))
MATRIX_PWM = Settings(board=BoardSettings(kind="matrix"), lights=LightSettings(wire="pwm"))
PICO = Settings(board=BoardSettings(kind="microcontroller"))


def no_command(arguments: Sequence[str]) -> str | None:
    return None


def situation(
    directory: Path,
    settings: Settings = MATRIX_SPI,
    *,
    there: Machine | None = None,
    files: Mapping[str, str] | None = None,
    **changes: Any,
) -> Situation:
    it = Situation(
        settings,
        directory,
        machine=there or machine(PI_4, {**GOOD_PI, **(files or {})}),
        uid=1000,
        groups=frozenset({"gpio", "spi", "dialout"}),
        python=(3, 11, 2),
        system="Linux 6.6 aarch64",
        now=NOON,
        command=no_command,
        free_bytes=lambda path: 10_000_000_000,
        may_write=lambda path: True,
        greet=lambda command: None,
    )
    for name, value in changes.items():
        setattr(it, name, value)
    return it


def findings(it: Situation) -> dict[str, Finding]:
    found = list(examine(it, lambda: 0.0, lambda seconds: None))
    assert len({finding.check for finding in found}) == len(found)
    return {finding.check: finding for finding in found}


class Bench:
    """A matrix on mock pins in virtual time, with lights that are kept."""

    def __init__(self, directory: Path, **changes: Any) -> None:
        self.t = 0.0
        self.factory = MockFactory()
        self.model = MockMatrix(self.factory, MatrixPins())
        self.pixels = Captured()
        self.told: list[str] = []
        self.acts: list[tuple[float, Callable[[], None]]] = []
        self.it = situation(directory, progress=self.told.append, board=self.board, **changes)

    def board(self) -> Board:
        wires = board_wires(self.it.settings, 9)
        assert wires is not None
        made = assemble(wires, lambda: self.t, factory=self.factory, stepped=True, sleep=self.model.sleep)
        made.lights = NeoPixels(lambda: self.pixels, range(81))
        return made

    def sleep(self, seconds: float) -> None:
        self.t += seconds
        while self.acts and self.acts[0][0] <= self.t:
            self.acts.pop(0)[1]()

    def stand(self, cells: Sequence[int]) -> None:
        self.model.magnets = {Cell(cell) for cell in cells}

    def examine(self) -> dict[str, Finding]:
        return {finding.check: finding for finding in examine(self.it, lambda: self.t, self.sleep)}


def start_position() -> list[int]:
    return sorted(map(int, Game(BOOKS["tablut-edge"]).occupied))


def pico(directory: Path, cable: Cable, clock: VirtualClock, *, plugged: bool = True) -> dict[str, Finding]:
    def board() -> Board:
        return assemble(BoardWires(9, SerialWires()), clock, link=cable.link())

    if not plugged:
        cable.unplug()
    it = situation(directory, PICO, board=board)
    return {finding.check: finding for finding in examine(it, clock, cable.sleep)}
