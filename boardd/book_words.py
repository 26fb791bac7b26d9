"""A rule book in words that a player understands, made from its fields, so that a house rule reads right too.

Every sentence stands here once, in English, and is looked up in the catalogue `books` of another language. Pure but
for reading that catalogue. Knows what a field means and nothing of how it is played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polib  # type: ignore[import-untyped]  # it ships no types

from boardd.web.catalogue import ENGLISH, LOCALE
from engine import Book, Game, Piece, Side, square_name
from engine.books import (
    EVERY_PIECE,
    KING_ONLY,
    NO_PIECE,
    SOLDIERS,
    Goal,
    KingArms,
    KingCapture,
    NoLegalMove,
    Repetition,
    Shieldwall,
)

DOMAIN = "books"
"""The catalogue of these words."""

Say = Callable[[str], str]
"""Gives a message in the reader's language."""

WHO = {Piece.ATTACKER: "attackers", Piece.DEFENDER: "defenders", Piece.KING: "the king"}
"""Kinds of piece in lists after a colon, as the subject of a sentence."""
WHOM = {Piece.ATTACKER: "attackers (whom)", Piece.DEFENDER: "defenders (whom)", Piece.KING: "the king (whom)"}
"""The same as its object; a language that does not bend them leaves the brackets away."""

ORDINALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}
FURTHER_ORDINAL = "{number}th"

FIRST = {Side.ATTACKERS: "The attackers move first.", Side.DEFENDERS: "The defenders move first."}
ARMS = {
    KingArms.ARMED: "The king captures as a soldier does, by moving and by standing on the other side.",
    KingArms.HAMMER: "The king captures by moving; standing on the other side he is of no help.",
    KingArms.ANVIL: "The king captures nothing by moving, but helps by standing on the other side.",
    KingArms.UNARMED: "The king takes no part in capturing.",
}
CAPTURES = {
    KingCapture.TWO: "The king is captured like a soldier, by two attackers on opposite sides of him.",
    KingCapture.NEAR_THRONE: "On the throne and beside it the king is captured by attackers on all four sides of him,"
    " anywhere else by two on opposite sides.",
    KingCapture.FOUR: "The king is captured by attackers on all four sides of him, so never on the edge of the board.",
    KingCapture.SURROUNDED: "The king is captured by attackers on every side of him on which the board goes on:"
    " four in the open, three on an edge.",
}
REPETITIONS = {
    Repetition.IGNORED: "Moves may be repeated as often as you like.",
    Repetition.THREE_MOVES: "Whoever makes the same move three times, going back in between and doing nothing else,"
    " has lost.",
    Repetition.DRAWS: "When moves bring about the same position for the {nth} time, the game is a draw.",
    Repetition.LOSES: "Whoever brings about the same position for the {nth} time has lost.",
    Repetition.WINS: "Whoever brings about the same position for the {nth} time has won.",
}
STUCK = {
    NoLegalMove.LOSES: "Whoever has to move and cannot has lost.",
    NoLegalMove.DRAWS: "If the side that has to move cannot, the game is a draw.",
}
WALLS = {
    Shieldwall.WITHOUT_CORNERS: "A row of two or more enemies along the edge is captured when a piece of yours faces"
    " each of them and your move closes the row's second end. A king in the row stays.",
    Shieldwall.WITH_CORNERS: "A row of two or more enemies along the edge is captured when a piece of yours faces"
    " each of them and your move closes the row's second end; an empty corner closes an end too."
    " A king in the row stays.",
}

ATTACKERS_ONLY = frozenset({Piece.ATTACKER})

SETTING = (
    "{attackers} attackers (t) surround the king (K) and his {defenders} defenders (T). A soldier is any piece but the"
    " king; the throne is the square in the centre."
)

