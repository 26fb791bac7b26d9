"""What the doctor looks at: the computer, who runs on it, the configuration. Touches the computer, to read.

Everything that a check may ask stands here, so that a test can make it up.
"""

from __future__ import annotations

import asyncio
import grp
import logging
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from boardd.computer import engine_process
from boardd.computer.engine_failure import EngineFailedError
from boardd.house import configured_book
from boardd.settings import Settings
from engine import Book, EngineError
from hardware.boards import Board
from hardware.machine import Machine

COMMAND_S = 5.0
"""None of the commands that are asked needs longer than a tenth of a second."""
STANDARD_SIZE = 9


@dataclass(slots=True)
class Situation:
    """All there is to look at.

    Args:
        settings: the configuration, or as delivered where it could not be read.
        directory: the state directory.
        where: what the configuration is called.
        problems: what is wrong with it, a line each.
        unread: whether it could not even be read, so that nothing is known of what it would have said.
        machine: the computer's files.
        uid: the user's number; 0 is root.
        groups: the names of the user's groups.
        python: the version of Python.
        system: what `platform` calls the operating system and the processor.
        now: the time of day, seconds since 1970.
        command: runs a command and gives its output; None if it cannot be run.
        free_bytes: of the disk of a path; None if it cannot be told.
        may_write: whether a path can be written.
        greet: starts an engine's command and hears its greeting; gives None, or why there was none.
        board: makes the configured board, for the checks that open it; None leaves them out.
        left_out: why, if it does.
        in_use: whether a daemon has the state directory, so that its files change while they are looked at.
        watch_s: how long sensors are watched.
        progress: told what is going on meanwhile.

    """

    settings: Settings
    directory: Path
    where: str = "the configuration"
    problems: Sequence[str] = ()
    unread: bool = False
    machine: Machine = field(default_factory=Machine)
    uid: int = field(default_factory=os.getuid)
    groups: frozenset[str] = field(default_factory=lambda: own_groups())
    python: tuple[int, int, int] = field(default_factory=lambda: sys.version_info[:3])
    system: str = field(default_factory=lambda: f"{platform.system()} {platform.release()} {platform.machine()}")
    now: float = field(default_factory=time.time)
    command: Callable[[Sequence[str]], str | None] = field(default_factory=lambda: run_command)
    free_bytes: Callable[[Path], int | None] = field(default_factory=lambda: free_bytes)
    may_write: Callable[[Path], bool] = field(default_factory=lambda: lambda path: os.access(path, os.W_OK))
    greet: Callable[[Sequence[str]], str | None] = field(default_factory=lambda: greet_engine)
    board: Callable[[], Board] | None = None
    left_out: str = "left out"
    in_use: bool = False
    watch_s: float = 2.0
    progress: Callable[[str], None] = lambda text: None

    @property
    def size(self) -> int:
        """Squares a side of the configured book's board."""
        return STANDARD_SIZE if self.book is None else self.book.size

    @property
    def book(self) -> Book | None:
        """The configured rules; None if there are no such."""
        try:
            return configured_book(self.settings.game)
        except EngineError:
            return None

    @property
    def wired(self) -> bool:
        """Whether the configured board is a real one."""
        return self.settings.board.kind != "simulated"


def own_groups() -> frozenset[str]:
    """Name the groups of this process's user."""
    names = set()
    for number in os.getgroups():
        try:
            names.add(grp.getgrgid(number).gr_name)
        except KeyError:
            names.add(str(number))
    return frozenset(names)


def run_command(arguments: Sequence[str]) -> str | None:
    """Run a command and give what it prints; None if it is not there, fails or takes too long."""
    program = shutil.which(arguments[0])
    if program is None:
        return None
    try:
        done = subprocess.run([program, *arguments[1:]], capture_output=True, text=True, timeout=COMMAND_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def greet_engine(command: Sequence[str]) -> str | None:
    """Start an engine, hear its greeting and end it; tell why there was none. The log hears nothing of it."""
    log = logging.getLogger(engine_process.__package__)
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        return asyncio.run(_greet(command))
    finally:
        log.setLevel(level)


async def _greet(command: Sequence[str]) -> str | None:
    process = engine_process.EngineProcess(command)
    try:
        await process.greet()
    except EngineFailedError as error:
        return str(error)
    finally:
        await process.close()
    return None


def free_bytes(path: Path) -> int | None:
    """Tell the free bytes of the disk on which a path is or would be."""
    for place in (path, *path.parents):
        if place.exists():
            try:
                return shutil.disk_usage(place).free
            except OSError:
                return None
    return None
