"""What the doctor could not see it must not call well."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boardd.calibrate.calibration import FILE_NAME as CALIBRATION
from boardd.calibrate.calibration import Calibration, write_calibration
from boardd.doctor.board import BOARD_CHECKS
from boardd.doctor.finding import Finding, State
from boardd.doctor.situation import greet_engine
from boardd.doctor.table import CHECKS, CONFIGURED_NOWHERE, examine
from boardd.settings import BoardSettings, GameSettings, LightSettings, Settings
from boardd.wiring.sensor_health import FILE_NAME as HEALTH
from boardd.wiring.wire_settings import ButtonSettings, MicrocontrollerSettings
from engine import Square, parse_square
from firmware_bridge.virtual import Cable, VirtualBoard, VirtualClock
from hardware.boards import Board, BoardWires, SerialWires, assemble
from hardware.errors import SensorsError
from hardware.machine import Machine
from hardware.news import Cell
from tests.boardd.commands import Terminal
from tests.boardd.patients import MATRIX_PWM, MATRIX_SPI, PICO, Bench, findings, pico, situation, start_position
from tests.hardware.machines import PI_4, machine

BARE_PI = machine(PI_4, {})
"""A Pi that tells nothing beyond its name."""
BUTTONS = Settings(board=BoardSettings(kind="microcontroller"), buttons=ButtonSettings(hint_pin=5))
NAMED = Settings(
    board=BoardSettings(kind="microcontroller"), microcontroller=MicrocontrollerSettings(port="/dev/konakis")
)


def every_check(found: list[Finding]) -> bool:
    return [finding.check for finding in found] == [name for name, _ in CHECKS] + list(BOARD_CHECKS)


@pytest.mark.parametrize(
    ("check", "settings", "changes", "found"),
    [
        ("clock", MATRIX_SPI, {}, "nobody tells whether it is synchronised"),
        ("overlays", MATRIX_SPI, {"there": BARE_PI}, "no config.txt found"),
        ("audio", MATRIX_PWM, {"there": BARE_PI, "uid": 0}, "/proc/modules cannot be read"),
        ("modem-manager", PICO, {}, "systemd does not tell whether it runs"),
        ("groups", MATRIX_SPI, {"there": machine(None), "groups": frozenset()}, "no Raspberry Pi"),
        ("devices", BUTTONS, {"there": machine(None, {"dev/ttyACM0": ""})}, "/dev/ttyACM0; no Raspberry Pi"),
    ],
)
def test_what_nobody_tells_is_not_well(
    check: str, settings: Settings, changes: dict[str, Any], found: str, tmp_path: Path
) -> None:
    finding = dict(CHECKS)[check](situation(tmp_path, settings, **changes))
    assert finding.state is State.UNKNOWN
    assert found in finding.found


def test_another_port_than_the_configured_one_does_not_do(tmp_path: Path) -> None:
    finding = dict(CHECKS)["devices"](situation(tmp_path, NAMED))
    assert finding.state is State.FAULT
    assert finding.found == "no /dev/konakis; there is /dev/ttyACM0"


def test_buttons_beside_a_pico_need_the_pins(tmp_path: Path) -> None:
    finding = dict(CHECKS)["groups"](situation(tmp_path, BUTTONS, groups=frozenset({"dialout"})))
    assert (finding.state, finding.found) == (State.FAULT, "not in gpio")


def test_a_history_that_cannot_be_read_is_not_none(tmp_path: Path) -> None:
    (tmp_path / HEALTH).write_text("{")
    finding = dict(CHECKS)["sensor-history"](situation(tmp_path))
    assert finding.state is State.UNKNOWN
    assert HEALTH in finding.found


def test_without_a_configuration_nothing_that_depends_on_one_is_judged(tmp_path: Path) -> None:
    found = list(examine(situation(tmp_path, unread=True, problems=("/nope: cannot be read",)), lambda: 0.0, print))
    assert every_check(found)
    for finding in found:
        if finding.check not in CONFIGURED_NOWHERE:
            assert (finding.state, finding.found) == (State.UNKNOWN, "the configuration could not be read")
    assert {finding.check for finding in found if finding.state is State.FAULT} == {"configuration"}


def test_rules_that_are_not_there_end_no_examination(tmp_path: Path) -> None:
    settings = MATRIX_SPI.model_copy(update={"game": GameSettings(rules="chess")})
    bench = Bench(tmp_path, settings=settings, problems=("[game] rules: no such book",))
    bench.stand([1, 2])
    finding = bench.examine()["sensors"]
    assert finding.state is State.UNKNOWN
    assert finding.found.startswith("2 of 81 squares occupied; where pieces belong is not known")


# The board.


def test_a_chip_that_is_not_there_has_no_lights_to_walk_over(tmp_path: Path) -> None:
    clock = VirtualClock()
    found = pico(tmp_path, Cable(VirtualBoard(clock), clock), clock, plugged=False)
    assert found["lights"].state is State.UNKNOWN
    assert found["lights"].found == "they hang on the microcontroller: no board is plugged in"
    assert found["sensor-noise"].found == found["scanning"].found == "the sensors do not answer"
    assert every_check(list(found.values()))


def lost_at(seconds: float, directory: Path) -> dict[str, Finding]:
    """Examine a chip that is unplugged after so long."""
    clock = VirtualClock()
    chip = VirtualBoard(clock)
    chip.place(start_position())
    cable = Cable(chip, clock)

    def sleep(time: float) -> None:
        if clock() < seconds <= clock() + time:
            cable.unplug()
        cable.sleep(time)

    it = situation(directory, PICO, board=lambda: assemble(BoardWires(9, SerialWires()), clock, link=cable.link()))
    return {finding.check: finding for finding in examine(it, clock, sleep)}


def test_a_chip_that_goes_while_it_is_watched_was_not_examined(tmp_path: Path) -> None:
    found = lost_at(1.5, tmp_path)
    assert found["sensors"].state is State.FAULT
    assert found["sensors"].found.startswith("lost while they were watched: ")
    assert found["sensor-noise"].state is State.UNKNOWN
    assert found["lights"].state is State.UNKNOWN


def test_a_chip_that_goes_during_the_walk_ends_it(tmp_path: Path) -> None:
    found = lost_at(5.0, tmp_path)
    assert found["sensors"].state is State.OK
    assert found["lights"].state is State.FAULT
    assert "of 81: the microcontroller was lost" in found["lights"].found


def test_firmware_for_another_board_takes_no_pictures(tmp_path: Path) -> None:
    clock = VirtualClock()
    chip = VirtualBoard(clock, lights=64)
    found = pico(tmp_path, Cable(chip, clock), clock)
    assert found["lights"].state is State.FAULT
    assert "64 lights" in found["lights"].found


def test_an_empty_board_proves_nothing_until_each_square_felt_a_piece(tmp_path: Path) -> None:
    finding = Bench(tmp_path).examine()["sensors"]
    assert finding.state is State.UNKNOWN
    assert finding.found == "0 of 81 squares occupied; no sensor was seen to feel a piece"
    bench = Bench(tmp_path, watch_s=20.0)

    def put(cell: int) -> Callable[[], None]:
        return lambda: bench.stand([cell] if cell < 81 else [])

    bench.acts = [(0.5 + 0.2 * cell, put(cell)) for cell in range(82)]
    finding = bench.examine()["sensors"]
    assert finding.state is State.OK
    assert finding.found.endswith("each felt a piece")


def test_scans_that_could_not_be_used_are_told(tmp_path: Path) -> None:
    bench = Bench(tmp_path, watch_s=4.0)
    bench.stand(start_position())
    bench.acts = [(1.0, lambda: bench.model.shorted_columns.add(7)), (1.5, bench.model.shorted_columns.clear)]
    finding = bench.examine()["scanning"]
    assert finding.state is State.FAULT
    assert "could not be used" in finding.found


def test_a_masked_or_dead_sensor_is_left_out(tmp_path: Path) -> None:
    straight = tuple(Square(cell) for cell in range(81))
    write_calibration(tmp_path / CALIBRATION, Calibration(9, straight, straight, dead=frozenset({Square(0)})))
    settings = Settings(board=BoardSettings(kind="matrix", masked=("e5",)), lights=LightSettings(wire="spi"))
    bench = Bench(tmp_path, settings=settings)
    bench.stand([0, *start_position()])
    bench.model.magnets.remove(Cell(parse_square("e5", 9)))
    finding = bench.examine()["sensors"]
    assert finding.state is State.OK
    assert finding.found == "24 of 79 squares occupied, a1, e5 left out as masked or dead"


class Shut(Board):
    """A board that cannot be opened."""

    def open(self) -> None:
        raise SensorsError("no GPIO pins here")


@pytest.mark.parametrize(
    ("there", "settings", "state", "advice"),
    [
        (machine(None), MATRIX_SPI, State.UNKNOWN, "run the doctor on the Raspberry Pi"),
        (BARE_PI, MATRIX_SPI, State.FAULT, "groups and devices"),
        (machine(None), PICO, State.FAULT, "end the other program"),
    ],
)
def test_sensors_that_cannot_be_opened_are_blamed_only_where_they_could(
    there: Machine, settings: Settings, state: State, advice: str, tmp_path: Path
) -> None:
    clock = VirtualClock()
    link = Cable(VirtualBoard(clock), clock).link()
    made = assemble(BoardWires(9, SerialWires()), clock, link=link)
    it = situation(tmp_path, settings, there=there, board=lambda: Shut(made.sensors, made.lights))
    found = findings(it)
    assert every_check(list(found.values()))
    assert found["sensors"].state is state
    assert advice in found["sensors"].advice
    assert {found[check].state for check in BOARD_CHECKS[1:]} == {State.UNKNOWN}


# The engine.

ENGINE = "{} -c {!r}"
GREETS = "import sys; print('hello', flush=True); sys.stdin.read()"


@pytest.mark.parametrize(
    ("engine", "state", "found"),
    [
        ("", State.OK, "the program's own engine, which gives hints to two people, says hello"),
        ("konakis", State.OK, "the program's own engine, level 4, says hello"),
        ("/nope/engine --fast", State.FAULT, "/nope/engine does not exist"),
        ("no-such-engine", State.FAULT, "no-such-engine is not on the PATH"),
        ("/tmp", State.FAULT, "/tmp is a directory"),
        ("'", State.FAULT, "No closing quotation"),
        (ENGINE.format(sys.executable, GREETS), State.OK, f"{sys.executable} says hello"),
        (ENGINE.format(sys.executable, "print('good day')"), State.FAULT, "it ended with status 0"),
    ],
)
def test_the_engine_is_started_and_greeted(engine: str, state: State, found: str, tmp_path: Path) -> None:
    settings = Settings()
    settings = settings.model_copy(update={"opponent": settings.opponent.model_copy(update={"engine": engine})})
    finding = dict(CHECKS)["opponent"](situation(tmp_path, settings, greet=greet_engine))
    assert finding.state is state
    assert found in finding.found
    assert bool(finding.advice) == (state is State.FAULT)


def test_nonsense_of_an_engine_is_told_once_and_not_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    assert greet_engine([sys.executable, "-c", "print('good day\\n' * 100)"])
    assert caplog.messages == []


def test_an_engine_that_may_not_be_run_is_told(tmp_path: Path) -> None:
    program = tmp_path / "engine"
    program.write_text("#!/bin/sh\n")
    settings = Settings()
    settings = settings.model_copy(update={"opponent": settings.opponent.model_copy(update={"engine": str(program)})})
    finding = dict(CHECKS)["opponent"](situation(tmp_path, settings))
    assert (finding.state, finding.found) == (State.FAULT, f"{program} may not be run by this user")


# The command.


def test_the_command_judges_nothing_by_defaults_nobody_chose(konakis: Terminal) -> None:
    ran = konakis("doctor", "--config", "/nope", "--json")
    assert ran.status == 1
    lines = {line["check"]: line for line in ran.lines}
    assert lines["configuration"]["state"] == "fault"
    assert lines["budget"]["state"] == lines["lights"]["state"] == "unknown"


@pytest.mark.parametrize(
    "arguments",
    [
        ("doctor", "--watch", "0"),
        ("doctor", "--watch", "-3"),
        ("doctor", "--watch", "nan"),
        ("doctor", "--watch", "inf"),
        ("bench", "--seconds", "0"),
        ("bench", "--seconds", "nan"),
        ("calibrate", "--practise", "-1"),
        ("calibrate", "--practise", "1", "--rest-ms", "0"),
        ("simulate", "--games", "0"),
        ("simulate", "--games", "1", "--seed", "-1"),
        ("engine", "--seed", "-1"),
        ("engine", "--level", "11"),
        ("analyze", "-", "--nodes", "0"),
        ("perft", "--rules", "tablut-edge", "--depth", "-1"),
        ("run", "--port", "65536"),
        ("games", "show", "0"),
        ("games", "show", "first"),
        ("simulate", "--games", "1", "--seed", "1.5"),
    ],
    ids=" ".join,
)
def test_numbers_that_make_no_sense_are_refused(arguments: tuple[str, ...], konakis: Terminal) -> None:
    ran = konakis(*arguments)
    assert ran.status == 2
    assert re.search(r"found \S+, expected (a whole number|seconds) from \S+ to \S+$", ran.complaint)
