"""The makers' documents say what the program says: pins, commands, checks, keys."""

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from boardd.cli import COMMANDS
from boardd.doctor.board import BOARD_CHECKS
from boardd.doctor.table import CHECKS
from boardd.settings import Settings
from boardd.wiring.wires import COMPUTER_MA
from tests.hardware.benches import BENCHES
from tests.hardware.test_every_board import PROMISES

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BUILD = DOCS / "build"
MAKERS = [*sorted(BUILD.glob("*.md")), DOCS / "calibration.md", DOCS / "doctor.md", DOCS / "every-board.md"]


def test_the_diagrams_are_drawn_from_the_pin_tables() -> None:
    script = ROOT / "scripts" / "wiring-diagrams"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "prefix", "rows", "columns", "light"),
    [
        (
            "pico.svg",
            "GP",
            Settings().microcontroller.rows,
            Settings().microcontroller.columns,
            Settings().microcontroller.lights_pin,
        ),
        ("matrix.svg", "GPIO", Settings().matrix.rows, Settings().matrix.columns, Settings().lights.pin),
    ],
)
def test_each_diagram_names_every_pin_with_its_use(
    name: str, prefix: str, rows: tuple[int, ...], columns: tuple[int, ...], light: int
) -> None:
    picture = ElementTree.parse(BUILD / name)
    texts = {
        "".join(element.itertext()).partition(" (")[0] for element in picture.iter() if element.tag.endswith("text")
    }
    wanted = {f"row {index}: {prefix}{pin}" for index, pin in enumerate(rows)}
    wanted |= {f"column {index}: {prefix}{pin}" for index, pin in enumerate(columns)}
    wanted |= {f"lights: {prefix}{light}"}
    assert wanted <= texts
    assert {str(cell) for cell in range(81)} <= texts


@pytest.mark.parametrize("path", MAKERS, ids=lambda path: path.name)
def test_every_key_that_is_named_exists(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    known = {key for table in Settings.model_fields.values() for key in _keys(table.annotation)}
    for table, key in re.findall(r"\[(\w+)\] (\w+)", text):
        assert table in Settings.model_fields, f"[{table}]"
        assert key in known, f"[{table}] {key}"
    for key in re.findall(r"`(\w+_(?:ma|us|ms|mv|hz|pin|channel))`", text):
        assert key in known, key


@pytest.mark.parametrize("path", MAKERS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", MAKERS, ids=lambda path: path.name)
def test_every_command_that_is_named_exists(path: Path) -> None:
    for command in re.findall(r"`konakis ([a-z]+)", path.read_text(encoding="utf-8")):
        assert command in COMMANDS, command


def test_every_check_of_the_doctor_is_explained() -> None:
    text = (DOCS / "doctor.md").read_text(encoding="utf-8")
    for name in [*(name for name, _ in CHECKS), *BOARD_CHECKS]:
        assert f"`{name}`" in text, name


def test_the_doctors_words_among_the_faults_are_the_doctors() -> None:
    rows = (BUILD / "faults.md").read_text(encoding="utf-8").splitlines()
    quoted = [
        words for row in rows if row.startswith("| doctor:") for words in re.findall("`([^`]+)`", row.split("|")[1])
    ]
    root = DOCS.parent
    sources = [*root.glob("boardd/doctor/*.py"), *root.glob("boardd/wiring/*.py"), *root.glob("hardware/*.py")]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    assert len(quoted) >= 4
    for words in quoted:
        assert re.search(re.sub(r"\d+", r"\\{[^}]*\\}", re.escape(words)), text), words


def test_the_table_of_boards_has_every_board_and_every_promise() -> None:
    text = (DOCS / "every-board.md").read_text(encoding="utf-8")
    assert f"| promise | {' | '.join(BENCHES)} |" in text
    for promise in PROMISES:
        assert f"\n| {promise} |" in text
    assert "failed" not in text
    assert "not run" not in text


def test_the_figures_of_power_are_the_programs() -> None:
    text = (BUILD / "power.md").read_text(encoding="utf-8")
    lights = Settings().lights
    assert f"| 81 lights, white at full | {81 * 3 * lights.channel_ma:,.0f} mA |" in text
    assert f"| 81 lights, black | {81 * lights.rest_ma:g} mA |" in text
    assert f"`[lights] budget_ma` ({lights.budget_ma:,} as delivered)" in text
    assert f"less than {COMPUTER_MA:,} mA" in text


def _keys(annotation: object) -> list[str]:
    return list(getattr(annotation, "model_fields", {}))
