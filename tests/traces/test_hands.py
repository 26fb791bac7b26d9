"""Hands in situations beside the cases: two players at once, messes, endings, a computer, a dead sensor."""

import itertools
import random

import pytest

from engine import Game, Move, Side, Square, book_named, square_name
from tests.traces.acting import Plan, act
from tests.traces.positions import (
    begun,
    capturing,
    chosen_book,
    empty,
    length,
    line_between,
    played,
    quiet,
    stops,
)
from tests.traces.script import Script, words

seeds = pytest.mark.parametrize("seed", range(12))
TRIES = 400


def chance(what: str, seed: int) -> random.Random:
    return random.Random(f"{what} {seed}")


def quiet_moves(game: Game) -> list[Move]:
    return [move for move in game.legal_moves() if quiet(game, move)]


def script(rng: random.Random, plies: int = 0) -> Script:
    """Begin in a position with a quiet move, after some careful plies."""
    for _ in range(TRIES):
        found = Script(rng, begun(rng.randrange(10**6)))
        for _ in range(rng.randint(0, plies)):
            moves = quiet_moves(found.game)
            if moves:
                found.move(rng.choice(moves))
        if quiet_moves(found.game):
            return found
    raise LookupError("no position with a quiet move")


# Two players at once.


@seeds
def test_replies_lifted_at_once_after_the_drop(seed: int) -> None:
    rng = chance("soon", seed)
    told = script(rng)
    last = None
    for _ in range(rng.randint(2, 3)):
        moves = [move for move in quiet_moves(told.game) if move.destination != last]
        if not moves:
            break
        move = rng.choice(moves)
        told.put("lift", move.origin, 0.1, 0.6)
        told.put("drop", move.destination, 0.0, 0.1)
        told.game.play(move)
        last = move.destination
    told.replay_quietly()


@seeds
def test_the_reply_is_lifted_while_the_first_piece_is_in_the_air(seed: int) -> None:
    rng = chance("crossed", seed)
    for _ in range(TRIES):
        told = script(rng)
        first = rng.choice(quiet_moves(told.game))
        after = told.game.copy()
        after.play(first)
        second = rng.choice(quiet_moves(after) or [first])
        if len({first.origin, first.destination, second.origin, second.destination}) == 4:
            break
    takes = [move for move in told.game.legal_moves() if {move.origin, *move.captures} == {first.origin, second.origin}]
    if any(move.destination in (first.destination, second.destination) for move in takes):
        return  # the second piece could be a victim, put down elsewhere: honest to ask for help
    for word, square in (
        ("lift", first.origin),
        ("lift", second.origin),
        ("drop", first.destination),
        ("drop", second.destination),
    ):
        told.put(word, square, 0.2, 2.0)
    told.game.play(first)
    told.game.play(second)
    told.replay_quietly()


@seeds
def test_victims_of_both_moves_stay_until_both_are_made(seed: int) -> None:
    rng = chance("victims", seed)
    for _ in range(TRIES):
        game, move = capturing(rng, rng.randint(1, 2))
        after = game.copy()
        after.play(move)
        replies = [m for m in after.legal_moves() if not after.outcome_of(m) and m.destination not in move.captures]
        if replies:
            break
    reply = rng.choice([m for m in replies if m.captures] or replies)
    told = Script(rng, game)
    told.put("lift", move.origin)
    told.put("drop", move.destination, 0.12, 2.0)
    told.put("lift", reply.origin)
    told.put("drop", reply.destination, 0.2, 2.0)
    victims = [*move.captures, *reply.captures]
    for victim in rng.sample(victims, len(victims)):
        told.put("lift", victim)
    game.play(move)
    game.play(reply)
    told.replay_quietly()


@seeds
def test_a_reply_onto_the_square_of_a_victim(seed: int) -> None:
    rng = chance("onto", seed)
    replies: list[Move] = []
    while not replies:
        game, move = capturing(rng, rng.randint(1, 3))
        after = game.copy()
        after.play(move)
        replies = [m for m in after.legal_moves() if not after.outcome_of(m) and m.destination in move.captures]
    reply = rng.choice(replies)
    told = Script(rng, game)
    told.put("lift", move.origin)
    told.put("drop", move.destination, 0.3, 2.0)
    others = [victim for victim in move.captures if victim != reply.destination]
    early = rng.sample(others, rng.randint(0, len(others)))
    lifts = [*early, reply.destination, reply.origin]
    for square in rng.sample(lifts, len(lifts)):
        told.put("lift", square, 0.1, 0.8)
    told.put("drop", reply.destination, 0.3, 2.0)
    for victim in [*(v for v in others if v not in early), *reply.captures]:
        told.put("lift", victim, 0.2, 1.0)
    game.play(move)
    game.play(reply)
    told.replay_quietly()


