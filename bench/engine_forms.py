"""Write down what the engine finds, so that two forms of it can be compared line by line (scripts/check-builds)."""

from bench import command
from engine import BOOKS, Game
from engine.perft import perft
from engine.search import Limits, Searcher

PERFT_DEPTH = 2
SEARCH_DEPTH = 4
LIMITED_NODES = 3000


def main() -> None:
    """Print perft, trees and best moves of every book."""
    command.Parser(__file__, __doc__).parse_args()
    for book in BOOKS.values():
        game = Game(book)
        for depth in range(1, PERFT_DEPTH + 1):
            print(f"{book.name} perft {depth}: {perft(game, depth)}")
        for limits in (*(Limits(depth=depth) for depth in range(1, SEARCH_DEPTH + 1)), Limits(nodes=LIMITED_NODES)):
            result = Searcher(book).best_move(game, limits)
            line = " ".join(move.text(book.size) for move in result.line)
            print(f"{book.name} {limits}: {result.nodes} nodes, depth {result.depth}, {result.value}, {line}")


if __name__ == "__main__":
    command.run(main)
