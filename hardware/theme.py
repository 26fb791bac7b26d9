"""What a light may mean, and how each meaning looks: roles, and themes that give them colour, rhythm and brightness.

Owns the roles, their order of urgency, and the way from roles to a picture. Pure. Knows nothing of why a cell has a
role; themes are read from files in theme_file.py.
"""

from __future__ import annotations

import colorsys
import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from hardware.lights import BLACK, Picture, Rgb
from hardware.news import Cell

MS_PER_S = 1000

FLASHES_PER_S = 3
"""No light may flash more often in any second, for the sake of people with photosensitive epilepsy (WCAG 2.3.1)."""

FLASH_STEP = 0.1
"""A rise of brightness that counts as a flash, of the full brightness (WCAG's general flash)."""

RAMP_REDRAW_S = 0.05
"""How often a ramp is drawn anew: smooth enough for the eye, and a slow processor has other work."""

APART_HUE_DEG = 15
"""Colours nearer than this on the circle of hues are called by the same name."""

GREY_SATURATION = 0.25
"""Below it a light is white to the eye and has no hue."""


class Role(enum.Enum):
    """What a light means, the most urgent first; the contract's words.

    A cell shows one role. What asks a hand to act comes first, else a game would wait for what nobody sees; then what
    a piece in the hand needs; then dangers; then what only reminds. `risky` beats `capture`, and that `destination`,
    because each of them is a destination that says more.
    """

    ILLEGAL = "illegal"
    REMOVE = "remove"
    EXTRA = "extra"
    MISSING = "missing"
    QUESTION = "question"
    ENGINE_FROM = "engine-from"
    ENGINE_TO = "engine-to"
    ORIGIN = "origin"
    HINT = "hint"
    RISKY = "risky"
    CAPTURE = "capture"
    DESTINATION = "destination"
    VICTIM = "victim"
    PROVISIONAL = "provisional"
    WINNER = "winner"
    KING_DANGER = "king-danger"
    THREAT = "threat"
    ESCAPE = "escape"
    ENDANGERED = "endangered"
    LAST_TO = "last-to"
    LAST_FROM = "last-from"
    TURN = "turn"
    SENSOR = "sensor"

    @property
    def urgency(self) -> int:
        """0 for the most urgent role, then counting up."""
        return _URGENCY[self]


_URGENCY = {role: rank for rank, role in enumerate(Role)}


def _together(*roles: Role) -> frozenset[Role]:
    """Return roles that may be seen at once, with those that may join any others."""
    return frozenset({*roles, Role.QUESTION, Role.SENSOR})


_R = Role
# Roles that a player may see at the same time, by what is going on. Within a group every look must be told apart.
SHOWN_TOGETHER: Mapping[str, frozenset[Role]] = {
    "ready": _together(
        _R.TURN, _R.LAST_FROM, _R.LAST_TO, _R.KING_DANGER, _R.THREAT, _R.ESCAPE, _R.ENDANGERED, _R.HINT,
        _R.ENGINE_FROM, _R.ENGINE_TO,
    ),
    "in the hand, and may go": _together(
        _R.ORIGIN, _R.DESTINATION, _R.CAPTURE, _R.RISKY, _R.VICTIM, _R.REMOVE, _R.ILLEGAL, _R.MISSING,
        _R.ENGINE_FROM, _R.ENGINE_TO,
    ),
    "in the hand, and may not": _together(
        _R.ORIGIN, _R.VICTIM, _R.REMOVE, _R.ILLEGAL, _R.MISSING, _R.KING_DANGER, _R.THREAT, _R.ESCAPE,
        _R.ENGINE_FROM, _R.ENGINE_TO,
    ),
    "hint followed": _together(
        _R.HINT, _R.ORIGIN, _R.DESTINATION, _R.CAPTURE, _R.RISKY, _R.VICTIM, _R.KING_DANGER, _R.REMOVE,
    ),
    "not yet accepted": _together(_R.PROVISIONAL, _R.ORIGIN, _R.LAST_FROM, _R.LAST_TO, _R.REMOVE),
    "to be removed": _together(
        _R.REMOVE, _R.VICTIM, _R.ENDANGERED, _R.LAST_FROM, _R.LAST_TO, _R.KING_DANGER, _R.THREAT,
        _R.ENGINE_FROM, _R.ENGINE_TO,
    ),
    "something wrong": _together(_R.ILLEGAL, _R.MISSING, _R.EXTRA, _R.REMOVE, _R.PROVISIONAL),
    "game over": _together(_R.WINNER, _R.LAST_FROM, _R.LAST_TO, _R.REMOVE),
}  # fmt: skip
del _R


def most_urgent(first: Role, second: Role) -> Role:
    """Return the role that a cell shows when it has two."""
    return first if _URGENCY[first] <= _URGENCY[second] else second


