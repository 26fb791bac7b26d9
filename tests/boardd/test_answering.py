"""Which lifts and drops answer what is read, as a table."""

import pytest

from boardd.answering import ANSWERED_BY_LIFT, begins_reply, completes_reply
from boardd.meanings import Kind, Reading, Squares
from engine import Game, Square, book_named, parse_square


def at(name: str) -> Square:
    return parse_square(name, 9)


def squares(*names: str) -> Squares:
    return frozenset(map(at, names))


def quiet(reading: Reading) -> bool:
    return False


def final(reading: Reading) -> bool:
    return True


def nobody_asks(reading: Reading) -> bool:
    raise AssertionError("a takeback ends nothing, and is no legal move")


START = Game(book_named("tablut-edge"))
MOVED = Game(book_named("tablut-edge"))
FIRST = MOVED.play((at("a4"), at("b4"))).move
BEFORE_CAPTURE = Game(book_named("tablut-edge"), position="/9/9/t3Tt3/4T4/3TKT3/4T4/9/7T1/t7t/")
CAPTURE = BEFORE_CAPTURE.find(at("a3"), at("d3"))
assert CAPTURE is not None

MOVE = Reading(Kind.MOVE, FIRST)
AMENDED = START.find(at("a4"), at("c4"))
AMENDMENT = Reading(Kind.AMENDMENT, AMENDED, amends=True)
TAKEBACK = Reading(Kind.TAKEBACK, FIRST)


@pytest.mark.parametrize(
    ("what", "reading", "game", "lifted", "expected"),
    [
        ("the next side's",                    MOVE,                         START,          "c5", True),
        ("the mover's side's",                 MOVE,                         START,          "d1", False),
        ("the mover, once more",               MOVE,                         START,          "b4", False),
        ("from where nobody stood",            MOVE,                         START,          "b2", False),
        ("a piece that stood no more",         MOVE,                         START,          "c4", False),
        ("a bystander of the next side",       Reading(Kind.MOVE, CAPTURE),  BEFORE_CAPTURE, "e4", True),
        ("the victim",                         Reading(Kind.MOVE, CAPTURE),  BEFORE_CAPTURE, "e3", False),
        ("the side after the amended move",    AMENDMENT,                    MOVED,          "c5", True),
        ("the amending side's",                AMENDMENT,                    MOVED,          "d1", False),
        ("who moves again after a takeback",   TAKEBACK,                     MOVED,          "d1", True),
        ("the piece that was put back",        TAKEBACK,                     MOVED,          "a4", False),
        ("who has to wait again",              TAKEBACK,                     MOVED,          "c5", False),
        ("whoever, after two moves",           Reading(Kind.LINE, FIRST),    START,          "b2", True),
        ("nobody knows which move",            Reading(Kind.MOVE),           START,          "c5", False),
    ],
)  # fmt: skip
def test_which_lift_is_an_answer(what: str, reading: Reading, game: Game, lifted: str, expected: bool) -> None:
    seen = game.occupied - squares("c4")
    ends = nobody_asks if reading.kind is Kind.TAKEBACK else quiet
    assert begins_reply(at(lifted), reading, game, seen, ends) is expected, what


def test_a_piece_that_reads_empty_already_answers_nothing() -> None:
    assert begins_reply(at("c5"), MOVE, START, START.occupied, quiet)
    assert not begins_reply(at("c5"), MOVE, START, START.occupied - squares("c5"), quiet)


def test_nobody_answers_a_move_that_ends_the_game() -> None:
    assert not begins_reply(at("c5"), MOVE, START, START.occupied, final)
    assert not begins_reply(at("c5"), AMENDMENT, MOVED, MOVED.occupied, final)


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind not in ANSWERED_BY_LIFT], ids=lambda kind: kind.name)
def test_no_lift_answers_anything_else(kind: Kind) -> None:
    assert not begins_reply(at("c5"), Reading(kind, FIRST), START, START.occupied, quiet)


@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.name)
def test_a_drop_answers_only_where_a_reply_was_begun(kind: Kind) -> None:
    reading = Reading(kind, FIRST, squares=squares("c5"))
    assert completes_reply(at("c3"), reading, quiet) is (kind is Kind.REPLYING)
    assert not completes_reply(at("c3"), reading, final)
    assert not completes_reply(at("c5"), reading, quiet), "it is put back"
