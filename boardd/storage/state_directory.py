"""Finds the state directory and holds it for one daemon at a time: touches the disk (fcntl).

Owns where games and traces live and the lock file with the process id. Must not know what is kept there.
"""

import fcntl
import os
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
    """Holds the state directory from `with` to its end, or to the process's, however it dies."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._descriptor: int | None = None

    def __enter__(self) -> "Lock":
        """Take the lock.

        Raises:
            AlreadyRunningError: with the other's process id.

        """
        path = self._directory / LOCK_NAME
        writable = True
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            # a read-only disk: the directory itself can be locked, though it cannot hold a process id
            writable = False
            try:
                descriptor = os.open(self._directory, os.O_RDONLY | os.O_CLOEXEC)
            except OSError as error:
                raise StateDirectoryError(f"state directory {self._directory}: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() if writable else ""
            os.close(descriptor)
            raise AlreadyRunningError(
                f"state directory {self._directory}: in use by another konakis, process {holder or 'unknown'}"
            ) from error
        if writable:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self._descriptor = descriptor
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Let the lock go."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
