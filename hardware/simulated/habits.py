"""What simulated hands are like: one row a profile, every time and share a named number with its unit.

Owns the numbers only. Must not know how a move is made out of them (gestures.py, plans.py) nor who plays whom.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Span:
    """A time that is drawn anew each time, evenly between two ends.

    Attributes:
        low_s: The shortest, in seconds.
        high_s: The longest, in seconds.

    """

    low_s: float
    high_s: float

    def draw(self, dice: random.Random) -> float:
        """Return a time in seconds."""
        return dice.uniform(self.low_s, self.high_s)

    def draw_by_scale(self, dice: random.Random) -> float:
        """Return a time in seconds, short and long scales equally likely (a bump of 0.05 s as likely as one of 5)."""
        return float(self.low_s * (self.high_s / self.low_s) ** dice.random())


IN_AIR = Span(0.3, 2.0)
"""A piece carried by somebody who takes his time (the contract's `careful`)."""

BETWEEN_MOVES = Span(0.5, 5.0)
"""From the end of one player's move to the next lift (the contract's `careful`)."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How a player's hands behave; shares are of moves (0 to 1) unless said.

    Attributes:
        name: The profile, as the command line spells it.
        air: A moved piece, from its lift to its drop.
        victim: From the drop, or the last victim, to the next victim taken off.
        between: From the end of the other's move to the lift, when the other is waited for.
        instant: The reply follows the other's drop by `between`, accepted or not, victims standing or not.
        slide_share: The piece is slid over the squares of its path, not carried.
        square: Time a square in a slide.
        stop_share: Of slides, with one or two stops on legal squares.
        stop: How long such a stop lasts.
        overshoot_share: Of slides, past the destination and back.
        bump_share: One or two other pieces leave their squares and return.
        bump: How long a bumped piece is away.
        fidget_share: One to three other own pieces are lifted first and put back.
        tried_share: The piece is put down on another legal square first.
        tried: How long it stands there.
        takeback_share: The finished move is taken back by hand.
        victim_first_share: Of moves that capture: victims go before, between or together with the mover.
        wrong_victim_share: Of moves that capture: another enemy piece is lifted and put back.
        wrong_victim: How long that piece is away.
        both_hands_share: Two pieces are lifted at once: mover and victim, or mover and another own piece.
        late_victims_share: Of moves that capture: the victims stand until the reply is down.
        elsewhere_share: Of moves that capture: a victim is put down on another square until the light says no.
        illegal_share: A piece is first put where it may not go, and back after the light.
        out_of_turn_share: A piece of the side that is not to move is moved first, and back after the light.
        borrows: Each move is made after the habits of another row, drawn anew; the last three shares stay.

    """

    name: str
    air: Span = IN_AIR
    victim: Span = IN_AIR
    between: Span = BETWEEN_MOVES
    instant: bool = False
    slide_share: float = 0.0
    square: Span = Span(0.03, 0.25)
    stop_share: float = 0.0
    stop: Span = Span(0.1, 1.5)
    overshoot_share: float = 0.0
    bump_share: float = 0.0
    bump: Span = Span(0.05, 5.0)
    fidget_share: float = 0.0
    tried_share: float = 0.0
    tried: Span = Span(0.1, 2.0)
    takeback_share: float = 0.0
    victim_first_share: float = 0.0
    wrong_victim_share: float = 0.0
    wrong_victim: Span = Span(0.5, 3.0)
    both_hands_share: float = 0.0
    late_victims_share: float = 0.0
    elsewhere_share: float = 0.0
    illegal_share: float = 0.0
    out_of_turn_share: float = 0.0
    borrows: bool = False


_ROWS = (
    Habits("careful"),
    Habits("slider", slide_share=1.0, stop_share=0.6, overshoot_share=0.15),
    Habits("bumper", bump_share=0.3),
    Habits("fidgeter", fidget_share=0.5, tried_share=0.2, takeback_share=0.1),
    Habits("victim-first", victim_first_share=0.9, wrong_victim_share=0.25),
    Habits("hasty", air=Span(0.1, 0.6), victim=Span(0.05, 0.5), between=Span(0.05, 0.3), instant=True,
           both_hands_share=0.4, late_victims_share=0.6),
    Habits("child", borrows=True, elsewhere_share=0.3, illegal_share=0.15, out_of_turn_share=0.1),
)  # fmt: skip

PROFILES: Mapping[str, Habits] = MappingProxyType({row.name: row for row in _ROWS})
"""Every profile that is one kind of hand, by name."""

MIXED = "mixed"
"""The profile that is no row: each game draws one of the others for each side."""

PROFILE_NAMES: tuple[str, ...] = (*PROFILES, MIXED)
"""What the command line accepts."""

BORROWED: tuple[Habits, ...] = tuple(row for row in _ROWS if not row.borrows)
"""The rows that a player who `borrows` draws from."""


def draw_habits(profile: str, dice: random.Random) -> Habits:
    """Return the habits of one player for one game.

    Args:
        profile: A name of `PROFILE_NAMES`.
        dice: What `mixed` draws with.

    Raises:
        KeyError: An unknown profile, the message names the known ones.

    """
    if profile == MIXED:
        return dice.choice(_ROWS)
    try:
        return PROFILES[profile]
    except KeyError:
        raise KeyError(f"profile {profile!r}, expected one of {', '.join(PROFILE_NAMES)}") from None
