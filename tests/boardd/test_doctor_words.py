"""How findings are put into words, and that docs/doctor.md shows what is really printed."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from boardd.doctor.finding import Finding, State, ok, warning
from boardd.doctor.table import examine
from boardd.doctor.telling import lines
from boardd.settings import BoardSettings, LightSettings, Settings
from firmware_bridge.virtual import Cable, VirtualBoard, VirtualClock
from hardware.boards import BoardWires, SerialWires, assemble
from hardware.news import Cell
from tests.boardd.commands import Terminal
from tests.boardd.patients import GOOD_PI, PICO, Bench, situation, start_position
from tests.hardware.machines import PI_4, machine

DOCS = Path(__file__).parents[2] / "docs" / "doctor.md"
DIRECTORY = "/var/lib/konakis"
"""What the page calls a test's directory."""
PAGE_COLUMNS = 100
UNDER_VOLTAGE = {
    "boot/firmware/config.txt": "dtparam=spi=on\ndtparam=audio=off\n",
    "sys/devices/platform/soc/soc:firmware/get_throttled": "50000\n",
}


def as_documented(findings: list[Finding], directory: Path) -> str:
    named = [replace(finding, found=finding.found.replace(str(directory), DIRECTORY)) for finding in findings]
    return "\n".join(lines(named, PAGE_COLUMNS))


def pi(directory: Path) -> str:
    settings = Settings(board=BoardSettings(kind="matrix"), lights=LightSettings(wire="spi"))
    bench = Bench(
        directory,
        settings=settings,
        where="konakis.toml",
        there=machine(PI_4, {**GOOD_PI, **UNDER_VOLTAGE}),
        groups=frozenset({"gpio"}),
        command=lambda arguments: "yes\n",
    )
    bench.stand([Cell(0), *start_position()])
    bench.model.magnets.remove(Cell(40))
    return as_documented(list(bench.examine().values()), directory)


def laptop(directory: Path) -> str:
    clock = VirtualClock()
    cable = Cable(VirtualBoard(clock), clock)
    cable.unplug()
    it = situation(
        directory,
        PICO,
        where="konakis.toml",
        there=machine(None, {"etc/os-release": 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n'}),
        system="Linux 6.12 x86_64",
        python=(3, 13, 5),
        command=lambda arguments: "yes\n" if arguments[0] == "timedatectl" else "inactive\n",
        board=lambda: assemble(BoardWires(9, SerialWires()), clock, link=cable.link()),
    )
    return as_documented(list(examine(it, clock, cable.sleep)), directory)


def test_the_page_shows_what_is_printed(tmp_path: Path) -> None:
    shown = re.findall(r"```\n(.*?)\n```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert shown == [pi(tmp_path), laptop(tmp_path)]


@pytest.mark.parametrize("width", [40, 60, 100, 140])
def test_no_line_is_wider_than_the_reader(width: int) -> None:
    found = [
        ok("a", "short"),
        warning("sensor-history", "words " * 60, "", "advice " * 60),
        Finding("c", State.FAULT, "", "", ""),
    ]
    told = list(lines(found, width))
    assert max(map(len, told)) <= width
    assert told[0] == "ok    a               short"
    assert told[1].startswith("look  sensor-history  words words")
    assert "BAD   c" in told


def test_what_cannot_be_broken_is_left_whole() -> None:
    path = "/" + "a" * 80
    assert any(path in line for line in lines([ok("storage", path)], 40))


def test_a_file_gets_lines_of_a_hundred_columns(konakis: Terminal) -> None:
    told = konakis("doctor", "--no-board").out.splitlines()
    assert max(map(len, told)) <= PAGE_COLUMNS
    assert told[0].split()[:2] == ["-", "model"]
    assert all(line == line.rstrip() for line in told)
