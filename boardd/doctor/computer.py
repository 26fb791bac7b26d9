"""Checks of the computer itself: its model, system, Python, power, disk and clock. Each looks only at the situation."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from boardd.doctor.finding import Finding, fault, ok, unknown, warning
from boardd.doctor.situation import Situation
from boardd.storage.schema import DamagedStoreError, StoreError, UnwritableStoreError
from boardd.storage.store import FILE_NAME, Database
from hardware.files import may_be_there

OLDEST_PYTHON = (3, 11)
NEWEST_TRIED = (3, 13)
LGPIO_PYTHON = ((3, 11), (3, 12))
"""The versions for which lgpio 0.2.2.0 has wheels; others compile it."""
MB = 1_000_000
LEAST_FREE_MB = 200
"""Traces take 64 MB at most as delivered; a journal and an update want the rest."""
EARLIEST = datetime(2025, 1, 1, tzinfo=UTC).timestamp()
"""A clock before this was never set: a Pi without a network starts where it stopped, or in 1970."""
THROTTLED = "sys/devices/platform/soc/soc:firmware/get_throttled"
"""The firmware's bits (vcgencmd get_throttled): 0 under-voltage now, 2 throttled now, 16 under-voltage since boot."""
UNDER_VOLTAGE_NOW, UNDER_VOLTAGE_SINCE = 1 << 0, 1 << 16
THROTTLED_NOW = 1 << 2


def model(it: Situation) -> Finding:
    """Tell which computer it is."""
    name = it.machine.model
    if not it.machine.is_pi:
        return unknown(
            "model", name or "no Raspberry Pi", "a Raspberry Pi", "its pins, power and overlays are left out"
        )
    return ok("model", str(name), "a Raspberry Pi")


def system(it: Situation) -> Finding:
    """Tell the operating system."""
    release = it.machine.text("etc/os-release") or ""
    names = dict(line.split("=", 1) for line in release.splitlines() if "=" in line)
    name = names.get("PRETTY_NAME", it.system).strip('"')
    if "Linux" not in it.system:
        return fault("system", it.system, "Linux", "run it on Linux: pins and serial ports are Linux's")
    return ok("system", f"{name}, {it.system}", "Linux")


def python(it: Situation) -> Finding:
    """Tell whether this Python will do."""
    found = ".".join(map(str, it.python))
    expected = f"{'.'.join(map(str, OLDEST_PYTHON))} to {'.'.join(map(str, NEWEST_TRIED))}"
    if it.python[:2] < OLDEST_PYTHON:
        return fault("python", found, expected, "install a newer Python")
    if it.machine.is_pi and (it.wired or it.unread) and it.python[:2] not in LGPIO_PYTHON:
        advice = "pip compiles lgpio for this version: apt install swig liblgpio-dev, or use Python 3.11"
        return warning("python", found, expected, advice)
    if it.python[:2] > NEWEST_TRIED:
        return warning("python", found, expected, "it was not tried with this version")
    return ok("python", found, expected)


def power(it: Situation) -> Finding:
    """Tell whether the supply gave way."""
    expected = "no under-voltage since the start"
    bits = _throttled(it)
    if bits is None:
        return unknown("power", "the firmware does not say" if it.machine.is_pi else "no Raspberry Pi", expected)
    advice = "use a stronger supply and a shorter cable, and feed the lights directly; less [lights] budget_ma helps"
    if bits & UNDER_VOLTAGE_NOW:
        return fault("power", "under-voltage now", expected, advice)
    if bits & UNDER_VOLTAGE_SINCE:
        return warning("power", "under-voltage since the start", expected, advice)
    if bits & THROTTLED_NOW:
        return warning("power", "slowed down for its heat", expected, "give the computer air")
    return ok("power", expected, expected)


def disk(it: Situation) -> Finding:
    """Tell whether there is room for games and traces."""
    free = it.free_bytes(it.directory)
    expected = f"{LEAST_FREE_MB} MB free"
    if free is None:
        return unknown("disk", f"{it.directory}: cannot be told", expected)
    found = f"{free // MB} MB free at {it.directory}"
    if free < LEAST_FREE_MB * MB:
        advice = "remove what is not needed; [storage] trace_files and trace_file_kb say how much traces may take"
        return fault("disk", found, expected, advice)
    return ok("disk", found, expected)


def storage(it: Situation) -> Finding:
    """Tell whether games can be kept."""
    place = next((path for path in (it.directory, *it.directory.parents) if may_be_there(path)), Path("/"))
    expected = "a directory that can be written"
    if _read_only(it, place):
        advice = "games are played but not kept; mount it writable, or choose another with [storage] directory"
        return fault("storage", f"{place} is on a read-only file system", expected, advice)
    if not it.may_write(place):
        advice = "run this as its owner, give it to this user (chown), or choose another with [storage] directory"
        return fault("storage", f"{place} may not be written", expected, advice)
    games = it.directory / FILE_NAME
    if not it.in_use and may_be_there(games) and (trouble := _trouble(games)) is not None:
        return trouble
    return ok("storage", str(it.directory) if may_be_there(it.directory) else f"{it.directory} can be made", expected)


def _trouble(games: Path) -> Finding | None:
    """Tell what a start would find wrong with the file of games, None if nothing; it is only read."""
    expected = "sound games of konakis"
    try:
        Database(games, lambda: datetime.now(UTC)).look()
    except DamagedStoreError as error:
        advice = (
            "the next start sets the file aside, keeps it and goes on with what is sound; "
            "copy the directory, and replace a card that is worn"
        )
        return warning("storage", str(error), expected, advice)
    except UnwritableStoreError as error:
        advice = "games cannot be read; run this as their owner, or give them to this user (chown)"
        return unknown("storage", str(error), expected, advice)
    except StoreError as error:
        advice = "konakis run does not start with it and leaves it as it is; move it away, or update konakis"
        return fault("storage", str(error), expected, advice)
    return None


def clock(it: Situation) -> Finding:
    """Tell whether the time of day is right, as far as it can be known."""
    found = datetime.fromtimestamp(it.now, UTC).strftime("%Y-%m-%d %H:%M UTC")
    expected = "a clock that was set"
    advice = "connect it to a network once, or add a clock module; games go on, but their dates are wrong"
    if it.now < EARLIEST:
        return fault("clock", found, expected, advice)
    answer = it.command(["timedatectl", "show", "--property=NTPSynchronized", "--value"])
    if answer is not None and answer.strip() == "no":
        return warning("clock", f"{found}, not synchronised", expected, advice)
    if answer is None:
        return unknown("clock", f"{found}; nobody tells whether it is synchronised", expected)
    return ok("clock", found, expected)


def _throttled(it: Situation) -> int | None:
    text = it.machine.text(THROTTLED)
    if text is None and it.machine.is_pi:
        text = it.command(["vcgencmd", "get_throttled"])
        if text is not None:
            text = text.partition("=")[2].strip().removeprefix("0x")
    try:
        return None if text is None else int(text, 16)
    except ValueError:
        return None


def _read_only(it: Situation, place: Path) -> bool:
    """Tell whether the nearest mount above a path is read-only."""
    found = ("", False)
    for line in (it.machine.text("proc/mounts") or "").splitlines():
        fields = line.split()
        if len(fields) < 4:
            continue
        point = fields[1]
        inside = place == Path(point) or Path(point) in place.parents
        if inside and len(point) >= len(found[0]):
            found = (point, "ro" in fields[3].split(","))
    return found[1]
