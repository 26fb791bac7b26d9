"""The command that writes what goes onto the Pico: firmware."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

import click

from boardd.cli.configuration import config_option, read_settings
from boardd.cli.output import CommandError, json_option, notice, write_json

PATIENCE_S = 5.0
"""A board that is plugged in answers in a tenth of a second; one that is gone is missed after three seconds."""
STEP_S = 0.05
WITH_PICO = "microcontroller"
"""The kind of board that this is for."""

MARKED, MARK = "konakis/pins.py", b"Written by `konakis firmware`"
"""The file, and what it says, by which a directory is known to be ours."""


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path), required=False)
@config_option
@click.option("--leave", is_flag=True, help="Tell the firmware on the Pico to step aside, so that it can be replaced.")
@json_option
def firmware(directory: Path | None, config: Path | None, leave: bool, as_json: bool) -> int:
    """Write the files for the Pico into DIRECTORY, with the configured pins, and say how to copy them."""
    from boardd.check import check
    from boardd.house import configured_book
    from boardd.wiring.wires import WiringError, firmware_pins
    from firmware_bridge import firmware_files, how_to_copy

    settings = read_settings(config)
    if settings.board.kind != WITH_PICO:
        here = f"{config}: [board] kind is" if config else "without --config the board is"
        notice(f'{here} {settings.board.kind}, which has no Pico; [board] kind = "{WITH_PICO}" plays on one')
    if leave:
        return _leave(settings.microcontroller.board_id, settings.microcontroller.port)
    if directory is None:
        raise CommandError("expected a directory for the files, as `konakis firmware pico/`")
    where = "the configuration" if config is None else str(config)
    check(settings, where)
    try:
        pins = firmware_pins(settings, configured_book(settings.game).size)
    except WiringError as error:
        raise CommandError(f"{where}: {error}") from error
    files = firmware_files(pins)
    _write(directory, files)
    if as_json:
        write_json({"directory": str(directory), "files": sorted(files)})
    else:
        click.echo(f"{len(files)} files are in {directory}. To put them onto the Pico:\n\n{how_to_copy()}")
    return 0


def _write(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write files, in place of earlier ones of ours and of nothing else, each whole or not at all."""
    try:
        ours = MARK in (directory / MARKED).read_bytes()
    except OSError:
        ours = False
    for name in sorted({Path(name).parts[0] for name in files}):
        if not ours and os.path.lexists(directory / name):
            raise CommandError(
                f"{directory / name}: is there and was not written by `konakis firmware`: "
                "choose another directory, or move it away"
            )
    for name, content in files.items():
        path = directory / name
        beside = path.with_name(f"{path.name}.new")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            beside.unlink(missing_ok=True)
            beside.write_bytes(content)
            beside.replace(path)
        except OSError as error:
            raise CommandError(f"{path}: cannot be written: {error.strerror}") from error


def _leave(board_id: str, port: str) -> int:
    """Have the firmware step aside."""
    from hardware.boards import SerialWires, serial_link

    link = serial_link(SerialWires(board_id or None, port or None), None, time.monotonic)
    link.open()
    try:
        until = time.monotonic() + PATIENCE_S
        while not link.leave():
            if time.monotonic() >= until:
                raise CommandError(f"no firmware answers: {link.state.why}")
            time.sleep(STEP_S)
        until = time.monotonic() + PATIENCE_S
        while link.state.hello is not None:
            if time.monotonic() >= until:
                raise CommandError(
                    f"the firmware at {link.state.port} was told to step aside and still answers: unplug the Pico, "
                    "plug it in, and try again"
                )
            time.sleep(STEP_S)
    finally:
        link.close()
    notice("the firmware has stepped aside until the Pico is started again")
    return 0
