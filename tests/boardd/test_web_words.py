"""The page's words: every message is in the template and in each catalogue, and every code has words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import polib  # type: ignore[import-untyped]  # it ships no types
import pytest

from boardd import face, table_top
from boardd.calibrate import calibration_remarks, practice_hands
from boardd.computer.engine_failure import Trouble
from boardd.events import Topic
from boardd.settings import HintLevel
from boardd.web import pages
from boardd.web.catalogue import LOCALE, catalogue, languages, negotiate
from boardd.web.messages import TEMPLATE, messages, template
from boardd.web.server import STATIC
from engine import BOOKS, Announcement, Reason
from firmware_bridge.virtual import Cable, VirtualBoard, VirtualClock
from hardware.boards import BoardWires, SerialWires, assemble
from hardware.lights import Show
from hardware.matrix import MatrixPins
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
        ("TROUBLES", {trouble.value for trouble in Trouble}),
        ("BOOKS", set(BOOKS)),
        ("LEVELS", {level.value for level in HintLevel}),
    ],
)
def test_every_code_has_words(table: str, words: set[str]) -> None:
    assert keys_of(table) == words


def test_every_question_has_words() -> None:
    asked = set(re.findall(r'question\.about === "([\w-]+)"', text_of("status.js")))
    assert asked == {topic.value for topic in Topic}


def listed(table: str) -> list[str]:
    """Give the messages of one of the lists in vocabulary.js."""
    body = re.search(rf"^const {table} = \[\n(.*?)^\];", text_of("vocabulary.js"), re.DOTALL | re.MULTILINE)
    assert body is not None, table
    return re.findall(r'mark\("(.*)"\)', body.group(1))


def sentence(node: ast.expr) -> str:
    """Give a string of the source, its fields as places; the one field that pages hear of is a square."""
    if isinstance(node, ast.JoinedStr):
        return "".join("{square}" if isinstance(part, ast.FormattedValue) else sentence(part) for part in node.values)
    return str(node.value) if isinstance(node, ast.Constant) else ""


def told_to_pages(module: ModuleType) -> Iterator[str]:
    """Give the sentences with which a module refuses what a page asks for."""
    for node in ast.walk(ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id="RefusedError" | "HandError") | ast.Attribute(attr="_refuse"), args=[said]):
                yield sentence(said)
            case ast.Assign(targets=[ast.Name(id="WATCHES_ONLY" | "WRONG_TOKEN" | "why")], value=said):
                yield sentence(said)


def test_every_refusal_that_a_page_can_bring_about_has_words() -> None:
    """What begins with found or expected answers a message that no page of ours sends."""
    told = {text for module in (face, table_top, practice_hands, pages) for text in told_to_pages(module) if text}
    told = {text for text in told if not re.match(r"(\{square\}: |brightness: )?(found|expected) ", text)}
    assert told == set(listed("REFUSALS"))


def test_what_the_configuration_says_of_dark_lights_has_words() -> None:
    clock = VirtualClock()
    link = Cable(VirtualBoard(clock, lights=0), clock).link()
    link.open()
    clock.advance(2.0)
    link.reading()
    pico, pins = SerialWires(), MatrixPins()
    made = [BoardWires(9, pico), BoardWires(9, pins), BoardWires(9, pins, own_lights=False)]
    reasons = set()
    for wires in made:
        show = Show(assemble(wires, clock, link=link).lights, 81)
        show.open(0.0)
        reasons.add(show.dark_because)
    assert reasons == set(listed("DARK"))


def test_every_remark_of_a_calibration_has_words() -> None:
    remarks = Path(calibration_remarks.__file__).read_text(encoding="utf-8")
    refused = re.findall(r'refused=True,\s*about="(\w+)"', remarks)
    known = re.findall(r'case "(\w+)":', text_of("calibrate_words.js"))
    assert refused
    assert set(refused) <= set(known)


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
