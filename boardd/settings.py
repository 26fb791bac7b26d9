"""The whole configuration as frozen values, read from one TOML file: touches the disk, to read.

It is refused whole when anything in it is wrong. Owns every key, its default, unit, bounds and reason (the
descriptions become docs/configuration.md). Must not know who uses a value, and opens nothing but the one file it is
given.
"""

import difflib
import enum
import re
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import annotated_types
from pydantic import BaseModel, Field, ValidationError
from pydantic.fields import FieldInfo

from boardd.computer.opponent_settings import OpponentSettings
from boardd.errors import BoarddError
from boardd.settings_table import MAX_PIN, TEXT_PATTERN, Counted, Milliseconds, Table, Text
from boardd.wiring.wire_settings import (
    ButtonSettings,
    BuzzerSettings,
    MatrixSettings,
    MicrocontrollerSettings,
    ShiftRegisterSettings,
    WiredLights,
)
from hardware.errors import one_line
from hardware.files import read_text
from hardware.toml_text import parse_toml

FILE_MAX_BYTES = 65_536
"""Of a configuration; one that names every key, with its reason beside it, has 15,000."""

NEAREST_CUTOFF = 0.5
"""How alike (0 to 1) a known key must be to an unknown one to be offered instead."""

PROBLEMS_TOLD = 10
"""Of one file; whoever has more of them has not written it by hand."""

SQUARE_PATTERN = r"^[a-s](1[0-9]|[1-9])$"
"""A square of a board of up to 19 files and ranks, as `e5`."""


class SettingsError(BoarddError, ValueError):
    """A configuration that cannot be used; `problems` holds one line for each thing wrong with it."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        told = tuple(map(one_line, problems[:PROBLEMS_TOLD]))
        left = len(problems) - len(told)
        self.problems = (*told, f"{left} more of the same file") if left else told
        Exception.__init__(self, "\n".join(self.problems))  # the one error of ours with several lines


class HintLevel(enum.Enum):
    """How much the lights tell, from nothing to everything; each level adds to the one before."""

    OFF = "off"
    RULES = "rules"
    CAPTURES = "captures"
    COACH = "coach"


Squares = Annotated[tuple[Annotated[str, Field(pattern=SQUARE_PATTERN)], ...], Field(strict=False)]
"""Squares, as TOML and JSON lists give them."""

HouseRules = dict[str, Any]
"""Rules by name. What they may be, the engine knows."""

NAME_PATTERN = r"^[^\x00-\x1f\x7f\[\]|]*$"
"""A player's name goes into tags of game records, which end at brackets, bars and line ends."""

Name = Annotated[str, Field(max_length=80, pattern=NAME_PATTERN)]
"""A player's name: any text that a tag of a game record can carry."""


HOST_PATTERN = r"^(localhost|[0-9.]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$"
"""What looks like an address; whether it is one `boardd.access` knows."""

NAMES_PATTERN = r"^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$"
"""A host's name as browsers send it, with or without a port."""

HostNames = Annotated[tuple[Annotated[str, Field(pattern=NAMES_PATTERN)], ...], Field(strict=False)]
"""Host names, as TOML and JSON lists give them."""

PATTERN_WORDS = {
    TEXT_PATTERN: "text without NUL",
    SQUARE_PATTERN: "squares as e5",
    NAMES_PATTERN: "host names",
    HOST_PATTERN: "an address, as 127.0.0.1 for this computer alone or 0.0.0.0 for all networks",
}
"""What patterns mean, where their text would help nobody."""


