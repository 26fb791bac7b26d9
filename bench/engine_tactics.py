"""Make the tactical suite, or check what it claims.

    python -m bench.engine_tactics make > tests/engine/tactics.jsonl
    python -m bench.engine_tactics check tests/engine/tactics.jsonl

Positions come from games between weak levels from random openings, some with most pieces taken off. The engine's search
only proposes; each claim is then proved by bench/proving.py. Drawn by seed.

A line of the suite (bench/suite.py): `book`, `position`, `side`, `moves` (played from there, so that history counts),
`kind`, `plies` (how far the claim looks), `solutions` (the moves that are right; any of them solves it).
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench import command
from bench.matches import openings
from bench.proving import Prover
from bench.suite import Claim, read_suite
from engine import BOOKS, Book, Game, Move, Side
from engine.levels import LEVELS, Opponent
from engine.position import RUNNING
from engine.search import Limits, Searcher
from engine.squares import Square, square_name
from engine.worths import DECIDED

NODES = 60_000
"""The search that proposes looks at so many positions."""

MOST_GAMES = 40
"""A book in which so many games do not bring all that is wanted gives less."""

FEW_MOVES = 22
"""A win in four is proved only where the first move is one of so many: a plain search grows fast."""

WANTED = {"win in 1": 1, "win in 2": 2, "win in 3": 2, "win in 4": 1, "only move": 2, "refuse": 2}
"""How many of each kind a book gives."""

SUITE_BOOKS = tuple(name for name in BOOKS if name != "copenhagen")
"""Its formations make a plain search of this game take hours."""

PLIES = {"win in 1": 1, "win in 2": 3, "win in 3": 5, "win in 4": 7, "only move": 4, "refuse": 4}
"""How far each kind looks."""

FOURTH_SIDE_KIND = "fourth side"

THREE_MOVES = 5
FOURTH_SIDE = 2
"""How many of the kinds that only `tablut-edge` has."""


def text(move: Move, size: int) -> str:
    """Write a move without its captures."""
    return f"{square_name(move.origin, size)}-{square_name(move.destination, size)}"


def tell(game: Game, kind: str, plies: int, solutions: list[str]) -> None:
    """Write a line of the suite to standard output."""
    fields = {
        "book": game.book.name,
        "position": game.start,
        "side": game.first_side,
        "moves": tuple(text(ply.move, game.size) for ply in game.plies),
        "kind": kind,
        "plies": plies,
        "solutions": tuple(solutions),
    }
    print(json.dumps(Claim.model_validate(fields).model_dump(mode="json")), flush=True)


def prove(game: Game, kind: str, plies: int) -> list[str] | None:
    """Return the moves that solve a kind of task in a game, or None if it is no such task.

    Wins: the moves that force a win within so many plies, while none does in two plies less. `only move`: the one
    that does not lose within so many plies. `refuse`: those that do not, while some capture does.
    """
    prover = Prover(game)
    legal = game.legal_moves()
    size = game.size
    if kind in ("only move", "refuse", "three moves"):
        safe = [move for move in legal if not prover.loses_by(prover.packed(move), plies, 0)]
        lost_captures = [move for move in legal if move.captures and move not in safe]
        if kind == "only move" and len(safe) != 1:
            return None
        if kind == "refuse" and (not lost_captures or not safe):
            return None
        if kind == "three moves" and (not safe or len(safe) == len(legal)):
            return None
        return [text(move, size) for move in safe]
    if plies > 1 and prover.wins(plies - 2):
        return None
    return [text(move, size) for move in legal if prover.wins_by(prover.packed(move), plies, 0)] or None


def positions(book: Book, seed: int) -> Iterator[Game]:
    """Give positions of games between weak levels, on and on, each as a game without history."""
    draw = random.Random(f"tactics {book.name} {seed}")
    for number in range(MOST_GAMES):
        start = openings(book, 1, seed * 1000 + number)[0]
        players = [Opponent(book, LEVELS[draw.choice((1, 2, 3, 4))], number + n) for n in range(2)]
        game = _as_game(book, start)
        position = game.core.copy()
        for ply in range(80):
            move, _, _ = players[ply % 2].pick(position.copy())
            position.reserve(1)
            position.make(move)
            if position.ended() != RUNNING:
                break
            if ply > 4 and draw.random() < 0.5:
                yield _as_game(book, position)
            if ply > 4 and draw.random() < 0.3:
                thinned = _thinned(_as_game(book, position), draw)
                if thinned.result is None:
                    yield thinned


def _as_game(book: Book, position: Any) -> Game:
    """Return a game that starts where a core stands."""
    game = Game(book)
    pieces = []
    size = book.size
    for rank in range(size):
        row = ""
        for file in range(size):
            code = int(position.cells[game.tables.cell(rank * size + file)]) & 7
            row += {0: ".", 1: "t", 2: "T", 4: "K"}[code]
        pieces.append(row)
    side = Side.ATTACKERS if position.side == 1 else Side.DEFENDERS
    return Game(book, position="/" + "/".join(_counted(row) for row in pieces) + "/", side=side)


def _counted(row: str) -> str:
    """Write the empty squares of a rank as numbers."""
    for length in range(len(row), 0, -1):
        row = row.replace("." * length, str(length))
    return row


def _thinned(game: Game, draw: random.Random) -> Game:
    """Take most pieces off."""
    keep = draw.uniform(0.3, 0.6)
    rows = []
    for row in game.position.strip("/").split("/"):
        spread = ""
        number = ""
        for sign in f"{row}/":
            if sign.isdigit():
                number += sign
                continue
            spread += "." * int(number or 0) + sign
            number = ""
        rows.append("".join(sign if sign in ".K" or draw.random() < keep else "." for sign in spread[:-1]))
    return Game(game.book, position="/" + "/".join(_counted(row) for row in rows) + "/", side=game.side)


def proposals(game: Game, searcher: Searcher) -> Iterator[str]:
    """Tell which kinds of task a position may be, as the engine's search sees it."""
    searcher.forget()
    thought = searcher.think(game.core.copy(), Limits(nodes=NODES), margin=10 * DECIDED)
    worths = [worth for _, worth in thought.ranking]
    if worths and worths[0] >= DECIDED:
        plies = 100_000 - worths[0]
        if plies % 2 and plies <= 7:
            yield f"win in {(plies + 1) // 2}"
        return
    lost = [worth <= -DECIDED and 100_000 + worth <= 4 for worth in worths]
    if len(worths) == len(game.legal_moves()) > 6 and lost.count(False) == 1:
        yield "only move"
    if worths and not all(lost):
        lost_moves = {move for (move, _), gone in zip(thought.ranking, lost, strict=True) if gone}
        prover = Prover(game)
        if any(move.captures and prover.packed(move) in lost_moves for move in game.legal_moves()):
            yield "refuse"


