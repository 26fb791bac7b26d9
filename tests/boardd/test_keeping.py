import asyncio
import random
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from boardd.saved import saved_game
from boardd.storage.keeper import Keeper
from boardd.storage.keeping import saved_from, stored_game
from boardd.storage.schema import UnusableStoreError, UnwritableStoreError
from boardd.storage.store import Database, StoredGame, StoredMove
from engine import BOOKS, Game, Side, Square


def wall() -> datetime:
    return datetime(2026, 3, 1, tzinfo=UTC)


def random_game(book: str, rng: random.Random, plies: int) -> Game:
    game = Game(BOOKS[book])
    while game.result is None and len(game.plies) < plies:
        game.play(rng.choice(game.legal_moves()))
    return game


@pytest.mark.parametrize("book", sorted(BOOKS))
def test_a_game_comes_back_as_it_was(book: str) -> None:
    rng = random.Random(7)
    for plies in range(0, 40, 5):
        game = random_game(book, rng, plies)
        saved = replace(
            saved_game(game),
            board=game.occupied,
            removals=frozenset({Square(3)}),
            masked=frozenset({Square(5), Square(game.size**2 - 1)}),
            chosen=(Square(1), Square(2)),
        )
        again, replayed = saved_from(stored_game(saved, game, "Anna", "Boris"), "here")
        assert again == saved
        assert replayed.position == game.position
        assert list(replayed.plies) == list(game.plies)


@pytest.mark.parametrize("ending", ["resign", "draw"])
def test_a_result_by_word_comes_back(ending: str) -> None:
    game = random_game("tablut-corner", random.Random(1), 6)
    if ending == "resign":
        game.resign(Side.DEFENDERS)
    else:
        game.agree_draw()
    saved, replayed = saved_from(stored_game(saved_game(game), game, "", ""), "here")
    assert replayed.result == game.result == saved.ended


@pytest.mark.parametrize("said", [False, True])
def test_whether_the_end_was_said_comes_back(said: bool) -> None:
    game = Game(BOOKS["tablut-edge"], position="/9/9/4t4/3tK4/9/5t3/9/9/9/")
    game.play(next(move for move in game.legal_moves() if game.outcome_of(move) is not None))
    stored = stored_game(replace(saved_game(game), over_said=said), game, "", "")
    assert (stored.reason is not None) is said, "a result stands in the list once it was said"
    saved, replayed = saved_from(stored, "here")
    assert saved.over_said is said
    assert replayed.result == game.result


def test_a_result_by_moves_comes_back_without_a_word() -> None:
    game = Game(BOOKS["tablut-edge"], position="/9/9/4t4/3tK4/9/5t3/9/9/9/")
    game.play(game.legal_moves()[0])
    while game.result is None:
        game.play(next((m for m in game.legal_moves() if game.wins(m)), game.legal_moves()[0]))
    stored = stored_game(saved_game(game), game, "", "")
    assert stored.reason is not None
    saved, replayed = saved_from(stored, "here")
    assert saved.ended is None
    assert replayed.result == game.result


START = stored_game(saved_game(Game(BOOKS["tablut-edge"])), Game(BOOKS["tablut-edge"]), "", "")


@pytest.mark.parametrize(
    ("stored", "why"),
    [
        (replace(START, rules="ludo"), "ludo"),
        (replace(START, position="/9/9/"), "ranks"),
        (replace(START, position=START.position.replace("K", "1")), "king"),
        (replace(START, side="white"), "white"),
        (replace(START, moves=(StoredMove("e5", "e6"),)), "e5-e6"),
        (replace(START, moves=(StoredMove("d1", "z9"),)), "z9"),
        (replace(START, moves=(StoredMove("d1", "d2", ("e3",)),)), "ply 1, d1-d2: found captures e3, expected none"),
        (replace(START, reason="boredom"), "boredom"),
        (replace(START, removals=frozenset({"j1"})), "j1"),
    ],
)
def test_a_game_that_cannot_be_played_again_is_refused(stored: StoredGame, why: str) -> None:
    with pytest.raises(UnusableStoreError, match=f"^games.sqlite3, game 3: .*{why}") as told:
        saved_from(stored, "games.sqlite3, game 3")
    assert "\n" not in str(told.value)


class FlakyDatabase(Database):
    """A file on a disk that sometimes refuses, and whose writes can be held up."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, wall)
        self.refuses = False
        self.free = threading.Event()
        self.free.set()
        self.writes: list[tuple[StoredGame, bool]] = []
        self.threads: set[int] = set()

    def write(self, game: StoredGame, *, begins: bool = False) -> int:
        self.threads.add(threading.get_ident())
        assert self.free.wait(10)
        if self.refuses:
            raise UnwritableStoreError("the disk is full")
        self.writes.append((game, begins))
        return super().write(game, begins=begins)


@pytest.fixture
def disk(tmp_path: Path) -> FlakyDatabase:
    database = FlakyDatabase(tmp_path / "games.sqlite3")
    database.open()
    return database


def states(count: int) -> list[StoredGame]:
    return [replace(START, attackers=f"state {number}") for number in range(count)]


def run(keeper: Keeper, play: Callable[[], object]) -> None:
    async def whole() -> None:
        await play()  # type: ignore[misc]  # an async function each time

    try:
        asyncio.run(whole())
    finally:
        keeper.close()


def test_saves_go_to_another_thread_and_are_awaited(disk: FlakyDatabase) -> None:
    keeper = Keeper(disk)

    async def play() -> None:
        keeper.begin(START)
        assert keeper.number == 1
        for state in states(3):
            await keeper.save(state)
            assert disk.writes[-1][0] == state

    run(keeper, play)
    assert [begins for _, begins in disk.writes] == [True, False, False]
    assert threading.get_ident() not in disk.threads
    assert len(disk.threads) == 1


def test_the_loop_goes_on_while_the_disk_is_slow_and_saves_are_taken_together(disk: FlakyDatabase) -> None:
    keeper = Keeper(disk)
    many = states(50)

    async def play() -> None:
        disk.free.clear()
        tasks = []
        for state in many:
            tasks.append(asyncio.create_task(keeper.save(state)))
            await asyncio.sleep(0)
        assert not any(task.done() for task in tasks)
        disk.free.set()
        await asyncio.gather(*tasks)
        assert disk.game(1) == many[-1]

    run(keeper, play)
    assert len(disk.writes) == 2


def test_what_a_full_disk_refused_is_written_when_it_takes_it_again_game_by_game(disk: FlakyDatabase) -> None:
    keeper = Keeper(disk)
    first, second, third, fourth = states(4)

    async def play() -> None:
        keeper.begin(first)
        await keeper.save(first)
        disk.refuses = True
        for game, begins in ((second, False), (third, True), (fourth, True)):
            if begins:
                keeper.begin(game)
            with pytest.raises(UnwritableStoreError):
                await keeper.save(game)
        assert keeper.number == 3
        disk.refuses = False
        await keeper.save(replace(fourth, defenders="last"))

    run(keeper, play)
    assert [disk.game(number).attackers for number in (1, 2, 3)] == ["state 1", "state 2", "state 3"]
    assert disk.game(3).defenders == "last"
    disk.close()


def test_a_number_is_not_told_where_the_file_could_not_be_read(disk: FlakyDatabase) -> None:
    keeper = Keeper(disk, known=False)
    keeper.begin(START)
    assert keeper.number is None
    keeper.close()
