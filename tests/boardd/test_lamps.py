import random
from itertools import pairwise

import pytest

from boardd.geometry import turned
from boardd.lamps import Lamps
from engine import Square
from hardware.current import Draw
from hardware.lights import BLACK, Picture, Show
from hardware.simulated.lights import SimulatedLights
from hardware.simulated.wiring import Wiring
from hardware.theme import Role
from hardware.theme_file import load_theme

SIZE = 9
CELLS = SIZE * SIZE
STEP_S = 0.02


class Bench:
    """Lamps in front of simulated lights that keep every picture."""

    def __init__(
        self, *, budget_ma: float = 1500.0, brightness: float = 1.0, degrees: int = 90, theme: str = "default"
    ) -> None:
        self.geometry = turned(SIZE, degrees)
        squares = [Square(square) for square in range(CELLS)]
        wiring = Wiring(
            tuple(self.geometry.cell_of(square) for square in squares),
            tuple(self.geometry.light_of(square) for square in squares),
        )
        self.lights = SimulatedLights(wiring, keep=100_000)
        self.draw = Draw()
        self.lamps = Lamps(Show(self.lights, CELLS), load_theme(theme), self.geometry, self.draw, budget_ma, brightness)
        self.lamps.open(0.0)
        self.t = 0.0

    def wait(self, seconds: float) -> list[Picture]:
        """Let time pass; give the pictures shown meanwhile."""
        before = len(self.lights.history)
        end = self.t + seconds
        while self.t < end:
            self.t += STEP_S
            self.lamps.advance(self.t)
        return list(self.lights.history)[before:]

    @property
    def lit(self) -> set[int]:
        """The squares that shine."""
        return {int(place) for place in self.lights.lit()}


def test_the_first_and_the_last_picture_are_black() -> None:
    bench = Bench()
    assert list(bench.lights.history) == [(BLACK,) * CELLS]
    bench.lamps.mean(1.0, {Square(3): Role.TURN})
    assert bench.lit == {3}
    bench.lamps.close()
    assert bench.lights.picture == (BLACK,) * CELLS
    assert not bench.lights.is_open


def test_roles_shine_on_their_squares_however_the_board_is_turned() -> None:
    for degrees in (0, 90, 180, 270):
        bench = Bench(degrees=degrees)
        bench.lamps.mean(1.0, {Square(3): Role.TURN, Square(40): Role.LAST_TO})
        assert bench.lit == {3, 40}


def test_a_steady_picture_is_drawn_once() -> None:
    bench = Bench()
    bench.lamps.mean(1.0, {Square(3): Role.TURN})
    bench.t = 1.0
    assert bench.wait(5.0) == []
    bench.lamps.mean(bench.t, {Square(3): Role.TURN})
    assert bench.wait(1.0) == []


def test_rhythms_go_on_by_themselves_at_no_more_than_thirty_pictures_a_second() -> None:
    bench = Bench()
    bench.lamps.mean(1.0, {Square(square): role for square, role in enumerate(Role)})
    bench.t = 1.0
    pictures = bench.wait(10.0)
    assert 50 < len(pictures) <= 300
    assert all(before != after for before, after in pairwise(pictures))


@pytest.mark.parametrize("budget_ma", [100.0, 400.0, 1500.0])
def test_no_picture_ever_draws_more_than_the_budget(budget_ma: float) -> None:
    rng = random.Random(3)
    bench = Bench(budget_ma=budget_ma)
    roles = list(Role)
    for _ in range(100):
        shining = {Square(square): rng.choice(roles) for square in rng.sample(range(CELLS), rng.randint(0, CELLS))}
        bench.lamps.mean(bench.t, shining)
        bench.lamps.dim(bench.t, rng.random())
        bench.wait(0.2)
    assert max(map(bench.draw.current_ma, bench.lights.history)) <= budget_ma


def test_brightness_is_changed_at_once() -> None:
    bench = Bench()
    bench.lamps.mean(1.0, {Square(3): Role.TURN})
    bright = bench.lights.picture
    bench.lamps.dim(2.0, 0.2)
    assert bench.lamps.brightness == 0.2
    assert sum(map(sum, bench.lights.picture)) < sum(map(sum, bright))
    bench.lamps.dim(3.0, 0.0)
    assert bench.lit == set()


def test_the_turns_light_comes_and_goes_while_nothing_is_stored() -> None:
    for name in ("default", "contrast"):
        bench = Bench(theme=name)
        roles = {Square(3): Role.TURN, Square(40): Role.LAST_TO}
        bench.lamps.mean(1.0, roles)
        stored = bench.lamps.theme
        bench.lamps.mean(1.0, roles, stored=False)
        bench.t = 1.0
        assert {picture[bench.geometry.light_of(Square(3))] == BLACK for picture in bench.wait(3.0)} == {True, False}
        looks = bench.lamps.theme.looks
        assert list(bench.lamps.theme.confusions()) == []
        assert looks[Role.TURN].brightness > stored.looks[Role.TURN].brightness
        assert all(looks[role] == stored.looks[role] for role in Role if role is not Role.TURN)
        bench.lamps.mean(bench.t, roles)
        assert bench.lamps.theme is stored
