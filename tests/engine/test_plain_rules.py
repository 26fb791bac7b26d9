"""The core against a second reading of the rules: random games of all books, and of house rules, come out alike."""

import random
from dataclasses import replace

import pytest

from engine import BOOKS, Game, Move, Outcome, Piece, Reason, Side, Square, position_text
from engine.books import KingArms, KingCapture, NoLegalMove, Repetition, Shieldwall
from engine.questions import endangered, escape_squares, king_takers, risky, threats
from tests.engine.plain_rules import Board, Past, Plain, Point, beside

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
    "brandubh, shieldwalls, exit forts, whoever repeats wins": replace(
        BOOKS["brandubh"],
        shieldwall=Shieldwall.WITHOUT_CORNERS,
        exit_fort=True,
        repetition=Repetition.WINS,
    ),
    "edge, shieldwalls, encirclement, an unarmed king": replace(
        EDGE, shieldwall=Shieldwall.WITH_CORNERS, encirclement=True, king_arms=KingArms.UNARMED
    ),
    "ashton, camps hostile to defenders only": replace(
        BOOKS["ashton"], camp_hostile=frozenset({Piece.DEFENDER}), repetition=Repetition.IGNORED
    ),
    "corner, two camps side by side, cannot move is a draw": replace(
        CORNER,
        camps=frozenset(map(Square, (2, 3, 11, 30, 31, 77))),
        camp_hostile=frozenset(Piece),
        camp_moves=frozenset({Piece.ATTACKER, Piece.DEFENDER}),
        no_legal_move=NoLegalMove.DRAWS,
    ),
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
        past = Past()
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
            expected = plain.result(after, past.add(side, squares, after), side.other)
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
            assert list(ply.announcements) == plain.announced(after, past, side)
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
        if piece not in plain.book.camp_moves:
            may_stand[piece] = may_stand[piece] - plain.camps
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
            stuck = None if book.no_legal_move is NoLegalMove.DRAWS else side.other
            assert game.result == (None if plain.moves(board, side) else Outcome(stuck, Reason.NO_LEGAL_MOVES))
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
                assert (outcome and (outcome.winner, outcome.reason)) == plain.result(
                    after, Past().add(side, squares, after), side.other
                )
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
