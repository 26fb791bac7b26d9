"""What the shell scripts do where no other check reaches: told by stand-ins for the programs that they call."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "scripts"


def stand_in(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def bash(directory: Path, *command: object) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"PATH": f"{directory / 'bin'}:{os.environ['PATH']}", "CI": ""}
    return subprocess.run(
        ["bash", *map(str, command)], cwd=directory, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("statuses", "runs", "said", "status"),
    [
        ((0,), 1, "all good", 0),
        ((1, 0), 2, "once more, alone", 0),
        ((1, 1), 2, "failed: tests", 1),
        ((5,), 1, "no test matches tests/engine -k nothing", 1),
        ((4,), 1, "failed: tests", 1),
    ],
)
def test_only_tests_that_failed_are_run_again(
    tmp_path: Path, statuses: tuple[int, ...], runs: int, said: str, status: int
) -> None:
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPTS / "test", tmp_path / "scripts")
    (tmp_path / "scripts" / "setup.sh").write_text("set_up() { :; }\n", encoding="utf-8")
    (tmp_path / "statuses").write_text("".join(f"{each}\n" for each in statuses), encoding="utf-8")
    stand_in(
        tmp_path / ".venv" / "bin" / "python",
        'echo "$*" >>calls; status=$(head -n 1 statuses); sed -i 1d statuses; exit "$status"',
    )
    stand_in(tmp_path / "bin" / "chromium", "")
    ran = bash(tmp_path, "scripts/test", "tests/engine", "-k", "nothing")
    calls = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    assert (len(calls), ran.returncode) == (runs, status), ran.stdout
    assert said in ran.stdout
    assert all("tests/engine -k nothing" in call for call in calls)  # the second run collects no more than the first
    assert ["--last-failed" in call for call in calls] == [False, True][:runs]


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    """A computer with a file of groups, and the two programs that know of it."""
    stand_in(tmp_path / "bin" / "getent", 'grep "^$2:" group')
    stand_in(tmp_path / "bin" / "groupdel", 'sed -i "/^$1:/d" group')
    (tmp_path / "group").write_text("users:x:100:\n", encoding="utf-8")
    return tmp_path


def call(directory: Path, *command: str) -> str:
    sourced = f'set -Eeuo pipefail; say() {{ echo "install: $*"; }}; . {SCRIPTS}/groups.sh; "$@"'
    ran = bash(directory, "-c", sourced, "bash", *command)
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


def test_the_uninstaller_takes_the_groups_that_the_installer_made_and_no_other(groups: Path) -> None:
    sysusers = str(ROOT / "systemd" / "konakis.sysusers")
    file = groups / "group"
    assert call(groups, "groups_to_make", sysusers).split() == ["gpio", "spi"]
    with file.open("a", encoding="utf-8") as lines:
        lines.write("gpio:x:997:\n")  # as on Raspberry Pi OS
    lacking = call(groups, "groups_to_make", sysusers)
    assert lacking.split() == ["spi"]
    with file.open("a", encoding="utf-8") as lines:
        lines.write("spi:x:998:\n")  # systemd-sysusers
    (groups / "made").write_text(lacking, encoding="utf-8")
    assert call(groups, "groups_to_make", sysusers) == ""
    assert call(groups, "remove_groups", "made") == ""
    assert file.read_text(encoding="utf-8") == "users:x:100:\ngpio:x:997:\n"
    assert call(groups, "remove_groups", "made") == ""  # twice does no harm
    assert call(groups, "remove_groups", "no such list") == ""


def test_a_group_that_somebody_has_come_to_use_stays(groups: Path) -> None:
    (groups / "group").write_text("gpio:x:997:anna\nspi:x:998:\n", encoding="utf-8")
    (groups / "made").write_text("gpio\nspi\n", encoding="utf-8")
    stand_in(groups / "bin" / "groupdel", "exit 8")  # it is somebody's first group
    said = call(groups, "remove_groups", "made")
    assert said.splitlines() == [
        "install: the group gpio stays: somebody is in it",
        "install: the group spi stays: somebody is in it",
    ]
    assert "gpio:x:997:anna" in (groups / "group").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--wheels /dev", "--wheels /dev: found no konakis-*.whl there, expected a directory with wheels"),
        ("--root /dev", "--root /dev: found no such file, expected a tar of the bare system"),
        ("--log", "argument --log: expected one argument"),
    ],
)
def test_the_check_in_a_container_refuses_in_one_line_what_it_cannot_use(arguments: str, told: str) -> None:
    command = [sys.executable, str(SCRIPTS / "check-container"), *arguments.split()]
    environment = os.environ | {"KONAKIS_SKIP": "container"}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", f"check-container: {told}\n")
