"""The command that learns the wiring: calibrate."""

from __future__ import annotations

import logging
import select
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardd.cli.configuration import config_option, read_settings, state_path
from boardd.cli.ending import orderly_end
from boardd.cli.numbers import SEED, Whole
from boardd.cli.output import CommandError, notice, standard_input

if TYPE_CHECKING:
    from boardd.calibrate.calibration import Calibration
    from boardd.calibrate.calibration_run import CalibrationRun
    from boardd.calibrate.practice_hands import PracticeHands
    from boardd.settings import PageSettings
    from hardware.boards import Board
    from hardware.sensors import Sensors

STEP_S = 0.02
FIND_S = 5.0
"""For a microcontroller: greeting and reading take a tenth of a second, after its boot two."""
REST_MS = 150
"""Longer than the overlap of a piece that is pushed across a border."""
REST_MIN_MS, REST_MAX_MS = 20, 2_000
"""Shorter than any bounce makes nothing certain; nobody waits longer for each of 162 steps."""
AGAIN = "a"
KEYS = {"s": "skip", "b": "back", "a": "again", "l": "trust"}
HELP = (
    "Enter s to skip what does not answer, b to go back, a to look at the empty board again, "
    "l if the right square shone every time (the lights then need no round of their own), q to stop and go on later."
)
PRACTICE_HELP = "Watch: the piece moves by itself and no key is needed; with --page you move it."


@click.command()
@config_option
@click.option("--anew", is_flag=True, help="Forget what an earlier run has learned.")
@click.option("--page", "paged", is_flag=True, help="Be led by a page with pictures, on this computer or a phone.")
@click.option(
    "--rest-ms",
    type=Whole(REST_MIN_MS, REST_MAX_MS),
    default=REST_MS,
    show_default=True,
    help="How long a piece rests on a square until it is believed.",
)
@click.option(
    "--practise",
    type=SEED,
    metavar="SEED",
    help="Watch a simulated board that is wired at random being calibrated; with --page do it yourself.",
)
@orderly_end()
def calibrate(config: Path | None, anew: bool, paged: bool, rest_ms: int, practise: int | None) -> None:
    """Learn which sensor and which light belong to which square."""
    if practise is not None and not paged:
        _practise(practise)
        return
    from boardd.check import check
    from boardd.house import configured_book
    from boardd.storage import state_directory
    from boardd.wiring.equipment import calibration_path
    from boardd.wiring.wires import board_wires
    from hardware.boards import assemble

    settings = read_settings(config)
    check(settings, "the configuration" if config is None else str(config))
    page = settings.page if paged else None
    if practise is not None:
        _practise_on_page(practise, settings.page, state_path(settings), rest_ms, anew=anew)
        return
    size = configured_book(settings.game).size
    wires = board_wires(settings, size)
    if wires is None:
        raise CommandError(
            "[board] kind: found simulated, expected a real board; `konakis calibrate --practise 1` shows how it goes, "
            "with --page you do it yourself"
        )
    directory = state_path(settings)
    state_directory.make(directory)
    with state_directory.Lock(directory):
        board = assemble(wires, time.monotonic)
        board.open()
        try:
            _find(board.sensors)
            _calibrate(board, calibration_path(settings, directory), size, page, directory, rest_ms, anew=anew)
        finally:
            board.close()


def _calibrate(
    board: Board, path: Path, size: int, page: PageSettings | None, directory: Path, rest_ms: int, *, anew: bool
) -> None:
    """Calibrate a board that is open, in the terminal or on a page."""
    from boardd.calibrate.calibration import read_calibration
    from boardd.calibrate.calibration_run import CalibrationRun
    from engine import Square

    believed = [Square(cell) for cell in range(size * size)]
    now = time.monotonic()
    run = CalibrationRun(board.sensors, board.lights, believed, path, size, now, anew=anew, steady_ms=rest_ms)
    try:
        done = _talk(run) if page is None else _lead(run, page, directory)
    finally:
        run.close()
    if done:
        _summary(read_calibration(path, size), str(path))
    else:
        notice(f"stopped; `konakis calibrate` goes on from here, {run.progress_path}")


