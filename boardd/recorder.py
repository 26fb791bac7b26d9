"""Makes the lines of the sensors' trace from what the sensors told, and decides when a file is full.

Owns what is written beside the contract's lines: notes (`{"t": 1.5, "note": "move", ...}`), which a replay passes over
but for their time, and which let `boardd.cutting` find the games. Must not know what a change means, nor the disk:
`boardd.trace_files` writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from boardd.trace_files import Open, Sync, Writer
from engine.squares import Square, square_name
from hardware.news import Changed, News

VERSION = 1
"""Of the trace format: the value of `konakis` in a header."""

HARD_LIMIT = 2
"""A file that finds no quiet moment is cut off at this many times its size."""


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that a replay needs to begin here: becomes a header.

    Args:
        rules: the book's name.
        position: the game as it stands, OTN; None when it cannot be begun from (it is over).
        side: who moves next.
        game: the number under which the game is stored, None when it is not.
        ply: how many plies were played before.

    """

    rules: str
    position: str | None
    side: str
    game: int | None
    ply: int


class Recorder:
    """The trace of one daemon. All times are the daemon's own seconds and never decrease.

    Args:
        directory: where the files are, made if missing.
        size: squares a side.
        masked: squares that are no evidence, by name.
        settings: the [play] keys that are not as delivered.
        file_bytes: when a file is full.
        files: how many are kept.

    """

    def __init__(
        self,
        directory: Path,
        *,
        size: int,
        masked: tuple[str, ...],
        settings: Mapping[str, object],
        file_bytes: int,
        files: int,
    ) -> None:
        self._size = size
        self._file_bytes = file_bytes
        self._common: dict[str, object] = {}
        if masked:
            self._common["masked"] = list(masked)
        if settings:
            self._common["settings"] = dict(settings)
        self._writer = Writer(directory, files)
        self._base = 0.0  # the daemon's time at which the file's clock shows 0
        self._last = 0.0  # the latest time written, the file's
        self._bytes = 0
        self._occupied: set[Square] = set()
        self._dull = False  # the last news was a whole reading, and nothing changed since
        self._seq_shift = 0
        self._seq: int | None = None

    def start(
        self, t: float, situation: Situation, occupied: frozenset[Square], recorded: str, *, fresh: bool = False
    ) -> None:
        """Begin: go on in the last file as after a power cut where it fits, else begin a new one.

        Args:
            t: now.
            situation: the game as it was found.
            occupied: what the sensors read.
            recorded: the time of day, for people.
            fresh: the game begins now and continues nothing.

        """
        self._occupied = set(occupied)
        last = None if fresh else self._writer.last_file()
        resumed = None if last is None else _resumable(last, self._common, situation.rules, self._file_bytes)
        if last is None or resumed is None:
            self._open_new(t, situation, recorded)
            return
        self._bytes, self._last = resumed
        self._base = t - self._last
        self._writer.put(Open(last, append=True))
        self._put(t, {"restart": True, "occupied": self._names(occupied), "recorded": recorded})

    def news(self, news: News) -> None:
        """Write what the sensors told, by squares; a whole reading that repeats the last is left out."""
        squares = [Square(cell) for cell in (news.cells if isinstance(news, Changed) else news.occupied)]
        if isinstance(news, Changed):
            self._occupied.difference_update(squares)
            if news.occupied:
                self._occupied.update(squares)
            names = self._names(squares)
            fields: dict[str, object] = {"drop" if news.occupied else "lift": names[0] if len(names) == 1 else names}
            self._dull = False
        else:
            fields = {"scan": self._names(squares)}
            if self._dull and self._occupied == set(squares) and self._next_in_line(news.seq):
                self._seq = news.seq
                self._seq_shift -= news.seq is not None
                return
            self._occupied = set(squares)
            self._dull = True
        if news.seq is not None:
            # numbers left out above must leave no gap, which would mean lost news; older ones must stay older
            fields["seq"] = news.seq + self._seq_shift
            self._seq = news.seq if self._seq is None else max(self._seq, news.seq)
        self._put(news.t, fields)

    def command(self, t: float, command: str, level: str | None = None) -> None:
        """Write what a button or the page asked for."""
        self._put(t, {"command": command} | ({} if level is None else {"level": level}))

    def opponent_moves(self, t: float, move: str) -> None:
        """Write what the computer chose."""
        self._put(t, {"opponent-move": move})

    def note(self, t: float, what: str, fields: Mapping[str, object] | None = None, *, keep: bool = False) -> None:
        """Write a line for readers of traces that a replay passes over.

        Args:
            t: now.
            what: the kind of note.
            fields: further keys, none of them a trace's own word.
            keep: have the disk keep everything so far, as far as it obeys.

        """
        self._put(t, {"note": what, **(fields or {})})
        if keep:
            self._writer.put(Sync())

    def begin_game(self, t: float, situation: Situation) -> None:
        """Note where a new game begins, with all that a header needs, so that its piece can be cut out."""
        self.note(t, "game", self._header(situation) | {"occupied": self._names(self._occupied)}, keep=True)

    def quiet(self, t: float, situation: Situation, recorded: str) -> None:
        """Say that the board agrees with the game: now a full or broken file is changed for a new one."""
        broken = self._writer.broken
        if not broken and self._bytes < self._file_bytes:
            return
        lost = self._writer.take_lost() if broken else None
        if lost is None:
            self.note(t, "rotated")
        self._open_new(t, situation, recorded, lost)

    def close(self, t: float) -> None:
        """Write what still waits and end the thread."""
        self.note(t, "stopped", keep=True)
        self._writer.close()

    def _open_new(self, t: float, situation: Situation, recorded: str, lost: int | None = None) -> None:
        """Begin a new file at this time, with a header of its own."""
        self._base, self._last, self._bytes = t, 0.0, 0
        header: dict[str, object] = {"konakis": VERSION} | self._header(situation) | self._common
        header |= {"occupied": self._names(self._occupied), "recorded": recorded}
        if lost is not None:
            header["lost"] = lost
        self._dull = False
        self._writer.put(Open(self._writer.next_file(), append=False))
        self._put_line(header)

    def _header(self, situation: Situation) -> dict[str, object]:
        """Make the fields of a header that tell the game so far."""
        header: dict[str, object] = {"rules": situation.rules}
        if situation.position is not None:
            header |= {"position": situation.position, "side": situation.side, "ply": situation.ply}
            if situation.game is not None:
                header["game"] = situation.game
        return header

    def _put(self, t: float, fields: Mapping[str, object]) -> None:
        """Queue one line with its time in the file."""
        # a hand may not go back in time, however the clocks of sensors and daemon differ
        self._last = max(self._last, round(t - self._base, 4))
        self._put_line({"t": self._last, **fields})
        if self._bytes >= HARD_LIMIT * self._file_bytes and not self._writer.broken:
            self._writer.give_up("no quiet moment to begin a new file")

    def _put_line(self, fields: Mapping[str, object]) -> None:
        line = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        self._bytes += len(line)
        self._writer.put(line)

    def _next_in_line(self, seq: int | None) -> bool:
        """Tell whether leaving out news of this number hides no gap."""
        return seq is None or self._seq is None or seq == self._seq + 1

    def _names(self, squares: frozenset[Square] | set[Square] | list[Square]) -> list[str]:
        return [square_name(square, self._size) for square in sorted(squares)]


def _resumable(path: Path, common: Mapping[str, object], rules: str, limit: int) -> tuple[int, float] | None:
    """Tell how long a file is and what its clock shows at its end, or None if it must not be gone on with."""
    try:
        if path.stat().st_size >= limit:
            return None
        lines = path.read_bytes().splitlines(keepends=True)
        header = json.loads(lines[0])
        whole = [line for line in lines if line.endswith(b"\n")]
        last = json.loads(whole[-1]).get("t", 0.0)
        if header.get("konakis") != VERSION or header["rules"] != rules or not isinstance(last, int | float):
            return None
        if any(header.get(key) != common.get(key) for key in ("masked", "settings")):
            return None
    except (OSError, ValueError, LookupError, AttributeError):
        return None
    return sum(map(len, whole)), float(last)
