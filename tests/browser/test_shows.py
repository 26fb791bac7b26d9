"""What the page shows: turn, announcements, results, questions, notices, lights, earlier positions, the connection."""

import pytest
from playwright.sync_api import expect

from hardware.theme import Role
from tests.browser.conftest import PageOpener
from tests.browser.driving import PHONE, OpenPage, while_nobody_served
from tests.browser.fake_face import FakeFace
from tests.browser.serving import serving

OPENING = "e2-g2 e3-h3 b5-b3 e4-f4 e1-e3 c5-c2 e8-b8 f4-f3 d1-d3 g5-g4 i4-h4 g4-d4 i5-i3 c2-d2"
FROM_AFAR_PX = 48  # capitals of about 9 mm on a common screen, read from two metres

ANNOUNCED = {
    "raichi": ("Raichi!", "Attackers, take care: one way is open to the king."),
    "tuichi": ("Tuichi!", "Attackers, two or more ways are open to the king."),
    "king-in-danger": ("King in danger!", "Defenders, guard your king: the next move could capture him."),
    "repetition-warning": ("Repetition!", "Defenders, do not go on repeating: that ends the game."),
}


def text_of(page: OpenPage, name: str) -> str:
    return page.page.locator(f"#{name}").inner_text()


def test_the_board_as_it_stands(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    shown = page.page.locator(".cell[data-piece]").evaluate_all(
        "cells => Object.fromEntries(cells.map(cell => [cell.dataset.square, cell.dataset.piece]))"
    )
    assert shown == page.face.state()["pieces"]
    assert page.page.locator(".cell.throne").get_attribute("data-square") == "e5"
    assert page.page.title() == "Attackers to move · Konakis"


@pytest.mark.parametrize(("rules", "goal"), [("tablut-edge", "edge"), ("tablut-corner", "corner")])
def test_corners_are_marked_where_they_are_the_goal(open_page: PageOpener, rules: str, goal: str) -> None:
    page = open_page(FakeFace(rules))
    assert page.page.locator("#frame").get_attribute("data-goal") == goal
    mark = page.cell("a1").evaluate("cell => getComputedStyle(cell, '::before').backgroundImage")
    assert ("corner.svg" in mark) == (goal == "corner")


@pytest.mark.parametrize("word", ANNOUNCED)
def test_announcements_can_be_read_across_a_table(open_page: PageOpener, word: str) -> None:
    page = open_page(FakeFace(moves=OPENING))  # the defenders moved last
    page.show(announce=[word])
    call, meant = ANNOUNCED[word]
    shown = page.page.locator(".call-out")
    expect(shown).to_have_text(call)
    expect(page.page.locator(".call-meant")).to_have_text(meant)
    assert shown.evaluate("node => parseFloat(getComputedStyle(node).fontSize)") >= FROM_AFAR_PX
    expect(page.page.locator("#live-now")).to_have_text(f"{call} {meant}")


@pytest.mark.parametrize(
    ("result", "title", "reason"),
    [
        ({"winner": "attackers", "reason": "king-captured"}, "Attackers win", "The king is captured."),
        ({"winner": "defenders", "reason": "king-escaped"}, "Defenders win", "The king has reached his goal."),
        ({"winner": "attackers", "reason": "three-moves"}, "Attackers win", "By the rule of three moves"),
        ({"winner": "attackers", "reason": "no-legal-moves"}, "Attackers win", "No legal move is left."),
        ({"winner": "defenders", "reason": "resignation"}, "Defenders win", "The opponent resigned."),
        ({"winner": None, "reason": "draw-agreed"}, "Draw", "The players agreed on a draw."),
    ],
)
def test_the_winner_and_the_rule(open_page: PageOpener, result: dict[str, str], title: str, reason: str) -> None:
    page = open_page(FakeFace(moves=OPENING))
    page.show(result=result, announce=[])
    expect(page.page.locator("#turn")).to_have_text(title)
    expect(page.page.locator("#calls")).to_contain_text(reason)
    expect(page.page.get_by_role("button", name="Resign")).to_be_disabled()


@pytest.mark.parametrize(
    ("question", "asked", "yes"),
    [
        ({"about": "new-game"}, "Start a new game? The one being played is not finished.", "Start a new game"),
        (
            {"about": "move", "move": "d1-d3", "captures": []},
            "Was d1-d3 played? The sensors do not tell for certain.",
            "Yes, it was played",
        ),
        ({"about": "sensor", "squares": ["e4"]}, "Play on without the sensor of e4?", "Play on without it"),
        ({"about": "tides"}, "The board asks: tides", "Yes"),
    ],
)
def test_questions_are_answered(open_page: PageOpener, question: dict[str, object], asked: str, yes: str) -> None:
    page = open_page(FakeFace())
    bar = page.page.locator("#question")
    expect(bar).to_be_hidden()
    page.show(question=question)
    expect(bar.locator("p")).to_have_text(asked)
    expect(page.page.locator("#live-now")).to_have_text(asked)
    bar.get_by_role("button").nth(1).click()
    page.sent({"type": "command", "command": "cancel"})
    expect(bar).to_be_hidden()
    page.show(question=question)
    bar.get_by_role("button", name=yes).click()
    page.sent({"type": "command", "command": "confirm"})


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        ({"removals": ["e3", "c3"]}, "Take off: c3 and e3"),
        ({"illegal": {"from": "a4", "to": "b5", "reason": "diagonal"}}, "a4–b5: Pieces move straight only"),
        ({"mismatch": {"missing": ["e5", "d1"], "extra": []}}, "Missing on the board: d1 (attacker) and e5 (king)"),
        ({"mismatch": {"missing": [], "extra": ["h8"]}}, "Does not belong on the board: h8"),
        ({"stored": False}, "Not stored: a power cut now would lose moves."),
        (
            {"damaged": "games-damaged-1.sqlite3"},
            "What was sound in it goes on; the old file is kept as games-damaged-1",
        ),
        ({"connected": False}, "The board is not connected."),
        ({"health": {"noisy": ["e5", "a1"], "untrusted": []}}, "bounce ever more and may fail: a1 and e5. Look at"),
        (
            {"health": {"noisy": [], "untrusted": ["c4"]}},
            "Played without these sensors: c4. Moves there are asked about.",
        ),
        ({"state": "held", "removals": ["e3"]}, "The reply counts once the captured pieces are off."),
    ],
)
def test_what_is_wrong_or_to_do_is_told(open_page: PageOpener, extra: dict[str, object], told: str) -> None:
    page = open_page(FakeFace())
    page.show(**extra)
    expect(page.page.locator("#notices")).to_contain_text(told)


