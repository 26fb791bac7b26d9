"""A game from outside: history, results, refusals, announcements, copies."""

import dataclasses

import pytest

from engine import (
    BOOKS,
    Announcement,
    Game,
    GameStateError,
    IllegalMove,
    Move,
    Outcome,
    Piece,
    Reason,
    Refusal,
    Side,
    Square,
    parse_move,
    parse_square,
)
from engine.books import NoLegalMove, Repetition

EDGE, CORNER = BOOKS["tablut-edge"], BOOKS["tablut-corner"]
WARNING = Announcement.REPETITION_WARNING

AIMLESS = "/9/t7T/9/9/4K4/9/9/t7T/9/"
"""Edge book; pieces that can go to and fro without meeting."""


def sq(name: str) -> Square:
    return parse_square(name, 9)


def over(game: Game) -> Outcome | None:
    """Ask anew; a checker would remember what it saw before the game changed."""
    return game.result


def play(game: Game, *moves: str) -> list[tuple[Announcement, ...]]:
    return [game.play(parse_move(move, game.size)[:2]).announcements for move in moves]


def facts(game: Game) -> tuple[object, ...]:
    return (
        game.position,
        game.side,
        tuple(game.plies),
        game.result,
        game.legal_moves(),
        game.occupied,
        dict(game.pieces),
    )


class TestFromTheStart:
    @pytest.mark.parametrize(
        ("name", "side", "attackers", "defenders"),
        [
            ("tablut-edge", Side.ATTACKERS, 16, 8),
            ("tablut-corner", Side.DEFENDERS, 16, 8),
            ("hnefatafl-11", Side.DEFENDERS, 24, 12),
            ("hnefatafl-13", Side.DEFENDERS, 32, 16),
        ],
    )
    def test_who_stands_and_who_begins(self, name: str, side: Side, attackers: int, defenders: int) -> None:
        game = Game(BOOKS[name])
        kinds = list(game.pieces.values())
        assert (kinds.count(Piece.ATTACKER), kinds.count(Piece.DEFENDER)) == (attackers, defenders)
        assert game.pieces[game.book.throne] is Piece.KING
        assert game.side is game.first_side is side
        assert game.position == game.start == game.book.start
        assert over(game) is None
        assert not game.plies
        assert game.occupied == set(game.pieces)

    def test_another_start_and_side(self) -> None:
        game = Game(EDGE, position=AIMLESS, side=Side.DEFENDERS)
        assert game.start == game.position == AIMLESS
        assert game.side is game.first_side is Side.DEFENDERS

    def test_the_start_is_told_in_its_plainest_spelling(self) -> None:
        assert Game(EDGE, position="/09/9/9/9/2K06/9/9/9/t8/").start == "/9/9/9/9/2K6/9/9/9/t8/"


class TestPlaying:
    def test_a_ply_tells_what_happened(self) -> None:
        game = Game(EDGE)
        ply = game.play((sq("d1"), sq("d3")))
        assert ply == dataclasses.replace(ply, number=1, side=Side.ATTACKERS, move=Move(sq("d1"), sq("d3")), king=False)
        assert game.plies[-1] is ply
        assert game.side is Side.DEFENDERS
        assert game.pieces[sq("d3")] is Piece.ATTACKER
        assert sq("d1") not in game.pieces

    def test_a_ply_knows_the_king(self) -> None:
        game = Game(EDGE, position=AIMLESS, side=Side.DEFENDERS)
        assert game.play((sq("e5"), sq("e6"))).king
        assert not game.play((sq("a2"), sq("b2"))).king

    def test_a_captured_king_is_gone_and_nothing_is_announced(self) -> None:
        game = Game(EDGE, position="/9/9/4t4/3tK4/9/5t3/9/9/9/")
        ply = game.play((sq("f6"), sq("f4")))
        assert ply.move.captures == (sq("e4"),)
        assert ply.announcements == ()
        assert Piece.KING not in game.pieces.values()
        assert game.legal_moves() == ()
        assert game.find(sq("e3"), sq("e4")) is None
        assert game.refusal(sq("e3"), sq("e4")) is Refusal.GAME_OVER
        with pytest.raises(IllegalMove, match="game-over"):
            game.play((sq("e3"), sq("e4")))

    def test_a_move_with_captures_must_have_the_right_ones(self) -> None:
        game = Game(EDGE, position="/9/9/3t5/4T4/7K1/9/9/9/t8/")
        for wrong in ((), (sq("e5"),), (sq("e4"), sq("e5"))):
            with pytest.raises(IllegalMove, match="wrong-captures") as caught:
                game.play(Move(sq("d3"), sq("e3"), wrong))
            assert caught.value.reason is Refusal.WRONG_CAPTURES
        assert game.play(Move(sq("d3"), sq("e3"), (sq("e4"),))).number == 1

    def test_three_at_once_in_ascending_order(self) -> None:
        game = Game(EDGE, position="/3t5/9/1tT1Tt3/3T5/3t5/9/9/7K1/9/")
        move = game.find(sq("d1"), sq("d3"))
        assert move == Move(sq("d1"), sq("d3"), (sq("c3"), sq("e3"), sq("d4")))
        assert move.text(9) == "d1-d3xc3/e3/d4"

    def test_a_line_of_two_is_never_taken(self) -> None:
        game = Game(EDGE, position="/9/9/2TTt4/9/6K2/9/9/9/1t7/")
        move = game.find(sq("b9"), sq("b3"))
        assert move == Move(sq("b9"), sq("b3"))