class PlaySettings(Table):
    """Timings that decide when a change of the board means something, and how much the lights tell."""

    debounce_ms: Milliseconds = 40
    """A square counts as changed when its sensor held still this long; bounce of hall switches ends within 15."""
    overlap_ms: Milliseconds = 150
    """A piece may be read on two squares at once this long; a drop that precedes its lift by more is lost news."""
    settle_ms: Milliseconds = 200
    """A move whose piece can slide no further in its direction is accepted after holding this long."""
    settle_sliding_ms: Milliseconds = 500
    """The same where the piece could slide on: longer, so that a stop in a slide is seldom taken for its end."""
    settle_final_ms: Milliseconds = 1_000
    """The same for a move that would end the game, which should not end on a piece in passing."""
    held_ms: Milliseconds = 100
    """A move held this long is accepted early when the opponent lifts a piece; less invents moves, none misses them."""
    victim_removed_ms: Milliseconds = 200
    """A captured piece is gone when its square was empty this long."""
    victim_back_ms: Milliseconds = 300
    """A captured piece that stands again this long is to be removed again, or part of a takeback."""
    takeback_ms: Milliseconds = 400
    """The last move is taken back when the position before it held this long; slides pass over it."""
    illegal_ms: Milliseconds = 1_000
    """A piece must rest this long where no rule lets it stand before it is called illegal."""
    mismatch_ms: Milliseconds = 3_000
    """A board that nothing explains is called so after this long; players put things right by themselves."""
    two_moves_ms: Milliseconds = 300
    """Two moves seen at once are taken when their reading held this long."""
    new_game_ms: Milliseconds = 2_000
    """The start position must stand this long to mean a new game; it also passes by while tidying."""
    stuck_ms: Milliseconds = 10_000
    """A square that contradicts the game this long is reported as stuck."""
    masked_ms: Milliseconds = 4_000
    """A move through a masked square is asked about after this long; shorter asks in mid-move."""
    quiet_ms: Milliseconds = 100
    """A sensor is at rest when it did not change for this long; see flapping_ms."""
    flapping_ms: Milliseconds = 1_000
    """A sensor that was never at rest during this long is flapping and ignored until it is quiet."""
    draw_ms: Milliseconds = 50
    """The lights follow a change this much later, so that a fast slide does not flicker."""
    hints: Annotated[HintLevel, Field(strict=False)] = HintLevel.CAPTURES
    """How much the lights tell; can be changed while playing."""


class BoardSettings(Table):
    """The physical board: which kind it is, how it lies, which of its squares cannot be trusted."""

    kind: Literal["simulated", "matrix", "shift-registers", "microcontroller"] = "simulated"
    """What the sensors are; each kind but the first has a table of its own for its pins."""
    calibration: Text = ""
    """What `konakis calibrate` learned: a file; empty for `calibration.json` in the state directory, if it is there."""
    rotation_degrees: Annotated[Literal[0, 90, 180, 270], Counted] = 0
    """How far the board lies turned clockwise from its wiring's own a1; a start position cannot tell."""
    masked: Squares = ()
    """Squares whose sensors are broken; moves that touch them are asked about."""
    poll_hz: Annotated[int, Field(ge=10, le=500)] = 50
    """How often the sensors are read a second (Hz); slower misses fast slides, faster costs power."""


class GameSettings(Table):
    """What is played and who plays it."""

    rules: Text = "tablut-edge"
    """The rule book of new games, by name or as an OTN rules string; the size of the board follows from it."""
    house: HouseRules = {}  # noqa: RUF012  # pydantic copies a default
    """House rules: fields of the book that are to differ, as a table [game.house]; `konakis rules BOOK` shows them."""
    attackers: Name = ""
    """Name of the attackers' player, for the records."""
    defenders: Name = ""
    """Name of the defenders' player, for the records."""


class LightSettings(WiredLights):
    """How the lights are wired, how they look and how much current they may draw."""

    theme: Text = "default"
    """Which colours and rhythms the lights' meanings have: a theme's name, or a TOML file of your own."""
    brightness: Annotated[float, Field(ge=0.0, le=1.0)] = 0.6
    """Of all lights, 0 to 1; can be changed while playing."""
    budget_ma: Annotated[int, Field(ge=100, le=20_000)] = 1_500
    """What all lights together may draw (mA), dimmed before they do: what the supply gives less the computer's own."""
    channel_ma: Annotated[float, Field(gt=0.0, le=100.0)] = 20.0
    """What one colour of one light draws at full (mA): the datasheet's figure for a WS2812."""
    rest_ma: Annotated[float, Field(ge=0.0, le=20.0)] = 1.0
    """What one light draws when dark (mA), for its own controller."""


