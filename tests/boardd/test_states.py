"""The tables of the state machine: complete, in range, and what the documents say of them."""

from pathlib import Path

import pytest

from boardd.diagram import main, redrawn
from boardd.meanings import Kind
from boardd.reconstruct import Reconstructor
from boardd.saved import Saved
from boardd.settings import PlaySettings
from boardd.states import HOLDS, TABLE, Phase, State, Step
from engine import BOOKS

DOCUMENT = Path(__file__).parents[2] / "docs" / "tracking.md"
REPEATED = frozenset({Step.AGREE, Step.SAY_AT_ONCE})


def test_every_phase_has_a_cell_for_every_reading() -> None:
    assert set(TABLE) == set(Phase)
    for row in TABLE.values():
        assert set(row) == set(Kind)


def test_every_step_has_its_hold_and_every_hold_is_a_setting() -> None:
    assert set(HOLDS) == set(Step)
    for hold in HOLDS.values():
        assert hold is None or hold in PlaySettings.model_fields


def test_every_step_and_every_state_is_reached() -> None:
    cells = [cell for row in TABLE.values() for cell in row.values()]
    assert {step for _, step in cells if step} == set(Step)
    assert {state for state, _ in cells} | {State.ASK} == set(State)  # a question hides the state beneath it


def test_the_clockwork_can_take_every_step() -> None:
    board = Reconstructor(Saved(BOOKS["tablut-edge"]), PlaySettings(), seen=frozenset())
    assert set(board.steps) == set(Step)


@pytest.mark.parametrize("phase", [Phase.SETUP, Phase.RESUME])
def test_nothing_is_accepted_unasked_before_the_board_has_agreed(phase: Phase) -> None:
    steps = {step for _, step in TABLE[phase].values()}
    assert not steps & {Step.ACCEPT, Step.ACCEPT_FIRST, Step.TAKE_BACK}


def test_a_game_that_is_over_hears_only_what_may_change_that() -> None:
    heard = {kind for kind, (_, step) in TABLE[Phase.OVER].items() if step}
    assert heard == {Kind.TAKEBACK, Kind.AMENDMENT, Kind.START}


def test_the_document_is_drawn_from_the_tables() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert redrawn(text) == text, "run: python -m boardd.diagram docs/tracking.md"
    assert "stateDiagram-v2" in text


def test_a_document_is_brought_up_to_date_and_what_is_none_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "document"
    path.write_text("<!-- drawn: tables -->\nold\n<!-- end -->\n", encoding="utf-8")
    assert main([str(path)]) == 0
    assert "| reading | meaning |" in path.read_text(encoding="utf-8")
    path.write_bytes(b"ab\xff")
    for documents, told in (
        ([str(path)], f"{path}: byte 2: expected UTF-8 text"),
        ([str(tmp_path)], f"{tmp_path}: Is a directory"),
        ([], "found no file, expected documents to draw in"),
    ):
        assert main(documents) == 2
        assert capsys.readouterr().err == f"diagram: {told}\n"
