"""Squares, positions and moves as text, there and back."""

import contextlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import (
    NotationError,
    Piece,
    Square,
    file_of,
    move_text,
    parse_move,
    parse_position,
    parse_square,
    position_text,
    rank_of,
    square_at,
    square_name,
)
from engine.squares import SIZES

sizes = st.sampled_from(list(SIZES))


def sq(name: str, size: int = 9) -> Square:
    return parse_square(name, size)


@st.composite
def positions(draw: st.DrawFn) -> tuple[int, dict[Square, Piece]]:
    size = draw(sizes)
    squares = st.integers(0, size * size - 1).map(Square)
    return size, draw(st.dictionaries(squares, st.sampled_from(Piece), max_size=60))


@st.composite
def moves(draw: st.DrawFn) -> tuple[int, Square, Square, list[Square]]:
    size = draw(sizes)
    squares = st.integers(0, size * size - 1).map(Square)
    return size, draw(squares), draw(squares), draw(st.lists(squares, unique=True, max_size=4))


@contextlib.contextmanager
def no_error_outside(text: str) -> Iterator[None]:
    """Allow the text to be refused, but only with a place that lies within it or at its end."""
    place = 1, 1
    try:
        yield
    except NotationError as error:
        place = error.line, error.column
    assert place[0] == 1
    assert 1 <= place[1] <= len(text) + 1


class TestSquares:
    @given(sizes, st.data())
    def test_names_there_and_back(self, size: int, data: st.DataObject) -> None:
        square = data.draw(st.integers(0, size * size - 1).map(Square))
        assert parse_square(square_name(square, size), size) == square
        assert square_at(file_of(square, size), rank_of(square, size), size) == square

    def test_where_they_are(self) -> None:
        assert [sq("a1"), sq("b1"), sq("a2"), sq("e5"), sq("i9")] == [0, 1, 9, 40, 80]
        assert sq("s19", 19) == 360
        assert sq("a10", 11) == 99

    @pytest.mark.parametrize(
        "text", ["", "e", "5", "e0", "e05", "e10", "j1", "E5", "e5 ", " e5", "é5", "e5x", "t20", "ee5"]
    )
    def test_no_squares(self, text: str) -> None:
        with pytest.raises(NotationError):
            sq(text)

    def test_beside_the_board_says_what_there_is(self) -> None:
        with pytest.raises(NotationError, match=r"found 'j1', expected a square from a1 to i9"):
            sq("j1")

    @pytest.mark.parametrize(("file", "rank"), [(-1, 0), (0, -1), (9, 0), (0, 9)])
    def test_no_square_is_made_beside_the_board(self, file: int, rank: int) -> None:
        with pytest.raises(ValueError, match="expected 0 to 8"):
            square_at(file, rank, 9)


class TestPositions:
    @given(positions())
    def test_there_and_back(self, position: tuple[int, dict[Square, Piece]]) -> None:
        size, pieces = position
        assert parse_position(position_text(pieces, size)) == (size, pieces)

    def test_rank_one_comes_first_and_file_a(self) -> None:
        _, pieces = parse_position("/t7T/9/9/9/9/9/9/9/1K7/")
        assert pieces == {sq("a1"): Piece.ATTACKER, sq("i1"): Piece.DEFENDER, sq("b9"): Piece.KING}

    def test_more_than_nine_empty_squares_are_one_number(self) -> None:
        text = "/10t/11/11/11/11/5K5/11/11/11/11/T10/"
        size, pieces = parse_position(text)
        assert position_text(pieces, size) == text
        assert pieces[sq("k1", 11)] is Piece.ATTACKER

    @given(st.text(alphabet="/0123456789tTKk nx²\n", max_size=60))
    def test_nonsense_is_refused_with_a_place_inside_it(self, text: str) -> None:
        with no_error_outside(text):
            size, pieces = parse_position(text)
            assert parse_position(position_text(pieces, size)) == (size, pieces)


