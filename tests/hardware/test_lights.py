"""The gate before the lights: few pictures, no repeated ones, black at both ends, dark when they fail."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.errors import LightsError
from hardware.lights import DarkLights, Picture, Rgb, Show, black

CELLS = 3
RED: Picture = ((255, 0, 0),) * CELLS
GREEN: Picture = ((0, 255, 0),) * CELLS


class Notebook:
    """Lights that write down what they are told, and fail when asked to."""

    def __init__(self, *, fail_open: bool = False, fail_after: int | None = None) -> None:
        self.seen: list[Picture] = []
        self.calls: list[str] = []
        self.fail_open = fail_open
        self.fail_after = fail_after

    def open(self) -> None:
        self.calls.append("open")
        if self.fail_open:
            raise LightsError("no permission for /dev/spidev0.0: add the service's user to the group spi")

    def show(self, colours: Sequence[Rgb]) -> None:
        if self.fail_after is not None and len(self.seen) >= self.fail_after:
            raise LightsError("the wire is gone")
        self.calls.append("show")
        self.seen.append(tuple(colours))

    def close(self) -> None:
        self.calls.append("close")


def picture(number: int) -> Picture:
    return ((number % 256, number // 256 % 256, 1),) * CELLS


def test_black_comes_first_and_last() -> None:
    lights = Notebook()
    show = Show(lights, CELLS)
    show.open(0.0)
    show.offer(1.0, RED)
    show.close()
    show.close()
    assert lights.seen == [black(CELLS), RED, black(CELLS)]
    assert lights.calls == ["open", "show", "show", "show", "close"]


def test_black_at_exit_does_not_wait_its_turn() -> None:
    lights = Notebook()
    show = Show(lights, CELLS)
    show.open(0.0)
    show.offer(1.0, RED)
    show.offer(1.001, GREEN)
    show.close()
    assert lights.seen[-2:] == [RED, black(CELLS)]


def test_a_thousand_changes_a_second_make_thirty_pictures() -> None:
    lights = Notebook()
    show = Show(lights, CELLS)
    show.open(0.0)
    times: list[float] = []
    for ms in range(10_000):
        before = len(lights.seen)
        show.offer(1 + ms / 1000, picture(ms))
        times += [1 + ms / 1000] * (len(lights.seen) - before)
    assert 290 <= len(times) <= 300
    assert max(sum(start <= time < start + 1 for time in times) for start in times) <= 30


def test_the_newest_is_shown_when_its_time_has_come() -> None:
    lights = Notebook()
    show = Show(lights, CELLS)
    show.open(0.0)
    show.offer(1.0, picture(1))
    show.offer(1.01, picture(2))
    show.offer(1.02, picture(3))
    deadline = show.deadline
    assert deadline is not None
    assert deadline == pytest.approx(1 + 1 / 30)
    show.advance(1.03)
    assert show.shown == picture(1)
    show.advance(deadline)
    assert lights.seen == [black(CELLS), picture(1), picture(3)]
    assert show.deadline is None


def test_equal_pictures_are_dropped() -> None:
    lights = Notebook()
    show = Show(lights, CELLS)
    show.open(0.0)
    for second in range(1, 10):
        show.offer(second, RED)
    assert lights.seen == [black(CELLS), RED]
    assert show.pictures == 2


def test_a_picture_that_returns_before_its_turn_is_dropped() -> None:
    lights = Notebook()
    show = Show(lights, CELLS)
    show.open(0.0)
    show.offer(1.0, RED)
    show.offer(1.01, GREEN)
    show.offer(1.02, RED)
    assert show.deadline is None
    show.advance(5.0)
    assert lights.seen == [black(CELLS), RED]


@given(st.lists(st.tuples(st.floats(0, 0.1), st.integers(0, 3), st.booleans()), max_size=100))
def test_never_too_many_never_equal_and_the_newest_in_the_end(asked: list[tuple[float, int, bool]]) -> None:
    lights = Notebook()
    show = Show(lights, CELLS)
    show.open(0.0)
    t = 0.0
    times = [0.0]
    for pause, number, advance in asked:
        t += pause
        before = len(lights.seen)
        if advance:
            show.advance(t)
        else:
            show.offer(t, picture(number))
        times += [t] * (len(lights.seen) - before)
    if (deadline := show.deadline) is not None:
        show.advance(deadline)
        times.append(deadline)
    newest = next((picture(number) for _, number, advance in reversed(asked) if not advance), black(CELLS))
    assert lights.seen[-1] == show.shown == newest
    assert all(one != other for one, other in pairwise(lights.seen))
    assert all(other - one >= 1 / 30 - 1e-9 for one, other in pairwise(times))


def test_lights_that_cannot_be_opened_stay_dark_and_say_why() -> None:
    lights = Notebook(fail_open=True)
    show = Show(lights, CELLS)
    show.open(0.0)
    show.offer(1.0, RED)
    show.close()
    assert lights.seen == []
    assert show.dark_because == "no permission for /dev/spidev0.0: add the service's user to the group spi"


def test_lights_that_fail_go_dark_and_play_goes_on() -> None:
    lights = Notebook(fail_after=1)
    show = Show(lights, CELLS)
    show.open(0.0)
    before = show.dark_because
    assert before is None
    show.offer(1.0, RED)
    assert show.dark_because == "the wire is gone"
    show.offer(2.0, GREEN)
    show.close()
    assert lights.calls == ["open", "show", "close"]


def test_lights_that_fail_at_the_end_are_closed() -> None:
    lights = Notebook(fail_after=1)
    show = Show(lights, CELLS)
    show.open(0.0)
    show.close()
    assert lights.calls == ["open", "show", "close"]


def test_a_board_without_lights_says_so() -> None:
    show = Show(DarkLights("no lights in the configuration"), CELLS)
    show.open(0.0)
    show.offer(1.0, RED)
    show.close()
    assert show.dark_because == "no lights in the configuration"


def test_a_picture_of_another_board_is_refused() -> None:
    show = Show(Notebook(), CELLS)
    with pytest.raises(ValueError, match="not open"):
        show.offer(0.0, RED)
    show.open(0.0)
    with pytest.raises(ValueError, match="expected a picture of 3 cells, got 4"):
        show.offer(0.0, black(4))
