import errno
import json
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import hardware.boards
from boardd.calibrate.calibration import FILE_NAME as CALIBRATION
from boardd.calibrate.calibration import Calibration, write_calibration
from boardd.calibrate.calibration_remarks import elsewhere, lit, together
from boardd.cli import firmware
from boardd.doctor.board import BOARD_CHECKS
from boardd.doctor.finding import Finding, State
from boardd.doctor.table import CHECKS, examine
from boardd.settings import BoardSettings, LightSettings, Settings
from boardd.wiring.sensor_health import FILE_NAME as HEALTH
from boardd.wiring.sensor_health import Noise, write_health
from boardd.wiring.wire_settings import MicrocontrollerSettings
from engine import Square, parse_square
from firmware_bridge.connector import Connection, LinkState
from firmware_bridge.deploy import firmware_files
from firmware_bridge.messages import Hello
from firmware_bridge.virtual import Cable, VirtualBoard, VirtualClock
from hardware.news import Cell
from tests.boardd.commands import Terminal
from tests.boardd.patients import MATRIX_PWM, MATRIX_SPI, PICO, Bench, findings, pico, situation, start_position
from tests.hardware.machines import PI_4, PI_5, machine

CALIBRATION_DOCS = Path(__file__).parents[2] / "docs" / "calibration.md"


def test_a_good_pi_has_nothing_to_complain_of(tmp_path: Path) -> None:
    write_calibration(tmp_path / CALIBRATION, Calibration(9, _straight(), _straight()))
    found = findings(situation(tmp_path))
    bad = [finding for finding in found.values() if finding.state in (State.FAULT, State.WARNING)]
    assert bad == []
    assert found["model"].found == PI_4


def test_every_check_is_told_once_in_the_order_of_the_table(tmp_path: Path) -> None:
    told = [finding.check for finding in examine(situation(tmp_path), lambda: 0.0, lambda seconds: None)]
    assert told == [name for name, _ in CHECKS] + list(BOARD_CHECKS)


@pytest.mark.parametrize("name", [name for name, _ in CHECKS])
def test_every_check_bears_its_name(name: str, tmp_path: Path) -> None:
    assert dict(CHECKS)[name](situation(tmp_path)).check == name


def test_off_a_pi_it_says_what_it_could_not_examine(tmp_path: Path) -> None:
    found = findings(situation(tmp_path, there=machine(None)))
    for check in ("model", "power", "devices", "overlays"):
        assert found[check].state is State.UNKNOWN, check
        assert "no Raspberry Pi" in found[check].found
    everything = findings(situation(tmp_path, Settings(), there=machine(None)))
    assert not [finding for finding in everything.values() if finding.state is State.FAULT]
    assert everything["sensors"].state is State.UNKNOWN


LOUD = {"proc/modules": "snd_bcm2835 1 0\n"}
UNTOLD = {"boot/firmware/config.txt": "dtparam=audio=off\n"}


