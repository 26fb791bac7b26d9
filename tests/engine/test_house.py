"""House rules by field, and books as one line of text."""

from dataclasses import fields, replace

import pytest

from engine import BOOKS, Book, Piece, RulesError, Side, Square, UnknownBookError, book_named, name_of, write_rules
from engine.books import Goal, KingArms, Shieldwall
from engine.house import changed, told

EDGE = BOOKS["tablut-edge"]


@pytest.mark.parametrize("book", BOOKS.values(), ids=BOOKS)
def test_a_book_is_told_field_by_field_and_made_again_of_what_was_told(book: Book) -> None:
    words = told(book)
    assert list(words) == [field.name for field in fields(Book)]
    assert changed(BOOKS["hnefatafl-13"], words) == book
    assert all(isinstance(word, str | int | bool | list) for word in words.values())


def test_a_house_rule_changes_what_it_names_and_the_name() -> None:
    house = changed(
        EDGE, {"king_arms": "unarmed", "corner_hostile": ["t", "T"], "camps": ["a1", "a2"], "camp_moves": ["t"]}
    )
    assert house == replace(
        EDGE,
        name="tablut-edge-house",
        king_arms=KingArms.UNARMED,
        corner_hostile=frozenset({Piece.ATTACKER, Piece.DEFENDER}),
        camps=frozenset({Square(0), Square(9)}),
        camp_moves=frozenset({Piece.ATTACKER}),
    )
    assert changed(EDGE, {"name": "ours", "first": "defenders"}) == replace(EDGE, name="ours", first=Side.DEFENDERS)
    assert changed(EDGE, {"goal": "corner", "corner_stops": ["K"]}).goal is Goal.CORNER
    assert changed(EDGE, {"shieldwall": "with-corners"}).shieldwall is Shieldwall.WITH_CORNERS
    assert changed(EDGE, {}) is EDGE


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ({"king_arm": "armed"}, "king_arm: unknown rule, did you mean king_arms?"),
        ({"king_arms": "strong"}, "king_arms: found 'strong', expected one of armed, hammer, anvil, unarmed"),
        ({"king_arms": ["armed"]}, r"king_arms: found \['armed'\], expected one of"),
        ({"fourth_side": 1}, "fourth_side: found 1, expected true or false"),
        ({"repetition_count": True}, "repetition_count: found true, expected a whole number"),
        ({"name": 3}, "name: found 3, expected text"),
        ({"corner_stops": "tTK"}, "corner_stops: found 'tTK', expected a list of words"),
        ({"corner_stops": ["k"]}, "corner_stops: found 'k', expected letters of t, T, K"),
        ({"camps": ["j1"]}, "camps: .*found 'j1', expected a square from a1 to i9"),
        ({"size": 8}, "size: found 8"),
        ({"throne_stops": []}, "throne_stops: found no king"),
    ],
)
def test_what_is_no_house_rule(rules: dict[str, object], why: str) -> None:
    with pytest.raises(RulesError, match=why):
        changed(EDGE, rules)


@pytest.mark.parametrize("book", [*BOOKS.values(), replace(EDGE, name="ours", fourth_side=False)], ids=lambda b: b.name)
def test_a_book_is_one_line_of_text(book: Book) -> None:
    assert book_named(name_of(book)) == book
    assert (name_of(book) == book.name) == (book.name in BOOKS)


def test_a_changed_book_does_not_pass_for_the_one_it_is_called_after() -> None:
    house = replace(EDGE, fourth_side=False)
    assert name_of(house) == write_rules(house)
    assert book_named(name_of(house)) == house


def test_neither_name_nor_rules_string() -> None:
    with pytest.raises(UnknownBookError, match="found 'tablut', expected one of tablut-edge"):
        book_named("tablut")
