"""Variations of slides, timing and pieces held in the hand (cases 1 to 4, 6 and 19); see variations.py."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from engine import Game, Move
from tests.traces.answers import Trace
from tests.traces.positions import capturing, empty, length, line_between, middle, quiet, soldiers, stops
from tests.traces.situations import TRIES, Maker, misplace, some_move, story_with
from tests.traces.story import Story, hold_s

MARGIN_S = 0.06
"""Times that decide are kept so far from the limits of the documents."""


def slow_slide(rng: random.Random) -> Trace:
    """Slide with stops, each held for less or for more than it takes to be accepted."""
    story, move = story_with(rng, lambda game, move: quiet(game, move) and bool(_quiet_stops(game, move)))
    game = story.game
    ways = _quiet_stops(game, move)
    ways = sorted(rng.sample(ways, min(len(ways), rng.randint(1, 2))), key=lambda stop: length(stop, game.size))
    if rng.random() < 0.3:  # overshoot: first to the end, then back
        ways = [move, *ways]
        move = rng.choice(ways[1:])
        ways = [way for way in ways if way != move]
    return _stopping(story, [*ways, move])


def _quiet_stops(game: Game, move: Move) -> list[Move]:
    return [stop for stop in stops(game, move) if quiet(game, stop)]


def _stopping(story: Story, ways: Sequence[Move]) -> Trace:
    """Rest on each square in turn; all of these moves take nothing."""
    rng, game = story.rng, story.game
    story.lift(ways[0].origin)
    accepted = False
    for stop in ways:
        story.wait(0.03, 0.4)
        dropped = story.drop(stop.destination)
        hold = hold_s(game, stop)
        last = stop is ways[-1]
        rest = rng.choice((rng.uniform(0.08, hold - MARGIN_S), rng.uniform(hold + MARGIN_S, hold + 1.5)))
        story.until(dropped + (hold + MARGIN_S if last else rest))
        if last or rest > hold:
            ply = game.copy().play(stop)
            story.ply(ply, dropped + hold, "amend" if accepted else "move")
            if not accepted:
                side = ply.side.other.value
                story.expect("ready", dropped + hold, side=side)
            accepted = True
        if not last:
            story.lift(stop.destination)
    game.play(ways[-1])
    story.no_errors(0.0, story.t)
    return story.end()


def slide_over_captures(rng: random.Random) -> Trace:
    """A stop takes something that stays: when the slide goes on it must stand, and nothing is asked off any more."""
    for _ in range(TRIES):
        game, stop = capturing(rng, rng.randint(1, 2))
        onward = [m for m in game.legal_moves() if m.origin == stop.origin and quiet(game, m) and m != stop]
        if onward:
            break
    story = Story(rng, game)
    story.beginning(0)
    story.lift(stop.origin)
    story.wait(0.1, 1.0)
    dropped = story.drop(stop.destination)
    hold = hold_s(game, stop)
    story.ply(game.copy().play(stop), dropped + hold)
    story.squares("remove", stop.captures, dropped + hold)
    story.until(dropped + hold)
    story.wait(0.2, 2.0)
    story.lift(stop.destination)
    story.wait(0.1, 0.5)
    move = rng.choice(onward)
    dropped = story.drop(move.destination)
    hold = hold_s(game, move)
    story.ply(game.play(move), dropped + hold, "amend")
    story.ready(dropped + hold)
    story.until(dropped + hold)
    return story.end()


def fast_slide(rng: random.Random) -> Trace:
    """Slide 40 ms a square, the magnet read between squares not at all, once, or twice."""
    story, move = story_with(rng, lambda game, move: length(move, game.size) >= 3 and quiet(game, move))
    gap = rng.choice((0.0, 0.005, 0.01, -0.005))  # half of the time between leaving a square and reaching the next
    began = story.t
    squares = [move.origin, *line_between(move.origin, move.destination, story.size), move.destination]
    edges = []
    for number, square in enumerate(squares):
        middle_s = began + 0.02 + 0.04 * number
        if number:
            edges.append((middle_s - 0.02 + gap, "drop", square))
        if square != move.destination:
            edges.append((middle_s + 0.02 - gap, "lift", square))
    for t, word, square in sorted(edges):
        story.until(t)
        (story.lift if word == "lift" else story.drop)(square)
    hold = hold_s(story.game, move)
    story.ply(story.game.play(move), (story.t - 0.02 + hold, story.t + hold))
    story.ready((story.t - 0.02 + hold, story.t + hold))
    story.lights(pictures=2, from_=began + 0.001, to=story.t + hold + 1.0)
    return story.end()


def another_piece(rng: random.Random) -> Trace:
    """After a move another piece of the same side is moved: no amendment."""
    story, move = story_with(rng, quiet)
    story.carefully(move)
    game = story.game
    side = game.side.other
    other = rng.choice([square for square in soldiers(game, side) if square != move.destination])
    to = rng.choice([*empty(game), *(m.destination for m in _other_moves(game, move))])
    misplace(story, other, to, "not-your-turn")
    return story.end()


def _other_moves(game: Game, move: Move) -> list[Move]:
    """Give the other moves that the piece which moved last could have made."""
    before = game.copy()
    before.undo()
    return [m for m in before.legal_moves() if m.origin == move.origin and m.destination != move.destination]


def instant_replies(rng: random.Random) -> Trace:
    """Each piece is lifted 0.11 to 0.3 s after the one before was put down."""
    for _ in range(TRIES):
        story = Story(rng, middle(rng))
        moves: list[Move] = []
        game = story.game.copy()
        for _ in range(rng.randint(2, 4)):
            moved = moves[-1].destination if moves else None
            move = some_move(rng, game, lambda m: quiet(game, m) and m.destination != moved)  # noqa: B023
            if move is None:
                break
            moves.append(move)
            game.play(move)
        if len(moves) > 1:
            break
    story.beginning(0)
    for number, move in enumerate(moves):
        lifted = story.lift(move.origin)
        if number:
            story.ply(story.game.plies[-1], (lifted - 0.15, lifted + 0.05))
            story.maybe("ready", side=story.game.side.value)
        story.wait(0.06, 0.4)
        dropped = story.drop(move.destination)
        last_hold = hold_s(story.game, move)
        story.game.play(move)
        story.until(dropped + rng.uniform(0.11, 0.19))
    story.ply(story.game.plies[-1], dropped + last_hold)
    story.ready(dropped + last_hold)
    story.no_errors(0.0, story.t)
    return story.end()


def held_for_a_minute(rng: random.Random) -> Trace:
    """Up to four pieces in the hand for a minute; put back, or one of them moved."""
    story, move = story_with(rng, quiet)
    others = [square for square in sorted(story.game.occupied) if square != move.origin]
    extra = rng.sample(others, rng.randint(0, 3)) if rng.random() < 0.5 else []
    hand = [move.origin, *extra]
    for square in rng.sample(hand, len(hand)):
        story.lift(square)
        story.wait(0.05, 1.0)
    story.until(story.t + rng.uniform(30, 70))
    if extra or rng.random() < 0.3:
        for square in rng.sample(hand, len(hand)):
            story.wait(0.05, 1.0)
            story.drop(square)
    else:
        accepted = story.drop(move.destination) + hold_s(story.game, move)
        story.ply(story.game.play(move), accepted)
        story.ready(accepted)
    return story.end()


def immobile(rng: random.Random) -> Trace:
    """A piece that cannot move is lifted: shown at once; put back: clear."""
    for _ in range(TRIES):
        story = Story(rng, middle(rng))
        story.beginning(rng.randint(0, 2))
        game = story.game
        mobile = {move.origin for move in game.legal_moves()}
        stuck = [square for square in soldiers(game, game.side) if square not in mobile]
        if stuck:
            break
    before = story.t
    square = rng.choice(stuck)
    lifted = story.lift(square)
    story.wait(0.3, 5.0)
    back = story.drop(square)
    story.lights(lights={story.name(square): ["illegal", "missing"]}, from_=lifted + 0.1, to=back)
    story.lights(same=[before, back + 0.1])
    return story.end()


MAKERS: Mapping[int, Sequence[Maker]] = {
    1: (slow_slide, slide_over_captures),
    2: (fast_slide,),
    3: (another_piece,),
    4: (instant_replies,),
    6: (held_for_a_minute,),
    19: (immobile,),
}
