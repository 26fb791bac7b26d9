"""Rules strings: read, written, refused."""

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import BOOKS, Book, NotationError, Piece, PositionError, RulesError, Side, parse_rules, write_rules
from engine.books import Goal, KingArms, KingCapture, NoLegalMove, Repetition, Shieldwall
from engine.notation import parse_position
from engine.rulestring import CHOICES, PIECE_LISTS, SQUARE_LISTS
from engine.squares import Square

START = BOOKS["tablut-edge"].start
ALL, KING, NONE = frozenset(Piece), frozenset({Piece.KING}), frozenset[Piece]()
pieces = st.frozensets(st.sampled_from(Piece))


@st.composite
def books(draw: st.DrawFn) -> Book:
    goal = draw(st.sampled_from(Goal))
    corner_stops = draw(pieces)
    book = draw(st.sampled_from(list(BOOKS.values())))
    taken = book.corners | set(parse_position(book.start)[1])  # who stands in a camp at the start must be allowed to
    camps = draw(st.frozensets(st.sampled_from([Square(n) for n in range(book.size**2) if n not in taken])))
    return replace(
        book,
        name=draw(st.sampled_from(["mine", *BOOKS])),
        first=draw(st.sampled_from(Side)),
        goal=goal,
        throne_stops=draw(pieces) | KING,
        throne_crosses=draw(pieces),
        throne_return=draw(st.booleans()),
        throne_hostile_empty=draw(pieces),
        throne_hostile_occupied=draw(pieces),
        fourth_side=draw(st.booleans()),
        corner_stops=corner_stops | KING if goal is Goal.CORNER else corner_stops,
        corner_hostile=draw(pieces),
        king_arms=draw(st.sampled_from(KingArms)),
        king_capture=draw(st.sampled_from(KingCapture)),
        repetition=draw(st.sampled_from(Repetition)),
        no_legal_move=draw(st.sampled_from(NoLegalMove)),
        given_anywhere=draw(st.booleans()),
        repetition_count=draw(st.integers(2, 9)),
        camps=camps,
        camp_moves=draw(pieces) - KING if camps else NONE,
        camp_hostile=draw(pieces) if camps else NONE,
        shieldwall=draw(st.sampled_from(Shieldwall)),
        encirclement=draw(st.booleans()),
        exit_fort=draw(st.booleans()),
    )


def test_the_strategy_for_books_draws_every_field() -> None:
    drawn = {"name", "first", "goal", "throne_stops", "throne_crosses", "throne_return", "throne_hostile_empty"}
    drawn |= {"throne_hostile_occupied", "fourth_side", "corner_stops", "corner_hostile", "king_arms"}
    drawn |= {"king_capture", "repetition", "no_legal_move", "given_anywhere", "repetition_count", "camps"}
    drawn |= {"camp_moves", "camp_hostile", "shieldwall", "encirclement", "exit_fort"}
    assert {field.name for field in fields(Book)} == drawn | {"size", "start"}


@given(books())
def test_any_book_there_and_back(book: Book) -> None:
    text = write_rules(book)
    assert parse_rules(text) == book
    assert write_rules(parse_rules(text)) == text


@pytest.mark.parametrize("book", BOOKS.values(), ids=BOOKS)
def test_our_books_by_name_alone(book: Book) -> None:
    assert parse_rules(f"dim:{book.size} name:{book.name} start:{book.start}") == book
    assert parse_rules(write_rules(book)) == book


def test_the_strings_of_our_books_hold_what_differs_from_the_defaults() -> None:
    assert write_rules(BOOKS["tablut-edge"]) == (
        "dim:9 name:tablut-edge esc:e surf:n tfr:i ks:c cor: cenp:K cenre: linc:y "
        f"konakis-repetition:three-moves start:{START}"
    )
    assert write_rules(BOOKS["tablut-corner"]) == (
        f"dim:9 name:tablut-corner surf:n atkf:n tfr:i ks:m cenh: cenhe:K start:{START}"
    )
    assert write_rules(BOOKS["sea-battle"]) == f"dim:9 name:sea-battle esc:e surf:n ka:n ks:w cor: cen: start:{START}"
    assert write_rules(BOOKS["copenhagen"]) == (
        f"dim:11 name:copenhagen tfr:l corh:tT sw:s efe:y konakis-given-anywhere:y start:{BOOKS['copenhagen'].start}"
    )
    assert write_rules(BOOKS["ashton"]) == (
        "dim:9 name:ashton esc:e surf:n atkf:n ks:c cor: cenh:tT cenp: cenre: "
        "afor:d1,e1,f1,e2,a4,i4,a5,b5,h5,i5,a6,i6,e8,d9,e9,f9 aforh:tTK aforp:t afors:t aforre: "
        f"konakis-repetition-count:2 start:{START}"
    )