def test_unknown_words_are_shown_as_they_came(open_page: PageOpener) -> None:
    page = open_page(FakeFace(moves=OPENING))
    lights = {"a1": {"role": "tide", "colour": "#00ff00", "rhythm": "ripple", "brightness": 1.0}}
    page.show(
        announce=["ahoy"], lights=lights, rules="sea-chess", state="afloat", level="expert", anchor={"down": True}
    )
    expect(page.page.locator(".call-out")).to_have_text("ahoy")
    expect(page.page.locator("#legend")).to_have_text("tide a1")


def test_touching_a_light_tells_why_it_shines(open_page: PageOpener) -> None:
    page = open_page(FakeFace(moves=OPENING))
    expect(page.page.locator("#why-text")).to_have_text("Touch a light to read why it shines.")
    page.cell("c2").hover()
    expect(page.page.locator("#why-text")).to_have_text("c2: The last move began here.")
    page.show(lights=page.face.looks({"f1": "missing", "b8": "remove"}), simulated=False)
    page.click("f1")
    expect(page.page.locator("#why-text")).to_have_text("f1: Missing here: attacker. Put it back.")
    page.cell("b8").focus()
    expect(page.page.locator("#why-text")).to_have_text("b8: This piece is captured: take it off the board.")
    expect(page.cell("b8")).to_have_accessible_name("b8, attacker, light: take off")
    expect(page.cell("b8")).to_have_accessible_description("This piece is captured: take it off the board.")
    page.show(lights=page.face.looks({"f1": "missing", "f2": "destination"}), simulated=False)
    page.click("f1")
    expect(page.page.locator("#why-text")).to_contain_text("f1: In the hand for long: attacker. Think on")


