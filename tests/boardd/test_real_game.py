"""The real game by simulated hands of every profile, through the daemon's own tracker, in virtual time."""

import pytest

from boardd.simulate import real_tracker, simulate
from boardd.simulated_values import Beginning, Tracked
from engine import Game, parse_move
from hardware.simulated.habits import PROFILE_NAMES
from tests.real_game import END, MOVES

SEEDS = (1, 2, 3)
SIZE = 9


def moves_of(game: Game) -> tuple[str, ...]:
    """Write a game's moves with what they captured."""
    return tuple(ply.move.text(SIZE) for ply in game.plies)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("profile", PROFILE_NAMES)
def test_hands_of_every_profile_play_it(profile: str, seed: int) -> None:
    trackers: list[Tracked] = []

    def make(beginning: Beginning) -> Tracked:
        trackers.append(real_tracker(beginning))
        return trackers[-1]

    record = [parse_move(text, SIZE)[:2] for text in MOVES]
    report = simulate(1, seed, profile=profile, record=record, make_tracker=make)
    assert (report.wrong, report.missed, report.failures) == (0, 0, {})
    assert report.plies == len(MOVES)
    (tracker,) = trackers
    assert moves_of(tracker.game) == MOVES
    assert tracker.game.position == END
