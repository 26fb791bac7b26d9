"""The core against a second, slow reading of docs/rules.md, written here for comparison and for nothing else.

It works on squares as (file, rank) and on the whole board at once, and shares nothing with the core: neither masks
nor borders nor generated moves. Random games of all four books, and of house rules made of them, must come out alike.
"""

import random
from dataclasses import replace

import pytest

from engine import BOOKS, Announcement, Book, Game, Move, Outcome, Piece, Reason, Side, Square, position_text
from engine.books import Goal, KingArms, KingCapture, Repetition
from engine.questions import endangered, escape_squares, king_takers, risky, threats

Point = tuple[int, int]
Board = dict[Point, Piece]
DIRECTIONS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def beside(point: Point) -> list[Point]:
    return [(point[0] + x, point[1] + y) for x, y in DIRECTIONS]


class Plain:
    """The rules of a book, read again."""

    def __init__(self, book: Book) -> None:
        self.book = book
        last, middle = book.size - 1, book.size // 2
        self.inside = {(x, y) for x in range(book.size) for y in range(book.size)}
        self.throne = (middle, middle)
        self.corners = {(0, 0), (0, last), (last, 0), (last, last)}
        edge = {(x, y) for x, y in self.inside if x in (0, last) or y in (0, last)}
        self.goals = edge if book.goal is Goal.EDGE else self.corners

    def slides(self, board: Board, origin: Point) -> set[Point]:
        """Common 1, edge 2, corner 2."""
        piece, found = board[origin], set()
        for x, y in DIRECTIONS:
            point = origin
            while True:
                point = (point[0] + x, point[1] + y)
                if point not in self.inside or point in board:
                    break
                if point == self.throne:
                    if piece in self.book.throne_stops and self.book.throne_return:
                        found.add(point)
                    if piece not in self.book.throne_crosses:
                        break
                elif point not in self.corners or piece in self.book.corner_stops:
                    found.add(point)
        return found

    def hostile(self, board: Board, point: Point, victim: Piece) -> bool:
        """Common 3 and 4, edge 3, corner 3: does this square close a sandwich on the victim?"""
        standing = board.get(point)
        if standing is not None and standing.side is not victim.side:
            anvil = self.book.king_arms in (KingArms.ARMED, KingArms.ANVIL)
            if standing is not Piece.KING or anvil:
                return True
        if point == self.throne:
            empty, held = self.book.throne_hostile_empty, self.book.throne_hostile_occupied
            if victim in (empty if standing is None else held):
                return True
            if self.book.fourth_side and victim is Piece.DEFENDER and standing is Piece.KING:
                return sum(board.get(side) is Piece.ATTACKER for side in beside(self.throne)) == 3
        return point in self.corners and standing is None and victim in self.book.corner_hostile

    def king_falls(self, board: Board, king: Point, mover: Point) -> bool:
        """Edge 4, corner 4: the mover is beside him."""
        closed = [self.hostile(board, side, Piece.KING) for side in beside(king)]
        near = self.throne == king or self.throne in beside(king)
        kind = self.book.king_capture
        if kind is KingCapture.SURROUNDED:
            return all(shut or side not in self.inside for shut, side in zip(closed, beside(king), strict=True))
        if kind is KingCapture.FOUR or (kind is KingCapture.NEAR_THRONE and near):
            return all(closed)
        opposite = (2 * king[0] - mover[0], 2 * king[1] - mover[1])
        return self.hostile(board, opposite, Piece.KING)

    def after(self, board: Board, origin: Point, destination: Point) -> tuple[Board, set[Point]]:
        """Common 2 and 3: the board after a move, and what it took."""
        moved = dict(board)
        piece = moved[destination] = moved.pop(origin)
        taken: set[Point] = set()
        if piece is Piece.KING and self.book.king_arms not in (KingArms.ARMED, KingArms.HAMMER):
            return moved, taken
        for side in beside(destination):
            victim = moved.get(side)
            if victim is None or victim.side is piece.side:
                continue
            far = (2 * side[0] - destination[0], 2 * side[1] - destination[1])
            if victim is Piece.KING:
                falls = self.king_falls(moved, side, destination)
            else:
                falls = self.hostile(moved, far, victim)
            if falls:
                taken.add(side)
        return {point: piece for point, piece in moved.items() if point not in taken}, taken

    def moves(self, board: Board, side: Side) -> dict[tuple[Point, Point], set[Point]]:
        return {
            (origin, destination): self.after(board, origin, destination)[1]
            for origin, piece in board.items()
            if piece.side is side
            for destination in self.slides(board, origin)
        }

    def king(self, board: Board) -> Point | None:
        return next((point for point, piece in board.items() if piece is Piece.KING), None)

    def king_takers(self, board: Board) -> set[tuple[Point, Point]]:
        return {move for move, taken in self.moves(board, Side.ATTACKERS).items() if self.king(board) in taken}

    def taken_next(self, board: Board, by: Side) -> set[Point]:
        return set().union(*self.moves(board, by).values())

    def result(self, board: Board, own_moves: list[tuple[Point, Point]], to_move: Side) -> tuple[Side, Reason] | None:
        """Common 5 and 6, edge 6."""
        king = self.king(board)
        if king is None:
            return Side.ATTACKERS, Reason.KING_CAPTURED
        if king in self.goals:
            return Side.DEFENDERS, Reason.KING_ESCAPED
        if self.book.repetition is Repetition.THREE_MOVES and len(own_moves) >= 5:
            a, b, c, d, e = own_moves[-5:]
            if a == c == e and b == d == (a[1], a[0]):
                return to_move, Reason.THREE_MOVES
        if not self.moves(board, to_move):
            return to_move.other, Reason.NO_LEGAL_MOVES
        return None

    def announced(self, board: Board, own_moves: list[tuple[Point, Point]], mover: Side) -> list[Announcement]:
        """Corner 7, edge 6."""
        said = []
        king = self.king(board)
        assert king is not None
        ways = len(self.slides(board, king) & self.goals)
        if ways:
            said.append(Announcement.RAICHI if ways == 1 else Announcement.TUICHI)
        if mover is Side.ATTACKERS and self.king_takers(board):
            said.append(Announcement.KING_IN_DANGER)
        if self.book.repetition is Repetition.THREE_MOVES and len(own_moves) >= 3:
            a, b, c = own_moves[-3:]
            if a == c and b == (a[1], a[0]):
                said.append(Announcement.REPETITION_WARNING)
        return said


