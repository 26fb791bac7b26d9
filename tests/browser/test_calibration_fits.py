"""The calibration's page can be read in every stage, in light and dark, with everything on it that can go wrong."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from boardd.calibrate.calibrating import Stage
from boardd.calibrate.calibration_face import CalibrationFace
from boardd.calibrate.calibration_remarks import elsewhere, lit, odd
from boardd.calibrate.calibration_run import CalibrationRun
from boardd.calibrate.practice import CELLS, SIZE, practice_board
from boardd.calibrate.practice_hands import PracticeHands
from boardd.web.server import CALIBRATION
from engine import Square
from hardware.news import Cell
from tests.browser.driving import PHONE
from tests.browser.serving import serving
from tests.browser.test_fits import CONTRAST, TAP_MIN_PX, TARGETS

Visit = Callable[..., Page]

HALF = {
    "square": "c1",
    "done": 2,
    "inverted": False,
    "known": ["a1", "b1"],
    "sensors": {"a1": 40, "b1": 3},
    "dead": ["b1"],
    "standing": ["a1"],
}
STAGES: dict[Stage, dict[str, Any]] = {
    Stage.EMPTY: {"trouble": odd(frozenset({Cell(3)})).to_json()},
    Stage.SENSORS: HALF | {"trouble": elsewhere(Cell(40), "a1", "c1").to_json(), "dark": "the lights cannot be opened"},
    Stage.LIGHTS: HALF
    | {"done": 90, "shining": 4, "lights": {"a1": 0}, "trouble": lit("a1", Cell(0), Cell(4)).to_json()},
    Stage.DONE: HALF | {"done": 162, "square": None},
}


class Still:
    """A calibration that stands where it stands.

    Args:
        state: what it tells.

    """

    def __init__(self, state: Mapping[str, object]) -> None:
        self._state = state

    def state(self) -> Mapping[str, object]:
        """Tell how it stands."""
        return self._state

    def handle(self, message: Mapping[str, object]) -> str | None:
        """Do nothing."""
        return None

    async def subscribe(self) -> AsyncIterator[object]:
        """Tell of no change."""
        changes: tuple[object, ...] = ()
        for change in changes:
            yield change


def calibration(stage: Stage, directory: Path, *, simulated: bool) -> Still:
    """Give a calibration in a stage."""
    board = practice_board(1)
    believed = [Square(cell) for cell in range(CELLS)]
    run = CalibrationRun(board, board.lights, believed, directory / "practice.json", SIZE, 0.0)
    state = CalibrationFace(run, lambda: 0.0, PracticeHands(board) if simulated else None).state()
    run.close()
    return Still({**state, "allowed": {"act": True}, "stage": stage.value, **STAGES[stage]})


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("stage", STAGES)
def test_words_stand_out_from_their_ground(
    visit: Visit, servers: ExitStack, tmp_path: Path, scheme: str, stage: Stage
) -> None:
    face = calibration(stage, tmp_path, simulated=stage is not Stage.LIGHTS)
    page = visit(servers.enter_context(serving(face, start=CALIBRATION)).address, color_scheme=scheme)
    expect(page.locator("#notices li")).to_have_count(sum(key in STAGES[stage] for key in ("trouble", "dark")))
    expect(page.locator("#stop")).to_be_enabled()
    kept = "on the disk at once" if stage is Stage.LIGHTS else "This is practice"  # the others are simulated here
    expect(page.locator("#stop-hint")).to_contain_text(kept)
    page.get_by_role("gridcell").first.focus()
    assert page.evaluate(CONTRAST) == []


def test_its_targets_are_large_enough_on_a_phone(visit: Visit, servers: ExitStack, tmp_path: Path) -> None:
    face = calibration(Stage.EMPTY, tmp_path, simulated=True)
    page = visit(servers.enter_context(serving(face, start=CALIBRATION)).address, viewport=PHONE, has_touch=True)
    expect(page.locator("#skip")).to_be_visible()
    for name, width, height in page.evaluate(TARGETS):
        assert min(width, height) >= TAP_MIN_PX, name
