"""Variations of the computer's moves and of restarts (cases 21, 24, 26 and 27); see variations.py."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from engine import Move
from tests.traces.answers import Trace
from tests.traces.positions import capturing, empty, middle, quiet
from tests.traces.situations import AT_ONCE_S, TRIES, Maker, some_move, story_with
from tests.traces.story import ILLEGAL_S, REMOVED_S, SETTLE_SLIDING_S, Story, hold_s


def _with_computer(rng: random.Random) -> tuple[Story, Move]:
    for _ in range(TRIES):
        game = middle(rng)
        move = some_move(rng, game, lambda m: quiet(game, m))  # noqa: B023
        if move is not None:
            break
    assert move is not None
    story = Story(rng, game, opponent=game.side.value)
    story.beginning(0)
    story.line(**{"opponent-move": f"{story.name(move.origin)}-{story.name(move.destination)}"})
    return story, move


def _chosen(story: Story, move: Move, first: float, last: float) -> None:
    pair = {story.name(move.origin): "engine-from", story.name(move.destination): "engine-to"}
    story.lights(lights=pair, from_=first, to=last)


def not_the_chosen_move(rng: random.Random) -> Trace:
    """Another legal move than the computer's is not accepted, and its pair goes on showing."""
    for _ in range(TRIES):
        story, move = _with_computer(rng)
        ends = {move.origin, move.destination}
        other = some_move(rng, story.game, lambda m: quiet(story.game, m) and not ends & {m.origin, m.destination})  # noqa: B023
        if other is not None:
            break
    assert other is not None
    shown = story.t + 0.1
    story.wait(0.5, 1.0)
    story.lift(other.origin)
    story.wait(0.2, 1.0)
    said = story.drop(other.destination) + ILLEGAL_S
    pair = {"from": story.name(other.origin), "to": story.name(other.destination)}
    story.expect("illegal", said, **pair, reason="not-the-chosen-move")
    story.until(said)
    story.wait(0.5, 3.0)
    story.lift(other.destination)
    story.wait(0.2, 1.0)
    back = story.drop(other.origin)
    story.expect("restored", (back, back + AT_ONCE_S))
    story.ready((back, back + AT_ONCE_S))
    story.wait(0.5, 1.0)
    _chosen(story, move, shown, story.t)
    story.carefully(move)
    return story.end()


def thrown_away(rng: random.Random) -> Trace:
    """A takeback by command while the computer thinks: its answer for the old position is thrown away."""
    story, move = story_with(rng, quiet, history=0)
    game = story.game
    after = game.copy()
    after.play(move)
    story.lines[0]["opponent"] = after.side.value
    story.carefully(move)
    answer = rng.choice(after.legal_moves())
    t = story.command("takeback")
    origin, destination = story.name(move.origin), story.name(move.destination)
    story.expect("takeback", t, ply=1, move=f"{origin}-{destination}")
    story.expect("mismatch", t, missing=[origin], extra=[destination])
    story.game.undo()
    chosen = {"opponent-move": f"{story.name(answer.origin)}-{story.name(answer.destination)}"}
    early = rng.random() < 0.5
    if early:
        story.wait(0.0, 1.0)
        story.line(**chosen)
    story.wait(0.5, 2.0)
    story.lift(move.destination)
    story.wait(0.2, 1.0)
    back = story.drop(move.origin)
    story.expect("restored", (back, back + AT_ONCE_S))
    story.ready((back, back + AT_ONCE_S))
    if not early:
        story.wait(0.2, 1.0)
        story.line(**chosen)
    story.lights(never=["engine-from", "engine-to"], from_=0.0, to=story.t + 2.0)
    return story.end()


def shown_again(rng: random.Random) -> Trace:
    """The power goes while the computer's move is shown."""
    story, move = _with_computer(rng)
    shown = story.t
    story.wait(0.3, 2.0)
    t = story.line(restart=True)
    story.ready((t, t + AT_ONCE_S))
    _chosen(story, move, shown + 0.1, t)
    story.wait(0.3, 2.0)
    _chosen(story, move, t + 0.1, story.t)
    story.carefully(move)
    return story.end()


