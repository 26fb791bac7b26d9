"""What is no file in the state directory, and files without end: told in a line, or passed over, never waited for."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from boardd.storage import cutting, write_ahead
from boardd.storage.cutting import cut
from boardd.storage.schema import DamagedStoreError, UnusableStoreError
from boardd.storage.state_directory import LOCK_NAME
from boardd.storage.store import FILE_NAME
from boardd.storage.trace_files import trace_files
from tests.boardd.commands import Terminal
from tests.boardd.damaging import NEW, OLD, opened, write_and_crash
from tests.boardd.test_recorder import BOARD, DAY, START, Bench

pytestmark = pytest.mark.usefixtures("quick_disk")

Make = Callable[[Path], object]


ODD: dict[str, Make] = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "directory": Path.mkdir,
}


@pytest.mark.parametrize("make", ODD.values(), ids=ODD)
@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
def test_what_is_no_file_of_games_is_told(tmp_path: Path, suffix: str, make: Make) -> None:
    path = tmp_path / FILE_NAME
    with opened(path) as database:
        database.write(OLD)
    odd = path.with_name(FILE_NAME + suffix)
    odd.unlink(missing_ok=True)
    make(odd)
    with opened(path) as database:
        for use in (database.open, database.open_reading, lambda: database.write(NEW)):
            with pytest.raises(UnusableStoreError, match=f"^{odd}: found no plain file, .*; move it away$"):
                use()


@pytest.mark.parametrize(
    ("name", "command"),
    [
        (FILE_NAME, ("games", "list")),
        (FILE_NAME, ("games", "show", 1)),
        (FILE_NAME, ("run", "--no-open")),
        (LOCK_NAME, ("run", "--no-open")),
    ],
)
def test_a_command_names_it_and_ends(konakis: Terminal, tmp_path: Path, name: str, command: tuple[object, ...]) -> None:
    os.mkfifo(tmp_path / name)
    config = tmp_path / "board.toml"
    config.write_text(f'[storage]\ndirectory = "{tmp_path}"\n[page]\nport = 0\n')
    assert konakis(*command, "--config", config).complaint.startswith(f"{tmp_path / name}: found no plain file")


def test_a_log_without_end_is_set_aside_and_nothing_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / FILE_NAME
    file, log = write_and_crash(path)
    path.write_bytes(file)
    write_ahead.log_of(path).write_bytes(log)
    monkeypatch.setattr(write_ahead, "LOG_MAX_BYTES", len(log))
    os.truncate(write_ahead.log_of(path), len(log) + 1)
    with opened(path) as database:
        with pytest.raises(DamagedStoreError, match=f"{FILE_NAME}-wal: damaged: found more than") as damaged:
            database.open()
        assert database.rescue(damaged.value) == NEW
        assert database.game(1) == OLD


@pytest.mark.parametrize("make", ODD.values(), ids=ODD)
def test_a_recorder_begins_a_new_file_after_what_is_none(tmp_path: Path, make: Make) -> None:
    bench = Bench(tmp_path / "traces")
    bench.directory.mkdir()
    make(bench.directory / "trace-000007.jsonl")
    recorder = bench.recorder(files=2)
    recorder.start(0.0, START, BOARD, DAY)
    for number in range(3):
        recorder._bytes = recorder._file_bytes  # full
        recorder.quiet(1.0 + number, START, DAY)
    recorder._writer.wait()
    assert not recorder._writer.broken
    recorder.close(5.0)
    names = [path.name for path in trace_files(bench.directory)]
    kept = ["trace-000010.jsonl", "trace-000011.jsonl"]
    assert names == kept or (make is Path.mkdir and names == ["trace-000007.jsonl", *kept])


@pytest.mark.parametrize("make", ODD.values(), ids=ODD)
def test_a_piece_is_cut_past_what_is_no_file(tmp_path: Path, make: Make) -> None:
    bench = Bench(tmp_path / "traces")
    bench.started().close(101.0)
    odd = bench.directory / "trace-000000009.jsonl"
    make(odd)
    told: list[str] = []
    assert cut(trace_files(bench.directory), 1, told.append).ply == 0
    assert [line.split(": ")[0] for line in told] == [str(odd)]


def test_a_piece_is_cut_past_files_and_lines_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path / "traces")
    bench.started().close(101.0)
    (sound,) = trace_files(bench.directory)
    giant = bench.directory / "trace-000009.jsonl"
    giant.touch()
    os.truncate(giant, cutting.FILE_MAX_BYTES + 1)
    told: list[str] = []
    cut([sound, giant], 1, told.append)
    assert [line.split(": ")[0] for line in told] == [str(giant)]
    with sound.open("a") as file:
        file.write("7" * 200_000 + '\n{"t":60.0,"lift":["d1"]}\n')
    monkeypatch.setattr(cutting, "_read", read := Longest(cutting._read))
    assert cut([sound], 1).lines[0] == {"t": 60.0, "lift": ["d1"]}
    assert read.longest <= cutting.LINE_MAX_BYTES


class Longest:
    """Notes how much is read at once."""

    def __init__(self, real: Callable[[bytes], object]) -> None:
        self._real = real
        self.longest = 0

    def __call__(self, text: bytes) -> object:
        self.longest = max(self.longest, len(text))
        return self._real(text)
