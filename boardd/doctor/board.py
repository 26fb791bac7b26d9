"""Checks that open the board: its sensors while nobody touches them, its lights one after the other, its link.

Touches the board, and waits. A board that a daemon holds is left alone and said to be so. They come last, and are left
out with `--no-board`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from boardd.calibrate.calibration import CalibrationError
from boardd.doctor.finding import Finding, fault, ok, unknown, warning
from boardd.doctor.situation import Situation
from boardd.geometry import Geometry, turned
from boardd.house import configured_book
from boardd.wiring.equipment import found_calibration
from boardd.wiring.health_watch import CHIP_COUNTS
from engine import Game, Square, square_name
from firmware_bridge import describe_faults
from hardware.boards import Board
from hardware.debounce import Debouncer
from hardware.errors import HardwareError
from hardware.inverted import InvertedSensors
from hardware.lights import BLACK, Picture, Show
from hardware.news import Cell, Frame, Scan
from hardware.polling import SteppedSensors

POLL_S = 0.01
WALK_S = 0.06
"""A light of the walk: slow enough for an eye, five seconds for the board."""
WALK_COLOURS = ((60, 0, 0), (0, 60, 0), (0, 0, 60))
"""Red, green, blue by turns, at a quarter; wrong colours show a wrong order on the wire."""
FIND_S = 3.0
"""For a microcontroller: greeting and reading take a tenth of a second, after its boot two."""
DEBOUNCE_MS = 40
BOUNCY = 3.0
"""Edges a change; a bounce or two are common, and are filtered."""
LATE_PART = 0.02
"""Of all scans; more overruns than this miss fast slides."""
SHOWN = 6


@dataclass(slots=True)
class Watched:
    """What sensors did while they were watched."""

    edges: dict[Cell, int] = field(default_factory=dict)
    changes: dict[Cell, int] = field(default_factory=dict)
    frame: Frame = frozenset()


def examine_board(it: Situation, clock: Callable[[], float], sleep: Callable[[float], None]) -> Iterator[Finding]:
    """Open the board and examine what hangs on it.

    Args:
        it: the situation.
        clock: the time of the board's news.
        sleep: lets time pass.

    """
    if not it.wired or it.board is None:
        why = "the configured board is simulated" if not it.wired else it.left_out
        for check in ("sensors", "sensor-noise", "scanning", "link", "lights"):
            yield unknown(check, why)
        return
    board = it.board()
    try:
        board.open()
    except HardwareError as error:
        yield fault("sensors", str(error), "sensors that can be opened", "see groups and devices above")
        return
    try:
        geometry = _geometry(it, board)
        yield from sensors(it, board, geometry, clock, sleep)
        yield link(board)
        yield lights(it, board, geometry, clock, sleep)
    finally:
        board.lights.close()
        board.close()


def sensors(
    it: Situation, board: Board, geometry: Geometry, clock: Callable[[], float], sleep: Callable[[float], None]
) -> Iterator[Finding]:
    """Watch the sensors."""
    until = clock() + FIND_S
    while not board.sensors.connected and clock() < until:
        board.sensors.poll(clock())
        sleep(POLL_S)
    if not board.sensors.connected:
        advice = "see devices and groups above; a daemon that runs holds the board"
        yield fault("sensors", board.sensors.trouble or "no answer", "sensors that answer", advice)
        return
    it.progress(
        f"watching the sensors for {it.watch_s:g} seconds: leave the board alone, or move pieces to try squares"
    )
    try:
        watched = watch(it, board, geometry, clock, sleep)
    except HardwareError as error:
        yield fault("sensors", str(error), "sensors that can be read", "look at the wires")
        return
    yield _standing(it, geometry, watched)
    yield _noise(it, geometry, watched)
    yield _scanning(board)


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


def _standing(it: Situation, geometry: Geometry, watched: Watched) -> Finding:
    """Tell what reads occupied, and whether that is a position that makes sense."""
    occupied = geometry.squares(watched.frame)
    start = Game(configured_book(it.settings.game)).occupied
    expected = f"an empty board, or the {len(start)} pieces of the start position"
    found = f"{len(occupied)} of {it.size**2} squares occupied"
    if not occupied or occupied == start:
        return ok("sensors", found, expected)
    if len(occupied) == it.size**2:
        advice = "sensors read occupied without a magnet: run konakis calibrate, or set column_magnet"
        return fault("sensors", found, expected, advice)
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


def _noise(it: Situation, geometry: Geometry, watched: Watched) -> Finding:
    """Tell which sensors bounce, or change though nobody touches them."""
    expected = "squares that are still, or change once for each move of a hand"
    noisy = {
        cell: count for cell, count in watched.edges.items() if count >= BOUNCY * max(watched.changes.get(cell, 0), 1)
    }
    if noisy:
        worst = sorted(noisy.items(), key=lambda item: -item[1])[:SHOWN]
        names = ", ".join(f"{square_name(geometry.square_of(cell), it.size)} {count} edges" for cell, count in worst)
        advice = "look at their joints and at the magnets' place; shield or shorten their wires"
        return warning("sensor-noise", names, expected, advice)
    changed = len(watched.changes)
    silent = frozenset(Square(square) for square in range(it.size**2)) - geometry.squares(watched.changes)
    if silent and changed > it.size**2 // 2:
        # somebody pushes a piece over the whole board
        advice = "push a piece over them again; if they stay silent look at their magnets and joints, or mask them"
        return warning("sensor-noise", f"{changed} squares changed; silent: {_names(silent, it)}", expected, advice)
    return ok("sensor-noise", f"{changed} squares changed in {it.watch_s:g} s, none bounced", expected)


def _scanning(board: Board) -> Finding:
    """Tell whether scans keep their time."""
    expected = "scans that keep their time"
    inner = board.sensors
    if isinstance(inner, InvertedSensors):
        inner = inner.inner
    if not isinstance(inner, SteppedSensors):
        return ok("scanning", "the microcontroller scans", expected)
    counts = inner.punctuality
    found = f"{counts.scans} scans, longest {counts.longest_scan_s * 1000:.1f} ms, {counts.overruns} left out"
    if counts.impossible:
        advice = "a row or column loses contact: look at its plug and its transistor"
        return fault("scanning", f"{found}; {counts.impossible} times a whole line vanished", expected, advice)
    if counts.overruns > counts.scans * LATE_PART:
        return warning("scanning", found, expected, "lower [board] poll_hz or settle_us, or use a faster Pi")
    return ok("scanning", found, expected)


def link(board: Board) -> Finding:
    """Tell how the microcontroller and the wire to it are."""
    expected = "a link without losses"
    if board.link is None:
        return ok("link", "the sensors hang on the Pi", expected)
    state, counts = board.link.state, board.link.statistics
    hello = state.hello
    if hello is None:
        return fault("link", state.why, expected, "see devices above; put our firmware on it with konakis firmware")
    faults = describe_faults(state.faults)
    trips = counts.round_trips
    found = (
        f"firmware {hello.firmware} on {hello.name} at {state.port}, {hello.lights} lights, "
        f"answers in {trips.mean_ms:.1f} ms, {counts.received.damaged} damaged packets, {counts.gaps} gaps"
    )
    if faults:
        return fault("link", f"{found}; {faults}", expected, "do what the fault says")
    if counts.gaps:
        return warning("link", found, expected, "use another cable, without a hub; lost news heal, but cost time")
    return ok("link", found, expected)


def lights(
    it: Situation, board: Board, geometry: Geometry, clock: Callable[[], float], sleep: Callable[[float], None]
) -> Finding:
    """Walk over the lights; only an eye can judge it."""
    cells = it.size**2
    show = Show(board.lights, cells, max_hz=int(2 / WALK_S))
    show.open(clock())
    why = _dark(show)
    if why is not None:
        state = warning if it.settings.lights.wire in ("none", "board") else fault
        return state("lights", why, "lights that shine", "the board plays on without them")
    it.progress("walking over the lights: a1, b1, … to the last square, red, green and blue by turns")
    for square in range(cells):
        cell = geometry.light_of(Square(square))
        colour = WALK_COLOURS[square % len(WALK_COLOURS)]
        picture: Picture = tuple(colour if index == cell else BLACK for index in range(cells))
        show.offer(clock(), picture)
        board.sensors.poll(clock())
        sleep(WALK_S)
    why = _dark(show)
    show.close()
    if why is not None:
        return fault("lights", why, "lights that shine", "look at the data line and its level shifter")
    return unknown(
        "lights",
        f"walked over {cells} lights",
        "one light at a time, a1 to the end of its rank, then the next rank; red, green, blue by turns",
        "only you can see it. It jumps: konakis calibrate, or [lights] start, along, serpentine. Colours are swapped: "
        "[lights] order. It stops half way: look at the joint after the last light that shone. Flashes: level shifter, "
        "ground, core_freq",
    )


def _dark(show: Show) -> str | None:
    """Tell why the lights are dark; None while they shine."""
    return show.dark_because


def _geometry(it: Situation, board: Board) -> Geometry:
    """Give the calibrated geometry, or the straight one; and turn the sensors round where they are learned so."""
    rotation = it.settings.board.rotation_degrees
    try:
        learned = found_calibration(it.settings, it.directory, it.size)
    except CalibrationError:
        learned = None
    if learned is None:
        return turned(it.size, rotation)
    if learned.inverted:
        board.sensors = InvertedSensors(board.sensors, it.size**2)
    return learned.geometry(rotation)


def _names(squares: frozenset[Square], it: Situation) -> str:
    names = [square_name(square, it.size) for square in sorted(squares)]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
