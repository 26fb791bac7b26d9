"""The real game on the page of the real daemon, every piece dragged over every square it passes."""

from pathlib import Path

from playwright.sync_api import expect

from engine import parse_move, parse_position, square_name
from tests.browser.driving import BoardPage
from tests.browser.playing import RunKonakis, Visit, listed, make, plies, told, way
from tests.real_game import END, MOVES

# An impatient player's. What keeps a sensor's bounce and a piece in passing from counting is left as it comes.
TIMINGS = "[play]\nsettle_ms = 120\nsettle_sliding_ms = 250\nvictim_removed_ms = 100\n"


def captures_of(move: str) -> list[str]:
    """Name the squares of a move's victims."""
    _, _, captures = parse_move(move, 9)
    return [square_name(square, 9) for square in captures or ()]


def test_it_is_played_by_dragging(visit: Visit, run_konakis: RunKonakis, tmp_path: Path) -> None:
    page = visit(run_konakis(more=TIMINGS))
    board = BoardPage(page)
    for move in MOVES:
        make(board, move)
    assert plies(page) == listed(" ".join(MOVES))

    size, pieces = parse_position(END)
    standing = {square_name(square, size): piece.value for square, piece in pieces.items()}
    shown = page.locator(".cell").evaluate_all("cells => cells.map(cell => [cell.dataset.square, cell.dataset.piece])")
    assert {square: piece for square, piece in shown if piece} == standing
    expect(page.locator("#turn")).to_have_text("Defenders to move")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.locator("#turn")).to_have_text("Attackers win")
    expect(page.locator("#calls")).to_have_text("The opponent resigned.")

    (stored,) = told(tmp_path, "games", "show", "1", "--json")
    assert [(ply["move"], ply["captures"]) for ply in stored["plies"]] == [
        (move.partition("x")[0], captures_of(move)) for move in MOVES
    ]
    assert stored["position"] == END
    assert stored["result"] == {"winner": "attackers", "reason": "resignation"}
    trace = told(tmp_path, "games", "trace", "1")
    assert [square for line in trace for square in line.get("drop", ())] == [
        square for move in MOVES for square in way(move)[1:]
    ]

    page.get_by_role("button", name="New game").click()
    expect(page.locator("#turn")).to_have_text("Attackers to move")
    board.has_piece("e5", "K")
    assert plies(page) == []
