"""Games that people played: every move legal, captures and outcomes as recorded, exceptions listed and explained.

What no rule of a book can tell is left to the record: a player who gave up, ran out of time or agreed on a draw. So a
record may name a winner where the rules say that the game goes on, but not the other way round.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

from engine import BOOKS, Game, Outcome, Piece, Reason, Side, parse_move, square_name

GAMES = Path(__file__).with_name("games")
TIMEOUT = "timeout"

WINNERS = {"attackers": Side.ATTACKERS, "defenders": Side.DEFENDERS, "draw": None}

PLAYED_ON = {
    # (book, game): the ply after which the rules end it, and how; the players went on to the same winner
    ("brandubh", 61): (21, Outcome(Side.DEFENDERS, Reason.REPETITION)),
}
"""The attackers' g6-g4 makes for the third time the position that d1-d6 made; where it was played, nobody minded."""

COUNTED_TWICE = {
    "copenhagen": {26, 31, 54, 56, 60, 61, 65, 79, 89, 103, 117, 121, 125, 132, 140, 162, 172, 174, 176},
    "brandubh": set[int](),
}
"""Records that name a soldier on the edge twice for one move: sandwiched, and faced as if he were a row by himself."""

ENDINGS = {
    "brandubh": {
        Reason.KING_CAPTURED: 17,
        Reason.KING_ESCAPED: 9,
        Reason.REPETITION: 1,
        None: 78,
    },
    "copenhagen": {
        Reason.KING_CAPTURED: 3,
        Reason.KING_ESCAPED: 27,
        Reason.EXIT_FORT: 6,
        Reason.ENCIRCLED: 1,
        Reason.NO_LEGAL_MOVES: 1,
        None: 138,
    },
}
"""How many games end by the rules, and by which; the others ended otherwise."""


@dataclass(frozen=True, slots=True)
class Played:
    """One line of a file."""

    winner: str
    taken: tuple[int, int]
    """By the attackers, by the defenders."""
    moves: tuple[str, ...]
    timeout: bool


def played(book: str) -> dict[int, Played]:
    """Read a file; the games are numbered from 1."""
    games = {}
    lines = [line for line in (GAMES / f"{book}.txt").read_text("utf-8").splitlines() if not line.startswith("#")]
    for number, line in enumerate(lines, 1):
        winner, by_attackers, by_defenders, *words = line.split()
        timeout = words[-1] == TIMEOUT
        moves = tuple(words[:-1] if timeout else words)
        games[number] = Played(winner, (int(by_attackers), int(by_defenders)), moves, timeout)
    return games


def takings(text: str) -> list[str]:
    """Return the captures of a move as they were written, with those that stand there twice."""
    return [name for name in text.partition("x")[2].split("/") if name]


@pytest.mark.parametrize("book", ["brandubh", "copenhagen"])
def test_every_move_capture_and_outcome_is_as_recorded(book: str) -> None:
    endings: dict[Reason | None, int] = dict.fromkeys(ENDINGS[book], 0)
    for number, record in played(book).items():
        game = Game(BOOKS[book])
        written = [0, 0]
        for text in record.moves:
            where = f"{book}, game {number}, ply {len(game.plies) + 1}: {text}"
            if game.result is not None:
                assert (len(game.plies), game.result) == PLAYED_ON[book, number], where
                break
            origin, destination, _ = parse_move(text, game.size)
            side, before = game.side, game.pieces
            move = game.play((origin, destination)).move
            soldiers = {square_name(square, game.size) for square in move.captures if before[square] is not Piece.KING}
            assert soldiers == set(takings(text)), where
            written[side is Side.DEFENDERS] += len(takings(text))
        else:
            assert tuple(written) == record.taken, number
            assert (book, number) not in PLAYED_ON
        twice = any(len(takings(text)) != len(set(takings(text))) for text in record.moves)
        assert twice == (number in COUNTED_TWICE[book]), number
        if game.result is not None:
            assert game.result.winner is WINNERS[record.winner], number
            assert not record.timeout, number
        endings[game.result.reason if game.result else None] += 1
    assert endings == ENDINGS[book]


def test_all_games_are_here() -> None:
    assert {book: len(played(book)) for book in ENDINGS} == {"brandubh": 105, "copenhagen": 176}
    assert {game.winner for book in ENDINGS for game in played(book).values()} == {*WINNERS, "unfinished"}
