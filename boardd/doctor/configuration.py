"""Checks of the configuration and of what was learned: values that do harm, the calibration, the sensors' history."""

from __future__ import annotations

from boardd.calibrate.calibration import CalibrationError, orientation
from boardd.doctor.finding import Finding, fault, ok, unknown, warning
from boardd.doctor.situation import Situation
from boardd.wiring.equipment import calibration_path, found_calibration
from boardd.wiring.sensor_health import FILE_NAME, describe, noisiest, read_health
from boardd.wiring.wires import wiring_warnings
from engine import square_name
from hardware.files import may_be_there

SHOWN = 3
"""Squares that are named; the rest is counted."""


def configuration(it: Situation) -> Finding:
    """Tell whether the configuration can be used."""
    expected = "a configuration that can be used"
    if it.problems:
        again = " and run the doctor again for the rest" if it.unread else ""
        advice = f"put it right{again}; docs/configuration.md tells every key"
        return fault("configuration", "; ".join(it.problems), expected, advice)
    warnings = list(wiring_warnings(it.settings))
    if warnings:
        return warning("configuration", "; ".join(warnings), expected, "change it if it is not meant so")
    return ok("configuration", f"{it.where}: {it.settings.board.kind} board, {it.settings.game.rules}", expected)


def budget(it: Situation) -> Finding:
    """Tell whether the lights may draw more than the supply gives."""
    lights = it.settings.lights
    expected = f"at most the supply's {lights.supply_ma} mA"
    found = f"budget {lights.budget_ma} mA"
    if lights.budget_ma > lights.supply_ma:
        return fault("budget", found, expected, "lower [lights] budget_ma, or use a stronger supply and say so")
    return ok("budget", found, expected)


def calibration(it: Situation) -> Finding:
    """Tell whether the wiring was learned."""
    if not it.wired:
        return unknown("calibration", "the configured board is simulated")
    path = calibration_path(it.settings, it.directory)
    try:
        learned = found_calibration(it.settings, it.directory, it.size)
    except CalibrationError as error:
        return fault("calibration", str(error), "a calibration of this board", "run konakis calibrate")
    if learned is None:
        advice = "if squares and lights are where they should be, none is needed; else run konakis calibrate"
        return warning("calibration", f"no {path}: wired straight is assumed", "a calibration", advice)
    found = f"sensors {orientation(learned.sensors, it.size)}; lights {orientation(learned.lights, it.size)}"
    if learned.inverted:
        found += "; sensors read occupied without a magnet"
    if learned.dead:
        names = ", ".join(square_name(square, it.size) for square in sorted(learned.dead))
        advice = "mend them and calibrate anew; until then moves that touch them are asked about"
        return warning("calibration", f"{found}; dead: {names}", "81 sensors that answer", advice)
    return ok("calibration", found)


def history(it: Situation) -> Finding:
    """Tell which sensors have become noisy over the weeks."""
    expected = "no square that bounces ever more"
    path = it.directory / FILE_NAME
    noise = read_health(path, it.size)
    if not noise and may_be_there(path):
        found = f"{path} cannot be read, is empty, or not of a board of {it.size}x{it.size}"
        return unknown("sensor-history", found, expected)
    if not noise:
        return unknown("sensor-history", "nothing was played yet", expected)
    worse = [(square, found) for square, found in noise.items() if found.worse]
    if worse:
        lines = [describe(square, found, it.size) for square, found in worse[:SHOWN]]
        more = f"; and {len(worse) - SHOWN} more" if len(worse) > SHOWN else ""
        advice = "put it right before it fails, or mask it with [board] masked"
        return warning("sensor-history", "; ".join(lines) + more, expected, advice)
    worst = ", ".join(f"{square_name(square, it.size)} {found.late:.1f}" for square, found in noisiest(noise, SHOWN))
    changes = sum(found.changes for found in noise.values())
    return ok("sensor-history", f"{changes} changes; most edges a change: {worst}", expected)