def make(books: Sequence[str], seed: int) -> None:
    """Write the tasks of some books to standard output; what one gives does not depend on the others."""
    for book in map(BOOKS.__getitem__, books):
        searcher = Searcher(book)
        wanted = Counter(WANTED)
        seen: set[str] = set()
        for game in positions(book, seed):
            if not any(wanted.values()):
                break
            if game.position in seen or not game.legal_moves():
                continue
            for kind in proposals(game, searcher):
                if not wanted[kind] or (kind == "win in 4" and len(game.legal_moves()) > FEW_MOVES):
                    continue
                solutions = prove(game, kind, PLIES[kind])
                if solutions:
                    seen.add(game.position)
                    wanted[kind] -= 1
                    tell(game, kind, PLIES[kind], solutions)
                    break
        print(f"{book.name}: still wanted {+wanted}", file=sys.stderr)
    if "tablut-edge" in books:
        make_three_moves(seed)
        make_fourth_side(seed)


def make_three_moves(seed: int) -> None:
    """Write tasks in which the move that would be best, were there no history, loses as the fifth to and fro."""
    book = BOOKS["tablut-edge"]
    draw = random.Random(f"three moves {seed}")
    searcher = Searcher(book)
    wanted = THREE_MOVES
    for game in positions(book, seed + 1):
        if not wanted:
            return
        tempting = searcher.think(game.core.copy(), Limits(nodes=NODES)).move
        ours = Prover(game).squares(tempting)
        if not _to_and_fro(game, ours, draw):
            continue
        solutions = prove(game, "three moves", 2)
        if solutions and len(solutions) < len(game.legal_moves()):
            tell(game, "three moves", 2, solutions)
            wanted -= 1


