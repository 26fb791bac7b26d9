import json
import logging
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from boardd.geometry import turned
from boardd.saved import Saved, saved_game
from boardd.table_top import TableTop
from engine import BOOKS, Game, Square, parse_square
from hardware.errors import HandError

START = Saved(BOOKS["tablut-edge"])


def at(name: str) -> Square:
    return parse_square(name, 9)


def hands(path: Path | None = None, saved: Saved = START, degrees: int = 0) -> TableTop:
    return TableTop(turned(saved.book.size, degrees), saved, path)


def everything(table: TableTop) -> Counter[str]:
    """All pieces there are, wherever they are."""
    board = table.board
    return Counter([*board.pieces.values(), *board.boxed, *(held.piece for held in board.in_hand)])


def test_a_new_board_is_set_up() -> None:
    told = hands().to_json()
    assert isinstance(told["board"], dict)
    assert told["board"]["e5"] == "K"
    assert len(told["board"]) == 25
    assert (told["box"], told["in_hand"]) == ([], [])


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_hands_see_squares_and_sensors_feel_cells(degrees: int) -> None:
    table = hands(degrees=degrees)
    geometry = turned(9, degrees)
    table.lift(1.0, at("d1"))
    table.drop(2.0, at("d3"))
    news = table.board.poll(3.0)
    assert [(one.t, geometry.news(one).cells) for one in news] == [(1.0, (at("d1"),)), (2.0, (at("d3"),))]  # type: ignore[union-attr]  # flawless sensors tell changes
    assert geometry.squares(table.board.read()) == {Square(int(place)) for place in table.board.pieces}


def test_pieces_go_through_hand_and_box() -> None:
    table = hands()
    table.lift(1.0, at("d1"))
    assert table.to_json()["in_hand"] == [["t", "d1"]]
    table.box(1.5, None)
    table.box(2.0, at("e3"))
    assert table.to_json()["box"] == ["t", "T"]
    table.unbox(3.0, "T", at("d2"))
    told = table.to_json()
    assert isinstance(told["board"], dict)
    assert told["board"]["d2"] == "T"
    assert told["box"] == ["t"]


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (lambda table: table.lift(1.0, at("a1")), "nothing stands on a1"),
        (lambda table: table.box(1.0, at("a1")), "nothing stands on a1"),
        (lambda table: table.box(1.0, None), "no piece is in the hand"),
        (lambda table: table.drop(1.0, at("a1")), "no piece is in the hand"),
        (lambda table: table.unbox(1.0, "K", at("a1")), "no such piece lies in the box"),
    ],
)
def test_what_no_hand_can_do_is_refused_by_name(act: Callable[[TableTop], None], why: str) -> None:
    with pytest.raises(HandError, match=why):
        act(hands())


def test_no_piece_is_put_on_another() -> None:
    table = hands()
    table.lift(1.0, at("d1"))
    with pytest.raises(HandError, match="a piece stands on e1 already"):
        table.drop(1.0, at("e1"))
    table.box(1.0, None)
    with pytest.raises(HandError, match="a piece stands on e1 already"):
        table.unbox(1.0, "t", at("e1"))


def test_a_restart_moves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "simulated-board.json"
    first = hands(path)
    first.lift(1.0, at("d1"))
    first.drop(2.0, at("d3"))
    first.box(3.0, at("e3"))
    first.lift(4.0, at("e4"))
    again = hands(path)
    assert again.to_json()["board"] == first.to_json()["board"]
    assert again.to_json()["box"] == ["T"]
    assert again.to_json()["in_hand"] == [["T", None]]


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"size": 9}', '{"size":9,"board":{"z9":"t"},"box":[],"in_hand":[]}']
)
def test_a_file_that_cannot_be_read_sets_the_board_up_anew(
    tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "simulated-board.json"
    path.write_text(content)
    with caplog.at_level(logging.WARNING):
        assert hands(path).to_json() == hands().to_json()
    assert "cannot be read, the board is set up anew" in caplog.text


def test_another_games_pieces_are_put_away(tmp_path: Path) -> None:
    path = tmp_path / "simulated-board.json"
    hands(path).lift(1.0, at("d1"))
    other = Saved(BOOKS["hnefatafl-11"])
    assert hands(path, other).to_json() == hands(None, other).to_json()
    few = json.loads(path.read_text())
    few["box"], few["in_hand"] = [], []
    path.write_text(json.dumps(few))
    assert hands(path).to_json() == hands().to_json()


def test_without_a_file_captured_pieces_lie_in_the_box_or_still_stand() -> None:
    rng = random.Random(11)
    game = Game(BOOKS["tablut-edge"])
    while not any(ply.move.captures for ply in game.plies):
        legal = game.legal_moves()
        game.play(rng.choice([move for move in legal if move.captures] or legal))
    victims = frozenset(game.plies[-1].move.captures)
    saved = saved_game(game)
    cleared = hands(None, saved)
    assert len(cleared.board.boxed) == len(victims)
    standing = hands(None, replace(saved, removals=victims))
    assert standing.board.boxed == ()
    assert victims <= {Square(int(place)) for place in standing.board.pieces}
    assert everything(cleared) == everything(standing) == everything(hands())


def test_setting_up_uses_the_pieces_there_are() -> None:
    rng = random.Random(6)
    table = hands()
    t = 0.0
    for _ in range(60):
        t += 1.0
        place = rng.choice(sorted(table.board.pieces))
        act = rng.choice([table.lift, table.box])
        act(t, Square(int(place)))
        free = [square for square in range(81) if square not in table.board.pieces]
        if table.board.in_hand and rng.random() < 0.7:
            table.drop(t, Square(rng.choice(free)))
        if len(table.board.pieces) < 5:
            break
    table.set_up(t + 1, Game(BOOKS["tablut-edge"]).pieces)
    assert table.to_json() == hands().to_json()


def test_a_disk_that_refuses_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    table = hands(tmp_path / "none" / "simulated-board.json")
    with caplog.at_level(logging.WARNING):
        table.lift(1.0, at("d1"))
        table.drop(2.0, at("d1"))
    assert [record.getMessage() for record in caplog.records] == [
        "what stands on the simulated board is not kept: No such file or directory"
    ]
