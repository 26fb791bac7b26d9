"""The table of all checks, in the order in which they are told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from boardd.doctor import computer, configuration, opponent, pins
from boardd.doctor.board import BOARD_CHECKS, examine_board
from boardd.doctor.finding import Finding, unknown
from boardd.doctor.situation import Situation

CHECKS: tuple[tuple[str, Callable[[Situation], Finding]], ...] = (
    ("model",          computer.model),
    ("system",         computer.system),
    ("python",         computer.python),
    ("power",          computer.power),
    ("disk",           computer.disk),
    ("storage",        computer.storage),
    ("clock",          computer.clock),
    ("configuration",  configuration.configuration),
    ("budget",         configuration.budget),
    ("opponent",       opponent.opponent),
    ("calibration",    configuration.calibration),
    ("groups",         pins.groups),
    ("devices",        pins.devices),
    ("overlays",       pins.overlays),
    ("audio",          pins.audio),
    ("dma",            pins.dma),
    ("modem-manager",  pins.modem_manager),
    ("sensor-history", configuration.history),
)  # fmt: skip
"""Checks that only look. Those that open the board come after them, from `board.examine_board`."""

CONFIGURED_NOWHERE = frozenset({"model", "system", "python", "power", "clock", "configuration"})
"""Checks that look at nothing that the configuration says; the others need one that can be read."""

UNREAD = "the configuration could not be read"


def examine(
    it: Situation, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
) -> Iterator[Finding]:
    """Make every check."""
    for name, check in CHECKS:
        yield check(it) if name in CONFIGURED_NOWHERE or not it.unread else unknown(name, UNREAD)
    if it.unread:
        for name in BOARD_CHECKS:
            yield unknown(name, UNREAD)
    else:
        yield from examine_board(it, clock, sleep)