class TestRefusals:
    GAME = "/9/9/1K1t1T3/9/9/9/2T2T3/9/t8/"

    @pytest.mark.parametrize(
        ("move", "refusal"),
        [
            ("d3-d5", None),
            ("f3-f4", Refusal.NOT_YOUR_TURN),
            ("f3-g4", Refusal.NOT_YOUR_TURN),
            ("d3-e4", Refusal.DIAGONAL),
            ("d3-f3", Refusal.OCCUPIED),
            ("d3-b3", Refusal.OCCUPIED),
            ("d3-g3", Refusal.BLOCKED),
            ("d3-a3", Refusal.BLOCKED),
            ("c4-c5", Refusal.NO_PIECE),
        ],
    )
    def test_reasons(self, move: str, refusal: Refusal | None) -> None:
        game = Game(EDGE, position=self.GAME)
        assert game.refusal(*parse_move(move, 9)[:2]) is refusal

    @pytest.mark.parametrize(
        ("book", "position", "move", "refusal"),
        [
            ("tablut-edge", "/9/9/9/4t4/2K6/9/9/9/9/", "e4-e5", Refusal.FORBIDDEN_SQUARE),
            ("tablut-edge", "/9/9/9/4t4/2K6/9/9/9/9/", "e4-e6", Refusal.BLOCKED),
            ("tablut-edge", "/9/9/9/4t4/2K6/9/9/9/9/", "e4-e9", Refusal.BLOCKED),
            ("tablut-edge", "/9/9/9/4t4/4K4/9/9/9/9/", "e4-e5", Refusal.OCCUPIED),
            ("tablut-corner", "/9/9/9/4t4/2K6/9/9/9/9/", "e4-e5", Refusal.FORBIDDEN_SQUARE),
            ("tablut-corner", "/1t7/9/9/9/2K6/9/9/9/9/", "b1-a1", Refusal.FORBIDDEN_SQUARE),
            ("tablut-edge", "/1t7/9/9/9/2K6/9/9/9/9/", "b1-a1", None),
        ],
    )
    def test_squares_that_a_piece_may_not_use(
        self, book: str, position: str, move: str, refusal: Refusal | None
    ) -> None:
        game = Game(BOOKS[book], position=position, side=Side.ATTACKERS)
        assert game.refusal(*parse_move(move, 9)[:2]) is refusal

    def test_the_king_may_not_return_in_one_book_and_may_in_the_other(self) -> None:
        position = "/9/9/9/9/2K6/9/9/9/t8/"
        move = sq("c5"), sq("e5")
        edge = Game(EDGE, position=position, side=Side.DEFENDERS)
        assert edge.refusal(*move) is Refusal.KING_MAY_NOT_RETURN
        assert edge.refusal(sq("c5"), sq("h5")) is None
        corner = Game(CORNER, position="/9/9/9/9/2K6/9/9/9/1t7/", side=Side.DEFENDERS)
        assert corner.refusal(*move) is None

    def test_the_king_comes_back_only_where_the_book_lets_him(self) -> None:
        game = Game(EDGE, position="/9/9/9/9/4K4/9/9/9/t8/", side=Side.DEFENDERS)
        play(game, "e5-e4", "a9-a8")
        assert game.refusal(sq("e4"), sq("e5")) is Refusal.KING_MAY_NOT_RETURN
        game.undo()
        game.undo()
        assert game.pieces[sq("e5")] is Piece.KING

    def test_every_pair_of_squares_is_legal_or_refused(self) -> None:
        game = Game(EDGE, position=self.GAME)
        legal = {(move.origin, move.destination) for move in game.legal_moves()}
        for origin in range(81):
            for destination in range(81):
                pair = Square(origin), Square(destination)
                assert (game.refusal(*pair) is None) == (pair in legal)

    def test_a_refused_move_changes_nothing(self) -> None:
        game = Game(EDGE)
        before = facts(game)
        for move in ("d1-d9", "e5-e6", "a1-a2", "d1-e2", "d1-d1"):
            with pytest.raises(IllegalMove, match="expected a legal move"):
                play(game, move)
        assert facts(game) == before


