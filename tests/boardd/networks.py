"""Two computers on one cable, for tests: network namespaces, and a page's server in one of them.

Nothing of this computer's own network is touched, and the namespaces go with their processes. Where they cannot be had
(no `ip` or `unshare`, or a kernel that lets nobody but root make them), the second computer is this one, called by an
address of its own that is not the loopback's.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from boardd.access import reachable

BOARD, PHONE = "10.99.0.1", "10.99.0.2"
"""Addresses that a home may have, on a network that is only ours."""


@dataclass(frozen=True, slots=True)
class Network:
    """Where the board runs, and where the stranger.

    Args:
        board: what to put before a command that runs on the board's computer.
        phone: the same for the other one's.
        address: the board's, as the other one knows it.
        apart: whether they really are two.

    """

    board: tuple[str, ...]
    phone: tuple[str, ...]
    address: str
    apart: bool


@contextlib.contextmanager
def network() -> Iterator[Network]:
    """Give two computers on one cable; if there is no other way, one that is called by its address.

    Raises:
        LookupError: there is neither; says why.

    """
    with contextlib.ExitStack() as stack:
        try:
            yield _apart(stack)
        except OSError as error:
            why = str(error)
        else:
            return
    address = reachable("0.0.0.0")
    if address.startswith("127.") or not address[0].isdigit():
        raise LookupError(f"no second network ({why}), and this computer has no address but the loopback's")
    yield Network((), (), address, apart=False)


def _apart(stack: contextlib.ExitStack) -> Network:
    """Make two network namespaces, joined by a cable.

    Raises:
        OSError: that cannot be done here.

    """
    missing = [tool for tool in ("ip", "unshare", "nsenter") if shutil.which(tool) is None]
    if missing:
        raise OSError(f"{missing[0]} is missing")
    own_users = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    board = stack.enter_context(_computer(["unshare", *own_users, "--net"]))
    into_board = _into(board, users=bool(own_users))
    phone = stack.enter_context(_computer([*into_board, "unshare", "--net"]))
    into_phone = _into(phone, users=bool(own_users))
    _run(*into_board, "ip", "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", str(phone))
    for into, address in ((into_board, BOARD), (into_phone, PHONE)):
        _run(*into, "ip", "addr", "add", f"{address}/24", "dev", "cable")
        _run(*into, "ip", "link", "set", "cable", "up")
        _run(*into, "ip", "link", "set", "lo", "up")
    _run(*into_board, "ip", "route", "add", "default", "via", PHONE)
    return Network(into_board, into_phone, BOARD, apart=True)


@contextlib.contextmanager
def _computer(command: Sequence[str]) -> Iterator[int]:
    """Keep a namespace while the context lasts; give a process that lives in it."""
    waiting = "print(__import__('os').getpid(), flush=True); __import__('sys').stdin.read()"
    with subprocess.Popen(
        [*command, sys.executable, "-c", waiting],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        if not line:
            raise OSError(process.stderr.read().strip() or "no namespace")
        try:
            yield int(line)
        finally:
            process.stdin.close()


def _into(process: int, *, users: bool) -> tuple[str, ...]:
    return ("nsenter", "--target", str(process), "--net", *(["--user", "--preserve-credentials"] if users else []))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"{' '.join(command[-6:])}: {done.stderr.strip()}")
