"""The page and the real daemon: `konakis run` with its simulated board, played by hands in the browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.driving import BoardPage, while_nobody_served
from tests.browser.playing import MOVE_MS, RunKonakis, Visit, listed, make, plies


def test_lights_lead_a_hand_and_an_illegal_move_is_told(visit: Visit, run_konakis: RunKonakis) -> None:
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


def test_a_move_is_taken_back_by_hand_and_by_button(visit: Visit, run_konakis: RunKonakis) -> None:
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


def test_a_slide_that_stops_is_one_move(visit: Visit, run_konakis: RunKonakis) -> None:
    page = visit(run_konakis())
    board = BoardPage(page)
    board.press("a4")
    board.pull("b4")
    page.wait_for_timeout(700)
    board.pull("d4")
    page.mouse.up()
    expect(page.locator(".ply")).to_have_count(1, timeout=MOVE_MS)
    expect(page.locator(".ply")).to_have_text("a4–d4")


def test_the_keyboard_plays_a_capture(visit: Visit, run_konakis: RunKonakis) -> None:
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


def test_announcements_and_the_winner(visit: Visit, run_konakis: RunKonakis) -> None:
    page = visit(run_konakis())
    board = BoardPage(page)
    for move in ("d1-d2", "e4-h4", "d2-d1", "e3-h3", "d1-d2", "e5-e3", "d2-d1"):
        make(board, move)
    expect(page.locator(".call-out").first).to_have_text("Raichi!")
    board.drag("e3", "a3")
    expect(page.locator("#turn")).to_have_text("Defenders win", timeout=MOVE_MS)
    expect(page.locator("#calls")).to_have_text("The king has reached his goal.")


def test_two_pages_see_the_same_board(visit: Visit, run_konakis: RunKonakis) -> None:
    address = run_konakis()
    one, other = BoardPage(visit(address)), BoardPage(visit(address, locale="ru"))
    make(one, "d1-d3")
    other.has_piece("d3", "t")
    expect(other.page.locator("#turn")).to_have_text("Ход Шведов")
    one.page.get_by_role("slider", name="Brightness").fill("0.3")
    expect(other.page.get_by_role("slider", name="Яркость")).to_have_value("0.3")


def test_a_restart_goes_on_where_it_was(visit: Visit, run_konakis: RunKonakis, complaints: list[str]) -> None:
    board = BoardPage(visit(run_konakis()))
    make(board, "d1-d3")
    board = BoardPage(visit(run_konakis()))
    assert plies(board.page) == listed("d1-d3")
    board.has_piece("d3", "t")
    make(board, "e3-h3")
    complaints[:] = [line for line in complaints if not while_nobody_served(line)]  # the first page lost its daemon


@pytest.mark.parametrize("rules", ["tablut-corner", "hnefatafl-11", "hnefatafl-13"])
def test_other_books_begin(visit: Visit, run_konakis: RunKonakis, rules: str) -> None:
    page = visit(run_konakis(rules=rules))
    board = BoardPage(page)
    expect(page.locator("#turn")).to_have_text("Defenders to move")
    make(board, {"tablut-corner": "e3-a3", "hnefatafl-11": "f4-b4", "hnefatafl-13": "g4-a4"}[rules])
    expect(page.locator("#turn")).to_have_text("Attackers to move")
