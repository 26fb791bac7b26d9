"""Positions in which a kind of situation arises, found by chance and checked by the engine. Seeded; no I/O."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from engine import Book, EngineError, Game, Move, Piece, Side, Square, book_named, position_text

EDGE, CORNER = book_named("tablut-edge"), book_named("tablut-corner")
TRIES = 3_000
STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))


class NothingFoundError(LookupError):
    """Chance did not bring about what was looked for."""


def chosen_book(rng: random.Random) -> Book:
    """Choose one of the two 9x9 books."""
    return rng.choice((EDGE, CORNER))


def quiet(game: Game, move: Move) -> bool:
    """Whether a move takes nothing and ends nothing."""
    return not move.captures and game.outcome_of(move) is None


def played(rng: random.Random, plies: int, book: Book | None = None) -> Game:
    """Play random plies from the start, ending nothing."""
    game = Game(book or chosen_book(rng))
    for _ in range(plies):
        moves = game.legal_moves()
        move = next((move for move in rng.sample(moves, len(moves)) if game.outcome_of(move) is None), None)
        if move is None:
            break
        game.play(move)
    return game


def middle(rng: random.Random, book: Book | None = None) -> Game:
    """Give a game that begins in the middle of a random one; it has no history."""
    game = played(rng, rng.randint(0, 40), book)
    return Game(game.book, position=game.position, side=game.side)


def capturing(rng: random.Random, victims: int, book: Book | None = None) -> tuple[Game, Move]:
    """Give a game, and a move of it that takes so many soldiers and ends nothing."""
    book = book or chosen_book(rng)
    for _ in range(TRIES):
        pieces, origin, destination, taken = _ambush(rng, book, victims)
        if pieces[origin] is Piece.KING:
            continue
        _scatter(rng, book, pieces, _between(origin, destination, book.size) | {destination})
        try:
            game = Game(book, position=position_text(pieces, book.size), side=pieces[origin].side)
        except EngineError:
            continue
        move = game.find(origin, destination)
        if move and set(move.captures) == taken and game.outcome_of(move) is None:
            return game, move
    raise NothingFoundError(f"no move that takes {victims}")


def _ambush(rng: random.Random, book: Book, victims: int) -> tuple[dict[Square, Piece], Square, Square, set[Square]]:
    """Place a mover, its victims around its destination, and the pieces beyond them."""
    size = book.size
    side = rng.choice((Piece.ATTACKER, Piece.DEFENDER))
    enemy = Piece.DEFENDER if side is Piece.ATTACKER else Piece.ATTACKER
    while True:
        file, rank = rng.randrange(size), rng.randrange(size)
        steps = rng.sample(STEPS, len(STEPS))
        reach = rng.randint(1, 6)
        squares = [(file + reach * steps[0][0], rank + reach * steps[0][1])]
        for step in steps[1 : victims + 1]:
            squares += [(file + step[0], rank + step[1]), (file + 2 * step[0], rank + 2 * step[1])]
        if all(0 <= f < size and 0 <= r < size for f, r in squares):
            break
    placed = [Square(r * size + f) for f, r in squares]
    pieces = {placed[0]: side}
    taken = set(placed[1::2])
    pieces.update(dict.fromkeys(taken, enemy))
    pieces.update(dict.fromkeys(placed[2::2], side))
    return pieces, placed[0], Square(rank * size + file), taken


def _scatter(rng: random.Random, book: Book, pieces: dict[Square, Piece], free: Iterable[Square]) -> None:
    """Add a king and more soldiers, somewhere else."""
    special = {book.throne, *book.corners}
    places = [
        Square(square)
        for square in range(book.size**2)
        if square not in pieces and square not in set(free) and square not in special
    ]
    rng.shuffle(places)
    king = book.throne if rng.random() < 0.5 and book.throne not in pieces else places.pop()
    pieces[king] = Piece.KING
    for piece, most in ((Piece.ATTACKER, 10), (Piece.DEFENDER, 6)):
        for _ in range(rng.randint(most // 3, most)):
            pieces[places.pop()] = piece


def line_between(origin: Square, destination: Square, size: int) -> Sequence[Square]:
    """Give the squares that a piece passes, in its order, both ends left out."""
    distance = max(abs(origin % size - destination % size), abs(origin // size - destination // size))
    step = (destination - origin) // distance
    return [Square(origin + n * step) for n in range(1, distance)]


def _between(origin: Square, destination: Square, size: int) -> set[Square]:
    return set(line_between(origin, destination, size))


def direction(move: Move, size: int) -> tuple[int, int]:
    """Give the direction of a move."""
    files, ranks = move.destination % size - move.origin % size, move.destination // size - move.origin // size
    return (files > 0) - (files < 0), (ranks > 0) - (ranks < 0)


def length(move: Move, size: int) -> int:
    """Give how many squares a move goes."""
    return len(line_between(move.origin, move.destination, size)) + 1


def may_go_on(game: Game, move: Move) -> bool:
    """Whether a farther stop lies in the direction of a move."""
    size = game.size
    return any(
        other.origin == move.origin
        and direction(other, size) == direction(move, size)
        and length(other, size) > length(move, size)
        for other in game.legal_moves()
    )


def stops(game: Game, move: Move) -> list[Move]:
    """Give the moves that end on the way of a move."""
    passed = line_between(move.origin, move.destination, game.size)
    found = (game.find(move.origin, square) for square in passed)
    return [stop for stop in found if stop is not None]


def refusal(game: Game, origin: Square, destination: Square) -> str | None:
    """Say in the contract's word why a soldier or king may not go there, found without the engine's own answer."""
    piece, size = game.pieces[origin], game.size
    if game.find(origin, destination):
        return None
    if piece.side is not game.side:
        return "not-your-turn"
    if origin % size != destination % size and origin // size != destination // size:
        return "diagonal"
    throne = game.book.throne
    for square in line_between(origin, destination, size):
        if square in game.occupied or (square == throne and piece not in game.book.throne_crosses):
            return "blocked"
    if destination in game.occupied:
        return "occupied"
    return "king-may-not-return" if piece is Piece.KING else "forbidden-square"


def soldiers(game: Game, side: Side) -> list[Square]:
    """Give the squares of a side's pieces, the king's included."""
    return sorted(square for square, piece in game.pieces.items() if piece.side is side)


def empty(game: Game) -> list[Square]:
    """Give the squares on which nothing stands."""
    return [Square(square) for square in range(game.size**2) if square not in game.occupied]


def begun(seed: int) -> Game:
    """Begin a game: from a start, in the middle, or where much can be taken."""
    rng = random.Random(seed)
    if seed % 3 == 0:
        return Game(middle(rng).book)
    if seed % 3 == 1:
        return middle(rng)
    try:
        return capturing(rng, rng.randint(1, 3))[0]
    except NothingFoundError:
        return middle(rng)
