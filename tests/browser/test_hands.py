"""Mouse, touch and keyboard are the hands on the simulated board."""

from playwright.sync_api import expect

from tests.browser.conftest import PageOpener
from tests.browser.driving import PHONE, OpenPage, drop, lift, middle, passes
from tests.browser.fake_face import FakeFace

BEFORE_CAPTURE = "e2-g2 e3-h3 b5-b3 e4-f4 e1-e3 c5-c2 e8-b8 f4-f3 d1-d3 g5-g4 i4-h4 g4-d4 i5-i3 c2-d2"


def capturing(open_page: PageOpener, **options: object) -> OpenPage:
    """Give a page where g2-g3 captures f3 and h3, and d3 has been taken before."""
    return open_page(FakeFace(moves=BEFORE_CAPTURE), **options)


def box(square: str) -> dict[str, object]:
    return {"type": "box", "square": square}


def unbox(piece: str, square: str) -> dict[str, object]:
    return {"type": "unbox", "piece": piece, "square": square}


def test_drag_slides_over_every_square(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    page.drag("d1", "d4")
    page.sent(lift("d1"), *passes(["d2", "d3"]), drop("d4"))
    page.has_piece("d4", "t")
    page.has_piece("d1", None)
    expect(page.page.locator("#turn")).to_contain_text("Defenders to move")


def test_a_fast_pointer_skips_no_square(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    page.press("a4")
    page.pull("d4", steps=1)
    page.page.mouse.up()
    page.sent(lift("a4"), *passes(["b4", "c4"]), drop("d4"))


def test_a_crooked_drag_grazes_no_neighbour(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    left, top = page.middle("a4")
    side = page.middle("b4")[0] - left
    page.press("a4")
    for step in range(1, 13):
        page.page.mouse.move(left + step * side / 4, top + side * (0.28 if step % 2 else -0.28))
    page.pull("d4")
    page.page.mouse.up()
    page.sent(lift("a4"), *passes(["b4", "c4"]), drop("d4"))


def test_the_piece_follows_the_pointer(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    page.press("d1")
    page.pull("d3")
    floating = page.page.locator(".floating")
    expect(floating).to_be_visible()
    assert abs(middle(floating)[0] - page.middle("d3")[0]) < 3
    page.has_piece("d1", None)
    page.has_piece("d3", None)  # on the board it stands there, but to the eye it is in the hand
    page.page.mouse.up()
    expect(floating).to_have_count(0)
    page.has_piece("d3", "t")


def test_a_slide_with_a_stop_rests_on_the_square(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    page.press("a4")
    page.pull("b4")
    page.sent(lift("a4"), drop("b4"))
    page.pull("c4")
    page.sent(lift("b4"), drop("c4"))
    page.page.mouse.up()
    page.has_piece("c4", "t")
    assert page.deeds() == []


def test_pieces_in_the_way_are_passed_in_the_air(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    page.drag("d1", "f1", "f2")
    page.sent(lift("d1"), drop("f2"))


def test_released_on_a_piece_or_beside_the_board_it_goes_home(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    page.press("d1")
    page.page.mouse.move(*middle(page.page.locator(".why")))
    page.page.mouse.up()
    page.sent(lift("d1"), drop("d1"))
    page.has_piece("d1", "t")
    page.drag("d1", "e1")
    page.sent(lift("d1"), drop("d1"))


def test_click_lifts_and_click_drops(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    page.click("a4")
    page.sent(lift("a4"))
    expect(page.cell("b4")).to_have_attribute("data-role", "destination")
    page.page.mouse.move(*page.middle("c4"))
    assert abs(middle(page.page.locator(".floating"))[0] - page.middle("c4")[0]) < 3
    page.click("d4")
    page.sent(drop("d4"))
    page.has_piece("d4", "t")


def test_click_twice_puts_back(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    page.click("a4")
    page.click("a4")
    page.sent(lift("a4"), drop("a4"))
    page.has_piece("a4", "t")


def test_click_on_another_piece_changes_the_piece_in_the_hand(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    page.click("a4")
    page.click("d1")
    page.sent(lift("a4"), drop("a4"), lift("d1"))
    page.has_piece("a4", "t")


def test_click_takes_a_victim_off(open_page: PageOpener) -> None:
    page = capturing(open_page)
    page.drag("g2", "g3")
    page.sent(lift("g2"), drop("g3"))
    expect(page.page.locator("#notices")).to_have_text("Take off: f3 and h3")
    expect(page.cell("f3")).to_have_attribute("data-role", "remove")
    page.click("f3")
    page.sent(box("f3"))
    page.has_piece("f3", None)
    expect(page.page.locator("#notices")).to_have_text("Take off: h3")
    page.click("h3")
    page.sent(box("h3"))
    expect(page.page.locator("#notices li")).to_have_count(0)
    expect(page.page.locator("#box .heap-defenders .captive")).to_have_count(2)


def test_a_victim_may_be_taken_off_while_the_mover_is_in_the_hand(open_page: PageOpener) -> None:
    page = capturing(open_page)
    page.click("g2")
    expect(page.cell("f3")).to_have_attribute("data-role", "victim")
    page.click("f3")
    page.sent(lift("g2"), box("f3"))
    page.click("g3")
    page.sent(drop("g3"))
    page.has_piece("g3", "t")
    expect(page.page.locator("#notices")).to_have_text("Take off: h3")


def test_a_victim_may_be_dragged_off(open_page: PageOpener) -> None:
    page = capturing(open_page)
    page.drag("g2", "g3")
    page.sent(lift("g2"), drop("g3"))
    expect(page.cell("f3")).to_have_attribute("data-role", "remove")
    page.press("f3")
    page.page.mouse.move(*middle(page.page.locator("#box")), steps=3)
    page.page.mouse.up()
    page.wait_for(lambda: page.deeds()[-1]["type"] == "box")
    assert page.deeds()[0] == lift("f3")
    page.has_piece("f3", None)


def test_pieces_come_out_of_the_box(open_page: PageOpener) -> None:
    page = capturing(open_page)
    captive = page.page.get_by_role("button", name="attacker in the box: take it out")
    page.page.mouse.move(*middle(captive))
    page.page.mouse.down()
    page.pull("c3")
    page.page.mouse.up()
    page.sent(unbox("t", "c3"))
    page.has_piece("c3", "t")
    expect(captive).to_have_count(0)


def test_a_piece_is_picked_from_the_box_by_click_and_put_back_by_click(open_page: PageOpener) -> None:
    page = capturing(open_page)
    captive = page.page.get_by_role("button", name="attacker in the box: take it out")
    captive.click()
    page.click("c3")
    page.sent(unbox("t", "c3"))
    page.click("c3")
    page.page.locator("#box").click(position={"x": 5, "y": 5})
    page.sent(lift("c3"), {"type": "box"})
    expect(captive).to_have_count(1)


def test_keyboard_walks_lifts_and_drops(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    page.cell("e5").focus()
    keys = page.page.keyboard
    for key in ["ArrowLeft", "Home", "ArrowDown"]:
        keys.press(key)
    expect(page.cell("a4")).to_be_focused()
    keys.press("Enter")
    page.sent(lift("a4"))
    expect(page.cell("a4")).to_have_accessible_name("a4, empty, in your hand, light: lifted piece")
    for _ in range(3):
        keys.press("ArrowRight")
    expect(page.cell("d4")).to_have_accessible_name("d4, empty, light: destination")
    keys.press("Space")
    page.sent(drop("d4"))
    page.has_piece("d4", "t")
    expect(page.page.locator("#live")).to_contain_text("Attackers: a4–d4")


def test_keyboard_escape_puts_back_and_delete_takes_off(open_page: PageOpener) -> None:
    page = capturing(open_page)
    page.cell("g2").focus()
    keys = page.page.keyboard
    keys.press("Enter")
    keys.press("ArrowUp")
    keys.press("Escape")
    page.sent(lift("g2"), drop("g2"))
    page.has_piece("g2", "t")
    keys.press("ArrowLeft")
    expect(page.cell("f3")).to_be_focused()
    keys.press("Delete")
    page.sent(box("f3"))
    page.has_piece("f3", None)


def test_keyboard_enter_takes_a_lit_victim_off(open_page: PageOpener) -> None:
    page = capturing(open_page)
    page.drag("g2", "g3")
    page.sent(lift("g2"), drop("g3"))
    expect(page.cell("f3")).to_have_attribute("data-role", "remove")
    page.cell("f3").focus()
    page.page.keyboard.press("Enter")
    page.sent(box("f3"))


def test_keyboard_takes_a_piece_out_of_the_box(open_page: PageOpener) -> None:
    page = capturing(open_page)
    page.page.get_by_role("button", name="attacker in the box: take it out").focus()
    keys = page.page.keyboard
    keys.press("Enter")
    expect(page.cell("e5")).to_be_focused()
    keys.press("Escape")
    expect(page.page.locator("#box .heap-attackers .captive")).to_have_count(1)
    page.page.get_by_role("button", name="attacker in the box: take it out").focus()
    keys.press("Enter")
    keys.press("ArrowLeft")
    keys.press("ArrowLeft")
    keys.press("Enter")
    page.sent(unbox("t", "c5"))
    page.has_piece("c5", "t")


def test_touch_drags_and_the_page_stays(open_page: PageOpener) -> None:
    page = open_page(FakeFace(), viewport=PHONE, has_touch=True, is_mobile=True)
    page.page.evaluate("scrollTo(0, 60)")
    touch = page.page.context.new_cdp_session(page.page)

    def send(kind: str, *points: tuple[float, float]) -> None:
        touch.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": left, "y": top} for left, top in points]}
        )

    (left, top), (_, bottom) = page.middle("d4"), page.middle("d1")
    start = page.middle("d1")
    send("touchStart", start)
    for step in range(1, 10):
        send("touchMove", (left, bottom + (top - bottom) * step / 9))
    send("touchEnd")
    page.sent(lift("d1"), *passes(["d2", "d3"]), drop("d4"))
    page.has_piece("d4", "t")
    assert page.page.evaluate("scrollY") == 60


def test_touch_taps_lift_and_drop(open_page: PageOpener) -> None:
    page = open_page(FakeFace(), viewport=PHONE, has_touch=True, is_mobile=True)
    page.page.touchscreen.tap(*page.middle("a4"))
    page.sent(lift("a4"))
    expect(page.page.locator(".floating")).to_be_visible()
    page.page.touchscreen.tap(*page.middle("c4"))
    page.sent(drop("c4"))
    page.has_piece("c4", "t")


def test_hands_do_nothing_on_a_real_board_or_when_only_watching(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    page.show(allowed={"act": False})
    expect(page.page.locator("#link")).to_have_text("Watching only")
    page.drag("d1", "d4")
    page.click("a4")
    page.show(allowed={"act": True}, simulated=False)
    expect(page.page.locator("#link")).to_have_text("Connected")
    page.drag("d1", "d4")
    page.page.wait_for_timeout(100)
    assert page.deeds() == []


def test_a_piece_left_in_the_hand_is_taken_up_again_after_a_reload(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    page.click("a4")
    page.sent(lift("a4"))
    page.page.reload()
    page.page.wait_for_selector("body.ready")
    expect(page.page.locator(".floating")).to_be_visible()
    page.click("c4")
    page.sent(drop("c4"))
    page.has_piece("c4", "t")


def test_a_refused_deed_is_told_and_undone(open_page: PageOpener) -> None:
    page = open_page(FakeFace())
    page.click("a4")
    page.sent(lift("a4"))
    # Another page has put something on c4, and this one has not heard of it.
    page.show(board=dict(page.face.board))
    page.served.call(lambda: page.face.board.update({"c4": "T"}))
    page.click("c4")
    expect(page.page.locator("#toast")).to_contain_text("the board cannot do this")
    page.do(page.face.extra.clear)
    page.has_piece("c4", "T")
    expect(page.page.locator(".floating")).to_be_visible()
    page.click("b4")
    page.has_piece("b4", "t")
