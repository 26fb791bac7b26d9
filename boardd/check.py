"""Refuses a configuration whose values are each possible but not together, or not with what is installed.

Owns what other packages must be asked about: rule books, themes, the board's size, the current of dark lights. Reads
theme files through `hardware`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from boardd.access import host_problem
from boardd.computer.engine_command import OWN_ENGINE, engine_command
from boardd.settings import Settings, SettingsError
from boardd.wiring.wires import wiring_problems
from engine import Book, EngineError, Game, book_named, parse_square
from engine.house import changed
from hardware.current import Draw
from hardware.errors import ThemeError
from hardware.theme_file import load_theme


def check(settings: Settings, where: str) -> None:
    """Refuse a configuration that cannot be played with.

    Args:
        settings: valid each key by itself.
        where: the file's name, for messages.

    Raises:
        SettingsError: all that is wrong with it.

    """
    problems = [f"{where}: {problem}" for problem in _problems(settings)]
    if problems:
        raise SettingsError(tuple(problems))


def _problems(settings: Settings) -> Iterator[str]:
    try:
        book = book_named(settings.game.rules)
    except EngineError as error:
        yield f"[game] rules: {error}"
    else:
        yield from _book_problems(settings, book)
    why = host_problem(settings.page.host)
    if why is not None:
        yield f"[page] host: {why}"
    yield from _engine_problems(settings.opponent.engine)
    try:
        load_theme(settings.lights.theme)
    except ThemeError as error:
        yield f"[lights] theme: {error}"


def _engine_problems(engine: str) -> Iterator[str]:
    """Tell why an engine cannot be started, as far as that can be told without trying."""
    if engine in OWN_ENGINE:
        return
    try:
        program = engine_command(engine, 1)[:1]
    except ValueError as error:
        yield f"[opponent] engine: found {engine!r} ({error}), expected a command"
        return
    if not program or shutil.which(program[0]) is None:
        yield f"[opponent] engine: found {engine!r}, expected konakis or the path of a program that can be run"


def _book_problems(settings: Settings, named: Book) -> Iterator[str]:
    """Tell what is wrong with the house rules, or else what does not fit a board for them."""
    try:
        book = changed(named, settings.game.house)
        Game(book)
    except EngineError as error:
        yield f"[game.house] {error}"
        book = named
    yield from _board_problems(settings, book)
    yield from wiring_problems(settings, book.size)


def _board_problems(settings: Settings, book: Book) -> Iterator[str]:
    """Tell what does not fit a board of the book's size."""
    for name in settings.board.masked:
        try:
            parse_square(name, book.size)
        except EngineError as error:
            yield f"[board] masked: {error}"
    lights = settings.lights
    least = Draw(lights.channel_ma, lights.rest_ma).least_budget_ma(book.size**2)
    if lights.budget_ma < least:
        found = f"found {lights.budget_ma}, expected at least {least:g}"
        yield f"[lights] budget_ma: {found}, which the lights draw when dark"