@seeds
def test_victims_lifted_by_two_hands_whenever(seed: int) -> None:
    rng = chance("two hands", seed)
    game, move = capturing(rng, rng.randint(1, 3))
    told = Script(rng, game)
    up = rng.uniform(1, 3)
    deeds = [(up, "lift", move.origin), (rng.uniform(up + 0.06, up + 2), "drop", move.destination)]
    deeds += [(rng.uniform(1, 5), "lift", victim) for victim in move.captures]
    for told.t, word, square in sorted(deeds):
        told.put(word, square, 0.0, 0.0)
    game.play(move)
    assert words(told.replay_quietly()).count("ready") == 2


@seeds
def test_a_move_taken_back_and_another_made_instead(seed: int) -> None:
    rng = chance("instead", seed)
    for _ in range(TRIES):
        told = script(rng, plies=2)
        move = rng.choice(quiet_moves(told.game))
        others = [
            other
            for other in quiet_moves(told.game)
            if other.origin != move.origin
            and other.destination != move.destination
            and move.origin not in line_between(other.origin, other.destination, told.game.size)
        ]
        if others:
            break
    told.put("lift", move.origin)
    told.put("drop", move.destination, 1.5, 2.5)
    told.put("lift", move.destination, 0.1, 0.8)
    told.put("drop", move.origin, 0.12, 0.6)
    other = rng.choice(others)
    told.put("lift", other.origin)
    told.put("drop", other.destination)
    told.game.play(other)
    told.replay_quietly()


# Slides over overlapping squares.


@seeds
def test_slides_read_on_two_squares_at_once(seed: int) -> None:
    rng = chance("overlap", seed)
    told = script(rng)
    game = told.game
    edges: list[tuple[float, str, Square]] = []
    for _ in range(3):
        moves = [m for m in game.legal_moves() if length(m, game.size) > 1 and game.outcome_of(m) is None]
        if not moves:
            break
        move = rng.choice(moves)
        path = [move.origin, *(stop.destination for stop in stops(game, move)), move.destination]
        for left, reached in itertools.pairwise(path):
            overlap = rng.uniform(-0.1, 0.14)
            edges += [(told.t, "drop", reached), (told.t + overlap, "lift", left)]
            told.t += max(overlap, 0.0)
            told.wait(*rng.choice(((0.16, 0.3), (0.16, 0.3), (0.7, 1.2))))
        game.play(move)
        told.wait(1.5, 1.6)
        for victim in move.captures:
            edges.append((told.t, "lift", victim))
            told.wait(0.4, 0.6)
        told.wait(1.0, 1.2)
    until = told.t
    for t, word, square in sorted(edges):
        told.t = round(t, 4)
        told.put(word, square, 0.0, 0.0)
    told.t = until
    told.replay_quietly()


# Disorder.


@seeds
def test_any_disorder_at_the_start_put_right(seed: int) -> None:
    rng = chance("setup", seed)
    game = begun(rng.randrange(10**6))
    away = rng.sample(sorted(game.occupied), rng.randint(1, 4))
    strange = rng.sample(empty(game), rng.randint(0, len(away)))
    told = Script(rng, game)
    told.lines[0]["occupied"] = told.names(game.occupied.difference(away).union(strange))
    steps = [*(("lift", square) for square in strange), *(("drop", square) for square in away)]
    for word, square in rng.sample(steps, len(steps)):
        told.put(word, square, 0.1, 5.0)
    assert words(told.replay()) == ["mismatch", "restored", "ready", "end"]


@seeds
def test_pieces_knocked_over_and_put_back(seed: int) -> None:
    rng = chance("mess", seed)
    told = script(rng, plies=3)
    game, began = told.game, told.t
    away = rng.sample(sorted(game.occupied), rng.randint(3, 5))
    strange = rng.sample(empty(game), len(away))
    for square in away:
        told.put("lift", square, 0.01, 0.15)
    for square in strange:
        told.put("drop", square, 0.01, 0.15)
    told.wait(3.2, 5.0)
    for wrong, right in zip(rng.sample(strange, len(away)), rng.sample(away, len(away)), strict=True):
        told.put("lift", wrong, 0.2, 2.0)
        told.put("drop", right, 0.2, 6.0)
    said = words(told.replay(), began)
    assert not {"move", "amend", "takeback"}.intersection(said)
    assert said[-2:] == ["ready", "end"]


# Endings.


@seeds
def test_the_end_is_told_once_and_can_be_taken_back(seed: int) -> None:
    rng = chance("ends", seed)
    for _ in range(TRIES):
        start = played(rng, rng.randint(0, 40), chosen_book(rng))
        told = Script(rng, Game(start.book, position=start.position, side=start.side))
        moves = [move for move in told.game.legal_moves() if told.game.outcome_of(move)]
        if moves:
            break
    move = rng.choice(moves)
    told.put("lift", move.origin)
    ways = [stop for stop in stops(told.game, move) if quiet(told.game, stop)]
    for stop in rng.sample(ways, min(len(ways), rng.randint(0, 2))):
        told.put("drop", stop.destination, 0.06, 1.5)
        told.put("lift", stop.destination, 0.06, 0.3)
    down = told.put("drop", move.destination, 3.0, 4.0)
    told.game.play(move)
    events = told.replay_quietly()
    (over,) = [event for event in events if event["event"] == "game-over"]
    assert down + 1.0 <= over["t"] + 0.001 <= down + 2.1
    assert events[-1]["result"] == {key: over[key] for key in ("winner", "reason")}
    assert "ready" not in words(events, down + 0.95)
    told.put("lift", move.destination)
    told.put("drop", move.origin, 3.0, 4.0)
    told.game.undo()
    assert words(told.replay_quietly())[-3:] == ["takeback", "ready", "end"]