@pytest.mark.parametrize(
    ("check", "state", "settings", "changes", "found", "advice"),
    [
        ("audio", "fault", MATRIX_PWM, {"files": LOUD, "uid": 0}, "snd_bcm2835 is loaded", "above the budget"),
        ("audio", "fault", MATRIX_PWM, {}, "not root", "wire = 'spi'"),
        ("audio", "ok", MATRIX_PWM, {"uid": 0}, "analogue audio is off", ""),
        ("audio", "fault", MATRIX_PWM, {"there": machine(PI_5)}, "no such PWM", "'pio' or 'spi'"),
        (
            "dma",
            "fault",
            Settings(lights=LightSettings(dma_channel=5)),
            {},
            "channel 5",
            "dma_channel = 10: the SD card's controller uses it",
        ),
        (
            "dma",
            "warning",
            Settings(board=BoardSettings(kind="matrix"), lights=LightSettings(wire="pwm", dma_channel=8)),
            {},
            "channel 8",
            "10 is known to be free",
        ),
        ("budget", "fault", Settings(lights=LightSettings(budget_ma=4000)), {}, "budget 4000 mA", "stronger supply"),
        (
            "configuration",
            "warning",
            Settings(board=BoardSettings(kind="matrix"), lights=LightSettings(wire="spi", budget_ma=2500)),
            {},
            "leaves the computer less than 1000",
            "",
        ),
        ("configuration", "fault", Settings(), {"problems": ("[x]: y",)}, "[x]: y", "docs/configuration.md"),
        ("groups", "fault", MATRIX_SPI, {"groups": frozenset({"gpio"})}, "not in spi", "usermod -aG spi"),
        ("groups", "ok", MATRIX_SPI, {"groups": frozenset(), "uid": 0}, "root", ""),
        ("groups", "fault", PICO, {"groups": frozenset()}, "not in dialout", "usermod -aG dialout"),
        ("overlays", "fault", MATRIX_SPI, {"files": UNTOLD}, "SPI is off in /boot/firmware/config.txt", "spi=on"),
        (
            "overlays",
            "warning",
            MATRIX_SPI,
            {"files": {"boot/firmware/config.txt": "dtparam=spi=on\n"}},
            "no core_freq_min",
            "flash white",
        ),
        ("devices", "fault", MATRIX_SPI, {"there": machine(PI_4)}, "no /dev/gpiochip0, /dev/spidev0.0", "spi=on"),
        ("devices", "fault", PICO, {"there": machine(PI_4)}, "no serial port", "plug the Pico in"),
        ("devices", "ok", PICO, {}, "/dev/ttyACM0", ""),
        (
            "devices",
            "fault",
            Settings(board=BoardSettings(kind="matrix"), lights=LightSettings(wire="pio")),
            {},
            "no /dev/pio0",
            "update the kernel",
        ),
        (
            "power",
            "fault",
            MATRIX_SPI,
            {"files": {"sys/devices/platform/soc/soc:firmware/get_throttled": "50005\n"}},
            "under-voltage now",
            "stronger supply",
        ),
        (
            "power",
            "warning",
            MATRIX_SPI,
            {"files": {"sys/devices/platform/soc/soc:firmware/get_throttled": "50000\n"}},
            "under-voltage since the start",
            "shorter cable",
        ),
        ("disk", "fault", MATRIX_SPI, {"free_bytes": lambda path: 1_000_000}, "1 MB free", "trace_files"),
        ("disk", "unknown", MATRIX_SPI, {"free_bytes": lambda path: None}, "cannot be told", ""),
        (
            "storage",
            "fault",
            MATRIX_SPI,
            {"files": {"proc/mounts": "/dev/root / ext4 ro,noatime 0 0\n"}},
            "read-only file system",
            "not kept",
        ),
        ("storage", "fault", MATRIX_SPI, {"may_write": lambda path: False}, "may not be written", "chown"),
        ("clock", "fault", MATRIX_SPI, {"now": 0.0}, "1970-01-01 00:00 UTC", "connect it to a network"),
        ("clock", "warning", MATRIX_SPI, {"command": lambda arguments: "no\n"}, "not synchronised", ""),
        ("python", "fault", MATRIX_SPI, {"python": (3, 9, 1)}, "3.9.1", "newer Python"),
        ("python", "warning", MATRIX_SPI, {"python": (3, 13, 1)}, "3.13.1", "compiles lgpio"),
        ("system", "fault", MATRIX_SPI, {"system": "Darwin 23"}, "Darwin", "Linux"),
        ("modem-manager", "warning", PICO, {"command": lambda arguments: "active\n"}, "probes", "udev rule"),
        (
            "modem-manager",
            "ok",
            PICO,
            {
                "command": lambda arguments: "active\n",
                "files": {"etc/udev/rules.d/60-konakis.rules": 'ENV{ID_MM_DEVICE_IGNORE}="1"'},
            },
            "a udev rule keeps it off",
            "",
        ),
        ("modem-manager", "ok", PICO, {"command": lambda arguments: "inactive\n"}, "does not run", ""),
        ("calibration", "warning", MATRIX_SPI, {}, "wired straight is assumed", "konakis calibrate"),
        ("sensor-history", "unknown", MATRIX_SPI, {}, "nothing was played yet", ""),
    ],
)
def test_each_finding_says_what_is_wrong_and_what_to_do(
    check: str, state: str, settings: Settings, changes: dict[str, Any], found: str, advice: str, tmp_path: Path
) -> None:
    finding = dict(CHECKS)[check](situation(tmp_path, settings, **changes))
    assert finding.state.value == state
    assert found in finding.found
    assert advice in finding.advice
    assert set(finding.to_json()) == {"check", "state", "found", "expected", "advice"}
    if state in ("fault", "warning"):
        assert finding.advice
        assert finding.expected
    assert "\n" not in "".join(finding.to_json().values())


