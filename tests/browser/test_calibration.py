"""`konakis calibrate --page`: a board that is wired at random is learned on the page by mouse, finger and keys."""

import json
import os
import re
import select
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from boardd.calibrate.calibrating import serpentine
from boardd.calibrate.practice import CELLS, SIZE
from engine import Square, square_name
from hardware.simulated.wiring import scrambled
from tests.browser.driving import PHONE, BoardPage, while_nobody_served
from tests.browser.playing import CONFIGURATION, PROGRAM, START_S, STOP_S, Visit

SEED = 1
REST_MS = 30
STEP_MS = 10_000  # a step takes 0.15 s; the rest is for a slow machine
WIRING = scrambled(CELLS, Random(SEED))
ORDER = [square_name(square, SIZE) for square in serpentine(SIZE)]
STANDS_AND_COUNTS = """([square, done]) => document.querySelector("#progress").value === done
    && document.querySelector(`.cell[data-square="${square}"]`).dataset.piece === "t" """
SHINES = """done => document.querySelector("#progress").value === done
    && document.querySelectorAll(".cell.shines").length === 1
    && document.querySelector(".cell.shines").dataset.square"""


@dataclass(frozen=True, slots=True)
class Calibrating:
    """A running `konakis calibrate --page`."""

    address: str
    process: subprocess.Popen[str]

    def said(self) -> str:
        """Wait for its end and give what it said to the end."""
        said, _ = self.process.communicate(timeout=STOP_S)
        return said


@contextmanager
def calibrating(directory: Path) -> Iterator[Calibrating]:
    """Run it on a port of its own."""
    configuration = directory / CONFIGURATION
    configuration.write_text(f'[page]\nport = 0\n[storage]\ndirectory = "{directory}/state"\n', encoding="utf-8")
    command = [*PROGRAM, "calibrate", "--practise", str(SEED), "--page", "--rest-ms", str(REST_MS)]
    command += ["--config", str(configuration)]
    pipe, merged = subprocess.PIPE, subprocess.STDOUT
    unbuffered = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=pipe, stderr=merged, text=True, env=unbuffered) as process:
        try:
            assert process.stdout is not None
            ready, _, _ = select.select([process.stdout], [], [], START_S)
            found = re.search(r"http://[\w.:]+", process.stdout.readline()) if ready else None
            assert found is not None, "it told no address"
            yield Calibrating(found.group(), process)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(STOP_S)


@pytest.fixture
def run(tmp_path: Path, servers: ExitStack) -> Callable[[], Calibrating]:
    """Run calibrations in one directory."""
    return lambda: servers.enter_context(calibrating(tmp_path))


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """Whatever consoles complain of, but that the server is gone: here it ends before its pages."""
    complaints: list[str] = []
    yield complaints
    assert [complaint for complaint in complaints if not while_nobody_served(complaint)] == []


def asks(page: Page, request: str) -> None:
    """Wait until the page asks for something."""
    expect(page.locator("#request")).to_have_text(request, timeout=STEP_MS)


def begin(page: Page) -> None:
    """Take the piece out of the box onto the first square."""
    asks(page, "Put the piece on a1")
    page.get_by_role("button", name="attacker in the box: take it out").click()
    BoardPage(page).click("a1")
    asks(page, "Put the piece on b1")


def learn_sensors(page: Page, known: int, until: int) -> None:
    """Push the piece from square to square as the page asks."""
    board = BoardPage(page)
    for done in range(known, until):
        expect_asked(page, ORDER[done])
        board.drag(ORDER[done - 1], ORDER[done], steps=2)
        page.wait_for_function(STANDS_AND_COUNTS, arg=[ORDER[done], done + 1], timeout=STEP_MS)


def expect_asked(page: Page, square: str) -> None:
    """Demand that this square, and no other, is drawn as the one asked for."""
    assert page.locator(".cell.asked").evaluate_all("cells => cells.map(cell => cell.dataset.square)") == [square]


def learn_lights(page: Page, stands: str, known: int, until: int) -> str:
    """Put the piece on each square that shines; gives the last."""
    board = BoardPage(page)
    for done in range(known, until):
        shines = str(page.wait_for_function(SHINES, arg=CELLS + done, timeout=STEP_MS).json_value())
        board.click(stands)
        expect(page.locator(".cell.felt")).to_have_count(0)  # on the same square, lifting it must be felt too
        board.click(shines)
        stands = shines
    return stands


def written(directory: Path) -> dict[str, Any]:
    """Read the file of the practice."""
    found: dict[str, Any] = json.loads((directory / "state" / f"practice-{SEED}.json").read_text(encoding="utf-8"))
    return found


def by_cell(cells: tuple[int, ...]) -> list[str]:
    """Give the square of each cell from the cell of each square."""
    return [square_name(Square(place), SIZE) for place in sorted(range(CELLS), key=cells.__getitem__)]


