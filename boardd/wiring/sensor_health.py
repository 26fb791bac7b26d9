"""The health of each square's sensor over weeks: how noisy it is, and which grows ever noisier. Pure but for two files.

Touches the disk in `read_health` and `write_health` only. A sensor that is about to fail, or whose magnet lies badly,
bounces more and more before it stops: so for each square the raw edges of each settled change are kept as two averages,
a slow one, what it has always been like, and a quick one, what it is like now. A square is named when the quick one has
left the slow one behind, and is noisy by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from boardd.calibrate.calibration import CalibrationError, write_whole
from boardd.jsontext import parse_json
from engine import Square, parse_square, square_name
from hardware.debounce import Debouncer
from hardware.files import read_text
from hardware.news import Cell, Frame, News, Scan

FILE_NAME = "sensor-health.json"
"""The file below the state directory."""
MARK = "konakis_sensor_health"
FILE_MAX_BYTES = 65_536
"""That of 19 files and ranks has 15,000."""

SLOW, QUICK = 0.003, 0.1
"""Weights of a new change: the slow average remembers hundreds of changes, several games; the quick one a dozen."""
AT_LEAST = 30
"""Changes before a square is judged: one bad afternoon of a magnet put down askew is no trend."""
NOISY = 3.0
"""Edges a change below which nobody need worry: one bounce, there and back."""
WORSE = 1.75
"""Times the slow average: six times as far as the quick one strays by chance on a sensor that bounces 0 to 3 times."""
BETTER = 1.3
"""Times the slow average: below, a square that was named is well again."""
EDGES_AT_MOST = 1_000
"""Of one change; a sensor that flaps for minutes must not spoil its averages for ever."""


@dataclass(frozen=True, slots=True)
class Noise:
    """One square's sensor: its settled changes, and its edges a change of old and of late. A silent one has 1.0.

    `worse` says that it was found to bounce ever more and has not been well since.
    """

    changes: int = 0
    old: float = 1.0
    late: float = 1.0
    worse: bool = False

    def after(self, edges: int) -> Noise:
        """Give this after one more change that took so many edges."""
        edges = min(edges, EDGES_AT_MOST)
        if not self.changes:
            return Noise(1, edges, edges)
        slow = max(SLOW, 1 / (self.changes + 1))  # the first changes make an ordinary mean
        # what it has always been like is not learned from a sensor that is failing
        old = self.old if self.worse else self.old + (edges - self.old) * slow
        late = self.late + (edges - self.late) * QUICK
        if self.worse:
            worse = late >= NOISY and late >= old * BETTER
        else:
            worse = self.changes + 1 >= AT_LEAST and late >= NOISY and late >= old * WORSE
        return Noise(self.changes + 1, old, late, worse)


class SensorHealth:
    """What is known of every sensor's noise.

    Args:
        debounce_ms: as the game has it.
        raw: what the sensors read now, by square.
        known: what was known before.

    """

    def __init__(self, debounce_ms: int, raw: Frame, known: Mapping[Square, Noise] | None = None) -> None:
        self.noise: dict[Square, Noise] = dict(known or {})
        self._debouncer = Debouncer(debounce_ms, raw)
        self._edges: dict[Cell, int] = {}
        self._chip: dict[Square, int] = {}
        self.verdicts = 0
        """Counts how often a square was found to be worse, or well again."""

    @property
    def worse(self) -> frozenset[Square]:
        """The squares that bounce ever more."""
        return frozenset(square for square, noise in self.noise.items() if noise.worse)

    def sensed(self, news: News) -> list[Square]:
        """Take raw news, by squares; give the squares that are worse from now on."""
        raw = self._debouncer.raw
        if isinstance(news, Scan):
            after = news.occupied
        else:
            after = raw.union(news.cells) if news.occupied else raw.difference(news.cells)
        found = self.advance(news.t)
        for cell in raw ^ after:
            self._edges[cell] = self._edges.get(cell, 0) + 1
            self._debouncer.feed(news.t, cell, cell in after)
        return found

    def advance(self, t: float) -> list[Square]:
        """Count what has settled by `t`; give the squares that are worse from now on."""
        return [
            square
            for edge in self._debouncer.advance(t)
            if (square := self._changed(Square(edge.cell), self._edges.pop(edge.cell, 1))) is not None
        ]

    def chip_edges(self, edges: Mapping[Square, int], modulo: int) -> None:
        """Take the raw changes that a microcontroller counted, which takes bounce out of what it tells.

        Args:
            edges: of each square since the chip started.
            modulo: where its counter goes round.

        """
        for square, count in edges.items():
            before = self._chip.get(square)
            if before is not None and (more := (count - before) % modulo) > 1:
                # the last of them is told as news and counted there
                self._edges[Cell(square)] = self._edges.get(Cell(square), 0) + more - 1
            self._chip[square] = count

    def _changed(self, square: Square, edges: int) -> Square | None:
        before = self.noise.get(square, Noise())
        noise = self.noise[square] = before.after(edges)
        self.verdicts += noise.worse is not before.worse
        return square if noise.worse and not before.worse else None


def describe(square: Square, noise: Noise, size: int) -> str:
    """Say on one line what is wrong with a square's sensor and what to do."""
    return (
        f"{square_name(square, size)} bounces ever more: {noise.late:.1f} edges a change, {noise.old:.1f} before; "
        "look at its solder joints, and whether magnet and sensor still lie under each other"
    )


def read_health(path: Path, size: int, warn: Callable[[str], None] = lambda _: None) -> dict[Square, Noise]:
    """Read what is known; a file that cannot be used is no loss and is forgotten, once `warn` was told of it."""
    try:
        found = parse_json(read_text(path, FILE_MAX_BYTES))
        if found[MARK] != 1 or found["size"] != size:
            return {}
        return {
            parse_square(name, size): _noise(int(changes), float(old), float(late), worse is True)
            for name, (changes, old, late, worse) in found["squares"].items()
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError):
        warn(f"{path}: it cannot be used, and is passed over: how much each sensor bounces is learned anew")
        return {}


def _noise(changes: int, old: float, late: float, worse: bool) -> Noise:
    """Make what a file says; averages that no sensor has would never come right again."""
    if changes < 0 or not (0 <= old <= EDGES_AT_MOST and 0 <= late <= EDGES_AT_MOST):
        raise ValueError(f"found {changes} changes of {old} and {late} edges")
    return Noise(changes, old, late, worse)


def write_health(path: Path, noise: Mapping[Square, Noise], size: int) -> bool:
    """Write what is known; say whether the disk took it."""
    squares = {
        square_name(square, size): [found.changes, round(found.old, 3), round(found.late, 3), found.worse]
        for square, found in sorted(noise.items())
    }
    try:
        write_whole(path, {MARK: 1, "size": size, "squares": squares})
    except CalibrationError:
        return False
    return True


def noisiest(noise: Mapping[Square, Noise], count: int) -> Iterable[tuple[Square, Noise]]:
    """Give the noisiest squares, the worst first."""
    return sorted(noise.items(), key=lambda item: -item[1].late)[:count]