def _to_and_fro(game: Game, ours: tuple[Square, Square], draw: random.Random) -> bool:
    """Play a move there and back twice, the opponent likewise, and tell whether all is as before."""
    theirs: tuple[Square, Square] | None = None
    before = game.position
    for turn in range(4):
        for side in (0, 1):
            if side and theirs is None:
                quiet = [move for move in game.legal_moves() if not move.captures]
                if not quiet:
                    return False
                move = draw.choice(quiet)
                theirs = (move.origin, move.destination)
            origin, destination = (theirs or ours) if side else ours
            found = game.find(*((destination, origin) if turn % 2 else (origin, destination)))
            if found is None or found.captures:
                return False
            game.play(found)
            if game.result is not None:
                return False
    return game.position == before


def make_fourth_side(seed: int) -> None:
    """Write tasks that are won by taking the defender pressed against the king's throne."""
    book = BOOKS["tablut-edge"]
    draw = random.Random(f"fourth side {seed}")
    wanted = FOURTH_SIDE
    while wanted:
        rows = [["."] * 9 for _ in range(9)]
        rows[4][4] = "K"
        around = [(3, 4), (5, 4), (4, 3), (4, 5)]
        draw.shuffle(around)
        for rank, file in around[:3]:
            rows[rank][file] = "t"
        rank, file = around[3]
        rows[rank][file] = "T"
        for _ in range(draw.randint(4, 9)):
            rank, file = draw.randrange(9), draw.randrange(9)
            if rows[rank][file] == ".":
                rows[rank][file] = draw.choice("ttT")
        position = "/" + "/".join(_counted("".join(row)) for row in rows) + "/"
        game = Game(book, position=position, side=Side.ATTACKERS)
        rank, file = around[3]
        pressed = rank * 9 + file
        if game.result is not None or not any(pressed in move.captures for move in game.legal_moves()):
            continue
        for plies in (3, 5):
            solutions = prove(game, f"win in {(plies + 1) // 2}", plies)
            if solutions:
                takers = {text(move, 9) for move in game.legal_moves() if pressed in move.captures}
                if takers >= set(solutions):
                    tell(game, FOURTH_SIDE_KIND, plies, solutions)
                    wanted -= 1
                break


def check(path: Path) -> int:
    """Prove every line of a suite again; return how many are wrong."""
    claims = read_suite(path)
    proved = wrong = 0
    try:
        for number, claim in claims.items():
            found = prove(claim.game(), claim.kind, claim.plies)
            proved += 1
            if found != list(claim.solutions):
                print(
                    f"{path}:{number}: found a claim that is not so: {claim.kind}, {claim.plies} plies, by"
                    f" {' or '.join(claim.solutions) or 'nothing'}, proved: {' or '.join(found or ()) or 'nothing'}",
                    file=sys.stderr,
                )
                wrong += 1
    finally:  # also what was proved so far, where it is broken off
        print(f"{proved} of {len(claims)} claims proved again, {wrong} not so")
    return wrong


def main() -> int:
    """Run what the arguments ask for."""
    parser = command.Parser(__file__, __doc__)
    parser.add_argument("what", choices=("make", "check"))
    parser.add_argument("path", nargs="?", type=Path)
    parser.add_argument("--seed", type=command.seed, default=1)
    parser.add_argument("--books", nargs="+", default=list(SUITE_BOOKS), choices=list(BOOKS))
    arguments = parser.parse_args()
    if arguments.what == "check":
        if arguments.path is None:
            parser.error("check: found no path, expected the file of a suite")
        return 1 if check(arguments.path) else 0
    make(arguments.books, arguments.seed)
    return 0


if __name__ == "__main__":
    command.run(main)
