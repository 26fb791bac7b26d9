import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from boardd.events import End
from boardd.replay import replay
from boardd.settings import BoardSettings, GameSettings, Settings, StorageSettings
from boardd.storage.cutting import cut, text_of
from boardd.storage.keeping import saved_from
from boardd.storage.schema import UnwritableStoreError
from boardd.storage.store import FILE_NAME, Database, StoredGame
from boardd.storage.trace_files import DIRECTORY_NAME, trace_files
from engine import BOOKS, Game, square_name
from hardware.errors import SensorsError
from hardware.lights import BLACK
from hardware.news import News
from tests.boardd.daemons import Table, table

pytestmark = pytest.mark.usefixtures("quick_disk")

Play = Callable[[], Awaitable[None]]


def run(play: Play) -> None:
    asyncio.run(play())  # type: ignore[arg-type]  # every one is an async function


def stored(directory: Path, number: int = 1) -> StoredGame:
    database = Database(directory / FILE_NAME, lambda: datetime.now(UTC))
    try:
        database.open()
        return database.game(number)
    finally:
        database.close()


def stored_moves(directory: Path, number: int = 1) -> list[str]:
    return [f"{move.origin}-{move.destination}" for move in stored(directory, number).moves]


def replayed(directory: Path, number: int) -> list[str]:
    """The moves that replaying the recorded piece of a game gives."""
    *_, end = replay(list(text_of(cut(trace_files(directory / DIRECTORY_NAME), number))), "piece")
    assert isinstance(end, End)
    size = BOOKS[end.rules].size
    return [move.text(size).partition("x")[0] for move in end.moves]


def test_two_moves_and_a_capture_are_followed_stored_and_shown(tmp_path: Path) -> None:
    async def play() -> None:
        async with table(tmp_path) as board:
            assert board.state["state"] == "ready"
            assert set(board.lit.values()) == {"turn"}
            await board.make("e2", "g2")
            await board.make("e3", "h3")
            await board.make("i4", "h4")
            await board.make("h3", "h1")
            assert board.played == ["e2-g2", "e3-h3", "i4-h4", "h3-h1"]
            assert board.state["ply"] == 4
            assert board.state["side"] == "attackers"
            assert stored_moves(tmp_path) == board.played
        assert replayed(tmp_path, 1) == board.played

    run(play)


def test_whatever_is_shown_is_on_the_disk_already(tmp_path: Path) -> None:
    async def play() -> None:
        async with table(tmp_path) as board:
            shown = 0

            async def watch() -> None:
                nonlocal shown
                async for _ in board.face.subscribe():
                    state = board.state
                    if state["stored"]:
                        assert stored_moves(tmp_path)[: len(board.played)] == board.played
                        assert sorted(stored(tmp_path).removals) == sorted(state["removals"])
                        shown += 1

            watching = asyncio.create_task(watch())
            rng = random.Random(5)
            for _ in range(8):
                await board.play(rng.choice(board.daemon.session.game.legal_moves()))
            assert not watching.done()
            assert shown > 30
            watching.cancel()

    run(play)


def test_what_the_disk_does_not_hold_yet_is_not_shown(tmp_path: Path) -> None:
    async def play() -> None:
        async with table(tmp_path) as board:
            board.disk.held = True
            await board.say("lift", square="d1")
            await board.wait(0.3)
            assert board.lit["d1"] == "origin"  # what is in the hand needs no disk
            await board.say("drop", square="d3")
            await board.wait(0.6)
            assert board.daemon.session.game.plies
            assert board.played == []
            assert board.lit["d3"] == "provisional"
            board.disk.let_go()
            await board.wait(0.02)
            assert board.played == ["d1-d3"]
            assert board.lit["d3"] == "last-to"
            assert board.state["stored"]

    run(play)


@pytest.mark.parametrize("word", ["takeback", "resign", "confirm"])
def test_what_a_word_decides_is_not_told_before_the_disk_has_it(tmp_path: Path, word: str) -> None:
    """A move that a yes accepted was told at once: a kill in that moment lost a move that had been shown."""

    async def play() -> None:
        async with table(tmp_path, killed=word == "confirm") as board:
            await board.make("d1", "d3")
            if word == "confirm":
                await board.say("lift", square="e3")
        async with table(tmp_path) as board:
            if word == "confirm":
                await board.say("drop", square="h3")
                await board.wait(1.0)
            told = (board.played, board.state["result"])
            asked = board.state["question"]
            assert (asked is not None) is (word == "confirm")
            board.disk.held = True
            await board.command(word)
            assert board.daemon.session.gate > board.daemon._done, "it is something that the disk must have"
            assert (board.played, board.state["result"]) == told
            board.disk.let_go()
            await board.wait(0.1)
            assert (board.played, board.state["result"]) != told

    run(play)


