"""Who may reach the page and who may act on it: the token, its file, the addresses to print. Touches disk and network.

The page on the loopback interface is its user's own and asks for nothing. Beyond it, watching is open and acting needs
the token, which travels in the part of an address that browsers keep to themselves (after the `#`). Owns both ideas;
`boardd.web` asks for the token, docs/security.md says against whom.
"""

from __future__ import annotations

import ipaddress
import os
import re
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path

from boardd.errors import BoarddError
from hardware.files import read_bytes

TOKEN_FILE = "access-token"
"""The file below the state directory. Whoever deletes it, and restarts the daemon, locks all phones out."""

TOKEN_FILE_MAX_BYTES = 1_000
"""A token has 22 characters."""

TOKEN_BYTES = 16
"""128 bits: cannot be guessed, and the QR code stays small."""

TOKEN_PATTERN = re.compile(r"[A-Za-z0-9_-]{22,86}")
"""At least TOKEN_BYTES in the alphabet of addresses."""

LOOPBACK_NAME = "localhost"
ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses that are nobody's (RFC 5737, RFC 3849), to ask the kernel which of ours leads out; nothing is sent."""

QUIET_MODULES = 4
"""The white frame that readers of QR codes expect (ISO/IEC 18004)."""

BLOCKS = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}
"""Two modules above each other in one character; drawn where the code is white, for terminals that are dark."""


class AccessError(BoarddError, OSError):
    """The token cannot be had."""


def is_loopback(host: str) -> bool:
    """Tell whether an address to listen on can be reached from this computer only."""
    return host == LOOPBACK_NAME or ipaddress.ip_address(host).is_loopback


def host_problem(host: str) -> str | None:
    """Say why nobody can listen there, or None. Names are refused: what they mean changes."""
    if host == LOOPBACK_NAME:
        return None
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return f"found {host!r}, expected an address: 127.0.0.1 for this computer alone, 0.0.0.0 for all networks"
    return None


def own_names(host: str) -> tuple[str, ...]:
    """Give the names that this computer is called by in the networks it listens to, beside its addresses."""
    if is_loopback(host):
        return ()
    name = socket.gethostname().split(".")[0].lower()
    return (name, f"{name}.local") if name and name != LOOPBACK_NAME else ()


def reachable(host: str) -> str:
    """Give the host that others write into their browsers to reach what listens on `host`."""
    if host == LOOPBACK_NAME:
        return host
    address = ipaddress.ip_address(host)
    if address.is_unspecified:
        families = (socket.AF_INET,) if address.version == 4 else (socket.AF_INET, socket.AF_INET6)
        found = next(filter(None, map(_leading_out, families)), None)
        if found is None:
            return next(iter(own_names(host)[-1:]), LOOPBACK_NAME)
        address = ipaddress.ip_address(found)
    return f"[{address}]" if address.version == 6 else str(address)


def _leading_out(family: socket.AddressFamily) -> str | None:
    """Ask the kernel which of our addresses it would send from; None without a network."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as wire:
            wire.connect((ELSEWHERE[family], 9))
            return str(wire.getsockname()[0])
    except OSError:
        return None


def token(directory: Path) -> str:
    """Read the token, or make one and keep it, so that a phone needs to be told only once.

    Raises:
        AccessError: it can be neither read nor kept.

    """
    path = directory / TOKEN_FILE
    try:
        found = read_bytes(path, TOKEN_FILE_MAX_BYTES).decode("ascii", errors="replace").strip()
    except FileNotFoundError:
        found = ""
    except OSError as error:
        raise AccessError(f"{path}: cannot be read: {error.strerror}; removed, it is made anew") from error
    if TOKEN_PATTERN.fullmatch(found):
        return found
    made = secrets.token_urlsafe(TOKEN_BYTES)
    beside = path.with_suffix(".new")
    try:
        beside.unlink(missing_ok=True)
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(made + "\n")
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        why = f"the page's token cannot be kept: {beside.name}: {error.strerror}"
        expected = "expected room and leave to write it, or [page] host = '127.0.0.1', which needs none"
        raise AccessError(f"{path}: {why}; {expected}") from error
    return made


def with_token(address: str, secret: str) -> str:
    """Give the address that makes a page one that may act."""
    return f"{address}/#token={secret}"


def qr_code(text: str) -> str:
    """Draw a text as a QR code for a terminal or a log, many lines."""
    import segno  # 20 ms that only a page beyond the loopback interface costs

    rows = [[not dark for dark in row] for row in segno.make_qr(text, error="l").matrix_iter(border=QUIET_MODULES)]
    if len(rows) % 2:
        rows.append([True] * len(rows[0]))
    return "\n".join(_lines(rows))


def _lines(rows: list[list[bool]]) -> Iterator[str]:
    for above, below in zip(rows[::2], rows[1::2], strict=True):
        yield "".join(BLOCKS[pair] for pair in zip(above, below, strict=True))
