"""A game of a tournament played by post in 2015, in our own form: the longest real one that every layer must follow.

The attackers won: the defenders resigned after the last move. Every move and capture is right.
"""

RULES = (
    "dim:9 name:Tablut esc:e atkf:y ka:y ks:c nj:n cj:n cor: cens: cenh: "
    "start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/"
)
"""The rules as its record has them; `tablut-edge` says the same."""

_SCORE = """
    e2-g2 e3-h3          b5-b3 e4-f4        e1-e3 c5-c2        e8-b8 f4-f3        d1-d3 g5-g4
    i4-h4 g4-d4          i5-i3 c2-d2xd3     g2-g3xf3/h3 f5-f3  b3-d3 d4-e4        f1-d1xd2 e4-c4
    e3-e2 e5-f5          h5-g5 f5-f7        g5-g7 f3-f6        f9-f8 f6-h6        d3-f3 f7-f5
    i3-i5 d5-d3          a4-b4 c4-c3        d1-d2 f5-d5        h4-d4xd3 c3-d3xd4  b4-d4xd3 h6-h1
    a5-c5 d5-f5          g3-h3 h1-e1        d2-d3 e1-b1        a6-b6 b1-b3        i5-g5 e6-d6
    d4-d5 d6-g6          i6-h6 g6-f6        f3-f4 e7-a7        h6-g6
"""
MOVES = tuple(_SCORE.split())

END = "/9/4t4/1T1t3t1/5t3/2tt1Kt2/1t3Tt2/T5t2/1t3t3/3tt4/"
"""The position after the last move."""
