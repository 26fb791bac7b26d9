"""The command that examines the computer and the wiring: doctor."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from boardd.cli import FOUND_WRONG
from boardd.cli.configuration import config_option, state_path
from boardd.cli.ending import orderly_end
from boardd.cli.numbers import A_DAY_S, Seconds
from boardd.cli.output import console, json_option, notice, write_json

PAGE_WIDTH = 100
"""Columns where nobody says how wide the reader is, as in a file."""
LEAST_WATCH_S = 0.1
"""A few scans."""


@click.command()
@config_option
@click.option(
    "--watch",
    type=Seconds(LEAST_WATCH_S, A_DAY_S),
    metavar="SECONDS",
    default=2.0,
    help="Watch the sensors for longer; 2 by default.",
)
@click.option("--no-board", is_flag=True, help="Leave the board alone, for instance while it is played on.")
@json_option
@orderly_end()
def doctor(config: Path | None, watch: float, no_board: bool, as_json: bool) -> int:
    """Examine the computer, the configuration and the wiring; say what to do."""
    from boardd.check import check
    from boardd.cli.configuration import read_settings
    from boardd.doctor.finding import Finding, State
    from boardd.doctor.situation import Situation
    from boardd.doctor.table import examine
    from boardd.doctor.telling import lines
    from boardd.settings import Settings, SettingsError
    from boardd.wiring.wires import WiringError, board_wires
    from hardware.boards import assemble

    where = "as delivered" if config is None else str(config)
    problems: tuple[str, ...] = ()
    settings, unread = Settings(), True
    try:
        settings, unread = read_settings(config), False
        check(settings, where)
    except SettingsError as error:
        problems = error.problems
    it = Situation(settings, state_path(settings), where, problems, unread, watch_s=watch, progress=notice)
    try:
        wires = board_wires(settings, it.size)
    except WiringError:
        wires = None
        it.left_out = "the configured board cannot be wired"
    player = _player(it.directory)
    it.in_use = player is not None
    if player is not None:
        it.left_out = f"the board is being played on ({player}): stop the daemon to have it examined"
    elif no_board:
        it.left_out = "left out, as asked"
    elif wires is not None:
        it.board = lambda: assemble(wires, time.monotonic)
    findings: list[Finding] = []
    for finding in examine(it):
        findings.append(finding)
        if as_json:
            write_json(finding.to_json())
    if not as_json:
        width = console().width if sys.stdout.isatty() else PAGE_WIDTH
        for line in lines(findings, width):
            click.echo(line)
    return FOUND_WRONG if any(finding.state is State.FAULT for finding in findings) else 0


def _player(directory: Path) -> str | None:
    """Tell which daemon holds the state directory, and with it the board; None if none does."""
    from boardd.storage.state_directory import AlreadyRunningError, Lock, StateDirectoryError
    from hardware.files import may_be_there

    if not may_be_there(directory):
        return None
    try:
        with Lock(directory):
            return None
    except AlreadyRunningError as error:
        return str(error)
    except StateDirectoryError:
        return None  # the check of storage tells why
