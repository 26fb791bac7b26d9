"""Variations of noise, lost and old news and broken sensors (cases 5 and 12 to 17); see variations.py."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from engine import Game, Move, Square
from tests.traces.answers import Trace
from tests.traces.positions import middle, played, quiet
from tests.traces.situations import AT_ONCE_S, TRIES, Maker, some_move, story_with
from tests.traces.story import DEBOUNCE_S, MASKED_S, MISMATCH_S, SETTLE_SLIDING_S, STUCK_S, TWO_MOVES_S, Story, hold_s


def _occupied_after(game: Game, moves: Sequence[Move]) -> frozenset[Square]:
    game = game.copy()
    for move in moves:
        game.play(move)
    return game.occupied


def _pairs(game: Game) -> Iterator[frozenset[Square]]:
    """Give the board after each move and its reply, and after each amendment of the last move and its reply."""
    firsts = [(game, move) for move in game.legal_moves()]
    if game.plies:
        before = game.copy()
        last = before.undo().move
        firsts += [(before, m) for m in before.legal_moves() if m.origin == last.origin and m != last]
    for base, first in firsts:
        after = base.copy()
        after.play(first)
        for second in after.legal_moves():
            yield after.occupied - {second.origin} - set(second.captures) | {second.destination}


def _ways(game: Game, board: frozenset[Square]) -> int:
    """Count the pairs of moves that leave this board, and anything simpler as more than one."""
    turned = Game(game.book, position=game.position, side=game.side.other)
    simple = [*game.legal_moves(), *turned.legal_moves()]
    if any(game.occupied - {m.origin} - set(m.captures) | {m.destination} == board for m in simple):
        return 2
    missing, extra = game.occupied - board, board - game.occupied
    if any({m.origin, *m.captures} == missing and m.destination in extra for m in game.legal_moves()):
        raise LookupError("it could also be a capture whose victim was put down elsewhere")
    return sum(found == board for found in _pairs(game))


def two_moves_at_once(rng: random.Random) -> Trace:
    """A whole reading shows two quiet moves on four different squares."""
    for _ in range(TRIES):
        story = Story(rng, middle(rng))
        story.beginning(rng.randint(0, 1))
        game = story.game
        first = some_move(rng, game, lambda m: quiet(game, m))  # noqa: B023
        if first is None:
            continue
        after = game.copy()
        after.play(first)
        second = some_move(rng, after, lambda m: quiet(after, m))  # noqa: B023
        if second is None or len({first.origin, first.destination, second.origin, second.destination}) < 4:
            continue
        board = _occupied_after(game, (first, second))
        if len(board ^ game.occupied) == 4:
            break
    assert first is not None
    assert second is not None
    ways = _ways(game, board)
    story.seen = set(board)
    t = story.scan()
    if ways == 1:
        span = (t + TWO_MOVES_S, t + SETTLE_SLIDING_S)
        story.ply(game.play(first), span)
        story.maybe("ready", side=game.side.value)
        story.ply(game.play(second), span)
        story.ready(span)
    else:
        missing, extra = game.occupied - board, board - game.occupied
        story.expect("mismatch", t + MISMATCH_S, missing=story.names(missing), extra=story.names(extra))
    return story.end()


def three_moves_at_once(rng: random.Random) -> Trace:
    """A whole reading shows three moves: no guess."""
    for _ in range(TRIES):
        story = Story(rng, middle(rng))
        story.beginning(rng.randint(0, 1))
        game = story.game.copy()
        for _ in range(3):
            move = some_move(rng, game, lambda m: quiet(game, m))  # noqa: B023
            if move is not None:
                game.play(move)
        board, was = game.occupied, story.game.occupied
        if len(board ^ was) == 6:
            break
    story.seen = set(board)
    t = story.scan()
    story.expect("mismatch", t + MISMATCH_S, missing=story.names(was - board), extra=story.names(board - was))
    story.lights(at_most={"missing": 1, "extra": 1}, from_=0.0, to=t + MISMATCH_S + 1.0)
    return story.end()


def weak_magnet(rng: random.Random) -> Trace:
    """One end of a move toggles for up to 0.8 s: one move."""
    story, move = story_with(rng, quiet)
    at_origin = rng.random() < 0.5
    story.lift(move.origin)
    if at_origin:
        _toggle(story, move.origin, occupied=False)
    story.wait(0.1, 1.0)
    dropped = story.drop(move.destination)
    if not at_origin:
        dropped = _toggle(story, move.destination, occupied=True)
    accepted = dropped + hold_s(story.game, move)
    story.ply(story.game.play(move), accepted)
    story.ready(accepted)
    story.no_errors(0.0, accepted)
    return story.end()


def _toggle(story: Story, square: Square, *, occupied: bool) -> float:
    """Toggle a square an even number of times, never still for as long as the debounce; return the last edge's time."""
    t = story.t
    for number in range(2 * story.rng.randint(2, 20)):
        story.until(story.t + story.rng.uniform(0.005, DEBOUNCE_S - 0.005))
        t = (story.lift if (number % 2 == 0) is occupied else story.drop)(square)
    return t


