"""OTN game records: tags, the rules, then turns with comments and variations, read and written.

A record keeps what it was given: moves as they were spelled, unknown tags, variations by their addresses. It does
not say whether a move is legal; `game_of` gives the game to play the moves on. Reading, writing and reading again
gives the same record.

    [date:2015.05.04]
    [rules:dim:9 … start:/…/]

    1. e2-g2 e3-h3
    [on the first move|on the second]

    1b.1.1a ..... e4-h4
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from engine.books import Book
from engine.errors import NotationError, PositionError, RulesError
from engine.game import Game
from engine.notation import RESIGNS, MoveText, parse_move
from engine.pieces import Side
from engine.rulestring import parse_rules, write_rules
from engine.squares import SIZES
from engine.values import Ply, Reason

LARGEST: Final = SIZES[-1]
"""The board on which a move is read while the real one is not known."""

NO_MOVE: Final = "....."
"""Stands for the first move of a turn that begins with the second."""

RESULTS: Final = {Side.ATTACKERS: "1", None: "0", Side.DEFENDERS: "-1"}
"""The tag `result`, by the winner."""

PLIES_MAX: Final = 5_000
"""Moves of a game that is read. Each takes time and 13 kB; the longest that were ever played have some hundreds."""

PLIES_WORDS: Final = f"at most {PLIES_MAX:,}"

_TAG = re.compile(r"\[([A-Za-z][\w-]*):(.*)\][ \t]*$")
_ADDRESS = re.compile(r"[0-9]+\.?|[0-9]+[a-z]+(?:\.[0-9]+[a-z]*)*\.?")
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Turn:
    """Up to two moves under one number."""

    address: str
    """The number of the turn; with letters and points, where a variation leaves the game: `3b.3.1a`."""
    moves: tuple[str | None, ...]
    """As they were spelled; None where the turn begins with the second move."""
    comments: tuple[str, str] | None = None
    """On the first and the second move; None where there is no line of comments."""

    @property
    def main(self) -> bool:
        """Whether it belongs to the game itself and not to a variation."""
        return self.address.isdecimal()


@dataclass(frozen=True, slots=True)
class Record:
    """A game as it was written down."""

    tags: tuple[tuple[str, str], ...]
    """Every tag but the rules, in order."""
    rules: str | None
    """The rules string, if there is one."""
    turns: tuple[Turn, ...]
    """The game's turns, each followed by the variations that leave it."""

    def tag(self, name: str) -> str | None:
        """Return the value of a tag, the first if there are several."""
        return next((value for key, value in self.tags if key == name), None)

    def moves(self, size: int) -> tuple[MoveText, ...]:
        """Return the moves of the game itself, on a board of this size.

        Raises:
            NotationError: one of them goes beyond that board; its line is the number of the move.

        """
        spelled = [text for text in self._main() if text != RESIGNS]
        if len(spelled) > PLIES_MAX:
            raise NotationError(f"{len(spelled)} moves", PLIES_WORDS)
        moves = []
        for n, text in enumerate(spelled):
            try:
                moves.append(parse_move(text, size))
            except NotationError as error:
                raise error.moved(n + 1, 1) from None
        return tuple(moves)

    @property
    def resigned(self) -> bool:
        """Whether the moves end with the sign of resignation."""
        return RESIGNS in self._main()

    def finish(self, game: Game) -> None:
        """End a game, all of whose moves were played, as the players declared: by the sign of resignation or the tags.

        A game that is over stays as it is; so does one whose tags contradict each other or tell what moves would show.
        """
        if game.result is not None:
            return
        if self.resigned:
            game.resign(game.side)
            return
        result, why = ((self.tag(name) or "").strip() for name in ("result", "termination"))
        if why == Reason.DRAW_AGREED.value and result == RESULTS[None]:
            game.agree_draw()
        elif why == Reason.RESIGNATION.value:
            for winner in Side:
                if result == RESULTS[winner]:
                    game.resign(winner.other)

    def _main(self) -> list[str]:
        return [text for turn in self.turns if turn.main for text in turn.moves if text]


