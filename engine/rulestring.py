"""OTN rules strings, as `dim:9 esc:e surf:n … start:/…/`: a book read from one, and one written for a book.

Owns the table of the notation's keys. A key that asks for a rule we do not play is refused by name.

A few keys are ours, for what the notation cannot say: `name:` with the name of one of our books stands for that
book where nothing else in the string contradicts it, and those that begin with `konakis-` hold fields of a book.
`konakis-repetition:` goes before `tfr:` where it is not `ignored`.
"""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from engine.books import (
    BOOKS,
    EVERY_PIECE,
    KING_ONLY,
    NO_PIECE,
    Book,
    Goal,
    KingArms,
    KingCapture,
    NoLegalMove,
    Repetition,
    Shieldwall,
)
from engine.errors import NotationError, RulesError
from engine.notation import parse_position, position_text
from engine.pieces import Piece, Side
from engine.playable import check_playable
from engine.squares import SIZES, Square, parse_square, square_name

UNNAMED: Final = "unnamed"
"""The name of a book whose rules string gives none."""

YES_NO: Final = ("y", "n")
JUMPS: Final = ("n", "r", "j", "c")
REPETITIONS: Final = (Repetition.IGNORED.value, Repetition.THREE_MOVES.value)
NO_MOVES: Final = tuple(kind.value for kind in NoLegalMove)

PIECE_LETTERS: Final = "tcnkmgTCNKMG"
"""Letters of the notation's lists of pieces. Only t, T and K are ours; the rest are in no position that we play."""
EVERYONE: Final = "tcnkTCNK"

DEFAULT: Final = "default"
"""As a list of squares: where anyone would expect them."""


class Choice(NamedTuple):
    """A key with a closed set of values."""

    default: str
    values: tuple[str, ...]
    played: tuple[str, ...]
    """Those of the values that we play."""
    means: str


CHOICES: Mapping[str, Choice] = {
    "esc":  Choice("c", ("c", "e"),                     ("c", "e"),                     "the king's goal"),
    "surf": Choice("y", YES_NO,                         YES_NO,                         "encirclement"),
    "atkf": Choice("y", YES_NO,                         YES_NO,                         "who moves first"),
    "tfr":  Choice("d", ("d", "i", "w", "l"),           ("d", "i", "w", "l"),           "threefold repetition"),
    "ka":   Choice("y", ("y", "n", "a", "h"),           ("y", "n", "a", "h"),           "the king's arms"),
    "ks":   Choice("s", ("s", "c", "m", "w", "y", "n"), ("s", "c", "m", "w", "y", "n"), "the capture of the king"),
    "kj":   Choice("n", JUMPS,                          ("n",),                         "jumps of the king"),
    "nj":   Choice("c", JUMPS,                          JUMPS,                          "jumps of knights"),
    "cj":   Choice("j", JUMPS,                          JUMPS,                          "jumps of commanders"),
    "mj":   Choice("n", JUMPS,                          JUMPS,                          "jumps of mercenaries"),
    "gj":   Choice("n", JUMPS,                          JUMPS,                          "jumps of guards"),
    "sw":   Choice("n", ("n", "w", "s"),                ("n", "w", "s"),                "shieldwalls"),
    "swf":  Choice("y", YES_NO,                         YES_NO,                         "the flank of shieldwalls"),
    "efe":  Choice("n", YES_NO,                         YES_NO,                         "edge forts"),
    "linc": Choice("n", YES_NO,                         YES_NO,                         "the fourth-side capture"),
    "ber":  Choice("n", ("n", "c", "m"),                ("n",),                         "Berserk moves"),
    "spd":  Choice("-1", ("-1",),                       ("-1",),                        "speed limits"),
    "konakis-repetition":    Choice("ignored", REPETITIONS, REPETITIONS, "moving to and fro"),
    "konakis-no-legal-move": Choice("loses",   NO_MOVES,    NO_MOVES,    "a side that cannot move"),
    "konakis-given-anywhere": Choice("n",      YES_NO,      YES_NO,      "given positions"),
}  # fmt: skip
"""After OpenTafl's notation. Jumps of pieces that we do not have make no difference."""

