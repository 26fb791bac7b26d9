"""A table without a board, for tests of hands: pieces, a box, and a list of what was done."""

from collections.abc import Mapping

from hardware.news import Cell
from hardware.simulated.gestures import Intention

SIZE = 9


def cell(name: str) -> Cell:
    """Return the place of a square's name on a board of nine."""
    return Cell((int(name[1:]) - 1) * SIZE + "abcdefghi".index(name[0]))


def cells(names: str) -> tuple[Cell, ...]:
    return tuple(cell(name) for name in names.split())


def pieces(**squares: str) -> dict[Cell, str]:
    """Return pieces by place: `pieces(t="a1 b2", K="e5")`."""
    return {cell(name): piece for piece, names in squares.items() for name in names.split()}


class FakeTable:
    """What hands touch."""

    def __init__(self, standing: Mapping[Cell, str], boxed: str = "") -> None:
        self.pieces: dict[Cell, str] = dict(standing)
        self.boxed: list[str] = list(boxed)
        self.hand: list[str] = []
        self.done: list[tuple[float, str, Cell]] = []
        self.askew: dict[Cell, Cell] = {}

    def lift(self, t: float, cell: Cell) -> str:
        self.done.append((t, "lift", cell))
        self.hand.append(self.pieces.pop(cell))
        return self.hand[-1]

    def drop(self, t: float, cell: Cell, piece: str | None = None) -> None:
        assert cell not in self.pieces
        assert piece is not None
        self.hand.remove(piece)
        self.done.append((t, "drop", cell))
        self.pieces[cell] = piece

    def slide(self, t: float, origin: Cell, cell: Cell, overlap_s: float = 0.0) -> None:
        assert overlap_s >= 0
        self.drop(t, cell, self.lift(t, origin))

    def box(self, t: float, cell: Cell) -> None:
        self.done.append((t, "box", cell))
        self.boxed.append(self.pieces.pop(cell))

    def unbox(self, t: float, cell: Cell, piece: str) -> None:
        assert cell not in self.pieces
        self.boxed.remove(piece)
        self.done.append((t, "unbox", cell))
        self.pieces[cell] = piece

    def put_away(self, piece: str | None = None) -> str:
        assert piece is not None
        self.hand.remove(piece)
        self.boxed.append(piece)
        return piece


BEFORE = pieces(t="a5 d8 h2 h5 i5", T="c5 e3 f6", K="e5")
"""An attacker on d8 can go to d5 or d6, past d7; on d5 he takes c5 against a5."""


def a_move(**changes: object) -> Intention:
    """Return d8-d5xc5, seen by hands."""
    after = {place: piece for place, piece in BEFORE.items() if place != cell("c5")}
    after[cell("d5")] = after.pop(cell("d8"))
    fields: dict[str, object] = {
        "side": "attackers",
        "origin": cell("d8"),
        "destination": cell("d5"),
        "victims": cells("c5"),
        "path": cells("d7 d6"),
        "stops": cells("d7 d6"),
        "beyond": cells("d4 d3"),
        "tries": cells("d9 b8"),
        "before": BEFORE,
        "after": after,
        "free": cells("a1 b2 c9"),
        "illegal": ((cell("h2"), cell("g3")),),
        "out_of_turn": ((cell("f6"), cell("f7")),),
    }
    return Intention(**{**fields, **changes})  # type: ignore[arg-type]  # fields of one type each, given by name
