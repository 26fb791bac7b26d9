"""What a calibration has to tell: each remark in words, and in the code and names a page translates.

Owns the wording. Decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hardware.news import Cell, Frame


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to tell the maker.

    Args:
        text: in words.
        refused: whether it contradicts what was learned.
        about: its kind, in one word.
        names: the sensors, lights and squares that it names.

    """

    text: str
    refused: bool = False
    about: str = ""
    names: Mapping[str, object] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """Tell a page."""
        return {"text": self.text, "refused": self.refused, "about": self.about, **self.names}


def level(inverted: bool) -> Remark:
    """Tell the polarity."""
    text = f"Without a magnet the sensors read {'occupied' if inverted else 'empty'}."
    return Remark(text, about="level", names={"inverted": inverted})


def unreachable(why: str) -> Remark:
    """Tell that the sensors cannot be read."""
    text = f"the board cannot be read: {why}; what was learned is kept, and it goes on when the board is back"
    return Remark(text, refused=True, about="unreachable", names={"why": why})


def reachable() -> Remark:
    """Tell that the sensors can be read again."""
    return Remark("The board can be read again.", about="reachable")


def failed(why: str) -> Remark:
    """Tell that the lights went dark."""
    text = f"The lights failed: {why}; q stops, and the next run goes on here when they shine."
    return Remark(text, about="failed", names={"why": why})


def odd(cells: Frame) -> Remark:
    """Tell that sensors of the empty board read otherwise than the rest."""
    return Remark(
        f"{_read(cells)} not as the rest of an empty board: take off what stands there, or skip if the "
        "board is empty and these are broken",
        refused=True,
        about="odd",
        names={"sensors": sorted(cells)},
    )


def together(cells: Frame) -> Remark:
    """Tell that several sensors read a piece."""
    return Remark(
        f"{_read(cells)} a piece at once: leave one piece on the board; if there is only one, look for a "
        "short between these sensors",
        refused=True,
        about="together",
        names={"sensors": sorted(cells)},
    )


def elsewhere(cell: Cell, other: str, square: str) -> Remark:
    """Tell that the sensor which answered belongs to another square than the one asked for."""
    return Remark(
        f"sensor {cell} was learned as {other}'s: expected the piece on {square}; if it "
        f"stands on {square}, go back until {other} is asked for again",
        refused=True,
        about="elsewhere",
        names={"sensor": cell, "other": other, "square": square},
    )


def nowhere(cell: Cell) -> Remark:
    """Tell that the sensor which answered belongs to no square."""
    text = f"sensor {cell} belongs to no square: go back and learn it"
    return Remark(text, refused=True, about="nowhere", names={"sensor": cell})


def lit(square: str, other: Cell, light: Cell) -> Remark:
    """Tell that the square which answered has another light."""
    return Remark(
        f"{square} has light {other} already, and light {light} cannot be there too: put the piece on the square "
        f"that shines; if that is {square}, go back until light {other} shines",
        refused=True,
        about="lit",
        names={"square": square, "other": other, "light": light},
    )


def _read(cells: Frame) -> str:
    """Name sensors at the beginning of a sentence whose verb is `read`."""
    names = [str(cell) for cell in sorted(cells)]
    return f"sensor {names[0]} reads" if len(names) == 1 else f"sensors {', '.join(names)} read"