class TestThreeMoves:
    """Rules, edge 6."""

    def test_warned_at_three_lost_at_five(self) -> None:
        game = Game(EDGE, position=AIMLESS)
        said = play(game, "a2-a3", "i2-i3", "a3-a2", "i3-i4", "a2-a3", "i4-i5", "a3-a2", "i5-i6")
        assert [WARNING in words for words in said] == [False, False, False, False, True, False, True, False]
        move = game.find(sq("a2"), sq("a3"))
        assert move is not None
        assert game.outcome_of(move) == Outcome(Side.DEFENDERS, Reason.THREE_MOVES)
        assert game.wins(move) is None
        ply = game.play(move)
        assert ply.announcements == ()
        assert over(game) == Outcome(Side.DEFENDERS, Reason.THREE_MOVES)

    def test_it_counts_for_defenders_too(self) -> None:
        game = Game(EDGE, position=AIMLESS, side=Side.DEFENDERS)
        play(game, "i2-i3", "a2-b2", "i3-i2", "b2-c2", "i2-i3", "c2-d2", "i3-i2", "d2-f2", "i2-i3")
        assert over(game) == Outcome(Side.ATTACKERS, Reason.THREE_MOVES)

    def test_another_move_in_between_breaks_the_row(self) -> None:
        game = Game(EDGE, position=AIMLESS, side=Side.DEFENDERS)
        said = play(game, "i2-i3", "a2-a3", "i3-i2", "a3-a4", "i8-i7", "a4-a3", "i2-i3", "a3-b3", "i3-i2")
        assert not any(WARNING in words for words in said)

    def test_a_longer_way_back_is_another_move(self) -> None:
        game = Game(EDGE, position=AIMLESS)
        said = play(game, "a2-a4", "i2-i3", "a4-a3", "i3-i4", "a3-a2", "i4-i5", "a2-a4", "i5-i6", "a4-a2")
        assert not any(WARNING in words for words in said)

    def test_both_sides_may_be_warned_and_the_first_to_complete_loses(self) -> None:
        game = Game(EDGE, position=AIMLESS)
        to, back = ("a2-a3", "i2-i3"), ("a3-a2", "i3-i2")
        said = play(game, *to, *back, *to, *back)
        assert [WARNING in words for words in said] == [False] * 4 + [True] * 4
        play(game, to[0])
        assert over(game) == Outcome(Side.DEFENDERS, Reason.THREE_MOVES)

    def test_captures_by_the_other_side_change_nothing(self) -> None:
        game = Game(EDGE, position="/9/t7T/3T5/3t5/4K4/3T5/9/t7T/9/")
        said = play(game, "a2-a3", "d6-d5", "a3-a2", "i2-i3", "a2-a3")
        assert game.plies[1].move.captures == (sq("d4"),)
        assert WARNING in said[-1]

    def test_a_capture_by_the_repeating_piece_changes_nothing(self) -> None:
        game = Game(EDGE, position="/9/t7T/1Tt6/9/4K4/9/9/t7T/9/")
        said = play(game, "a2-a3", "i2-i3", "a3-a2", "i3-i4", "a2-a3")
        assert game.plies[0].move.captures == (sq("b3"),)
        assert WARNING in said[-1]

    def test_taking_back_restores_the_count_and_the_announcements(self) -> None:
        game = Game(EDGE, position=AIMLESS)
        moves = ["a2-a3", "i2-i3", "a3-a2", "i3-i4", "a2-a3", "i4-i5", "a3-a2", "i5-i6", "a2-a3"]
        said = play(game, *moves)
        assert over(game) is not None
        plies = tuple(game.plies)
        for taken in (1, 3, 5, 9):
            for _ in range(taken):
                game.undo()
            assert over(game) is None
            assert tuple(game.plies) == plies[:-taken]
            assert play(game, *moves[-taken:]) == said[-taken:]
            assert tuple(game.plies) == plies
            assert over(game) == Outcome(Side.DEFENDERS, Reason.THREE_MOVES)

    def test_a_given_position_has_no_past(self) -> None:
        game = Game(EDGE, position=AIMLESS)
        play(game, "a2-a3", "i2-i3", "a3-a2", "i3-i4", "a2-a3", "i4-i5", "a3-a2", "i5-i6")
        again = Game(EDGE, position=game.position, side=game.side)
        assert WARNING not in play(again, "a2-a3")[0]
        assert again.result is None

    def test_a_fifth_move_that_captures_the_king_wins(self) -> None:
        game = Game(EDGE, position="/9/9/9/9/3t5/1K7/9/3t5/9/")
        play(game, "d8-d7", "b6-b7", "d7-d8", "b7-c7", "d8-d7", "c7-c6", "d7-d8", "c6-d6")
        assert WARNING in game.plies[-2].announcements
        play(game, "d8-d7")
        assert over(game) == Outcome(Side.ATTACKERS, Reason.KING_CAPTURED)

    def test_a_fifth_move_that_takes_the_last_attacker_loses(self) -> None:
        game = Game(EDGE, position="/9/9/9/9/2T1K4/9/9/2T6/8t/", side=Side.DEFENDERS)
        play(game, "c5-c6", "i9-i8", "c6-c5", "i8-h8", "c5-c6", "h8-h7", "c6-c5", "h7-c7")
        move = game.find(sq("c5"), sq("c6"))
        assert move is not None
        assert move.captures == (sq("c7"),)
        assert game.wins(move) is Side.DEFENDERS
        play(game, "c5-c6")
        assert over(game) == Outcome(Side.ATTACKERS, Reason.THREE_MOVES)

    def test_it_can_be_switched_off(self) -> None:
        game = Game(dataclasses.replace(EDGE, repetition=Repetition.IGNORED), position=AIMLESS)
        said = play(game, *(["a2-a3", "i2-i3", "a3-a2", "i3-i2"] * 4))
        assert not any(WARNING in words for words in said)
        assert over(game) is None

    def test_the_corner_books_have_no_such_rule_but_can_have_it(self) -> None:
        moves = ["i2-i3", "a2-a3", "i3-i2", "a3-a2"] * 2 + ["i2-i3"]
        free = Game(CORNER, position=AIMLESS)
        play(free, *moves)
        assert free.result is None
        strict = Game(dataclasses.replace(CORNER, repetition=Repetition.THREE_MOVES), position=AIMLESS)
        play(strict, *moves)
        assert strict.result == Outcome(Side.ATTACKERS, Reason.THREE_MOVES)


