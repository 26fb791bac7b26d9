"""The page fits the screens it is meant for, and everybody can read and reach what it shows."""

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.browser.conftest import PageOpener
from tests.browser.driving import DESKTOP, PHONE
from tests.browser.fake_face import FakeFace
from tests.browser.test_shows import OPENING

SCREENS: dict[str, ViewportSize] = {
    "small phone": {"width": 320, "height": 568},
    "phone": PHONE,
    "phone on its side": {"width": 740, "height": 360},
    "tablet": {"width": 768, "height": 1024},
    "laptop": DESKTOP,
    "television": {"width": 1920, "height": 1080},
}
TAP_MIN_PX = 24  # WCAG 2.2, 2.5.8

TARGETS = """() => [...document.querySelectorAll('button, select, input, .cell')]
    .filter(node => node.checkVisibility() && !node.disabled)
    .map(node => [node.id || node.textContent || node.className, node.getBoundingClientRect()])
    .map(([name, { width, height }]) => [name, width, height])"""


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("locale", ["en", "ru"])
def test_nothing_runs_out_of_the_screen(open_page: PageOpener, screen: str, locale: str) -> None:
    page = open_page(FakeFace(moves=OPENING), viewport=SCREENS[screen], locale=locale)
    page.show(
        announce=["king-in-danger", "tuichi"],
        question={"about": "new-game"},
        removals=["e3"],
        names={"attackers": "Konstantin-Alexander the Very Patient One", "defenders": "W" * 40},
    )
    expect(page.page.locator("#question")).to_be_visible()
    width = SCREENS[screen]["width"]
    assert page.page.evaluate("document.documentElement.scrollWidth") <= width
    wide = page.page.evaluate(
        """width => [...document.querySelectorAll('main *')]
            .filter(node => node.checkVisibility() && !node.closest('.unseen'))
            .filter(node => node.getBoundingClientRect().right > width + 0.5).map(node => node.outerHTML)""",
        width,
    )
    assert wide == []


@pytest.mark.parametrize("rules", ["brandubh", "tablut-edge", "hnefatafl-11", "hnefatafl-13"])
def test_targets_are_large_enough_on_a_phone(open_page: PageOpener, rules: str) -> None:
    page = open_page(FakeFace(rules), viewport=PHONE, has_touch=True, is_mobile=True)
    for name, width, height in page.page.evaluate(TARGETS):
        assert min(width, height) >= TAP_MIN_PX, name


def test_the_whole_board_is_on_a_phones_screen_beside_whose_turn_it_is(open_page: PageOpener) -> None:
    page = open_page(FakeFace(), viewport=PHONE)
    frame, turn = (page.page.locator(name).bounding_box() for name in ("#frame", "#turn"))
    assert frame is not None
    assert turn is not None
    assert frame["y"] + frame["height"] <= PHONE["height"]
    assert turn["y"] >= 0
    assert frame["width"] >= PHONE["width"] - 24


def test_roles_and_names_for_a_screen_reader(open_page: PageOpener) -> None:
    page = open_page(FakeFace(moves=OPENING))
    board = page.page.get_by_role("grid", name="Board")
    expect(board.get_by_role("row")).to_have_count(9)
    expect(board.get_by_role("gridcell")).to_have_count(81)
    expect(page.cell("e5")).to_have_accessible_name("e5, king, throne")
    expect(page.cell("d2")).to_have_accessible_name("d2, defender, light: last move, to")
    expect(board).to_have_accessible_description(
        "Arrow keys go over the squares. Enter lifts a piece and puts it down, Delete takes it off, "
        "Escape puts it back."
    )
    assert page.page.locator(".cell[tabindex='0']").count() == 1
    snapshot = page.page.locator("body").aria_snapshot()
    for line in (
        '- heading "Konakis" [level=1]',
        '- heading "Attackers to move" [level=2]',
        '- gridcell "a9, empty"',
        '- button "Take back"',
        '- slider "Brightness"',
        '- radio "Captures" [checked]',
        '- textbox "Attackers"',
        '- combobox "Language"',
        '- button "One move back"',
        '- columnheader "Defenders"',
    ):
        assert line in snapshot, line
    nameless = page.page.evaluate(
        """() => [...document.querySelectorAll('button, input, select')].filter(node => node.checkVisibility())
            .filter(node => !node.textContent.trim() && !node.getAttribute('aria-label') && !node.labels?.length)
            .map(node => node.outerHTML)"""
    )
    assert nameless == []


def test_moves_are_spoken_once(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    live = page.page.locator("#live")
    expect(live).to_have_attribute("aria-live", "polite")
    expect(page.page.locator("#live-now")).to_have_attribute("aria-live", "assertive")
    page.do(lambda: page.face.play("d1", "d3"))
    expect(live).to_have_text("Attackers: d1–d3. Defenders to move")
    page.page.evaluate("""() => {
        window.spoken = 0;
        const watch = new MutationObserver(() => window.spoken++);
        watch.observe(document.getElementById('live'), { childList: true, subtree: true });
    }""")
    page.show(brightness=0.3)
    page.page.wait_for_timeout(100)
    assert page.page.evaluate("window.spoken") == 0


def test_a_sensor_that_fails_is_spoken_of_once_and_stays_in_sight(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    live, notices = page.page.locator("#live"), page.page.locator("#notices")
    page.show(health={"noisy": ["e5"], "untrusted": []})
    expect(live).to_contain_text("Attackers to move. These sensors bounce ever more and may fail: e5.")
    page.do(lambda: page.face.play("d1", "d3"))
    expect(live).to_have_text("Attackers: d1–d3. Defenders to move")
    expect(notices).to_contain_text("may fail: e5.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_their_ground(open_page: PageOpener, scheme: str) -> None:
    page = open_page(FakeFace(moves=OPENING), color_scheme=scheme)
    page.show(
        announce=["raichi", "king-in-danger"],
        question={"about": "new-game"},
        illegal={"from": "a4", "to": "b5", "reason": "diagonal"},
    )
    expect(page.page.locator("#question")).to_be_visible()
    weak = page.page.evaluate(CONTRAST)
    assert weak == []


# Text against the nearest opaque ground, WCAG 2.2, 1.4.3: 4.5, or 3 for large letters.
CONTRAST = """() => {
    const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = ([red, green, blue]) => [red, green, blue].map(part => part / 255)
        .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
    const ground = (node) => {
        for (; node; node = node.parentElement) {
            const style = getComputedStyle(node);
            if (style.backgroundImage !== 'none') return null;  // wood, judged by eye
            const colour = parts(style.backgroundColor);
            if (colour.length === 3 || colour[3] === 1) return colour;
        }
    };
    const weak = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text; (text = walk.nextNode());) {
        const node = text.parentElement;
        if (!text.data.trim() || !node.checkVisibility({ opacityProperty: true })) continue;
        if (node.closest('.unseen, :disabled, noscript, script')) continue;
        const style = getComputedStyle(node);
        const behind = ground(node);
        if (!behind) continue;
        const [high, low] = [light(parts(style.color)), light(behind)].sort((one, other) => other - one);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
        if ((high + 0.05) / (low + 0.05) < (large ? 3 : 4.5)) weak.push([text.data.trim(), style.color, behind.join()]);
    }
    return weak;
}"""
