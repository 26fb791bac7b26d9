"""What the commands share that need the configuration or the state directory. Touches the environment."""

from __future__ import annotations

import os
from pathlib import Path

import click

from boardd.cli.output import STANDARD_INPUT, read_text
from boardd.settings import Settings, load, parse
from boardd.storage import state_directory

config_option = click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The configuration, TOML; without it everything is as delivered.",
)


def read_settings(config: Path | None) -> Settings:
    """Read the configuration, or give the delivered one.

    Raises:
        CommandError: standard input cannot be read.
        SettingsError: it cannot be used.

    """
    if config is None:
        return Settings()
    if str(config) == STANDARD_INPUT:
        name, text = read_text(STANDARD_INPUT)
        return parse(text, name)
    return load(config)


def state_path(settings: Settings) -> Path:
    """Tell where the state directory is."""
    return state_directory.find(settings.storage.directory, os.environ, Path.home())
