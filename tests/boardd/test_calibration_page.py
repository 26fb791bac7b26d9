"""What the calibration's page is told besides, and its hands on a simulated board."""

from pathlib import Path

import pytest

from boardd.calibrate.calibrating import Stage
from boardd.calibrate.calibration import layouts
from boardd.calibrate.calibration_face import CalibrationFace
from boardd.calibrate.calibration_run import CalibrationRun
from boardd.calibrate.practice import CELLS, SIZE, practice_board
from boardd.calibrate.practice_hands import PracticeHands
from engine import Square
from hardware.news import Cell
from hardware.strip import Along, Corner, Layout

STRAIGHT = [Square(cell) for cell in range(CELLS)]
STEP_S = 0.02


class Table:
    """A page at a simulated board, in virtual time."""

    def __init__(self, path: Path) -> None:
        self.t = 0.0
        self.board = practice_board(3)
        self.run = CalibrationRun(self.board, self.board.lights, STRAIGHT, path, SIZE, self.t)
        self.face = CalibrationFace(self.run, lambda: self.t, PracticeHands(self.board))
        self.wait(1.5)

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP_S)):
            self.t += STEP_S
            self.face.step()

    def do(self, **message: object) -> str | None:
        why = self.face.handle(message)
        self.wait(0.3)
        return why


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path / "c.json")


def test_the_pages_hands_move_the_piece_and_its_eyes_see_what_shines(table: Table) -> None:
    state = table.face.state()
    assert (state["simulated"], state["board"], state["box"]) == (True, {}, ["t"])
    assert len(state["lit"]) == 1  # type: ignore[arg-type]  # a list
    assert table.do(type="unbox", piece="t", square="a1") is None
    assert table.face.state()["sensors"] == {"a1": table.board.wiring.sensors[0]}
    assert table.do(type="lift", square="a1") is None
    assert table.face.state()["in_hand"] == [["t", "a1"]]
    assert table.do(type="drop", square="b1") is None
    assert table.face.state()["standing"] == ["b1"]
    assert table.do(type="box", square="b1") is None
    assert table.face.state()["box"] == ["t"]


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"type": "lift", "square": "a1"}, "nothing stands on a1"),
        ({"type": "lift", "square": "z99"}, "found 'z99'"),
        ({"type": "drop", "square": "a1"}, "no piece is in the hand"),
        ({"type": "box"}, "no piece is in the hand"),
        ({"type": "unbox", "piece": "K", "square": "a1"}, "no such piece lies in the box"),
        ({"type": "unbox", "piece": "t"}, "expected a square"),
    ],
)
def test_what_hands_cannot_do_is_refused(table: Table, message: dict[str, object], why: str) -> None:
    assert why in str(table.face.handle(message))


def test_a_contradiction_stands_until_it_is_put_right(table: Table) -> None:
    table.do(type="unbox", piece="t", square="a1")
    table.do(type="lift", square="a1")
    table.do(type="drop", square="a1")
    trouble = table.face.state()["trouble"]
    assert isinstance(trouble, dict)
    assert {key: trouble[key] for key in ("about", "other", "square")} == {
        "about": "elsewhere",
        "other": "a1",
        "square": "b1",
    }
    assert trouble["sensor"] == table.board.wiring.sensors[0]
    table.do(type="lift", square="a1")
    assert table.face.state()["trouble"] is None


def test_stopping_is_told_and_loses_nothing(table: Table) -> None:
    table.do(type="unbox", piece="t", square="a1")
    assert table.do(type="calibrate", command="stop") is None
    assert table.face.stopped
    assert table.face.state()["stopped"] is True
    assert table.run.progress_path.exists()
    assert table.run.machine.stage is Stage.SENSORS


def test_how_a_chain_lies_is_certain_as_soon_as_one_way_is_left() -> None:
    assert len(layouts({}, SIZE)) == 16
    way = Layout(Corner.TOP_RIGHT, Along.FILES, serpentine=True)
    known = {Cell(cell): Square(place) for cell, place in enumerate(way.cells(SIZE)[: SIZE + 1])}
    assert layouts(known, SIZE) == [way]
    assert layouts({Cell(0): Square(40)}, SIZE) == []
