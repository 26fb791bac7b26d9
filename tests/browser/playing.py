"""`konakis run` as a process, and hands that play it on its page."""

import json
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.browser.driving import BoardPage

START_S = 20.0
STOP_S = 10.0
MOVE_MS = 5_000  # a move needs 0.2 to 1 s to settle; the rest is for a slow machine

STEPS_A_SQUARE = 2  # pointer events while a piece is pulled from one square to the next

PROGRAM = [sys.executable, "-c", "import sys; from boardd.cli import main; sys.exit(main())"]
CONFIGURATION = "konakis.toml"

# Looked at with every picture drawn, where `expect` would look after 0.1, 0.35, 0.85 s.
LISTS = """([number, move]) => {
    const plies = document.querySelectorAll(".ply");
    return plies.length === number && plies[number - 1].textContent.startsWith(move);
}"""
LIT_TO_TAKE_OFF = """square => document.querySelector(`.cell[data-square="${square}"]`).dataset.role === "remove" """

Visit = Callable[..., Page]
RunKonakis = Callable[..., str]


@contextmanager
def konakis(directory: Path, rules: str = "tablut-edge", more: str = "") -> Iterator[str]:
    """Run the daemon on a port of its own, with `more` configuration; gives the page's address."""
    configuration = directory / CONFIGURATION
    configuration.write_text(
        f'[page]\nport = 0\n[game]\nrules = "{rules}"\n[storage]\ndirectory = "{directory / "state"}"\n'
        f'[log]\nlevel = "warning"\n{more}',
        encoding="utf-8",
    )
    command = [*PROGRAM, "run", "--config", str(configuration)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            ready, _, _ = select.select([process.stdout], [], [], START_S)
            found = re.search(r"http://\S+", process.stdout.readline()) if ready else None
            assert found is not None, "the daemon told no address"
            yield found.group()
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(STOP_S)


def told(directory: Path, *arguments: str) -> list[Any]:
    """Give the JSON objects that another `konakis` command writes about what the daemon keeps."""
    command = [*PROGRAM, *arguments, "--config", str(directory / CONFIGURATION)]
    ran = subprocess.run(command, capture_output=True, check=True, text=True, timeout=START_S)
    assert ran.stderr == ""
    return [json.loads(line) for line in ran.stdout.splitlines()]


def plies(page: Page) -> list[str]:
    """Give the list of moves as it reads."""
    return page.locator(".ply").evaluate_all(  # type: ignore[no-any-return]  # whatever the script gives
        """plies => plies.map(ply => ply.firstChild.data + (ply.querySelector('.taken')?.textContent ?? ''))"""
    )


def listed(moves: str) -> list[str]:
    """Write moves as the list does."""
    return [move.replace("-", "–").replace("x", "×").replace("/", " ") for move in moves.split()]


def way(move: str) -> list[str]:
    """Name the squares of a straight move, from the one its piece leaves to the one it comes to."""
    origin, destination = move.partition("x")[0].split("-")
    file, rank, to_file, to_rank = ord(origin[0]), int(origin[1:]), ord(destination[0]), int(destination[1:])
    far = max(abs(to_file - file), abs(to_rank - rank))
    return [
        f"{chr(file + (to_file - file) * step // far)}{rank + (to_rank - rank) * step // far}"
        for step in range(far + 1)
    ]


def make(board: BoardPage, move: str) -> None:
    """Drag a piece as a move says, take its victims off, and wait until it is in the list."""
    squares, _, taken = move.partition("x")
    page, number = board.page, board.page.locator(".ply").count() + 1
    board.drag(*way(move), steps=STEPS_A_SQUARE)
    # A slow hand's stops are accepted and amended as it goes on.
    page.wait_for_function(LISTS, arg=[number, listed(squares)[0]], timeout=MOVE_MS)
    for victim in filter(None, taken.split("/")):
        page.wait_for_function(LIT_TO_TAKE_OFF, arg=victim, timeout=MOVE_MS)
        board.click(victim)
        board.has_piece(victim, None)
    assert plies(page)[number - 1 :] == listed(move)