def restart_with_changes(rng: random.Random) -> Trace:
    """Pieces are missing or elsewhere after a restart: named at once; one legal move ahead: offered."""
    story, move = story_with(rng, quiet)
    story.carefully(move)
    game = story.game
    kind = rng.choice(("missing", "moved", "ahead", "nothing"))
    before = set(story.seen)
    if kind == "missing":
        story.seen.difference_update(rng.sample(sorted(before), rng.randint(1, 3)))
    elif kind == "moved":
        story.seen.difference_update(rng.sample(sorted(before), 3))
        story.seen.update(rng.sample(empty(game), 3))
    ahead = some_move(rng, game, lambda m: quiet(game, m) and m.destination != move.origin)
    if kind == "ahead" and ahead is not None:
        story.seen.discard(ahead.origin)
        story.seen.add(ahead.destination)
    t = story.line(restart=True, occupied=story.names(story.seen))
    missing, extra = before - story.seen, story.seen - before
    if not missing and not extra:
        story.ready((t, t + AT_ONCE_S))
        return story.end()
    if kind == "ahead" and ahead is not None:
        name = f"{story.name(ahead.origin)}-{story.name(ahead.destination)}"
        story.expect("question", (t, t + 1.0), about="move", move=name)
        story.until(t + 1.0)
        story.wait(0.1, 5.0)
        if rng.random() < 0.5:
            t = story.command("confirm")
            story.ply(game.play(ahead), t)
            story.ready(t)
        return story.end()
    story.expect("mismatch", t, missing=story.names(missing), extra=story.names(extra))
    for square in sorted(extra):
        story.wait(0.3, 1.0)
        story.lift(square)
    for square in sorted(missing):
        story.wait(0.3, 1.0)
        back = story.drop(square)
    story.expect("restored", (back, back + AT_ONCE_S))
    story.ready((back, back + AT_ONCE_S))
    return story.end()


def restart_with_a_piece_in_the_hand(rng: random.Random) -> Trace:
    """Exactly one piece was in the hand at the cut; it is seen down at the restart, or put down later."""
    story, move = story_with(rng, quiet)
    story.lift(move.origin)
    story.wait(0.1, 3.0)
    down = rng.random() < 0.5
    if down:
        story.seen.add(move.destination)
        t = story.line(restart=True, occupied=story.names(story.seen))
    else:
        t = story.line(restart=True)
        story.expect("mismatch", t, missing=story.names([move.origin]), extra=[])
        story.wait(0.3, 5.0)
        t = story.drop(move.destination)
    story.ply(story.game.play(move), (t, t + SETTLE_SLIDING_S + 0.05))
    story.ready((t, t + SETTLE_SLIDING_S + 0.05))
    return story.end()


def restart_before_acceptance(rng: random.Random) -> Trace:
    """A drop that was not yet accepted at the cut is asked about."""
    story, move = story_with(rng, quiet)
    story.lift(move.origin)
    story.wait(0.1, 1.0)
    story.drop(move.destination)
    story.until(story.t + rng.uniform(0.05, hold_s(story.game, move) - 0.02))
    t = story.line(restart=True)
    name = f"{story.name(move.origin)}-{story.name(move.destination)}"
    story.expect("question", (t, t + 1.0), about="move", move=name)
    story.until(t + 1.0)
    story.wait(0.1, 5.0)
    t = story.command("confirm")
    story.ply(story.game.play(move), t)
    story.ready(t)
    return story.end()


def restart_while_victims_stand(rng: random.Random) -> Trace:
    """Victims stand at the cut: asked off again; perhaps some went while the power was off."""
    game, move = capturing(rng, rng.randint(1, 3))
    story = Story(rng, game)
    story.beginning(0)
    story.lift(move.origin)
    story.wait(0.1, 1.0)
    asked = story.drop(move.destination) + hold_s(game, move)
    story.ply(game.play(move), asked)
    story.squares("remove", move.captures, asked)
    story.until(asked)
    story.wait(0.2, 3.0)
    left = rng.sample(move.captures, len(move.captures))
    gone = [left.pop() for _ in range(rng.randint(0, len(left) - 1))]
    story.seen.difference_update(gone)
    t = story.line(restart=True, occupied=story.names(story.seen))
    story.squares("remove", left, (t, t + AT_ONCE_S))
    story.until(t + 0.3)
    remaining = list(left)
    while remaining:
        story.wait(0.3, 2.0)
        lifted = story.lift(remaining.pop()) + REMOVED_S
        story.until(lifted)
        if remaining:
            story.squares("remove", remaining, lifted)
    story.expect("removed", lifted)
    story.ready(lifted)
    return story.end()


MAKERS: Mapping[int, Sequence[Maker]] = {
    21: (not_the_chosen_move,),
    24: (thrown_away,),
    26: (shown_again,),
    27: (
        restart_with_changes,
        restart_with_a_piece_in_the_hand,
        restart_before_acceptance,
        restart_while_victims_stand,
    ),
}