def read_record(text: str) -> Record:
    """Read a game record.

    Raises:
        NotationError: it cannot be read; says where.

    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    tags: list[tuple[str, str]] = []
    rules: str | None = None
    for at, line in enumerate(lines):
        if not line.strip():
            continue
        tag = _TAG.match(line)
        if not tag:
            return Record(tuple(tags), rules, tuple(_Turns(lines, at, _size(rules)).read()))
        if tag[1] != "rules":
            tags.append((tag[1], tag[2]))
        elif rules is None:
            rules = tag[2]
            _check_rules(rules, at + 1, tag.start(2) + 1)
        else:
            raise NotationError("rules a second time", "rules once", at + 1)
    return Record(tuple(tags), rules, ())


def _check_rules(rules: str, line: int, column: int) -> None:
    """Refuse rules that cannot be read; rules that are not played here do not keep a record from being read."""
    try:
        parse_rules(rules)
    except NotationError as error:
        raise error.moved(line, column) from None
    except (RulesError, PositionError):
        pass


def _size(rules: str | None) -> int:
    dimension = re.match(r"\s*dim:([0-9]+)", rules or "")
    size = int(dimension[1]) if dimension and len(dimension[1]) <= len(str(LARGEST)) else LARGEST
    return min(max(size, 1), LARGEST)  # rules of another size are refused where they are read


def write_record(record: Record) -> str:
    """Write a record; `read_record` gives it back.

    Raises:
        NotationError: a tag or comment holds characters that would be read as something else.

    """
    lines: list[str] = []
    if record.tag("rules") is not None:
        raise NotationError("tag 'rules'", "the rules apart from the tags")
    for name, value in [*record.tags, *([("rules", record.rules)] if record.rules is not None else [])]:
        line = f"[{name}:{value}]"
        read = _TAG.fullmatch(line)
        if "\n" in value or read is None or read[1] != name:
            raise NotationError(f"tag {name!r} with {value!r}", "a name and one line", len(lines) + 1)
        lines.append(line)
    if lines and record.turns:
        lines.append("")
    for turn in record.turns:
        point = "." if turn.main else ""
        lines.append(" ".join([turn.address + point, *(NO_MOVE if move is None else move for move in turn.moves)]))
        if turn.comments is not None:
            first, second = turn.comments
            if "|" in first or re.search(r"\][ \t]*(\n|$)", first) or re.search(r"\][ \t]*\n", second):
                raise NotationError(f"comment {'|'.join(turn.comments)!r}", "no '|' in the first, no ']' ending a line")
            lines.append(f"[{first}|{second}]")
    return "\n".join(lines) + "\n" if lines else ""


def parse_moves(text: str, size: int) -> tuple[MoveText, ...]:
    """Read bare moves separated by white space.

    Raises:
        NotationError: one of them cannot be read; says where.

    """
    moves: list[MoveText] = []
    for n, line in enumerate(text.split("\n")):
        for word in _WORD.finditer(line):
            if len(moves) == PLIES_MAX:
                raise NotationError("more moves", PLIES_WORDS, n + 1, word.start() + 1)
            try:
                moves.append(parse_move(word.group(), size))
            except NotationError as error:
                raise error.moved(n + 1, word.start() + 1) from None
    return tuple(moves)


def game_of(record: Record, book: Book | None = None) -> Game:
    """Return a game at the record's start, without its moves.

    Args:
        record: what was read.
        book: the rules, where the record has none of its own or others are meant.

    Raises:
        EngineError: the rules or the start cannot be read or played, or there are no rules.

    """
    if book is None and record.rules is None:
        raise RulesError("record: found no [rules:…], expected them (or a book to play by)")
    return Game(book or parse_rules(record.rules or ""), position=record.tag("position"))


def record_of(game: Game, tags: Mapping[str, str] | None = None) -> Record:
    """Write down a game.

    Args:
        game: with its moves; a result is told by the tags `result` and `termination`.
        tags: further ones, such as `date` and the players' names; they come first.

    """
    every = dict(tags or {})
    if game.result is not None:
        every.setdefault("result", RESULTS[game.result.winner])
        every.setdefault("termination", game.result.reason.value)
    if game.start != game.book.start:
        every["position"] = game.start
    rules = write_rules(replace(game.book, first=game.first_side))
    moves = [_spelled(ply, game.size) for ply in game.plies]
    turns = [Turn(str(n // 2 + 1), tuple(moves[n : n + 2])) for n in range(0, len(moves), 2)]
    return Record(tuple(every.items()), rules, tuple(turns))


def _spelled(ply: Ply, size: int) -> str:
    return ("K" if ply.king else "") + ply.move.text(size)


class _Turns:
    """Reads turns and comments from the line `at` on, word by word."""

    def __init__(self, lines: list[str], at: int, size: int) -> None:
        self.lines = lines
        self.at = at
        self.size = size
        self.turn: Turn | None = None
        self.last_main = 0
        self.open_main = False

    def read(self) -> Iterator[Turn]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.lstrip().startswith("["):
                self._comments()
                continue
            for word in _WORD.finditer(line):
                if _ADDRESS.fullmatch(word.group()):
                    if self.turn:
                        yield self.turn
                    self._open(word.group(), word.start() + 1)
                else:
                    self._move(word.group(), word.start() + 1)
            self.at += 1
        if self.turn:
            yield self.turn

    def _wrong(self, found: str, expected: str, column: int) -> NotationError:
        return NotationError(found, expected, self.at + 1, column)

    def _open(self, address: str, column: int) -> None:
        turn = Turn(address.rstrip("."), ())
        if turn.main:
            if turn.address.lstrip("0") != str(self.last_main + 1):
                raise self._wrong(f"turn {address}", f"turn {self.last_main + 1}.", column)
            if self.open_main:
                raise self._wrong(f"turn {address}", f"the second move of turn {self.last_main}", column)
            self.last_main += 1
            self.open_main = True
        self.turn = turn

    def _move(self, word: str, column: int) -> None:
        turn = self.turn
        if turn is None:
            raise self._wrong(repr(word), "a tag or the number of a turn", column)
        if turn.comments is not None or len(turn.moves) == 2:
            raise self._wrong(repr(word), "the number of a turn", column)
        if re.fullmatch(r"\.{2,}", word) and not turn.moves:
            self.turn = replace(turn, moves=(None,))
            return
        if word != RESIGNS:
            try:
                parse_move(word, self.size)
            except NotationError as error:
                raise error.moved(self.at + 1, column) from None
        self.turn = replace(turn, moves=(*turn.moves, word))
        if turn.main and len(turn.moves) == 1:
            self.open_main = False

    def _comments(self) -> None:
        """Read `[first|second]`, which may go on over several lines; the bracket that ends a line closes it."""
        first_line = self.at
        column = self.lines[first_line].index("[") + 1
        if self.turn is None or self.turn.comments is not None:
            raise self._wrong("'['", "a turn before its comments", column)
        texts = [self.lines[first_line].lstrip()[1:]]
        while not texts[-1].rstrip(" \t").endswith("]"):
            self.at += 1
            if self.at == len(self.lines):
                raise NotationError("the end", "']' after the comments", self.at, len(self.lines[-1]) + 1)
            texts.append(self.lines[self.at])
        first, _, second = "\n".join(texts).rstrip(" \t")[:-1].partition("|")
        self.turn = replace(self.turn, comments=(first, second))
        self.at += 1