class TestMoves:
    @given(moves())
    def test_there_and_back(self, move: tuple[int, Square, Square, list[Square]]) -> None:
        size, origin, destination, captures = move
        text = move_text(origin, destination, captures, size)
        assert parse_move(text, size) == (origin, destination, tuple(sorted(captures)) if captures else None)

    @pytest.mark.parametrize(
        "text",
        [
            "d1-d3xd4/c3",
            "d1-d3xc3/d4",
            "d1-d3xc3xd4",
            "Kd1-d3xd4/c3",
            "td1-d3xTd4/Tc3",
            "d1-d3xd4/Kc3++",
            "d1-d3xd4/c3-",
            "d1-d3xd4/c3--",
            "d1-d3xd4/c3+",
        ],
    )
    def test_letters_signs_and_order_do_not_matter(self, text: str) -> None:
        assert parse_move(text, 9) == (sq("d1"), sq("d3"), (sq("c3"), sq("d4")))

    def test_captures_may_be_left_out(self) -> None:
        assert parse_move("Ke5-f5", 9).captures is None
        assert parse_move("e5-f5--", 9).captures is None

    def test_a_files_letter_is_no_piece(self) -> None:
        assert parse_move("k3-a3", 11).origin == sq("k3", 11)
        assert parse_move("Kk3-a3", 11).origin == sq("k3", 11)
        assert parse_move("n3-a3", 15).origin == sq("n3", 15)

    @pytest.mark.parametrize(
        ("text", "column", "found", "expected"),
        [
            ("", 1, "the end", "a square such as e5"),
            ("d1", 3, "the end", "'-'"),
            ("d1d3", 3, "'d'", "'-'"),
            ("d1-", 4, "the end", "a square such as e5"),
            ("d1-d3x", 7, "the end", "a square such as e5"),
            ("d1-d3xd4/", 10, "the end", "a square such as e5"),
            ("d1-d3xd4,c3", 9, "','", "the end of the move"),
            ("d1-d3!", 6, "'!'", "the end of the move"),
            ("d1-d3+-", 7, "'-'", "the end of the move"),
            ("d1-j3", 4, "'j3'", "a square from a1 to i9"),
            ("d1-d3xd10", 7, "'d10'", "a square from a1 to i9"),
            ("Qd1-d3", 1, "'Q'", "a square such as e5"),
            ("---", 1, "'-'", "a square such as e5"),
            ("nd1-d3", 1, "'n', a Berserk knight", "t, T or K (Berserk is not played here)"),
            ("d1-d3xCd4", 7, "'C', a Berserk commander", "t, T or K (Berserk is not played here)"),
            ("d1^d3", 3, "'^', a Berserk move", "'-' (Berserk is not played here)"),
            ("d1=d3", 3, "'=', a Berserk move", "'-' (Berserk is not played here)"),
            ("d1^=d3", 3, "'^=', a Berserk move", "'-' (Berserk is not played here)"),
        ],
    )
    def test_what_cannot_be_read(self, text: str, column: int, found: str, expected: str) -> None:
        with pytest.raises(NotationError) as caught:
            parse_move(text, 9)
        error = caught.value
        assert (error.line, error.column, error.found, error.expected) == (1, column, found, expected)

    @given(st.text(alphabet="abcdeijkntTK0123456789-x/+^=", max_size=20))
    def test_nonsense_is_refused_with_a_place_inside_it(self, text: str) -> None:
        with no_error_outside(text):
            origin, destination, captures = parse_move(text, 9)
            assert parse_move(move_text(origin, destination, captures or (), 9), 9)[:2] == (origin, destination)


def test_an_error_moves_with_the_text_it_stands_in() -> None:
    error = NotationError("this", "that", 1, 5)
    assert (error.moved(3, 10).line, error.moved(3, 10).column) == (3, 14)
    later = NotationError("this", "that", 2, 5).moved(3, 10)
    assert (later.line, later.column) == (4, 5)
    assert str(error) == "line 1, column 5: found this, expected that"
