#!/usr/bin/env python3
"""Somebody else's engine: knows OTEP and how pieces slide, and nothing of this project, not even its modules.

It moves at random by the seed in its one argument. As OpenTafl's own engine does, it repeats on its standard output
every line that it hears, which is no message. What is captured it does not know: the host tells the board.
"""

import random
import re
import sys

draw = random.Random(int(sys.argv[1]))
rows: list[list[str]] = []


def stand(position: str) -> None:
    """Take a board: rank 1 first, digits for empty squares."""
    rows[:] = [list(re.sub(r"\d+", lambda found: "." * int(found[0]), row)) for row in position.strip("/").split("/")]


def moves(pieces: str) -> list[str]:
    """Slides of these pieces that no rules forbid: never over the throne or a corner, nor there."""
    size = len(rows)
    kept_free = {(size // 2, size // 2), (0, 0), (0, size - 1), (size - 1, 0), (size - 1, size - 1)}
    found = []
    for rank in range(size):
        for file in range(size):
            if rows[rank][file] not in pieces:
                continue
            for up, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                to_rank, to_file = rank + up, file + right
                while 0 <= to_rank < size and 0 <= to_file < size and rows[to_rank][to_file] == ".":
                    if (to_rank, to_file) in kept_free:
                        break
                    found.append(f"{chr(97 + file)}{rank + 1}-{chr(97 + to_file)}{to_rank + 1}")
                    to_rank, to_file = to_rank + up, to_file + right
    return found


print("hello", flush=True)
for line in sys.stdin:
    print("Client received:", line.strip(), flush=True)
    word, *rest = line.split()
    if word == "rules":
        stand(next(tag for tag in rest if tag.startswith("start:")).removeprefix("start:"))
    elif word in ("position", "move", "opponent-move"):
        stand(rest[-1])
    elif word == "play":
        print("status choosing one of many", flush=True)
        print("move", draw.choice(moves("t" if rest[0] == "attackers" else "TK") or ["---"]), flush=True)
    elif word == "goodbye":
        break