FIXED = (
    "The game",
    "Moving",
    "Capturing",
    "The king",
    "The end",
    SETTING,
    "The attackers win when they capture the king.",
    "The defenders win when the king reaches any square of the edge.",
    "The defenders win when the king reaches any square of the edge that belongs to no camp.",
    "The defenders win when the king reaches one of the four corners.",
    "A piece moves as far as it likes along a rank or file and jumps over nothing.",
    "The throne is a square like any other.",
    "Everybody may stop on the throne.",
    "Only the king may stop on the throne.",
    "The pieces that may stop on the throne: {who}.",
    "Whoever has left the throne does not stop on it again.",
    "Nobody may pass over the throne.",
    "Everybody may pass over the empty throne.",
    "Only the king may pass over the empty throne.",
    "The pieces that may pass over the empty throne: {who}.",
    "The corners are squares like any other.",
    "Nobody may stop on a corner.",
    "Everybody may stop on a corner.",
    "Only the king may stop on a corner.",
    "The pieces that may stop on a corner: {who}.",
    "The camps are: {squares}. Nobody enters or crosses a camp from outside.",
    "An attacker may move inside the camp that he has not left yet.",
    "The pieces that may move inside the camp that they have not left yet: {who}.",
    "An enemy soldier is captured when your piece comes to stand beside him and another of yours stands on his opposite"
    " side. One move may capture several, one in each direction.",
    "Whoever moves in between two enemies is safe.",
    "The empty throne serves as that other piece against {whom}.",
    "The throne serves as that other piece, whoever is on it, against {whom}.",
    "While attackers stand on three sides of the king's throne, an attacker can capture the defender on the fourth side"
    " against it.",
    "An empty corner serves as that other piece against {whom}.",
    "Neither throne nor corners help to capture soldiers.",
    "A camp's square, empty or not, serves as that other piece against {whom}, unless the victim stands in that camp.",
    "{some} and {last}",
    "The empty throne counts as one of these attackers.",
    "An empty corner counts as one of these attackers.",
    "A camp's square counts as one of these attackers.",
    "The attacker who comes last must be the one that has just moved; a king who walks in between is safe.",
    "The attackers also win when they move and a ring that cannot be broken from within cuts the king and all"
    " defenders off from the edge.",
    "The defenders also win when they move and the king, on the edge and able to move, is in a fort of his defenders"
    " that cannot be broken from without.",
    "A player may give up, and both may agree on a draw.",
)
"""Every other sentence and word, so that a test can tell that a catalogue is whole."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the rules under it."""

    title: str
    rules: tuple[str, ...]


def messages() -> tuple[str, ...]:
    """Give everything that can be said, in English, as a catalogue must have it."""
    tables: tuple[Mapping[Any, str], ...] = (*(WHO, WHOM, ORDINALS, FIRST, ARMS, CAPTURES, REPETITIONS, STUCK, WALLS),)
    return (*FIXED, FURTHER_ORDINAL, *(text for table in tables for text in table.values()))


def speaker(language: str) -> Say:
    """Give what looks messages up in a language; what is missing there stays English."""
    if language == ENGLISH:
        return lambda message: message.removesuffix(" (whom)")
    path = LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    words = {entry.msgid: entry.msgstr for entry in polib.pofile(str(path)).translated_entries()}
    return lambda message: words.get(message, message.removesuffix(" (whom)"))