COUNT: Final = "konakis-repetition-count"
COUNT_DEFAULT: Final = "3"

SQUARE_LISTS: Mapping[str, str] = {"cor": DEFAULT, "cen": DEFAULT, "afor": "", "dfor": ""}
"""Keys for the places of special squares, with their defaults."""

PIECE_LISTS: Mapping[str, str] = {
    "corh": EVERYONE, "corp": "K",      "cors": "K",      "corre": EVERYONE,
    "cenh": "tcnk",   "cenp": EVERYONE, "cens": "K",      "cenre": EVERYONE,  "cenhe": EVERYONE,
    "aforh": "TCNK",  "aforp": EVERYONE, "afors": EVERYONE, "aforre": EVERYONE,
    "dforh": "tcnk",  "dforp": "TCNK",  "dfors": "TCNK",  "dforre": EVERYONE,
}  # fmt: skip
"""Keys for whom special squares are hostile to (h), who passes (p), stops (s) and enters (re), with their defaults."""

FREE: Final = ("dim", "name", "start", "starti", COUNT)
"""Keys whose values are neither a choice nor a list."""

SHIELDWALLS: Mapping[str, Shieldwall] = {
    "n": Shieldwall.NONE,
    "w": Shieldwall.WITHOUT_CORNERS,
    "s": Shieldwall.WITH_CORNERS,
}
THREEFOLD: Mapping[str, Repetition] = {
    "d": Repetition.DRAWS,
    "i": Repetition.IGNORED,
    "w": Repetition.WINS,
    "l": Repetition.LOSES,
}

KING_CAPTURES: Mapping[str, KingCapture] = {
    "s": KingCapture.FOUR,
    "c": KingCapture.NEAR_THRONE,
    "m": KingCapture.SURROUNDED,
    "w": KingCapture.TWO,
    "y": KingCapture.FOUR,
    "n": KingCapture.TWO,
}
KING_ARMS: Mapping[str, KingArms] = {
    "y": KingArms.ARMED,
    "n": KingArms.UNARMED,
    "a": KingArms.ANVIL,
    "h": KingArms.HAMMER,
}

_KNOWN = (*FREE, *CHOICES, *SQUARE_LISTS, *PIECE_LISTS)


@dataclass(frozen=True, slots=True)
class _Entry:
    """One `key:value` of a string, and the column where it begins."""

    value: str
    column: int


def parse_rules(text: str) -> Book:
    """Read a rules string.

    Raises:
        NotationError: it cannot be read.
        RulesError: it asks for rules that we do not play, or contradicts itself.
        PositionError: its start cannot be played.

    """
    entries = _entries(text)
    if named := _named(entries):
        return named
    book = _book(entries, {})
    check_playable(book, *parse_position(book.start))
    return book


def write_rules(book: Book) -> str:
    """Write a book as a rules string; `parse_rules` gives it back (a blank in its name becomes `_`)."""
    keys = _keys(book)
    start = keys.pop("start")
    if BOOKS.get(book.name, book) == book:
        keys = {key: value for key, value in keys.items() if not _is_default(key, value)}
    return " ".join(f"{key}:{value}" for key, value in [*keys.items(), ("start", start)])


