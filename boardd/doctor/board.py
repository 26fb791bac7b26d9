"""Checks that open the board: its sensors while nobody touches them, its link, its lights one after the other.

Touches the board, and waits. A board that a daemon holds is left alone and said to be so. They come last, and are left
out with `--no-board`. What hangs on a board that is not there is said not to have been examined.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from boardd.calibrate.calibration import CalibrationError
from boardd.doctor.finding import Finding, fault, ok, unknown, warning
from boardd.doctor.sensing import ANSWERING, Ground, sensors
from boardd.doctor.situation import Situation
from boardd.geometry import Geometry, turn, turned
from boardd.wiring.equipment import found_calibration
from engine import EngineError, Square, parse_square
from firmware_bridge import describe_faults
from hardware.boards import Board
from hardware.errors import HardwareError
from hardware.inverted import InvertedSensors
from hardware.lights import BLACK, Picture, Show
from hardware.microcontroller import LinkLights

BOARD_CHECKS = ("sensors", "sensor-noise", "scanning", "link", "lights")
"""What `examine_board` tells, each once, in this order."""

WALK_S = 0.06
"""A light of the walk: slow enough for an eye, five seconds for the board."""
WALK_COLOURS = ((60, 0, 0), (0, 60, 0), (0, 0, 60))
"""Red, green, blue by turns, at a quarter; wrong colours show a wrong order on the wire."""
WALKED = "one light at a time, a1 to the end of its rank, then the next rank; red, green, blue by turns"
SHINING = "lights that shine"
ON_PI = ("matrix", "shift-registers")
"""Kinds of boards whose sensors hang on a Pi's pins."""


def examine_board(it: Situation, clock: Callable[[], float], sleep: Callable[[float], None]) -> Iterator[Finding]:
    """Open the board and examine what hangs on it.

    Args:
        it: the situation.
        clock: the time of the board's news.
        sleep: lets time pass.

    """
    if not it.wired or it.board is None:
        why = "the configured board is simulated" if not it.wired else it.left_out
        yield from (unknown(check, why) for check in BOARD_CHECKS)
        return
    board = it.board()
    try:
        board.open()
    except HardwareError as error:
        yield _closed(it, str(error))
        yield from (unknown(check, "the sensors cannot be opened") for check in BOARD_CHECKS[1:])
        return
    try:
        ground = _ground(it, board)
        yield from sensors(it, board, ground, clock, sleep)
        yield link(board)
        yield lights(it, board, ground.geometry, clock, sleep)
    finally:
        board.lights.close()
        board.close()


def _closed(it: Situation, why: str) -> Finding:
    """Tell that the sensors cannot be opened; where there are no pins they are not to blame."""
    if it.settings.board.kind not in ON_PI:
        return fault("sensors", why, ANSWERING, "end the other program that holds the board, such as a daemon")
    if not it.machine.is_pi:
        return unknown("sensors", why, ANSWERING, "run the doctor on the Raspberry Pi whose pins the board hangs on")
    advice = "do what groups and devices say above; if they are well, end the other program that holds the pins"
    return fault("sensors", why, ANSWERING, advice)


def link(board: Board) -> Finding:
    """Tell how the microcontroller and the wire to it are."""
    expected = "a link without losses"
    if board.link is None:
        return ok("link", "the sensors hang on the Pi", expected)
    state, counts = board.link.state, board.link.statistics
    hello = state.hello
    if hello is None:
        return fault("link", state.why, expected, "do what sensors and devices say above")
    trips = counts.round_trips
    answers = f"answers in {trips.mean_ms:.1f} ms" if trips.count else "was not asked for its time"
    found = (
        f"firmware {hello.firmware} on {hello.name} at {state.port}, {hello.lights} lights, "
        f"{answers}, {counts.received.damaged} damaged packets, {counts.gaps} gaps"
    )
    faults = describe_faults(state.faults)
    if faults:
        return fault("link", f"{found}; {faults}", expected, "do what the fault says")
    if not state.live:
        return fault("link", f"{found}; {state.why}", expected, "unplug the Pico and plug it in again")
    if counts.gaps:
        return warning("link", found, expected, "use another cable, without a hub; lost news heal, but cost time")
    return ok("link", found, expected)


def lights(
    it: Situation, board: Board, geometry: Geometry, clock: Callable[[], float], sleep: Callable[[float], None]
) -> Finding:
    """Walk over the lights; only an eye can judge it."""
    cells = it.size**2
    chip = board.link if isinstance(board.lights, LinkLights) else None
    if chip is not None and not chip.state.live:
        return unknown("lights", f"they hang on the microcontroller: {chip.state.why}", WALKED)
    show = Show(board.lights, cells, max_hz=int(2 / WALK_S))
    show.open(clock())
    hello = None if chip is None else chip.state.hello
    if hello is not None and hello.lights not in (0, cells):
        show.close()
        found = f"the firmware has {hello.lights} lights, which takes no picture for {cells}"
        return fault("lights", found, f"{cells} lights", "write the firmware anew for these rules: konakis firmware")
    if (why := _dark(show)) is not None:
        state = warning if it.settings.lights.wire in ("none", "board") else fault
        return state("lights", why, SHINING, "the board plays on without them")
    it.progress("walking over the lights: a1, b1, … to the last square, red, green and blue by turns")
    for square in range(cells):
        cell = geometry.light_of(Square(square))
        colour = WALK_COLOURS[square % len(WALK_COLOURS)]
        picture: Picture = tuple(colour if index == cell else BLACK for index in range(cells))
        show.offer(clock(), picture)
        with contextlib.suppress(HardwareError):  # sensors that cannot be read were told of
            board.sensors.poll(clock())
        sleep(WALK_S)
        lost = None if chip is None or chip.state.live else f"the microcontroller was lost: {chip.state.why}"
        why = _dark(show) or lost
        if why is not None:
            show.close()
            advice = "look at the data line and its level shifter" if lost is None else "look at its cable and supply"
            return fault("lights", f"after {square + 1} of {cells}: {why}", SHINING, advice)
    show.close()
    return unknown(
        "lights",
        f"walked over {cells} lights",
        WALKED,
        "only you can see it. It jumps: konakis calibrate, or [lights] start, along, serpentine. Colours are swapped: "
        "[lights] order. It stops half way: look at the joint after the last light that shone. Flashes: level shifter, "
        "ground, core_freq",
    )


def _dark(show: Show) -> str | None:
    """Tell why the lights are dark; None while they shine."""
    return show.dark_because


def _ground(it: Situation, board: Board) -> Ground:
    """Give what was learned of the wiring, or the straight one; turn the sensors round where they are learned so."""
    rotation = it.settings.board.rotation_degrees
    masked = frozenset(_named(it))
    try:
        learned = found_calibration(it.settings, it.directory, it.size)
    except CalibrationError:
        learned = None
    if learned is None:
        return Ground(turned(it.size, rotation), masked)
    if learned.inverted:
        board.sensors = InvertedSensors(board.sensors, it.size**2)
    dead = frozenset(turn(square, it.size, rotation) for square in learned.dead)
    return Ground(learned.geometry(rotation), masked | dead)


def _named(it: Situation) -> Iterator[Square]:
    """Give the squares that the configuration masks; a wrong name is told by the check of the configuration."""
    for name in it.settings.board.masked:
        with contextlib.suppress(EngineError):
            yield parse_square(name, it.size)
