"""House rules in the configuration: a table or a rules string, checked, played by, and there again after a restart."""

import re
from pathlib import Path

import pytest

from boardd.check import check
from boardd.house import configured_book
from boardd.saved import Saved
from boardd.settings import SettingsError, parse
from boardd.storage.keeping import saved_from, stored_game
from engine import BOOKS
from engine.books import KingArms

UNARMED = '[game]\nrules = "tablut-edge"\n[game.house]\nname = "ours"\nking_arms = "unarmed"\n'
STRING = "dim:9 name:mine esc:e start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/"


def test_a_table_changes_the_book() -> None:
    settings = parse(UNARMED, "board.toml")
    check(settings, "board.toml")
    book = configured_book(settings.game)
    assert (book.name, book.king_arms) == ("ours", KingArms.UNARMED)


def test_a_rules_string_is_a_book_and_can_be_changed_too() -> None:
    settings = parse(f'[game]\nrules = "{STRING}"\nhouse = {{ first = "defenders" }}\n', "board.toml")
    check(settings, "board.toml")
    book = configured_book(settings.game)
    assert (book.name, book.encirclement, book.first.value) == ("mine-house", True, "defenders")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[game.house]\nking_arm = "armed"', "[game.house] king_arm: unknown rule, did you mean king_arms?"),
        ('[game.house]\nking_arms = "strong"', "[game.house] king_arms: found 'strong', expected one of armed"),
        ("[game.house]\nsize = 11", "[game.house] position: found 9 x 9 squares, expected 11 x 11"),
        ("[game.house]\nsize = true", "[game.house] size: found true, expected a whole number"),
        ('[game]\nrules = "dim:9 esc:e"', "[game] rules: line 1, column 12: found neither 'start' nor 'starti'"),
        ('[game]\nrules = "dim:9 kj:r start:/9/"', "[game] rules: rules: found kj:r (jumps of the king)"),
    ],
)
def test_what_cannot_be_played_is_refused(text: str, problem: str) -> None:
    with pytest.raises(SettingsError) as caught:
        check(parse(text, "board.toml"), "board.toml")
    assert caught.value.problems[0].startswith(f"board.toml: {problem}")


def test_a_house_rule_that_is_no_table_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"\[game\] house: found 3, expected a table of rules"):
        parse("[game]\nhouse = 3", "board.toml")


def test_a_game_by_house_rules_is_stored_with_them() -> None:
    book = configured_book(parse(UNARMED, "board.toml").game)
    saved = Saved(book)
    stored = stored_game(saved, saved.game(), "", "")
    assert saved_from(stored, "the store")[0].book == book
    plain = Saved(BOOKS["ashton"])
    assert stored_game(plain, plain.game(), "", "").rules == "ashton"


def test_the_example_of_the_rules_page_is_one() -> None:
    page = (Path(__file__).parents[2] / "docs" / "rules.md").read_text("utf-8")
    example = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert len(example) == 1
    settings = parse(example[0], "docs/rules.md")
    check(settings, "docs/rules.md")
    assert configured_book(settings.game) != BOOKS["tablut-edge"]
