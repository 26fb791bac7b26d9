import random
from pathlib import Path

from boardd.wiring.sensor_health import (
    AT_LEAST,
    Noise,
    SensorHealth,
    describe,
    noisiest,
    read_health,
    write_health,
)
from engine import Square, parse_square
from hardware.news import Cell, Changed, Scan

SIZE = 9
E5 = parse_square("e5", SIZE)
A1 = parse_square("a1", SIZE)


class Board:
    """Two squares that change now and then, one of which bounces as much as told."""

    def __init__(self, health: SensorHealth) -> None:
        self.health = health
        self.t = 0.0
        self.on = {A1: False, E5: False}
        self.named: list[Square] = []

    def change(self, square: Square, bounces: int = 0) -> None:
        self.t += 1.0
        for step in range(2 * bounces + 1):
            self.on[square] = not self.on[square]
            news = Changed(self.t + step * 0.001, (Cell(square),), self.on[square])
            self.named += self.health.sensed(news)
        self.named += self.health.advance(self.t + 0.5)


def test_a_silent_sensor_makes_one_edge_a_change_and_is_never_named() -> None:
    board = Board(SensorHealth(40, frozenset()))
    for _ in range(500):
        board.change(E5)
    assert board.health.noise[E5] == Noise(500, 1.0, 1.0)
    assert board.named == []


def test_a_sensor_that_bounces_ever_more_is_named_once_before_it_fails() -> None:
    board = Board(SensorHealth(40, frozenset()))
    for step in range(400):
        board.change(A1)
        board.change(E5, bounces=step // 50)
    assert board.named == [E5]
    assert board.health.worse == {E5}
    line = describe(E5, board.health.noise[E5], SIZE)
    assert line.startswith("e5 bounces ever more: ")
    assert [square for square, _ in noisiest(board.health.noise, 1)] == [E5]


def test_a_sensor_that_was_always_noisy_is_not_named() -> None:
    rng = random.Random(1)
    board = Board(SensorHealth(40, frozenset()))
    for _ in range(400):
        board.change(E5, bounces=rng.randrange(4))
    assert board.named == []
    assert 3.0 < board.health.noise[E5].old < 5.0


def test_one_bad_moment_is_no_trend() -> None:
    board = Board(SensorHealth(40, frozenset()))
    for _ in range(AT_LEAST - 2):
        board.change(E5)
    board.change(E5, bounces=5)
    assert board.named == []


def test_a_sensor_that_was_mended_is_well_again() -> None:
    board = Board(SensorHealth(40, frozenset()))
    for _ in range(100):
        board.change(E5)
    for _ in range(20):
        board.change(E5, bounces=3)
    assert board.health.worse == {E5}
    for _ in range(40):
        board.change(E5)
    assert board.health.worse == set()


def test_a_whole_reading_counts_as_the_edges_that_it_shows() -> None:
    health = SensorHealth(40, frozenset())
    health.sensed(Scan(1.0, frozenset({Cell(A1), Cell(E5)})))
    health.advance(2.0)
    assert set(health.noise) == {A1, E5}


def test_what_the_chip_has_counted_is_added_and_its_counter_may_go_round() -> None:
    health = SensorHealth(40, frozenset())
    health.chip_edges({E5: 65_532}, 1 << 16)
    health.chip_edges({E5: 1}, 1 << 16)  # five more
    health.sensed(Changed(1.0, (Cell(E5),), occupied=True))
    health.advance(2.0)
    assert health.noise[E5] == Noise(1, 5, 5)
    health.chip_edges({E5: 2}, 1 << 16)
    health.sensed(Changed(3.0, (Cell(E5),), occupied=False))
    health.advance(4.0)
    assert health.noise[E5].changes == 2
    assert health.noise[E5].old == 3.0


def test_it_is_kept_over_a_restart(tmp_path: Path) -> None:
    board = Board(SensorHealth(40, frozenset()))
    for step in range(400):
        board.change(E5, bounces=step // 50)
    path = tmp_path / "health.json"
    assert write_health(path, board.health.noise, SIZE)
    again = SensorHealth(40, frozenset(), read_health(path, SIZE))
    assert again.worse == {E5}
    assert again.noise[E5].changes == 400
    assert read_health(path, 7) == {}
    path.write_text("{")
    assert read_health(path, SIZE) == {}
    assert not write_health(tmp_path / "none" / "health.json", board.health.noise, SIZE)
