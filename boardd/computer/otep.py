"""OpenTafl's engine protocol: lines of text to messages and back, for both ends. Pure.

Owns the table of messages: who says which word and what stands behind it. Knows neither processes nor games: moves,
positions and rules stay text, since their size is another message's.

Nothing is acknowledged. An engine says `hello` first; a host then tells `rules`, moves and `play`. `move` means
different things by who says it: an engine's is its choice, a host's says that the choice was made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from boardd.computer.otep_messages import (
    Analysis,
    Analyze,
    AsksClock,
    Chooses,
    Clock,
    Complains,
    End,
    EngineMessage,
    Fault,
    Finish,
    Goodbye,
    Hello,
    HostMessage,
    Made,
    Message,
    OpponentMove,
    Play,
    PlaysFor,
    Position,
    Refused,
    Rules,
    SimpleMoves,
    Start,
    Status,
    TimeLeft,
)
from boardd.errors import BoarddError
from engine import Side

LINE_BYTES = 1 << 16
"""No line is longer: 19x19 positions take 400 bytes, analyses a few thousand."""


MOST = 10**12
"""No number is larger: thirty years in milliseconds."""


class OtepError(BoarddError, ValueError):
    """A line that is no message of the one who said it."""

    def __init__(self, line: str, expected: str) -> None:
        shown = line if len(line) <= 60 else line[:57] + "..."
        super().__init__(f"found {shown!r}, expected {expected}")


# How what stands behind a word is read. Each raises ValueError or LookupError for what does not belong there.


def _nothing(kind: Callable[[], Message]) -> Callable[[str], Message]:
    def read(rest: str) -> Message:
        if rest:
            raise ValueError(rest)
        return kind()

    return read


def _some_text(kind: Callable[[str], Message]) -> Callable[[str], Message]:
    def read(rest: str) -> Message:
        if not rest:
            raise ValueError(rest)
        return kind(rest)

    return read


def _one_word(kind: Callable[[str], Message]) -> Callable[[str], Message]:
    def read(rest: str) -> Message:
        (word,) = rest.split()
        return kind(word)

    return read


def _side(kind: Callable[[Side], Message]) -> Callable[[str], Message]:
    return lambda rest: kind(Side(rest))


def _whole(word: str) -> int:
    number = int(word)
    if abs(number) > MOST:
        raise ValueError(word)
    return number


def _simple_moves(rest: str) -> Message:
    return SimpleMoves({"on": True, "off": False}[rest])


def _time(word: str) -> TimeLeft:
    return TimeLeft(_whole(word.removesuffix("*")), word.endswith("*"))


def _clock(rest: str) -> Message:
    attackers, defenders, *overtime = rest.split()
    more = [_whole(word) for word in overtime]
    if len(more) not in (0, 3):
        raise ValueError(rest)
    return Clock(_time(attackers), _time(defenders), *more)


def _analysis(rest: str) -> Message:
    count, *words = rest.split()
    if len(words) != 2 * _whole(count):
        raise ValueError(rest)
    pairs = zip(words[::2], words[1::2], strict=True)
    return Analysis(tuple((tuple(moves.split("|")), float(value)) for moves, value in pairs))


def _complains(rest: str) -> Message:
    code, _, text = rest.partition(" ")
    return Complains(_whole(code), text.strip())


def _opponent_move(rest: str) -> Message:
    *moves, position = rest.split()
    if not moves or not position.startswith("/"):
        raise ValueError(rest)
    return OpponentMove(tuple(move for word in moves for move in word.split("|")), position)


def _analyze(rest: str) -> Message:
    lines, seconds = rest.split()
    if _whole(lines) < 1 or not 0 <= float(seconds) < float("inf"):
        raise ValueError(rest)
    return Analyze(_whole(lines), float(seconds))


@dataclass(frozen=True, slots=True)
class Row:
    """One message: its word, what stands behind it in words, and how that is read."""

    word: str
    form: str
    read: Callable[[str], Message]


ENGINE_SAYS: Sequence[Row] = (
    Row("hello",        "",                       _nothing(Hello)),
    Row("simple-moves", "on|off",                 _simple_moves),
    Row("rules",        "",                       _nothing(Rules)),
    Row("position",     "",                       _nothing(Position)),
    Row("side",         "",                       _nothing(PlaysFor)),
    Row("clock",        "",                       _nothing(AsksClock)),
    Row("move",         "MOVE",                   _one_word(Chooses)),
    Row("analysis",     "N, N times MOVES VALUE", _analysis),
    Row("status",       "TEXT",                   Status),
    Row("error",        "-1|0 TEXT",              _complains),
)  # fmt: skip

HOST_SAYS: Sequence[Row] = (
    Row("hello",         "",                                  _nothing(Hello)),
    Row("start",         "",                                  _nothing(Start)),
    Row("rules",         "RULES",                             _some_text(Rules)),
    Row("position",      "POSITION",                          _one_word(Position)),
    Row("side",          "attackers|defenders",               _side(PlaysFor)),
    Row("clock",         "MS[*] MS[*] [SECONDS COUNT COUNT]", _clock),
    Row("play",          "attackers|defenders",               _side(Play)),
    Row("move",          "POSITION",                          _one_word(Made)),
    Row("opponent-move", "MOVES POSITION",                    _opponent_move),
    Row("error",         "1|2|3|4",                           lambda rest: Refused(Fault(int(rest)))),
    Row("analyze",       "N SECONDS",                         _analyze),
    Row("finish",        "0|1|2|3",                           lambda rest: Finish(End(int(rest)))),
    Row("goodbye",       "",                                  _nothing(Goodbye)),
)  # fmt: skip

_ENGINE: Mapping[str, Row] = {row.word: row for row in ENGINE_SAYS}
_HOST: Mapping[str, Row] = {row.word: row for row in HOST_SAYS}


def read_engine(line: str) -> EngineMessage:
    """Read a line that an engine said.

    Raises:
        OtepError: it is none of an engine's messages.

    """
    return _read(line, _ENGINE)  # type: ignore[return-value]  # the table holds an engine's messages


def read_host(line: str) -> HostMessage:
    """Read a line that a host said.

    Raises:
        OtepError: it is none of a host's messages.

    """
    return _read(line, _HOST)  # type: ignore[return-value]  # the table holds a host's messages


def _read(line: str, rows: Mapping[str, Row]) -> Message:
    word, _, rest = line.strip().partition(" ")
    row = rows.get(word)
    if row is None:
        raise OtepError(line.strip(), f"one of {', '.join(rows)}")
    try:
        return row.read(rest.strip())
    except (ValueError, LookupError, OverflowError):
        raise OtepError(line.strip(), f"{word} {row.form}".strip()) from None


def text_of(message: Message) -> str:
    """Write a message as one line, without its end."""
    match message:
        case Hello():
            return "hello"
        case Rules(text):
            return _with("rules", None if text is None else _plain(text))  # a house rule's name may be in any script
        case Position(text):
            return _with("position", text)
        case PlaysFor(side):
            return _with("side", None if side is None else side.value)
        case Clock():
            return _clock_text(message)
        case AsksClock():
            return "clock"
        case SimpleMoves(on):
            return f"simple-moves {'on' if on else 'off'}"
        case Chooses(move):
            return f"move {move}"
        case Analysis(lines):
            return " ".join(["analysis", str(len(lines)), *(f"{'|'.join(moves)} {value:g}" for moves, value in lines)])
        case Status(text):
            return _with("status", _plain(text))
        case Complains(code, text):
            return _with(f"error {code}", _plain(text))
        case Start():
            return "start"
        case Play(side):
            return f"play {side.value}"
        case Made(position):
            return f"move {position}"
        case OpponentMove(played, position):
            return f"opponent-move {'|'.join(played)} {position}"
        case Refused(fault):
            return f"error {fault.value}"
        case Analyze(count, seconds):
            return f"analyze {count} {seconds:g}"
        case Finish(end):
            return f"finish {end.value}"
        case Goodbye():
            return "goodbye"


def _with(word: str, text: str | None) -> str:
    return f"{word} {text}" if text else word


def _plain(text: str) -> str:
    """Keep text on one line of ASCII."""
    return " ".join(text.split()).encode("ascii", "replace").decode("ascii")


def _clock_text(clock: Clock) -> str:
    times = f"clock {clock.attackers} {clock.defenders}"
    if not clock.overtime_s:
        return times
    return f"{times} {clock.overtime_s} {clock.attackers_overtimes} {clock.defenders_overtimes}"