class PageSettings(Table):
    """Where the page is served, and who may see it; docs/security.md has the reasons."""

    host: Annotated[str, Field(pattern=HOST_PATTERN)] = "127.0.0.1"
    """The address to listen on. Beyond this computer all may watch; to act takes the token that the daemon prints."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 8_099
    """The port; 0 takes any that is free."""
    names: HostNames = ()
    """Further names that browsers call this computer by, as board.example; its addresses and own name are known."""


class StorageSettings(Table):
    """Where games and traces are kept, and how much room the traces may take."""

    directory: Text = ""
    """The state directory; empty for what systemd gives, else `konakis` below the user's own state directory."""
    trace_file_kb: Annotated[int, Field(ge=16, le=1_000_000)] = 4_096
    """A trace file is closed and the next one begun at this size (kB): about 200 games."""
    trace_files: Annotated[int, Field(ge=2, le=1_000)] = 16
    """How many trace files are kept, the oldest deleted first: with the other default, 64 MB at most."""


class LogSettings(Table):
    """What the daemon tells on standard error."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least urgent message that is told."""


class Settings(Table):
    """Everything that can be configured; one attribute for each table of the file."""

    play: PlaySettings = PlaySettings()
    board: BoardSettings = BoardSettings()
    matrix: MatrixSettings = MatrixSettings()
    shift_registers: ShiftRegisterSettings = ShiftRegisterSettings()
    microcontroller: MicrocontrollerSettings = MicrocontrollerSettings()
    game: GameSettings = GameSettings()
    opponent: OpponentSettings = OpponentSettings()
    lights: LightSettings = LightSettings()
    buttons: ButtonSettings = ButtonSettings()
    buzzer: BuzzerSettings = BuzzerSettings()
    page: PageSettings = PageSettings()
    storage: StorageSettings = StorageSettings()
    log: LogSettings = LogSettings()


def load(path: Path) -> Settings:
    """Read the configuration from a TOML file.

    Raises:
        SettingsError: unreadable, not TOML, or with unknown keys or wrong values: all of them at once, a line each.

    """
    try:
        text = read_text(path, FILE_MAX_BYTES)
    except OSError as error:
        raise SettingsError((f"{path}: cannot be read: {error.strerror or error}",)) from error
    except UnicodeDecodeError as error:
        raise SettingsError((f"{path}: byte {error.start}: expected UTF-8 text",)) from error
    return parse(text, str(path))


def parse(text: str, name: str) -> Settings:
    """Make the configuration from TOML text; `name` stands for the file in messages.

    Raises:
        SettingsError: as for `load`.

    """
    try:
        data = parse_toml(text)
    except ValueError as error:
        raise SettingsError((f"{name}: {error}",)) from error
    try:
        return Settings.model_validate(data)
    except ValidationError as error:
        raise SettingsError(tuple(problems_of(error, Settings, f"{name}: "))) from error


def play_settings(values: Mapping[str, object], where: str) -> PlaySettings:
    """Make [play] from the `settings` of a trace's header; `where` begins each message.

    Raises:
        SettingsError: an unknown key or a wrong value.

    """
    try:
        return PlaySettings.model_validate(dict(values))
    except ValidationError as error:
        raise SettingsError(tuple(problems_of(error, PlaySettings, f"{where}: "))) from error


def problems_of(error: ValidationError, model: type[BaseModel], prefix: str) -> Iterator[str]:
    """Tell each thing that a validation found wrong in one line: where, what was found, what was expected."""
    for detail in error.errors():
        names = [part for part in detail["loc"] if isinstance(part, str)]
        table, field = _descend(model, names)
        place = prefix + _place(names, table=names[0] in Settings.model_fields or isinstance(detail["input"], dict))
        if detail["type"] == "extra_forbidden":
            whole = isinstance(detail["input"], dict)
            yield f"{place}: unknown {'table' if whole else 'key'}{_nearest(names[-1], table)}"
        elif field is None:
            yield f"{place}: found {_found(detail['input'])}, expected a table"
        else:
            yield f"{place}: found {_found(detail['input'])}, expected {expected(field)}"


