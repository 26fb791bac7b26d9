"""The files to copy to the chip, with the pin table that the maker chose. Reads only this package's own data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources

from firmware_bridge.errors import PinError

PACKAGE = "konakis"
"""The firmware's package on the chip."""

SOURCES = ("wire", "scanner", "station", "run", "hal")
"""Modules that are the same on every chip."""

MIN_LINES, MAX_LINES = 7, 19
PICO_PINS = frozenset({*range(23), 26, 27, 28})
"""The pins that a Pico brings out to its edge; 23 to 25 and 29 are its own."""
MAX_LIGHTS = MAX_LINES * MAX_LINES
MAX_SETTLE_US = 5_000
MAX_DEBOUNCE_MS = 100
MIN_WATCHDOG_MS = 500
"""A start and a host that does not read take so long. A chip that is reset before it hears cannot be told to leave."""
MAX_WATCHDOG_MS = 8_388
"""The RP2040's watchdog counts no further."""


@dataclass(frozen=True, slots=True)
class Pins:
    """The pin table: which pin of the chip does what, and the timings that depend on the parts.

    Raises:
        PinError: it cannot be wired.

    """

    rows: tuple[int, ...]  # the pins that power the rows of sensors, row 0 first
    columns: tuple[int, ...]  # the pins that read the columns; consecutive ones are read faster
    row_on: int = 1  # the level that powers a row
    column_magnet: int = 0  # the level at which a column reads a magnet: open-drain sensors pull down
    lights_pin: int | None = None  # None: no lights hang on the chip
    lights: int = 81
    lights_order: str = "GRB"  # the order in which the lights take their colours
    supply_low_mv: int = 4300  # below this the supply is reported as low; 0: do not measure (a Pico W cannot)
    settle_us: int = 300  # from power to a valid output: 25 to 300 µs by part
    debounce_ms: int = 8  # two or three scans: for the noise of wires; a hand is slower
    watchdog_ms: int = 5000  # a firmware that hangs so long starts anew; 0: no watchdog

    def __post_init__(self) -> None:
        lines = len(self.rows)
        if not MIN_LINES <= lines <= MAX_LINES:
            raise PinError(f"rows: expected {MIN_LINES} to {MAX_LINES} pins, got {lines}")
        if len(self.columns) != lines:
            raise PinError(f"columns: expected as many pins as rows, {lines}, got {len(self.columns)}")
        uses = [("rows", pin) for pin in self.rows] + [("columns", pin) for pin in self.columns]
        if self.lights_pin is not None:
            uses.append(("lights_pin", self.lights_pin))
        taken: dict[int, str] = {}
        for use, pin in uses:
            if pin not in PICO_PINS:
                raise PinError(f"{use}: expected a pin that the Pico brings out (0 to 22, 26 to 28), got {pin}")
            if pin in taken:
                raise PinError(f"{use}: pin {pin} is already used in {taken[pin]}")
            taken[pin] = use
        for name, low, high in (
            ("row_on", 0, 1),
            ("column_magnet", 0, 1),
            ("lights", 1, MAX_LIGHTS),
            ("supply_low_mv", 0, 5_500),
            ("settle_us", 0, MAX_SETTLE_US),
            ("debounce_ms", 0, MAX_DEBOUNCE_MS),
            ("watchdog_ms", 0, MAX_WATCHDOG_MS),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise PinError(f"{name}: expected {low} to {high}, got {value}")
        if 0 < self.watchdog_ms < MIN_WATCHDOG_MS:
            raise PinError(f"watchdog_ms: expected 0 or at least {MIN_WATCHDOG_MS}, got {self.watchdog_ms}")
        if sorted(self.lights_order) != sorted("RGB"):
            raise PinError(f"lights_order: expected the letters R, G and B in some order, got {self.lights_order!r}")


PICO_9X9 = Pins(rows=tuple(range(9)), columns=tuple(range(9, 18)), lights_pin=22)
"""The wiring that the documents draw: 9 rows on GP0 to GP8, 9 columns on GP9 to GP17, lights on GP22."""

_MEANINGS = {
    "rows": "the pins that power the rows of sensors, row 0 first",
    "columns": "the pins that read the columns",
    "row_on": "the level that powers a row",
    "column_magnet": "the level at which a column reads a magnet",
    "lights_pin": "None: no lights hang on the chip",
    "lights": "how many",
    "lights_order": "the order in which they take their colours",
    "supply_low_mv": "0: the supply is not measured",
    "settle_us": "from power to a valid output of the sensors",
    "debounce_ms": "how long a cell must read the same",
    "watchdog_ms": "0: no watchdog",
}


def render_pins(pins: Pins) -> str:
    """Return the text of the chip's pins.py: one row a line."""
    lines = [
        '"""Which pin does what. Written by `konakis firmware` from the configuration; change it there."""',
        "",
    ]
    for field in fields(pins):
        value = getattr(pins, field.name)
        shown = f'"{value}"' if isinstance(value, str) else repr(value)
        lines.append(f"{field.name.upper()} = {shown}  # {_MEANINGS[field.name]}")
    return "\n".join(lines) + "\n"


def firmware_files(pins: Pins = PICO_9X9, *, hal: str = "hal") -> Mapping[str, bytes]:
    """Return the files to copy to the chip.

    Args:
        pins: the pin table.
        hal: the module that touches the hardware; `hal_model` is the modelled matrix of the tests.

    Returns:
        From a path on the chip to the bytes of that file. `main.py` is the one that the chip starts: copy it last.

    """
    source = resources.files("firmware_bridge") / "firmware"
    files = {
        f"{PACKAGE}/__init__.py": b'"""The firmware of a Tablut board."""\n',
        f"{PACKAGE}/pins.py": render_pins(pins).encode(),
    }
    for name in SOURCES:
        origin = hal if name == "hal" else name
        files[f"{PACKAGE}/{name}.py"] = (source / f"{origin}.py").read_bytes()
    files["main.py"] = (source / "main.py").read_bytes()
    return files


def how_to_copy() -> str:
    """Return a short text that says how the files get onto the chip."""
    return HOW_TO


HOW_TO = f"""\
1. Put MicroPython on the Pico, once: hold BOOTSEL while plugging it in, and copy the .uf2 file for the "Raspberry Pi
   Pico" from micropython.org (1.22 or newer) to the drive that appears.
2. If the Pico already runs this firmware, tell it to step aside: stop the daemon and run `konakis firmware --leave`;
   the Pico starts anew without the firmware, once. (Or put MicroPython on it again as in step 1, after flash_nuke.uf2.)
3. In the directory with these files: pip install mpremote, then
       mpremote mkdir :{PACKAGE}
       mpremote cp {PACKAGE}/*.py :{PACKAGE}/
       mpremote cp main.py :main.py
   (`mkdir` complains if the directory is there already; that does no harm.)
4. Unplug the Pico and plug it in again. `konakis doctor` tells its firmware's version and reads every sensor.
"""