def test_a_name_of_ours_does_not_hide_other_rules() -> None:
    house = parse_rules(f"dim:9 name:tablut-edge esc:c start:{START}")
    assert house.goal is Goal.CORNER
    assert house != BOOKS["tablut-edge"]


def test_the_defaults_of_the_notation() -> None:
    book = parse_rules(f"dim:9 start:{START}")
    assert book == Book(
        name="unnamed",
        size=9,
        first=Side.ATTACKERS,
        start=START,
        goal=Goal.CORNER,
        throne_stops=KING,
        throne_crosses=ALL,
        throne_return=True,
        throne_hostile_empty=ALL,
        throne_hostile_occupied=frozenset({Piece.ATTACKER}),
        fourth_side=False,
        corner_stops=KING,
        corner_hostile=ALL,
        king_arms=KingArms.ARMED,
        king_capture=KingCapture.FOUR,
        repetition=Repetition.DRAWS,
        no_legal_move=NoLegalMove.LOSES,
        encirclement=True,
    )


@pytest.mark.parametrize(
    ("keys", "field", "value"),
    [
        ("esc:e", "goal", Goal.EDGE),
        ("atkf:n", "first", Side.DEFENDERS),
        ("ka:n", "king_arms", KingArms.UNARMED),
        ("ka:a", "king_arms", KingArms.ANVIL),
        ("ka:h", "king_arms", KingArms.HAMMER),
        ("ks:c", "king_capture", KingCapture.NEAR_THRONE),
        ("ks:m", "king_capture", KingCapture.SURROUNDED),
        ("ks:w", "king_capture", KingCapture.TWO),
        ("ks:n", "king_capture", KingCapture.TWO),
        ("ks:y", "king_capture", KingCapture.FOUR),
        ("linc:y", "fourth_side", True),
        ("cens:", "throne_return", False),
        ("cenre:", "throne_return", False),
        ("cenre:tT", "throne_return", False),
        ("cens:tTK", "throne_stops", ALL),
        ("cenp:K", "throne_crosses", KING),
        ("cenh:", "throne_hostile_occupied", NONE),
        ("cenhe:tcnk", "throne_hostile_empty", frozenset({Piece.ATTACKER})),
        ("corh:TCNK", "corner_hostile", frozenset({Piece.DEFENDER, Piece.KING})),
        ("cors:tTK", "corner_stops", ALL),
        ("esc:e cors:tTK corre:tT", "corner_stops", frozenset({Piece.ATTACKER, Piece.DEFENDER})),
        ("esc:e cor:", "corner_stops", ALL),
        ("esc:e cor:", "corner_hostile", NONE),
        ("cor:a1,a9,i1,i9", "corner_stops", KING),
        ("cen:e5,", "throne_crosses", ALL),
        ("cen:", "throne_stops", ALL),
        ("cen:", "throne_hostile_empty", NONE),
        ("cen: ks:c", "king_capture", KingCapture.TWO),
        ("nj:r cj:c mj:n gj:j swf:n spd:-1 ber:n sw:n efe:n kj:n afor: dfor: aforh:t dforp:K", "goal", Goal.CORNER),
        ("spd:-1,-1,-1", "goal", Goal.CORNER),
        ("name:Sea_Battle", "name", "Sea_Battle"),
        ("surf:n", "encirclement", False),
        ("efe:y", "exit_fort", True),
        ("sw:w", "shieldwall", Shieldwall.WITHOUT_CORNERS),
        ("sw:s swf:y", "shieldwall", Shieldwall.WITH_CORNERS),
        ("tfr:i", "repetition", Repetition.IGNORED),
        ("tfr:l", "repetition", Repetition.LOSES),
        ("tfr:w", "repetition", Repetition.WINS),
        ("tfr:l konakis-repetition:three-moves", "repetition", Repetition.THREE_MOVES),
        ("konakis-repetition-count:2", "repetition_count", 2),
        ("konakis-given-anywhere:y", "given_anywhere", True),
        ("afor:a4,b5, aforre:", "camps", frozenset({Square(27), Square(37)})),
        ("afor:a4 aforre:", "camp_hostile", frozenset({Piece.DEFENDER, Piece.KING})),
        ("afor:a4 aforre:n", "camp_moves", frozenset({Piece.ATTACKER, Piece.DEFENDER})),
        ("afor:a4 aforh:t aforp:t afors:tK aforre:", "camp_moves", frozenset({Piece.ATTACKER})),
        ("afor:, dfor:", "camps", frozenset()),
    ],
)
def test_what_the_keys_mean(keys: str, field: str, value: object) -> None:
    assert getattr(parse_rules(f"dim:9 {keys} start:{START}"), field) == value


