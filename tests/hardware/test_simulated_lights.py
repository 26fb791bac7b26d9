"""The lights of the simulated board behave as real ones, and can be looked at."""

from random import Random

import pytest

from hardware.lights import BLACK, Lights, Show, black
from hardware.news import Cell
from hardware.simulated.board import SimulatedBoard
from hardware.simulated.lights import SimulatedLights
from hardware.simulated.wiring import scrambled, straight
from hardware.theme import Role, colours
from hardware.theme_file import load_theme

RED = (255, 0, 0)


def test_they_remember_the_picture_and_the_last_ones() -> None:
    lights = SimulatedLights(straight(4), keep=2)
    typed: Lights = lights
    show = Show(typed, 4)
    show.open(0.0)
    assert lights.is_open
    for second in range(1, 4):
        show.offer(second, ((second, 0, 0), *black(3)))
    assert lights.colour(Cell(0)) == (3, 0, 0)
    assert lights.lit() == {Cell(0): (3, 0, 0)}
    assert list(lights.history) == [((2, 0, 0), *black(3)), ((3, 0, 0), *black(3))]
    show.close()
    assert lights.picture == black(4)
    assert not lights.is_open


def test_what_they_showed_before_stays_until_the_first_picture() -> None:
    lights = SimulatedLights(straight(1))
    lights.show([RED])
    lights.open()
    assert lights.picture == (RED,)


def test_a_picture_of_another_board_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 4 colours, got 5"):
        SimulatedLights(straight(4)).show([BLACK] * 5)


def test_a_hand_sees_the_place_that_a_light_is_under() -> None:
    wiring = scrambled(81, Random(3))
    board = SimulatedBoard(9, {}, Random(1), wiring=wiring)
    picture = colours({wiring.lights[40]: Role.DESTINATION}, load_theme(), 1.0, 0.0, 81)
    board.lights.show(picture)
    assert list(board.lights.lit()) == [Cell(40)]


def test_a_hand_is_told_what_the_lights_mean() -> None:
    board = SimulatedBoard(9, {}, Random(1))
    assert board.lights.roles == {}
    board.lights.see({Cell(3): Role.REMOVE})
    assert board.lights.roles == {Cell(3): Role.REMOVE}