@seeds
def test_nothing_is_a_move_after_the_end(seed: int) -> None:
    rng = chance("after", seed)
    told = script(rng, plies=3)
    told.say(command=rng.choice(["resign", "draw"]))
    told.wait(0.5, 1.0)
    began, standing = told.t, set(told.game.occupied)
    last = told.game.plies[-1].move if told.game.plies else None
    for _ in range(rng.randint(1, 6)):
        square = rng.choice(sorted(standing - ({last.destination} if last else set())))
        free = [s for s in empty(told.game) if s not in standing and (last is None or s != last.origin)]
        place = rng.choice(free)
        told.put("lift", square)
        told.put("drop", place, 0.1, 4.0)
        standing = standing - {square} | {place}
    events = told.replay()
    assert words(events, began) == ["end"]
    assert events[-1]["result"]


@seeds
def test_a_new_game_by_command(seed: int) -> None:
    rng = chance("new", seed)
    game = Game(chosen_book(rng))
    told = Script(rng, game)
    for _ in range(rng.randint(1, 4)):
        told.move(rng.choice(quiet_moves(game)))
    told.say(command="new-game")
    told.wait(0.5, 1.0)
    told.say(command="confirm")
    told.wait(0.5, 1.0)
    fresh = Game(game.book)
    steps = [
        *(("lift", s) for s in game.occupied - fresh.occupied),
        *(("drop", s) for s in fresh.occupied - game.occupied),
    ]
    for word, square in rng.sample(steps, len(steps)):
        told.put(word, square, 0.05, 3.0)
    told.wait(0.5, 1.0)
    told.game = fresh
    told.move(rng.choice(fresh.legal_moves()))
    said = words(told.replay())
    assert said.count("new-game") == 1
    assert said.count("question") == 1


# A dead sensor, and a computer.


@seeds
def test_games_go_on_with_a_masked_sensor(seed: int) -> None:
    """After every ply the hands wait, and say yes to what may have been asked."""
    rng = chance("masked", seed)
    acted = act(begun(rng.randrange(10**6)), [Plan(rng.randrange(500), chance=rng.randrange(999)) for _ in range(4)])
    assert acted.game is not None
    dead = rng.choice([line.get("lift") or line.get("drop") for line in acted.lines[1:-1]])
    for before, ply in itertools.pairwise(acted.game.plies):
        if square_name(ply.move.origin, acted.game.size) == dead and ply.move.destination in before.move.captures:
            return  # from where nothing is seen to where a victim stood: as well the victim put back
    lines, later = [acted.lines[0] | {"masked": [dead]}], 0.0
    rests = [t for t, _ in acted.checkpoints]
    for line in acted.lines[1:]:
        while rests and rests[0] <= line["t"]:
            lines.append({"t": round(rests.pop(0) + later + 6.0, 3), "command": "confirm"})
            later += 8.0
        if dead not in (line.get("lift"), line.get("drop")):
            lines.append(line | {"t": round(line["t"] + later, 3)})
    told = Script(rng, begun(0))
    told.lines, told.game, told.t = lines[:-1], acted.game, lines[-1]["t"]
    told.replay()


@seeds
def test_games_against_a_computer(seed: int) -> None:
    rng = chance("computer", seed)
    told = script(rng)
    computer = rng.choice(list(Side))
    told.lines[0]["opponent"] = computer.value
    for _ in range(6):
        moves = told.game.legal_moves()
        if not moves:
            break
        move = rng.choice([m for m in moves if m.captures] or moves)
        if told.game.side is computer:
            told.lines.append({"t": told.t, "opponent-move": f"{told.name(move.origin)}-{told.name(move.destination)}"})
            told.wait(0.2, 1.0)
            if rng.random() < 0.3:
                told.say(restart=True)
                told.wait(0.2, 1.0)
        ends = told.game.outcome_of(move) is not None
        told.move(Move(move.origin, move.destination) if ends else move)
        told.wait(0.8, 1.2)
    told.replay_quietly()


@seeds
def test_larger_boards(seed: int) -> None:
    rng = chance("larger", seed)
    told = Script(rng, Game(book_named(rng.choice(["hnefatafl-11", "hnefatafl-13"]))))
    for _ in range(6):
        moves = [move for move in told.game.legal_moves() if not told.game.outcome_of(move)]
        told.move(rng.choice([m for m in moves if m.captures] or moves))
    told.replay_quietly()
