from itertools import pairwise, product

from hardware.strip import Along, Corner, Layout


def test_every_layout_reaches_every_cell_once() -> None:
    for start, along, serpentine, size in product(Corner, Along, (True, False), (7, 9, 13)):
        layout = Layout(start, along, serpentine)
        cells = layout.cells(size)
        assert sorted(cells) == list(range(size * size))
        lights = layout.lights(size)
        assert all(lights[cell] == light for light, cell in enumerate(cells))


def test_a_serpentine_never_jumps() -> None:
    for start, along in product(Corner, Along):
        cells = Layout(start, along).cells(9)
        for here, there in pairwise(cells):
            assert abs(here // 9 - there // 9) + abs(here % 9 - there % 9) == 1


def test_the_first_light_is_in_its_corner_and_the_second_along() -> None:
    assert Layout(Corner.BOTTOM_LEFT).cells(9)[:2] == (0, 1)
    assert Layout(Corner.BOTTOM_RIGHT).cells(9)[:2] == (8, 7)
    assert Layout(Corner.TOP_LEFT).cells(9)[:2] == (72, 73)
    assert Layout(Corner.TOP_RIGHT).cells(9)[:2] == (80, 79)
    assert Layout(Corner.BOTTOM_LEFT, Along.FILES).cells(9)[:2] == (0, 9)
    assert Layout(Corner.TOP_RIGHT, Along.FILES).cells(9)[:2] == (80, 71)
    assert Layout(serpentine=True).cells(9)[9] == 17
    assert Layout(serpentine=False).cells(9)[9] == 9
