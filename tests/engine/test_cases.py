"""The single cases of the rules (docs/rules.md, "Single cases"): a position, a move, what must come of it."""

from dataclasses import dataclass, replace

import pytest

from engine import BOOKS, Announcement, Book, Game, IllegalMove, Outcome, Piece, Reason, Refusal, Side, square_name
from engine.notation import parse_move
from engine.questions import escapes, king_in_danger

EDGE, CORNER = "tablut-edge", "tablut-corner"
RAICHI, TUICHI, DANGER = Announcement.RAICHI, Announcement.TUICHI, Announcement.KING_IN_DANGER
KING_CAPTURED = Outcome(Side.ATTACKERS, Reason.KING_CAPTURED)
NO_MOVES = Outcome(Side.DEFENDERS, Reason.NO_LEGAL_MOVES)


@dataclass(frozen=True, slots=True)
class Case:
    book: str
    position: str
    move: str
    captures: tuple[str, ...] = ()
    announced: tuple[Announcement, ...] = ()
    result: Outcome | None = None


CASES = {
    "king taken by three and the throne": Case(
        EDGE, "/9/9/4t4/3tK4/9/5t3/9/9/9/", "f6-f4", ("e4",), result=KING_CAPTURED
    ),
    "king taken on the throne by four": Case(
        EDGE, "/9/9/9/4t4/3tKt3/9/9/4t4/9/", "e8-e6", ("e5",), result=KING_CAPTURED
    ),
    "the fourth side": Case(EDGE, "/9/9/9/4t4/3tKt3/4T4/9/4t4/9/", "e8-e7", ("e6",), (DANGER,)),
    "no fourth side with only two": Case(EDGE, "/9/9/9/9/3tKt3/4T4/9/4t4/9/", "e8-e7", (), (RAICHI,)),
    "king walks between two": Case(EDGE, "/9/9/2t1t4/9/3K5/9/9/9/9/", "d5-d3", (), (TUICHI,)),
    "king steps off the throne among three": Case(EDGE, "/9/9/4t4/3t1t3/4K4/9/9/9/9/", "e5-e4", (), (RAICHI,)),
    "king crosses the throne he has left": Case(EDGE, "/9/9/9/4K4/9/9/9/9/4t4/", "e4-e6", (), (TUICHI,)),
    "soldiers cross the throne on 9x9": Case(CORNER, "/9/9/9/4T4/9/9/1K7/9/4t4/", "e4-e6"),
    "two corners open": Case(CORNER, "/9/9/9/9/1K7/9/9/9/4t4/", "b5-a5", (), (TUICHI,)),
    "one corner open": Case(CORNER, "/9/9/9/t8/1K7/9/9/9/9/", "b5-a5", (), (RAICHI,)),
    "king taken on the edge by three": Case(CORNER, "/9/9/9/t8/Kt7/9/t8/9/9/", "a7-a6", ("a5",), result=KING_CAPTURED),
    "king taken beside the corner by two": Case(
        CORNER, "/1Kt6/9/1t7/9/9/9/9/9/9/", "b3-b2", ("b1",), result=KING_CAPTURED
    ),
    "soldier taken against the corner": Case(CORNER, "/1T7/9/9/9/2t4K1/9/9/9/9/", "c5-c1", ("b1",)),
    "the presser must move": Case(EDGE, "/9/9/9/4t4/2tTKt3/9/9/4t4/9/", "e8-e6"),
    "the enclosure completed again": Case(EDGE, "/9/9/9/3t5/1t1K5/3t5/9/9/9/", "b5-c5", ("d5",), result=KING_CAPTURED),
    "soldier taken against the empty throne": Case(EDGE, "/9/9/3t5/4T4/7K1/9/9/9/t8/", "d3-e3", ("e4",), (TUICHI,)),
    "attacker taken against the king's throne": Case(EDGE, "/9/4T4/9/4t4/4K4/9/9/9/t8/", "e2-e3", ("e4",), (TUICHI,)),
    "king and soldier taken at once": Case(
        EDGE, "/9/9/1tK1Tt3/9/9/9/3t5/9/9/", "d7-d3", ("c3", "e3"), result=KING_CAPTURED
    ),
    "no legal move": Case(EDGE, "/tT7/1T7/9/9/4K4/9/9/9/9/", "b2-a2", result=NO_MOVES),
    "king returns to the throne": Case(CORNER, "/9/9/9/9/2Tt2K2/9/9/9/4t4/", "g5-e5", ("d5",)),
    "the throne is no anvil": Case(CORNER, "/9/9/9/2t6/3T5/9/9/3K5/9/", "c4-c5"),
}


