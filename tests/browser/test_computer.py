"""A game against the computer, played to its end on the page of the real daemon."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from engine import BOOKS, Game, Move, Side, parse_square
from engine.search import Limits, Searcher, moves_of
from tests.browser.driving import BoardPage
from tests.browser.playing import MOVE_MS, RunKonakis, Visit, make, told

COMPUTER = """
[play]
settle_ms = 120
settle_sliding_ms = 250
victim_removed_ms = 100
[opponent]
engine = "konakis"
level = 3
"""
THINK_MS = 30_000  # it thinks for half a second; the rest is for a slow machine
MOST_PLIES = 60
BEYOND_EVERY_WORTH = 1 << 30


def worst(game: Game) -> Move:
    """Play as badly as can be, so that the game ends soon."""
    thought = Searcher(game.book).think(game.core.copy(), Limits(depth=2), margin=BEYOND_EVERY_WORTH)
    return moves_of(game, (thought.ranking[-1][0],))[0]


def chosen(page: Page, game: Game) -> Move:
    """Wait for the computer's move and give it as the page tells it."""
    notice = page.locator("#notices li", has_text="Move for the computer:")
    expect(notice).to_be_visible(timeout=THINK_MS)
    found = re.search(r"(\w+)–(\w+)", notice.inner_text())
    assert found is not None
    move = game.find(parse_square(found[1], 9), parse_square(found[2], 9))
    assert move is not None
    return move


def name(move: Move) -> str:
    return move.text(9)


def ends(move: Move) -> tuple[str, str]:
    origin, _, destination = name(move).partition("x")[0].partition("-")
    return origin, destination


def test_a_game_against_the_computer_to_its_end(visit: Visit, run_konakis: RunKonakis, tmp_path: Path) -> None:
    page = visit(run_konakis(more=COMPUTER))
    board = BoardPage(page)
    game = Game(BOOKS["tablut-edge"])

    page.get_by_role("button", name="Hint").click()
    expect(page.locator('.cell[data-role="hint"]')).to_have_count(2, timeout=THINK_MS)

    while game.result is None and len(game.plies) < MOST_PLIES:
        if game.side is Side.ATTACKERS:
            move = worst(game)
        else:
            expect(page.get_by_role("button", name="Hint")).to_be_disabled()
            move = chosen(page, game)
            origin, destination = ends(move)
            expect(board.cell(origin)).to_have_attribute("data-role", "engine-from")
            expect(board.cell(destination)).to_have_attribute("data-role", "engine-to")
            if len(game.plies) == 1:
                refuses_another(board, game, move)
        make(board, name(move))
        game.play(move)
        expect(page.locator('.cell[data-role="hint"]')).to_have_count(0)

    assert game.result is not None
    assert game.result.winner is Side.DEFENDERS
    expect(page.locator("#turn")).to_have_text("Defenders win", timeout=MOVE_MS)
    page.get_by_role("button", name="Look back").click()
    page.wait_for_function(
        "many => document.querySelector('#curve .chances')?.points.length === many",
        arg=len(game.plies) + 1,
        timeout=THINK_MS,
    )
    page.locator("#curve").click(position={"x": 1, "y": 20})
    expect(page.locator("#step-place")).to_have_text(f"0 of {len(game.plies)}")
    (stored,) = told(tmp_path, "games", "show", "1", "--json")
    assert [ply["move"] for ply in stored["plies"]] == ["-".join(ends(ply.move)) for ply in game.plies]
    assert stored["result"] == {"winner": "defenders", "reason": game.result.reason.value}


def refuses_another(board: BoardPage, game: Game, move: Move) -> None:
    """Make another move than the computer's, see it refused and the lights stay, and put it right."""
    taken = {move.origin, move.destination}
    other = next(
        one
        for one in game.legal_moves()
        if not taken & {one.origin, one.destination}
        and not one.captures
        and abs(one.origin - one.destination) in (1, 9)
    )
    origin, destination = ends(other)
    board.drag(origin, destination)
    notices = board.page.locator("#notices")
    expect(notices).to_contain_text("This is not the move that was chosen.", timeout=MOVE_MS)
    expect(board.cell(ends(move)[0])).to_have_attribute("data-role", "engine-from")
    board.drag(destination, origin)
    expect(notices.locator(".wrong")).to_have_count(0, timeout=MOVE_MS)


def test_a_takeback_while_it_thinks_and_a_broken_engine(visit: Visit, run_konakis: RunKonakis) -> None:
    # a program that can be started and speaks no OTEP: said so, and our own takes over
    page = visit(run_konakis(more='[opponent]\nengine = "/bin/echo hello"\n'))
    board = BoardPage(page)
    make(board, "d1-d3")
    expect(page.locator("#notices")).to_contain_text("The computer's program", timeout=THINK_MS)
    expect(page.locator("#notices")).to_contain_text("The board's own program plays in its place.", timeout=THINK_MS)
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".ply")).to_have_count(0)
    board.drag("d3", "d1")
    make(board, "a4-a3")
    move = re.compile("Move for the computer: [a-i][1-9]–[a-i][1-9]")
    expect(page.locator("#notices")).to_contain_text(move, timeout=THINK_MS)
