"""Where stories begin: a position that has a move as wanted, a piece put where it may not be; see variations.py."""

from __future__ import annotations

import random
from collections.abc import Callable

from engine import Game, Move, Square
from tests.traces.answers import Trace
from tests.traces.positions import capturing, middle
from tests.traces.story import ILLEGAL_S, Story, hold_s

Maker = Callable[[random.Random], Trace]
TRIES = 400
AT_ONCE_S = 0.1
"""What happens at once may wait for the debounce."""


def some_move(rng: random.Random, game: Game, wanted: Callable[[Move], bool]) -> Move | None:
    """Give a legal move as wanted, if there is one."""
    moves = game.legal_moves()
    return next((move for move in rng.sample(moves, len(moves)) if wanted(move)), None)


def story_with(rng: random.Random, wanted: Callable[[Game, Move], bool], history: int = 1) -> tuple[Story, Move]:
    """Begin a story in a position that has a move as wanted."""
    for _ in range(TRIES):
        story = Story(rng, middle(rng))
        story.beginning(rng.randint(0, history))
        game = story.game
        move = some_move(rng, game, lambda move: wanted(game, move))  # noqa: B023  # used at once
        if move is not None:
            return story, move
    raise LookupError("no such move")


def misplace(story: Story, origin: Square, destination: Square, reason: str) -> None:
    """Put a piece where it may not be, and back after the light has said so."""
    story.lift(origin)
    story.wait(0.2, 1.0)
    said = story.drop(destination) + ILLEGAL_S
    names = {"from": story.name(origin), "to": story.name(destination), "reason": reason}
    story.expect("illegal", said, **names)
    story.until(said)
    story.wait(0.5, 4.0)
    back = story.lift(destination)
    story.lights(lights={names["from"]: "illegal", names["to"]: "illegal"}, from_=said + 0.06, to=back)
    story.wait(0.2, 1.0)
    back = story.drop(origin)
    story.expect("restored", (back, back + 0.1))
    story.ready((back, back + 0.1))
    story.no_errors(back + 0.1, back + 0.3)
    story.wait(0.5, 1.0)


def taking(rng: random.Random, victims: int) -> tuple[Story, Move, float]:
    """Begin with a move whose victims all stay."""
    game, move = capturing(rng, victims)
    story = Story(rng, game)
    story.beginning(0)
    story.lift(move.origin)
    story.wait(0.1, 1.0)
    asked = story.drop(move.destination) + hold_s(game, move)
    story.ply(game.play(move), asked)
    story.squares("remove", move.captures, asked)
    story.until(asked)
    story.wait(0.2, 1.0)
    return story, move, asked
