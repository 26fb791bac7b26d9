"""What the clockwork tells of itself to the page, the lights and the simulated hands; traces hold it to the rest."""

import pytest

from boardd.reconstruct import Reconstructor, Settled
from boardd.saved import Saved
from boardd.settings import PlaySettings
from boardd.states import State
from engine import Game, Piece, Side, Square, book_named, parse_square

EDGE = book_named("tablut-edge")
START = frozenset(Game(EDGE).pieces)


def at(name: str) -> Square:
    return parse_square(name, 9)


@pytest.fixture
def board() -> Reconstructor:
    return Reconstructor(Saved(EDGE), PlaySettings(), seen=START)


def squares(*found: str) -> frozenset[Square]:
    return frozenset(map(at, found))


def agrees(board: Reconstructor) -> bool:
    return board.agrees  # asked anew: a checker takes an attribute for one that stays as it is


def mismatch(board: Reconstructor) -> tuple[frozenset[Square], frozenset[Square]] | None:
    return board.mismatch


def tell(board: Reconstructor, t: float, *changes: tuple[str, bool]) -> None:
    board.advance(t)
    board.settled(t, [Settled(t, at(name), occupied) for name, occupied in changes])


def test_a_board_as_the_game_has_it_agrees(board: Reconstructor) -> None:
    assert agrees(board)
    assert mismatch(board) is None


def test_a_piece_in_the_hand_is_no_agreement_and_no_mismatch(board: Reconstructor) -> None:
    tell(board, 1.0, ("a4", False))
    board.advance(2.0)
    assert not agrees(board)
    assert mismatch(board) is None


def test_a_piece_too_much_is_a_mismatch_until_it_is_gone(board: Reconstructor) -> None:
    tell(board, 1.0, ("b2", True))
    assert mismatch(board) is None, "it may still go"
    board.advance(5.0)
    assert mismatch(board) == (frozenset(), squares("b2"))
    assert not agrees(board)
    tell(board, 6.0, ("b2", False))
    assert mismatch(board) is None
    assert agrees(board)


def test_a_piece_that_is_missing_and_another_too_much_are_both_told(board: Reconstructor) -> None:
    tell(board, 1.0, ("a4", False), ("c5", False), ("b2", True))
    board.advance(5.0)
    assert mismatch(board) == (squares("a4", "c5"), squares("b2"))


def test_a_question_is_no_agreement(board: Reconstructor) -> None:
    tell(board, 1.0, ("a4", False))
    tell(board, 1.5, ("d4", True))
    board.advance(3.0)
    assert agrees(board)
    board.new_game(3.0)
    assert not agrees(board)
    board.cancel(4.0)
    assert agrees(board)


def test_a_game_that_is_over_may_agree_too(board: Reconstructor) -> None:
    board.resign(1.0)
    board.advance(2.0)
    assert board.game.result is not None
    assert agrees(board)
    tell(board, 3.0, ("a4", False))
    assert not agrees(board)


def test_a_board_that_was_never_set_up_does_not_agree() -> None:
    board = Reconstructor(Saved(EDGE), PlaySettings(), seen=frozenset())
    assert not agrees(board)
    assert mismatch(board) == (START, frozenset())


def state(board: Reconstructor) -> State:
    return board.state


def test_a_piece_at_rest_where_it_may_not_be_is_wrong_once_that_was_said(board: Reconstructor) -> None:
    tell(board, 1.0, ("a4", False))
    tell(board, 2.0, ("b3", True))
    assert state(board) is State.HAND, "it may still go on"
    board.advance(3.5)
    assert state(board) is State.WRONG


OPEN = "/9/9/t3Tt3/4T4/3TKT3/4T4/9/7T1/t7t/"


def test_a_victim_that_is_back_stands_as_soon_as_it_is_seen() -> None:
    game = Game(EDGE, position=OPEN)
    board = Reconstructor(Saved(EDGE, OPEN), PlaySettings(), seen=game.occupied)
    tell(board, 1.0, ("a3", False))
    tell(board, 2.0, ("d3", True))
    board.advance(3.0)
    assert board.standing == board.removals == squares("e3")
    tell(board, 4.0, ("e3", False))
    board.advance(5.0)
    assert board.standing == board.removals == squares()
    tell(board, 6.0, ("e3", True))
    assert (board.standing, board.removals) == (squares("e3"), squares()), "it is seen, and not said yet"


def test_a_piece_is_known_through_the_hand_and_until_the_board_agrees(board: Reconstructor) -> None:
    tell(board, 1.0, ("e5", False))
    assert board.pieces.piece(at("e5")) is None
    tell(board, 2.0, ("g7", True))
    assert board.pieces.piece(at("g7")) is Piece.KING
    tell(board, 3.0, ("e4", False))
    tell(board, 4.0, ("g7", False))
    tell(board, 5.0, ("e5", True))
    assert board.pieces.piece(at("e5")) is None, "either of the two"
    tell(board, 6.0, ("e4", True))
    assert agrees(board)
    assert board.pieces.piece(at("e5")) is Piece.KING


@pytest.mark.parametrize(
    ("what", "acts", "until"),
    [
        ("a piece too much, for the second time", ((1.0, "d3", True), (6.0, "d3", False), (9.0, "d3", True)), 13.0),
        ("a piece nowhere, for the second time", ((1.0, "e3", False), (12.0, "e3", True), (14.0, "e3", False)), 20.0),
        (
            "a captured piece elsewhere, for the second time",
            (
                *((1.0, "a3", False), (2.0, "d3", True), (4.0, "e3", False)),
                *((5.0, "d4", True), (7.0, "d4", False), (9.0, "d4", True)),
            ),
            10.0,
        ),
    ],
)
def test_while_a_hidden_move_is_asked_about_the_board_says_that_it_asks(
    what: str, acts: tuple[tuple[float, str, bool], ...], until: float
) -> None:
    elsewhere = len(acts) > 3
    position = OPEN if elsewhere else None
    game = Game(EDGE, position=position)
    side = Side.DEFENDERS if what.startswith("a piece nowhere") else None
    board = Reconstructor(Saved(EDGE, position, side), PlaySettings(), seen=game.occupied)
    for t, name, occupied in acts:
        tell(board, t, (name, occupied))
    board.advance(until)
    assert board.question is not None, what
    assert board.state is State.ASK
