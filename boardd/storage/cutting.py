"""Cuts the piece that belongs to one game out of the trace files: touches the disk, to read.

The piece is a trace of its own that anyone can replay. Owns how pieces are found by the recorder's
notes; must not know what the lines mean.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boardd.errors import BoarddError
from boardd.jsontext import parse_json, seconds
from boardd.storage.recorder import HARD_LIMIT, LONGEST_S

HEADER_KEYS = ("rules", "position", "side", "occupied", "masked", "opponent", "settings", "game", "ply", "recorded")
"""What a piece's header takes over; the last three are for people."""

LINE_MAX_BYTES = 65_536
"""Of one line; ours have a few hundred. A longer one is damaged, in as many pieces as it has of this length."""

FILE_MAX_BYTES = HARD_LIMIT * 1_000_000 * 1024
"""The most that a configuration lets a file grow to."""

Json = dict[str, Any]


class NoSuchPieceError(BoarddError, LookupError):
    """The trace files hold nothing of a game."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One game's trace: its header and lines, the last of which lets the clock run to where the piece ends.

    `ply` tells how many plies were played before it begins, because older files are gone or something was lost.
    """

    header: Json
    lines: tuple[Json, ...]
    ply: int


@dataclass(slots=True)
class _Growing:
    """A piece that is being collected; times are its own, from 0."""

    header: Json
    offset: float
    """What is added to a time of the file that is being read."""
    lines: list[Json] = field(default_factory=list)
    end: float = 0.0
    ends: list[float] = field(default_factory=list)
    """Where the piece would end without each of the lines."""

    def take(self, line: Json) -> None:
        """Add a line, or let a note's time count."""
        before = self.end
        self.end = max(self.end, round(line["t"] + self.offset, 4))
        if "note" not in line:
            self.ends.append(before)
            self.lines.append(line | {"t": self.end})

    def finish(self) -> Piece:
        """End the piece."""
        lines = (*self.lines, {"t": self.end, "end": True})
        return Piece(self.header, lines, int(self.header.get("ply", 0)))

    def drop_command_at_the_end(self, line: Json) -> None:
        """Take off the command that began the next game, noted in `line`: it is no longer this game's."""
        time = round(line["t"] + self.offset, 4)
        while self.lines and "command" in self.lines[-1] and self.lines[-1]["t"] >= time:
            self.lines.pop()
            self.end = self.ends.pop()


def cut(files: Iterable[Path], game: int, warn: Callable[[str], None] = lambda _: None) -> Piece:
    """Find the piece of one game, the latest if its number was used again.

    Args:
        files: the trace files, oldest first.
        game: the number it is stored under.
        warn: told of each line that cannot be read and is passed over, but for the last, which the power tears.

    Raises:
        NoSuchPieceError: the files hold nothing of it.

    """
    found: Piece | None = None
    growing: _Growing | None = None
    playing: int | None = None
    rotated = False
    for path in files:
        lines = _lines(path, warn)
        header = next(lines, None)
        if header is None:
            continue
        if growing is not None and rotated and header.get("game") == playing and "lost" not in header:
            growing.offset = growing.end  # the file's clock shows 0 where the one before ended
        else:
            found = growing.finish() if growing is not None else found
            playing = header.get("game")
            growing = _Growing(_header(header, header), 0.0) if playing == game else None
        rotated = False
        for line in lines:
            rotated = line.get("note") == "rotated"
            if line.get("note") == "game":
                if growing is not None:
                    growing.drop_command_at_the_end(line)
                    found = growing.finish()
                playing = line.get("game")
                growing = _Growing(_header(line, header), -line["t"]) if playing == game else None
            elif growing is not None:
                growing.take(line)
    found = growing.finish() if growing is not None else found
    if found is None:
        raise NoSuchPieceError(
            f"found nothing of game {game} in the traces; the oldest are deleted when they grow too many"
        )
    return found


def text_of(piece: Piece) -> Iterator[str]:
    """Write a piece as the lines of a trace file."""
    for line in (piece.header, *piece.lines):
        yield json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def _header(situation: Json, file_header: Json) -> Json:
    """Make a piece's header from a note or header that tells the game, and the file's own for the rest."""
    both: Json = {key: file_header[key] for key in ("masked", "opponent", "settings", "recorded") if key in file_header}
    both |= {key: situation[key] for key in HEADER_KEYS if key in situation}
    return {"konakis": 1} | both


def _lines(path: Path, warn: Callable[[str], None]) -> Iterator[Json]:
    """Read a file's header and its lines with a time, passing over what is damaged, and what is no file."""
    if not path.is_file() or path.stat().st_size > FILE_MAX_BYTES:
        warn(f"{path}: found no plain file, or one of more than {FILE_MAX_BYTES:,} bytes, and passed over it")
        return
    with path.open("rb") as file:
        for number, text in enumerate(iter(lambda: file.readline(LINE_MAX_BYTES), b"")):
            line = _read(text)
            if line is not None and (number == 0 or _timed(line)):
                yield line
            elif text.endswith(b"\n"):
                warn(f"{path}, line {number + 1}: damaged, and passed over")


def _read(text: bytes) -> Json | None:
    """Read a JSON object; None for what is none."""
    try:
        line = parse_json(text)
    except ValueError:
        return None
    return line if isinstance(line, dict) else None


def _timed(line: Json) -> bool:
    t = seconds(line.get("t"))
    return t is not None and 0 <= t < LONGEST_S
