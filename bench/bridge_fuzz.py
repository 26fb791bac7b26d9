"""Fuzz the wire to the microcontroller for as long as you like: `python bench/bridge_fuzz.py --seconds 600`.

Or damage so many packets, each of them, and see that none is found that was not sent: `--damaged 1000000`.

Prints what was tried; stops at the first broken promise with seed, round and bytes, and status 1.
"""

from __future__ import annotations

import argparse
import sys
import time

from firmware_bridge.fuzzing import Fuzzer, FuzzError

ROUNDS_A_SEED = 200
PACKETS_A_SEED = 1000


def main() -> int:
    """Run seeds one after the other until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default 60)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default 1)")
    parser.add_argument("--damaged", type=int, metavar="PACKETS", help="damage so many packets instead")
    arguments = parser.parse_args()
    if arguments.damaged is not None:
        return damage(arguments.damaged, arguments.seed)
    until = time.monotonic() + arguments.seconds
    seed, rounds, octets, packets, errors, messages = arguments.seed, 0, 0, 0, 0, 0
    while time.monotonic() < until:
        fuzzer = Fuzzer(seed)
        try:
            for _ in range(ROUNDS_A_SEED):
                fuzzer.round()
        except FuzzError as error:
            print(error)
            return 1
        tally = fuzzer.tally
        rounds, octets = rounds + tally.rounds, octets + tally.octets
        packets, errors, messages = packets + tally.packets, errors + tally.errors, messages + tally.messages
        seed += 1
    print(
        f"seeds {arguments.seed} to {seed - 1}: {rounds} streams, {octets} bytes, {packets} packets, "
        f"{errors} pieces of garbage, {messages} messages; no promise broken"
    )
    return 0


def damage(packets: int, first: int) -> int:
    """Damage so many packets."""
    octets, found, seed = 0, 0, first
    for left in range(packets, 0, -PACKETS_A_SEED):
        fuzzer = Fuzzer(seed)
        try:
            fuzzer.damaged(min(left, PACKETS_A_SEED))
        except FuzzError as error:
            print(error)
            return 1
        octets, found, seed = octets + fuzzer.tally.octets, found + fuzzer.tally.packets, seed + 1
    print(
        f"seeds {first} to {seed - 1}: {packets} packets, {octets} bytes, each damaged; both ends found {found}, "
        "all of them as they were sent"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