def mover(game: Game, move: str) -> Side:
    return game.pieces[parse_move(move, game.size).origin].side


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_case(case: Case) -> None:
    probe = Game(BOOKS[case.book], position=case.position)
    game = Game(BOOKS[case.book], position=case.position, side=mover(probe, case.move))
    parsed = parse_move(case.move, game.size)
    found = game.find(parsed.origin, parsed.destination)
    assert found is not None
    foreseen = game.outcome_of(found)
    wins = game.wins(found)
    ply = game.play(parsed[:2])
    assert tuple(square_name(square, game.size) for square in ply.move.captures) == case.captures
    assert game.result == foreseen == case.result
    assert wins == (case.result.winner if case.result else None)
    assert ply.announcements == case.announced
    assert not any(square in game.occupied for square in ply.move.captures)


NO_FOURTH_SIDE = {
    "a book without it": (
        replace(BOOKS[EDGE], fourth_side=False),
        "/9/9/9/4t4/3tKt3/4T4/9/4t4/9/",
    ),
    "a defender on the throne, none to press another against": (
        replace(BOOKS[EDGE], throne_stops=frozenset(Piece), throne_return=True),
        "/9/1K7/9/4t4/3tTt3/4T4/9/4t4/9/",
    ),
}


@pytest.mark.parametrize(("book", "position"), NO_FOURTH_SIDE.values(), ids=NO_FOURTH_SIDE)
def test_no_fourth_side(book: Book, position: str) -> None:
    game = Game(book, position=position)
    assert game.play(parse_move("e8-e7", game.size)[:2]).move.captures == ()


ILLEGAL = [
    (EDGE, "/9/9/9/4K4/9/9/9/9/4t4/", "e4-e5", Refusal.KING_MAY_NOT_RETURN),
    (EDGE, "/9/9/9/4T4/9/9/1K7/9/t8/", "e4-e6", Refusal.BLOCKED),
    (EDGE, "/9/9/9/4T4/9/9/1K7/9/t8/", "e4-e5", Refusal.FORBIDDEN_SQUARE),
    (CORNER, "/9/9/9/4T4/9/9/1K7/9/4t4/", "e4-e5", Refusal.FORBIDDEN_SQUARE),
    ("hnefatafl-11", "/11/11/11/11/5T5/11/11/1K9/11/11/5t5/", "f5-f7", Refusal.BLOCKED),
    ("hnefatafl-13", "/13/13/13/13/13/6T6/13/13/1K11/13/13/13/6t6/", "g6-g8", Refusal.BLOCKED),
]


@pytest.mark.parametrize(("book", "position", "move", "refusal"), ILLEGAL)
def test_illegal_case(book: str, position: str, move: str, refusal: Refusal) -> None:
    game = Game(BOOKS[book], position=position, side=Side.DEFENDERS)
    origin, destination, _ = parse_move(move, game.size)
    assert game.find(origin, destination) is None
    assert game.refusal(origin, destination) is refusal
    with pytest.raises(IllegalMove, match=refusal.value):
        game.play((origin, destination))
    assert game.position == position


@pytest.mark.parametrize("book", ["hnefatafl-11", "hnefatafl-13"])
def test_the_king_crosses_the_throne_on_larger_boards(book: str) -> None:
    size = BOOKS[book].size
    middle = size // 2
    ranks = [str(size)] * size
    ranks[middle - 1] = f"{middle}K{size - middle - 1}"
    ranks[-1] = f"{middle}t{size - middle - 1}"
    game = Game(BOOKS[book], position="/" + "/".join(ranks) + "/", side=Side.DEFENDERS)
    king = next(square for square, piece in game.pieces.items() if piece is Piece.KING)
    reached = {move.destination for move in game.legal_moves() if move.origin == king}
    assert BOOKS[book].throne in reached
    assert BOOKS[book].throne + size in reached


def test_the_questions_speak_of_the_position_as_it_stands() -> None:
    game = Game(BOOKS[EDGE], position="/9/9/9/4t4/3tKt3/9/9/4t4/9/", side=Side.DEFENDERS)
    assert king_in_danger(game)
    assert escapes(game) == 0
    assert escapes(Game(BOOKS[EDGE], position="/9/9/9/4K4/9/9/9/9/4t4/")) == 3
