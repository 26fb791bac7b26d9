"""Commands that open a board, as processes: with gpiozero's mock pins, and without any."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from gpiozero import Device  # type: ignore[import-untyped]  # it ships no types
from gpiozero.pins.mock import MockFactory  # type: ignore[import-untyped]

from boardd.calibrate.calibration import FILE_NAME, read_calibration
from tests.boardd.commands import Terminal

COMMAND = [sys.executable, "-W", "error", "-c", "import sys; from boardd.cli import main; sys.exit(main())"]
CONFIGURATION = '[board]\nkind = "matrix"\n[page]\nport = 0\n[lights]\nwire = "none"\n[storage]\ndirectory = "{}"\n'


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "board.toml"
    path.write_text(CONFIGURATION.format(tmp_path / "state"))
    return path


def environment(*, pins: bool) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GPIOZERO")}
    return kept | ({"GPIOZERO_PIN_FACTORY": "mock"} if pins else {})


def test_a_maker_stops_and_goes_on_and_skips_what_does_not_answer(config: Path, tmp_path: Path) -> None:
    def calibrate(*lines: str) -> str:
        with subprocess.Popen(
            [*COMMAND, "calibrate", "--config", config],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment(pins=True) | {"PYTHONUNBUFFERED": "1"},
        ) as running:
            assert running.stdin is not None
            assert running.stdout is not None
            told = ""
            answers = iter(lines)
            for line in running.stdout:
                told += line
                if "Put one piece on" in line and (answer := next(answers, None)) is not None:
                    running.stdin.write(f"{answer}\n")
                    running.stdin.flush()
            assert running.wait(20) == 0, told
        return told

    first = calibrate("s", "s", "q")
    assert "The lights are not learned: the configuration says [lights] wire = 'none'" in first
    assert "[2/81] Put one piece on c1" in first
    assert "stopped; `konakis calibrate` goes on from here" in first
    rest = calibrate(*["s"] * 79)
    assert "Going on where you stopped." in rest
    assert "[80/81]" in rest
    assert "Dead: a1, b1, c1" in rest
    assert len(read_calibration(tmp_path / "state" / FILE_NAME, 9).dead) == 81


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_calibration_that_is_ended_lets_go_of_its_board(
    number: signal.Signals, konakis: Terminal, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, so that what is left behind can be seen."""
    factory = MockFactory()
    monkeypatch.setattr(Device, "pin_factory", factory)
    monkeypatch.setattr(select, "select", lambda *waits: os.kill(os.getpid(), number))
    before = signal.signal(number, signal.SIG_DFL)  # whoever runs the tests may ignore it, as nohup does
    try:
        with pytest.raises(SystemExit) as ended:
            konakis("calibrate", "--config", config)
        assert ended.value.code == 128 + number
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)
    assert factory.pins
    assert not [info for info in factory._reservations.values() if info]


def test_a_daemon_on_mock_pins_runs_dark_and_ends_when_told(config: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "run", "--config", config],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(pins=True) | {"PYTHONUNBUFFERED": "1"},
    ) as running:
        assert running.stdout is not None
        assert "http://127.0.0.1:" in running.stdout.readline()
        doctor = subprocess.run(
            [*COMMAND, "doctor", "--json", "--config", config],
            capture_output=True,
            text=True,
            env=environment(pins=True),
            check=False,
        )
        assert f"process {running.pid}" in doctor.stdout
        assert "is being played on" in doctor.stdout
        running.send_signal(signal.SIGTERM)
        assert running.wait(20) == 0
        assert running.stderr is not None
        (line,) = running.stderr.read().splitlines()
        assert "the lights stay dark: the configuration says [lights] wire = 'none'" in line


def test_the_address_comes_before_what_is_wrong(config: Path, tmp_path: Path) -> None:
    config.write_text(f'[board]\nkind = "microcontroller"\n[page]\nport = 0\n[storage]\ndirectory = "{tmp_path}"\n')
    with subprocess.Popen(
        [*COMMAND, "run", "--config", config],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(pins=True) | {"PYTHONUNBUFFERED": "1"},
    ) as running:
        assert running.stdout is not None
        assert "http://127.0.0.1:" in running.stdout.readline()
        assert running.stdout.readline() == "ERROR: no board is plugged in\n"
        running.send_signal(signal.SIGTERM)
        assert running.wait(20) == 0


@pytest.mark.parametrize("command", ["run", "calibrate"])
def test_without_pins_it_says_so_in_one_line(command: str, config: Path) -> None:
    done = subprocess.run(
        [*COMMAND, command, "--config", config],
        capture_output=True,
        text=True,
        env=environment(pins=False),
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line == (
        "konakis: the matrix cannot be opened: no GPIO pins here: run it on a Raspberry Pi with konakis[pi4] or "
        "konakis[pi5] installed"
    )
