"""Books in words: made from the fields, whole in every language, and read by a player on the terminal."""

import re
from dataclasses import fields, replace
from pathlib import Path

import polib  # type: ignore[import-untyped]  # it ships no types
import pytest

from boardd.book_words import DOMAIN, languages, messages, sections, speaker
from boardd.cli.book import language_of
from boardd.web.catalogue import LOCALE
from engine import BOOKS, Book, Piece, Side, Square
from engine.books import Goal, KingArms, KingCapture, NoLegalMove, Repetition, Shieldwall
from tests.boardd.commands import Terminal

EDGE = BOOKS["tablut-edge"]
ALL, NONE, KING = frozenset(Piece), frozenset[Piece](), frozenset({Piece.KING})
CYRILLIC, LATIN = re.compile("[а-яё]", re.IGNORECASE), re.compile("[a-zA-Z]{2,}")

CHANGES: dict[str, tuple[Book, list[object]]] = {
    "size": (replace(EDGE, start=BOOKS["tablut-corner"].start), []),
    "first": (EDGE, list(Side)),
    "goal": (BOOKS["tablut-corner"], list(Goal)),
    "throne_stops": (EDGE, [ALL, KING, KING | {Piece.ATTACKER}]),
    "throne_crosses": (EDGE, [ALL, KING, NONE, frozenset({Piece.DEFENDER})]),
    "throne_return": (EDGE, [True, False]),
    "throne_hostile_empty": (EDGE, [ALL, NONE, KING, frozenset({Piece.DEFENDER})]),
    "throne_hostile_occupied": (EDGE, [ALL, NONE, frozenset({Piece.DEFENDER})]),
    "fourth_side": (EDGE, [True, False]),
    "corner_stops": (EDGE, [ALL, NONE, KING, frozenset({Piece.DEFENDER})]),
    "corner_hostile": (EDGE, [ALL, NONE, KING, frozenset({Piece.DEFENDER})]),
    "king_arms": (EDGE, list(KingArms)),
    "king_capture": (EDGE, list(KingCapture)),
    "repetition": (EDGE, list(Repetition)),
    "no_legal_move": (EDGE, list(NoLegalMove)),
    "repetition_count": (BOOKS["linnaean"], [2, 3, 4, 5, 6, 7]),
    "camps": (BOOKS["ashton"], [frozenset({Square(3), Square(4)}), BOOKS["ashton"].camps]),
    "camp_moves": (BOOKS["ashton"], [frozenset({Piece.ATTACKER}), frozenset({Piece.ATTACKER, Piece.DEFENDER})]),
    "camp_hostile": (BOOKS["ashton"], [ALL, NONE, KING, frozenset({Piece.ATTACKER})]),
    "shieldwall": (EDGE, list(Shieldwall)),
    "encirclement": (EDGE, [True, False]),
    "exit_fort": (EDGE, [True, False]),
    "start": (EDGE, [EDGE.start, "/3ttt3/9/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/9/3ttt3/"]),
}
"""For each field a book and values that must read differently; camps are left out where a start would not fit."""

UNSPOKEN = {"name", "size", "given_anywhere"}
"""What no player needs to be told, or sees on the board that is drawn."""


def words(book: Book, language: str) -> str:
    return "\n".join(rule for section in sections(book, speaker(language)) for rule in section.rules)


def test_every_field_is_spoken_of() -> None:
    assert set(CHANGES) | UNSPOKEN == {field.name for field in fields(Book)}


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("field", CHANGES)
def test_a_changed_rule_reads_differently(field: str, language: str) -> None:
    book, values = CHANGES[field]
    told = [words(replace(book, **{field: value}), language) for value in values]  # type: ignore[arg-type]
    assert len(set(told)) == len(values)


