"""The game of Tablut and its kin: rules, positions, games, notation. Pure: no input or output, no logging."""

# ruff: noqa: E402  # which form of a module is imported has to be settled before the first of them is
from engine.forms import obey_environment

obey_environment()

from engine.books import BOOKS, Book
from engine.errors import (
    EngineError,
    GameStateError,
    LevelError,
    NotationError,
    PositionError,
    RulesError,
    SquareError,
    UnknownBookError,
)
from engine.game import Announcement, Game, IllegalMove, Move, Outcome, Ply, Reason, Refusal
from engine.naming import book_named, name_of
from engine.notation import MoveText, move_text, parse_move, parse_position, position_text
from engine.pieces import Piece, Side
from engine.records import Record, Turn, game_of, parse_moves, read_record, record_of, write_record
from engine.rulestring import parse_rules, write_rules
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
    "LevelError",
    "Move",
    "MoveText",
    "NotationError",
    "Outcome",
    "Piece",
    "Ply",
    "PositionError",
    "Rank",
    "Reason",
    "Record",
    "Refusal",
    "RulesError",
    "Side",
    "Square",
    "SquareError",
    "Turn",
    "UnknownBookError",
    "book_named",
    "file_of",
    "game_of",
    "move_text",
    "name_of",
    "parse_move",
    "parse_moves",
    "parse_position",
    "parse_rules",
    "parse_square",
    "position_text",
    "rank_of",
    "read_record",
    "record_of",
    "square_at",
    "square_name",
    "write_record",
    "write_rules",
]