def _straight() -> tuple[Square, ...]:
    return tuple(Square(cell) for cell in range(81))


def test_a_calibration_is_told_in_words(tmp_path: Path) -> None:
    dead = frozenset({parse_square("c4", 9)})
    write_calibration(tmp_path / CALIBRATION, Calibration(9, _straight(), _straight()[::-1], inverted=True, dead=dead))
    finding = dict(CHECKS)["calibration"](situation(tmp_path))
    assert finding.state is State.WARNING
    assert "sensors from the bottom left along the ranks" in finding.found
    assert "lights from the top right along the ranks" in finding.found
    assert "dead: c4" in finding.found
    (tmp_path / CALIBRATION).write_text("{}")
    assert dict(CHECKS)["calibration"](situation(tmp_path)).state is State.FAULT


def test_a_square_that_bounces_ever_more_is_named(tmp_path: Path) -> None:
    e5 = parse_square("e5", 9)
    write_health(tmp_path / HEALTH, {Square(0): Noise(300, 1.1, 1.2), e5: Noise(400, 2.0, 7.0, worse=True)}, 9)
    finding = dict(CHECKS)["sensor-history"](situation(tmp_path))
    assert finding.state is State.WARNING
    assert finding.found.startswith("e5 bounces ever more: 7.0 edges a change, 2.0 before")
    write_health(tmp_path / HEALTH, {Square(0): Noise(300, 1.1, 1.2)}, 9)
    assert dict(CHECKS)["sensor-history"](situation(tmp_path)).found == "300 changes; most edges a change: a1 1.2"


# With a board.