def _keys(book: Book) -> dict[str, str]:
    """Return every key that tells one book from another, in their usual order."""
    to_and_fro = book.repetition is Repetition.THREE_MOVES
    camps = ",".join(square_name(square, book.size) for square in sorted(book.camps))
    ordinary_corners = book.corner_stops == EVERY_PIECE and book.corner_hostile == NO_PIECE
    keys = {
        "dim": str(book.size),
        "name": re.sub(r"\s", "_", book.name) or UNNAMED,
        "esc": "e" if book.goal is Goal.EDGE else "c",
        "surf": _yes(book.encirclement),
        "atkf": "y" if book.first is Side.ATTACKERS else "n",
        "tfr": "i" if to_and_fro else _key_of(THREEFOLD, book.repetition),
        "ka": _key_of(KING_ARMS, book.king_arms),
        "ks": _key_of(KING_CAPTURES, book.king_capture),
        "cor": "" if ordinary_corners and book.goal is Goal.EDGE else DEFAULT,
        "corh": _letters(book.corner_hostile),
        "cors": _letters(book.corner_stops),
        "cenh": _letters(book.throne_hostile_occupied),
        "cenhe": _letters(book.throne_hostile_empty),
        "cenp": _letters(book.throne_crosses),
        "cens": _letters(book.throne_stops),
        "cenre": EVERYONE if book.throne_return else "",
        "afor": camps,
        "aforh": _letters(book.camp_hostile),
        "aforp": _letters(book.camp_moves),
        "afors": _letters(book.camp_moves),
        "aforre": "",
        "sw": _key_of(SHIELDWALLS, book.shieldwall),
        "efe": _yes(book.exit_fort),
        "linc": _yes(book.fourth_side),
        "konakis-repetition": (Repetition.THREE_MOVES if to_and_fro else Repetition.IGNORED).value,
        COUNT: str(book.repetition_count),
        "konakis-no-legal-move": book.no_legal_move.value,
        "konakis-given-anywhere": _yes(book.given_anywhere),
        "start": book.start,
    }
    if not keys["cor"]:
        del keys["corh"], keys["cors"]
    ordinary_throne = book.throne_stops == book.throne_crosses == EVERY_PIECE and book.throne_return
    hostile_throne = book.throne_hostile_empty or book.throne_hostile_occupied
    if ordinary_throne and not hostile_throne and book.king_capture is not KingCapture.NEAR_THRONE:
        del keys["cenh"], keys["cenhe"], keys["cenp"], keys["cens"], keys["cenre"]
        keys["cen"] = ""
    if not camps:
        del keys["aforh"], keys["aforp"], keys["afors"], keys["aforre"]
    return keys


def _named(entries: Mapping[str, "_Entry"]) -> Book | None:
    """Return the book of ours that a string names, unless its keys say something else."""
    book = BOOKS.get(entries["name"].value) if "name" in entries else None
    if book is None or book.size != int(entries["dim"].value):
        return None
    try:
        return book if _book(entries, _keys(book)) == book else None
    except RulesError:
        return None


def _entries(text: str) -> dict[str, _Entry]:
    """Split a string into its entries, each key known and given once."""
    entries: dict[str, _Entry] = {}
    for match in re.finditer(r"\S+", text):
        key, colon, value = match.group().partition(":")
        column = match.start() + 1
        if not colon:
            raise NotationError(repr(key), "key:value", column=column)
        if key not in _KNOWN:
            near = difflib.get_close_matches(key, _KNOWN, n=1, cutoff=0)[0]
            raise NotationError(f"key {key!r}", f"a key of the notation, such as {near!r}", column=column)
        if key in entries:
            raise NotationError(f"{key!r} a second time", "each key once", column=column)
        if not entries and key != "dim":
            raise NotationError(repr(key), "'dim' first", column=column)
        _check(key, value, column + len(key) + 1)
        entries[key] = _Entry(value, column + len(key) + 1)
    if "dim" not in entries:
        raise NotationError("the end", "'dim:' with the size of the board", column=len(text) + 1)
    if ("start" in entries) == ("starti" in entries):
        found = "both 'start' and 'starti'" if "start" in entries else "neither 'start' nor 'starti'"
        raise NotationError(found, "one of them", column=len(text) + 1)
    return entries