def _lead(run: CalibrationRun, settings: PageSettings, directory: Path, hands: PracticeHands | None = None) -> bool:
    """Be led by the page; say whether everything is learned."""
    from boardd.calibrate.calibration_face import CalibrationFace
    from boardd.calibrate.calibration_page import lead
    from boardd.serving import Page

    # the page's server tells of every start and stop
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    page = Page(settings, directory)
    try:
        return lead(CalibrationFace(run, time.monotonic, hands), page, click.echo)
    finally:
        page.close()


def _practise_on_page(seed: int, page: PageSettings, directory: Path, rest_ms: int, *, anew: bool) -> None:
    """Let a person calibrate a simulated board on the page; the wires of a seed are always the same."""
    from boardd.calibrate.calibration import read_calibration
    from boardd.calibrate.calibration_run import CalibrationRun
    from boardd.calibrate.practice import CELLS, SIZE, practice_board
    from boardd.calibrate.practice_hands import PracticeHands
    from boardd.storage import state_directory
    from engine import Square

    state_directory.make(directory)
    path = directory / f"practice-{seed}.json"
    board = practice_board(seed)
    believed = [Square(cell) for cell in range(CELLS)]
    now = time.monotonic()
    run = CalibrationRun(board, board.lights, believed, path, SIZE, now, anew=anew, steady_ms=rest_ms)
    try:
        done = _lead(run, page, directory, PracticeHands(board))
    finally:
        run.close()
    if done:
        _summary(read_calibration(path, SIZE), str(path))
    else:
        notice(f"stopped; the same command goes on from here, {run.progress_path}")


def _find(sensors: Sensors) -> None:
    """Wait for a board that is just starting."""
    until = time.monotonic() + FIND_S
    while not sensors.connected:
        if time.monotonic() >= until:
            raise CommandError(sensors.trouble or "the sensors do not answer")
        sensors.poll(time.monotonic())
        time.sleep(STEP_S)


def _talk(run: CalibrationRun) -> bool:
    """Ask and listen until everything is learned or the maker stops; say whether it is."""
    from boardd.calibrate.calibrating import Stage

    said = standard_input()
    click.echo(HELP)
    if run.dark_because is not None:
        click.echo(f"The lights are not learned: {run.dark_because}")
    if run.resumed:
        click.echo("Going on where you stopped.")
    asked = ""
    listening = True
    while run.machine.stage is not Stage.DONE:
        asked = _ask(run, asked)
        remarks = run.step(time.monotonic())
        if listening and select.select([said], [], [], STEP_S)[0]:
            line = said.readline()
            listening = bool(line)
            word = line.strip().lower()
            if word == "q":
                return False
            if word in KEYS:
                before = run.machine.progress
                answer = run.command(time.monotonic(), KEYS[word])
                if word != AGAIN and run.machine.progress is before and not answer:
                    click.echo(f"There is nothing to {KEYS[word]} now.")
                remarks += answer
            elif word:
                click.echo(HELP)
        elif not listening:
            time.sleep(STEP_S)
        for remark in remarks:
            click.echo(f"{'No: ' if remark.refused else ''}{remark.text}")
    return True


def _ask(run: CalibrationRun, asked: str) -> str:
    """Tell what is asked for, once a step."""
    done, steps = run.machine.done
    text = f"[{done}/{steps}] {run.machine.request}"
    if text != asked:
        click.echo(text)
    return text


def _practise(seed: int) -> None:
    """Show a whole calibration on a simulated board."""
    from boardd.calibrate.practice import practise

    click.echo(PRACTICE_HELP)
    with tempfile.TemporaryDirectory() as directory:
        calibration = practise(seed, Path(directory), click.echo)
    _summary(calibration, "everything; nothing is kept, as this was practice")


def _summary(calibration: Calibration, where: str) -> None:
    """Tell what was learned."""
    from boardd.calibrate.calibration import orientation
    from engine import square_name

    size = calibration.size
    click.echo(f"Learned: {where}")
    click.echo(f"Sensors lie {orientation(calibration.sensors, size)}; lights {orientation(calibration.lights, size)}.")
    if calibration.inverted:
        click.echo("The sensors read occupied without a magnet; that is taken into account.")
    if calibration.dead:
        names = ", ".join(square_name(square, size) for square in sorted(calibration.dead))
        click.echo(f"Dead: {names}; moves that touch them will be asked about.")
