"""Checks of the sensors of a board that is open: what they read, whether they are still, whether scans keep their time.

Waits while they are watched. Must not say of a sensor that it is sound if it was seen only without a piece: a sensor
without power looks the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from boardd.doctor.finding import Finding, fault, ok, unknown, warning
from boardd.doctor.situation import Situation
from boardd.geometry import Geometry
from boardd.wiring.health_watch import CHIP_COUNTS
from engine import Game, Square, square_name
from hardware.boards import Board
from hardware.debounce import Debouncer
from hardware.errors import HardwareError
from hardware.inverted import InvertedSensors
from hardware.news import Cell, Frame, Scan
from hardware.polling import SteppedSensors

POLL_S = 0.01
FIND_S = 3.0
"""For a microcontroller: greeting and reading take a tenth of a second, after its boot two."""
DEBOUNCE_MS = 40
BOUNCY = 3.0
"""Edges a change; a bounce or two are common, and are filtered."""
LATE_PART = 0.02
"""Of all scans; more overruns than this miss fast slides."""
SHOWN = 6
PUSH = "push a piece over every square while `konakis doctor --watch 120` runs"
ANSWERING = "sensors that answer"


@dataclass(frozen=True, slots=True)
class Ground:
    """What is known of the board under the sensors.

    Args:
        geometry: which sensor lies under which square.
        masked: squares whose sensors nobody counts on: named by the configuration, or found dead.

    """

    geometry: Geometry
    masked: frozenset[Square] = frozenset()


@dataclass(slots=True)
class Watched:
    """What sensors did while they were watched."""

    edges: dict[Cell, int] = field(default_factory=dict)
    changes: dict[Cell, int] = field(default_factory=dict)
    frame: Frame = frozenset()


def sensors(
    it: Situation, board: Board, ground: Ground, clock: Callable[[], float], sleep: Callable[[float], None]
) -> Iterator[Finding]:
    """Watch the sensors, and tell what they read, whether they are still, and whether scans keep their time."""
    try:
        until = clock() + FIND_S
        while not board.sensors.connected and clock() < until:
            board.sensors.poll(clock())
            sleep(POLL_S)
        why = None if board.sensors.connected else board.sensors.trouble or "no answer"
        if why is None:
            it.progress(
                f"watching the sensors for {it.watch_s:g} seconds: leave the board alone, or move pieces to try squares"
            )
            watched = watch(it, board, ground.geometry, clock, sleep)
            if not board.sensors.connected:
                why = f"lost while they were watched: {board.sensors.trouble or 'no answer'}"
    except HardwareError as error:
        why = str(error)
    if why is None:
        yield _standing(it, ground, watched)
        yield _noise(it, ground, watched)
        yield scanning(board)
    else:
        yield fault("sensors", why, ANSWERING, _how_to_reach(board))
        yield unknown("sensor-noise", "the sensors do not answer")
        yield scanning(board) if board.link is None else unknown("scanning", "the sensors do not answer")


def _how_to_reach(board: Board) -> str:
    """Tell what to look at if sensors do not answer."""
    if board.link is None:
        return "do what it says, and look at the wires to the Pi"
    return (
        "plug the Pico in with a cable that carries data, and put our firmware on it (konakis firmware); another "
        "program may hold its port, such as a daemon that runs"
    )


def watch(
    it: Situation, board: Board, geometry: Geometry, clock: Callable[[], float], sleep: Callable[[float], None]
) -> Watched:
    """Count edges and changes for a while, and tell each change as it comes."""
    watched = Watched(frame=board.sensors.read())
    counted = {} if board.link is None else dict(board.link.bounces)
    debouncer = Debouncer(DEBOUNCE_MS, watched.frame)
    end = clock() + it.watch_s
    while (now := clock()) < end:
        for news in board.sensors.poll(now):
            raw = debouncer.raw
            if isinstance(news, Scan):
                after = news.occupied
            else:
                after = raw.union(news.cells) if news.occupied else raw.difference(news.cells)
            for cell in raw ^ after:
                watched.edges[cell] = watched.edges.get(cell, 0) + 1
                debouncer.feed(news.t, cell, cell in after)
        for edge in debouncer.advance(now):
            watched.changes[edge.cell] = watched.changes.get(edge.cell, 0) + 1
            square = square_name(geometry.square_of(edge.cell), it.size)
            it.progress(f"{square} {'occupied' if edge.occupied else 'empty'} (sensor {edge.cell})")
        sleep(POLL_S)
    watched.frame = debouncer.raw
    if board.link is not None:
        # the chip takes bounce out of what it tells, and counts it
        for index, count in board.link.bounces.items():
            more = (count - counted.get(index, count)) % CHIP_COUNTS
            watched.edges[Cell(index)] = max(more, watched.edges.get(Cell(index), 0))
    return watched


def _standing(it: Situation, ground: Ground, watched: Watched) -> Finding:
    """Tell what reads occupied, and whether that is a position that makes sense."""
    counted = _squares(it) - ground.masked
    occupied = ground.geometry.squares(watched.frame) & counted
    found = f"{len(occupied)} of {len(counted)} squares occupied"
    if ground.masked:
        found += f", {_names(ground.masked, it)} left out as masked or dead"
    if it.book is None:
        return unknown("sensors", f"{found}; where pieces belong is not known, for there are no such rules")
    start = Game(it.book).occupied & counted
    expected = f"an empty board, or the {len(start)} pieces of the start position"
    if occupied == counted:
        advice = "sensors read occupied without a magnet: run konakis calibrate, or set column_magnet"
        return fault("sensors", found, expected, advice)
    if occupied == start:
        return ok("sensors", found, expected)
    if not occupied:
        tried = ground.geometry.squares(watched.changes) & counted
        if tried == counted:
            return ok("sensors", f"{found}; each felt a piece", expected)
        felt = f"{len(tried)} felt a piece" if tried else "no sensor was seen to feel a piece"
        return unknown("sensors", f"{found}; {felt}", expected, f"set up the start position, or {PUSH}")
    missing, extra = start - occupied, occupied - start
    if len(missing) + len(extra) > len(start) // 2:
        advice = (
            f"set up the start position, or clear the board, and run it again; now occupied: {_names(occupied, it)}"
        )
        return warning("sensors", found, expected, advice)
    told = []
    if missing:
        told.append(f"without a piece: {_names(missing, it)}")
    if extra:
        told.append(f"with one: {_names(extra, it)}")
    advice = "if pieces stand right, these sensors are stuck: look at their magnets and joints, or mask them"
    return warning("sensors", f"{found}; {'; '.join(told)}", expected, advice)


def _noise(it: Situation, ground: Ground, watched: Watched) -> Finding:
    """Tell which sensors bounce, or change though nobody touches them."""
    expected = "squares that are still, or change once for each move of a hand"
    square_of = ground.geometry.square_of
    noisy = {
        cell: count
        for cell, count in watched.edges.items()
        if count >= BOUNCY * max(watched.changes.get(cell, 0), 1) and square_of(cell) not in ground.masked
    }
    if noisy:
        worst = sorted(noisy.items(), key=lambda item: -item[1])[:SHOWN]
        names = ", ".join(f"{square_name(square_of(cell), it.size)} {count} edges" for cell, count in worst)
        advice = "look at their joints and at the magnets' place; shield or shorten their wires"
        return warning("sensor-noise", names, expected, advice)
    changed = len(watched.changes)
    silent = _squares(it) - ground.masked - ground.geometry.squares(watched.changes)
    if silent and changed > it.size**2 // 2:
        # somebody pushes a piece over the whole board
        advice = "push a piece over them again; if they stay silent look at their magnets and joints, or mask them"
        return warning("sensor-noise", f"{changed} squares changed; silent: {_names(silent, it)}", expected, advice)
    return ok("sensor-noise", f"{changed} squares changed in {it.watch_s:g} s, none bounced", expected)


def scanning(board: Board) -> Finding:
    """Tell whether scans keep their time."""
    expected = "scans that keep their time"
    inner = board.sensors
    if isinstance(inner, InvertedSensors):
        inner = inner.inner
    if not isinstance(inner, SteppedSensors):
        return ok("scanning", "the microcontroller scans", expected)
    counts = inner.punctuality
    if not counts.scans:
        return unknown("scanning", "nothing was scanned", expected)
    found = f"{counts.scans} scans, longest {counts.longest_scan_s * 1000:.1f} ms, {counts.overruns} left out"
    if counts.faulty:
        advice = "look for a short between columns, and at each row's transistor"
        return fault("scanning", f"{found}; {counts.faulty} could not be used", expected, advice)
    if counts.impossible:
        advice = "a row or column loses contact: look at its plug and its transistor"
        return fault("scanning", f"{found}; {counts.impossible} times a whole line vanished", expected, advice)
    if counts.overruns > counts.scans * LATE_PART:
        return warning("scanning", found, expected, "lower [board] poll_hz or settle_us, or use a faster Pi")
    return ok("scanning", found, expected)


def _squares(it: Situation) -> frozenset[Square]:
    return frozenset(Square(square) for square in range(it.size**2))


def _names(squares: frozenset[Square], it: Situation) -> str:
    names = [square_name(square, it.size) for square in sorted(squares)]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