EDGE, CORNER = BOOKS["tablut-edge"], BOOKS["tablut-corner"]
HOUSE_RULES = {
    **BOOKS,
    "edge, unarmed king": replace(EDGE, king_arms=KingArms.UNARMED),
    "edge, king as an anvil": replace(EDGE, king_arms=KingArms.ANVIL),
    "edge, king as a hammer, to and fro as one likes": replace(
        EDGE, king_arms=KingArms.HAMMER, repetition=Repetition.IGNORED
    ),
    "edge, no fourth side, king taken by four": replace(EDGE, fourth_side=False, king_capture=KingCapture.FOUR),
    "edge, an ordinary throne, king taken by two": replace(
        EDGE,
        throne_stops=frozenset(Piece),
        throne_crosses=frozenset(Piece),
        throne_return=True,
        throne_hostile_empty=frozenset(),
        throne_hostile_occupied=frozenset(),
        fourth_side=False,
        king_capture=KingCapture.TWO,
    ),
    "edge, a throne for all that is hostile to all": replace(
        EDGE, throne_stops=frozenset(Piece), throne_return=True, throne_hostile_occupied=frozenset(Piece)
    ),
    "edge, hostile corners": replace(EDGE, corner_hostile=frozenset(Piece)),
    "corner, three moves, throne hostile": replace(
        CORNER, repetition=Repetition.THREE_MOVES, throne_hostile_empty=frozenset(Piece)
    ),
    "corner, no way back to the throne": replace(CORNER, throne_return=False),
}


def point(square: Square, size: int) -> Point:
    return square % size, square // size


def board_of(game: Game) -> Board:
    return {point(square, game.size): piece for square, piece in game.pieces.items()}


def pick(game: Game, rng: random.Random) -> Move:
    """Prefer captures and going back, so that rare things happen."""
    moves = game.legal_moves()
    taking = [move for move in moves if move.captures]
    if taking and rng.random() < 0.5:
        return rng.choice(taking)
    if len(game.plies) >= 2 and rng.random() < 0.3:
        last = game.plies[-2].move
        if back := game.find(last.destination, last.origin):
            return back
    return rng.choice(moves)


