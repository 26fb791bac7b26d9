"""Fuzz the wire to the microcontroller for as long as you like: `python -m bench.bridge_fuzz --seconds 600`.

Or damage so many packets, and see that none is found that was not sent: `--damaged 1000000`. What the damage leaves
byte for byte as it was is not sent and not counted.

Prints what was tried; stops at the first broken promise with seed, round and bytes, and status 1.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from itertools import count

from bench import command
from firmware_bridge.fuzzing import Fuzzer, FuzzError, Tally

ROUNDS_A_SEED = 200
PACKETS_A_SEED = 1000


def main() -> int:
    """Run seeds one after the other until the time is over, or all packets are damaged."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument("--seconds", type=command.seconds, default=60.0, help="how long (default 60)")
    parser.add_argument("--seed", type=command.seed, default=1, help="the first seed (default 1)")
    parser.add_argument("--damaged", type=command.whole(1), metavar="PACKETS", help="damage so many packets instead")
    arguments = parser.parse_args()
    if arguments.damaged is not None:
        parts = range(arguments.damaged, 0, -PACKETS_A_SEED)
        packets = ((seed, min(left, PACKETS_A_SEED)) for seed, left in enumerate(parts, start=arguments.seed))
        return _all_of(packets, Fuzzer.damaged, damage_words)
    return _all_of(_until(time.monotonic() + arguments.seconds, arguments.seed), _streams, stream_words)


def stream_words(total: Tally) -> str:
    """Tell what became of streams that are almost right."""
    return (
        f"{total.rounds} streams, {total.octets} bytes, {total.packets} packets, {total.errors} pieces of garbage, "
        f"{total.messages} messages; no promise broken"
    )


def damage_words(total: Tally) -> str:
    """Tell what became of damaged packets."""
    return (
        f"{total.rounds} packets changed by damage, {total.octets} bytes; found by both ends {total.packets}, by one "
        f"end alone {total.one_end}, all of them as they were sent"
    )


def _until(end: float, first: int) -> Iterator[tuple[int, int]]:
    for seed in count(first):
        yield seed, ROUNDS_A_SEED
        if time.monotonic() >= end:
            return


def _streams(fuzzer: Fuzzer, rounds: int) -> None:
    for _ in range(rounds):
        fuzzer.round()


def _all_of(seeds: Iterable[tuple[int, int]], one: Callable[[Fuzzer, int], None], words: Callable[[Tally], str]) -> int:
    """Try seeds, each with so many rounds, and tell the sum, also where it is broken off; give the exit status."""
    total = Tally()
    tried: list[int] = []
    try:
        for seed, rounds in seeds:
            fuzzer = Fuzzer(seed)
            one(fuzzer, rounds)
            tried.append(seed)
            for field in fields(Tally):
                setattr(total, field.name, getattr(total, field.name) + getattr(fuzzer.tally, field.name))
    except FuzzError as error:
        print(error)
        return 1
    finally:
        if tried:
            print(f"seeds {tried[0]} to {tried[-1]}: {words(total)}")
    return 0


if __name__ == "__main__":
    command.run(main)