class TestOtherEndings:
    def test_the_king_on_an_edge(self) -> None:
        game = Game(EDGE, position=AIMLESS, side=Side.DEFENDERS)
        move = game.find(sq("e5"), sq("e9"))
        assert move is not None
        assert game.wins(move) is Side.DEFENDERS
        assert game.play(move).announcements == ()
        assert over(game) == Outcome(Side.DEFENDERS, Reason.KING_ESCAPED)
        assert game.side is Side.ATTACKERS

    def test_captures_come_before_the_goal(self) -> None:
        game = Game(EDGE, position="/9/9/3K5/t8/T8/9/9/9/8t/", side=Side.DEFENDERS)
        ply = game.play((sq("d3"), sq("a3")))
        assert ply.move.captures == (sq("a4"),)
        assert sq("a4") not in game.occupied
        assert over(game) == Outcome(Side.DEFENDERS, Reason.KING_ESCAPED)

    def test_who_cannot_move_at_the_start_has_lost(self) -> None:
        game = Game(EDGE, position="/9/9/9/9/4K4/9/9/9/9/")
        assert over(game) == Outcome(Side.DEFENDERS, Reason.NO_LEGAL_MOVES)
        assert game.legal_moves() == ()
        walled = Game(EDGE, position="/tT7/T8/9/9/4K4/9/9/9/9/")
        assert walled.result == Outcome(Side.DEFENDERS, Reason.NO_LEGAL_MOVES)
        assert Game(EDGE, position="/tT7/T8/9/9/4K4/9/9/9/9/", side=Side.DEFENDERS).result is None

    def test_defenders_who_cannot_move_have_lost(self) -> None:
        position = "/9/9/9/4t4/3tKt3/4t4/9/9/9/"
        assert Game(EDGE, position=position, side=Side.DEFENDERS).result == Outcome(
            Side.ATTACKERS, Reason.NO_LEGAL_MOVES
        )

    def test_a_house_rule_makes_it_a_draw(self) -> None:
        book = dataclasses.replace(EDGE, no_legal_move=NoLegalMove.DRAWS)
        assert Game(book, position="/tT7/T8/9/9/4K4/9/9/9/9/").result == Outcome(None, Reason.NO_LEGAL_MOVES)

    def test_resigning_and_taking_it_back(self) -> None:
        game = Game(EDGE)
        play(game, "d1-d3")
        before = facts(game)
        for side in Side:
            game.resign(side)
            assert over(game) == Outcome(side.other, Reason.RESIGNATION)
            assert game.legal_moves() == ()
            with pytest.raises(GameStateError, match="game that is over"):
                game.agree_draw()
            game.withdraw_result()
            assert facts(game) == before

    def test_a_draw_is_agreed_and_goes_with_the_move_before_it(self) -> None:
        game = Game(EDGE)
        play(game, "d1-d3")
        game.agree_draw()
        assert over(game) == Outcome(None, Reason.DRAW_AGREED)
        game.undo()
        assert over(game) is None
        assert game.position == game.start

    def test_only_a_declared_result_is_withdrawn(self) -> None:
        game = Game(EDGE, position=AIMLESS, side=Side.DEFENDERS)
        with pytest.raises(GameStateError, match="no resignation"):
            game.withdraw_result()
        play(game, "e5-e9")
        with pytest.raises(GameStateError, match="no resignation"):
            game.withdraw_result()
        with pytest.raises(GameStateError, match="game that is over"):
            game.resign(Side.ATTACKERS)

    def test_nothing_to_take_back(self) -> None:
        with pytest.raises(GameStateError, match="no move played"):
            Game(EDGE).undo()

    def test_a_move_that_is_none_has_no_outcome(self) -> None:
        with pytest.raises(IllegalMove, match="diagonal"):
            Game(EDGE).outcome_of(Move(sq("d1"), sq("e2")))


