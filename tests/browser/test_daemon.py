"""The page and the real daemon: `konakis run` with its simulated board, played by hands in the browser."""

import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import BoardPage

START_S = 20.0
STOP_S = 10.0
MOVE_MS = 5_000  # a move needs 0.2 to 1 s to settle; the rest is for a slow machine

# The tournament game of 2015, moves and captures; White resigns.
GAME = (
    "e2-g2 e3-h3 b5-b3 e4-f4 e1-e3 c5-c2 e8-b8 f4-f3 d1-d3 g5-g4 i4-h4 g4-d4 i5-i3 c2-d2xd3 g2-g3xf3/h3 f5-f3 "
    "b3-d3 d4-e4 f1-d1xd2 e4-c4 e3-e2 e5-f5 h5-g5 f5-f7 g5-g7 f3-f6 f9-f8 f6-h6 d3-f3 f7-f5 i3-i5 d5-d3 a4-b4 c4-c3 "
    "d1-d2 f5-d5 h4-d4xd3 c3-d3xd4 b4-d4xd3 h6-h1 a5-c5 d5-f5 g3-h3 h1-e1 d2-d3 e1-b1 a6-b6 b1-b3 i5-g5 e6-d6 "
    "d4-d5 d6-g6 i6-h6 g6-f6 f3-f4 e7-a7 h6-g6"
)

Visit = Callable[..., Page]


@contextmanager
def konakis(directory: Path, rules: str = "tablut-edge") -> Iterator[str]:
    """Run the daemon on a port of its own; gives the page's address."""
    configuration = directory / "konakis.toml"
    configuration.write_text(
        f'[page]\nport = 0\n[game]\nrules = "{rules}"\n[storage]\ndirectory = "{directory / "state"}"\n'
        '[log]\nlevel = "warning"\n',
        encoding="utf-8",
    )
    command = [sys.executable, "-c", "from boardd.cli import main; main()", "run", "--config", str(configuration)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            ready, _, _ = select.select([process.stdout], [], [], START_S)
            found = re.search(r"http://\S+", process.stdout.readline()) if ready else None
            assert found is not None, "the daemon told no address"
            yield found.group()
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(STOP_S)


@pytest.fixture
def run_konakis(tmp_path: Path, servers: ExitStack) -> Callable[..., str]:
    """Run daemons in one directory; each call ends the one before. Gives the page's address."""
    running = servers.enter_context(ExitStack())

    def run(**options: str) -> str:
        running.close()
        return running.enter_context(konakis(tmp_path, **options))

    return run


def plies(page: Page) -> list[str]:
    """Give the list of moves as it reads."""
    return page.locator(".ply").evaluate_all(  # type: ignore[no-any-return]  # whatever the script gives
        """plies => plies.map(ply => ply.firstChild.data + (ply.querySelector('.taken')?.textContent ?? ''))"""
    )


def listed(moves: str) -> list[str]:
    """Write moves as the list does."""
    return [move.replace("-", "–").replace("x", "×").replace("/", " ") for move in moves.split()]


def make(board: BoardPage, move: str) -> None:
    """Drag a piece as a move says, take its victims off, and wait until it is in the list."""
    squares, _, taken = move.partition("x")
    origin, destination = squares.split("-")
    number = len(plies(board.page))
    board.drag(origin, destination)
    expect(board.page.locator(".ply")).to_have_count(number + 1, timeout=MOVE_MS)
    # A slow hand's stops are accepted and amended as it goes on.
    expect(board.page.locator(".ply").last).to_contain_text(listed(squares)[0], timeout=MOVE_MS)
    for victim in filter(None, taken.split("/")):
        expect(board.cell(victim)).to_have_attribute("data-role", "remove")
        board.click(victim)
        board.has_piece(victim, None)
    assert plies(board.page)[-1:] == listed(move)


def test_the_game_of_2015_is_played_by_dragging(visit: Visit, run_konakis: Callable[..., str]) -> None:
    page = visit(run_konakis())
    board = BoardPage(page)
    for move in GAME.split():
        make(board, move)
    assert plies(page) == listed(GAME)
    expect(page.locator("#turn")).to_have_text("Defenders to move")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.locator("#turn")).to_have_text("Attackers win")
    expect(page.locator("#calls")).to_have_text("The opponent resigned.")
    page.get_by_role("button", name="New game").click()
    expect(page.locator("#turn")).to_have_text("Attackers to move")
    board.has_piece("e5", "K")
    assert plies(page) == []


def test_lights_lead_a_hand_and_an_illegal_move_is_told(visit: Visit, run_konakis: Callable[..., str]) -> None:
    page = visit(run_konakis())
    board = BoardPage(page)
    board.click("d1")
    expect(board.cell("d1")).to_have_attribute("data-role", "origin")
    expect(board.cell("d4")).to_have_attribute("data-role", re.compile("destination|capture"))
    board.click("b2")
    expect(page.locator("#notices")).to_contain_text("d1–b2: Pieces move straight only", timeout=MOVE_MS)
    expect(board.cell("b2")).to_have_attribute("data-role", "illegal")
    board.drag("b2", "b1", "c1", "d1")
    expect(page.locator("#notices li")).to_have_count(0, timeout=MOVE_MS)
    expect(page.locator(".ply")).to_have_count(0, timeout=MOVE_MS)  # had it rested on b1, that would be taken back
    make(board, "d1-d3")