def test_a_disk_that_hangs_is_waited_for_a_moment_and_then_shown_as_such(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def play() -> None:
        async with table(tmp_path) as board:
            board.disk.held = True
            await board.make("d1", "d3", after=2.0)
            assert board.played == ["d1-d3"]
            assert board.lit["d3"] == "last-to"
            assert not board.state["stored"]
            await board.make("e3", "h3")
            assert board.played == ["d1-d3", "e3-h3"]
            board.disk.let_go()
            await board.wait(0.5)
            assert board.state["stored"]
            assert stored_moves(tmp_path) == ["d1-d3", "e3-h3"]

    with caplog.at_level(logging.WARNING):
        run(play)
    told = [record.getMessage() for record in caplog.records]
    assert told == ["the disk does not answer: what is played is not stored yet", "what is played is stored again"]


def test_a_full_disk_is_told_and_made_up_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write = Database.write
    full = False

    def refusing(self: Database, game: StoredGame, *, begins: bool = False) -> int:
        if full:
            raise UnwritableStoreError("games.sqlite3: database or disk is full")
        return write(self, game, begins=begins)

    monkeypatch.setattr(Database, "write", refusing)

    async def play() -> None:
        nonlocal full
        async with table(tmp_path) as board:
            await board.make("d1", "d3")
            full = True
            await board.make("e3", "h3")
            assert board.played == ["d1-d3", "e3-h3"]
            assert not board.state["stored"]
            await board.command("takeback")
            assert board.played == ["d1-d3"]
            full = False
            await board.wait(6.0)  # nothing happens on the board, but the disk is tried again
            assert board.state["stored"]
            assert stored_moves(tmp_path) == ["d1-d3"]

    with caplog.at_level(logging.WARNING):
        run(play)
    assert [record.getMessage() for record in caplog.records] == [
        "what is played is not stored: games.sqlite3: database or disk is full",
        "what is played is stored again",
    ]


def test_a_disk_that_cannot_be_written_at_the_start_is_played_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def first() -> None:
        async with table(tmp_path) as board:
            await board.make("d1", "d3")

    run(first)
    read_only = True
    opened = Database.open

    def refusing(self: Database) -> StoredGame | None:
        if read_only:
            raise UnwritableStoreError("games.sqlite3: attempt to write a readonly database")
        return opened(self)

    monkeypatch.setattr(Database, "open", refusing)

    async def second() -> None:
        nonlocal read_only
        async with table(tmp_path) as board:
            assert board.played == ["d1-d3"]
            assert not board.state["stored"]
            await board.make("e3", "h3")
            assert board.played == ["d1-d3", "e3-h3"]
            read_only = False
            await board.wait(6.0)
            assert board.state["stored"]

    run(second)
    assert stored_moves(tmp_path) == ["d1-d3", "e3-h3"]


def test_a_restart_resumes_exactly_there(tmp_path: Path) -> None:
    async def play() -> None:
        async with table(tmp_path) as board:
            await board.say("names", attackers="Anna", defenders="Boris")
            await board.make("d1", "d3")
            await board.make("c5", "c4")
            before = board.state
        async with table(tmp_path) as board:
            after = board.state
        ours = ("pieces", "side", "ply", "moves", "names", "start", "result", "board", "box", "in_hand", "removals")
        assert {key: after[key] for key in ours} == {key: before[key] for key in ours}

    run(play)


def test_victims_that_stand_are_asked_for_again_after_a_restart(tmp_path: Path) -> None:
    async def play() -> None:
        async with table(tmp_path, killed=True) as board:
            rng = random.Random(8)
            while not (takes := [move for move in board.daemon.session.game.legal_moves() if move.captures]):
                await board.play(rng.choice(board.daemon.session.game.legal_moves()))
            origin, destination, victim = (
                square_name(square, 9) for square in (takes[0].origin, takes[0].destination, takes[0].captures[0])
            )
            await board.make(origin, destination, after=2.0)
            assert board.state["removals"] == [victim]
            assert board.state["state"] == "remove"
            assert board.lit[victim] == "remove"
            shown = board.played
        async with table(tmp_path, killed=True) as board:
            assert board.played == shown
            assert board.state["removals"] == [victim]
            assert board.lit[victim] == "remove"
            await board.say("box", square=victim)
            await board.wait(1.0)
            assert board.state["removals"] == []
            assert board.state["state"] == "ready"
        assert stored(tmp_path).removals == frozenset()
        assert replayed(tmp_path, 1) == shown

    run(play)


@pytest.mark.parametrize(("lived_s", "asks"), [(0.02, True), (0.08, False)])
def test_a_replay_knows_how_far_a_killed_daemon_came(tmp_path: Path, lived_s: float, asks: bool) -> None:
    """A lift that had settled is stored, and its move accepted unasked; no line tells that it settled."""

    async def play() -> None:
        async with table(tmp_path, killed=True) as board:
            await board.say("lift", square="e2")
            await board.wait(lived_s - 0.02)
        async with table(tmp_path, killed=True) as board:
            await board.say("drop", square="g2")
            await board.wait(1.0)
            assert (board.state["question"] is not None) is asks
            if asks:
                await board.command("confirm")
            await board.make("e3", "h3")
            assert board.played == ["e2-g2", "e3-h3"]
        assert replayed(tmp_path, 1) == board.played

    run(play)


async def one_turn(board: Table, rng: random.Random) -> None:
    """Make some legal move and wait until it is accepted, for a while or not at all."""
    game = board.daemon.session.game
    before = len(game.plies)
    legal = game.legal_moves()
    await board.play(rng.choice([move for move in legal if move.captures] or legal), after=0.1)
    for _ in range(60):
        if len(board.daemon.session.game.plies) > before:
            break
        await board.wait(0.05)
    await board.wait(rng.choice([0.0, 0.5]))


async def put_right(board: Table) -> None:
    """Do what the board asks after a power cut: answer it, and put every piece where the game has it."""
    await board.wait(1.0)
    if board.state["question"]:
        await board.command("confirm")
    hands = board.daemon.hands
    hands.set_up(board.clock.now(), board.daemon.session.game.pieces)
    await board.wait(2.0)
    assert board.state["state"] in ("ready", "over"), board.state["state"]


@pytest.mark.parametrize("seed", range(4))
def test_power_cuts_lose_no_shown_move_and_repeat_none(tmp_path: Path, seed: int) -> None:
    async def play() -> None:
        rng = random.Random(seed)
        shown: list[str] = []
        for _ in range(12):
            async with table(tmp_path, killed=True) as board:
                assert board.played[: len(shown)] == shown
                assert len(board.played) <= len(shown) + 1
                await put_right(board)
                assert board.played[: len(shown)] == shown
                turns = asyncio.create_task(turns_of(board, rng))
                await board.clock.settle()
                cut_at = board.clock.now() + rng.uniform(0.05, 6.0)
                while board.clock.now() < cut_at and not turns.done():
                    await asyncio.sleep(0)
                turns.cancel()
                await asyncio.gather(turns, return_exceptions=True)
                shown = board.played
                if board.state["result"]:
                    return
        assert len(shown) > 6

    async def turns_of(board: Table, rng: random.Random) -> None:
        while board.daemon.session.game.result is None:
            await one_turn(board, rng)

    run(play)
    game = stored(tmp_path)
    saved_from(game, "here")
    assert replayed(tmp_path, 1) == stored_moves(tmp_path)


def test_a_new_game_leaves_the_old_one_and_sets_the_simulated_board_up(tmp_path: Path) -> None:
    async def play() -> None:
        async with table(tmp_path) as board:
            await board.make("d1", "d3")
            await board.make("c5", "c4")
            await board.command("new-game")
            assert board.state["question"] == {"about": "new-game"}
            await board.command("cancel")
            assert board.state["question"] is None
            assert board.played == ["d1-d3", "c5-c4"]
            await board.command("new-game")
            await board.command("confirm")
            await board.wait(1.0)
            assert board.state["state"] == "ready"
            assert board.played == []
            await board.make("d1", "d2")
            assert stored_moves(tmp_path, 1) == ["d1-d3", "c5-c4"]
            assert stored_moves(tmp_path, 2) == ["d1-d2"]
        assert replayed(tmp_path, 1) == ["d1-d3", "c5-c4"]
        assert replayed(tmp_path, 2) == ["d1-d2"]

    run(play)


def test_a_result_by_word_is_stored_before_the_next_game(tmp_path: Path) -> None:
    async def play() -> None:
        async with table(tmp_path) as board:
            await board.make("d1", "d3")
            await board.command("resign")
            assert board.state["result"] == {"winner": "attackers", "reason": "resignation"}
            await board.command("new-game")
            await board.wait(1.0)
            assert board.played == []
            old = stored(tmp_path, 1)
            assert (old.winner, old.reason, len(old.moves)) == ("attackers", "resignation", 1)
            assert stored(tmp_path, 2).reason is None

    run(play)


def test_a_move_accepted_in_the_breath_of_a_new_game_belongs_to_the_old_one(tmp_path: Path) -> None:
    async def play() -> None:
        rng = random.Random(3)
        async with table(tmp_path) as board:
            while True:
                game = board.daemon.session.game
                winning = [move for move in game.legal_moves() if game.wins(move)]
                if winning:
                    break
                await board.play(rng.choice(game.legal_moves()))
            before, winner = board.played, game.wins(winning[0])
            await board.play(winning[0], after=0.3)  # a move that ends the game is not accepted so soon
            assert board.played == before
            await board.command("new-game")
            await board.wait(1.0)
        old = stored(tmp_path, 1)
        assert len(old.moves) == len(before) + 1
        assert winner is not None
        assert old.winner == winner.value
        assert stored(tmp_path, 2).moves == ()

    run(play)


def test_sensors_that_vanish_are_told_and_the_game_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def play() -> None:
        async with table(tmp_path) as board:
            await board.make("d1", "d3")

            def gone(now: float) -> list[News]:
                raise SensorsError("the sensors are gone: plug the board in")

            monkeypatch.setattr(board.daemon.hands.board, "poll", gone)
            await board.wait(1.0)
            assert board.state["connected"] is False
            assert board.played == ["d1-d3"]
            await board.command("resign")
            assert board.state["result"]["reason"] == "resignation"

    with caplog.at_level(logging.ERROR):
        run(play)
    assert [record.getMessage() for record in caplog.records] == ["the sensors are gone: plug the board in"]


def test_another_size_waits_for_a_restart(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play() -> None:
        async with table(tmp_path) as board:
            await board.make("d1", "d3")
        async with table(tmp_path, Settings(game=GameSettings(rules="hnefatafl-11"))) as board:
            await board.command("resign")
            await board.command("new-game")
            await board.wait(1.0)
            assert board.state["rules"] == "tablut-edge"
        async with table(tmp_path, Settings(game=GameSettings(rules="hnefatafl-11"))) as board:
            assert board.state["rules"] == "hnefatafl-11"

    with caplog.at_level(logging.WARNING):
        run(play)
    assert "begin after a restart" in caplog.text


def test_the_next_game_follows_the_rules_of_the_configuration(tmp_path: Path) -> None:
    corner = Settings(game=GameSettings(rules="tablut-corner"))

    async def play() -> None:
        async with table(tmp_path) as board:
            await board.make("d1", "d3")
        async with table(tmp_path, corner) as board:
            assert board.state["rules"] == "tablut-edge"
            assert board.played == ["d1-d3"]
            await board.command("resign")
            await board.command("new-game")
            await board.wait(1.0)
            assert board.state["rules"] == "tablut-corner"
            await board.make("e4", "d4")
            assert board.played == ["e4-d4"]
        assert stored(tmp_path, 2).rules == "tablut-corner"
        assert replayed(tmp_path, 2) == ["e4-d4"]
        async with table(tmp_path, Settings()) as board:
            assert board.state["rules"] == "tablut-corner"
            await board.command("draw")
        async with table(tmp_path, Settings(game=GameSettings(rules="hnefatafl-11"))) as board:
            assert board.state["rules"] == "hnefatafl-11"
            assert board.state["state"] == "ready"

    run(play)


@pytest.mark.parametrize(("rules", "degrees"), [("tablut-edge", 90), ("hnefatafl-11", 180), ("hnefatafl-13", 270)])
def test_other_boards_lie_turned(tmp_path: Path, rules: str, degrees: Any) -> None:
    settings = Settings(game=GameSettings(rules=rules), board=BoardSettings(rotation_degrees=degrees))

    async def play() -> None:
        async with table(tmp_path, settings) as board:
            game = Game(BOOKS[rules])
            rng = random.Random(2)
            for _ in range(4):
                move = rng.choice(board.daemon.session.game.legal_moves())
                await board.play(move)
                game.play(move)
            assert board.daemon.session.game.position == game.position
            lights = board.daemon.hands.board.lights
            shining = {board.daemon.hands._name(place) for place in lights.lit()}
            assert shining == set(board.lit)

    run(play)


def test_the_last_picture_is_black(tmp_path: Path) -> None:
    async def play() -> None:
        async with table(tmp_path) as board:
            lights = board.daemon.hands.board.lights
            assert lights.lit()
        assert set(lights.picture) == {BLACK}
        assert not lights.is_open

    run(play)


def test_a_fault_of_the_program_still_puts_the_lights_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        board = Table(tmp_path)
        running = asyncio.create_task(board.daemon.run(board.stop))
        await board.wait(0.5)
        lights = board.daemon.hands.board.lights
        assert lights.lit()

        def broken(now: float) -> None:
            raise ZeroDivisionError("a fault")

        monkeypatch.setattr(board.daemon.session, "step", broken)
        await board.wait(0.5)
        with pytest.raises(ZeroDivisionError):
            await asyncio.wait_for(running, 10)
        assert set(lights.picture) == {BLACK}

    run(play)


def test_pages_hear_of_changes_and_one_that_never_looks_delays_nothing(tmp_path: Path) -> None:
    async def play() -> None:
        async with table(tmp_path) as board:
            idle, eager = board.face.subscribe(), board.face.subscribe()
            first = [asyncio.ensure_future(anext(subscription)) for subscription in (idle, eager)]
            await board.clock.settle()
            assert not any(task.done() for task in first)
            await board.make("d1", "d3")
            assert all(task.done() for task in first)
            assert board.played == ["d1-d3"]
            await anext(eager)  # many changes are one
            again = asyncio.ensure_future(anext(eager))
            await board.wait(1.0)
            assert not again.done()
            again.cancel()

    run(play)


@pytest.mark.parametrize(
    ("sealed", "why"),
    [(False, "game 1: ply 2 is not as it was written"), (True, "game 1: cannot be played again: move: found d1-d9")],
)
def test_a_game_that_cannot_be_gone_on_with_is_set_aside(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, sealed: bool, why: str
) -> None:
    async def first() -> None:
        async with table(tmp_path) as board:
            await board.make("d1", "d3")
            await board.make("e3", "h3")

    run(first)
    database = Database(tmp_path / FILE_NAME, lambda: datetime.now(UTC))
    found = database.open()
    assert found is not None
    if sealed:
        database.write(replace(found, moves=(replace(found.moves[0], destination="d9"), *found.moves[1:])))
    else:
        assert database._connection is not None
        database._connection.execute("UPDATE moves SET destination = 'e9' WHERE ply = 2")
    database.close()

    async def second() -> None:
        async with table(tmp_path) as board:
            assert board.state["stored"]
            assert board.state["damaged"] == "games-damaged-1.sqlite3"
            assert board.played == ([] if sealed else ["d1-d3"])
            if not sealed:  # the board stands as it was left, and asks for what is not known any more
                await board.wait(2.0)
                assert (board.lit["e3"], board.lit["h3"]) == ("question", "question")

    with caplog.at_level(logging.WARNING):
        run(second)
    assert len(caplog.records) == 1
    assert why in caplog.messages[0]
    assert "kept as games-damaged-1.sqlite3" in caplog.messages[0]
    assert stored_moves(tmp_path, 1) == ([] if sealed else ["d1-d3"])
    aside = Database(tmp_path / "games-damaged-1.sqlite3", lambda: datetime.now(UTC))
    if sealed:
        assert aside.open() is not None
    aside.close()


def test_traces_are_rotated_while_games_go_on(tmp_path: Path) -> None:
    settings = Settings(storage=StorageSettings(trace_files=50))

    async def play() -> None:
        rng = random.Random(9)
        async with table(tmp_path, settings) as board:
            board.daemon.session._recorder._file_bytes = 1_500  # the least that can be configured is ten times a game
            while board.daemon.session.game.result is None and len(board.played) < 90:
                await one_turn(board, rng)
            await board.wait(2.0)

    run(play)
    assert len(trace_files(tmp_path / DIRECTORY_NAME)) > 3
    assert replayed(tmp_path, 1) == stored_moves(tmp_path)
