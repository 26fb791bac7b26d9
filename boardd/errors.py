"""The errors of the daemon package: one base, so that the command line can tell them in one line.

Knows nothing of what raises them. A message says what was found, what was expected, and where.
"""


class BoarddError(Exception):
    """Base of everything that boardd raises on purpose; its text is one line fit for a user."""

    def __init__(self, *args: object) -> None:
        from hardware.errors import one_line  # not before there is something to tell: --version loads nothing

        super().__init__(*(one_line(arg) if isinstance(arg, str) else arg for arg in args))
