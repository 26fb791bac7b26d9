"""The errors of the engine: one base, one leaf for each way of being wrong.

    EngineError
    ├── UnknownBookError   a book's name that is none of ours
    ├── RulesError         rules that contradict themselves or that we do not play
    ├── PositionError      a position that cannot be played
    ├── SquareError        a square beside the board, or no square at all
    ├── NotationError      text that cannot be read; knows where
    ├── LevelError         a level of play that there is not
    └── GameStateError     something asked of a game that does not allow it now (`engine.game.IllegalMove` is one)

Every message is one line that says what was found and what was expected.
"""

TEXT_MAX = 1_000
"""Characters of a message: whatever a file holds, what is told of it fits on a screen."""

FOUND_MAX = 100
"""Of these, those that tell what stands in a text."""


def one_line(text: str, most: int = TEXT_MAX) -> str:
    """Show a text on one line: what a terminal would obey is spelled out, a long one loses its middle."""
    return _cut("".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in _cut(text, most)), most)


def _cut(text: str, most: int) -> str:
    half = most // 2
    return text if len(text) <= most else f"{text[:half]} … {text[-half:]}"


class EngineError(Exception):
    """Base of everything the engine raises on purpose."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(one_line(arg) if isinstance(arg, str) else arg for arg in args))


class UnknownBookError(EngineError, KeyError):
    """A book was asked for by a name that is none of ours."""

    def __str__(self) -> str:
        return str(self.args[0])


class RulesError(EngineError, ValueError):
    """A book whose fields contradict each other, or rules that we do not play."""


class PositionError(EngineError, ValueError):
    """A position that cannot be played under its book."""


class SquareError(EngineError, ValueError):
    """A square that the board does not have."""


class GameStateError(EngineError, RuntimeError):
    """The game does not allow this now."""


class LevelError(EngineError, ValueError):
    """There is no level of play of this number."""


class NotationError(EngineError, ValueError):
    """Text that cannot be read.

    Args:
        found: what stands there.
        expected: what could have stood there.
        line: counted from 1.
        column: counted from 1.

    """

    def __init__(self, found: str, expected: str, line: int = 1, column: int = 1) -> None:
        self.found = one_line(found, FOUND_MAX)
        super().__init__(f"line {line}, column {column}: found {self.found}, expected {expected}")
        self.expected = expected
        self.line = line
        self.column = column

    def moved(self, line: int, column: int) -> "NotationError":
        """Return the same error for text that itself begins at `line` and `column` of a longer one."""
        shifted = self.column + column - 1 if self.line == 1 else self.column
        return NotationError(self.found, self.expected, self.line + line - 1, shifted)
