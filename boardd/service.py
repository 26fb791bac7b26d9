"""What the service that systemd runs must be allowed, by the configuration. Reads the configuration.

The unit allows a USB board and the loopback interface. `python -m boardd.service FILE` checks the configuration and
prints the names of the files in `systemd/` that scripts/install adds to it, on one line.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from boardd.access import is_loopback
from boardd.check import check
from boardd.settings import Settings, SettingsError, load
from boardd.settings_table import NO_PIN

PINS = "pins.conf"
"""The pins of a Raspberry Pi."""

NETWORK = "lan.conf"
"""The page beyond the loopback interface."""

REACH_VARIABLE, LOOPBACK_ONLY = "KONAKIS_REACH", "loopback"
"""What the unit says about who can reach the service; lan.conf says otherwise."""


def drop_ins(settings: Settings) -> tuple[str, ...]:
    """Name the files that the service needs beside its unit."""
    return tuple(_drop_ins(settings))


def _drop_ins(settings: Settings) -> Iterator[str]:
    kind, wire = settings.board.kind, settings.lights.wire
    wired = [*settings.buttons.model_dump().values(), settings.buzzer.pin]
    if kind in ("matrix", "shift-registers") or (
        kind != "simulated" and (wire in ("pwm", "pio", "spi") or any(pin != NO_PIN for pin in wired))
    ):
        yield PINS
    if not is_loopback(settings.page.host):
        yield NETWORK


def unreachable(settings: Settings, environment: Mapping[str, str]) -> str | None:
    """Say so if the page is to be seen by others but the service is not allowed to talk to them; else None."""
    if is_loopback(settings.page.host) or environment.get(REACH_VARIABLE) != LOOPBACK_ONLY:
        return None
    return (
        "[page] host lets others reach the page, but the service may talk to this computer only: "
        "run sudo scripts/install once more, it gives the service what the configuration needs"
    )


def main(arguments: list[str]) -> int:
    """Check the configuration that is named and print what it needs."""
    if len(arguments) != 1:
        print(f"service: found {len(arguments)} arguments, expected one: the configuration's file", file=sys.stderr)
        return 2
    path = Path(arguments[0])
    try:
        settings = load(path)
        check(settings, str(path))
    except SettingsError as error:
        print("; also ".join(error.problems), file=sys.stderr)
        return 2
    print(*drop_ins(settings))
    if settings.lights.wire == "pwm" and settings.board.kind != "simulated":
        print(
            f"{path}: [lights] wire: pwm needs root, which the service is not; it plays in the dark: choose spi or pio",
            file=sys.stderr,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