@pytest.mark.parametrize(
    ("square", "role", "why"),
    [
        ("f1", "illegal", "The lifted piece cannot move."),
        ("e5", "hint", "The king stands here."),
        ("e5", "winner", "The game has ended in a draw."),
        ("a1", "missing", "A piece of the game should stand here: put it back."),
    ],
)
def test_a_light_that_can_mean_two_things_tells_which(open_page: PageOpener, square: str, role: str, why: str) -> None:
    page = open_page(FakeFace(moves=OPENING))
    page.show(lights=page.face.looks({square: role}), simulated=False)
    page.cell(square).focus()
    expect(page.page.locator("#why-text")).to_have_text(f"{square}: {why}")


def test_advice_and_the_kings_light_are_told_apart(open_page: PageOpener) -> None:
    page = open_page(FakeFace(moves=OPENING))
    page.show(lights=page.face.looks({"e5": "hint"}), hint=[], simulated=False)
    expect(page.page.locator("#legend")).to_have_text("king e5")
    expect(page.cell("e5")).to_have_accessible_name("e5, king, throne, light: king")
    page.show(lights=page.face.looks({"e5": "hint", "e3": "hint"}), hint=["e3", "e5"], simulated=False)
    expect(page.page.locator("#legend")).to_have_text("advice e3, e5")
    page.cell("e5").focus()
    expect(page.page.locator("#why-text")).to_have_text("e5: The board's advice.")


def test_a_hint_that_has_to_wait_says_for_what(open_page: PageOpener) -> None:
    page = open_page(FakeFace(moves=OPENING))
    computer = {"side": None, "engine": "konakis", "level": 4, "thinking": False, "hinting": True, "chosen": None}
    page.show(computer=computer | {"hint_waits": True})
    expect(page.page.locator("#notices")).to_have_text(
        "First put the pieces as they belong: then a good move is looked for."
    )
    page.show(computer=computer | {"hint_waits": False})
    expect(page.page.locator("#notices")).to_have_text("Looking for a good move…")
    page.show(computer=computer | {"hint_waits": True}, question={"about": "new-game"})
    expect(page.page.locator("#notices")).to_be_empty()  # the question comes first


CURVE = """() => {
    const box = (node) => node.getBoundingClientRect();
    const points = [...document.querySelector('#curve .chances').points].map((point) => point.y);
    const curve = document.querySelector('#curve');
    const { top, height } = box(curve);
    const scale = height / curve.viewBox.baseVal.height;
    const [attackers, defenders] = [...curve.querySelectorAll('text')].map(box);
    return {
        above: top + Math.min(...points) * scale - attackers.bottom,
        below: defenders.top - top - Math.max(...points) * scale,
    };
}"""


def test_the_curve_leaves_its_names_alone_and_goes_with_its_game(open_page: PageOpener) -> None:
    page = open_page(FakeFace(moves=OPENING))
    chances = {"chances": [1.0, 0.85] + [0.0] * (len(OPENING.split()) - 1), "busy": False}
    over = {"winner": "defenders", "reason": "resignation"}
    page.show(result=over, curve=chances)
    expect(page.page.locator("#curve")).to_be_visible()
    room = page.page.evaluate(CURVE)
    assert room["above"] >= 0, room
    assert room["below"] >= 0, room
    page.show(result=None, curve=chances, moves=[])  # as told for a moment when a new game begins
    expect(page.page.locator("#curve")).to_be_hidden()
    assert "NaN" not in page.page.locator("#curve").evaluate("(node) => node.innerHTML")


