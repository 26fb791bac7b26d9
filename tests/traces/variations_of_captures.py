"""Variations of captures (cases 7 to 11); see variations.py."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from tests.traces.answers import Trace
from tests.traces.positions import capturing, empty, quiet, soldiers
from tests.traces.situations import TRIES, Maker, some_move, taking
from tests.traces.story import BACK_S, REMOVED_S, Story, hold_s


def victims_in_any_order(rng: random.Random) -> Trace:
    """Mover and victims are lifted in any order; any number of victims leaves before the mover is down."""
    game, move = capturing(rng, rng.randint(1, 3))
    story = Story(rng, game)
    story.beginning(0)
    victims = rng.sample(move.captures, len(move.captures))
    early = victims[: rng.randint(0, len(victims))]
    late = victims[len(early) :]
    for square in rng.sample([move.origin, *early], len(early) + 1):
        story.lift(square)
        story.wait(0.05, 2.0)
    dropped = story.drop(move.destination)
    accepted = dropped + hold_s(game, move)
    at_once = [late.pop() for _ in range(rng.randint(0, len(late))) if rng.random() < 0.5]
    for number, square in enumerate(at_once, start=1):  # between the drop and the acceptance
        story.until(dropped + number * 0.035)
        story.lift(square)
    story.ply(game.play(move), accepted if not at_once else (accepted, accepted + 0.2))
    story.until(accepted + (0.3 if at_once else 0.0))
    if late:
        left = rng.sample(late, len(late))
        story.squares("remove", left, (accepted, accepted + 0.2))
        while left:
            story.wait(0.3, 2.0)
            gone = story.lift(left.pop()) + REMOVED_S
            story.until(gone)
            if left:
                story.squares("remove", left, gone)
        story.squares("removed", late, gone)
        story.ready(gone)
    else:
        story.ready((accepted, accepted + 0.3))
    story.no_errors(0.0, story.t)
    return story.end()


def victim_put_back(rng: random.Random) -> Trace:
    """Victims, and perhaps the mover, are lifted and put back."""
    game, move = capturing(rng, rng.randint(1, 3))
    story = Story(rng, game)
    story.beginning(0)
    before = story.t
    hand = list(move.captures) if rng.random() < 0.5 else [move.origin, *move.captures]
    for square in rng.sample(hand, len(hand)):
        story.lift(square)
        story.wait(0.1, 3.0)
    for square in rng.sample(hand, len(hand)):
        story.wait(0.1, 3.0)
        back = story.drop(square)
    story.lights(same=[before, back + 0.1])
    return story.end()


def reply_before_victims_are_gone(rng: random.Random) -> Trace:
    """The opponent replies while captured pieces stand; the reply is accepted once they are gone."""
    for _ in range(TRIES):
        story, move, asked = taking(rng, rng.randint(1, 3))
        game = story.game
        standing = set(move.captures)
        reply = some_move(rng, game, lambda m: quiet(game, m) and m.destination not in standing)  # noqa: B023
        if reply is not None:
            break
    assert reply is not None
    story.lift(reply.origin)
    story.wait(0.2, 1.0)
    dropped = story.drop(reply.destination)
    story.until(dropped + 1.0)
    victims = rng.sample(move.captures, len(move.captures))
    first = story.t
    for number, square in enumerate(victims, start=1):
        gone = story.lift(square)
        if number < len(victims):
            story.maybe("remove", squares=story.names(victims[number:]))
        story.wait(0.3, 1.0)
    story.squares("removed", victims, (gone, gone + REMOVED_S))
    story.maybe("ready", side=game.side.value)
    story.lights(lights={story.name(victims[-1]): "remove"}, from_=asked + 0.06, to=first)
    hold = hold_s(game, reply)
    story.ply(game.play(reply), (gone, gone + hold))
    story.ready((gone, gone + hold))
    story.no_errors(0.0, story.t)
    story.until(gone + 1.0)
    return story.end()


def wrong_piece_removed(rng: random.Random) -> Trace:
    """Another enemy piece is taken off, put back, and the victims are taken."""
    story, move, _ = taking(rng, rng.randint(1, 3))
    wrong = rng.choice(soldiers(story.game, story.game.side))
    lifted = story.lift(wrong)
    story.wait(0.5, 3.0)
    back = story.drop(wrong)
    both = {story.name(square): "remove" for square in move.captures}
    lit = ["missing", "origin", "victim", "illegal"]
    story.lights(lights=both | {story.name(wrong): lit}, from_=lifted + 0.1, to=back)
    story.lights(lights=both | {story.name(wrong): None}, from_=back + 0.1, to=back + 0.2)
    story.wait(0.3, 1.0)
    left = rng.sample(move.captures, len(move.captures))
    while left:
        gone = story.lift(left.pop()) + REMOVED_S
        story.until(gone)
        if left:
            story.squares("remove", left, gone)
        story.wait(0.3, 1.0)
    story.squares("removed", move.captures, gone)
    story.ready(gone)
    return story.end()


def captured_piece_elsewhere(rng: random.Random) -> Trace:
    """A captured piece is put down on another square: asked off again, and no move."""
    story, move, _ = taking(rng, 1)
    (victim,) = move.captures
    lifted = story.lift(victim)
    soon = rng.random() < 0.5
    story.until(lifted + (rng.uniform(0.06, 0.14) if soon else rng.uniform(0.3, 3.0)))
    if not soon:
        story.squares("removed", [victim], lifted + REMOVED_S)
        story.ready(lifted + REMOVED_S)
    elsewhere = rng.choice([square for square in empty(story.game) if square not in (victim, move.origin)])
    dropped = story.drop(elsewhere)
    asked = dropped + BACK_S
    story.squares("remove", [elsewhere], asked)
    story.until(asked)
    story.wait(0.2, 3.0)
    gone = story.lift(elsewhere)
    story.lights(lights={story.name(elsewhere): "remove"}, from_=asked + 0.06, to=gone)
    story.expect("removed", gone + REMOVED_S)
    story.ready(gone + REMOVED_S)
    story.until(gone + REMOVED_S)
    story.wait(0.3, 1.0)
    moves = [m for m in story.game.legal_moves() if quiet(story.game, m)]
    if moves:
        story.carefully(rng.choice(moves))
    return story.end()


MAKERS: Mapping[int, Sequence[Maker]] = {
    7: (victims_in_any_order,),
    8: (victim_put_back,),
    9: (reply_before_victims_are_gone,),
    10: (wrong_piece_removed,),
    11: (captured_piece_elsewhere,),
}
