"""A games' file whose begin a card lost is set aside, what can still be read is taken over, and play goes on."""

import asyncio
import logging
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from boardd.doctor.computer import storage
from boardd.doctor.finding import State
from boardd.storage import images
from boardd.storage.schema import DamagedStoreError
from boardd.storage.store import FILE_NAME
from boardd.storage.write_ahead import log_of
from tests.boardd.commands import Terminal
from tests.boardd.daemons import table
from tests.boardd.damaging import NEW, NEXT, OLD, content, opened, write_and_crash, write_small, write_version_2
from tests.boardd.patients import MATRIX_SPI, situation

pytestmark = pytest.mark.usefixtures("quick_disk")

Damage = Callable[[bytes], bytes]

ALL, NONE = (OLD, NEW), ()

HEADS: dict[str, tuple[Damage, tuple[object, ...]]] = {
    "zeros in the magic":   (lambda data: bytes(16) + data[16:], ALL),
    "zeros in the header":  (lambda data: bytes(100) + data[100:], ALL),
    "a sector of zeros":    (lambda data: bytes(512) + data[512:], ALL),
    "a page of zeros":      (lambda data: bytes(4096) + data[4096:], ALL),
    "a page of noise":      (lambda data: random.Random(7).randbytes(4096) + data[4096:], ALL),
    "a page of ones":       (lambda data: b"\xff" * 4096 + data[4096:], ALL),
    "all but a page zeros": (lambda data: bytes(len(data) - 4096) + data[-4096:], NONE),
    "zeros alone":          (lambda data: bytes(len(data)), NONE),
    "noise alone":          (lambda data: random.Random(8).randbytes(len(data)), NONE),
    "a short text":         (lambda data: b"dear diary", NONE),
    "a long text":          (lambda data: b"dear diary\n" * 2000, NONE),
    "one zero":             (lambda data: b"\0", NONE),
    "a zeroed header cut off": (lambda data: bytes(100), NONE),
}  # fmt: skip
"""What became of the file's begin, and which games must be had from the rest."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("small") / FILE_NAME
    write_small(path)
    return path.read_bytes()


@pytest.mark.parametrize(("damage", "games"), HEADS.values(), ids=HEADS)
def test_a_file_without_its_head_is_set_aside_and_read_as_far_as_it_goes(
    tmp_path: Path, small: bytes, damage: Damage, games: tuple[object, ...]
) -> None:
    path = tmp_path / FILE_NAME
    damaged = damage(small)
    path.write_bytes(damaged)
    with opened(path) as database:
        for ask in (database.open, database.open_reading, database.look):
            with pytest.raises(
                DamagedStoreError, match=f"^{path}: not a sound database: found .* at its begin$"
            ) as told:
                ask()
        assert [file.name for file in tmp_path.iterdir()] == [FILE_NAME], "looking changed something"
        assert database.rescue(told.value) == (NEW if games else None)
        assert database.write(NEXT, begins=not games) == (2 if games else 1)
        assert database.rescued is not None
        assert database.rescued.losses == ()
    aside = tmp_path / "games-damaged-1.sqlite3"
    assert aside.read_bytes() == damaged
    assert content(path).games == ((OLD, NEXT) if games else (NEXT,))
    assert sorted(file.name for file in tmp_path.iterdir()) == [aside.name, FILE_NAME]


@pytest.mark.parametrize("zeros", [0, 16, 100, 4096, None])
def test_what_the_log_holds_is_taken_over_with_it(tmp_path: Path, zeros: int | None) -> None:
    """Of an empty file SQLite would delete the log."""
    path = tmp_path / FILE_NAME
    file, log = write_and_crash(path)
    damaged = b"" if zeros == 0 else bytes(len(file)) if zeros is None else bytes(zeros) + file[zeros:]
    path.write_bytes(damaged)
    log_of(path).write_bytes(log)
    with opened(path) as database:
        with pytest.raises(DamagedStoreError) as told:
            database.open()
        assert database.rescue(told.value) == NEW
        assert database.game(1) == OLD
    aside = tmp_path / "games-damaged-1.sqlite3"
    assert (aside.read_bytes(), log_of(aside).read_bytes()) == (damaged, log)


def test_what_is_damaged_behind_the_head_is_lost_and_told(tmp_path: Path, small: bytes) -> None:
    path = tmp_path / FILE_NAME
    place = small.index(b"Eva")
    path.write_bytes(bytes(4096) + small[4096:place] + b"Ewa" + small[place + 3 :])
    with opened(path) as database:
        with pytest.raises(DamagedStoreError) as told:
            database.open()
        assert database.rescue(told.value) is None
        assert database.rescued is not None
        assert database.rescued.losses == ("game 2: its heading is not as it was written",)
        assert database.game(1) == OLD


def test_a_file_of_an_older_make_still_has_its_games_under_a_new_header(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    write_version_2(path)
    assert content(path).games == ALL
    path.write_bytes(bytes(100) + path.read_bytes()[100:])
    with opened(path) as database:
        with pytest.raises(DamagedStoreError) as told:
            database.open()
        assert database.rescue(told.value) == NEW
        assert database.game(1) == OLD


def test_a_file_too_great_to_be_copied_is_set_aside_all_the_same(
    tmp_path: Path, small: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "HEADLESS_MAX_BYTES", len(small) - 1)
    path = tmp_path / FILE_NAME
    path.write_bytes(bytes(100) + small[100:])
    with opened(path) as database:
        with pytest.raises(DamagedStoreError) as told:
            database.open()
        assert database.rescue(told.value) is None
        assert database.games() == []


def test_an_empty_file_is_a_first_start_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.touch()
    with opened(path) as database:
        database.look()
        assert path.stat().st_size == 0
        assert database.open() is None
        assert database.write(NEW) == 1
    assert [file.name for file in tmp_path.iterdir()] == [FILE_NAME]


def test_a_daemon_goes_on_with_the_game_whose_file_lost_its_first_page(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def first() -> None:
        async with table(tmp_path) as board:
            await board.make("d1", "d3")

    async def second() -> None:
        async with table(tmp_path) as board:
            assert board.state["stored"]
            assert board.state["damaged"] == "games-damaged-1.sqlite3"
            assert board.played == ["d1-d3"]

    asyncio.run(first())
    path = tmp_path / FILE_NAME
    path.write_bytes(bytes(4096) + path.read_bytes()[4096:])
    with caplog.at_level(logging.WARNING):
        asyncio.run(second())
    assert len(caplog.messages) == 1
    assert "found zeros at its begin; the file is kept as games-damaged-1.sqlite3; games taken over: 1" in caplog.text


def test_games_that_cannot_be_read_are_told_in_one_line(konakis: Terminal, tmp_path: Path, small: bytes) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(bytes(4096) + small[4096:])
    config = tmp_path / "board.toml"
    config.write_text(f'[storage]\ndirectory = "{tmp_path}"\n')
    for command in (("games", "list"), ("games", "show", 1), ("games", "export", 1)):
        complaint = konakis(*command, "--config", config).complaint
        assert complaint.startswith(
            f"{path}: not a sound database: found zeros at its begin; konakis run sets the file"
        )
    assert path.read_bytes() == bytes(4096) + small[4096:]


@pytest.mark.parametrize(
    ("head", "state", "found", "advice"),
    [
        (b"SQLite", State.OK, "", ""),
        (bytes(100), State.WARNING, "found zeros at its begin", "the next start sets the file aside, keeps it"),
        (b"dear diary", State.WARNING, "found b'dear diary", "copy the directory"),
    ],
)
def test_the_doctor_looks_at_the_games_and_changes_nothing(
    tmp_path: Path, small: bytes, head: bytes, state: State, found: str, advice: str
) -> None:
    it = situation(tmp_path, MATRIX_SPI)
    path = it.directory / FILE_NAME
    path.write_bytes(head + small[len(head) :])
    before = {file: file.stat().st_mtime_ns for file in it.directory.iterdir()}
    finding = storage(it)
    assert finding.state is state
    assert found in finding.found
    assert advice in finding.advice
    assert {file: file.stat().st_mtime_ns for file in it.directory.iterdir()} == before
    it.in_use = True  # a file that is being written may look like anything
    assert storage(it).state is State.OK


def test_the_doctor_finds_damage_within_and_files_that_are_not_ours(tmp_path: Path, small: bytes) -> None:
    it = situation(tmp_path, MATRIX_SPI)
    path = it.directory / FILE_NAME
    path.write_bytes(small.replace(b"Eva", b"Ewa"))
    assert storage(it).state is State.WARNING
    assert "game 2: its heading is not as it was written" in storage(it).found
    path.write_bytes(small[:60] + (99).to_bytes(4) + small[64:])
    assert storage(it).state is State.FAULT
    assert "written by a newer konakis" in storage(it).found
    path.write_bytes(b"")
    assert storage(it).state is State.OK
