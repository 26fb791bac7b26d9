"""Fuzz the wire to the microcontroller for as long as you like: `python bench/bridge_fuzz.py --seconds 600`.

Prints what was tried; stops at the first broken promise with seed, round and bytes, and status 1.
"""

from __future__ import annotations

import argparse
import sys
import time

from firmware_bridge.fuzzing import Fuzzer, FuzzError

ROUNDS_A_SEED = 200


def main() -> int:
    """Run seeds one after the other until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default 60)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default 1)")
    arguments = parser.parse_args()
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


if __name__ == "__main__":
    sys.exit(main())
