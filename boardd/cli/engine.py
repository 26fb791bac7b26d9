"""The command that plays for other programs: engine. Touches standard input and output.

One thread does it all: while the engine thinks it looks, every few milliseconds, whether a line has come.
"""

from __future__ import annotations

import os
import random
import select
import sys
from collections.abc import Sequence

import click

from boardd.cli.numbers import SEED, Whole
from boardd.computer.otep import LINE_BYTES


class Lines:
    """The lines of a stream, taken as they come.

    Args:
        descriptor: the stream's.

    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._rest = b""

    def __call__(self, wait: bool) -> Sequence[str] | None:
        """Give the lines that have come, waiting for one if asked to; None at the end."""
        if not wait and not select.select([self._descriptor], [], [], 0)[0]:
            return ()
        while True:
            read = os.read(self._descriptor, LINE_BYTES)
            if not read:
                return None
            *lines, rest = (self._rest + read).split(b"\n")
            self._rest = rest[:LINE_BYTES]  # of a longer line the end is lost; what is left is no message
            if lines or not wait:
                return [line.decode("ascii", "replace") for line in lines]


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


@click.command()
@click.option("--level", type=Whole(1, 10), default=10, show_default=True, help="How strong it plays, 1 to 10.")
@click.option(
    "--seed",
    type=SEED,
    metavar="S",
    help="Decides among moves that look alike to it; another one each time by default.",
)
def engine(level: int, seed: int | None) -> None:
    """Play for another program, which speaks OpenTafl's engine protocol on standard input."""
    from boardd.cli.output import standard_input
    from boardd.computer.player import Player
    from engine.levels import level_numbered

    chosen = random.SystemRandom().randrange(1 << 30) if seed is None else seed
    Player(level_numbered(level), chosen, Lines(standard_input().fileno()), _say).run()
