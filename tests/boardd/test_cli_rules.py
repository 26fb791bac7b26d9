import pytest

from engine import BOOKS
from tests.boardd.commands import Terminal

KING_TAKEN = "/9/9/4t4/3tK4/9/5t3/9/9/9/"


def test_the_books_are_listed(konakis: Terminal) -> None:
    books = konakis("rules", "--json").json["books"]
    assert [book["name"] for book in books] == list(BOOKS)
    assert {"name": "tablut-edge", "size": 9, "first": "attackers"} in books
    out = konakis("rules").out
    assert all(name in out for name in BOOKS)


@pytest.mark.parametrize("book", list(BOOKS))
def test_every_field_of_a_book_is_told(konakis: Terminal, book: str) -> None:
    fields = konakis("rules", book, "--json").json
    assert fields["name"] == book
    assert list(fields) == [*BOOKS[book].__dataclass_fields__]
    assert fields["size"] == BOOKS[book].size
    assert fields["start"] == BOOKS[book].start
    ran = konakis("rules", book)
    assert ran.status == 0
    assert all(name in ran.out for name in fields)


def test_pieces_and_enums_are_told_by_their_words(konakis: Terminal) -> None:
    fields = konakis("rules", "tablut-edge", "--json").json
    assert fields["first"] == "attackers"
    assert fields["throne_hostile_empty"] == ["t", "T", "K"]
    assert fields["throne_hostile_occupied"] == ["t"]


def test_moves_of_a_position(konakis: Terminal) -> None:
    answer = konakis("moves", "--rules", "tablut-edge", "--position", KING_TAKEN, "--json").json
    assert list(answer) == ["position", "side", "moves", "escapes", "king_in_danger", "result"]
    assert answer["position"] == KING_TAKEN
    assert answer["side"] == "attackers"
    assert {"move": "f6-f4", "captures": ["e4"], "wins": "attackers"} in answer["moves"]
    assert {"move": "f6-f3", "captures": [], "wins": None} in answer["moves"]
    assert answer["escapes"] == 2
    assert answer["king_in_danger"] is True
    assert answer["result"] is None


def test_the_start_is_the_default(konakis: Terminal) -> None:
    answer = konakis("moves", "--rules", "tablut-corner", "--json").json
    assert (answer["side"], len(answer["moves"]), answer["escapes"]) == ("defenders", 56, 0)


def test_the_other_side_may_be_asked_for(konakis: Terminal) -> None:
    answer = konakis("moves", "--rules", "tablut-edge", "--side", "defenders", "--json").json
    assert answer["side"] == "defenders"


def test_a_side_without_moves_has_a_result(konakis: Terminal) -> None:
    position = "/tT7/T8/9/9/4K4/9/9/9/9/"
    answer = konakis("moves", "--rules", "tablut-edge", "--position", position, "--side", "attackers", "--json").json
    assert answer["moves"] == []
    assert answer["result"] == {"winner": "defenders", "reason": "no-legal-moves"}


def test_people_see_the_board_and_a_table(konakis: Terminal) -> None:
    out = konakis("moves", "--rules", "tablut-edge", "--position", KING_TAKEN).out
    lines = out.splitlines()
    assert lines[0] == "9  . . . . . . . . ."
    assert lines[4] == "5  . . . . + . . . ."
    assert lines[5] == "4  . . . t K . . . ."
    assert lines[9] == "   a b c d e f g h i"
    assert any(line.split() == ["f6-f4", "e4", "attackers"] for line in lines)
    assert lines[-1] == "attackers to move, 37 legal moves; tuichi, king in danger"
    assert "\x1b" not in out


@pytest.mark.parametrize(("book", "counts"), [("tablut-edge", [1, 80, 4400]), ("hnefatafl-11", [1, 60, 6900])])
def test_perft(konakis: Terminal, book: str, counts: list[int]) -> None:
    for depth, count in enumerate(counts):
        answer = konakis("perft", "--rules", book, "--depth", depth, "--json").json
        assert list(answer) == ["nodes", "seconds"]
        assert answer["nodes"] == count
        assert answer["seconds"] >= 0
    assert f"{counts[-1]} nodes in" in konakis("perft", "--rules", book, "--depth", 2).out


def test_perft_divided(konakis: Terminal) -> None:
    by_move = konakis("perft", "--rules", "tablut-edge", "--depth", 2, "--divide", "--json").json
    assert len(by_move) == 80
    assert sum(by_move.values()) == 4400
    assert by_move["d1-d3"] == 50
    assert "d1-d3  " in konakis("perft", "--rules", "tablut-edge", "--depth", 2, "--divide").out


def test_perft_of_a_finished_game(konakis: Terminal) -> None:
    position = ["--position", "/tT7/T8/9/9/4K4/9/9/9/9/", "--side", "attackers"]
    assert konakis("perft", "--rules", "tablut-edge", *position, "--depth", 2, "--json").json["nodes"] == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["rules", "ludo"], "rule book: found 'ludo', expected one of tablut-edge, tablut-corner"),
        (["moves"], "moves: Missing option '--rules'"),
        (["moves", "--rules", "ludo"], "rule book: found 'ludo'"),
        (["moves", "--rules", "tablut-edge", "--position", "x"], "--position: line 1, column 1: found 'x'"),
        (["moves", "--rules", "tablut-edge", "--position", "/9/9/9/9/9/9/9/9/9/"], "--position: "),
        (["moves", "--rules", "tablut-edge", "--position", "/7/7/7/3K3/7/7/7/"], "--position: "),
        (["moves", "--rules", "tablut-edge", "--side", "white"], "moves: Invalid value for '--side'"),
        (["moves", "--rules", "tablut-edge", "extra"], "moves: Got unexpected extra argument"),
        (["perft", "--rules", "tablut-edge", "--depth", "-1"], "perft: Invalid value for '--depth'"),
        (["perft", "--rules", "tablut-edge", "--depth", "two"], "perft: Invalid value for '--depth'"),
        (["perft", "--rules", "tablut-edge"], "perft: Missing option '--depth'"),
        (["chess"], "No such command 'chess'"),
        (["--colour"], "No such option"),
        (["rules", "--colour"], "rules: No such option"),
    ],
)
def test_what_cannot_run_is_told_in_one_line(konakis: Terminal, arguments: list[str], why: str) -> None:
    ran = konakis(*arguments)
    assert ran.complaint.startswith(why)
    assert ran.out == ""
