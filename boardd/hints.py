"""Which squares shine, and why: the picture of roles for a board as it stands.

Pure. Owns what each hint level shows in each state; asks the engine every question about the rules. Knows nothing of
colours, rhythm or current.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from boardd.events import Topic
from boardd.meanings import NOWHERE, Kind, Squares
from boardd.reconstruct import Reconstructor
from boardd.settings import HintLevel
from boardd.states import State
from engine import Announcement, Game, Move, Piece, Side, Square
from engine.questions import endangered, escape_squares, risky, threats
from hardware.theme import Role, most_urgent

Picture = Mapping[Square, Role]

_UNCLEAR = frozenset({Kind.UNKNOWN, Kind.WAITING})
"""Readings that show nothing of their own until they are said to be wrong: then they lead out one pair at a time."""
SHOWS_CAPTURES = frozenset({HintLevel.CAPTURES, HintLevel.COACH})


@dataclass(slots=True)
class _Canvas:
    roles: dict[Square, Role] = field(default_factory=dict)

    def put(self, role: Role, squares: Iterable[Square]) -> None:
        for square in squares:
            standing = self.roles.get(square)
            self.roles[square] = role if standing is None else most_urgent(standing, role)


def picture(board: Reconstructor, level: HintLevel, hint: Squares = NOWHERE) -> Picture:
    """Give the role of every square that shines.

    Args:
        board: as it stands.
        level: how much is shown unasked.
        hint: the ends of a good move that somebody asked for.

    """
    canvas = _Canvas()
    _show_question(board, canvas)
    canvas.put(Role.HINT, hint)
    if level is HintLevel.OFF:
        return canvas.roles
    canvas.put(Role.SENSOR, board.blind)
    _SHOW[board.state](board, level, canvas)
    return canvas.roles


def _show_question(board: Reconstructor, canvas: _Canvas) -> None:
    question = board.question
    if question is None:
        return
    if question.about is Topic.MOVE and question.move is not None:
        canvas.put(Role.QUESTION, (question.move.origin, question.move.destination))
    elif question.about is Topic.SENSOR:
        canvas.put(Role.QUESTION, question.squares)
    else:
        canvas.put(Role.QUESTION, (board.game.book.throne,))


def _show_asked(board: Reconstructor, level: HintLevel, canvas: _Canvas) -> None:
    """Leave the question alone to shine; but who only thinks with a piece in his hand must see where it may go."""
    question = board.question
    if question is not None and question.about is Topic.MOVE and board.reading.kind is Kind.HAND:
        _show_hand(board, level, canvas)


def _show_ready(board: Reconstructor, level: HintLevel, canvas: _Canvas) -> None:
    game = board.game
    _show_last(game, canvas)
    _show_chosen(board, canvas)
    _show_dangers(game, level, canvas)
    canvas.put(Role.TURN, turn_squares(game))
    if board.king_unsure and Role.HINT not in canvas.roles.values():  # beside a move's two ends nobody could tell him
        canvas.put(Role.HINT, (square for square, piece in game.pieces.items() if piece is Piece.KING))
    if level is HintLevel.COACH:
        canvas.put(Role.ENDANGERED, endangered(game, game.side))


def _show_hand(board: Reconstructor, level: HintLevel, canvas: _Canvas) -> None:
    """Show where lifted pieces may go, and those that have no business in the air."""
    canvas.put(Role.REMOVE, board.standing)
    _show_chosen(board, canvas)
    if board.wrong is not None:
        canvas.put(Role.ILLEGAL, board.wrong)
    game = board.game
    lifted = board.reading.missing if board.reading.kind not in _UNCLEAR else frozenset()
    moves = _moves_of_hand(board, lifted)
    if not moves and not lifted:
        _show_last(game, canvas)
        _show_dangers(game, level, canvas)
    for square in lifted:
        piece = game.pieces[square]
        if any(square == move.origin for move in moves):
            canvas.put(Role.ORIGIN, (square,))
        elif game.plies and square == game.plies[-1].move.destination:
            canvas.put(Role.ORIGIN, (square,))
            _show_targets(_amending(board), game, level, canvas, judge=False)
        elif any(square in move.captures for move in game.legal_moves()):
            canvas.put(Role.VICTIM, (square,))
        elif piece.side is game.side:
            can_move = any(square == move.origin for move in game.legal_moves())
            canvas.put(Role.ORIGIN if can_move else Role.ILLEGAL, (square,))
        else:
            canvas.put(Role.MISSING, (square,))
    canvas.put(Role.MISSING, board.nowhere)
    _show_targets(moves, game, level, canvas, judge=True)
    if level in SHOWS_CAPTURES and not moves:
        _show_dangers(game, level, canvas)


def _show_provisional(board: Reconstructor, level: HintLevel, canvas: _Canvas) -> None:
    canvas.put(Role.REMOVE, board.standing)
    move = board.reading.move
    if move is not None:
        canvas.put(Role.PROVISIONAL, (move.origin, move.destination))


def _show_remove(board: Reconstructor, level: HintLevel, canvas: _Canvas) -> None:
    canvas.put(Role.REMOVE, board.standing)
    _show_last(board.game, canvas)
    _show_chosen(board, canvas)


def _show_undoing(board: Reconstructor, level: HintLevel, canvas: _Canvas) -> None:
    canvas.put(Role.MISSING, board.reading.squares)
    if board.game.plies:
        canvas.put(Role.PROVISIONAL, (board.game.plies[-1].move.origin,))


def _show_wrong(board: Reconstructor, level: HintLevel, canvas: _Canvas) -> None:
    """Lead out of it: the pair that is illegal, or one missing and one extra square."""
    _show_chosen(board, canvas)
    if board.wrong is not None and board.reading.kind is Kind.MISPLACED:
        canvas.put(Role.ILLEGAL, board.wrong)
        return
    reading = board.reading
    if reading.kind is Kind.WAITING and reading.move is not None and board.state is State.WRONG:
        canvas.put(Role.PROVISIONAL, (reading.move.origin, reading.move.destination))
        canvas.put(Role.MISSING, reading.squares)
        return
    missing, extra = board.pieces.first_to_mend(reading.missing, reading.extra, board.game)
    canvas.put(Role.MISSING, missing)
    canvas.put(Role.EXTRA, extra)


def _show_over(board: Reconstructor, level: HintLevel, canvas: _Canvas) -> None:
    game = board.game
    outcome = game.result
    _show_last(game, canvas)
    if outcome is None:
        return
    if outcome.winner is None:
        canvas.put(Role.WINNER, (game.book.throne,))
    else:
        canvas.put(Role.WINNER, (square for square, piece in game.pieces.items() if piece.side is outcome.winner))


_SHOW: Mapping[State, Callable[[Reconstructor, HintLevel, _Canvas], None]] = {
    State.SETUP:       _show_wrong,
    State.READY:       _show_ready,
    State.HAND:        _show_hand,
    State.PROVISIONAL: _show_provisional,
    State.REMOVE:      _show_remove,
    State.HELD:        _show_provisional,
    State.UNDOING:     _show_undoing,
    State.WRONG:       _show_wrong,
    State.ASK:         _show_asked,
    State.OVER:        _show_over,
}


def _show_last(game: Game, canvas: _Canvas) -> None:
    if game.plies:
        move = game.plies[-1].move
        canvas.put(Role.LAST_FROM, (move.origin,))
        canvas.put(Role.LAST_TO, (move.destination,))


def _show_chosen(board: Reconstructor, canvas: _Canvas) -> None:
    chosen = board.chosen
    if chosen is not None:
        canvas.put(Role.ENGINE_FROM, (chosen.origin,))
        canvas.put(Role.ENGINE_TO, (chosen.destination,))


def _show_dangers(game: Game, level: HintLevel, canvas: _Canvas) -> None:
    """Show what was announced; from `captures` on also where danger to the king comes from."""
    announced = game.plies[-1].announcements if game.plies else ()
    if Announcement.RAICHI in announced or Announcement.TUICHI in announced:
        canvas.put(Role.ESCAPE, escape_squares(game))
    sources = threats(game) if level in SHOWS_CAPTURES else frozenset()
    if sources or Announcement.KING_IN_DANGER in announced:
        canvas.put(Role.KING_DANGER, (square for square, piece in game.pieces.items() if piece is Piece.KING))
        canvas.put(Role.THREAT, sources)


def _moves_of_hand(board: Reconstructor, lifted: Squares) -> tuple[Move, ...]:
    """Give the legal moves that the pieces in the hand may still become."""
    game, chosen = board.game, board.chosen
    if game.side is board.opponent:
        return (chosen,) if chosen is not None and chosen.origin in lifted else ()
    own = {square for square in lifted if game.pieces[square].side is game.side}
    if len(own) != 1:
        return ()
    return tuple(move for move in game.legal_moves() if move.origin in own and lifted - own <= frozenset(move.captures))


def _amending(board: Reconstructor) -> tuple[Move, ...]:
    """Give the other moves that the piece which moved last could have made."""
    before, last = board.course.before, board.game.plies[-1].move
    if before is None:
        return ()
    return tuple(move for move in before.from_.get(last.origin, ()) if move.destination != last.destination)


def _show_targets(moves: tuple[Move, ...], game: Game, level: HintLevel, canvas: _Canvas, *, judge: bool) -> None:
    """Show where a piece may go; `judge` says whether the moves are the game's own, so that risk can be asked."""
    for move in moves:
        role = Role.DESTINATION
        if level in SHOWS_CAPTURES and move.captures:
            role = Role.CAPTURE
            canvas.put(Role.VICTIM, move.captures)
        if level is HintLevel.COACH and judge and risky(game, move):
            role = Role.RISKY
        canvas.put(role, (move.destination,))


def turn_squares(game: Game) -> tuple[Square, ...]:
    """Give the squares that say whose turn it is: the throne for the defenders, the corners for the attackers."""
    return (game.book.throne,) if game.side is Side.DEFENDERS else tuple(sorted(game.book.corners))
