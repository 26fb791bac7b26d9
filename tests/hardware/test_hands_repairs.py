"""What the lights ask, hands do: one row a situation."""

import pytest

from hardware.news import Cell
from hardware.simulated.gestures import Asked, Sight
from hardware.simulated.repairs import Repair, Todo, answer, next_repair, tidy
from hardware.theme import Role
from tests.hardware.table import BEFORE, a_move, cell, pieces

MEMORY = [BEFORE, a_move().after]


def changed(gone: str = "", **put: str) -> dict[Cell, str]:
    """Return the position before the move, without some pieces and with others."""
    return {place: piece for place, piece in BEFORE.items() if place not in map(cell, gone.split())} | pieces(**put)


ROWS = [
    ("nothing lit", {}, BEFORE, "", None),
    ("an illegal piece goes back", {"h2": "illegal", "g3": "illegal"}, changed("h2", t="g3"), "", ("move", "g3", "h2")),
    ("a piece that the square never had does not", {"e3": "illegal", "g3": "illegal"}, changed("e3", t="g3"), "", None),
    ("an illegal piece that stands right is touched", {"h2": "illegal"}, BEFORE, "", ("nudge", "h2")),
    ("a missing piece comes from where there is one too many", {"h2": "missing", "g7": "extra"}, changed("h2", t="g7"),
     "", ("move", "g7", "h2")),
    ("or from where it strayed, no light there", {"h2": "missing"}, changed("h2", t="g7"), "", ("move", "g7", "h2")),
    ("or from the box", {"c5": "missing"}, changed("c5"), "T", ("put", "c5", "T")),
    ("the right kind of two", {"e3": "missing", "g7": "extra", "g8": "extra"}, changed("e3", t="g7", T="g8"), "",
     ("move", "g8", "e3")),
    ("where no memory helps, the pair of lights is believed", {"a9": "missing", "g7": "extra"}, changed("h2", t="g7"),
     "", ("move", "g7", "a9")),
    ("a missing piece that stands there is touched", {"h2": "missing"}, BEFORE, "", ("nudge", "h2")),
    ("one too many goes off", {"g7": "extra"}, changed(T="g7"), "", ("off", "g7")),
    ("a captured piece goes off", {"g7": "remove"}, changed(T="g7"), "", ("off", "g7")),
    ("a piece that belongs there does not", {"h2": "remove"}, BEFORE, "", None),
    ("an empty square that lights want emptied is tapped", {"g7": "remove"}, BEFORE, "tT", ("tap", "g7", "T")),
    ("with nothing in the box it is not", {"g7": "remove"}, BEFORE, "", None),
    ("a hint asks for nothing", {"h2": "hint", "g7": "last-to"}, BEFORE, "", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("lights", "standing", "boxed", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_the_next_thing_to_do(
    lights: dict[str, str], standing: dict[Cell, str], boxed: str, expected: tuple[str, ...] | None
) -> None:
    sight = Sight({cell(name): Role(word) for name, word in lights.items()})
    found = next_repair(sight, standing, MEMORY, list(boxed))
    if expected is None:
        assert found is None
        return
    repair, place, *more = expected
    wanted = Todo(Repair(repair), cell(place))
    if repair == "move":
        wanted = Todo(Repair(repair), cell(place), cell(more[0]))
    elif more:
        wanted = Todo(Repair(repair), cell(place), piece=more[0])
    assert found == wanted


QUESTIONS = [
    ("new-game", None, "cancel"),
    ("move", "d8 d5", "confirm"),
    ("move", "d8 d6", "cancel"),
    ("sensor", None, "confirm"),
    ("something new", None, "confirm"),
]


@pytest.mark.parametrize(("about", "move", "expected"), QUESTIONS)
def test_questions_are_answered_from_what_was_made(about: str, move: str | None, expected: str) -> None:
    pair = (None, None) if move is None else tuple(map(cell, move.split()))
    assert answer(Asked(about, pair[0], pair[1]), [a_move()]).value == expected


def test_nothing_made_nothing_confirmed() -> None:
    assert answer(Asked("move", cell("d8"), cell("d5")), []) is Repair.CANCEL


def test_a_scattered_board_is_tidied_piece_by_piece() -> None:
    standing = changed("h2 c5 e3", t="g7", K="")
    standing[cell("e3")] = "t"  # a piece of the wrong kind stands there
    boxed, steps = ["T", "T"], 0
    while (todo := tidy(standing, BEFORE, boxed)) is not None:
        steps += 1
        if todo.repair is Repair.MOVE:
            standing[todo.onto] = standing.pop(todo.cell)
        elif todo.repair is Repair.PUT:
            boxed.remove(todo.piece)
            standing[todo.cell] = todo.piece
        else:
            boxed.append(standing.pop(todo.cell))
    assert standing == BEFORE
    assert steps <= 5
