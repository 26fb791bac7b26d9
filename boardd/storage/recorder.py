"""Makes the lines of the sensors' trace from what the sensors told, and decides when a file is full.

Owns what is written beside the lines of `boardd.trace`: notes (`{"t": 1.5, "note": "move", ...}`), which a replay
passes over and which let `boardd.storage.cutting` find the games. Must not know what a change means, nor the disk:
`boardd.storage.trace_files` writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from boardd.commands import Command
from boardd.jsontext import parse_json, seconds
from boardd.saved import Saved
from boardd.settings import PlaySettings
from boardd.storage.trace_files import Open, Sync, Writer
from boardd.trace import Asked, Header, Hinted, Line, OpponentMoved, Restarted, header_json, line_json
from engine import Side, Square
from hardware.files import read_bytes
from hardware.news import Changed, News

TIME_DIGITS = 4
"""Decimals of a time: a tenth of a millisecond. The daemon's own clock counts no finer, so a replay sees its times."""

HARD_LIMIT = 2
"""A file that finds no quiet moment is cut off at this many times its size."""

LONGEST_S = 1e9
"""Thirty years: a file whose clock shows more was not written by us; far beyond, a float counts no milliseconds."""


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that a replay needs to begin here: becomes a header.

    Args:
        saved: book, position and side of a game to begin from, and the squares that players gave up; no moves.
        masked: squares that the configuration gives up.
        game: the number under which the game is stored, None when it is not.
        ply: how many plies were played before.

    """

    saved: Saved
    masked: frozenset[Square]
    game: int | None
    ply: int


class Recorder:
    """The trace of one daemon. All times are the daemon's own seconds and never decrease.

    Args:
        directory: where the files are, made if missing.
        settings: what a replay must be told of the configuration.
        file_bytes: when a file is full.
        files: how many are kept.
        opponent: the side that a computer plays.

    """

    def __init__(
        self, directory: Path, *, settings: PlaySettings, file_bytes: int, files: int, opponent: Side | None = None
    ) -> None:
        self._settings = settings
        self._opponent = opponent
        self._file_bytes = file_bytes
        self._writer = Writer(directory, files)
        self._size = 0
        self._base = 0.0  # the daemon's time at which the file's clock shows 0
        self._last = 0.0  # the latest time written, the file's
        self._bytes = 0
        self._occupied: set[Square] = set()
        self._dull = False  # the last news was a whole reading, and nothing changed since
        self._seq_shift = 0
        self._seq: int | None = None

    def start(
        self,
        t: float,
        situation: Situation,
        occupied: frozenset[Square],
        recorded: str,
        *,
        stored: frozenset[Square] | None = None,
        fresh: bool = False,
    ) -> None:
        """Begin: go on in the last file as after a power cut where it fits, else begin a new one.

        Args:
            t: now.
            situation: the game as it was found.
            occupied: what the sensors read.
            recorded: the time of day, for people.
            stored: what had been stored of the sensors when the game was found.
            fresh: the game begins now and continues nothing.

        """
        self._size = situation.saved.book.size
        self._occupied = set(occupied)
        last = None if fresh else self._writer.last_file()
        resumed = None if last is None else self._resumable(last, situation)
        if last is None or resumed is None:
            self._open_new(t, situation, recorded)
            return
        self._bytes, self._last = resumed
        self._base = t - self._last
        self._writer.put(Open(last, append=True))
        self._put(Restarted(t, occupied, stored), {"recorded": recorded})

    def news(self, news: News) -> None:
        """Write what the sensors told, by squares; a whole reading that repeats the last is left out."""
        if isinstance(news, Changed):
            squares = {Square(cell) for cell in news.cells}
            self._occupied = self._occupied | squares if news.occupied else self._occupied - squares
            self._dull = False
        else:
            squares = {Square(cell) for cell in news.occupied}
            if self._dull and self._occupied == squares and self._next_in_line(news.seq):
                self._seq = news.seq
                self._seq_shift -= news.seq is not None
                return
            self._occupied = squares
            self._dull = True
        if news.seq is not None:
            # numbers left out above must leave no gap, which would mean lost news; older ones must stay older
            seq = news.seq + self._seq_shift
            self._seq = news.seq if self._seq is None else max(self._seq, news.seq)
            news = replace(news, seq=seq)
        self._put(news)

    def command(self, t: float, command: Command) -> None:
        """Write what a button or the page asked for."""
        self._put(Asked(t, command))

    def opponent_moves(self, t: float, origin: Square, destination: Square) -> None:
        """Write what the computer chose."""
        self._put(OpponentMoved(t, origin, destination))

    def hinted(self, t: float, origin: Square, destination: Square) -> None:
        """Write what an engine told as a hint."""
        self._put(Hinted(t, origin, destination))

    def note(self, t: float, what: str, fields: Mapping[str, object] | None = None, *, keep: bool = False) -> None:
        """Write a line for readers of traces that a replay passes over.

        Args:
            t: now.
            what: the kind of note.
            fields: further keys, none of them a trace's own word.
            keep: have the disk keep everything so far, as far as it obeys.

        """
        self._put_line({"t": self._time(t), "note": what, **(fields or {})})
        if keep:
            self._writer.put(Sync())

    def begin_game(self, t: float, situation: Situation) -> None:
        """Note where a new game begins, with all that a header needs, so that its piece can be cut out."""
        self._size = situation.saved.book.size
        self.note(t, "game", header_json(self._header(situation)) | _numbers(situation), keep=True)

    def quiet(self, t: float, situation: Situation, recorded: str) -> None:
        """Say that the settled board agrees with the game: now a full or broken file is changed for a new one.

        Not while a square flaps: a replay of the new file would begin with pieces that are missing or too many.
        """
        broken = self._writer.broken
        if not broken and self._bytes < self._file_bytes:
            return
        if (self._occupied ^ situation.saved.game().occupied) - situation.masked - situation.saved.masked:
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
        header = header_json(self._header(situation)) | _numbers(situation) | {"recorded": recorded}
        if lost is not None:
            header["lost"] = lost
        self._dull = False
        self._writer.put(Open(self._writer.next_file(), append=False))
        self._put_line(header)

    def _header(self, situation: Situation) -> Header:
        masked = situation.masked | situation.saved.masked
        return Header(situation.saved, frozenset(self._occupied), masked, self._opponent, self._settings)

    def _resumable(self, path: Path, situation: Situation) -> tuple[int, float] | None:
        """Tell how long a file is and what its clock shows at its end, or None if it must not be gone on with."""
        wanted = header_json(self._header(situation))
        configured = header_json(self._header(replace(situation, saved=replace(situation.saved, masked=frozenset()))))
        try:
            if not path.is_file() or path.stat().st_size >= self._file_bytes:
                return None
            lines = read_bytes(path, self._file_bytes).splitlines(keepends=True)
            header = parse_json(lines[0])
            whole = [line for line in lines if line.endswith(b"\n")]
            last = seconds(parse_json(whole[-1]).get("t", 0.0))
            masked = set(header.get("masked", []))
            if last is None or not 0 <= last < LONGEST_S:
                return None
            if any(header.get(key) != wanted.get(key) for key in ("konakis", "rules", "opponent", "settings")):
                return None
            # squares that the players gave up since are told by the lines themselves
            if not set(configured.get("masked", [])) <= masked <= set(wanted.get("masked", [])):
                return None
        except (OSError, ValueError, LookupError, AttributeError, TypeError):
            return None
        return sum(map(len, whole)), last

    def _put(self, line: Line, extra: Mapping[str, object] | None = None) -> None:
        """Queue one line of the trace, with its time in the file."""
        self._put_line(line_json(replace(line, t=self._time(line.t)), self._size) | dict(extra or {}))

    def _time(self, t: float) -> float:
        """Give the file's time; it may not go back, however the clocks of sensors and daemon differ."""
        self._last = max(self._last, round(t - self._base, TIME_DIGITS))
        return self._last

    def _put_line(self, fields: Mapping[str, object]) -> None:
        line = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        self._bytes += len(line)
        self._writer.put(line)
        if self._bytes >= HARD_LIMIT * self._file_bytes and not self._writer.broken:
            self._writer.give_up("no quiet moment to begin a new file")

    def _next_in_line(self, seq: int | None) -> bool:
        """Tell whether leaving out news of this number hides no gap."""
        return seq is None or self._seq is None or seq == self._seq + 1


def _numbers(situation: Situation) -> dict[str, object]:
    """Give the fields that are for `boardd.storage.cutting` alone."""
    numbers: dict[str, object] = {"ply": situation.ply}
    if situation.game is not None:
        numbers["game"] = situation.game
    return numbers
