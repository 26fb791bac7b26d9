"""The simulated board for other people's tests: what hands can and cannot do."""

import pytest

from boardd.settings import HintLevel
from boardd.virtual import VirtualBoard, VirtualBoardError
from hardware.theme import Role


def test_moves_captures_and_takebacks() -> None:
    board = VirtualBoard(position="/9/2t6/2T6/t8/4K4/9/9/9/9/")
    board.move("a4", "c4")
    assert board.moves == ["a4-c4xc3"]
    board.put_back("T", "c3")
    board.move("c4", "a4")
    assert board.moves == []
    assert [event["event"] for event in board.events()][-2:] == ["takeback", "ready"]


def test_faults_change_nothing_about_the_moves() -> None:
    board = VirtualBoard("tablut-corner", faults=("bounce",), seed=3)
    board.move("e4", "b4")
    assert board.moves == ["e4-b4"]


def test_buttons_and_levels() -> None:
    board = VirtualBoard()
    board.move("a4", "d4")
    board.press("new-game")
    assert [event["event"] for event in board.events()][-1] == "question"
    board.press("confirm")
    assert board.question is None
    assert board.lights["a4"] is Role.MISSING
    board.hint_level(HintLevel.OFF)
    assert board.lights == {}


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda board: board.lift("c3"), "lift c3: found nothing on c3"),
        (lambda board: board.drop("c3"), "drop c3: found nothing on c3, nothing in the hand"),
        (lambda board: board.take_off("c3"), "take off c3: found nothing on c3"),
        (lambda board: board.put_back("T", "c3"), "put back c3: .* nothing beside the board"),
        (lambda board: board.lift("z9"), "^lift z9: found 'z9', expected a square such as e5$"),
        (lambda board: board.put_back("T", "10"), "^put back 10: found '10', expected a square such as e5$"),
        (lambda board: board.press("knock"), "button: found 'knock'"),
    ],
)
def test_what_a_hand_cannot_do(act: object, said: str) -> None:
    assert callable(act)
    with pytest.raises(VirtualBoardError, match=said):
        act(VirtualBoard())
