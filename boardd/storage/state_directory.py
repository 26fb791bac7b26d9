"""Finds the state directory and holds it for one daemon at a time: touches the disk (fcntl).

Owns where games and traces live, the lock on that, and the file with the process id. Must not know what is kept there.
"""

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from boardd.errors import BoarddError

LOCK_NAME = "konakis.lock"
"""The lock file; it holds the process id of the daemon that has it and is never deleted (that would be a race)."""


class StateDirectoryError(BoarddError, OSError):
    """The state directory cannot be used."""


class AlreadyRunningError(StateDirectoryError):
    """Another daemon holds the state directory."""


def find(configured: str, environment: Mapping[str, str], home: Path) -> Path:
    """Choose the state directory: configured, or systemd's, or below the user's state home.

    Args:
        configured: `[storage] directory`, empty when not given; `~` is the user's home.
        environment: where STATE_DIRECTORY (systemd's, the first of several) and XDG_STATE_HOME are looked for.
        home: the user's home directory.

    """
    if configured:
        return home / configured[2:] if configured.startswith("~/") else Path(configured)
    given = environment.get("STATE_DIRECTORY", "").split(":")[0]
    if given:
        return Path(given)
    state_home = environment.get("XDG_STATE_HOME", "")
    # the XDG specification has relative paths ignored
    base = Path(state_home) if state_home.startswith("/") else home / ".local" / "state"
    return base / "konakis"


def make(directory: Path) -> None:
    """Make the directory where it is missing, for its user only.

    Raises:
        StateDirectoryError: it cannot be made, or something else is there.

    """
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StateDirectoryError(
            f"state directory {directory}: cannot be made: {error.strerror}; choose one with [storage] directory"
        ) from error


class Lock:
    """Holds the state directory from `with` to its end, or to the process's, however it dies.

    Both the directory and the file in it are locked: the directory as the file may be deleted, the file as some disks
    of a network lock no directories.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._descriptors: list[int] = []

    def __enter__(self) -> "Lock":
        """Take the lock.

        Raises:
            AlreadyRunningError: with the other's process id.
            StateDirectoryError: there is no such directory, or something else in the place of the lock file.

        """
        try:
            self._descriptors.append(os.open(self._directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        except OSError as error:
            raise StateDirectoryError(f"state directory {self._directory}: {error.strerror}") from error
        try:
            file = self._open_file()
            self._take(self._descriptors[0], file, needed=file is None)
            if file is not None:
                self._take(file, file, needed=True)
                with contextlib.suppress(OSError):  # on a full disk the next one is refused without our process id
                    os.ftruncate(file, 0)
                    os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        except BaseException:
            self._let_go()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Let the lock go."""
        self._let_go()

    def _open_file(self) -> int | None:
        """Open the lock file; None on a disk that is read only, where the directory alone is locked."""
        path = self._directory / LOCK_NAME
        try:
            # a pipe would else hold us up until somebody opens its other end
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
        except OSError:
            return None
        self._descriptors.append(file)
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise StateDirectoryError(f"{path}: found no plain file, expected the lock of konakis; delete it")
        return file

    def _take(self, descriptor: int, file: int | None, *, needed: bool) -> None:
        """Lock one of the two."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno != errno.EWOULDBLOCK and not needed:
                return
            holder = "" if file is None else os.pread(file, 32, 0).decode("ascii", "replace").strip()
            raise AlreadyRunningError(
                f"state directory {self._directory}: in use by another konakis, process {holder or 'unknown'}"
            ) from error

    def _let_go(self) -> None:
        while self._descriptors:
            os.close(self._descriptors.pop())
