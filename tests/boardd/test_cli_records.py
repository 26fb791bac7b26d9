from pathlib import Path

import pytest

from boardd.cli import records
from engine import BOOKS, Game
from engine.records import record_of, write_record
from tests.boardd.commands import Terminal

PLAYED = "e2-g2 e3-h3 b5-b3"


def record(moves: str = PLAYED, book: str = "tablut-edge") -> str:
    game = Game(BOOKS[book])
    for move in moves.split():
        found = next(m for m in game.legal_moves() if m.text(game.size).partition("x")[0] == move)
        game.play(found)
    return write_record(record_of(game))


def test_a_record_is_played_through(konakis: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "game.otn"
    path.write_text(record())
    answer = konakis("verify", path, "--json").json
    assert list(answer) == ["rules", "plies", "position", "side", "result"]
    assert answer["rules"] == "tablut-edge"
    assert [ply["move"] for ply in answer["plies"]] == PLAYED.split()
    assert answer["plies"][1] == {"ply": 2, "side": "defenders", "move": "e3-h3", "captures": [], "announce": []}
    assert (answer["side"], answer["result"]) == ("defenders", None)


def test_bare_moves_need_a_book_and_may_come_by_standard_input(konakis: Terminal) -> None:
    answer = konakis("verify", "-", "--rules", "tablut-edge", "--json", stdin="e2-g2\n  e3-h3\tb5-b3\n").json
    assert [ply["move"] for ply in answer["plies"]] == PLAYED.split()
    assert "or --rules with bare moves" in konakis("verify", "-", stdin=PLAYED).complaint


def test_nothing_is_a_game_without_moves(konakis: Terminal) -> None:
    assert konakis("verify", "-", "--rules", "tablut-edge", "--json", stdin="").json["plies"] == []
    assert "found nothing" in konakis("verify", "-", stdin=" \n").complaint


def test_captures_may_be_left_out_or_must_be_right(konakis: Terminal) -> None:
    game = Game(BOOKS["tablut-edge"], position="/9/9/4t4/3tK4/9/5t3/9/9/9/")
    move = next(move for move in game.legal_moves() if move.captures)
    text = move.text(9)
    bare = text.partition("x")[0]
    start = write_record(record_of(game)) + "\n1. "
    for right in (bare, text, bare + "xe4++", text + "++"):
        answer = konakis("verify", "-", "--json", stdin=start + right).json
        assert answer["plies"][0]["captures"] == ["e4"]
        assert answer["plies"][0]["announce"] == []
        assert answer["result"] == {"winner": "attackers", "reason": "king-captured"}
        assert "K" not in answer["position"]
    for wrong in (bare + "xe5", text + "/e5"):
        ran = konakis("verify", "-", "--json", stdin=start + wrong)
        assert ran.status == 1
        assert ran.json["error"] == {"ply": 1, "move": bare, "reason": "wrong-captures"}
    over = konakis("verify", "-", "--json", stdin=f"{start}{text} d4-d5")
    assert over.status == 1
    assert over.json["error"] == {"ply": 2, "move": "d4-d5", "reason": "game-over"}
    assert over.json["result"]["reason"] == "king-captured"


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("d1-e1", "occupied"),
        ("d1-d9", "occupied"),
        ("e5-e6", "not-your-turn"),
        ("d1-e3", "diagonal"),
        ("a1-a2", "no-piece"),
        ("e2-e6", "occupied"),
    ],
)
def test_the_first_illegal_move_ends_it(konakis: Terminal, move: str, reason: str) -> None:
    ran = konakis("verify", "-", "--rules", "tablut-edge", "--json", stdin=f"d1-d3 c5-c4 {move} nonsense-free")
    assert ran.status == 2  # unreadable text is told before any move is judged
    ran = konakis("verify", "-", "--rules", "tablut-edge", "--json", stdin=f"d1-d3 c5-c4 {move} a4-a3")
    assert ran.status == 1
    answer = ran.json
    if move == "d1-e1" or move.startswith("d1"):
        reason = "no-piece"  # it stands on d3 by now
    assert answer["error"] == {"ply": 3, "move": move, "reason": reason}
    assert len(answer["plies"]) == 2
    assert answer["side"] == "attackers"


