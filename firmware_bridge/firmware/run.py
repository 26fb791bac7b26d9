"""The loop that joins hardware, scanner and station. Pure: the hardware is handed in."""

from .scanner import Scanner
from .station import Station
from .wire import elapsed

TYPE_CHECKING = False  # MicroPython has no `typing`
if TYPE_CHECKING:
    from .shapes import Board

INPUT_BYTES = 256
"""Taken from the host after each scan; more waits in the chip's own buffers, which hold the host back."""


class Loop:
    """One board at work.

    Args:
        board: the hardware; see shapes.py.
        lines: rows, and columns.
        debounce_ms: how long a cell must read the same.
        supply_low_mv: below this the supply is too low.

    """

    def __init__(self, board: "Board", lines: int, debounce_ms: int, supply_low_mv: int) -> None:
        self.board = board
        self.scanner = Scanner(board, lines, debounce_ms)
        self.station = Station(board, self.scanner, supply_low_mv)
        self._input = bytearray(INPUT_BYTES)

    def once(self) -> None:
        """Scan, tell what changed, and hear what the host has to say."""
        board = self.board
        now = board.now_ms()
        began = board.now_us()
        self.scanner.scan(now)
        self.station.step(now, elapsed(board.now_us(), began))
        length = board.read_into(self._input)
        if length:
            self.station.receive(self._input, length, board.now_ms())
        board.feed()

    def forever(self) -> None:
        """Go on until the power goes."""
        while True:
            self.once()