@pytest.mark.parametrize("name", HOUSE_RULES)
def test_random_games_come_out_alike(name: str) -> None:
    book = HOUSE_RULES[name]
    plain, size, rng = Plain(book), book.size, random.Random(name)
    for _ in range(2 if size == 9 else 1):
        game = Game(book)
        own: dict[Side, list[tuple[Point, Point]]] = {side: [] for side in Side}
        for _ in range(50):
            board, side = board_of(game), game.side
            mine = {
                (point(m.origin, size), point(m.destination, size)): {point(c, size) for c in m.captures}
                for m in game.legal_moves()
            }
            assert mine == plain.moves(board, side)
            move = pick(game, rng)
            squares = point(move.origin, size), point(move.destination, size)
            after, _ = plain.after(board, *squares)
            own[side].append(squares)
            expected = plain.result(after, own[side], side.other)
            foreseen = game.outcome_of(move)
            if expected is None:
                assert risky(game, move) == (squares[1] in plain.taken_next(after, side.other))
            ply = game.play(move)
            assert board_of(game) == after
            assert game.result == foreseen
            assert (game.result and (game.result.winner, game.result.reason)) == expected
            if expected is not None:
                assert ply.announcements == ()
                break
            assert list(ply.announcements) == plain.announced(after, own[side], side)
            check_questions(game, plain, after)


def crowded(plain: Plain, rng: random.Random) -> Board:
    """Put a king down with few pieces, most of them near him, so that rare things are common."""
    may_stand = {
        Piece.ATTACKER: plain.inside,
        Piece.DEFENDER: plain.inside,
        Piece.KING: plain.inside - plain.goals,
    }
    for piece in Piece:
        if piece not in plain.book.throne_stops:
            may_stand[piece] = may_stand[piece] - {plain.throne}
        if piece not in plain.book.corner_stops:
            may_stand[piece] = may_stand[piece] - plain.corners
    near_throne = [plain.throne, *beside(plain.throne)]
    king = rng.choice(near_throne if rng.random() < 0.5 else sorted(may_stand[Piece.KING]))
    if king not in may_stand[Piece.KING]:
        king = plain.throne
    board = {king: Piece.KING}
    if rng.random() < 0.6:
        for side in beside(king):
            if side in may_stand[Piece.ATTACKER] and rng.random() < 0.6:
                board[side] = Piece.ATTACKER
    around = [(x, y) for x, y in sorted(plain.inside) if abs(x - king[0]) <= 2 and abs(y - king[1]) <= 2]
    for _ in range(rng.randint(3, 14)):
        piece = rng.choice([Piece.ATTACKER, Piece.ATTACKER, Piece.DEFENDER])
        place = rng.choice(around if rng.random() < 0.6 else sorted(plain.inside))
        if place in may_stand[piece]:
            board.setdefault(place, piece)
    return board


@pytest.mark.parametrize("name", HOUSE_RULES)
def test_crowded_positions_come_out_alike(name: str) -> None:
    book = HOUSE_RULES[name]
    plain, size, rng = Plain(book), book.size, random.Random(name)
    falls = 0
    for _ in range(40):
        board = crowded(plain, rng)
        text = position_text({Square(y * size + x): piece for (x, y), piece in board.items()}, size)
        for side in Side:
            game = Game(book, position=text, side=side)
            assert board_of(game) == board
            assert game.result == (None if plain.moves(board, side) else Outcome(side.other, Reason.NO_LEGAL_MOVES))
            check_questions(game, plain, board)
            mine = {
                (point(m.origin, size), point(m.destination, size)): {point(c, size) for c in m.captures}
                for m in game.legal_moves()
            }
            assert mine == plain.moves(board, side)
            for move in game.legal_moves():
                squares = point(move.origin, size), point(move.destination, size)
                after, _ = plain.after(board, *squares)
                outcome = game.outcome_of(move)
                assert (outcome and (outcome.winner, outcome.reason)) == plain.result(after, [squares], side.other)
                falls += outcome is not None and outcome.reason is Reason.KING_CAPTURED
            assert board_of(game) == board
    assert falls, "no king fell: the positions are too tame to show anything"


def check_questions(game: Game, plain: Plain, board: Board) -> None:
    size, king = game.size, plain.king(board)
    assert king is not None
    if game.result is not None:
        return
    assert {point(square, size) for square in escape_squares(game)} == plain.slides(board, king) & plain.goals
    takers = {(point(a, size), point(b, size)) for a, b in king_takers(game)}
    assert takers == plain.king_takers(board)
    assert {point(square, size) for square in threats(game)} == {square for move in takers for square in move}
    for side in Side:
        assert {point(square, size) for square in endangered(game, side)} == {
            place for place in plain.taken_next(board, side.other) if board[place].side is side
        }
