"""The command that plays: run."""

from __future__ import annotations

import logging
from pathlib import Path

import click

from boardd.cli.configuration import config_option, read_settings, state_path

DELIVERED = "the configuration"
"""What messages call it when no file was given."""


@click.command()
@config_option
def run(config: Path | None) -> None:
    """Run the board: with no configuration the simulated one and its page."""
    from boardd.app import run as play
    from boardd.check import check

    settings = read_settings(config)
    check(settings, DELIVERED if config is None else str(config))
    logging.basicConfig(level=settings.log.level.upper(), format="%(levelname)s: %(message)s")
    # the page's server tells of every start and stop
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    play(settings, state_path(settings), lambda line: click.echo(line))