def test_a_resignation_by_sign_is_a_result(konakis: Terminal) -> None:
    answer = konakis("verify", "-", "--json", stdin=record("d1-d3 c5-c4") + "2. ---\n").json
    assert answer["result"] == {"winner": "defenders", "reason": "resignation"}


@pytest.mark.parametrize(
    ("tags", "result", "words"),
    [
        ("[result:1]\n[termination:resignation]\n", {"winner": "attackers", "reason": "resignation"}, "attackers win"),
        ("[result:0]\n[termination:draw-agreed]\n", {"winner": None, "reason": "draw-agreed"}, "a draw"),
    ],
)
def test_an_end_that_only_the_tags_tell_is_a_result(
    konakis: Terminal, tags: str, result: dict[str, str | None], words: str
) -> None:
    text = tags + record("d1-d3 c5-c4")
    assert konakis("verify", "-", "--json", stdin=text).json["result"] == result
    assert f"{words} ({result['reason']})" in konakis("verify", "-", stdin=text).out
    analyzed = konakis("analyze", "-", "--json", "--no-picture", "--nodes", "10", stdin=text)
    assert analyzed.json["result"] == result
    illegal = konakis("verify", "-", "--json", stdin=text.replace("c5-c4", "d3-d4"))
    assert (illegal.status, illegal.json["result"]) == (1, None)


def test_the_book_of_the_command_line_overrides_the_records(konakis: Terminal) -> None:
    ran = konakis("verify", "-", "--rules", "tablut-corner", "--json", stdin=record())
    assert ran.status == 1
    assert ran.json["rules"] == "tablut-corner"
    assert ran.json["error"] == {"ply": 1, "move": "e2-g2", "reason": "not-your-turn"}


def test_people_see_moves_board_and_verdict(konakis: Terminal) -> None:
    out = konakis("verify", "-", stdin=record()).out
    assert "3 plies, all legal under tablut-edge; not finished" in out
    assert "\n   a b c d e f g h i\n" in out
    ran = konakis("verify", "-", "--rules", "tablut-edge", stdin="d1-d3 d3-d4")
    assert ran.status == 1
    assert ran.out.splitlines()[-1] == "illegal: ply 2, defenders, d3-d4: not-your-turn"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("d1-d3\ne3_h3", "standard input: line 2, column 3: found '_', expected '-'"),
        ("d1-d3 z1-z2", "standard input: line 1, column 7: found 'z', expected a square such as e5"),
        (b"d1-d3\nc5-\xff", "standard input: line 2, column 4: found byte 0xff, expected UTF-8 text"),
    ],
)
def test_unreadable_moves_are_told_with_their_place(konakis: Terminal, text: str | bytes, why: str) -> None:
    assert konakis("verify", "-", "--rules", "tablut-edge", "--json", stdin=text).complaint == why


def test_unreadable_records_are_told_with_their_place(konakis: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "game.otn"
    path.write_text(record().replace("e2-g2", "e2-g?"))
    why = konakis("verify", path).complaint
    assert why.startswith(f"{path}: line ")
    assert "column" in why
    assert f"{tmp_path}: Is a directory" in konakis("verify", tmp_path).complaint
    assert konakis("verify", tmp_path / "none").complaint.endswith("No such file or directory")
    assert "expected them" in konakis("verify", "-", stdin="[date:2015]\n\n1. d1-d3\n").complaint


def test_what_looks_like_a_record_is_read_as_one() -> None:
    for text in ("[date:2015]", "\n [rules:x]", "1. d1-d3", "12 d1-d3", "\ufeff[date:1]"):
        assert records._RECORD.match(text)
    for text in ("d1-d3", " Ke5-e6", "a1-a2 1.", ""):
        assert not records._RECORD.match(text)
