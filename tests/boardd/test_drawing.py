import pytest

from boardd.drawing import board_text
from engine import BOOKS, Game, Piece, parse_square


def test_the_start_is_drawn_as_the_rules_draw_it() -> None:
    book = BOOKS["tablut-edge"]
    assert board_text(book, Game(book).pieces).plain.splitlines() == [
        "9  . . . t t t . . .",
        "8  . . . . t . . . .",
        "7  . . . . T . . . .",
        "6  t . . . T . . . t",
        "5  t t T T K T T t t",
        "4  t . . . T . . . t",
        "3  . . . . T . . . .",
        "2  . . . . t . . . .",
        "1  . . . t t t . . .",
        "   a b c d e f g h i",
    ]


@pytest.mark.parametrize("name", list(BOOKS))
def test_every_board_is_square_and_keeps_its_columns(name: str) -> None:
    book = BOOKS[name]
    lines = board_text(book, {}).plain.splitlines()
    assert len(lines) == book.size + 1
    assert len({len(line) for line in lines}) == 1
    assert lines[book.size // 2].count("+") == 1
    corners = "." if book.corner_stops == frozenset(Piece) else "+"
    assert lines[0].split()[1] == lines[0].split()[-1] == lines[-2].split()[1] == corners


def test_a_move_is_brought_out() -> None:
    book = BOOKS["tablut-edge"]
    text = board_text(book, Game(book).pieces, [parse_square("d1", 9), parse_square("d3", 9)])
    marked = [text.plain[span.start : span.end] for span in text.spans if "reverse" in str(span.style)]
    assert marked == [".", "t"]