def languages() -> tuple[str, ...]:
    """Give the languages that a book can be told in, English first."""
    return (ENGLISH, *sorted(path.parent.parent.name for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.po")))


def sections(book: Book, say: Say) -> tuple[Section, ...]:
    """Tell a book.

    Args:
        book: any, shipped or not.
        say: gives a message in the reader's language.

    """
    chapters = (
        ("The game", _game),
        ("Moving", _moving),
        ("Capturing", _capturing),
        ("The king", _king),
        ("The end", _end),
    )
    return tuple(Section(say(title), tuple(tell(book, say))) for title, tell in chapters)


def _list(pieces: frozenset[Piece], words: Mapping[Piece, str], say: Say) -> str:
    *some, last = (say(words[piece]) for piece in Piece if piece in pieces)
    return say("{some} and {last}").format(some=", ".join(some), last=last) if some else last


def _may(pieces: frozenset[Piece], say: Say, everybody: str, only_king: str, others: str) -> str:
    """Say who may do something: everybody, the king alone, or a list."""
    if pieces == EVERY_PIECE:
        return say(everybody)
    return say(only_king) if pieces == KING_ONLY else say(others).format(who=_list(pieces, WHO, say))


def _game(book: Book, say: Say) -> Iterator[str]:
    pieces = list(Game(book).pieces.values())
    counts = {"attackers": pieces.count(Piece.ATTACKER), "defenders": pieces.count(Piece.DEFENDER)}
    yield say(SETTING).format(**counts)
    yield say(FIRST[book.first])
    if book.goal is Goal.CORNER:
        yield say("The defenders win when the king reaches one of the four corners.")
    elif book.camps:
        yield say("The defenders win when the king reaches any square of the edge that belongs to no camp.")
    else:
        yield say("The defenders win when the king reaches any square of the edge.")
    yield say("The attackers win when they capture the king.")


def _moving(book: Book, say: Say) -> Iterator[str]:
    yield say("A piece moves as far as it likes along a rank or file and jumps over nothing.")
    ordinary = book.throne_stops == book.throne_crosses == EVERY_PIECE and book.throne_return
    if ordinary and not book.throne_hostile_empty and not book.throne_hostile_occupied:
        yield say("The throne is a square like any other.")
    else:
        yield _may(
            book.throne_stops,
            say,
            "Everybody may stop on the throne.",
            "Only the king may stop on the throne.",
            "The pieces that may stop on the throne: {who}.",
        )
        if not book.throne_return:
            yield say("Whoever has left the throne does not stop on it again.")
        yield (
            _may(
                book.throne_crosses,
                say,
                "Everybody may pass over the empty throne.",
                "Only the king may pass over the empty throne.",
                "The pieces that may pass over the empty throne: {who}.",
            )
            if book.throne_crosses
            else say("Nobody may pass over the throne.")
        )
    if book.corner_stops == EVERY_PIECE and book.corner_hostile == NO_PIECE:
        yield say("The corners are squares like any other.")
    else:
        yield (
            _may(
                book.corner_stops,
                say,
                "Everybody may stop on a corner.",
                "Only the king may stop on a corner.",
                "The pieces that may stop on a corner: {who}.",
            )
            if book.corner_stops
            else say("Nobody may stop on a corner.")
        )
    if book.camps:
        squares = ", ".join(square_name(square, book.size) for square in sorted(book.camps))
        yield say("The camps are: {squares}. Nobody enters or crosses a camp from outside.").format(squares=squares)
    if book.camp_moves == ATTACKERS_ONLY:
        yield say("An attacker may move inside the camp that he has not left yet.")
    elif book.camp_moves:
        who = _list(book.camp_moves, WHO, say)
        yield say("The pieces that may move inside the camp that they have not left yet: {who}.").format(who=who)


def _capturing(book: Book, say: Say) -> Iterator[str]:
    yield say(
        "An enemy soldier is captured when your piece comes to stand beside him and another of yours stands on his"
        " opposite side. One move may capture several, one in each direction."
    )
    yield say("Whoever moves in between two enemies is safe.")
    places = (
        ("The empty throne serves as that other piece against {whom}.", book.throne_hostile_empty),
        ("The throne serves as that other piece, whoever is on it, against {whom}.", book.throne_hostile_occupied),
        ("An empty corner serves as that other piece against {whom}.", book.corner_hostile),
        (
            "A camp's square, empty or not, serves as that other piece against {whom}, unless the victim stands in that"
            " camp.",
            book.camp_hostile,
        ),
    )
    for message, victims in places:
        if victims & SOLDIERS:
            yield say(message).format(whom=_list(victims & SOLDIERS, WHOM, say))
    if not (book.throne_hostile_empty | book.throne_hostile_occupied | book.corner_hostile) & SOLDIERS:
        yield say("Neither throne nor corners help to capture soldiers.")
    if book.fourth_side:
        yield say(
            "While attackers stand on three sides of the king's throne, an attacker can capture the defender on the"
            " fourth side against it."
        )
    if book.shieldwall is not Shieldwall.NONE:
        yield say(WALLS[book.shieldwall])


def _king(book: Book, say: Say) -> Iterator[str]:
    yield say(ARMS[book.king_arms])
    yield say(CAPTURES[book.king_capture])
    places = (
        ("The empty throne counts as one of these attackers.", book.throne_hostile_empty),
        ("An empty corner counts as one of these attackers.", book.corner_hostile),
        ("A camp's square counts as one of these attackers.", book.camp_hostile),
    )
    yield from (say(message) for message, victims in places if victims & KING_ONLY)
    yield say("The attacker who comes last must be the one that has just moved; a king who walks in between is safe.")


def _end(book: Book, say: Say) -> Iterator[str]:
    if book.encirclement:
        yield say(
            "The attackers also win when they move and a ring that cannot be broken from within cuts the king and all"
            " defenders off from the edge."
        )
    if book.exit_fort:
        yield say(
            "The defenders also win when they move and the king, on the edge and able to move, is in a fort of his"
            " defenders that cannot be broken from without."
        )
    number = book.repetition_count
    nth = say(ORDINALS.get(number, FURTHER_ORDINAL)).format(number=number)
    yield say(REPETITIONS[book.repetition]).format(nth=nth)
    yield say(STUCK[book.no_legal_move])
    yield say("A player may give up, and both may agree on a draw.")
