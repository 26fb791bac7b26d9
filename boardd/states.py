"""The state machine of the board, as tables: phase and reading to state and step, and how long a reading must hold.

Owns nothing that runs: `boardd.reconstruct` obeys the tables, and the picture in docs/tracking.md is drawn from them.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

from boardd.meanings import Kind


class Phase(enum.Enum):
    """What kind of moment it is; chooses the row of TABLE."""

    SETUP = "setup"
    """The board has not agreed with the game since the start, a command or a new game: nothing is accepted."""
    RESUME = "resume"
    """The same after a restart, or when more than one piece was astray: a move made meanwhile is offered."""
    PLAY = "play"
    WRONG = "wrong"
    """A mismatch was said and stands."""
    OVER = "over"


class State(enum.Enum):
    """What the board is doing, for lights and people."""

    SETUP = "setup"
    READY = "ready"
    HAND = "hand"
    PROVISIONAL = "provisional"
    REMOVE = "remove"
    HELD = "held"
    UNDOING = "undoing"
    WRONG = "wrong"
    ASK = "ask"
    OVER = "over"


class Step(enum.Enum):
    """What follows when a reading has held."""

    AGREE = "agree"
    COUNT_VICTIMS = "count victims"
    ACCEPT = "accept"
    ACCEPT_FIRST = "accept first"
    TAKE_BACK = "take back"
    OFFER_NEW_GAME = "offer new game"
    CALL_DISPLACED = "call displaced"
    ASK_MOVE = "ask move"
    ASK_RESUMED = "ask resumed"
    SAY_ILLEGAL = "say illegal"
    SAY_MISMATCH = "say mismatch"
    SAY_AT_ONCE = "say at once"


Row = Mapping[Kind, tuple[State, Step | None]]

_PLAY: Row = {
    Kind.AGREES:    (State.READY,       Step.AGREE),
    Kind.STANDING:  (State.REMOVE,      Step.AGREE),
    Kind.REMOVING:  (State.REMOVE,      Step.COUNT_VICTIMS),
    Kind.TAKEBACK:  (State.PROVISIONAL, Step.TAKE_BACK),
    Kind.MOVE:      (State.PROVISIONAL, Step.ACCEPT),
    Kind.HELD:      (State.HELD,        None),
    Kind.AMENDMENT: (State.PROVISIONAL, Step.ACCEPT),
    Kind.START:     (State.HAND,        Step.OFFER_NEW_GAME),
    Kind.UNDOING:   (State.UNDOING,     None),
    Kind.DISPLACED: (State.HAND,        Step.CALL_DISPLACED),
    Kind.STRAY:     (State.PROVISIONAL, Step.ACCEPT),
    Kind.LINE:      (State.PROVISIONAL, Step.ACCEPT_FIRST),
    Kind.HAND:      (State.HAND,        None),
    Kind.UNSURE:    (State.HAND,        Step.ASK_MOVE),
    Kind.REPLYING:  (State.PROVISIONAL, Step.ACCEPT),
    Kind.RETAKING:  (State.PROVISIONAL, Step.TAKE_BACK),
    Kind.WAITING:   (State.HAND,        Step.SAY_MISMATCH),
    Kind.MISPLACED: (State.HAND,        Step.SAY_ILLEGAL),
    Kind.UNKNOWN:   (State.HAND,        Step.SAY_MISMATCH),
}

_WRONG: Row = {
    **_PLAY,
    Kind.START:     (State.WRONG,       Step.OFFER_NEW_GAME),
    Kind.HAND:      (State.WRONG,       None),
    Kind.UNSURE:    (State.WRONG,       Step.ASK_MOVE),
    Kind.WAITING:   (State.WRONG,       None),
    Kind.MISPLACED: (State.WRONG,       Step.SAY_ILLEGAL),
    Kind.UNKNOWN:   (State.WRONG,       None),
}

_SETUP: Row = {
    **dict.fromkeys(Kind, (State.SETUP, Step.SAY_AT_ONCE)),
    Kind.AGREES:    (State.READY,       Step.AGREE),
    Kind.STANDING:  (State.REMOVE,      Step.COUNT_VICTIMS),
    Kind.REMOVING:  (State.REMOVE,      Step.COUNT_VICTIMS),
    Kind.START:     (State.SETUP,       Step.OFFER_NEW_GAME),
}

_RESUME: Row = {
    **_SETUP,
    Kind.MOVE:      (State.PROVISIONAL, Step.ASK_RESUMED),
    Kind.AMENDMENT: (State.PROVISIONAL, Step.ASK_RESUMED),
    Kind.UNSURE:    (State.PROVISIONAL, Step.ASK_MOVE),
}

_OVER: Row = {
    **dict.fromkeys(Kind, (State.OVER, None)),
    Kind.TAKEBACK:  (State.PROVISIONAL, Step.TAKE_BACK),
    Kind.AMENDMENT: (State.PROVISIONAL, Step.ACCEPT),
    Kind.START:     (State.OVER,        Step.OFFER_NEW_GAME),
}

TABLE: Mapping[Phase, Row] = {
    Phase.SETUP: _SETUP,
    Phase.RESUME: _RESUME,
    Phase.PLAY: _PLAY,
    Phase.WRONG: _WRONG,
    Phase.OVER: _OVER,
}
"""Phase and reading to state and step."""

HOLDS: Mapping[Step, str | None] = {
    Step.AGREE:          None,
    Step.COUNT_VICTIMS:  "victim_removed_ms",
    Step.ACCEPT:         "settle_ms",
    Step.ACCEPT_FIRST:   "two_moves_ms",
    Step.TAKE_BACK:      "takeback_ms",
    Step.OFFER_NEW_GAME: "new_game_ms",
    Step.CALL_DISPLACED: "victim_back_ms",
    Step.ASK_MOVE:       "masked_ms",
    Step.ASK_RESUMED:    "settle_ms",
    Step.SAY_ILLEGAL:    "illegal_ms",
    Step.SAY_MISMATCH:   "mismatch_ms",
    Step.SAY_AT_ONCE:    None,
}
"""The setting that says how long a reading must have held; None is at once.

`settle_ms` stands for three: `boardd.holding` lengthens it for a move that may go on or that ends the game.
Victims put back hold `victim_back_ms`.
"""
