"""Game records: read, written, read again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import (
    BOOKS,
    EngineError,
    Game,
    NotationError,
    Outcome,
    PositionError,
    Reason,
    Record,
    RulesError,
    Side,
    Turn,
    game_of,
    parse_move,
    parse_moves,
    read_record,
    record_of,
    write_record,
    write_rules,
)

EDGE = BOOKS["tablut-edge"]
HEAD = f"[event:A test]\n[result:?]\n[rules:{write_rules(EDGE)}]\n\n"

ANNOTATED = (
    HEAD
    + """1. d1-d3 e3-h3
[opens the third rank|]

2. a4-a3 Ke5-e3-
[on two lines
of text, with [brackets] in them|and a bar | here]
2b.1.1a ..... e4-h4
[|instead]
2b.1.2a. a3-a2 h4-h3
3. a6-a7 ---
"""
)


def reread(record: Record) -> Record:
    return read_record(write_record(record))


class TestReading:
    def test_everything_is_kept(self) -> None:
        record = read_record(ANNOTATED)
        assert record.tags == (("event", "A test"), ("result", "?"))
        assert record.tag("event") == "A test"
        assert record.tag("site") is None
        assert record.rules == write_rules(EDGE)
        assert record.turns == (
            Turn("1", ("d1-d3", "e3-h3"), ("opens the third rank", "")),
            Turn("2", ("a4-a3", "Ke5-e3-"), ("on two lines\nof text, with [brackets] in them", "and a bar | here")),
            Turn("2b.1.1a", (None, "e4-h4"), ("", "instead")),
            Turn("2b.1.2a", ("a3-a2", "h4-h3")),
            Turn("3", ("a6-a7", "---")),
        )
        assert record.resigned
        assert [move[:2] for move in record.moves(9)] == [
            parse_move(text, 9)[:2] for text in ("d1-d3", "e3-h3", "a4-a3", "e5-e3", "a6-a7")
        ]

    def test_reading_writing_and_reading_again_changes_nothing(self) -> None:
        record = read_record(ANNOTATED)
        assert reread(record) == record
        assert write_record(reread(record)) == write_record(record)

    def test_line_ends_blank_lines_and_a_mark_at_the_start_do_not_matter(self) -> None:
        record = read_record(ANNOTATED)
        assert read_record("\ufeff" + ANNOTATED.replace("\n", "\r\n")) == read_record(ANNOTATED)
        assert read_record("\n\n" + ANNOTATED.replace("\n3.", "\n\n\n   3.")) == record

    def test_turns_may_share_a_line_or_spread(self) -> None:
        assert (
            read_record(HEAD + "1. d1-d3 e3-h3 2. a4-a3 e4-h4").turns
            == read_record(HEAD + "1.\nd1-d3\ne3-h3\n2. a4-a3\n    e4-h4\n").turns
        )

    def test_tags_may_stand_behind_the_rules(self) -> None:
        record = read_record(f"[rules:{write_rules(EDGE)}]\n[attackers:A [1]]\n\n1. d1-d3\n")
        assert record.tag("attackers") == "A [1]"
        assert reread(record) == record

    def test_a_record_without_turns_or_without_anything(self) -> None:
        assert read_record(HEAD).turns == ()
        assert read_record("") == Record((), None, ())
        assert write_record(Record((), None, ())) == ""

    def test_a_record_without_rules_is_read_on_the_largest_board(self) -> None:
        record = read_record("1. s19-a19\n")
        assert record.rules is None
        assert record.moves(19)[0].origin == 360
        with pytest.raises(NotationError, match=r"line 1, column 1: found 's19', expected a square from a1 to i9"):
            record.moves(9)

    def test_rules_that_are_not_played_do_not_keep_it_from_being_read(self) -> None:
        record = read_record("[rules:dim:11 ber:c efe:y start:/11/11/11/11/11/5K5/11/11/11/11/1t9/]\n\n1. b11-b10\n")
        assert len(record.turns) == 1
        with pytest.raises(RulesError, match="ber:c"):
            game_of(record)

    def test_variations_at_any_depth_are_kept(self) -> None:
        text = HEAD + "1. d1-d3 e3-h3\n1b.1.1a ..... e3-g3\n1b.1.2a a4-a3 e4-h4\n1b.1.2a.2.1b a4-b4\n"
        record = read_record(text)
        assert [turn.address for turn in record.turns] == ["1", "1b.1.1a", "1b.1.2a", "1b.1.2a.2.1b"]
        assert len(record.moves(9)) == 2
        assert write_record(record) == text


class TestRefusing:
    @pytest.mark.parametrize(
        ("body", "line", "column", "found"),
        [
            ("d1-d3 e3-h3", 5, 1, "'d1-d3'"),
            ("1. d1-d3 e3-h3 a4-a3", 5, 16, "'a4-a3'"),
            ("1. d1-d3\n   e3_h3", 6, 6, "'_'"),
            ("1. d1-j3", 5, 7, "'j3'"),
            ("1. d1-d3 ne3-h3", 5, 10, "'n', a Berserk knight"),
            ("1. d1^d3", 5, 6, "'^', a Berserk move"),
            ("1. d1-d3 e3-h3\n3. a4-a3", 6, 1, "turn 3."),
            ("1. d1-d3\n2. a4-a3", 6, 1, "turn 2."),
            ("1. d1-d3 e3-h3\n[one|two]\n[three|four]", 7, 1, "'['"),
            ("[one|two]", 5, 1, "'['"),
            ("1. d1-d3 e3-h3\n[one|two", 6, 9, "the end"),
            ("1. d1-d3\n[one|two]\ne3-h3", 7, 1, "'e3-h3'"),
            ("1. ..... .....", 5, 10, "'.'"),
        ],
    )
    def test_it_says_where(self, body: str, line: int, column: int, found: str) -> None:
        with pytest.raises(NotationError) as caught:
            read_record(HEAD + body)
        assert (caught.value.line, caught.value.column, caught.value.found) == (line, column, found)

    def test_rules_that_cannot_be_read(self) -> None:
        with pytest.raises(NotationError, match="line 2, column 18: found esc:x"):
            read_record("[date:today]\n[rules:dim:9 esc:x start:/9/]\n")
        with pytest.raises(NotationError, match="line 2, column 1: found rules a second time"):
            read_record(f"[rules:{write_rules(EDGE)}]\n[rules:{write_rules(EDGE)}]\n")

    @pytest.mark.parametrize(
        "record",
        [
            Record((("event", "two\nlines"),), None, ()),
            Record((("no name", "x"),), None, ()),
            Record((), None, (Turn("1", ("d1-d3",), ("a|b", "")),)),
            Record((), None, (Turn("1", ("d1-d3",), ("", "a]\nb")),)),
            Record((), None, (Turn("1", ("d1-d3",), ("a]\nb", "")),)),
        ],
    )
    def test_what_could_not_be_read_back_is_not_written(self, record: Record) -> None:
        with pytest.raises(NotationError):
            write_record(record)


class TestGames:
    def test_a_game_there_and_back(self) -> None:
        game = Game(EDGE)
        for text in ("d1-d3", "e3-h3", "d3-g3", "h3-h2", "a4-a3"):
            game.play(parse_move(text, 9)[:2])
        record = record_of(game, {"date": "2024.02.29", "attackers": "A. B."})
        assert record.tags == (("date", "2024.02.29"), ("attackers", "A. B."))
        assert reread(record) == record
        again = game_of(reread(record))
        assert again.book == EDGE
        for move in record.moves(9):
            again.play(move[:2])
        assert tuple(again.plies) == tuple(game.plies)

    def test_the_king_has_his_letter(self) -> None:
        game = Game(EDGE, position="/9/9/9/9/4K4/9/9/9/t8/", side=Side.DEFENDERS)
        game.play(parse_move("e5-e7", 9)[:2])
        assert record_of(game).turns == (Turn("1", ("Ke5-e7",)),)

    def test_another_start_and_another_first_side_are_told(self) -> None:
        game = Game(EDGE, position="/9/9/9/9/4K4/9/9/9/t8/", side=Side.DEFENDERS)
        record = reread(record_of(game))
        assert record.tag("position") == game.start
        again = game_of(record)
        assert (again.position, again.side) == (game.position, Side.DEFENDERS)

    @pytest.mark.parametrize("name", BOOKS)
    def test_every_book_is_told_by_its_rules(self, name: str) -> None:
        assert game_of(reread(record_of(Game(BOOKS[name])))).book is BOOKS[name]

    @pytest.mark.parametrize("loser", [*Side, None])
    def test_an_end_that_no_move_tells_is_read_again(self, loser: Side | None) -> None:
        game = Game(EDGE)
        game.play(parse_move("d1-d3", 9)[:2])
        if loser is None:
            game.agree_draw()
        else:
            game.resign(loser)
        record = reread(record_of(game))
        again = game_of(record)
        again.play(record.moves(9)[0][:2])
        record.finish(again)
        assert again.result == game.result
        record.finish(again)  # over is over
        assert again.result == game.result

    @pytest.mark.parametrize(
        "tags",
        ["", "[result:0]\n[termination:resignation]\n", "[result:1]\n[termination:king-captured]\n", "[result:1]\n"],
    )
    def test_tags_that_tell_no_such_end_tell_nothing(self, tags: str) -> None:
        record = read_record(tags + HEAD + "1. d1-d3\n")
        game = game_of(record)
        record.finish(game)
        assert game.result is None

    def test_results(self) -> None:
        game = Game(EDGE)
        assert record_of(game).tag("result") is None
        game.agree_draw()
        assert record_of(game).tags == (("result", "0"), ("termination", "draw-agreed"))
        game.withdraw_result()
        game.resign(Side.ATTACKERS)
        assert record_of(game).tags == (("result", "-1"), ("termination", "resignation"))
        assert record_of(game, {"termination": "tired"}).tag("termination") == "tired"
        won = Game(EDGE, position="/9/9/4t4/3tK4/9/5t3/9/9/9/")
        won.play(parse_move("f6-f4", 9)[:2])
        assert won.result == Outcome(Side.ATTACKERS, Reason.KING_CAPTURED)
        assert record_of(won).tag("result") == "1"

    def test_a_record_without_rules_needs_a_book(self) -> None:
        record = read_record("1. d1-d3\n")
        with pytest.raises(RulesError, match="no \\[rules:"):
            game_of(record)
        assert game_of(record, EDGE).book is EDGE

    def test_a_position_that_cannot_be_played_is_refused(self) -> None:
        record = read_record("[position:/9/9/9/9/9/9/9/9/t8/]\n" + HEAD)
        with pytest.raises(PositionError, match="no king"):
            game_of(record)


class TestBareMoves:
    def test_white_space_of_any_kind(self) -> None:
        assert parse_moves(" d1-d3\te3-h3\n\n a4-a3 ", 9) == tuple(
            parse_move(text, 9) for text in ("d1-d3", "e3-h3", "a4-a3")
        )
        assert parse_moves("", 9) == ()

    def test_it_says_where(self) -> None:
        with pytest.raises(NotationError) as caught:
            parse_moves("d1-d3 e3-h3\n  a4+a3", 9)
        assert (caught.value.line, caught.value.column) == (2, 5)


words = st.text(alphabet="ab |[]\n.1-", max_size=12)
texts = st.sampled_from(["d1-d3", "Ke5-f5--", "e5-e2xe3/d2", "---"])
turn_lists = st.lists(st.tuples(st.tuples(texts, texts), st.none() | st.tuples(words, words)), max_size=4).map(
    lambda turns: tuple(Turn(str(n + 1), moves, comments) for n, (moves, comments) in enumerate(turns))
)


@given(st.lists(st.tuples(st.sampled_from(["event", "site", "x-1"]), words), max_size=3), turn_lists)
def test_what_is_written_is_read_back(tags: list[tuple[str, str]], turns: tuple[Turn, ...]) -> None:
    record = Record(tuple(tags), write_rules(EDGE), turns)
    try:
        text = write_record(record)
    except EngineError:
        return
    assert read_record(text) == record


@given(st.text(alphabet="[]|:.123abdek-x/ \n", max_size=60))
def test_nonsense_never_fails_in_another_way(text: str) -> None:
    try:
        record = read_record(text)
    except NotationError:
        return
    assert reread(record) == record
