import asyncio
import json
import sqlite3
from pathlib import Path

import pytest

from boardd.storage.trace_files import DIRECTORY_NAME, trace_files
from tests.boardd.commands import Terminal
from tests.boardd.daemons import table

pytestmark = pytest.mark.usefixtures("quick_disk")


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A configuration whose state directory holds a finished game and one that is being played."""

    async def play() -> None:
        async with table(tmp_path / "state") as board:
            await board.say("names", attackers="Anna", defenders="Борис")
            await board.make("d1", "d3")
            await board.make("c5", "c4")
            await board.command("resign")
            await board.command("new-game")
            await board.wait(1.0)
            await board.make("e2", "g2")

    asyncio.run(play())
    config = tmp_path / "board.toml"
    config.write_text(f'[storage]\ndirectory = "{tmp_path / "state"}"\n')
    return config


def test_all_games_are_listed(konakis: Terminal, played: Path) -> None:
    first, second = konakis("games", "list", "--config", played, "--json").json["games"]
    assert {key: first[key] for key in ("number", "rules", "plies", "winner", "reason", "attackers", "defenders")} == {
        "number": 1,
        "rules": "tablut-edge",
        "plies": 2,
        "winner": "defenders",
        "reason": "resignation",
        "attackers": "Anna",
        "defenders": "Борис",
    }
    assert first["started"].startswith("2026-03-01T18:00:0")
    assert first["ended"] > first["started"]
    assert (second["number"], second["plies"], second["reason"], second["ended"]) == (2, 1, None, None)
    out = konakis("games", "list", "--config", played).out
    assert "defenders (resignation)" in out


def test_one_game_is_shown(konakis: Terminal, played: Path) -> None:
    answer = konakis("games", "show", 1, "--config", played, "--json").json
    assert [ply["move"] for ply in answer["plies"]] == ["d1-d3", "c5-c4"]
    assert answer["result"] == {"winner": "defenders", "reason": "resignation"}
    out = konakis("games", "show", 1, "--config", played).out
    assert "Anna against Борис" in out
    assert "1  d1-d3      c5-c4" in out
    assert "\n4  t . T . T . . . t\n" in out
    assert "2 plies; defenders win (resignation)" in out
    assert "1 ply; defenders to move" in konakis("games", "show", 2, "--config", played).out


def test_an_exported_game_is_verified(konakis: Terminal, played: Path) -> None:
    record = konakis("games", "export", 1, "--config", played).out
    assert "[attackers:Anna]\n[defenders:Борис]\n" in record
    assert "[result:-1]\n[termination:resignation]\n" in record
    answer = konakis("verify", "-", "--json", stdin=record).json
    assert answer["rules"] == "tablut-edge"
    assert [ply["move"] for ply in answer["plies"]] == ["d1-d3", "c5-c4"]


def test_a_games_trace_replays_to_the_game(konakis: Terminal, played: Path) -> None:
    for number, moves in ((1, ["d1-d3", "c5-c4"]), (2, ["e2-g2"])):
        ran = konakis("games", "trace", number, "--config", played)
        assert ran.err == ""
        end = konakis("replay", "-", "--json", stdin=ran.out).lines[-1]
        assert end["moves"] == moves
    assert json.loads(konakis("games", "trace", 1, "--config", played).out.splitlines()[0])["game"] == 1


def test_a_trace_that_does_not_give_the_game_says_so(konakis: Terminal, played: Path) -> None:
    (path,) = trace_files(played.parent / "state" / DIRECTORY_NAME)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"c5"' not in line or "konakis" in line))
    ran = konakis("games", "trace", 1, "--config", played)
    assert ran.status == 0
    assert "does not give the game's moves" in ran.err
    path.write_text("")
    assert "found nothing of game 1" in konakis("games", "trace", 1, "--config", played).complaint


def test_no_games_are_no_error_until_one_is_asked_for(konakis: Terminal, tmp_path: Path) -> None:
    config = tmp_path / "board.toml"
    config.write_text(f'[storage]\ndirectory = "{tmp_path / "none"}"\n')
    assert konakis("games", "list", "--config", config).out == f"no games yet in {tmp_path / 'none'}\n"
    assert konakis("games", "list", "--config", config, "--json").json == {"games": []}
    for command in ("show", "export", "trace"):
        assert "found no games yet, expected game 1" in konakis("games", command, 1, "--config", config).complaint
    assert not (tmp_path / "none").exists()


def test_the_configuration_may_come_by_standard_input(konakis: Terminal, played: Path) -> None:
    games = konakis("games", "list", "--config", "-", "--json", stdin=played.read_text()).json["games"]
    assert len(games) == 2
    assert konakis("games", "list", "--config", "-", stdin="[play").complaint.startswith("standard input: not TOML")


def test_what_is_wrong_is_told_in_one_line(konakis: Terminal, played: Path, tmp_path: Path) -> None:
    assert konakis("games", "show", 7, "--config", played).complaint.endswith("found no game 7")
    assert konakis("games", "show", "x", "--config", played).complaint.startswith("games show: Invalid value")
    assert konakis("games", "list", "--config", tmp_path / "no.toml").complaint.endswith("No such file or directory")
    played.write_text("[storage]\ndirectroy = 'x'\n[play]\nhints = 3\n")
    complaint = konakis("games", "list", "--config", played).complaint
    assert "[storage] directroy: unknown key, did you mean directory?" in complaint
    assert "; also " in complaint
    (tmp_path / "state" / "games.sqlite3").write_text("not a database at all")
    played.write_text(f'[storage]\ndirectory = "{tmp_path / "state"}"\n')
    complaint = konakis("games", "list", "--config", played).complaint
    assert "not a sound database: found b'not a database a' at its begin; konakis run sets the file aside" in complaint
    assert (tmp_path / "state" / "games.sqlite3").read_text() == "not a database at all"


def damage(state: Path, statement: str) -> None:
    with sqlite3.connect(state / "games.sqlite3") as connection:
        connection.execute(statement)
    connection.close()


def test_a_damaged_old_game_is_shown_up_to_its_damage(konakis: Terminal, played: Path) -> None:
    damage(played.parent / "state", "UPDATE moves SET origin = 'a1' WHERE game = 1 AND ply = 2")
    ran = konakis("games", "list", "--config", played, "--json")
    assert [game["number"] for game in ran.json["games"]] == [1, 2]
    assert ran.err == "konakis: game 1: ply 2 is not as it was written\n"
    ran = konakis("games", "show", 1, "--config", played, "--json")
    assert [ply["move"] for ply in ran.json["plies"]] == ["d1-d3"]
    assert ran.json["result"] is None
    assert "ply 2 is not as it was written; what comes before is sound" in ran.err
    assert "d1-d3" in konakis("games", "export", 1, "--config", played).out
    assert konakis("games", "show", 2, "--config", played, "--json").err == ""


def test_a_file_whose_last_game_is_damaged_shows_what_is_sound_and_stays_as_it_is(
    konakis: Terminal, played: Path
) -> None:
    state = played.parent / "state"
    damage(state, "UPDATE games SET attackers = 'Eva' WHERE id = 2")
    before = (state / "games.sqlite3").read_bytes()
    ran = konakis("games", "list", "--config", played, "--json")
    assert [game["number"] for game in ran.json["games"]] == [1]
    assert "game 2: its heading is not as it was written; konakis run sets the file aside" in ran.err
    assert [ply["move"] for ply in konakis("games", "show", 1, "--config", played, "--json").json["plies"]] == [
        "d1-d3",
        "c5-c4",
    ]
    assert "its heading is not as it was written" in konakis("games", "show", 2, "--config", played).err
    assert (state / "games.sqlite3").read_bytes() == before
    damage(state, "DELETE FROM games WHERE id = 1")
    ran = konakis("games", "list", "--config", played, "--json")
    assert ran.json["games"] == []
    assert "found game 2 after game 0, expected it after game 1" in ran.err
    (state / "games.sqlite3").write_bytes(before[:5000])
    assert "games.sqlite3: " in konakis("games", "list", "--config", played).err