def test_a_move_is_taken_back_by_hand_and_by_button(visit: Visit, run_konakis: Callable[..., str]) -> None:
    page = visit(run_konakis())
    board = BoardPage(page)
    make(board, "d1-d3")
    board.drag("d3", "d1")
    expect(page.locator(".ply")).to_have_count(0, timeout=MOVE_MS)
    make(board, "d1-d4")
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".ply")).to_have_count(0)
    board.drag("d4", "d1")
    make(board, "a4-a3")


def test_a_slide_that_stops_is_one_move(visit: Visit, run_konakis: Callable[..., str]) -> None:
    page = visit(run_konakis())
    board = BoardPage(page)
    board.press("a4")
    board.pull("b4")
    page.wait_for_timeout(700)
    board.pull("d4")
    page.mouse.up()
    expect(page.locator(".ply")).to_have_count(1, timeout=MOVE_MS)
    expect(page.locator(".ply")).to_have_text("a4–d4")


def test_the_keyboard_plays_a_capture(visit: Visit, run_konakis: Callable[..., str]) -> None:
    page = visit(run_konakis())
    board = BoardPage(page)

    def carry(origin: str, destination: str) -> None:
        board.cell(origin).focus()
        page.keyboard.press("Enter")
        file, rank, to_file, to_rank = *origin, *destination
        for _ in range(abs(ord(to_file) - ord(file))):
            page.keyboard.press("ArrowRight" if to_file > file else "ArrowLeft")
        for _ in range(abs(int(to_rank) - int(rank))):
            page.keyboard.press("ArrowUp" if to_rank > rank else "ArrowDown")
        number = len(plies(page))
        page.keyboard.press("Enter")
        expect(page.locator(".ply")).to_have_count(number + 1, timeout=MOVE_MS)

    for move in ("d1-d3", "e3-f3", "d3-e3", "e7-c7", "i4-i3", "c7-c8", "i3-g3"):
        carry(*move.split("-"))
    board.cell("f3").focus()
    expect(board.cell("f3")).to_have_accessible_name("f3, defender, light: take off", timeout=MOVE_MS)
    page.keyboard.press("Enter")
    board.has_piece("f3", None)
    assert plies(page)[-1:] == listed("i3-g3xf3")


def test_announcements_and_the_winner(visit: Visit, run_konakis: Callable[..., str]) -> None:
    page = visit(run_konakis())
    board = BoardPage(page)
    for move in ("d1-d2", "e4-h4", "d2-d1", "e3-h3", "d1-d2", "e5-e3", "d2-d1"):
        make(board, move)
    expect(page.locator(".call-out").first).to_have_text("Raichi!")
    board.drag("e3", "a3")
    expect(page.locator("#turn")).to_have_text("Defenders win", timeout=MOVE_MS)
    expect(page.locator("#calls")).to_have_text("The king has reached his goal.")


def test_two_pages_see_the_same_board(visit: Visit, run_konakis: Callable[..., str]) -> None:
    address = run_konakis()
    one, other = BoardPage(visit(address)), BoardPage(visit(address, locale="ru"))
    make(one, "d1-d3")
    other.has_piece("d3", "t")
    expect(other.page.locator("#turn")).to_have_text("Ход Шведов")
    one.page.get_by_role("slider", name="Brightness").fill("0.3")
    expect(other.page.get_by_role("slider", name="Яркость")).to_have_value("0.3")


def test_a_restart_goes_on_where_it_was(visit: Visit, run_konakis: Callable[..., str], complaints: list[str]) -> None:
    board = BoardPage(visit(run_konakis()))
    make(board, "d1-d3")
    board = BoardPage(visit(run_konakis()))
    assert plies(board.page) == listed("d1-d3")
    board.has_piece("d3", "t")
    make(board, "e3-h3")
    complaints[:] = [
        line for line in complaints if "WebSocket connection" not in line
    ]  # the first page lost its daemon


@pytest.mark.parametrize("rules", ["tablut-corner", "hnefatafl-11", "hnefatafl-13"])
def test_other_books_begin(visit: Visit, run_konakis: Callable[..., str], rules: str) -> None:
    page = visit(run_konakis(rules=rules))
    board = BoardPage(page)
    expect(page.locator("#turn")).to_have_text("Defenders to move")
    make(board, {"tablut-corner": "e3-a3", "hnefatafl-11": "f4-b4", "hnefatafl-13": "g4-a4"}[rules])
    expect(page.locator("#turn")).to_have_text("Attackers to move")