def test_a_start_from_the_highest_rank() -> None:
    asymmetric = "/9/9/9/9/2K6/9/9/9/7t1/"
    upside_down = "/7t1/9/9/9/2K6/9/9/9/9/"
    assert parse_rules(f"dim:9 esc:e starti:{upside_down}") == parse_rules(f"dim:9 esc:e start:{asymmetric}")


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ("kj:r", r"kj:r \(jumps of the king\)"),
        ("sw:s swf:n", r"swf:n \(shieldwalls closed from elsewhere\)"),
        ("ber:c", r"ber:c \(Berserk moves\)"),
        ("ber:m", "ber:m"),
        ("spd:3", r"spd:3 \(speed limits\)"),
        ("spd:-1,2,-1", "spd"),
        ("afor:a4,a5", r"aforre: with pieces \(fortresses that can be entered\)"),
        ("afor:a4 aforre: aforp:t", "afors: and aforp: with different pieces"),
        ("afor:e5 aforre:", "camps: found e5"),
        ("dfor:e4", r"dfor:e4 \(fortresses of the defenders\)"),
        ("konakis-repetition-count:1", "repetition_count: found 1, expected 2 or more"),
        ("cor:a1", "expected a1,a9,i1,i9"),
        ("cen:d4", "expected e5"),
        ("cor:", "expected the corners"),
        ("cens:tTK cenre:K", "cenre"),
        ("cens:tT", "throne_stops: found no king"),
        ("cors:t", "corner_stops: found no king"),
    ],
)
def test_what_is_not_played_is_refused_by_name(keys: str, name: str) -> None:
    with pytest.raises(RulesError, match=name):
        parse_rules(f"dim:9 {keys} start:{START}")


@pytest.mark.parametrize(
    ("text", "column", "found", "expected"),
    [
        ("", 1, "the end", "'dim:'"),
        ("esc:e dim:9", 1, "'esc'", "'dim' first"),
        ("dim:9", 6, "neither 'start' nor 'starti'", "one of them"),
        (f"dim:9 start:{START} starti:{START}", None, "both", "one of them"),
        (f"dim:nine start:{START}", 5, "dim:nine", "a number"),
        (f"dim:9 esc start:{START}", 7, "'esc'", "key:value"),
        (f"dim:9 esc:e esc:e start:{START}", 13, "'esc' a second time", "each key once"),
        (f"dim:9 surv:n start:{START}", 7, "key 'surv'", "'surf'"),
        (f"dim:9 esc:x start:{START}", 11, "esc:x", "one of c, e"),
        (f"dim:9 spd:x start:{START}", 11, "spd:x", "-1"),
        (f"dim:9 corh:tx start:{START}", 13, "corh:…x", "letters of"),
        (f"dim:9 cor:a1,z9 start:{START}", 11, "'z9'", "a square"),
        (f"dim:9 afor:a0 start:{START}", 12, "'a0'", "a square"),
        (f"dim:9 konakis-repetition-count:two start:{START}", 32, "konakis-repetition-count:two", "a number"),
        (f"dim:11 start:{START}", 14, "9 ranks", "11 (as dim: says)"),
        ("dim:9 start:/9/9/", 13, "2 ranks", "odd number"),
        ("dim:9 start:/9/9/9/9/4x4/9/9/9/9/", 23, "'x'", "t, T, K"),
    ],
)
def test_what_cannot_be_read(text: str, column: int | None, found: str, expected: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_rules(text)
    error = caught.value
    assert found in error.found
    assert expected in error.expected
    assert column is None or error.column == column


def test_a_size_that_is_not_played() -> None:
    with pytest.raises(RulesError, match="found dim:5, expected an odd number from 7 to 19"):
        parse_rules("dim:5 start:/1tTTt/tKt2/t2T1/5/1T3/")


def test_a_start_that_cannot_be_played() -> None:
    with pytest.raises(PositionError, match="found no king"):
        parse_rules("dim:9 start:/9/9/9/9/9/9/9/9/1t7/")


def test_the_table_of_keys_is_whole() -> None:
    names = [*CHOICES, *SQUARE_LISTS, *PIECE_LISTS]
    assert len(set(names)) == len(names)
    for key, choice in CHOICES.items():
        assert choice.default in choice.values, key
        assert set(choice.played) <= set(choice.values), key
        assert choice.played, key
    assert all(set(letters) <= set("tcnkTCNK") for letters in PIECE_LISTS.values())


def test_a_blank_in_a_name() -> None:
    book = replace(BOOKS["tablut-edge"], name="our house")
    assert parse_rules(write_rules(book)) == replace(book, name="our_house")


def test_an_empty_name_is_none() -> None:
    assert parse_rules(f"dim:9 name: esc:e start:{START}").name == "unnamed"
