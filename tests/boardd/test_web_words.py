"""The page's words: every message is in the template and in each catalogue, and every code has words."""

import re
from pathlib import Path

import polib  # type: ignore[import-untyped]  # it ships no types
import pytest

from boardd import face, table_top
from boardd.events import Topic
from boardd.settings import HintLevel
from boardd.web.catalogue import LOCALE, catalogue, languages, negotiate
from boardd.web.messages import TEMPLATE, messages, template
from boardd.web.server import STATIC
from engine import BOOKS, Announcement, Reason
from hardware.theme import Role

LANGUAGES = [language for language in languages() if language != "en"]
PLACE = re.compile(r"\{\w+\}")
REFUSALS = {
    "not-your-turn",
    "occupied",
    "blocked",
    "diagonal",
    "forbidden-square",
    "not-the-chosen-move",
    "king-may-not-return",
}


def text_of(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def keys_of(table: str) -> set[str]:
    """Give the keys of one of the tables in vocabulary.js."""
    body = re.search(rf"^const {table} = {{\n(.*?)^}};", text_of("vocabulary.js"), re.DOTALL | re.MULTILINE)
    assert body is not None, table
    return {key.strip('"') for key in re.findall(r'^  ("[\w-]+"|\w+):', body.group(1), re.MULTILINE)}


def test_the_template_is_up_to_date() -> None:
    """Run `python -m boardd.web.messages` when this fails."""
    written = {entry.msgid for entry in polib.pofile(str(TEMPLATE))}
    assert written == set(messages()) == {entry.msgid for entry in template()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_catalogue_translates_every_message_and_no_other(language: str) -> None:
    entries = polib.pofile(str(LOCALE / language / "LC_MESSAGES" / "konakis.po"))
    assert {entry.msgid for entry in entries} == set(messages())
    assert [entry.msgid for entry in entries if not entry.translated()] == []
    assert catalogue(language).keys() == set(messages())


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_keep_the_places_of_fields(language: str) -> None:
    for message, translation in catalogue(language).items():
        assert sorted(PLACE.findall(message)) == sorted(PLACE.findall(translation)), message


def test_the_announcements_are_those_of_the_sources() -> None:
    russian = catalogue("ru")
    assert russian["Raichi!"] == "Raichi!"
    assert russian["Tuichi!"] == "Tuichi!"
    assert russian["King in danger!"] == "Король в опасности!"


def test_every_message_is_found_by_the_template() -> None:
    """Only tables, which mark their texts, may be translated by a variable."""
    for path in STATIC.glob("*.js"):
        calls = re.findall(r"(?<![\w.])(?:t|mark)\((?!\s*\")([^)]*)", path.read_text(encoding="utf-8"))
        allowed = {"vocabulary.js", "words.js", "calibrate_words.js"}
        assert path.name in allowed or calls == [], (path.name, calls)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("ROLES", {role.value for role in Role}),
        ("ANNOUNCEMENTS", {announcement.value for announcement in Announcement}),
        ("REASONS", {reason.value for reason in Reason}),
        ("ILLEGAL", REFUSALS),
        ("BOOKS", set(BOOKS)),
        ("LEVELS", {level.value for level in HintLevel}),
    ],
)
def test_every_code_has_words(table: str, words: set[str]) -> None:
    assert keys_of(table) == words


def test_every_question_has_words() -> None:
    asked = set(re.findall(r'question\.about === "([\w-]+)"', text_of("status.js")))
    assert asked == {topic.value for topic in Topic}


def test_the_daemons_refusals_are_worded_as_the_daemon_words_them() -> None:
    daemon = "".join(Path(module.__file__ or "").read_text(encoding="utf-8") for module in (face, table_top))
    table = re.search(r"^const REFUSALS = \[\n(.*?)^\];", text_of("vocabulary.js"), re.DOTALL | re.MULTILINE)
    assert table is not None
    for message in re.findall(r'mark\("(.*)"\)', table.group(1)):
        assert message.replace("{square}", "{square_name(square, self._size)}") in daemon, message


@pytest.mark.parametrize(
    ("accept", "language"),
    [
        ("", "en"),
        ("ru", "ru"),
        ("ru-RU,ru;q=0.9,en-US;q=0.8", "ru"),
        ("en-GB,en;q=0.9,ru;q=0.1", "en"),
        ("fi,sv;q=0.8", "en"),
        ("fi,ru;q=0.5", "ru"),
        ("ru;q=0", "en"),
        ("ru;q=seven,en;q=0.1", "en"),
        ("RU", "ru"),
        (",;,=;q", "en"),
    ],
)
def test_the_language_is_negotiated(accept: str, language: str) -> None:
    assert negotiate(accept, ("en", "ru")) == language


def test_an_unknown_language_is_named() -> None:
    with pytest.raises(LookupError, match="'xx'; there are en, ru"):
        catalogue("xx")
