"""The game of Tablut and its kin: rules, positions, games, notation. Pure: no input or output, no logging."""

from engine.books import BOOKS, Book, book_named
from engine.errors import EngineError, GameStateError, NotationError, PositionError, RulesError, UnknownBookError
from engine.game import Announcement, Game, IllegalMove, Move, Outcome, Ply, Reason, Refusal
from engine.notation import MoveText, move_text, parse_move, parse_position, position_text
from engine.pieces import Piece, Side
from engine.squares import File, Rank, Square, file_of, parse_square, rank_of, square_at, square_name

__all__ = [
    "BOOKS",
    "Announcement",
    "Book",
    "EngineError",
    "File",
    "Game",
    "GameStateError",
    "IllegalMove",
    "Move",
    "MoveText",
    "NotationError",
    "Outcome",
    "Piece",
    "Ply",
    "PositionError",
    "Rank",
    "Reason",
    "Refusal",
    "RulesError",
    "Side",
    "Square",
    "UnknownBookError",
    "book_named",
    "file_of",
    "move_text",
    "parse_move",
    "parse_position",
    "parse_square",
    "position_text",
    "rank_of",
    "square_at",
    "square_name",
]
