"""The trace of a board, as values: a header, then what happened, line by line.

Owns the format (docs/traces.md) and what is wrong with a line. Knows nothing of what follows from it. JSON lines in,
JSON lines out; keys that it does not know are passed over.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from boardd.commands import Command, Word
from boardd.errors import BoarddError
from boardd.jsontext import parse_json, seconds
from boardd.meanings import NOWHERE, Squares
from boardd.saved import Kept, Saved
from boardd.settings import HintLevel, PlaySettings, SettingsError, play_settings
from engine import EngineError, Game, Side, Square, book_named, name_of, parse_move, parse_square, square_name
from hardware.news import Cell, Changed, Scan

VERSION = 1
"""The value of `konakis` in a header."""

LINE_MAX = 65_536
"""Characters of a line; a whole reading of 19 files and ranks has 2,500."""

SHOWN_AT_MOST = 60
"""A bad line is shown up to here (characters)."""


class TraceError(BoarddError, ValueError):
    """A trace that cannot be replayed; says which line, what was found and what was expected."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: which game, on which board."""

    saved: Saved
    occupied: Squares | None = None
    masked: Squares = NOWHERE
    opponent: Side | None = None
    settings: PlaySettings = field(default_factory=PlaySettings)


@dataclass(frozen=True, slots=True)
class Asked:
    """A command, at `t` seconds."""

    t: float
    command: Command


@dataclass(frozen=True, slots=True)
class Restarted:
    """The power went and came back.

    `occupied` is None where the sensors read as before. `stored` is what the sensors had settled on as far as that was
    kept: a daemon that is killed may have lived on a little after the last line. None is what they settled on by now.
    `kept` is what was stored of the game, where a disk had not taken all of it.
    """

    t: float
    occupied: Squares | None
    stored: Squares | None = None
    kept: Kept | None = None


@dataclass(frozen=True, slots=True)
class OpponentMoved:
    """The computer has chosen."""

    t: float
    origin: Square
    destination: Square


@dataclass(frozen=True, slots=True)
class Hinted:
    """An engine was asked for a good move and told this one."""

    t: float
    origin: Square
    destination: Square


@dataclass(frozen=True, slots=True)
class Ended:
    """The clock runs to here."""

    t: float


Line = Changed | Scan | Asked | Restarted | OpponentMoved | Hinted | Ended


@dataclass(frozen=True, slots=True)
class Trace:
    """A header, and the lines that follow; they are read as they are asked for."""

    header: Header
    lines: Iterator[Line]


