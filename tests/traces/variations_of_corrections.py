"""Variations of illegal moves, disorder, takebacks and new games (cases 18, 20, 22, 23, 25); see variations.py."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from engine import Game, Square
from tests.traces.answers import Trace
from tests.traces.positions import EDGE, capturing, empty, middle, quiet, refusal, soldiers
from tests.traces.situations import AT_ONCE_S, TRIES, Maker, misplace, some_move, story_with
from tests.traces.story import NEW_GAME_S, TAKEBACK_S, Story


def illegal(rng: random.Random) -> Trace:
    """A piece of the side to move rests where it may not, and is put back or moved legally."""
    for _ in range(TRIES):
        story = Story(rng, middle(rng))
        story.beginning(rng.randint(0, 2))
        game = story.game
        last = game.plies[-1].move if game.plies else None
        origin = rng.choice(soldiers(game, game.side))
        places = [square for square in empty(game) if refusal(game, origin, square)]
        places = [square for square in places if last is None or square != last.origin]
        if places:
            break
    to = rng.choice(places)
    reason = refusal(game, origin, to)
    assert reason is not None
    misplace(story, origin, to, reason)
    return story.end()


def wrong_side(rng: random.Random) -> Trace:
    """A piece of the side that does not move is moved as if it might."""
    for _ in range(TRIES):
        story = Story(rng, middle(rng))
        story.beginning(rng.randint(0, 2))
        game = story.game
        last = game.plies[-1].move.destination if game.plies else None
        turned = Game(game.book, position=game.position, side=game.side.other)
        moves = [m for m in turned.legal_moves() if m.origin != last and not m.captures]
        if moves:
            break
    move = rng.choice(moves)
    misplace(story, move.origin, move.destination, "not-your-turn")
    return story.end()


def six_squares_wrong(rng: random.Random) -> Trace:
    """Three pieces stand elsewhere at the start; the hands follow the lights' pairs."""
    game = middle(rng)
    story = Story(rng, game)
    missing = rng.sample(sorted(game.occupied), 3)
    extra = rng.sample(empty(game), 3)
    story.seen = story.seen.difference(missing) | set(extra)
    story.lines[0]["occupied"] = story.names(story.seen)
    story.expect("mismatch", 0.0, missing=story.names(missing), extra=story.names(extra))
    for wrong, right in zip(extra, missing, strict=True):
        story.wait(0.5, 2.0)
        story.lift(wrong)
        story.wait(0.2, 1.0)
        back = story.drop(right)
    story.expect("restored", (back, back + AT_ONCE_S))
    story.ready((back, back + AT_ONCE_S))
    story.lights(at_most={"missing": 1, "extra": 1}, from_=0.0, to=back)
    story.no_errors(back + 0.1, back + 1.0)
    return story.end()


def takeback(rng: random.Random) -> Trace:
    """A move is taken back by hand, its victims put back, in any order."""
    victims = rng.randint(0, 3)
    if victims:
        game, move = capturing(rng, victims)
        story = Story(rng, game)
        story.beginning(0)
    else:
        story, move = story_with(rng, quiet, history=2)
    ready_before = story.t
    story.carefully(move)
    mover = ("mover", move.destination)
    order = rng.sample([mover, *(("victim", square) for square in move.captures)], victims + 1)
    for kind, square in order:
        if kind == "mover":
            story.lift(square)
            story.wait(0.1, 1.0)
            back = story.drop(move.origin)
        else:
            back = story.drop(square)
        story.maybe("remove")
        story.wait(0.1, 1.0)
    ply = story.game.undo()
    name = f"{story.name(move.origin)}-{story.name(move.destination)}"
    story.expect("takeback", (back, back + TAKEBACK_S), ply=ply.number, move=name)
    story.ready((back, back + TAKEBACK_S))
    story.until(back + TAKEBACK_S)
    story.lights(same=[ready_before, back + TAKEBACK_S + 0.1])
    story.wait(0.5, 1.0)
    story.carefully(move)
    return story.end()


def takeback_by_command(rng: random.Random) -> Trace:
    """A button takes the move back; the pieces follow, and do not play it again."""
    story, move = story_with(rng, quiet, history=2)
    story.carefully(move)
    pressed = story.command("takeback")
    ply = story.game.undo()
    origin, destination = story.name(move.origin), story.name(move.destination)
    story.expect("takeback", pressed, ply=ply.number, move=f"{origin}-{destination}")
    story.expect("mismatch", pressed, missing=[origin], extra=[destination])
    story.wait(0.5, 5.0)
    story.lift(move.destination)
    story.wait(0.2, 1.0)
    back = story.drop(move.origin)
    story.expect("restored", (back, back + 0.1))
    story.ready((back, back + 0.1))
    story.wait(0.5, 1.0)
    story.carefully(move)
    return story.end()


def _two_plies_on(rng: random.Random) -> tuple[Story, set[Square], set[Square]]:
    """Play quiet moves from the book's start, so that the pieces can all be put back."""
    story = Story(rng, Game(EDGE))
    story.ready(0.0)
    story.wait(0.3, 1.0)
    for _ in range(rng.randint(2, 6)):
        game = story.game
        move = some_move(rng, game, lambda m: quiet(game, m))  # noqa: B023
        assert move is not None
        story.carefully(move)
    start = Game(EDGE).occupied
    return story, set(story.game.occupied - start), set(start - story.game.occupied)


def start_position_set_up(rng: random.Random) -> Trace:
    """All pieces are put back on the start position at once: a question; yes, no, or no answer."""
    for _ in range(TRIES):
        story, away, home = _two_plies_on(rng)
        if len(away) >= 2:
            break
    for square in rng.sample(sorted(away), len(away)):
        story.lift(square)
        story.until(story.t + rng.uniform(0.06, 0.2))
    for square in rng.sample(sorted(home), len(home)):
        story.until(story.t + rng.uniform(0.02, 0.1))
        t = story.drop(square)
    story.expect("question", t + NEW_GAME_S, about="new-game")
    story.until(t + NEW_GAME_S)
    story.wait(0.5, 3.0)
    if rng.random() < 0.5:
        t = story.command("confirm")
        story.game = Game(EDGE)
        story.expect("new-game", t, rules=EDGE.name)
        story.ready((t, t + AT_ONCE_S))
        return story.end()
    for square in sorted(home):
        story.lift(square)
        story.until(story.t + rng.uniform(0.02, 0.1))
    for square in sorted(away):
        story.until(story.t + rng.uniform(0.02, 0.1))
        t = story.drop(square)
    story.maybe("restored")
    story.maybe("ready")
    story.until(t + 0.5)
    move = some_move(rng, story.game, lambda m: quiet(story.game, m))
    assert move is not None
    story.carefully(move)
    return story.end()


def put_back_one_by_one(rng: random.Random) -> Trace:
    """Moves are put back one by one: takebacks, and no question."""
    story, _, _ = _two_plies_on(rng)
    while story.game.plies:
        ply = story.game.plies[-1]
        origin, destination = ply.move.origin, ply.move.destination
        story.lift(destination)
        story.wait(0.1, 1.0)
        back = story.drop(origin) + TAKEBACK_S
        story.game.undo()
        story.expect("takeback", back, ply=ply.number, move=f"{story.name(origin)}-{story.name(destination)}")
        story.ready(back)
        story.until(back)
        story.wait(0.2, 2.0)
    return story.end()


MAKERS: Mapping[int, Sequence[Maker]] = {
    18: (illegal,),
    20: (wrong_side,),
    22: (six_squares_wrong,),
    23: (takeback, takeback_by_command),
    25: (start_position_set_up, put_back_one_by_one),
}
