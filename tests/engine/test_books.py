"""The books: complete, consistent, and changed by replacing a field."""

from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path

import pytest

import engine
from engine import BOOKS, Book, EngineError, Game, Piece, RulesError, Side, UnknownBookError, book_named, parse_move
from engine.books import Goal, KingArms, KingCapture
from engine.tables import tables_of

EDGE, CORNER = BOOKS["tablut-edge"], BOOKS["tablut-corner"]
OURS = ["tablut-edge", "tablut-corner", "hnefatafl-11", "hnefatafl-13"]
FURTHER = ["linnaean", "sea-battle", "brandubh", "copenhagen", "ashton"]


def test_the_books_there_are() -> None:
    assert list(BOOKS) == OURS + FURTHER
    assert all(book.name == name for name, book in BOOKS.items())
    assert all(book_named(name) is book for name, book in BOOKS.items())


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownBookError) as caught:
        book_named("chess")
    assert str(caught.value) == (
        "rule book: found 'chess', expected one of tablut-edge, tablut-corner, hnefatafl-11, hnefatafl-13, "
        "linnaean, sea-battle, brandubh, copenhagen, ashton"
    )
    assert isinstance(caught.value, EngineError)


def test_books_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        EDGE.size = 11  # type: ignore[misc]


def test_every_field_cites_its_rule() -> None:
    source = Path(engine.__file__).with_name("books.py").read_text("utf-8")
    body = source[source.index("class Book:") : source.index("def __post_init__")]
    for field in fields(Book):
        if field.name not in ("name", "size"):
            line = body.index(f"    {field.name}: ")
            assert "(rules, " in body[line : body.index("\n    ", body.index('"""', line))], field.name


def test_where_the_books_differ() -> None:
    assert (EDGE.goal, CORNER.goal) == (Goal.EDGE, Goal.CORNER)
    assert (EDGE.first, CORNER.first) == (Side.ATTACKERS, Side.DEFENDERS)
    assert len(EDGE.goals) == 32
    assert CORNER.goals == CORNER.corners
    assert EDGE.throne == 40
    assert (EDGE.throne_return, CORNER.throne_return) == (False, True)
    assert Piece.ATTACKER in CORNER.throne_crosses
    assert Piece.ATTACKER not in BOOKS["hnefatafl-11"].throne_crosses


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("size", 8, "size: found 8"),
        ("size", 21, "size: found 21"),
        ("size", 5, "size: found 5"),
        ("throne_stops", frozenset(), "throne_stops: found no king"),
        ("corner_stops", frozenset({Piece.ATTACKER}), "corner_stops: found no king"),
        ("repetition_count", 1, "repetition_count: found 1, expected 2 or more"),
        ("name", "", "name: found '', expected a word or more on one line"),
        ("name", "two\nlines", "name: found 'two"),
        ("camps", frozenset({81}), "camps: found square 81"),
        ("camps", frozenset({0}), "camps: found a1, expected a square of the board but for throne and goal"),
        ("camps", frozenset({40}), "camps: found e5"),
        ("camp_hostile", frozenset(Piece), "camps: found none"),
        ("camp_moves", frozenset({Piece.ATTACKER}), "camps: found none"),
    ],
)
def test_contradictions_are_refused(field: str, value: object, why: str) -> None:
    with pytest.raises(RulesError, match=why):
        replace(CORNER, **{field: value})  # type: ignore[arg-type]


def test_equal_books_share_their_tables() -> None:
    assert tables_of(replace(EDGE)) is tables_of(EDGE)
    assert tables_of(replace(EDGE, fourth_side=False)) is not tables_of(EDGE)


HOUSE_RULES = [
    # what is changed, position, move, captures by the book's own rule, captures by the house rule
    ({"fourth_side": False}, "/9/9/9/4t4/3tKt3/4T4/9/4t4/9/", "e8-e7", ("e6",), ()),
    ({"king_arms": KingArms.UNARMED}, "/9/9/3T5/3t5/9/9/9/3K5/8t/", "d8-d5", ("d4",), ()),
    ({"king_capture": KingCapture.TWO}, "/9/9/9/3tK4/9/9/5t3/9/9/", "f7-f4", (), ("e4",)),
    ({"king_capture": KingCapture.FOUR}, "/9/9/1tK6/9/9/9/3t5/9/9/", "d7-d3", ("c3",), ()),
    ({"throne_hostile_empty": frozenset()}, "/9/9/3t5/4T4/7K1/9/9/9/t8/", "d3-e3", ("e4",), ()),
    ({"corner_hostile": frozenset(Piece)}, "/1T7/9/9/9/2t4K1/9/9/9/9/", "c5-c1", (), ("b1",)),
]


@pytest.mark.parametrize(("change", "position", "move", "plain", "changed"), HOUSE_RULES)
def test_a_house_rule_is_a_replaced_field(
    change: dict[str, object],
    position: str,
    move: str,
    plain: tuple[str, ...],
    changed: tuple[str, ...],
) -> None:
    house = replace(EDGE, **change)  # type: ignore[arg-type]
    for book, expected in ((EDGE, plain), (house, changed)):
        origin, destination, _ = parse_move(move, 9)
        side = Game(book, position=position).pieces[origin].side
        found = Game(book, position=position, side=side).find(origin, destination)
        assert found is not None
        assert tuple(engine.square_name(square, 9) for square in found.captures) == expected


@pytest.mark.parametrize(
    ("arms", "hammer", "anvil"),
    [
        (KingArms.ARMED, True, True),
        (KingArms.HAMMER, True, False),
        (KingArms.ANVIL, False, True),
        (KingArms.UNARMED, False, False),
    ],
)
def test_the_kings_arms(arms: KingArms, hammer: bool, anvil: bool) -> None:
    book = replace(EDGE, king_arms=arms)
    striking = Game(book, position="/9/9/9/9/9/2Tt2K2/9/9/8t/", side=Side.DEFENDERS)
    move = striking.find(*parse_move("g6-e6", 9)[:2])
    assert move is not None
    assert bool(move.captures) == hammer
    standing = Game(book, position="/9/9/9/9/9/2Kt2T2/9/9/8t/", side=Side.DEFENDERS)
    move = standing.find(*parse_move("g6-e6", 9)[:2])
    assert move is not None
    assert bool(move.captures) == anvil
