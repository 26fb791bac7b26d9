"""The kinds of rule that only the further books have (docs/rules.md, "Further books"): single cases, and formations."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from engine import (
    BOOKS,
    Announcement,
    Book,
    Game,
    IllegalMove,
    Outcome,
    Piece,
    PositionError,
    Reason,
    Refusal,
    RulesError,
    Side,
    Square,
    parse_move,
    parse_square,
    position_text,
    square_name,
)
from engine.books import KingArms, Repetition, Shieldwall
from engine.questions import king_takers
from engine.tables import MOST_CAMPS, SLOT_SHIFT, tables_of
from tests.engine.plain_rules import Board, Past, Plain, beside

RAICHI, TUICHI, DANGER = Announcement.RAICHI, Announcement.TUICHI, Announcement.KING_IN_DANGER
WARNING = Announcement.REPETITION_WARNING
KING_CAPTURED = Outcome(Side.ATTACKERS, Reason.KING_CAPTURED)
ENCIRCLED = Outcome(Side.ATTACKERS, Reason.ENCIRCLED)
EXIT_FORT = Outcome(Side.DEFENDERS, Reason.EXIT_FORT)
COPENHAGEN, ASHTON = BOOKS["copenhagen"], BOOKS["ashton"]


@dataclass(frozen=True, slots=True)
class Case:
    book: str
    position: str
    move: str
    captures: tuple[str, ...] = ()
    result: Outcome | None = None


CASES = {
    "shieldwall closed from the flank": Case(
        "copenhagen", "/11/11/10t/Tt9/Tt9/t10/11/5K5/11/11/11/", "k3-a3", ("a4", "a5")
    ),
    "shieldwall closed by the corner": Case(
        "copenhagen", "/11/Tt9/Tt9/10t/11/5K5/11/11/11/11/11/", "k4-a4", ("a2", "a3")
    ),
    "a king in the row stays": Case("copenhagen", "/11/Kt9/Tt9/10t/11/5T5/11/11/11/11/11/", "k4-a4", ("a3",)),
    "exit fort": Case("copenhagen", "/5K1T3/4T2T3/3T1TT4/11/11/11/11/11/11/11/t9t/", "d3-d1", result=EXIT_FORT),
    "encirclement": Case("copenhagen", "/11/11/5t5/11/4t1t4/3t1K1t3/4t1t4/5t5/11/11/11/", "f3-f4", result=ENCIRCLED),
    "no encirclement in this book": Case("linnaean", "/9/4t4/9/3t1t3/2t1K1t2/3t1t3/4t4/9/9/", "e2-e3"),
    "three and the throne on seven by seven": Case(
        "brandubh", "/2T4/4t1T/T3t1t/1t2Kt1/7/7/1t2t2/", "e7-e5", ("e4",), KING_CAPTURED
    ),
    # and what decides on either side of them
    "the front is not faced whole": Case("copenhagen", "/11/11/10t/Tt9/T10/t10/11/5K5/11/11/11/", "k3-a3"),
    "the far end is open": Case("copenhagen", "/11/11/10t/Tt9/Tt9/11/11/5K5/11/11/11/", "k3-a3"),
    "the move must come to the flank": Case("copenhagen", "/11/11/t10/T9t/Tt9/t10/11/5K5/11/11/11/", "k4-b4"),
    "one is no row": Case("copenhagen", "/11/11/10t/Tt9/T10/11/11/5K5/11/11/11/", "k3-a3"),
    "defenders wall attackers in": Case(
        "copenhagen", "/11/10t/T10/tT9/tT9/10T/11/5K5/11/11/11/", "k6-a6", ("a4", "a5")
    ),
    "the king closes": Case("copenhagen", "/11/10t/11/11/11/11/T10/tT9/tT9/6K4/11/", "g10-a10", ("a8", "a9")),
    "the king faces": Case("copenhagen", "/11/10t/11/11/11/11/T10/tK9/tT9/6T4/11/", "g10-a10", ("a8", "a9")),
    "two rows by one move": Case(
        "copenhagen", "/11/Tt9/Tt9/10t/Tt9/Tt9/t10/5K5/11/11/11/", "k4-a4", ("a2", "a3", "a5", "a6")
    ),
    "along the upper edge": Case("copenhagen", "/11/11/11/11/11/5K5/11/11/4t6/5tt4/5TTt3/", "e9-e11", ("f11", "g11")),
    "a soldier beside the corner": Case("copenhagen", "/11/T10/10t/11/11/5K5/11/11/11/11/11/", "k3-a3", ("a2",)),
    "a fort whose king cannot move": Case("copenhagen", "/4TKT4/5T4T/11/11/11/11/11/11/11/11/1t9/", "k2-k3"),
    "a fort that can be broken": Case("copenhagen", "/5K1T3/4T2T3/3T1T5/11/11/11/11/11/11/11/1t9/", "d3-d1"),
    "an enemy in the fort": Case("copenhagen", "/5Kt1T2/4T3T2/3T1TTT3/11/11/11/11/11/11/11/1t9/", "d3-d1"),
    "a ring that can be broken from within": Case(
        "copenhagen", "/11/11/5t5/11/4ttt4/3t1K1t3/4t1t4/3t1T1t3/4t1t4/5t5/11/", "f3-f4"
    ),
    "a defender outside the ring": Case("copenhagen", "/11/11/5t5/11/4t1t4/3t1K1t3/4t1t4/5t5/11/11/1T9/", "f3-f4"),
    "the ring leans on the edge": Case("copenhagen", "/2t1t6/2tKt5t/3t7/11/11/11/11/11/11/11/11/", "k2-k3"),
    "a throne is hostile though the king stands on it": Case(
        "ashton", "/9/9/9/3T5/3TKT3/4T4/9/9/4t4/", "e9-e7", ("e6",)
    ),
    "an unarmed king closes nothing": Case("sea-battle", "/9/9/2T6/2t6/2K6/9/9/9/8t/", "c3-c2"),
    "taken like a soldier on his throne": Case(
        "sea-battle", "/9/9/9/9/3tK4/9/5t3/9/9/", "f7-f5", ("e5",), KING_CAPTURED
    ),
    "anyone stops on the throne": Case("sea-battle", "/9/9/9/9/t8/9/9/2K6/9/", "a5-e5"),
    "a corner stands for an attacker in brandubh": Case(
        "brandubh", "/1K5/7/2t4/7/7/7/3t3/", "c3-c1", ("b1",), KING_CAPTURED
    ),
    "a corner does not in copenhagen": Case("copenhagen", "/1K9/1t9/2t8/11/11/11/11/11/11/11/11/", "c3-c1"),
    "a defender against a camp": Case("ashton", "/9/9/4T4/3t5/9/9/1K7/9/9/", "d4-e4", ("e3",)),
    "an attacker against a camp held by his own": Case("ashton", "/9/4t4/4t4/3T5/9/9/1K7/9/9/", "d4-e4", ("e3",)),
    "not against his own camp": Case("ashton", "/4t4/4t4/3T5/9/9/9/1K7/9/9/", "d3-e3"),
    "the king against a camp": Case("ashton", "/9/9/4K4/3t5/9/9/9/9/9/", "d4-e4", ("e3",), KING_CAPTURED),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_case(case: Case) -> None:
    book = BOOKS[case.book]
    origin, destination, _ = parse_move(case.move, book.size)
    side = Game(book, position=case.position).pieces[origin].side
    game = Game(book, position=case.position, side=side)
    move = game.find(origin, destination)
    assert move is not None
    assert (game.outcome_of(move), game.wins(move)) == (case.result, case.result and case.result.winner)
    played = game.play(move).move
    assert tuple(square_name(square, book.size) for square in played.captures) == case.captures
    assert game.result == case.result
    game.undo()
    assert game.position == case.position


def over(game: Game) -> Outcome | None:
    """Ask anew; a type checker would remember the last answer."""
    return game.result


class TestCamps:
    """Further 1."""

    @pytest.mark.parametrize(
        ("position", "move", "refusal"),
        [
            ("/3ttt3/9/9/9/1K7/9/9/9/9/", "d1-d8", None),
            ("/3ttt3/9/9/9/1K7/9/9/9/9/", "d1-d9", Refusal.FORBIDDEN_SQUARE),
            ("/3ttt3/9/9/9/1K7/9/9/9/9/", "e1-e2", None),
            ("/3ttt3/9/9/9/1K7/9/9/9/9/", "e1-e8", Refusal.BLOCKED),
            ("/3t5/9/9/9/1K7/9/9/9/9/", "d1-f1", None),
            ("/3t5/9/9/9/1K7/9/9/9/9/", "d1-h1", None),
            ("/2t6/9/9/9/1K7/9/9/9/9/", "c1-d1", Refusal.FORBIDDEN_SQUARE),
            ("/2t6/9/9/9/1K7/9/9/9/9/", "c1-h1", Refusal.BLOCKED),
            ("/9/9/4t4/9/1K7/9/9/9/9/", "e3-e2", Refusal.FORBIDDEN_SQUARE),
            ("/9/9/4t4/9/1K7/9/9/9/9/", "e3-e5", Refusal.FORBIDDEN_SQUARE),
            ("/9/9/4t4/9/1K7/9/9/9/9/", "e3-e6", Refusal.BLOCKED),
        ],
    )
    def test_attackers(self, position: str, move: str, refusal: Refusal | None) -> None:
        position = position.replace("/1K7/", "/2K6/")
        self.check(Game(ASHTON, position=position, side=Side.ATTACKERS), move, refusal)

    @pytest.mark.parametrize(
        ("move", "refusal"),
        [
            ("c2-c1", None),
            ("c2-e2", Refusal.FORBIDDEN_SQUARE),
            ("c2-f2", Refusal.BLOCKED),
            ("g3-g1", None),
            ("g4-i4", Refusal.FORBIDDEN_SQUARE),
            ("g4-g5", None),
        ],
    )
    def test_defenders_and_their_king(self, move: str, refusal: Refusal | None) -> None:
        game = Game(ASHTON, position="/9/2T6/2T3K2/6T2/9/9/9/9/t8/", side=Side.DEFENDERS)
        self.check(game, move, refusal)

    def check(self, game: Game, move: str, refusal: Refusal | None) -> None:
        origin, destination, _ = parse_move(move, game.size)
        assert game.refusal(origin, destination) is refusal
        assert (game.find(origin, destination) is None) == (refusal is not None)
        if refusal:
            with pytest.raises(IllegalMove, match=refusal.value):
                game.play((origin, destination))

    def test_a_king_off_his_throne_is_told_so_only_of_the_throne(self) -> None:
        game = Game(ASHTON, position="/9/9/4K4/9/9/9/9/9/t8/", side=Side.DEFENDERS)
        self.check(game, "e3-e5", Refusal.KING_MAY_NOT_RETURN)
        self.check(game, "e3-e2", Refusal.FORBIDDEN_SQUARE)

    def test_the_edge_of_a_camp_is_no_goal(self) -> None:
        assert len(ASHTON.goals) == 32 - 12
        assert Game(ASHTON).result is None

    @pytest.mark.parametrize("piece", ["T", "K"])
    def test_only_attackers_are_found_in_one(self, piece: str) -> None:
        king = "" if piece == "K" else "1K7"
        with pytest.raises(PositionError, match=f"found {piece} on e2, .* may not stop on a camp's square"):
            Game(ASHTON, position=f"/9/4{piece}4/{king or 9}/9/9/9/9/9/t8/")
        Game(ASHTON, position="/9/4t4/1K7/9/9/9/9/9/9/")

    def test_whoever_could_take_the_king_from_a_camp(self) -> None:
        # e2 is reached from e1 and d2 crosses no camp; f1 would have to leave its camp and enter it again
        game = Game(ASHTON, position="/4t4/9/4K4/4t4/9/9/9/9/9/", side=Side.DEFENDERS)
        assert [(square_name(a, 9), square_name(b, 9)) for a, b in king_takers(game)] == [("e1", "e2")]

    def test_more_camps_than_there_are_codes_for(self) -> None:
        apart = [Square(n) for n in range(1, 81, 2) if n != 40]
        most = replace(ASHTON, camps=frozenset(apart[:MOST_CAMPS]))
        assert max(tables_of(most).floor) < 1 << SLOT_SHIFT
        with pytest.raises(RulesError, match=f"found 11 camps apart from each other, expected {MOST_CAMPS} at most"):
            tables_of(replace(ASHTON, camps=frozenset(apart[: MOST_CAMPS + 1])))


class TestRepetition:
    """Further 5."""

    def play(self, game: Game, moves: str) -> list[tuple[Announcement, ...]]:
        said = []
        for text in moves.split():
            origin, destination, _ = parse_move(text, game.size)
            said.append(game.play((origin, destination)).announcements)
        return said

    def test_the_start_does_not_count_and_the_maker_loses(self) -> None:
        game = Game(BOOKS["brandubh"])
        self.play(game, "d6-f6 d5-f5 f6-d6 f5-d5 " * 2)
        assert over(game) is None
        (origin, destination, _) = parse_move("d6-f6", 7)
        move = game.find(origin, destination)
        assert move is not None
        assert game.outcome_of(move) == Outcome(Side.DEFENDERS, Reason.REPETITION)
        assert game.wins(move) is None
        game.play(move)
        assert over(game) == Outcome(Side.DEFENDERS, Reason.REPETITION)
        game.undo()
        assert over(game) is None
        self.play(game, "d7-c7")
        assert over(game) is None

    def test_whoever_comes_near_is_warned(self) -> None:
        game = Game(BOOKS["brandubh"])
        said = self.play(game, "d6-f6 d5-f5 f6-d6 f5-d5 d6-f6 d5-f5")
        assert [WARNING in words for words in said] == [False, False, False, False, True, True]

    def test_a_draw_at_the_third(self) -> None:
        game = Game(BOOKS["linnaean"])
        self.play(game, "d1-d2 c5-c4 d2-d1 c4-c5 " * 2 + "d1-d2")
        assert over(game) == Outcome(None, Reason.REPETITION)
        assert game.plies[-1].announcements == ()

    def test_a_draw_at_the_second(self) -> None:
        game = Game(ASHTON)
        said = self.play(game, "e4-f4 d1-c1 f4-e4 c1-b1 e4-f4")
        assert over(game) is None
        assert WARNING not in {word for words in said for word in words}
        self.play(game, "b1-c1")
        assert over(game) == Outcome(None, Reason.REPETITION)

    def test_the_maker_wins(self) -> None:
        game = Game(replace(BOOKS["brandubh"], repetition=Repetition.WINS))
        self.play(game, "d6-f6 d5-f5 f6-d6 f5-d5 " * 2 + "d6-f6")
        assert over(game) == Outcome(Side.ATTACKERS, Reason.REPETITION)

    def test_the_same_squares_with_the_other_side_to_move_are_another_position(self) -> None:
        game = Game(replace(BOOKS["brandubh"], repetition_count=2))
        self.play(game, "d6-e6 d5-e5 e6-f6 e5-d5 f6-d6 d5-f5")
        assert over(game) is None

    def test_a_given_position_does_not_count_either(self) -> None:
        game = Game(ASHTON, position="/9/9/2K6/9/9/9/9/9/t8/", side=Side.DEFENDERS)
        self.play(game, "c3-d3 a9-b9 d3-c3 b9-a9")
        assert over(game) is None
        self.play(game, "c3-d3")
        assert over(game) == Outcome(None, Reason.REPETITION)

    def test_a_capture_makes_it_new(self) -> None:
        game = Game(replace(ASHTON, repetition_count=2), position="/9/9/2t1T4/9/2K6/9/9/9/t8/", side=Side.DEFENDERS)
        self.play(game, "e3-e4 a9-b9 e4-e3 b9-a9")
        assert over(game) is None
        copy = game.copy()
        self.play(copy, "e3-e4")
        assert over(copy) == Outcome(None, Reason.REPETITION)


def test_no_legal_move_is_a_draw_for_linnaeus() -> None:
    stuck = "/tT7/T8/9/9/4K4/9/9/9/9/"
    assert Game(BOOKS["linnaean"], position=stuck).result == Outcome(None, Reason.NO_LEGAL_MOVES)
    assert Game(BOOKS["sea-battle"], position=stuck).result == Outcome(Side.DEFENDERS, Reason.NO_LEGAL_MOVES)


def test_formations_are_judged_after_a_move_only() -> None:
    ring = "/11/11/11/5t5/4t1t4/3t1K1t3/4t1t4/5t5/11/11/1t9/"
    for side in Side:
        assert Game(COPENHAGEN, position=ring, side=side).result is None
    game = Game(COPENHAGEN, position=ring, side=Side.DEFENDERS)
    game.play((parse_square("f6", 11), parse_square("f7", 11)))
    assert over(game) is None  # only the attackers' move shuts him in
    game.play((parse_square("b11", 11), parse_square("c11", 11)))
    assert over(game) == ENCIRCLED


def test_soldiers_may_be_given_where_they_may_not_stop() -> None:
    position = "/t10/11/11/11/11/5T5/11/11/1K9/11/11/"
    game = Game(COPENHAGEN, position=position, side=Side.DEFENDERS)
    middle = parse_square("f6", 11)
    assert {square_name(m.destination, 11) for m in game.legal_moves() if m.origin == middle} >= {"f7", "a6"}
    game.play((middle, parse_square("f7", 11)))
    game.play((parse_square("a1", 11), parse_square("a2", 11)))
    assert game.refusal(parse_square("f7", 11), middle) is Refusal.FORBIDDEN_SQUARE
    with pytest.raises(PositionError, match="may not stop on a corner"):
        Game(replace(COPENHAGEN, given_anywhere=False), position="/t10/11/11/11/11/5K5/11/11/11/11/11/")


WALLED = replace(
    BOOKS["brandubh"],
    shieldwall=Shieldwall.WITH_CORNERS,
    exit_fort=True,
    corner_hostile=COPENHAGEN.corner_hostile,
)
FORMATION_BOOKS = {
    "copenhagen on seven by seven": WALLED,
    "corners close no wall": replace(WALLED, shieldwall=Shieldwall.WITHOUT_CORNERS),
    "a throne hostile to nobody": replace(WALLED, throne_hostile_empty=frozenset(), king_arms=KingArms.UNARMED),
    "corners hostile to nobody": replace(WALLED, corner_hostile=frozenset()),
}


def boards(book: Book, rng: random.Random, count: int) -> Iterator[Board]:
    """Draw boards with a king, some room around him, maybe on an edge, and pieces of one colour around that room."""
    plain = Plain(book)
    places = sorted(plain.inside - plain.corners - {plain.throne})
    for _ in range(count):
        guard = rng.choice([Piece.ATTACKER, Piece.DEFENDER])
        on_edge = rng.random() < (0.2 if guard is Piece.ATTACKER else 0.8)
        king = rng.choice([place for place in places if (place in plain.edge) == on_edge])
        board = {king: Piece.KING}
        room = {king, *rng.sample(beside(king), rng.randint(0, 3))} - plain.edge if not on_edge else {king}
        if on_edge:
            room |= {rng.choice(beside(king))}
        gaps = rng.choice([0.0, 0.0, 0.1])
        for place in places:
            if place not in room and any(side in room for side in beside(place)) and rng.random() >= gaps:
                board[place] = guard
        stranger = rng.choice([guard, Piece.ATTACKER, Piece.DEFENDER])
        for place in rng.sample(places, rng.randint(2, 12)):
            if place not in room:
                board.setdefault(place, rng.choice([guard, stranger]))
        yield board


def walls(book: Book, rng: random.Random, count: int) -> Iterator[Board]:
    """Draw boards with a row on an edge, faced nearly whole, and pieces that may come to close it."""
    plain, last = Plain(book), book.size - 1
    for _ in range(count):
        row = rng.choice([Piece.ATTACKER, Piece.DEFENDER])
        front = Piece.DEFENDER if row is Piece.ATTACKER else Piece.ATTACKER
        first, length = rng.randint(1, 3), rng.randint(2, 3)
        line: Board = {}
        for file in range(first, first + length):
            line[file, 0] = row
            if rng.random() < 0.95:
                line[file, 1] = front
        if first > 1 and rng.random() < 0.8:
            line[first - 1, 0] = front
        flank = first + length
        if flank < last:
            line[flank, rng.randint(2, last)] = front
        for _ in range(4):
            place = rng.randint(1, last - 1), rng.randint(2, last - 1)
            if place != plain.throne:
                line.setdefault(place, rng.choice([row, front]))
        king = rng.choice([place for place, piece in line.items() if piece is Piece.DEFENDER] or [plain.throne])
        line[king] = Piece.KING
        flipped, turned = rng.random() < 0.5, rng.random() < 0.5
        board = {(last - x if flipped else x, y): piece for (x, y), piece in line.items()}
        yield {(last - y, x): piece for (x, y), piece in board.items()} if turned else board


@pytest.mark.parametrize("name", FORMATION_BOOKS)
def test_formations_come_out_alike(name: str) -> None:
    book, rng = FORMATION_BOOKS[name], random.Random(name)
    plain, without_walls, size = Plain(book), Plain(replace(book, shieldwall=Shieldwall.NONE)), book.size
    seen: Counter[object] = Counter()
    for board in (*boards(book, rng, 120), *walls(book, rng, 120)):
        text = position_text({Square(y * size + x): piece for (x, y), piece in board.items()}, size)
        for side in Side:
            game = Game(book, position=text, side=side)
            for move in game.legal_moves():
                origin = move.origin % size, move.origin // size
                destination = move.destination % size, move.destination // size
                after, taken = plain.after(board, origin, destination)
                assert {(square % size, square // size) for square in move.captures} == taken
                expected = plain.result(after, Past().add(side, (origin, destination), after), side.other)
                outcome = game.outcome_of(move)
                assert (outcome and (outcome.winner, outcome.reason)) == expected, (text, move)
                seen[expected and expected[1]] += 1
                seen["walls"] += taken != without_walls.after(board, origin, destination)[1]
    assert seen[Reason.ENCIRCLED] > 20
    assert seen[Reason.EXIT_FORT] > 20
    assert seen["walls"] > 20
