import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from boardd.storage.state_directory import AlreadyRunningError, Lock, StateDirectoryError, find, make

HOME = Path("/home/someone")

HOLDER = """
import sys
from pathlib import Path
from boardd.storage.state_directory import Lock
with Lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.parametrize(
    ("configured", "environment", "expected"),
    [
        ("/srv/board", {"STATE_DIRECTORY": "/var/lib/konakis"}, "/srv/board"),
        ("~/board", {}, "/home/someone/board"),
        ("board", {}, "board"),
        ("", {"STATE_DIRECTORY": "/var/lib/konakis", "XDG_STATE_HOME": "/x"}, "/var/lib/konakis"),
        ("", {"STATE_DIRECTORY": "/var/lib/konakis:/var/lib/other"}, "/var/lib/konakis"),
        ("", {"XDG_STATE_HOME": "/x"}, "/x/konakis"),
        ("", {"XDG_STATE_HOME": "x"}, "/home/someone/.local/state/konakis"),
        ("", {"XDG_STATE_HOME": "", "STATE_DIRECTORY": ""}, "/home/someone/.local/state/konakis"),
    ],
)
def test_the_directory_is_found(configured: str, environment: dict[str, str], expected: str) -> None:
    assert find(configured, environment, HOME) == Path(expected)


def test_the_directory_is_made_for_its_user_only(tmp_path: Path) -> None:
    directory = tmp_path / "a" / "b"
    make(directory)
    make(directory)
    assert directory.stat().st_mode & 0o777 == 0o700


def test_a_file_in_the_way_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(StateDirectoryError, match=r"cannot be made: .*; choose one with \[storage\] directory"):
        make(tmp_path / "a")


def test_a_second_holder_is_refused_with_the_first_ones_process_id(tmp_path: Path) -> None:
    with (
        subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as holder,
    ):
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with (
            pytest.raises(AlreadyRunningError, match=rf"in use by another konakis, process {holder.pid}$"),
            Lock(tmp_path),
        ):
            pass
        holder.kill()
        holder.wait()
        with Lock(tmp_path):  # a killed holder leaves nothing in the way
            assert (tmp_path / "konakis.lock").read_text() == f"{os.getpid()}\n"


def test_it_can_be_taken_again_after_it_was_let_go(tmp_path: Path) -> None:
    for _ in range(2):
        with Lock(tmp_path), pytest.raises(AlreadyRunningError, match=f"process {os.getpid()}"), Lock(tmp_path):
            pass


def test_a_deleted_lock_file_lets_nobody_in(tmp_path: Path) -> None:
    with Lock(tmp_path):
        (tmp_path / "konakis.lock").unlink()
        with pytest.raises(AlreadyRunningError, match="process unknown"), Lock(tmp_path):
            pass
    with Lock(tmp_path):
        pass


@pytest.mark.parametrize("make_odd", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_something_else_in_place_of_the_lock_file_is_told(tmp_path: Path, make_odd: Callable[[Path], None]) -> None:
    make_odd(tmp_path / "konakis.lock")
    with pytest.raises(StateDirectoryError, match=r"konakis.lock: found no plain file, .*; delete it"), Lock(tmp_path):
        pass


def test_where_no_file_can_be_made_the_directory_itself_is_locked(tmp_path: Path) -> None:
    (tmp_path / "konakis.lock").mkdir()  # stands for a read-only disk: opening it for writing fails
    with Lock(tmp_path), pytest.raises(AlreadyRunningError, match="process unknown"), Lock(tmp_path):
        pass


def test_a_missing_directory_is_told(tmp_path: Path) -> None:
    with pytest.raises(StateDirectoryError, match="No such file"), Lock(tmp_path / "none"):
        pass


def test_a_disk_without_room_for_the_process_id_is_held_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    with Lock(tmp_path), pytest.raises(AlreadyRunningError, match="process unknown"), Lock(tmp_path):
        pass
