"""Looking back at a game: values, the moves that lost it, the curve, and the command."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from boardd.computer.analysis import Analysis, Mark, analyze, chance
from boardd.computer.curve import curve
from engine import BOOKS, Game, Outcome, Reason, Side, parse_square
from engine.search import Value
from engine.worths import WON
from tests.boardd.commands import Terminal

LOST = "d1-d2 e4-h4 d2-d1 e3-h3 d1-d2 e5-e3 d2-d1 e3-a3"
"""The attackers could have taken the king by a4-e4, play d2-d1, and he escapes."""

NODES = 1500


def played(moves: str, book: str = "tablut-edge") -> Game:
    game = Game(BOOKS[book])
    for move in moves.split():
        origin, destination = (parse_square(name, game.size) for name in move.split("-"))
        game.play((origin, destination))
    return game


@pytest.fixture(scope="module")
def lost() -> Analysis:
    return analyze(played(LOST), NODES)


def test_the_move_that_lost_is_found(lost: Analysis) -> None:
    assert lost.result == Outcome(Side.DEFENDERS, Reason.KING_ESCAPED)
    assert lost.lost_by is not None
    assert lost.lost_by.ply.number == 7
    assert [move.text(9) for move in lost.lost_by.best] == ["a4-e4xe3"]
    assert [one.ply.number for one in lost.judged if one.mark is Mark.LOST] == [6, 7]
    last = lost.judged[-1]
    assert (last.after, last.mark) == (Value(WON), None)
    assert last.best[0] == last.ply.move


def test_the_same_question_has_the_same_answer(lost: Analysis) -> None:
    assert analyze(played(LOST), NODES) == lost


def test_values_are_the_attackers(lost: Analysis) -> None:
    values = lost.values
    assert len(values) == 9
    assert values[6].wins
    assert values[7].loses
    assert values[8] == Value(-WON)


def test_every_position_ticks() -> None:
    ticks: list[None] = []
    analysis = analyze(played("d1-d3 e3-h3"), 200, lambda: ticks.append(None))
    assert len(ticks) == 3
    assert analysis.lost_by is None


def test_a_game_without_moves_and_one_given_up() -> None:
    assert analyze(Game(BOOKS["tablut-edge"]), 200).judged == ()
    game = played("d1-d3 e3-h3")
    game.resign(Side.ATTACKERS)
    analysis = analyze(game, 200)
    assert analysis.values[-1] == Value(-WON)
    game = played("d1-d3")
    game.agree_draw()
    assert analyze(game, 200).values[-1] == Value(0)


def test_chances_are_between_nothing_and_certainty() -> None:
    assert chance(Value(0)) == 0.5
    assert chance(Value(WON - 3)) == 1.0
    assert chance(Value(-WON + 3)) == 0.0
    chances = [chance(Value(worth)) for worth in range(-5000, 5001, 500)]
    assert chances == sorted(chances)
    assert all(0 < share < 1 for share in chances)


def test_the_curve_is_a_picture_with_every_mark(lost: Analysis) -> None:
    picture = ElementTree.fromstring(curve(lost, 'a "game" of <friends> & foes'))
    name = "{http://www.w3.org/2000/svg}"
    assert picture.tag == f"{name}svg"
    dots = picture.findall(f"{name}circle")
    assert len(dots) == sum(one.mark is not None for one in lost.judged)
    titles = [dot.findtext(f"{name}title") for dot in dots]
    assert "7. attackers d2-d1: loses; better a4-e4" in titles
    line = picture.find(f"{name}polyline")
    assert line is not None
    points = [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
    assert len(points) == 9
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert points[6][1] < points[8][1], "the attackers are above"


@pytest.mark.parametrize("moves", ["", "d1-d3"])
def test_short_games_have_a_curve_too(moves: str) -> None:
    ElementTree.fromstring(curve(analyze(played(moves), 100), "short"))


def test_the_command_writes_json_and_a_picture(
    konakis: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("evening.txt").write_text(LOST)
    ran = konakis("analyze", "evening.txt", "--rules", "tablut-edge", "--nodes", NODES, "--json")
    found = ran.json
    assert (ran.status, ran.err) == (0, "")
    assert list(found) == ["rules", "start", "plies", "result", "lost_by", "picture"]
    assert (found["lost_by"], found["picture"]) == (7, "evening.svg")
    assert ElementTree.fromstring(Path("evening.svg").read_text()) is not None
    ply = found["plies"][6]
    assert list(ply) == ["ply", "side", "move", "captures", "before", "after", "best", "mark"]
    assert ply["before"] == {"value": None, "wins": "attackers", "plies": 1}
    assert ply["after"] == {"value": None, "wins": "defenders", "plies": 1}
    assert (ply["best"], ply["mark"]) == (["a4-e4"], "lost")


def test_only_a_picture_of_its_own_is_drawn_anew(
    konakis: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    analyze = ("analyze", "--rules", "tablut-edge", "--nodes", 1)
    assert konakis(*analyze, "-", stdin="d1-d3").status == 0
    assert list(tmp_path.iterdir()) == []  # nobody named a place
    Path("evening.otn").write_text("d1-d3")
    for _ in range(2):
        assert "the curve is in evening.svg" in konakis(*analyze, "evening.otn").out
    for other in ("<svg>a drawing</svg>", ""):
        Path("evening.svg").write_text(other)
        assert (
            "evening.svg: found a file that is no picture of this command's"
            in konakis(*analyze, "evening.otn").complaint
        )
        assert Path("evening.svg").read_text() == other
    assert konakis(*analyze, "evening.otn", "--picture", "evening.svg").status == 0
    assert Path("evening.svg").read_text() != other
    Path("other.svg").mkdir()
    Path("other.otn").write_text("d1-d3")
    assert konakis(*analyze, "other.otn").complaint == "other.svg: Is a directory"


def test_the_command_tells_people(konakis: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = konakis("analyze", "-", "--rules", "tablut-edge", "--nodes", NODES, "--no-picture", stdin=LOST)
    assert ran.status == 0
    assert "lost by ply 7, d2-d1; better was a4-e4" in ran.out
    assert "defenders won" in ran.out
    assert list(tmp_path.iterdir()) == []


def test_a_game_with_an_illegal_move_is_looked_at_as_far_as_it_goes(konakis: Terminal, tmp_path: Path) -> None:
    picture = tmp_path / "curve.svg"
    ran = konakis(
        "analyze", "-", "--rules", "tablut-edge", "--nodes", 100, "--picture", picture, "--json", stdin="d1-d3 d3-d4"
    )
    assert ran.status == 1
    assert ran.json["error"] == {"ply": 2, "move": "d3-d4", "reason": "not-your-turn"}
    assert len(ran.json["plies"]) == 1
    assert picture.exists()


def test_the_command_refuses_in_one_line(konakis: Terminal, tmp_path: Path) -> None:
    assert "no-such.txt" in konakis("analyze", tmp_path / "no-such.txt").complaint
    complaint = konakis(
        "analyze", "-", "--rules", "tablut-edge", "--picture", tmp_path / "a" / "b.svg", "--nodes", 1, stdin="d1-d3"
    ).complaint
    assert "b.svg" in complaint
