"""The command that plays: run. Touches the outside world: may start a browser."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import click

from boardd.cli.configuration import config_option, read_settings, state_path
from boardd.cli.numbers import Whole

DELIVERED = "the configuration"
"""What messages call it when no file was given."""

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
"""Without one of these a browser would take over the terminal."""


@click.command()
@config_option
@click.option("--port", type=Whole(0, 65_535), metavar="PORT", help="Where the page listens; 0 takes any free port.")
@click.option("--open/--no-open", "opens", default=False, help="Open the page in the browser.")
def run(config: Path | None, port: int | None, opens: bool) -> None:
    """Run the board: with no configuration the simulated one and its page."""
    from boardd.app import run as play
    from boardd.check import check

    settings = read_settings(config)
    if port is not None:
        settings = settings.model_copy(update={"page": settings.page.model_copy(update={"port": port})})
    check(settings, DELIVERED if config is None else str(config))
    logging.basicConfig(level=settings.log.level.upper(), format="%(levelname)s: %(message)s")
    # the page's server tells of every start and stop
    logging.getLogger("uvicorn").setLevel(logging.WARNING)

    play(settings, state_path(settings), click.echo, _open if opens else None)


def _open(address: str) -> None:
    """Start a browser, and leave it alone; where there is no screen somebody else has to."""
    screen = not sys.platform.startswith("linux") or any(os.environ.get(screen) for screen in SCREENS)
    opening = "A browser opens it; if none does, open it yourself." if screen else "Open it in a browser."
    click.echo(f"{opening} Ctrl-C ends the board; the game is kept.")
    if not screen:
        return
    command = [sys.executable, "-P", "-m", "webbrowser", "-t", address]
    quiet = subprocess.DEVNULL
    subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
