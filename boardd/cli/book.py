"""The command that tells a rule book to players: book. Asks the engine for the fields; knows no rule."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping
from pathlib import Path

import click

from boardd.book_words import Section, languages, sections, speaker
from boardd.cli.configuration import config_option, read_settings
from boardd.cli.output import CommandError, console, json_option, write_json
from boardd.drawing import board_text
from boardd.house import configured_book
from engine import Book, EngineError, Game, book_named

LANGUAGE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Where the language of messages is looked for; the first that is set counts."""

WIDTH = 88
"""Columns of a line of prose: longer ones are hard to read."""

BULLET = "- "


@click.command()
@click.argument("name", required=False)
@click.option("--lang", type=click.Choice(languages()), help="The language; by default that of the environment.")
@config_option
@json_option
def book(name: str | None, lang: str | None, config: Path | None, as_json: bool) -> None:
    """Tell a rule book in words and draw its start.

    NAME is a book's name or an OTN rules string; without it, the book that the configuration plays by, house rules
    included.
    """
    told, language = _book(name, config), lang or language_of(os.environ)
    chapters = sections(told, speaker(language))
    if as_json:
        rules = [{"title": chapter.title, "rules": list(chapter.rules)} for chapter in chapters]
        write_json({"name": told.name, "language": language, "start": told.start, "sections": rules})
        return
    out = console()
    out.print(f"{told.name}, {told.size} x {told.size}", style="bold", markup=False)
    out.print()
    out.print(board_text(told, Game(told).pieces))
    for chapter in chapters:
        out.print()
        out.print(chapter.title, style="bold", markup=False)
        out.print(_prose(chapter), markup=False)


def language_of(environment: Mapping[str, str]) -> str:
    """Give the language that an environment asks for, or English."""
    wanted = next((environment[name] for name in LANGUAGE_VARIABLES if environment.get(name)), "")
    code = wanted.partition(".")[0].partition("_")[0].lower()
    return code if code in languages() else languages()[0]


def _book(name: str | None, config: Path | None) -> Book:
    """Find the book that is meant.

    Raises:
        CommandError: both were given.

    """
    if name is None:
        settings = read_settings(config)
        try:
            told = configured_book(settings.game)
            Game(told)  # rules that fit together may still have a start that cannot be played
            return told
        except EngineError as error:
            raise CommandError(f"{config}: [game] {error}") from error
    if config is not None:
        raise CommandError("--config: found a book's name too, expected one of them")
    return book_named(name)


def _prose(chapter: Section) -> str:
    """Set the rules of a section as a list."""
    return "\n".join(
        textwrap.fill(
            rule,
            WIDTH,
            initial_indent=BULLET,
            subsequent_indent=" " * len(BULLET),
            break_on_hyphens=False,
        )
        for rule in chapter.rules
    )
