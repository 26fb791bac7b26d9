"""The fingers at one board: gestures made on the pieces, and what the hands hold meanwhile.

Owns the grips and the victims that are known to stand where they should not. A gesture that cannot be made is left out:
a hand does not lift what is not there, nor put down what it does not hold.
"""

from hardware.news import Cell
from hardware.simulated.gestures import Act, Gesture, Table


class Fingers:
    """All fingers at a table.

    Attributes:
        late: Captured pieces that still stand, by square, and that a player means to take off in his own time.
        touched_s: When a piece was touched last.
        vacated_s: When a captured piece was last taken off a square, by square.

    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.late: dict[Cell, str] = {}
        self.touched_s = 0.0
        self.vacated_s: dict[Cell, float] = {}
        self._grips: dict[tuple[str, int], tuple[str, Cell]] = {}  # the piece, and where it was lifted

    @property
    def empty(self) -> bool:
        """No hand holds a piece."""
        return not self._grips

    def make(self, t: float, owner: str, gesture: Gesture) -> None:
        """Make a gesture at time `t`; its own time is not looked at.

        Args:
            t: When, in seconds.
            owner: Whose grips are meant.
            gesture: What to do. Only pieces of `late` go into the box.

        """
        self.touched_s = t
        cell, pieces = gesture.cell, self.table.pieces
        if gesture.act is Act.LIFT:
            self._lift(t, (owner, gesture.grip), cell)
        elif gesture.act is Act.DROP:
            self._drop(t, (owner, gesture.grip), cell)
        elif gesture.act is Act.SLIDE and gesture.onto is not None:
            grip = (owner, gesture.grip)
            if grip not in self._grips and cell in pieces and gesture.onto not in pieces:
                self.table.slide(t, cell, gesture.onto, gesture.overlap_s)
            else:  # over a square that is taken the piece is lifted
                self._lift(t, grip, cell)
                self._drop(t, grip, gesture.onto)
        elif gesture.act is Act.BOX:
            if cell in self.late:
                self.take_off(t, cell)
        elif gesture.act is Act.UNBOX and cell not in pieces:
            self.table.unbox(t, cell, gesture.piece)

    def take_off(self, t: float, cell: Cell) -> None:
        """Take a piece off into the box, whatever is meant."""
        self.touched_s = t
        self.late.pop(cell, None)
        if cell in self.table.pieces:
            self.table.box(t, cell)
            self.vacated_s[cell] = t

    def put_back(self, t: float, owner: str) -> bool:
        """Put what an owner still holds back where it was lifted; say whether nothing is held any more."""
        held = [grip for grip in self._grips if grip[0] == owner]
        for grip in held:
            self._drop(t, grip, self._grips[grip][1])
        return not any(grip in self._grips for grip in held)

    def lay_down(self, t: float, owner: str) -> None:
        """Lay what an owner still holds beside the board."""
        for grip in [grip for grip in self._grips if grip[0] == owner]:
            self.touched_s = t
            self.table.put_away(self._grips.pop(grip)[0])

    def _lift(self, t: float, grip: tuple[str, int], cell: Cell) -> None:
        if grip not in self._grips and cell in self.table.pieces:
            self._grips[grip] = (self.table.lift(t, cell), cell)

    def _drop(self, t: float, grip: tuple[str, int], cell: Cell) -> None:
        if grip in self._grips and cell not in self.table.pieces:
            self.table.drop(t, cell, self._grips.pop(grip)[0])