def test_every_role_has_words_a_sign_and_the_themes_look(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    words = page.page.evaluate(
        """async roles => {
            const { roleName, roleWhy } = await import("/static/vocabulary.js");
            const { markOf } = await import("/static/marks.js");
            return roles.map(role => [roleName(role), roleWhy(role), markOf(role).outerHTML]);
        }""",
        [role.value for role in Role],
    )
    names, reasons, signs = (list(column) for column in zip(*words, strict=True))
    assert [role.value for role in Role if role.value in reasons] == []
    assert len(set(names)) == len(set(reasons)) == len(set(signs)) == len(Role)
    squares = [f"{'abcdefghi'[index % 9]}{index // 9 + 1}" for index in range(len(Role))]
    looks = page.face.looks({square: role.value for square, role in zip(squares, Role, strict=True)})
    page.show(lights=looks)
    expect(page.page.locator(".cell .light")).to_have_count(len(Role))
    for square, look in looks.items():
        light = page.cell(square).locator(".light")
        assert light.get_attribute("data-rhythm") == look["rhythm"]
        assert light.evaluate("node => node.style.getPropertyValue('--colour')") == look["colour"]
        steady = look["rhythm"] == "steady"
        moving = light.evaluate("node => node.getAnimations().map(one => [one.animationName, one.startTime])")
        assert moving == ([] if steady else [[f"rhythm-{look['rhythm']}", 0]]), look


def test_without_motion_borders_and_signs_tell(open_page: PageOpener) -> None:
    page = open_page(FakeFace(moves=OPENING), reduced_motion="reduce")
    squares = {"a1": "king-danger", "b1": "destination", "c1": "missing", "d1": "last-to"}
    page.show(lights=page.face.looks(squares))
    expect(page.page.locator(".cell .light")).to_have_count(len(squares))
    borders = [
        page.cell(square).locator(".light").evaluate("node => getComputedStyle(node).borderTopStyle")
        for square in squares
    ]
    assert borders == ["dashed", "solid", "double", "dotted"]
    assert page.page.evaluate("document.getAnimations().filter(one => one.playState === 'running').length") == 0
    signs = page.page.locator(".cell .badge path").evaluate_all("paths => paths.map(path => path.getAttribute('d'))")
    assert len(set(signs)) == len(squares)
    page.page.get_by_role("button", name="One move back").click()
    assert page.page.evaluate("document.getAnimations().length") == 0  # nor does the piece glide


def test_captured_pieces(open_page: PageOpener) -> None:
    page = open_page(FakeFace(moves=OPENING + " g2-g3"))
    assert "Attackers: 1" in text_of(page, "box")
    assert "Defenders: 2" in text_of(page, "box")
    page.show(simulated=False)
    expect(page.page.locator("#captured-title")).to_have_text("Captured pieces")
    expect(page.page.locator("#box .captive")).to_have_count(3)
    expect(page.page.locator("#box button")).to_have_count(0)  # nothing to take out of there


def test_steps_show_earlier_positions_while_the_game_goes_on(open_page: PageOpener) -> None:
    page = open_page(FakeFace(moves=OPENING))
    back, forth = (page.page.get_by_role("button", name=f"One move {way}") for way in ("back", "forth"))
    back.click()
    page.has_piece("c2", "T")
    page.has_piece("d3", "t")
    expect(page.page.locator("#frame")).to_have_class("frame past")
    expect(page.page.locator("#why-text")).to_have_text("Earlier position: after i5–i3, 13 of 14.")
    expect(page.page.locator("#step-place")).to_have_text("13 of 14")
    page.drag("e3", "e4")
    assert page.deeds() == []  # the past cannot be touched
    page.do(lambda: page.face.play("g2", "g3"))
    expect(page.page.locator("#turn")).to_have_text("Defenders to move")
    expect(page.page.locator("#step-place")).to_have_text("13 of 15")
    page.has_piece("c2", "T")
    forth.click()
    page.has_piece("d2", "T")
    page.page.get_by_role("button", name="To the start").click()
    page.has_piece("d1", "t")
    expect(page.page.locator("#why-text")).to_have_text("Earlier position: the start.")
    page.page.get_by_role("button", name="e2–g2").click()
    page.has_piece("g2", "t")
    page.page.keyboard.press("ArrowRight")
    expect(page.page.locator("#step-place")).to_have_text("2 of 15")
    page.page.locator("#now").click()
    expect(page.page.locator("#step-place")).to_have_text("now")
    expect(page.page.locator("#frame")).to_have_class("frame")


def test_a_takeback_ends_the_look_at_what_is_gone(open_page: PageOpener) -> None:
    page = open_page(FakeFace(moves="e2-g2 e3-h3 b5-b3"))
    page.page.get_by_role("button", name="One move back").click()
    page.page.get_by_role("button", name="Take back").click()
    page.sent({"type": "command", "command": "takeback"})
    page.page.get_by_role("button", name="Take back").click()
    expect(page.page.locator("#step-place")).to_have_text("now")
    page.has_piece("g2", "t")


def test_what_gives_the_game_up_is_asked_twice(open_page: PageOpener) -> None:
    page = open_page(FakeFace(moves="e2-g2"))
    dialog = page.page.get_by_role("dialog")
    page.page.get_by_role("button", name="Resign").click()
    expect(dialog).to_contain_text("Do the defenders give the game up?")
    dialog.get_by_role("button", name="Cancel").click()
    page.page.get_by_role("button", name="Draw").click()
    expect(dialog).to_contain_text("Do both players agree on a draw?")
    page.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert page.deeds() == []
    page.page.get_by_role("button", name="Resign").click()
    dialog.get_by_role("button", name="Yes, resign").click()
    page.sent({"type": "command", "command": "resign"})
    expect(page.page.locator("#turn")).to_have_text("Attackers win")


def test_a_new_game_is_asked_by_the_board(open_page: PageOpener) -> None:
    page = open_page(FakeFace(moves="e2-g2"))
    page.page.get_by_role("button", name="New game").click()
    page.page.get_by_role("button", name="Start a new game").click()
    page.sent({"type": "command", "command": "new-game"}, {"type": "command", "command": "confirm"})
    expect(page.page.locator("#move-list")).to_contain_text("No move yet.")


def test_settings_are_sent_and_shown(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    page.page.get_by_role("radio", name="Coach").check(force=True)
    page.sent({"type": "hints", "level": "coach"})
    expect(page.page.locator("#level-hint")).to_contain_text("risky destinations")
    page.page.get_by_role("slider", name="Brightness").fill("0.5")
    page.sent({"type": "brightness", "value": 0.5})
    page.page.get_by_role("textbox", name="Attackers").fill("Anna")
    page.page.keyboard.press("Tab")
    page.sent({"type": "names", "attackers": "Anna", "defenders": ""})
    expect(page.page.locator("#turn")).to_contain_text("Anna")
    page.page.wait_for_timeout(700)  # afterwards the daemon's word counts, whoever changed it
    page.do(lambda: setattr(page.face, "level", "off"))
    expect(page.page.get_by_role("radio", name="Off")).to_be_checked()


def test_a_real_board_shows_where_the_sensors_differ(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    sensors = [square for square in page.face.board if square != "e5"]
    page.show(simulated=False, sensors=[*sensors, "h8"])
    expect(page.cell("e5")).to_have_accessible_name("e5, king, throne, lifted")
    expect(page.cell("h8")).to_have_accessible_name("h8, empty, something stands here")


def test_a_lost_connection_is_shown_and_mended(open_page: PageOpener) -> None:
    face = FakeFace()
    with serving(face) as first:
        page = open_page(FakeFace())
        page.page.goto(first.address)
        expect(page.page.locator("#link")).to_have_text("Connected")
    expect(page.page.locator("#link")).to_have_text("Connection lost. Trying again…")
    expect(page.page.get_by_role("button", name="New game")).to_be_disabled()
    page.click("d1")
    face.play("d1", "d3")
    with serving(face, int(first.address.rsplit(":", 1)[1])):
        expect(page.page.locator("#turn")).to_have_text("Defenders to move")
        expect(page.page.locator("#link")).to_have_text("Connected")
        expect(page.page.get_by_role("button", name="New game")).to_be_enabled()
        page.page.goto("about:blank")
    page.complaints[:] = [line for line in page.complaints if not while_nobody_served(line)]


def test_a_page_opens_one_connection(open_page: PageOpener) -> None:
    """Two would tell old news after new."""
    page = open_page(FakeFace())
    for event in ("online", "pageshow"):
        page.page.evaluate("event => window.dispatchEvent(new Event(event))", event)
    page.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.page.wait_for_timeout(200)
    answer = page.page.request.get(f"{page.served.address}/healthz")
    assert answer.json() == {"ok": True, "pages": 1}


def test_a_refused_name_gives_way_to_the_real_one(open_page: PageOpener) -> None:
    page = open_page(FakeFace(), locale="ru-RU")
    page.do(lambda: page.face.names.update(attackers="Boris"))
    field = page.page.locator("#name-attackers")
    expect(field).to_have_value("Boris")
    field.fill("Bo|ris")
    page.page.keyboard.press("Enter")
    expect(page.page.locator("#toast")).to_have_text("в имени не больше 80 знаков и ни одного из знаков [ ] |")
    expect(field).to_have_value("Boris")
    expect(field).to_have_attribute("maxlength", "80")


def test_an_earlier_position_says_that_the_turn_is_todays_and_that_nothing_moves(open_page: PageOpener) -> None:
    page = open_page(FakeFace(moves=OPENING), viewport=PHONE)
    note, frame = page.page.locator("#past-note"), page.page.locator("#frame")
    before = frame.bounding_box()
    expect(note).to_be_hidden()
    page.page.locator("#step-back").evaluate("button => button.click()")
    expect(note).to_have_text("An earlier position. Now:")
    assert note.evaluate("node => node.scrollWidth <= node.clientWidth")  # in wide fonts too
    assert frame.bounding_box() == before  # nothing moves under a finger
    page.drag("e3", "e4")
    expect(page.page.locator("#toast")).to_have_text("An earlier position: nothing moves here. Go back to now first.")
    assert page.deeds() == []
    page.page.locator("#step-last").evaluate("button => button.click()")
    expect(note).to_be_hidden()


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_what_a_button_brings_about_comes_into_sight(open_page: PageOpener, motion: str) -> None:
    page = open_page(FakeFace(moves="e2-g2 e3-h3"), viewport=PHONE, reduced_motion=motion)
    question, notices = page.page.locator("#question"), page.page.locator("#notices")
    page.page.get_by_role("button", name="New game").click()
    expect(question.get_by_role("button").first).to_be_focused()
    expect(question).to_be_in_viewport(ratio=1)
    question.get_by_role("button").nth(1).click()
    expect(question).to_be_hidden()
    page.face.extra["mismatch"] = {"missing": ["e3"], "extra": ["h3"]}
    page.page.get_by_role("button", name="Take back").click()
    expect(notices).to_contain_text("h3")
    expect(notices).to_be_in_viewport(ratio=1)
    page.page.locator("#new-game").scroll_into_view_if_needed()
    page.page.wait_for_timeout(2100)  # what comes later nobody asked for: the page stays where it is
    page.show(question={"about": "sensor", "squares": ["e4"]})
    expect(page.page.locator("#question-text")).to_contain_text("e4")
    expect(question.get_by_role("button").first).not_to_be_focused()
