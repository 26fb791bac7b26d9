"""Whatever starts Python anew starts this program, whatever lies in the directory where it is started."""

import re
import subprocess
from pathlib import Path

import pytest

from boardd.cli import bench

ROOT = Path(__file__).resolve().parents[2]
STARTS = re.compile(r"\[sys\.executable,[^\]]*")


def test_the_engine_that_is_measured_is_not_the_directorys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "__init__.py").write_text("raise SystemExit('this is a stranger')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    asked: list[list[str]] = []

    def note(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        return subprocess.CompletedProcess(command, 0, '{"form": "pure"}', "")

    with monkeypatch.context() as patch:
        patch.setattr("boardd.cli.bench.subprocess.run", note)
        assert bench._measure("pure", 1.0) == {"form": "pure"}
    (command,) = asked
    ran = subprocess.run([*command[:-1], "no number"], capture_output=True, text=True, check=False)
    assert "could not convert string to float: 'no number'" in ran.stderr  # measuring itself takes long


def test_no_module_is_started_from_the_directory_that_we_stand_in() -> None:
    starts = [
        (path.name, found)
        for package in ("boardd", "engine", "hardware", "firmware_bridge")
        for path in sorted((ROOT / package).rglob("*.py"))
        for found in STARTS.findall(path.read_text(encoding="utf-8"))
    ]
    assert len(starts) >= 3
    assert [(name, found) for name, found in starts if '"-m"' in found and '"-P"' not in found] == []