def flapping(rng: random.Random) -> Trace:
    """A square that has no part in the move is never quiet; the game goes on without it."""
    story, move = story_with(rng, quiet)
    aside = [square for square in sorted(story.game.occupied) if square not in (move.origin, move.destination)]
    sick = rng.choice(aside)
    began = t = story.t
    edges: list[tuple[float, str]] = []
    while len(edges) % 2 or t < began + rng.uniform(2.5, 6.0):
        edges.append((t, "flap"))
        t = round(t + rng.uniform(0.01, 0.09), 3)
    last = edges[-1][0]
    lifted = round(rng.uniform(began + 1.1, began + 1.4), 3)
    edges += [(lifted, "lift"), (round(lifted + 0.2105, 4), "drop")]
    occupied = True
    for t, word in sorted(edges):
        story.t = t
        if word == "flap":
            (story.lift if occupied else story.drop)(sick)
            occupied = not occupied
        else:
            (story.lift if word == "lift" else story.drop)(move.origin if word == "lift" else move.destination)
    accepted = lifted + 0.2105 + hold_s(story.game, move)
    story.squares("sensor", [sick], (began + 1.0, began + 1.1), state="flapping")
    story.ply(story.game.play(move), accepted)
    story.ready(accepted)
    story.squares("sensor", [sick], (last + 0.1, last + 1.1), state="ok")
    return story.end()


def lost_news(rng: random.Random) -> Trace:
    """A lift or a drop is lost; a later whole reading brings it. With or without sequence numbers."""
    story, move = story_with(rng, quiet)
    numbered = rng.random() < 0.5
    seen = rng.choice(("lift", "drop"))
    (story.lift if seen == "lift" else story.drop)(move.origin if seen == "lift" else move.destination)
    if numbered:
        story.lines[-1]["seq"] = 7
    story.until(story.t + rng.uniform(0.2, 2.5))
    if seen == "lift":
        story.seen.add(move.destination)
    else:
        story.seen.discard(move.origin)
    t = story.scan()
    if numbered:
        story.lines[-1]["seq"] = 9
    accepted = t + hold_s(story.game, move)
    story.ply(story.game.play(move), accepted)
    story.ready(accepted)
    return story.end()


def late_lift(rng: random.Random) -> Trace:
    """A drop comes long before its lift: not a move."""
    story, move = story_with(rng, quiet, history=0)
    story.drop(move.destination)
    story.until(story.t + rng.uniform(0.25, 2.5))
    lifted = story.lift(move.origin)
    story.expect(
        "mismatch",
        (lifted, lifted + MISMATCH_S),
        missing=story.names([move.origin]),
        extra=story.names([move.destination]),
    )
    return story.end()


def old_news(rng: random.Random) -> Trace:
    """News with older numbers change nothing."""
    story, move = story_with(rng, quiet)
    before = sorted(story.seen)
    number = rng.randint(5, 1000)
    story.lift(move.origin)
    story.lines[-1]["seq"] = number
    story.wait(0.1, 1.0)
    accepted = story.drop(move.destination) + hold_s(story.game, move)
    story.lines[-1]["seq"] = number + 1
    story.ply(story.game.play(move), accepted)
    story.ready(accepted)
    for _ in range(rng.randint(1, 4)):
        story.wait(0.02, 2.0)
        old = rng.randint(0, number + 1)
        square = Square(rng.randrange(story.size**2))
        kind = rng.choice(("lift", "drop", "scan"))
        found = {"scan": story.names(map(Square, before))} if kind == "scan" else {kind: story.name(square)}
        story.line(**found, seq=old)
    return story.end()