def _check(key: str, value: str, column: int) -> None:
    """Refuse a value that the notation does not know, or that we do not play."""
    if key in CHOICES:
        choice = CHOICES[key]
        if key == "spd" and re.fullmatch(r"-?[0-9]+(,-?[0-9]+)*", value):
            if set(value.split(",")) != {"-1"}:
                raise RulesError(f"rules: found {key}:{value} ({choice.means}), which is not played here")
        elif value not in choice.values:
            raise NotationError(f"{key}:{value}", f"one of {', '.join(choice.values)}", column=column)
        elif value not in choice.played:
            raise RulesError(f"rules: found {key}:{value} ({choice.means}), which is not played here")
    elif key in PIECE_LISTS:
        for n, letter in enumerate(value):
            if letter not in PIECE_LETTERS:
                raise NotationError(f"{key}:…{letter}", f"letters of {PIECE_LETTERS}", column=column + n)
    elif key in ("dim", COUNT) and not re.fullmatch("[0-9]{1,9}", value):
        raise NotationError(f"{key}:{value}", "a number", column=column)


def _book(entries: Mapping[str, _Entry], base: Mapping[str, str]) -> Book:
    """Return the book of some entries; what they leave open is taken from `base`, and else from the notation."""

    def value(key: str) -> str:
        if key in entries:
            return entries[key].value
        if key in base:
            return base[key]
        return CHOICES[key].default if key in CHOICES else {**SQUARE_LISTS, **PIECE_LISTS, COUNT: COUNT_DEFAULT}[key]

    def pieces(key: str) -> frozenset[Piece]:
        return frozenset(piece for piece in Piece if piece.value in value(key))

    size = int(entries["dim"].value)
    if size not in SIZES:
        raise RulesError(f"rules: found dim:{size}, expected an odd number from {SIZES[0]} to {SIZES[-1]}")
    if value("dfor"):
        raise RulesError(f"rules: found dfor:{value('dfor')} (fortresses of the defenders), which are not played here")
    if value("sw") != "n" and value("swf") == "n":
        raise RulesError("rules: found swf:n (shieldwalls closed from elsewhere), which are not played here")
    to_and_fro = value("konakis-repetition") == Repetition.THREE_MOVES.value
    fields: dict[str, Any] = {
        "name": (entries["name"].value if "name" in entries else "") or UNNAMED,
        "size": size,
        "first": Side.ATTACKERS if value("atkf") == "y" else Side.DEFENDERS,
        "start": _start(entries, size),
        "goal": Goal.EDGE if value("esc") == "e" else Goal.CORNER,
        "fourth_side": value("linc") == "y",
        "king_arms": KING_ARMS[value("ka")],
        "king_capture": KING_CAPTURES[value("ks")],
        "repetition": Repetition.THREE_MOVES if to_and_fro else THREEFOLD[value("tfr")],
        "repetition_count": int(value(COUNT)),
        "no_legal_move": NoLegalMove(value("konakis-no-legal-move")),
        "given_anywhere": value("konakis-given-anywhere") == "y",
        "shieldwall": SHIELDWALLS[value("sw")],
        "encirclement": value("surf") == "y",
        "exit_fort": value("efe") == "y",
    }
    last, side = size * size - 1, size - 1
    if _special(entries, "cor", value("cor"), size, {Square(0), Square(side), Square(last - side), Square(last)}):
        fields["corner_stops"] = pieces("cors") & pieces("corre")
        fields["corner_hostile"] = pieces("corh")
    else:
        if fields["goal"] is Goal.CORNER:
            raise RulesError("rules: found cor: without squares, expected the corners (they are the king's goal)")
        fields["corner_stops"], fields["corner_hostile"] = EVERY_PIECE, NO_PIECE
    if camps := _squares(entries, "afor", value("afor"), size):
        fields["camps"] = camps
        fields["camp_hostile"] = pieces("aforh")
        fields["camp_moves"] = _camping(pieces("afors"), pieces("aforp"), pieces("aforre"))
    if _special(entries, "cen", value("cen"), size, {Square(last // 2)}):
        fields.update(_throne(pieces("cens"), pieces("cenre")))
        fields["throne_crosses"] = pieces("cenp")
        fields["throne_hostile_empty"] = pieces("cenhe")
        fields["throne_hostile_occupied"] = pieces("cenh")
    else:
        fields.update(throne_stops=EVERY_PIECE, throne_crosses=EVERY_PIECE, throne_return=True)
        fields.update(throne_hostile_empty=NO_PIECE, throne_hostile_occupied=NO_PIECE)
        if fields["king_capture"] is KingCapture.NEAR_THRONE:
            fields["king_capture"] = KingCapture.TWO
    return Book(**fields)


def _throne(stops: frozenset[Piece], enters: frozenset[Piece]) -> dict[str, Any]:
    """Return the fields that say who may stand on the throne; the king always may, for he starts there."""
    entering = stops & enters
    if entering and entering != stops:
        raise RulesError("rules: found cenre: that bars some of those whom cens: names, which is not played here")
    return {"throne_stops": stops or frozenset({Piece.KING}), "throne_return": bool(entering)}


def _camping(stops: frozenset[Piece], passes: frozenset[Piece], enters: frozenset[Piece]) -> frozenset[Piece]:
    """Return who moves in a camp; the king never does, for he starts outside."""
    if enters:
        raise RulesError("rules: found aforre: with pieces (fortresses that can be entered), which is not played here")
    if stops - KING_ONLY != passes - KING_ONLY:
        raise RulesError("rules: found afors: and aforp: with different pieces, which is not played here")
    return stops - KING_ONLY


def _special(entries: Mapping[str, _Entry], key: str, value: str, size: int, expected: set[Square]) -> bool:
    """Tell whether the board has these special squares: where expected, or none at all."""
    if value == DEFAULT:
        return True
    found = _squares(entries, key, value, size)
    if found and found != expected:
        usual = ",".join(sorted(square_name(square, size) for square in expected))
        raise RulesError(f"rules: found {key}:{value}, expected {usual} (other squares are not played here)")
    return bool(found)


def _squares(entries: Mapping[str, _Entry], key: str, value: str, size: int) -> frozenset[Square]:
    """Return the squares of a list, which may end with a comma and may be empty."""
    try:
        return frozenset(parse_square(name, size) for name in value.strip(",").split(",") if value.strip(","))
    except NotationError as error:
        raise error.moved(1, entries[key].column) from None


def _start(entries: Mapping[str, _Entry], size: int) -> str:
    """Return the start as an OTN position, rank 1 first."""
    entry = entries.get("start") or entries["starti"]
    try:
        found, pieces = parse_position(entry.value)
    except NotationError as error:
        raise error.moved(1, entry.column) from None
    if found != size:
        raise NotationError(f"{found} ranks", f"{size} (as dim: says)", column=entry.column)
    rows = position_text(pieces, size).strip("/").split("/")
    return "/" + "/".join(rows if "start" in entries else reversed(rows)) + "/"


def _letters(pieces: frozenset[Piece]) -> str:
    return "".join(piece.value for piece in Piece if piece in pieces)


def _yes(value: bool) -> str:
    return "y" if value else "n"


def _key_of(table: Mapping[str, object], value: object) -> str:
    return next(key for key, meant in table.items() if meant is value)


def _is_default(key: str, value: str) -> bool:
    """Tell whether a key may be left out because the notation means the same without it."""
    if key in PIECE_LISTS:
        return all((piece.value in value) == (piece.value in PIECE_LISTS[key]) for piece in Piece)
    if key in CHOICES:
        return value == CHOICES[key].default
    return {**SQUARE_LISTS, COUNT: COUNT_DEFAULT}.get(key) == value
