"""The page speaks the browser's language, or the one chosen on it."""

from playwright.sync_api import expect

from tests.browser.conftest import PageOpener
from tests.browser.fake_face import FakeFace
from tests.browser.test_shows import OPENING


def test_russian_by_the_browsers_wish(open_page: PageOpener) -> None:
    page = open_page(FakeFace(moves=OPENING), locale="ru-RU")
    expect(page.page.locator("html")).to_have_attribute("lang", "ru")
    expect(page.page.locator("#turn")).to_have_text("Ход Москвичей")
    expect(page.cell("e5")).to_have_accessible_name("e5, король, трон")
    page.show(announce=["raichi"])
    expect(page.page.locator(".call-out")).to_have_text("Raichi!")
    page.show(announce=["king-in-danger"])
    expect(page.page.locator(".call-out")).to_have_text("Король в опасности!")
    assert page.page.evaluate("document.body.innerText").isascii() is False
    left = page.page.evaluate(
        """() => [...document.querySelectorAll('[data-t], [data-level], #turn, #level-hint, #why-text')]
            .map(node => node.textContent).filter(text => /[A-Za-z]{3}/.test(text))"""
    )
    assert left == []


def test_other_languages_get_english(open_page: PageOpener) -> None:
    page = open_page(FakeFace(), locale="fi-FI")
    expect(page.page.locator("html")).to_have_attribute("lang", "en")
    expect(page.page.locator("#turn")).to_have_text("Attackers to move")


def test_the_language_is_switched_and_remembered(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    page.page.get_by_role("combobox", name="Language").select_option("ru")
    expect(page.page.locator("#turn")).to_have_text("Ход Москвичей")
    expect(page.page.get_by_role("button", name="Новая игра")).to_be_visible()
    expect(page.page.get_by_role("radio", name="Захваты")).to_be_checked()
    page.page.reload()
    expect(page.page.locator("#turn")).to_have_text("Ход Москвичей")
    page.page.get_by_role("combobox", name="Язык").select_option("en")
    expect(page.page.locator("#turn")).to_have_text("Attackers to move")
    expect(page.page.get_by_role("columnheader", name="Attackers")).to_be_visible()
