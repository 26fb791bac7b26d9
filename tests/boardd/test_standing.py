"""Lights never lead a piece to the square of another kind, as far as anyone can know which piece it is."""

import pytest

from boardd.standing import Standing
from boardd.virtual import VirtualBoard
from engine import Game, Piece, Square, book_named, parse_square
from hardware.theme import Role

GAME = Game(book_named("tablut-edge"))


def at(name: str) -> Square:
    return parse_square(name, 9)


def standing() -> Standing:
    return Standing(GAME.pieces)


def shown(board: VirtualBoard) -> dict[str, Role]:
    return {square: role for square, role in board.lights.items() if role in (Role.MISSING, Role.EXTRA)}


def test_a_piece_is_followed_through_the_hand() -> None:
    pieces = standing()
    pieces.lifted(at("e5"))
    pieces.dropped(at("f6"))
    assert (pieces.piece(at("e5")), pieces.piece(at("f6"))) == (None, Piece.KING)


def test_of_two_of_a_kind_in_the_hands_either_will_do() -> None:
    pieces = standing()
    pieces.lifted(at("a4"))
    pieces.lifted(at("a6"))
    pieces.dropped(at("b4"))
    assert pieces.piece(at("b4")) is Piece.ATTACKER


def test_of_two_kinds_in_the_hands_nobody_knows_which_came_down() -> None:
    pieces = standing()
    pieces.lifted(at("a4"))
    pieces.lifted(at("e5"))
    pieces.dropped(at("b4"))
    pieces.dropped(at("b5"))
    assert (pieces.piece(at("b4")), pieces.piece(at("b5"))) == (None, None)


def test_a_piece_out_of_the_box_may_be_any() -> None:
    pieces = standing()
    pieces.dropped(at("b2"))
    assert pieces.piece(at("b2")) is None


def test_agreement_ends_all_doubt() -> None:
    pieces = standing()
    pieces.lifted(at("a4"))
    pieces.lifted(at("e5"))
    pieces.agrees(GAME.pieces)
    pieces.lifted(at("e5"))
    pieces.dropped(at("f6"))
    assert pieces.piece(at("f6")) is Piece.KING


def test_the_kind_counts_before_the_way() -> None:
    pieces = standing()
    for origin, destination in (("a4", "e8"), ("e7", "b2")):  # an attacker beside a defender's square, and the reverse
        pieces.lifted(at(origin))
        pieces.dropped(at(destination))
    missing, extra = frozenset(map(at, ("a4", "e7"))), frozenset((at("b2"),))
    assert pieces.first_to_mend(missing, extra, GAME) == (frozenset((at("e7"),)), frozenset((at("b2"),)))


def test_a_piece_of_no_missing_kind_comes_off_first() -> None:
    pieces = standing()
    pieces.lifted(at("e5"))
    pieces.dropped(at("f6"))
    missing, extra = frozenset((at("a4"),)), frozenset((at("f6"),))
    assert pieces.first_to_mend(missing, extra, GAME) == (frozenset[Square](), extra)


@pytest.mark.parametrize("victim_stands", [False, True])
def test_taking_back_a_capture_by_its_button_leads_mover_and_victim_home(victim_stands: bool) -> None:
    board = VirtualBoard("tablut-edge")
    board.move("a4", "d4")
    board.move("e3", "h3")
    board.lift("a6")
    board.drop("d6")
    board.wait(2)
    if not victim_stands:
        board.take_off("d5")
        board.wait(2)
    assert board.moves[-1] == "a6-d6xd5"
    board.press("takeback")
    board.wait(2)
    assert shown(board) == {"a6": Role.MISSING, "d6": Role.EXTRA}  # d5 lies nearer to d6 than a6 does
    board.lift("d6")
    board.drop("a6")
    board.wait(2)
    if not victim_stands:
        assert shown(board) == {"d5": Role.MISSING}
        board.put_back("T", "d5")
        board.wait(2)
    assert board.moves == ["a4-d4", "e3-h3"]
    assert shown(board) == {}