def test_a_scrambled_board_is_learned_whole(visit: Visit, run: Callable[[], Calibrating], tmp_path: Path) -> None:
    assert WIRING.inverted
    running = run()
    page = visit(running.address, reduced_motion="reduce")
    board = BoardPage(page)
    begin(page)
    expect(page.locator("#learned")).to_contain_text("sensors read occupied")
    learn_sensors(page, 1, 5)

    # a square that is named wrong is refused by name, and nothing of it is learned
    board.drag("e1", "d1")
    expect(page.locator("#notices")).to_have_text(
        f"Sensor {WIRING.sensors[3]} was learned as that of d1. The piece belongs on f1. If it stands there, undo "
        "until d1 is asked for again.",
        timeout=STEP_MS,
    )
    expect(page.locator(".cell.contradicts")).to_have_attribute("data-square", "d1")
    page.get_by_role("button", name="Undo the last step").click()
    asks(page, "Put the piece on e1")
    expect(page.locator("#notices li")).to_have_count(0)
    board.drag("d1", "e1")
    asks(page, "Put the piece on f1")

    # stopped and gone on with; the piece lies beside the board again
    page.get_by_role("button", name="Stop, and go on later").click()
    asks(page, "Stopped")
    assert "the same command goes on from here" in running.said()
    page.close()
    running = run()
    page = visit(running.address, reduced_motion="reduce")
    board = BoardPage(page)
    asks(page, "Put the piece on f1")
    expect(page.locator("#counted")).to_have_text("5 of 162")
    page.get_by_role("button", name="attacker in the box: take it out").click()
    board.click("f1")
    asks(page, "Put the piece on g1")
    learn_sensors(page, 6, CELLS)

    asks(page, "Put the piece on the square that shines")
    stands = learn_lights(page, ORDER[-1], 0, 3)
    shines = page.wait_for_function(SHINES, arg=CELLS + 3, timeout=STEP_MS).json_value()
    first = by_cell(WIRING.lights)[0]
    assert shines != first
    board.click(stands)
    board.click(first)
    expect(page.locator("#notices")).to_contain_text(f"{first} has light 0 already; light 3 cannot be there too.")
    learn_lights(page, first, 3, CELLS)

    asks(page, "Everything is learned")
    expect(page.locator("#learned")).to_contain_text("81 of 81in no regular order")
    expect(board.cell("c4")).to_have_accessible_description(f"sensor {WIRING.sensors[29]}, light {WIRING.lights[29]}")
    page.get_by_role("button", name="Finish").click()
    assert "Learned: " in running.said()
    learned = written(tmp_path)
    assert learned["sensors"] == by_cell(WIRING.sensors)
    assert learned["lights"] == by_cell(WIRING.lights)
    assert learned["inverted"] is True
    assert learned["dead"] == []


def test_the_keyboard_and_a_screen_reader_are_enough(visit: Visit, run: Callable[[], Calibrating]) -> None:
    page = visit(run().address)
    live = page.locator("#live")
    expect(live).to_contain_text("Put the piece on a1", timeout=STEP_MS)
    page.get_by_role("button", name="take it out").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Home")
    page.keyboard.press("PageDown")
    expect(BoardPage(page).cell("a1")).to_be_focused()
    expect(BoardPage(page).cell("a1")).to_have_accessible_description("put the piece here")
    page.keyboard.press("Enter")
    expect(live).to_contain_text("Put the piece on b1", timeout=STEP_MS)
    for key in ("Enter", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(live).to_contain_text("Put the piece on c1", timeout=STEP_MS)
    expect(page.get_by_role("progressbar", name="Progress")).to_have_js_property("value", 2)
    for key in ("Enter", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#live-now")).to_contain_text("was learned as that of a1", timeout=STEP_MS)
    page.get_by_role("button", name="This square does not answer: skip it").press("Enter")
    expect(live).to_contain_text("Put the piece on d1")
    expect(page.locator("#learned")).to_contain_text("Without a sensorc1")


def test_a_finger_on_a_phone_and_in_russian(visit: Visit, run: Callable[[], Calibrating]) -> None:
    page = visit(run().address, viewport=PHONE, has_touch=True, is_mobile=True, locale="ru-RU")
    asks(page, "Поставьте фигуру на a1")
    page.locator("#box .captive").tap()
    BoardPage(page).cell("a1").tap()
    asks(page, "Поставьте фигуру на b1")
    frame = page.locator("#frame").bounding_box()
    assert frame is not None
    assert frame["y"] + frame["height"] <= PHONE["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    words = page.evaluate("[...document.querySelectorAll('main *')].map(node => node.innerText ?? '').join(' ')")
    keys = {"Delete", "Enter", "Escape"}
    assert set(re.findall(r"[A-Za-z]{3,}", words)) <= keys
