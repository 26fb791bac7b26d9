"""A thousand random games a book, forwards and back, compared whole at every step; and the mirrors of the board."""

import random

import pytest

from engine import BOOKS, Book, Game, Square, position_text
from engine.native import i64, vec
from engine.placing import set_up
from engine.position import RUNNING, Position
from engine.squares import mirrors
from engine.tables import CELL_MASK, CODE_MASK, KING, MOVE_SHIFT

GAMES = 1000
LONGEST = 200
"""Plies after which a random game is broken off; long enough for many to end by themselves on 9 x 9."""

State = tuple[list[int], list[int], int, int, int, int]


def state(position: Position) -> State:
    return (
        list(position.cells),
        list(position.slots),
        position.key,
        position.side,
        position.taken_count,
        position.ply,
    )


def a_move(position: Position, buffer: "vec[i64]", rng: random.Random) -> i64:
    """Draw a piece until it can move, then one of its moves; the side to move has a move."""
    defending = position.side != 1
    first, last = (position.defenders, position.slot_count) if defending else (1, position.defenders)
    while True:
        slot = rng.randrange(first - defending, last)
        cell = position.slots[0 if slot < first else slot]
        if cell and (end := position.generate_from(cell, buffer, 0)):
            return buffer[rng.randrange(end)]


@pytest.mark.parametrize("book", BOOKS.values(), ids=BOOKS)
def test_games_played_forwards_and_back_leave_no_difference(book: Book) -> None:
    rng = random.Random(20)
    position = Game(book).core
    position.reserve(LONGEST)
    buffer = position.buffer(1)
    start = state(position)
    ended = 0
    for _ in range(GAMES):
        past: list[State] = []
        while position.ended() == RUNNING and len(past) < LONGEST:
            past.append(state(position))
            position.make(a_move(position, buffer, rng))
        ended += len(past) < LONGEST
        while past:
            position.undo()
            assert state(position) == past.pop()
        assert state(position) == start
    assert ended


@pytest.mark.parametrize("book", BOOKS.values(), ids=BOOKS)
def test_the_key_and_the_slots_are_those_of_the_position_set_up_afresh(book: Book) -> None:
    rng = random.Random(21)
    position = Game(book).core
    position.reserve(LONGEST)
    buffer = position.buffer(1)
    seen: dict[int, tuple[list[int], int]] = {}
    while position.ended() == RUNNING and position.ply < LONGEST:
        position.make(a_move(position, buffer, rng))
        board = [cell for cell in position.slots if cell]
        codes = [position.cells[cell] & CODE_MASK for cell in board]
        if KING not in codes:
            break
        fresh = set_up(position.tables, board, codes, position.side)
        assert fresh.key == position.key
        assert 0 <= position.key < 1 << 62
        here = [cell & CODE_MASK for cell in position.cells], int(position.side)
        assert seen.setdefault(position.key, here) == here


@pytest.mark.parametrize("book", BOOKS.values(), ids=BOOKS)
def test_starts_are_the_same_in_every_mirror(book: Book) -> None:
    pieces = Game(book).pieces
    for mirror in mirrors(book.size):
        assert {mirror[square]: piece for square, piece in pieces.items()} == pieces


def test_the_mirrors_of_a_board_are_eight_different_ones() -> None:
    for size in (7, 9, 19):
        tables = mirrors(size)
        assert len(set(tables)) == 8
        assert all(sorted(table) == list(range(size * size)) for table in tables)
        assert tables[0] == tuple(range(size * size))


@pytest.mark.parametrize("book", BOOKS.values(), ids=BOOKS)
def test_a_mirrored_game_is_the_same_game(book: Book) -> None:
    rng = random.Random(22)
    for mirror in mirrors(book.size)[1:]:
        game, twin = Game(book), Game(book)
        for _ in range(25):
            if game.result is not None:
                break
            moves = {
                (mirror[m.origin], mirror[m.destination]): tuple(sorted(mirror[square] for square in m.captures))
                for m in game.legal_moves()
            }
            assert moves == {(m.origin, m.destination): m.captures for m in twin.legal_moves()}
            move = rng.choice(game.legal_moves())
            ply = game.play(move)
            mirrored = twin.play((mirror[move.origin], mirror[move.destination]))
            assert mirrored.announcements == ply.announcements
            assert twin.result == game.result
        pieces = {Square(mirror[square]): piece for square, piece in game.pieces.items()}
        assert twin.position == position_text(pieces, book.size)


def test_moves_are_packed_as_two_cells() -> None:
    game = Game(BOOKS["tablut-edge"])
    buffer = game.core.buffer(1)
    end = game.core.generate(game.core.side, buffer, 0)
    squares = game.tables.squares
    packed = [(squares[buffer[n] >> MOVE_SHIFT], squares[buffer[n] & CELL_MASK]) for n in range(end)]
    assert packed == [(move.origin, move.destination) for move in game.legal_moves()]


def test_the_path_grows_as_far_as_is_asked() -> None:
    position = Game(BOOKS["tablut-corner"]).core
    rng, buffer = random.Random(23), position.buffer(1)
    before = state(position)
    for _ in range(200):
        position.reserve(1)
        position.make(a_move(position, buffer, rng))
        if position.ended() != RUNNING:
            position.undo()
    copy = position.copy()
    while copy.ply:
        copy.undo()
    assert state(copy) == before
    assert position.ply > 100
