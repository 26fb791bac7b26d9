"""An open page and how tests take hold of it: squares, hands, what was sent."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.fake_face import FakeFace
from tests.browser.serving import Served

DESKTOP: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 360, "height": 740}
DRAG_STEPS = 12  # pointer events a straight pull: a few a square, as a hand gives
MIDDLES = """squares => squares.map(square => {
    const area = document.querySelector(`.cell[data-square="${square}"]`).getBoundingClientRect();
    return [area.x + area.width / 2, area.y + area.height / 2];
})"""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class BoardPage:
    """A page in the browser and hands on its board."""

    page: Page

    # Squares

    def cell(self, square: str) -> Locator:
        """Find a square."""
        return self.page.locator(f'.cell[data-square="{square}"]')

    def middle(self, square: str) -> tuple[float, float]:
        """Give the middle of a square in the window."""
        return middle(self.cell(square))

    def middles(self, squares: Sequence[str]) -> list[tuple[float, float]]:
        """Give the middles of squares at once, each the one that `middle` gives."""
        return [(x, y) for x, y in self.page.evaluate(MIDDLES, squares)]

    def has_piece(self, square: str, piece: str | None) -> None:
        """Wait until a square shows a piece, or none."""
        if piece is None:
            expect(self.cell(square)).not_to_have_attribute("data-piece", "t")
            expect(self.cell(square).locator(".piece")).to_have_count(0)
        else:
            expect(self.cell(square)).to_have_attribute("data-piece", piece)

    # Hands

    def press(self, square: str) -> None:
        """Move the mouse to a square and press."""
        self.page.mouse.move(*self.middle(square))
        self.page.mouse.down()

    def pull(self, *squares: str, steps: int = DRAG_STEPS) -> None:
        """Move the pressed mouse over squares."""
        for place in self.middles(squares):
            self.page.mouse.move(*place, steps=steps)

    def drag(self, *squares: str, steps: int = DRAG_STEPS) -> None:
        """Press on the first square, pull over the others, release on the last."""
        self.press(squares[0])
        self.pull(*squares[1:], steps=steps)
        self.page.mouse.up()

    def click(self, square: str) -> None:
        """Press and release on a square."""
        self.page.mouse.click(*self.middle(square))

    def wait_for(self, holds: Callable[[], bool], *, must: bool = True) -> None:
        """Wait in the browser's time until something holds, at most two seconds."""
        for _ in range(100):
            if holds():
                return
            self.page.wait_for_timeout(20)
        assert not must, "it did not come about"


@dataclass(frozen=True, slots=True)
class OpenPage(BoardPage):
    """A page whose face is a fake: what it was asked can be seen, what it says be chosen."""

    face: FakeFace
    served: Served
    complaints: list[str]

    def deeds(self) -> list[Json]:
        """Give the messages that arrived so far, in order."""
        return self.served.call(lambda: [dict(message) for message in self.face.messages])

    def sent(self, *expected: Json) -> None:
        """Wait until exactly these messages have arrived since the last look, and forget them."""
        self.wait_for(lambda: len(self.deeds()) >= len(expected), must=False)
        deeds = self.deeds()
        assert deeds == list(expected), deeds
        self.served.call(self.face.messages.clear)

    def show(self, **extra: Any) -> None:
        """Let the face say something else, and wait for nothing."""

        def change() -> None:
            self.face.extra.update(extra)
            self.face.changed()

        self.served.call(change)

    def do(self, deed: Callable[[], object]) -> None:
        """Do something to the face and tell the pages."""

        def run() -> None:
            deed()
            self.face.changed()

        self.served.call(run)


def while_nobody_served(complaint: str) -> bool:
    """Whether a page's console only says that its server is gone: it tries again, for news and for late pictures."""
    return "WebSocket connection" in complaint or "ERR_CONNECTION_REFUSED" in complaint


def middle(locator: Locator) -> tuple[float, float]:
    """Give the middle of an element in the window."""
    box = locator.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def lift(square: str) -> Json:
    """Write the message of a lift."""
    return {"type": "lift", "square": square}


def drop(square: str) -> Json:
    """Write the message of a drop."""
    return {"type": "drop", "square": square}


def passes(squares: Iterable[str]) -> list[Json]:
    """Write the messages of squares that a piece slides over."""
    return [message for square in squares for message in (drop(square), lift(square))]