@dataclass(frozen=True, slots=True)
class Step:
    """A part of a rhythm: how long it lasts, and the brightness (0 to 1) it begins with."""

    ms: int
    level: float


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How a light comes and goes, over and over; all lights of one rhythm keep time with each other.

    Args:
        name: what themes call it.
        steps: its parts in order, one at least.
        ramp: whether the brightness runs evenly from a step's level to the next one's; else it jumps.

    """

    name: str
    steps: tuple[Step, ...]
    ramp: bool = False

    @property
    def period_ms(self) -> int:
        """How long it takes until it begins again."""
        return sum(step.ms for step in self.steps)

    @property
    def steady(self) -> bool:
        """Whether the brightness never changes."""
        return len({step.level for step in self.steps}) == 1

    def level(self, t: float) -> float:
        """Return the brightness at a time, 0 to 1."""
        ms = (t * MS_PER_S) % self.period_ms
        for index, step in enumerate(self.steps):
            if ms < step.ms:
                if not self.ramp:
                    return step.level
                following = self.steps[(index + 1) % len(self.steps)]
                return step.level + (following.level - step.level) * ms / step.ms
            ms -= step.ms
        return self.steps[0].level  # the remainder was rounded up to the period

    def next_change(self, t: float) -> float | None:
        """Return when the brightness should be drawn anew after `t`; None for a steady light."""
        if self.steady:
            return None
        if self.ramp:
            return t + RAMP_REDRAW_S
        ms = (t * MS_PER_S) % self.period_ms
        end = 0.0
        for step in self.steps:
            end += step.ms
            # A change nearer than a thousandth of a millisecond is the one that is drawn now, seen through rounding.
            if end > ms + 0.001:
                return t + (end - ms) / MS_PER_S
        return t + (self.period_ms - ms + self.steps[0].ms) / MS_PER_S

    def flashes_per_s(self) -> int:
        """Return the most flashes (rises of `FLASH_STEP` or more) in any second."""
        levels = [step.level for step in self.steps]
        rises: list[int] = []  # when the brightness begins to rise, in ms of one period
        at = 0
        for index, step in enumerate(self.steps):
            at += step.ms
            following = levels[(index + 1) % len(levels)]
            if following - step.level >= FLASH_STEP:
                rises.append(at - step.ms if self.ramp else at)
        period = self.period_ms
        turns = MS_PER_S // period + 2
        times = [turn * period + rise for turn in range(turns) for rise in rises]
        return max((sum(start <= time < start + MS_PER_S for time in times) for start in times), default=0)


@dataclass(frozen=True, slots=True)
class Look:
    """How a role looks.

    Args:
        colour: the colour at full brightness.
        rhythm: how it comes and goes.
        brightness: how bright it is at most, 0 to 1, before the player's own setting.

    """

    colour: Rgb
    rhythm: Rhythm
    brightness: float

    @property
    def hex(self) -> str:
        """The colour as `#rrggbb`."""
        return "#{:02x}{:02x}{:02x}".format(*self.colour)

    @property
    def hue(self) -> float | None:
        """The hue in degrees, 0 to 360; None for white and what is nearly white."""
        red, green, blue = (channel / 255 for channel in self.colour)
        hue, saturation, _ = colorsys.rgb_to_hsv(red, green, blue)
        return None if saturation < GREY_SATURATION else hue * 360

    def differs_in_hue(self, other: Look) -> bool:
        """Return whether a player with ordinary sight tells the colours apart by their names."""
        if self.hue is None or other.hue is None:
            return self.hue is not other.hue
        apart = abs(self.hue - other.hue)
        return min(apart, 360 - apart) >= APART_HUE_DEG


@dataclass(frozen=True, slots=True)
class Theme:
    """A look for every role."""

    name: str
    looks: Mapping[Role, Look]

    def next_change(self, roles: Iterable[Role], t: float) -> float | None:
        """Return when a picture of these roles should be drawn anew after `t`; None if nothing in it moves."""
        rhythms = {self.looks[role].rhythm for role in roles}
        changes = [change for rhythm in rhythms if (change := rhythm.next_change(t)) is not None]
        return min(changes, default=None)

    def confusions(self) -> Iterator[tuple[str, Role, Role]]:
        """Yield the roles that may be seen together and do not differ in rhythm as well as hue, with their group."""
        for group, roles in SHOWN_TOGETHER.items():
            for first, second in combinations(sorted(roles, key=_URGENCY.__getitem__), 2):
                one, other = self.looks[first], self.looks[second]
                if one.rhythm == other.rhythm or not one.differs_in_hue(other):
                    yield group, first, second


def colours(roles: Mapping[Cell, Role], theme: Theme, brightness: float, t: float, cells: int) -> Picture:
    """Return the picture of what lights mean, at one moment.

    A light that is on is never rounded down to black, however dim.

    Args:
        roles: what each light means, by the cell of the light; the others are black.
        theme: how roles look.
        brightness: the player's setting, 0 (all black) to 1.
        t: the moment, in seconds.
        cells: how many lights there are.

    """
    looks = theme.looks
    shades: dict[Role, Rgb] = {}
    picture = [BLACK] * cells
    for cell, role in roles.items():
        shade = shades.get(role)
        if shade is None:
            look = looks[role]
            shade = shades[role] = _dimmed(look.colour, look.brightness * look.rhythm.level(t) * brightness)
        picture[cell] = shade
    return tuple(picture)


def _dimmed(colour: Rgb, factor: float) -> Rgb:
    """Return a colour at a part of its brightness, 0 to 1; at least 1 in its strongest channel unless it is off."""
    strongest = max(colour)
    if strongest * factor <= 0:
        return BLACK
    factor = max(factor, 1 / strongest)
    red, green, blue = colour
    return round(red * factor), round(green * factor), round(blue * factor)