def test_a_sound_board_is_examined_whole(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.stand(start_position())
    found = bench.examine()
    assert found["sensors"].state is State.OK
    assert found["sensors"].found == "25 of 81 squares occupied"
    assert found["sensor-noise"].state is State.OK
    assert found["scanning"].state is State.OK
    assert found["link"].state is State.OK
    assert found["lights"].state is State.UNKNOWN
    assert "only you can see it" in found["lights"].advice


def test_the_lights_are_walked_one_at_a_time_and_left_black(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.examine()
    lit = [[at // 3 for at in range(0, 243, 3) if any(sent[at : at + 3])] for sent in bench.pixels.sent]
    assert all(len(lights) <= 1 for lights in lit)
    walked = [lights[0] for lights in lit if lights]
    assert walked == sorted(walked)
    assert bench.pixels.sent[-1] == bytes(243)


def test_a_square_that_reads_wrong_is_named(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.stand([*start_position(), 0])
    bench.model.magnets.remove(Cell(40))
    finding = bench.examine()["sensors"]
    assert finding.state is State.WARNING
    assert "without a piece: e5; with one: a1" in finding.found


def test_a_board_that_reads_all_occupied_is_upside_down(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.stand(range(81))
    finding = bench.examine()["sensors"]
    assert finding.state is State.FAULT
    assert "konakis calibrate" in finding.advice


def test_watching_names_what_bounces_and_tells_each_change(tmp_path: Path) -> None:
    bench = Bench(tmp_path, watch_s=6.0)

    def toggle(cell: int) -> Callable[[], None]:
        return lambda: bench.model.magnets.symmetric_difference_update({Cell(cell)})

    bench.acts = [(1.0, toggle(3)), *((2.0 + 0.02 * step, toggle(40)) for step in range(9))]
    found = bench.examine()
    assert found["sensor-noise"].state is State.WARNING
    assert found["sensor-noise"].found == "e5 9 edges"
    assert "d1 occupied (sensor 3)" in bench.told
    assert "e5 occupied (sensor 40)" in bench.told


def test_a_square_that_stays_silent_when_all_are_tried_is_named(tmp_path: Path) -> None:
    bench = Bench(tmp_path, watch_s=20.0)

    def put(cell: int) -> Callable[[], None]:
        return lambda: bench.stand([cell] if cell != 31 else [])

    bench.acts = [(0.5 + 0.2 * cell, put(cell)) for cell in range(81)]
    finding = bench.examine()["sensor-noise"]
    assert finding.state is State.WARNING
    assert finding.found == "80 squares changed; silent: e4"


def test_a_loose_row_is_found(tmp_path: Path) -> None:
    bench = Bench(tmp_path, watch_s=4.0)
    bench.stand(start_position())
    bench.acts = [(1.0, lambda: bench.model.dead_rows.add(4)), (1.05, bench.model.dead_rows.clear)]
    finding = bench.examine()["scanning"]
    assert finding.state is State.FAULT
    assert "1 times a whole line vanished" in finding.found


def test_a_shorted_column_is_told_with_what_to_look_for(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.model.shorted_columns = {7}
    finding = bench.examine()["sensors"]
    assert finding.state is State.FAULT
    assert "column 7 reads a magnet while no row is powered" in finding.found


def test_lights_that_fail_are_told(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.pixels.broken = PermissionError("no")
    finding = bench.examine()["lights"]
    assert finding.state is State.FAULT
    assert "wire = 'spi'" in finding.found


def test_a_pico_tells_its_firmware_and_the_links_figures(tmp_path: Path) -> None:
    clock = VirtualClock()
    chip = VirtualBoard(clock)
    chip.place(start_position())
    found = pico(tmp_path, Cable(chip, clock), clock)
    assert found["sensors"].state is State.OK
    assert found["link"].state is State.OK
    assert found["link"].found.startswith("firmware ")
    assert "0 gaps" in found["link"].found
    assert found["scanning"].found == "the microcontroller scans"


def test_a_picos_fault_is_told(tmp_path: Path) -> None:
    clock = VirtualClock()
    chip = VirtualBoard(clock)
    chip.supply_mv = 3900
    found = pico(tmp_path, Cable(chip, clock), clock)
    assert found["link"].state is State.FAULT
    assert "the supply is down to 3.90 V" in found["link"].found


def test_a_pico_that_is_not_plugged_in_is_told(tmp_path: Path) -> None:
    clock = VirtualClock()
    found = pico(tmp_path, Cable(VirtualBoard(clock), clock), clock, plugged=False)
    assert found["sensors"].state is State.FAULT
    assert "no board is plugged in" in found["sensors"].found


# The command.


def test_the_command_writes_a_line_for_each_check(konakis: Terminal) -> None:
    ran = konakis("doctor", "--json")
    assert ran.status == 0
    assert [line["check"] for line in ran.lines] == [name for name, _ in CHECKS] + list(BOARD_CHECKS)
    assert all(set(line) == {"check", "state", "found", "expected", "advice"} for line in ran.lines)
    assert {line["state"] for line in ran.lines} <= {state.value for state in State}


def test_the_command_finds_a_harmful_configuration_and_says_so(konakis: Terminal, tmp_path: Path) -> None:
    config = tmp_path / "board.toml"
    config.write_text('[board]\nkind = "matrix"\n[lights]\nwire = "pwm"\ndma_channel = 5\n')
    ran = konakis("doctor", "--config", str(config), "--no-board", "--json")
    assert ran.status == 1
    lines = {line["check"]: line for line in ran.lines}
    assert lines["configuration"]["state"] == "fault"
    assert "the SD card's controller" in lines["configuration"]["found"]
    assert lines["dma"]["state"] == "fault"
    told = konakis("doctor", "--config", str(config), "--no-board")
    assert told.status == 1
    assert "BAD" in told.out


def test_the_firmware_is_written_with_the_configured_pins(konakis: Terminal, tmp_path: Path) -> None:
    config = tmp_path / "board.toml"
    rows = list(range(8, -1, -1))
    config.write_text(f"[microcontroller]\nrows = {rows}\nlights_pin = -1\nwatchdog_ms = 0\n")
    ran = konakis("firmware", str(tmp_path / "pico"), "--config", str(config), "--json")
    assert ran.status == 0
    assert "main.py" in ran.json["files"]
    pins = (tmp_path / "pico" / "konakis" / "pins.py").read_text()
    assert "ROWS = (8, 7, 6, 5, 4, 3, 2, 1, 0)" in pins
    assert "LIGHTS_PIN = None" in pins
    assert MicrocontrollerSettings().rows == tuple(range(9))


def test_a_configuration_without_a_pico_is_told_where_firmware_is_written(konakis: Terminal, tmp_path: Path) -> None:
    config = tmp_path / "board.toml"
    config.write_text('[board]\nkind = "matrix"\n')
    ran = konakis("firmware", str(tmp_path / "pico"), "--config", str(config), "--json")
    assert ran.status == 0
    assert f"{config}: [board] kind is matrix, which has no Pico" in ran.err
    assert "without --config the board is simulated" in konakis("firmware", str(tmp_path / "pico")).err
    config.write_text('[board]\nkind = "microcontroller"\n')
    assert konakis("firmware", str(tmp_path / "pico"), "--config", str(config)).err == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[game]\nrules = "brandubh"\n', "[microcontroller] rows: expected 7 pins for a board of 7x7, got 9"),
        ("[microcontroller]\nwatchdog_ms = 1\n", "[microcontroller] watchdog_ms: expected 0 or at least 500, got 1"),
        ("[buttons]\nhint_pin = 4\ncancel_pin = 4\n", ""),
    ],
)
def test_firmware_that_cannot_be_is_not_written(text: str, why: str, konakis: Terminal, tmp_path: Path) -> None:
    config = tmp_path / "board.toml"
    config.write_text(f'[board]\nkind = "microcontroller"\n{text}')
    assert konakis("firmware", tmp_path / "pico", "--config", config).complaint.startswith(f"{config}: {why}")
    assert not (tmp_path / "pico").exists()


def test_firmware_is_written_over_earlier_firmware_and_nothing_else(konakis: Terminal, tmp_path: Path) -> None:
    config = tmp_path / "board.toml"
    config.write_text('[board]\nkind = "microcontroller"\n')
    own, elsewhere, pico = tmp_path / "main.py", tmp_path / "elsewhere.py", tmp_path / "pico"
    own.write_text("print('mine')")
    told = konakis("firmware", tmp_path, "--config", config).complaint
    assert told == (
        f"{own}: is there and was not written by `konakis firmware`: choose another directory, or move it away"
    )
    assert own.read_text() == "print('mine')"
    assert not (tmp_path / "konakis").exists()
    assert konakis("firmware", pico, "--config", config).status == 0
    for odd in (lambda path: path.symlink_to(elsewhere), os.mkfifo, lambda path: path.write_text("half of")):
        (pico / "main.py").unlink()
        odd(pico / "main.py")
        assert konakis("firmware", pico, "--config", config).status == 0
        assert (pico / "main.py").read_bytes() == firmware_files()["main.py"]
    assert not elsewhere.exists()
    assert {path.name for path in pico.iterdir()} == {"konakis", "main.py"}
    (pico / "main.py").unlink()
    (pico / "main.py").mkdir()
    assert konakis("firmware", pico, "--config", config).complaint.startswith(
        f"{pico / 'main.py'}: cannot be written: "
    )


def test_the_doctor_examines_on_where_it_may_not_look(
    konakis: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = Path.stat

    def forbidden(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if path.parent == tmp_path / "state":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return look(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", forbidden)
    config = tmp_path / "board.toml"
    port = "x" * 5_000  # no name of a file is so long
    config.write_text(
        f'[board]\nkind = "microcontroller"\n[microcontroller]\nport = "{port}"\n'
        f'[storage]\ndirectory = "{tmp_path / "state"}"\n'
    )
    (tmp_path / "state" / "calibration.json").mkdir(parents=True)  # reading it fails for root too
    ran = konakis("doctor", "--config", config, "--no-board", "--json")
    assert ran.status == 1
    lines = {line["check"]: line for line in ran.lines}
    assert lines["calibration"]["state"] == "fault"
    assert "calibration.json: cannot be read" in lines["calibration"]["found"]
    assert "sensor-health.json cannot be read" in lines["sensor-history"]["found"]
    assert lines["devices"]["found"].startswith("no xxxx")


def test_a_calibration_that_is_a_link_to_nowhere_is_missed(konakis: Terminal, tmp_path: Path) -> None:
    config = tmp_path / "board.toml"
    config.write_text(f'[board]\nkind = "microcontroller"\n[storage]\ndirectory = "{tmp_path}"\n')
    (tmp_path / CALIBRATION).symlink_to(tmp_path / "unmounted" / CALIBRATION)
    ran = konakis("doctor", "--config", config, "--no-board", "--json")
    lines = {line["check"]: line for line in ran.lines}
    assert lines["calibration"]["state"] == "fault"
    assert lines["calibration"]["found"].endswith("calibration.json: cannot be read: No such file or directory")


def test_another_users_home_is_no_place_for_a_calibration(konakis: Terminal, tmp_path: Path) -> None:
    config = tmp_path / "board.toml"
    config.write_text('[board]\nkind = "microcontroller"\ncalibration = "~nobody-here/calibration.json"\n')
    ran = konakis("doctor", "--config", config, "--no-board", "--json")
    lines = {line["check"]: line for line in ran.lines}
    assert lines["calibration"]["found"].startswith("~nobody-here/calibration.json: cannot be read")


HELLO = Hello(0, 1, 1, 0, 0, 9, 81, 0, 8, 1, 0, bytes(8))


class Stubborn:
    """A link to firmware that steps aside after so many looks, or never."""

    def __init__(self, looks: int | None) -> None:
        self._looks = looks

    def open(self) -> None:
        pass

    def leave(self) -> bool:
        return True

    def close(self) -> None:
        pass

    @property
    def state(self) -> LinkState:
        if self._looks is not None:
            self._looks -= 1
        gone = self._looks is not None and self._looks < 0
        return LinkState(Connection.SEARCHING) if gone else LinkState(Connection.SYNCING, "", "/dev/ttyACM0", HELLO)


@pytest.mark.parametrize(
    ("looks", "status", "told"),
    [
        (3, 0, "the firmware has stepped aside"),
        (None, 2, "/dev/ttyACM0 was told to step aside and still"),
    ],
)
def test_firmware_has_stepped_aside_only_when_it_answers_no_more(
    looks: int | None, status: int, told: str, konakis: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = count()
    monkeypatch.setattr(hardware.boards, "serial_link", lambda *arguments: Stubborn(looks))
    monkeypatch.setattr(firmware, "time", SimpleNamespace(monotonic=lambda: next(times), sleep=lambda seconds: None))
    ran = konakis("firmware", "--leave")
    assert ran.status == status
    assert told in ran.err


def test_a_practice_shows_a_whole_calibration_as_the_page_tells(konakis: Terminal) -> None:
    ran = konakis("calibrate", "--practise", "3")
    assert ran.status == 0
    shown = CALIBRATION_DOCS.read_text(encoding="utf-8").split("```")[1].strip().splitlines()
    told = iter(ran.out.splitlines())
    for line in shown:
        assert line == "…" or line in told, line  # what is elided is passed over
    assert next(told, None) is None
    assert "[161/162]" in ran.out


def test_the_refusals_of_the_page_are_what_is_said() -> None:
    said = [elsewhere(Cell(1), "b1", "e1"), together(frozenset({Cell(0), Cell(40)})), lit("a1", Cell(0), Cell(3))]
    shown = CALIBRATION_DOCS.read_text(encoding="utf-8").split("```")[3].strip().splitlines()
    assert shown == [f"No: {remark.text}" for remark in said]


def test_the_simulated_board_is_not_calibrated(konakis: Terminal) -> None:
    assert konakis("calibrate").complaint.startswith("[board] kind: found simulated, expected a real board")


def test_findings_are_values() -> None:
    assert json.loads(json.dumps(Finding("a", State.OK, "b").to_json()))["state"] == "ok"
