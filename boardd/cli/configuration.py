"""What the commands share that need the configuration or the state directory. Touches the environment."""

from __future__ import annotations

import os
from pathlib import Path

import click

from boardd import state_directory
from boardd.settings import Settings, load

config_option = click.option(
    "--config",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The configuration, TOML; without it everything is as delivered.",
)


def read_settings(config: Path | None) -> Settings:
    """Read the configuration, or give the delivered one.

    Raises:
        SettingsError: it cannot be used.

    """
    return Settings() if config is None else load(config)


def state_path(settings: Settings) -> Path:
    """Tell where the state directory is."""
    return state_directory.find(settings.storage.directory, os.environ, Path.home())