def expected(field: FieldInfo) -> str:
    """Tell in words what values a key takes, e.g. `a whole number from 0 to 65535`."""
    return _expected(field.annotation, list(field.metadata))


def _descend(model: type[BaseModel], names: list[str]) -> tuple[type[BaseModel], FieldInfo | None]:
    """Find the table that holds the last name, and the name's field (None for a whole table)."""
    field: FieldInfo | None = None
    for name in names:
        field = model.model_fields.get(name)
        inner = None if field is None else field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            model, field = inner, None
    return model, field


def _place(names: list[str], *, table: bool) -> str:
    """Name table and key as they stand in the file: `[play] debounce_ms`, or a table or top-level key alone."""
    *tables, key = map(_name, names)
    if not tables:
        return f"[{key}]" if table else key
    return f"[{'.'.join(tables)}] {key}"


def _name(name: str) -> str:
    """Show a name of the file on one line, in quotes where it is none that we could have given."""
    return name if re.fullmatch(r"[\w-]{1,40}", name) else _found(name)


def _nearest(name: str, table: type[BaseModel]) -> str:
    """Offer the known key that is most like an unknown one, or all of them when none is."""
    known = list(table.model_fields)
    near = difflib.get_close_matches(name, known, n=1, cutoff=NEAREST_CUTOFF)
    offered = [f"[{key}]" if table is Settings else key for key in near or known]
    return f", did you mean {offered[0]}?" if near else f", known are {', '.join(offered)}"


def _found(value: object) -> str:
    """Show a value as it would stand in the file, on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _expected(annotation: Any, metadata: list[Any]) -> str:
    """Tell what an annotated type takes; bounds may stand in the metadata at any depth."""
    if typing.get_origin(annotation) is Annotated:
        inner, *more = typing.get_args(annotation)
        return _expected(inner, [*more, *metadata])
    origin = typing.get_origin(annotation)
    if origin is Literal:
        return "one of " + ", ".join(str(value) for value in typing.get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return "one of " + ", ".join(str(member.value) for member in annotation)
    if origin is tuple:
        (item, _) = typing.get_args(annotation)
        inner, *constraints = typing.get_args(item)
        return f"a list of {f'pin numbers from 0 to {MAX_PIN}' if inner is int else _pattern_words(constraints)}"
    if origin in (types.UnionType, typing.Union):
        return " or ".join(_expected(inner, []) for inner in typing.get_args(annotation))
    if origin is dict:
        return "a table of rules"
    if annotation is str and _pattern_words(metadata):
        return _pattern_words(metadata)
    kinds = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
    return kinds.get(annotation, str(annotation)) + _bounds(metadata)


def _pattern_words(metadata: list[Any]) -> str:
    """Tell what a text must look like, if its pattern has words; else give nothing."""
    patterns = (getattr(item, "pattern", None) for item in _flatten(metadata))
    return next((PATTERN_WORDS[pattern] for pattern in patterns if pattern in PATTERN_WORDS), "")


def _bounds(metadata: list[Any]) -> str:
    """Tell the bounds found in a field's metadata."""
    low = high = most = without = ""
    for item in _flatten(metadata):
        if isinstance(item, annotated_types.Ge):
            low = f" from {_number(item.ge)}"
        elif isinstance(item, annotated_types.Gt):
            low = f" above {_number(item.gt)}"
        elif isinstance(item, annotated_types.Le):
            high = f" to {_number(item.le)}" if low.startswith(" from") else f", at most {_number(item.le)}"
        elif isinstance(item, annotated_types.MaxLen):
            most = f" of at most {item.max_length} characters"
        elif getattr(item, "pattern", None) == NAME_PATTERN:
            without = " without [ ] |"
    return low + high + most + without


def _number(bound: Any) -> str:
    """Write a bound as short as it goes, whole where it is."""
    return str(int(bound)) if bound == int(bound) else str(bound)


def _flatten(metadata: list[Any]) -> Iterator[Any]:
    """Give every single constraint, also those that a nested field declaration carries."""
    for item in metadata:
        if isinstance(item, FieldInfo):
            yield from _flatten(list(item.metadata))
        else:
            yield item
