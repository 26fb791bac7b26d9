"""The search: it finds what there is, keeps its limits, and obeys."""

import dataclasses
from collections.abc import Callable, Iterator

import pytest

from engine import BOOKS, Book, Game, GameStateError, Side, parse_move
from engine.evaluation import TERMS
from engine.ideas import CHOSEN
from engine.search import Limits, Result, Searcher, Value, best_move
from engine.squares import SIZES
from engine.weights import lead_of, weights_of
from engine.worths import WON


def found(book: str, position: str, side: Side, depth: int) -> Result:
    return best_move(Game(BOOKS[book], position=position, side=side), Limits(depth=depth))


def text(result: Result, book: str) -> str:
    return result.move.text(BOOKS[book].size)


@pytest.mark.parametrize(
    ("book", "position", "side", "move"),
    [
        ("tablut-edge", "/9/9/4t4/3tK4/9/5t3/9/9/9/", Side.ATTACKERS, "f6-f4xe4"),
        ("tablut-edge", "/9/9/9/4t4/3tKt3/9/9/4t4/9/", Side.ATTACKERS, "e8-e6xe5"),
        ("tablut-corner", "/1Kt6/9/1t7/9/9/9/9/9/9/", Side.ATTACKERS, "b3-b2xb1"),
        ("tablut-corner", "/9/9/9/t8/K8/9/7t1/9/9/", Side.DEFENDERS, "a5-a9"),
    ],
)
def test_a_win_at_hand_is_taken(book: str, position: str, side: Side, move: str) -> None:
    result = found(book, position, side, 3)
    assert text(result, book) == move
    assert result.value.wins
    assert result.value.plies == 1
    assert result.line == (result.move,)


def test_two_open_lines_are_a_win_in_three_plies() -> None:
    # f5 and d5 are shut off; from e7 the king would have the ways to a7 and i7
    result = found("tablut-edge", "/9/9/4T4/9/3tKt3/9/9/4t4/9/", Side.DEFENDERS, 2)
    assert text(result, "tablut-edge") in ("e5-e6", "e5-e7")
    assert result.value.plies == 3


def test_the_only_block_is_found() -> None:
    # the king threatens a9; the attacker on h7 alone can come between
    assert text(found("tablut-corner", "/9/9/9/t8/K8/9/7t1/9/9/", Side.ATTACKERS, 2), "tablut-corner") == "h7-a7"


def test_the_fifth_move_to_and_fro_is_known_to_lose() -> None:
    game = Game(BOOKS["tablut-edge"], position="/9/9/9/9/4K4/9/9/1T5t1/9/")
    for move in ("h8-h9", "b8-b9", "h9-h8", "b9-b8", "h8-h9", "b8-b9", "h9-h8", "b9-b7"):
        parsed = parse_move(move, 9)
        game.play((parsed.origin, parsed.destination))
    for depth in range(1, 4):
        assert best_move(game, Limits(depth=depth)).move.text(9) != "h8-h9"


@pytest.mark.parametrize("book", BOOKS.values(), ids=lambda book: book.name)
def test_every_book_is_searched_and_the_line_can_be_played(book: Book) -> None:
    game = Game(book)
    before = game.position
    result = best_move(game, Limits(depth=2))
    assert game.position == before
    assert result.depth == 2
    assert result.line[0] == result.move
    for move in result.line:
        game.play(move)


@pytest.mark.parametrize("book", BOOKS.values(), ids=lambda book: book.name)
def test_the_same_question_has_the_same_answer(book: Book) -> None:
    searcher = Searcher(book)
    limits = Limits(nodes=500)
    first = searcher.best_move(Game(book), limits)
    searcher.forget()
    assert searcher.best_move(Game(book), limits) == first
    assert first.nodes <= 500


@pytest.mark.parametrize("ideas", [0, CHOSEN])
def test_without_any_ideas_the_forced_wins_are_the_same(ideas: int) -> None:
    game = Game(BOOKS["tablut-edge"], position="/9/9/9/4t4/3tKt3/9/9/4t4/9/", side=Side.ATTACKERS)
    result = Searcher(game.book, ideas=ideas).best_move(game, Limits(depth=2))
    assert result.value.plies == 1


