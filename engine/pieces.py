"""The two sides and the three kinds of piece. Knows nothing of squares or rules."""

import enum


class Side(enum.Enum):
    """A player; the values are the words that scripts see."""

    ATTACKERS = "attackers"
    DEFENDERS = "defenders"

    @property
    def other(self) -> "Side":
        """The opponent."""
        return Side.DEFENDERS if self is Side.ATTACKERS else Side.ATTACKERS


class Piece(enum.Enum):
    """A kind of piece; the values are the letters of positions."""

    ATTACKER = "t"
    DEFENDER = "T"
    KING = "K"

    @property
    def side(self) -> Side:
        """The side it belongs to; the king is a defender."""
        return Side.ATTACKERS if self is Piece.ATTACKER else Side.DEFENDERS
