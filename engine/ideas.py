"""The ideas of the search, each a bit, so that bench/matches.py can play with one against without it."""

from typing import Final

KILLERS: Final = 1
OPEN_LINE: Final = 4
"""The king has an open line, or can be taken: that is the end, and need not be searched."""
FORCED: Final = 8
"""When the king threatens to escape on one line, only moves into that line are looked at, at a leaf too."""
REDUCTIONS: Final = 16
REMEMBER: Final = 64
"""Keep a table of positions searched."""
CAPTURES: Final = 128
"""Captures are looked at before other moves."""
QUIET: Final = 256
"""At the end of a line captures are followed on."""
CHOSEN: Final = KILLERS | OPEN_LINE | FORCED | REDUCTIONS | REMEMBER | CAPTURES | QUIET
"""The ideas that have proved themselves (docs/engine.md)."""
