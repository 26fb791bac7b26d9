"""What a light may mean, and how each meaning looks: roles, and themes that give them colour, rhythm and brightness.

Owns the roles, their order of urgency and the reading of theme files. Knows nothing of why a cell has a role.
"""

from __future__ import annotations

import enum


class Role(enum.Enum):
    """What a light means, the most urgent first; the contract's words.

    A cell shows one role. What asks a hand to act comes first, else a game would wait for what nobody sees; then what
    a piece in the hand needs; then dangers; then what only reminds. `risky` beats `capture`, and that `destination`,
    because each of them is a destination that says more.
    """

    ILLEGAL = "illegal"
    REMOVE = "remove"
    EXTRA = "extra"
    MISSING = "missing"
    QUESTION = "question"
    ENGINE_FROM = "engine-from"
    ENGINE_TO = "engine-to"
    ORIGIN = "origin"
    HINT = "hint"
    RISKY = "risky"
    CAPTURE = "capture"
    DESTINATION = "destination"
    VICTIM = "victim"
    PROVISIONAL = "provisional"
    SENSOR = "sensor"
    WINNER = "winner"
    KING_DANGER = "king-danger"
    THREAT = "threat"
    ESCAPE = "escape"
    ENDANGERED = "endangered"
    LAST_TO = "last-to"
    LAST_FROM = "last-from"
    TURN = "turn"

    @property
    def urgency(self) -> int:
        """0 for the most urgent role, then counting up."""
        return _URGENCY[self]


_URGENCY = {role: rank for rank, role in enumerate(Role)}


def most_urgent(first: Role, second: Role) -> Role:
    """Return the role that a cell shows when it has two."""
    return first if _URGENCY[first] <= _URGENCY[second] else second