class TestCopies:
    def test_copies_go_their_own_way(self) -> None:
        game = Game(EDGE)
        play(game, "d1-d3", "e3-h3")
        before = facts(game)
        twin = game.copy()
        assert facts(twin) == before
        play(twin, "a4-a3", "e4-h4")
        twin.resign(Side.ATTACKERS)
        assert facts(game) == before
        play(game, "a6-a7")
        game.undo()
        assert facts(game) == before
        for _ in range(4):
            twin.undo()
        assert twin.position == EDGE.start
        assert facts(game) == before

    def test_what_was_worked_out_is_kept(self) -> None:
        game = Game(EDGE)
        moves, pieces = game.legal_moves(), game.pieces
        play(game, "d1-d3")
        game.undo()
        assert game.legal_moves() is moves
        assert game.pieces is pieces
        assert game.copy().legal_moves() is moves

    def test_pieces_cannot_be_changed_from_outside(self) -> None:
        with pytest.raises(TypeError):
            Game(EDGE).pieces[sq("a1")] = Piece.KING  # type: ignore[index]


class TestAnnouncements:
    def test_they_say_whose_they_are(self) -> None:
        game = Game(EDGE, position="/9/9/9/4t4/3tKt3/4T4/9/4t4/9/")
        ply = game.play((sq("e8"), sq("e7")))
        assert ply.announcements == (Announcement.KING_IN_DANGER,)
        assert ply.whose(Announcement.KING_IN_DANGER) is Side.ATTACKERS
        assert ply.whose(Announcement.RAICHI) is ply.whose(Announcement.TUICHI) is Side.DEFENDERS
        assert ply.whose(Announcement.REPETITION_WARNING) is Side.ATTACKERS

    def test_their_order(self) -> None:
        game = Game(EDGE, position="/9/9/9/3t5/9/1t1K5/9/t8/9/", side=Side.ATTACKERS)
        moves = ["a8-a7", "d6-c6", "a7-a8", "c6-d6"]
        said = play(game, *moves, "a8-a7")
        assert said[-1][-1] is WARNING
        assert said[-1] == tuple(word for word in Announcement if word in said[-1])

    def test_danger_is_announced_whether_or_not_it_was_there_before(self) -> None:
        position = "/9/9/9/9/1t7/3K5/3t5/9/4t3t/"
        game = Game(EDGE, position=position)
        said = play(game, "i9-i8", "d6-c6", "i8-i9", "c6-d6", "i9-i8")
        assert Announcement.KING_IN_DANGER in said[0]
        assert Announcement.KING_IN_DANGER in said[4]

    def test_danger_is_not_announced_after_a_defenders_move(self) -> None:
        game = Game(EDGE, position="/9/9/9/9/1t7/2K6/3t5/9/t8/", side=Side.DEFENDERS)
        (said,) = play(game, "c6-d6")
        assert Announcement.KING_IN_DANGER not in said
