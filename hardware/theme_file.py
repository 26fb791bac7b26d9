"""Touches files: reads themes and rhythms, the package's own and a player's.

Owns the form of a theme file: a name, and for every role its colour, rhythm and brightness.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError
from pydantic_core import ErrorDetails

from hardware.errors import ThemeError
from hardware.files import read_text
from hardware.lights import Rgb
from hardware.theme import Look, Rhythm, Role, Step, Theme
from hardware.toml_text import parse_toml

DEFAULT_THEME = "default"
FILE_MAX_BYTES = 65_536  # of a theme; ours have 3,000

_SUFFIX = ".toml"
_RHYTHMS = "rhythms"
_COLOUR = "^#[0-9a-fA-F]{6}$"

_Entry = TypeVar("_Entry", bound=BaseModel)


class _File(BaseModel):
    """Anything a theme file holds: nothing unknown, nothing turned into another type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _LookEntry(_File):
    """One role's line."""

    colour: Annotated[str, Field(pattern=_COLOUR)]
    rhythm: str
    brightness: Annotated[float, Field(ge=0, le=1)]


class _ThemeEntry(_File):
    """A whole theme."""

    name: str
    roles: dict[str, _LookEntry]


class _RhythmEntry(_File):
    """One rhythm's table."""

    ramp: bool = False
    steps: Annotated[
        list[Annotated[list[Annotated[float, Field(ge=0)]], Field(min_length=2, max_length=2)]], Field(min_length=1)
    ]


class _RhythmEntries(RootModel[dict[str, _RhythmEntry]]):
    """All rhythms."""


def theme_names() -> tuple[str, ...]:
    """Return the names of the themes that come with the package."""
    folder = resources.files("hardware") / "themes"
    stems = (Path(entry.name).stem for entry in folder.iterdir() if entry.name.endswith(_SUFFIX))
    return tuple(sorted(stem for stem in stems if stem != _RHYTHMS))


def load_theme(source: str | Path = DEFAULT_THEME) -> Theme:
    """Read a theme by its name or from a file.

    Args:
        source: a name of `theme_names`, or the path of a `.toml` file.

    Raises:
        ThemeError: there is no such theme, or the file says what cannot be meant; file and key are named.

    """
    file = str(source)
    if isinstance(source, Path) or source.endswith(_SUFFIX):
        return parse_theme(_read(Path(source)), file)
    if source not in theme_names():
        raise ThemeError(file, "", f"no such theme, expected {_one_of(theme_names(), source)} or a {_SUFFIX} file")
    return parse_theme(_own(source), file)


def parse_theme(text: str, file: str) -> Theme:
    """Read a theme from the text of a file.

    Raises:
        ThemeError: as for `load_theme`.

    """
    entry = _validated(_ThemeEntry, text, file)
    rhythms = load_rhythms()
    words = [role.value for role in Role]
    for word in entry.roles:
        if word not in words:
            raise ThemeError(file, f"roles.{word}", f"no such role, expected {_one_of(words, word)}")
    looks: dict[Role, Look] = {}
    for role in Role:
        look = entry.roles.get(role.value)
        if look is None:
            raise ThemeError(file, f"roles.{role.value}", "missing: a theme gives every role its look")
        if look.rhythm not in rhythms:
            key = f"roles.{role.value}.rhythm"
            raise ThemeError(file, key, f"no such rhythm {look.rhythm!r}, expected {_one_of(rhythms, look.rhythm)}")
        looks[role] = Look(_rgb(look.colour), rhythms[look.rhythm], look.brightness)
    return Theme(entry.name, looks)


@cache
def load_rhythms() -> Mapping[str, Rhythm]:
    """Return the rhythms that themes choose from, by name."""
    entries = _validated(_RhythmEntries, _own(_RHYTHMS), _RHYTHMS + _SUFFIX)
    rhythms = {
        name: Rhythm(name, tuple(Step(int(ms), level) for ms, level in entry.steps), entry.ramp)
        for name, entry in entries.root.items()
    }
    return MappingProxyType(rhythms)


def _own(name: str) -> str:
    """Return the text of one of the package's own files."""
    return (resources.files("hardware") / "themes" / (name + _SUFFIX)).read_text("utf-8")


def _read(path: Path) -> str:
    try:
        return read_text(path, FILE_MAX_BYTES)
    except OSError as error:
        raise ThemeError(str(path), "", f"cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise ThemeError(str(path), "", f"cannot be read: {error}") from error


def _validated(model: type[_Entry], text: str, file: str) -> _Entry:
    """Return what the text holds.

    Raises:
        ThemeError: it is no TOML, or not of the model's form; only the first error is told.

    """
    try:
        found = parse_toml(text)
    except ValueError as error:
        raise ThemeError(file, "", str(error)) from error
    try:
        return model.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        raise ThemeError(file, ".".join(str(part) for part in first["loc"]), _problem(first)) from error


def _problem(error: ErrorDetails) -> str:
    """Say what was found and what was expected."""
    match error["type"]:
        case "extra_forbidden":
            known = _LookEntry.model_fields if len(error["loc"]) > 1 else _ThemeEntry.model_fields
            return f"unknown key, expected {_one_of(known, str(error['loc'][-1]))}"
        case "missing":
            return "missing"
        case "string_pattern_mismatch":
            return f"expected a colour like #00ff40, got {error['input']!r}"
        case _:
            return f"{error['msg']}, got {error['input']!r}"


def _one_of(known: Iterable[str], word: str) -> str:
    """Name the known words, the nearest one first if one is near."""
    words = list(known)
    near = difflib.get_close_matches(word, words, n=1)
    return f"{near[0]!r}" if near else "one of " + ", ".join(sorted(words))


def _rgb(text: str) -> Rgb:
    """Return the channels of `#rrggbb`."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)
