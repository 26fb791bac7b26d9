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


class EngineError(Exception):
    """Base of everything the engine raises on purpose."""


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
        super().__init__(f"line {line}, column {column}: found {found}, expected {expected}")
        self.found = found
        self.expected = expected
        self.line = line
        self.column = column

    def moved(self, line: int, column: int) -> "NotationError":
        """Return the same error for text that itself begins at `line` and `column` of a longer one."""
        shifted = self.column + column - 1 if self.line == 1 else self.column
        return NotationError(self.found, self.expected, self.line + line - 1, shifted)