def _full_lines(game: Game) -> list[list[Square]]:
    size = game.size
    lines = [[Square(rank * size + file) for file in range(size)] for rank in range(size)]
    lines += [[Square(rank * size + file) for rank in range(size)] for file in range(size)]
    return [found for line in lines if len(found := [s for s in line if s in game.occupied]) >= 3]


def vanishing_line(rng: random.Random) -> Trace:
    """All occupied squares of a line read empty in one reading, for a moment or for long."""
    story, _ = story_with(rng, quiet)
    line = rng.choice(_full_lines(story.game))
    before = story.t
    as_scan = rng.random() < 0.5
    if as_scan:
        story.seen.difference_update(line)
        t = story.scan()
    else:
        t = story.lift(*line)
    long = rng.random() < 0.5
    story.until(t + (rng.uniform(12, 20) if long else 0.03))
    if as_scan:
        story.seen.update(line)
        back = story.scan()
    else:
        back = story.drop(*line)
    if long:
        story.squares("sensor", line, (t + DEBOUNCE_S, t + STUCK_S + 1.0), state="stuck")
        story.squares("sensor", line, (back, back + 0.3), state="ok")
    else:
        story.lights(same=[before, back + 0.2])
    story.until(back + 0.5)
    move = some_move(rng, story.game, lambda m: quiet(story.game, m))
    assert move is not None
    story.carefully(move)
    return story.end()


def masked(rng: random.Random) -> Trace:
    """A move begins or ends on a masked square: asked about; yes, no, or the piece goes elsewhere."""
    for _ in range(TRIES):
        game = middle(rng)
        move = some_move(rng, game, lambda m: quiet(game, m))  # noqa: B023
        if move is None:
            continue
        blind = rng.choice((move.origin, move.destination))
        rivals = [m for m in game.legal_moves() if blind == m.origin and m.destination == move.destination]
        if blind == move.destination or len(rivals) == 1:
            break
    assert move is not None
    story = Story(rng, game, masked=[])
    story.lines[0]["masked"] = [story.name(blind)]
    story.beginning(0)
    changed = story.lift(move.origin) if blind == move.destination else story.drop(move.destination)
    asked = changed + MASKED_S
    name = f"{story.name(move.origin)}-{story.name(move.destination)}"
    story.expect("question", asked, about="move", move=name)
    story.until(asked)
    story.wait(0.5, 3.0)
    if rng.random() < 0.7:
        t = story.command("confirm")
        story.ply(game.play(move), t)
        story.ready(t)
        return story.end()
    if rng.random() < 0.5:
        story.command("cancel")
        story.wait(0.5, 1.0)
    if blind == move.destination:
        story.drop(move.origin)
    else:
        story.lift(move.destination)
    return story.end(after=10.0)


def dead_square(rng: random.Random) -> Trace:
    """A square of the start position never reads occupied, or reads late."""
    game = played(rng, 0)
    dead = rng.choice(sorted(game.occupied))
    story = Story(rng, game)
    story.seen.discard(dead)
    story.lines[0]["occupied"] = story.names(story.seen)
    story.expect("mismatch", 0.0, missing=story.names([dead]), extra=[])
    story.until(rng.choice((rng.uniform(1, 9.5), rng.uniform(10.5, 20))))
    late = story.t > STUCK_S
    if late:
        story.squares("sensor", [dead], STUCK_S, state="stuck")
        story.maybe("question", about="sensor")
    t = story.drop(dead)
    if late:
        story.squares("sensor", [dead], (t, t + 0.2), state="ok")
    story.expect("restored", (t, t + AT_ONCE_S))
    story.ready((t, t + AT_ONCE_S))
    story.no_errors(t + 0.2, t + 1.0)
    return story.end()


MAKERS: Mapping[int, Sequence[Maker]] = {
    5: (two_moves_at_once, three_moves_at_once),
    12: (weak_magnet, flapping),
    13: (lost_news, late_lift),
    14: (old_news,),
    15: (vanishing_line,),
    16: (masked,),
    17: (dead_square,),
}
