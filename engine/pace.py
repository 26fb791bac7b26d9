"""How fast the engine runs in the form that is loaded: figures for `konakis bench`, as JSON on standard output.

`python -m engine.pace SECONDS`. It prints, unlike the rest of the package, since a form has to be measured in a process
of its own.
"""

import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from engine import BOOKS, Game, Move, Side
from engine.forms import form
from engine.perft import perft
from engine.questions import destinations, endangered, escape_squares, risky, threats
from engine.search import Limits, Searcher

MIDDLE_GAME: Final = "/3t1t3/9/2t1T1t2/t2K4t/1tT2Tt1t/t2T4t/4T4/3t5/4tt3/"
"""Of a game on the book `tablut-edge`: half the defenders are gone and the king is out."""

PLACES: Final = (
    ("tablut-edge", "start", None),
    ("tablut-edge", "middle game", MIDDLE_GAME),
    ("tablut-corner", "start", None),
    ("hnefatafl-11", "start", None),
    ("hnefatafl-13", "start", None),
)

RUNS: Final = 3
"""The best of so many counts: what other programs take away is not the engine's."""

LOOP_ROUNDS: Final = 200_000

SEARCHED_NODES: Final = 20_000
"""A fifth of a second, pure."""

FIRST_NODES: Final = 20_000

QUESTIONED_BOOKS: Final = ("tablut-edge", "tablut-corner", "hnefatafl-11", "hnefatafl-13")
QUESTIONED_GAMES: Final = 4
QUESTIONED_PLIES: Final = 40
"""The lights' questions are put in so many positions of so many random games on each book, always the same."""

TRIES: Final = 3
"""A question is put so often, and the quickest answer counts: what else runs on the machine is not the question's."""

Question = Callable[[Game, Move], object]

QUESTIONS: Final[tuple[tuple[str, Question], ...]] = (
    ("all legal moves", lambda game, _: game.legal_moves()),
    ("where a piece may go", lambda game, move: destinations(game, move.origin)),
    ("where it would be in danger", lambda game, move: [risky(game, it) for it in destinations(game, move.origin)]),
    ("pieces in danger", lambda game, _: endangered(game, game.side)),
    ("the king's ways out", lambda game, _: escape_squares(game)),
    ("who threatens the king", lambda game, _: threats(game)),
)
"""What lights ask, and of which piece."""


def rate_of(work: Callable[[int], int], first: int, seconds: float) -> float:
    """Return how much work is done in a second of the processor.

    Args:
        work: is given a size, does about so much and returns how much it did.
        first: a size to begin with; doubled until a run takes long enough.
        seconds: for all runs together.

    """
    best = 0.0
    size = first
    runs = 0
    while runs < RUNS:
        began = time.process_time()
        done = work(size)
        took = time.process_time() - began
        if took < seconds / RUNS / 2:
            size *= 2
            continue
        best = max(best, done / took)
        runs += 1
    return best


def loop(rounds: int) -> int:
    """Do a fixed kind of integer work, so many rounds of it."""
    value = 1
    for n in range(rounds):
        value = (value * 1103515245 + 12345 + n) & 0x7FFFFFFF
        value ^= value >> 7
    return rounds


def made_moves(game: Game) -> Callable[[int], int]:
    """Return work that makes moves and takes them back: counting sequences of two and, if there is time, of three."""

    def work(size: int) -> int:
        made = 0
        moves = game.legal_moves()
        copy = game.copy()
        while made < size:
            for move in moves:
                copy.play(move)
                made += perft(copy, 2)
                copy.undo()
                if made >= size:
                    break
        return made

    return work


def searched(game: Game) -> Callable[[int], int]:
    """Return work that searches SEARCHED_NODES from scratch, again and again: the same work in both forms."""
    searcher = Searcher(game.book)

    def work(size: int) -> int:
        nodes = 0
        while nodes < size:
            searcher.forget()
            nodes += searcher.best_move(game, Limits(nodes=SEARCHED_NODES)).nodes
        return nodes

    return work


def slowest_answers(book: str) -> list[dict[str, Any]]:
    """Put the lights' questions in many positions; return what the dearest answer to each took, in milliseconds."""
    worst = dict.fromkeys((name for name, _ in QUESTIONS), 0.0)
    draw = random.Random(book)
    for _ in range(QUESTIONED_GAMES):
        game = Game(BOOKS[book])
        while game.result is None and len(game.plies) < QUESTIONED_PLIES:
            move = draw.choice(game.legal_moves())
            for name, question in QUESTIONS:
                worst[name] = max(worst[name], min(_took(question, game, move) for _ in range(TRIES)))
            game.play(move)
    return [{"question": name, "book": book, "ms": round(took * 1000, 3)} for name, took in worst.items()]


def _took(question: Question, game: Game, move: Move) -> float:
    """Return in how many seconds of the processor a question is answered on a board just set up."""
    fresh = Game(game.book, position=game.position, side=game.side)
    if question is not QUESTIONS[0][1]:
        fresh.legal_moves()  # asked already whenever anything else is
    began = time.process_time()
    question(fresh, move)
    return time.process_time() - began


def figures(seconds: float) -> dict[str, Any]:
    """Measure everything."""
    rows = []
    for book, place, position in PLACES:
        game = Game(BOOKS[book], position=position, side=Side.ATTACKERS if position else None)
        for measure, work in (("perft", made_moves(game)), ("search", searched(game))):
            rate = rate_of(work, FIRST_NODES, seconds)
            rows.append({"measure": measure, "book": book, "place": place, "rate": round(rate)})
    return {
        "form": form(),
        "loop": round(rate_of(loop, LOOP_ROUNDS, seconds)),
        "rows": rows,
        "questions": [row for book in QUESTIONED_BOOKS for row in slowest_answers(book)],
    }


if __name__ == "__main__":
    print(json.dumps(figures(float(sys.argv[1]))))