def test_nodes_are_a_limit_and_there_is_a_move_even_after_one() -> None:
    result = best_move(Game(BOOKS["tablut-edge"]), Limits(nodes=1))
    assert result.nodes <= 1
    assert result.depth == 0
    assert result.move in Game(BOOKS["tablut-edge"]).legal_moves()


def ticking(step: float) -> Callable[[], float]:
    """Give a clock that goes on by so many seconds whenever somebody looks at it."""

    def times() -> Iterator[float]:
        now = 0.0
        while True:
            yield now
            now += step

    return times().__next__


def test_time_is_a_limit() -> None:
    searcher = Searcher(BOOKS["tablut-edge"], clock=ticking(0.001))
    result = searcher.best_move(Game(BOOKS["tablut-edge"]), Limits(seconds=0.02))
    assert result.nodes > 0


def test_it_stops_when_told() -> None:
    asked = 0

    def poll() -> bool:
        nonlocal asked
        asked += 1
        return asked < 10

    result = best_move(Game(BOOKS["tablut-edge"]), Limits(), poll)
    assert asked == 10
    assert result.nodes > 0


def test_a_slow_machine_is_asked_more_often() -> None:
    """A clock that moves 20 ms between two looks: the search has to come back after fewer and fewer nodes."""
    nodes_at = []
    searcher = Searcher(BOOKS["tablut-edge"], clock=ticking(0.02))
    ask = searcher._asking(None, None)
    for _ in range(10):
        nodes_at.append(ask(0))
    assert nodes_at[-1] == 1
    ask = Searcher(BOOKS["tablut-edge"], clock=ticking(0.0001))._asking(None, None)
    assert ask(0) < ask(0) < ask(0)


def test_a_finished_game_is_not_searched() -> None:
    game = Game(BOOKS["tablut-edge"])
    game.resign(Side.ATTACKERS)
    with pytest.raises(GameStateError, match="found a game that is over"):
        best_move(game, Limits(depth=1))


def test_values_are_ordered_and_told() -> None:
    quick, slow, little, lost = Value(WON - 1), Value(WON - 3), Value(125), Value(2 - WON)
    assert quick > slow > little > lost
    assert [str(value) for value in (quick, slow, little, lost)] == ["wins in 1", "wins in 3", "+1.25", "loses in 2"]
    assert lost.loses
    assert not little.wins
    assert little.plies is None
    assert quick.opposite.loses


def test_every_size_is_searched() -> None:
    for size in SIZES:
        middle = size // 2
        rows = [str(size)] * size
        rows[middle] = f"{middle}K{middle}"
        rows[0] = f"{middle}t{middle}"
        start = "/" + "/".join(rows) + "/"
        book = dataclasses.replace(BOOKS["tablut-corner"], name=f"of size {size}", size=size, start=start)
        assert best_move(Game(book), Limits(depth=2)).depth == 2


def test_every_term_has_a_weight_in_every_book() -> None:
    for book in BOOKS.values():
        assert len(weights_of(book)) == len(TERMS)
        assert all(weight >= 0 for weight in weights_of(book))


@pytest.mark.parametrize("book", BOOKS.values(), ids=lambda book: book.name)
def test_a_game_begins_even_but_for_what_games_between_equals_say(book: Book) -> None:
    game = Game(book)
    value = Searcher(book).best_move(game, Limits(nodes=500)).value
    attackers = value if game.side is Side.ATTACKERS else value.opposite
    assert abs(attackers.worth + lead_of(book)) <= 150


def test_house_rules_begin_even_with_whatever_stands_there() -> None:
    start = "/9/4t4/4t4/9/2t1K1t2/9/4T4/9/9/"
    book = dataclasses.replace(BOOKS["tablut-corner"], name="small", start=start)
    assert abs(Searcher(book).best_move(Game(book), Limits(depth=1)).value.worth) <= 150