@pytest.mark.parametrize("language", [language for language in languages() if language != "en"])
def test_a_catalogue_has_every_message_and_no_other(language: str) -> None:
    entries = polib.pofile(str(LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"))
    assert [entry.msgid for entry in entries if not entry.translated()] == []
    assert {entry.msgid for entry in entries} == set(messages())
    for entry in entries:
        places = re.findall(r"\{\w+\}", entry.msgid)
        assert sorted(re.findall(r"\{\w+\}", entry.msgstr)) == sorted(places), entry.msgid


@pytest.mark.parametrize("book", BOOKS.values(), ids=BOOKS)
def test_no_book_says_anything_that_is_not_in_the_list_of_messages(book: Book) -> None:
    asked: list[str] = []

    def say(message: str) -> str:
        asked.append(message)
        return message

    assert sections(book, say)
    assert set(asked) <= set(messages())


@pytest.mark.parametrize("book", BOOKS.values(), ids=BOOKS)
def test_each_language_is_its_own(book: Book) -> None:
    english, russian = words(book, "en"), words(book, "ru")
    assert not CYRILLIC.search(english)
    assert "(whom)" not in english
    assert not LATIN.search(russian)
    assert "{" not in english + russian


def test_a_book_and_its_start_are_shown(konakis: Terminal) -> None:
    out = konakis("book", "copenhagen", "--lang", "en").out
    assert out.startswith("copenhagen, 11 x 11\n")
    assert "11  + . . t t t t t . . +\n" in out
    assert "    a b c d e f g h i j k\n" in out
    assert "- Whoever brings about the same position for the third time has lost.\n" in out
    assert max(map(len, out.splitlines())) <= 88


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "ru_RU.UTF-8"}, "ru"),
        ({"LANG": "ru"}, "ru"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "fi_FI.UTF-8"}, "en"),
        ({"LANG": "ru_RU.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "en"),
        ({"LANG": "en_GB", "LC_MESSAGES": "ru_RU", "LC_ALL": ""}, "ru"),
    ],
)
def test_the_language_of_the_environment(environment: dict[str, str], language: str) -> None:
    assert language_of(environment) == language


def test_the_environment_is_asked(konakis: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "ru_RU.UTF-8")
    assert "Первыми ходят Москвичи." in konakis("book", "brandubh").out
    assert "The attackers move first." in konakis("book", "brandubh", "--lang", "en").out


def test_house_rules_read_right(konakis: Terminal, tmp_path_factory: pytest.TempPathFactory) -> None:
    config = tmp_path_factory.mktemp("house") / "board.toml"
    config.write_text('[game.house]\nname = "ours"\nking_arms = "unarmed"\n', "utf-8")
    out = konakis("book", "--config", str(config), "--lang", "en").out
    assert out.startswith("ours, 9 x 9\n")
    assert "The king takes no part in capturing." in out
    string = konakis("book", f"dim:9 esc:e ka:n start:{EDGE.start}", "--lang", "en").out
    assert "The king takes no part in capturing." in string
    assert konakis("book", "--lang", "en").out.startswith("tablut-edge, 9 x 9\n")


def test_a_start_that_does_not_fit_the_house_rules_is_refused_with_the_file(konakis: Terminal, tmp_path: Path) -> None:
    config = tmp_path / "board.toml"
    config.write_text("[game.house]\nsize = 11\n", "utf-8")
    complaint = konakis("book", "--config", config).complaint
    assert complaint.startswith(f"{config}: [game] position: found 9 x 9 squares, expected 11 x 11")


def test_json(konakis: Terminal) -> None:
    answer = konakis("book", "ashton", "--lang", "ru", "--json").json
    assert (answer["name"], answer["language"], answer["start"]) == ("ashton", "ru", BOOKS["ashton"].start)
    assert [section["title"] for section in answer["sections"]] == ["Игра", "Ходы", "Захваты", "Король", "Конец партии"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("book", "chess"), "rule book: found 'chess', expected one of"),
        (("book", "ashton", "--lang", "fi"), "'fi' is not one of 'en', 'ru'"),
        (("book", "ashton", "--config", "x.toml"), "--config: found a book's name too"),
    ],
)
def test_what_cannot_be_told(konakis: Terminal, arguments: tuple[str, ...], why: str) -> None:
    ran = konakis(*arguments)
    assert ran.status == 2
    assert why in ran.complaint
