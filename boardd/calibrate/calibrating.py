"""Learning how a board is wired, square by square: a state machine. Time is an argument; it neither waits nor writes.

The theory. Nothing is known: not which sensor or light is where, not whether a sensor reads high or low with a magnet.

1. EMPTY. Nothing stands on the board. What the sensors read now is what they read without a magnet: most of them say
   which polarity they have, and the others are named, since a magnet, a short or a broken sensor is there.
2. SENSORS. A square is named; the piece is put on it; the one sensor that changes is that square's. The squares come in
   a serpentine, so that one piece can be pushed from each to the next without being lifted. Where the configured wiring
   is believed to have the light, the square shines.
3. LIGHTS. A light shines; the piece is put on it; the sensor that changes tells the square. If the configured layout is
   right the next light is always beside the piece. Whoever saw in step 2 that every named square shone may skip this.
4. DONE.

What contradicts what was learned is refused by name and changes nothing: a sensor that belongs to another square
already, two that react at once, a light under a square that has another. `back` forgets the last thing learned, `skip`
leaves a square without a sensor or a light out. Everything learned is in `progress`, from which it can go on.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from boardd.calibrate import calibration_remarks as remarks
from boardd.calibrate.calibration import Calibration
from boardd.calibrate.calibration_remarks import Remark
from engine import Square, square_at, square_name
from hardware.debounce import Debouncer
from hardware.news import Cell, Frame, News, Scan

STEADY_MS = 150
"""A sensor counts when it was still so long: longer than the overlap of a piece that is pushed across a border."""
EMPTY_S = 1.0
"""The empty board is believed when nothing changed for this long."""
PAIR_S = 1.0
"""A piece that is pushed slowly may be read on two squares for so long; more is two pieces, or a short."""


class Stage(enum.Enum):
    """What is being learned."""

    EMPTY = "empty"
    SENSORS = "sensors"
    LIGHTS = "lights"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Learned:
    """One thing learned: `square` has this sensor or light; None stands for what is dead or dark."""

    stage: Stage
    square: Square | None
    cell: Cell | None


@dataclass(frozen=True, slots=True)
class Progress:
    """Everything learned so far, in order.

    Args:
        size: squares a side.
        empty: what the sensors read of the empty board; None before that is known.
        learned: the rest.
        trusted: whether the configured lights were declared right.

    """

    size: int
    empty: Frame | None = None
    learned: tuple[Learned, ...] = ()
    trusted: bool = False


@dataclass(slots=True)
class Known:
    """What was learned, by what it is looked up by."""

    sensors: dict[Cell, Square] = field(default_factory=dict)
    dead: list[Square] = field(default_factory=list)
    lights: dict[Cell, Square] = field(default_factory=dict)
    dark: list[Cell] = field(default_factory=list)


class Calibrating:
    """One calibration.

    Args:
        progress: where it begins.
        believed: the square of each light, by cell, as the configuration has it.
        lit: whether there are lights; without them they are not learned.
        frame: what the sensors read now.
        now: the time.
        steady_ms: a sensor counts when it was still so long.

    """

    def __init__(
        self,
        progress: Progress,
        believed: Sequence[Square],
        *,
        lit: bool,
        frame: Frame,
        now: float,
        steady_ms: int = STEADY_MS,
    ) -> None:
        self.size = progress.size
        self.progress = progress
        self.remarks: list[Remark] = []
        """What is to be told; whoever tells it empties the list."""
        self._believed = {square: Cell(cell) for cell, square in enumerate(believed)}
        self._lit = lit
        self._order = serpentine(self.size)
        self._debouncer = Debouncer(steady_ms, frame)
        self._since = now
        self.trouble: Remark | None = None
        """What was refused and not yet put right."""
        self._odd: Frame | None = None  # what the maker was told does not read as the rest
        self._before: Frame = frozenset()  # the cells of pieces when the present step began
        self._refused: Frame = frozenset()
        self._sorted = progress.learned, _sorted(progress.learned)
        if progress.empty is not None:
            self._before = self._pieces()

    # What is asked of the maker now.

    @property
    def stage(self) -> Stage:
        """What is being learned."""
        progress = self.progress
        if progress.empty is None:
            return Stage.EMPTY
        if self.square is not None:
            return Stage.SENSORS
        return Stage.LIGHTS if self.light is not None else Stage.DONE

    @property
    def square(self) -> Square | None:
        """The square on which the piece is to be put by name; None in other stages."""
        known = self.known
        done = {*known.sensors.values(), *known.dead}
        return next((square for square in self._order if square not in done), None)

    @property
    def light(self) -> Cell | None:
        """The light on which the piece is to be put; None when all are learned."""
        if not self._lit or self.progress.trusted:
            return None
        known = self.known
        done = {*known.lights, *known.dark}
        return next((cell for square in self._order if (cell := self._believed[square]) not in done), None)

    @property
    def shining(self) -> Cell | None:
        """The light that shines now."""
        match self.stage:
            case Stage.SENSORS:
                assert self.square is not None
                return self._believed[self.square] if self._lit else None
            case Stage.LIGHTS:
                return self.light
        return None

    @property
    def done(self) -> tuple[int, int]:
        """How many steps are done, and how many there are."""
        cells = self.size**2
        return len(self.progress.learned), cells * (2 if self._lit and not self.progress.trusted else 1)

    @property
    def request(self) -> str:
        """What the maker is asked to do, in one sentence."""
        match self.stage:
            case Stage.EMPTY:
                return "Take every piece off the board."
            case Stage.SENSORS:
                assert self.square is not None
                return f"Put one piece on {square_name(self.square, self.size)}, or push it there."
            case Stage.LIGHTS:
                return "Put the piece on the square that shines."
            case Stage.DONE:
                return "Everything is learned."

    # What happens.

    def sensed(self, news: News) -> None:
        """Take raw news, by cells."""
        self.advance(news.t)
        raw = self._debouncer.raw
        if isinstance(news, Scan):
            after = news.occupied
        else:
            after = raw.union(news.cells) if news.occupied else raw.difference(news.cells)
        for cell in sorted(raw ^ after):
            self._since = max(self._since, news.t)  # news may be older than the last look
            self._debouncer.feed(news.t, cell, cell in after)

    def advance(self, t: float) -> None:
        """Learn what has become certain by `t`."""
        self._debouncer.advance(t)
        if self.stage is Stage.EMPTY:
            if t - self._since >= EMPTY_S:
                self._see_empty()
        elif not self._debouncer.undecided:
            self._see_pieces(t)

    def again(self, t: float) -> None:
        """Look at the empty board once more."""
        self._odd = self.trouble = None
        self._since = t

    def skip(self) -> None:
        """Go on without what is asked for: cells that read oddly, a square that does not answer, a dark light."""
        match self.stage:
            case Stage.EMPTY if self._odd is not None:
                self._begin(self._debouncer.occupied)
            case Stage.SENSORS:
                self._learn(Learned(Stage.SENSORS, self.square, None))
            case Stage.LIGHTS:
                self._learn(Learned(Stage.LIGHTS, None, self.light))

    def back(self) -> None:
        """Forget what was learned last."""
        progress = self.progress
        if progress.learned:
            self.progress = replace(progress, learned=progress.learned[:-1])
        elif progress.empty is not None:
            self.progress = replace(progress, empty=None)
            self._odd = None
        self._rest()

    def trust(self) -> None:
        """Take the lights as they are configured: every named square shone."""
        if self.stage is Stage.LIGHTS:
            kept = tuple(item for item in self.progress.learned if item.stage is not Stage.LIGHTS)
            self.progress = replace(self.progress, learned=kept, trusted=True)

    @property
    def standing(self) -> tuple[Square, ...]:
        """The squares on which the sensors that are learned read a piece."""
        if self.progress.empty is None:
            return ()
        known = self.known.sensors
        return tuple(sorted(known[cell] for cell in self._pieces() if cell in known))

    def result(self) -> Calibration:
        """Give the wiring, once everything is learned.

        Raises:
            ValueError: it is not.

        """
        if self.stage is not Stage.DONE or self.progress.empty is None:
            raise ValueError("the calibration is not done")
        cells, known = self.size**2, self.known
        believed = {cell: square for square, cell in self._believed.items()}
        lights = _filled(known.lights, cells) if self._lit and not self.progress.trusted else believed
        return Calibration(
            self.size,
            tuple(square for _, square in sorted(_filled(known.sensors, cells).items())),
            tuple(square for _, square in sorted(lights.items())),
            inverted=self.inverted,
            dead=frozenset(known.dead),
        )

    @property
    def inverted(self) -> bool:
        """Whether most sensors read occupied where nothing stands."""
        return len(self.progress.empty or ()) * 2 > self.size**2

    # Beneath.

    def _see_empty(self) -> None:
        frame = self._debouncer.occupied
        every = frozenset(Cell(cell) for cell in range(self.size**2))
        odd = min(frame, every - frame, key=len)
        if not odd:
            self._begin(frame)
        elif odd != self._odd:
            self._odd = odd
            self._complain(remarks.odd(odd))

    def _begin(self, empty: Frame) -> None:
        self.progress = replace(self.progress, empty=empty)
        self.remarks.append(remarks.level(self.inverted))
        self._rest()

    def _pieces(self) -> Frame:
        """Give the settled cells that do not read as on the empty board."""
        assert self.progress.empty is not None
        return self._debouncer.occupied ^ self.progress.empty

    def _see_pieces(self, t: float) -> None:
        pieces = self._pieces()
        if not pieces or pieces == self._before:
            self._before = pieces
            self._refused = frozenset()
            self.trouble = None
            return
        if pieces == self._refused:
            return
        if len(pieces) > 1:
            if t - self._since < PAIR_S:
                return
            self._refuse(pieces, remarks.together(pieces))
            return
        (cell,) = pieces
        if self.stage is Stage.SENSORS:
            self._see_sensor(cell)
        elif self.stage is Stage.LIGHTS:
            self._see_light(cell)

    def _see_sensor(self, cell: Cell) -> None:
        square = self.square
        assert square is not None
        other = self.known.sensors.get(cell)
        if other is not None:
            here, there = square_name(square, self.size), square_name(other, self.size)
            self._refuse(frozenset({cell}), remarks.elsewhere(cell, there, here))
            return
        self._learn(Learned(Stage.SENSORS, square, cell))

    def _see_light(self, cell: Cell) -> None:
        light = self.light
        known = self.known
        square = known.sensors.get(cell)
        if square is None or light is None:
            self._refuse(frozenset({cell}), remarks.nowhere(cell))
            return
        other = next((lamp for lamp, where in known.lights.items() if where == square), None)
        if other is not None:
            self._refuse(frozenset({cell}), remarks.lit(square_name(square, self.size), other, light))
            return
        self._learn(Learned(Stage.LIGHTS, square, light))

    def _learn(self, item: Learned) -> None:
        self.progress = replace(self.progress, learned=(*self.progress.learned, item))
        self._rest()

    def _refuse(self, pieces: Frame, remark: Remark) -> None:
        self._refused = pieces
        self._complain(remark)

    def _complain(self, remark: Remark) -> None:
        self.trouble = remark
        self.remarks.append(remark)

    def _rest(self) -> None:
        """Begin a step: what stands on the board now says nothing about it."""
        self._refused = frozenset()
        self.trouble = None
        self._before = self._pieces() if self.progress.empty is not None else frozenset()

    @property
    def known(self) -> Known:
        """What was learned, by what it is looked up by."""
        learned, known = self._sorted
        if learned is not self.progress.learned:
            known = _sorted(self.progress.learned)
            self._sorted = self.progress.learned, known
        return known


def _sorted(learned: tuple[Learned, ...]) -> Known:
    """Sort what was learned by what it is looked up by."""
    known = Known()
    for item in learned:
        if item.stage is Stage.SENSORS and item.square is not None:
            if item.cell is None:
                known.dead.append(item.square)
            else:
                known.sensors[item.cell] = item.square
        elif item.stage is Stage.LIGHTS and item.cell is not None:
            if item.square is None:
                known.dark.append(item.cell)
            else:
                known.lights[item.cell] = item.square
    return known


def serpentine(size: int) -> tuple[Square, ...]:
    """Give the squares in an order in which each is beside the next: a1 to the end of rank 1, back along rank 2."""
    return tuple(
        square_at(file if rank % 2 == 0 else size - 1 - file, rank, size)
        for rank in range(size)
        for file in range(size)
    )


def _filled(known: dict[Cell, Square], cells: int) -> dict[Cell, Square]:
    """Give every cell a square: those that were not learned take what is left, in order."""
    free = sorted(set(range(cells)) - set(known.values()))
    rest = [Cell(cell) for cell in range(cells) if Cell(cell) not in known]
    return known | {cell: Square(square) for cell, square in zip(rest, free, strict=True)}