class _Place:
    """Where something is being read, for messages."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.number = 0
        self.saved: Saved | None = None

    def wrong(self, found: str, expected: str) -> TraceError:
        return TraceError(f"{self.name}, line {self.number}: found {found}, expected {expected}")


def read_trace(lines: Iterable[str], name: str, warn: Callable[[str], None] = lambda _: None) -> Trace:
    """Read a trace.

    Args:
        lines: the text, a line each.
        name: what to call it in messages.
        warn: told when the last line is torn, as the power leaves it; such a line is passed over.

    Raises:
        TraceError: at once for the header, and while `lines` of the result are read.

    """
    place = _Place(name)
    texts = _numbered(lines, place)
    first = next(texts, None)
    if first is None:
        place.number = 1
        raise place.wrong("nothing", 'a header like {"konakis": 1, "rules": "tablut-edge"}')
    header = _header(_object(first, place), place)
    place.saved = header.saved
    return Trace(header, _body(texts, header.saved.book.size, place, warn))


def _numbered(lines: Iterable[str], place: _Place) -> Iterator[str]:
    for number, text in enumerate(lines, start=1):
        place.number = number
        if text.strip():
            yield text


def _object(text: str, place: _Place) -> Mapping[str, Any]:
    try:
        found = parse_json(text)
    except ValueError:
        raise place.wrong(shown(text), "a JSON object") from None
    if not isinstance(found, dict):
        raise place.wrong(shown(text), "a JSON object")
    return found


def shown(value: object) -> str:
    """Write what was found as a message shows it, cut off where it is long."""
    text = value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return repr(text if len(text) <= SHOWN_AT_MOST else text[:SHOWN_AT_MOST] + "…")


def _header(found: Mapping[str, Any], place: _Place) -> Header:
    if found.get("konakis") != VERSION or found["konakis"] is True:  # to Python true equals 1
        raise place.wrong(f"konakis {shown(found.get('konakis'))}", f'a header with "konakis": {VERSION}')
    rules = found.get("rules")
    if not isinstance(rules, str):
        raise place.wrong(f"rules {shown(rules)}", "the name of a rule book")
    position = found.get("position")
    if position is not None and not isinstance(position, str):
        raise place.wrong(f"position {shown(position)}", "a position as text")
    changed = found.get("settings")
    if changed is not None and not isinstance(changed, dict):
        raise place.wrong(f"settings {shown(changed)}", "an object")
    try:
        book = book_named(rules)
        side = None if found.get("side") is None else _side(found["side"], "side", place)
        Game(book, position=position, side=side)
        settings = play_settings(changed or {}, f"{place.name}, line {place.number}, settings")
    except SettingsError as error:
        raise TraceError(str(error).splitlines()[0]) from None
    except EngineError as error:
        raise TraceError(f"{place.name}, line {place.number}: {error}") from None
    opponent = None if found.get("opponent") is None else _side(found["opponent"], "opponent", place)
    occupied = None if found.get("occupied") is None else _squares(found["occupied"], "occupied", book.size, place)
    masked = _squares(found.get("masked") or [], "masked", book.size, place)
    return Header(Saved(book, position, side), occupied, masked, opponent, settings)


def _side(value: object, key: str, place: _Place) -> Side:
    try:
        return Side(value)
    except ValueError:
        raise place.wrong(f"{key} {shown(value)}", "attackers or defenders") from None


def _squares(value: object, key: str, size: int, place: _Place) -> Squares:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise place.wrong(f"{key} {shown(value)}", "a square or a list of squares")
    try:
        return frozenset(parse_square(name, size) for name in names)
    except EngineError as error:
        raise TraceError(f"{place.name}, line {place.number}, {key}: {error}") from None


def _body(texts: Iterator[str], size: int, place: _Place, warn: Callable[[str], None]) -> Iterator[Line]:
    before = -math.inf
    for text in texts:
        try:
            found = _object(text, place)
        except TraceError:
            if text.endswith("\n"):
                raise
            warn(f"{place.name}, line {place.number}: the last line is torn and was passed over")
            return
        t = seconds(found.get("t"))
        if t is None:
            raise place.wrong(f"t {shown(found.get('t'))}", "a time in seconds")
        if t < before:
            raise place.wrong(f"t {t}", f"{before} or later (lines stand in the order of their times)")
        before = t
        line = _line(found, t, size, place)
        if line is not None:
            yield line


def _line(found: Mapping[str, Any], t: float, size: int, place: _Place) -> Line | None:
    words = [word for word in _READERS if found.get(word) is not None and found[word] is not False]
    if len(words) > 1:
        raise place.wrong(" and ".join(words), "one of them")
    return _READERS[words[0]](found, t, size, place) if words else None


def _seq(found: Mapping[str, Any], place: _Place) -> int | None:
    seq = found.get("seq")
    if seq is not None and (isinstance(seq, bool) or not isinstance(seq, int)):
        raise place.wrong(f"seq {shown(seq)}", "a whole number")
    return seq


def _cells(squares: Iterable[Square]) -> tuple[Cell, ...]:
    return tuple(Cell(square) for square in sorted(squares))


def _read_changed(word: str) -> Callable[[Mapping[str, Any], float, int, _Place], Line]:
    def reader(found: Mapping[str, Any], t: float, size: int, place: _Place) -> Line:
        squares = _squares(found[word], word, size, place)
        return Changed(t, _cells(squares), word == "drop", _seq(found, place))

    return reader


def _read_scan(found: Mapping[str, Any], t: float, size: int, place: _Place) -> Line:
    return Scan(t, frozenset(_cells(_squares(found["scan"], "scan", size, place))), _seq(found, place))


def _read_command(found: Mapping[str, Any], t: float, size: int, place: _Place) -> Line:
    try:
        word = Word(found["command"])
    except ValueError:
        words = ", ".join(word.value for word in Word)
        raise place.wrong(f"command {shown(found['command'])}", f"one of {words}") from None
    if word is not Word.HINTS:
        return Asked(t, Command(word))
    try:
        return Asked(t, Command(word, HintLevel(found.get("level"))))
    except ValueError:
        levels = ", ".join(level.value for level in HintLevel)
        raise place.wrong(f"level {shown(found.get('level'))}", f"one of {levels}") from None


def _read_restart(found: Mapping[str, Any], t: float, size: int, place: _Place) -> Line:
    occupied, stored = (
        None if found.get(key) is None else _squares(found[key], key, size, place) for key in ("occupied", "stored")
    )
    kept = None if found.get("kept") is None else _kept(found["kept"], size, place)
    return Restarted(t, occupied, stored, kept)


def _kept(found: object, size: int, place: _Place) -> Kept:
    if not isinstance(found, dict):
        raise place.wrong(f"kept {shown(found)}", "an object")
    moves = found.get("moves", [])
    if not isinstance(moves, list):
        raise place.wrong(f"moves {shown(moves)}", "a list of moves")
    try:
        pairs = tuple((move.origin, move.destination) for move in (parse_move(str(text), size) for text in moves))
    except EngineError as error:
        raise TraceError(f"{place.name}, line {place.number}, kept: {error}") from None
    removals, masked = (_squares(found.get(key, []), key, size, place) for key in ("removals", "masked"))
    kept = Kept(pairs, removals, masked)
    try:
        if place.saved is not None:
            kept.of(place.saved).game()
    except EngineError as error:
        raise TraceError(f"{place.name}, line {place.number}, kept: {error}") from None
    return kept


def _read_engine_move(
    word: str, kind: Callable[[float, Square, Square], Line]
) -> Callable[[Mapping[str, Any], float, int, _Place], Line]:
    def reader(found: Mapping[str, Any], t: float, size: int, place: _Place) -> Line:
        try:
            move = parse_move(str(found[word]), size)
        except EngineError as error:
            raise TraceError(f"{place.name}, line {place.number}, {word}: {error}") from None
        return kind(t, move.origin, move.destination)

    return reader


def _read_end(found: Mapping[str, Any], t: float, size: int, place: _Place) -> Line:
    return Ended(t)


_READERS: Mapping[str, Callable[[Mapping[str, Any], float, int, _Place], Line]] = {
    "lift":          _read_changed("lift"),
    "drop":          _read_changed("drop"),
    "scan":          _read_scan,
    "command":       _read_command,
    "restart":       _read_restart,
    "opponent-move": _read_engine_move("opponent-move", OpponentMoved),
    "hint-move":     _read_engine_move("hint-move", Hinted),
    "end":           _read_end,
}
"""The word that makes a line what it is, and who reads it."""


def header_json(header: Header) -> dict[str, Any]:
    """Give a header as the JSON object that `read_trace` reads."""
    saved, size = header.saved, header.saved.book.size
    found: dict[str, Any] = {"konakis": VERSION, "rules": name_of(saved.book)}
    if saved.position is not None:
        found["position"] = saved.position
    if saved.side is not None:
        found["side"] = saved.side.value
    if header.occupied is not None:
        found["occupied"] = [square_name(square, size) for square in sorted(header.occupied)]
    if header.masked:
        found["masked"] = [square_name(square, size) for square in sorted(header.masked)]
    if header.opponent is not None:
        found["opponent"] = header.opponent.value
    changed = header.settings.model_dump(mode="json", exclude_defaults=True)
    if changed:
        found["settings"] = changed
    return found


def line_json(line: Line, size: int) -> dict[str, Any]:
    """Give a line as the JSON object that `read_trace` reads."""
    found: dict[str, Any] = {"t": round(line.t, 6)}
    match line:
        case Changed():
            found["drop" if line.occupied else "lift"] = _names(line.cells, size)
        case Scan():
            found["scan"] = _names(line.occupied, size)
        case Asked():
            found["command"] = line.command.word.value
            if line.command.level is not None:
                found["level"] = line.command.level.value
        case Restarted():
            found["restart"] = True
            if line.occupied is not None:
                found["occupied"] = _names(line.occupied, size)
            if line.stored is not None:
                found["stored"] = _names(line.stored, size)
            if line.kept is not None:
                found["kept"] = kept_json(line.kept, size)
        case OpponentMoved() | Hinted():
            word = "opponent-move" if isinstance(line, OpponentMoved) else "hint-move"
            found[word] = f"{square_name(line.origin, size)}-{square_name(line.destination, size)}"
        case Ended():
            found["end"] = True
    seq = getattr(line, "seq", None)
    return found if seq is None else found | {"seq": seq}


def kept_json(kept: Kept, size: int) -> dict[str, Any]:
    """Give what was stored of a game as the JSON object that `read_trace` reads."""
    return {
        "moves": [f"{square_name(origin, size)}-{square_name(square, size)}" for origin, square in kept.moves],
        "removals": _names(kept.removals, size),
        "masked": _names(kept.masked, size),
    }


def _names(cells: Iterable[int], size: int) -> list[str]:
    return [square_name(Square(cell), size) for cell in sorted(cells)]
