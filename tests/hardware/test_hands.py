"""Two players at a simulated board whose lights a test chooses: turns, waiting, second thoughts, and obedience."""

import dataclasses
import random
from collections.abc import Callable, Mapping

import pytest

from hardware.news import Cell
from hardware.simulated.board import SimulatedBoard
from hardware.simulated.gestures import Announced, Asked, Intention, Sight
from hardware.simulated.habits import PROFILES, Habits
from hardware.simulated.hands import Players
from hardware.theme import Role
from tests.hardware.table import SIZE, cell, cells, pieces

START = pieces(t="a5 d8 h2 h5 i5", T="c5 e3 f6", K="e5")
GAME = ["d8-d5xc5", "e3-b3", "h2-h3", "b3-b9", "h3-f3", "f6-f4"]
"""Nobody's rules: hands believe what they are told."""


class Script:
    """A mind that plays a list of moves, and remembers the buttons."""

    def __init__(self, moves: list[str]) -> None:
        self.game = moves
        self.positions: list[Mapping[Cell, str]] = [START]
        self.pressed: list[str] = []
        self.rewound = 0
        self.slips: tuple[tuple[Cell, Cell], ...] = ()

    def choose(self) -> Intention | None:
        number = len(self.positions) - 1
        if number == len(self.game):
            return None
        pair, _, victims = self.game[number].partition("x")
        origin, destination = map(cell, pair.split("-"))
        before = self.positions[-1]
        after = {place: piece for place, piece in before.items() if place not in cells(victims)}
        after[destination] = after.pop(origin)
        self.positions.append(after)
        empty = [Cell(place) for place in range(SIZE**2) if place not in before and place not in after]
        step = (destination > origin) - (destination < origin)
        step *= SIZE if (destination - origin) % SIZE == 0 else 1
        path = tuple(Cell(place) for place in range(origin + step, destination, step))
        side = "attackers" if number % 2 == 0 else "defenders"
        return Intention(
            side, origin, destination, cells(victims), path, path, (), (), before, after, tuple(empty), self.slips
        )

    def rewind(self) -> None:
        self.positions.pop()
        self.rewound += 1

    def moves(self, origin: Cell, square: Cell) -> bool:
        return False

    def press(self, t: float, button: str) -> None:
        self.pressed.append(button)


class Evening:
    """Players, board and lights; `see` may be replaced."""

    def __init__(self, habits: Habits, other: Habits | None = None, seed: int = 1, moves: list[str] = GAME) -> None:
        self.mind = Script(moves)
        self.board = SimulatedBoard(SIZE, START, random.Random(seed))
        self.see: Callable[[], Sight] = lambda: Sight({}, heard=len(self.players.intentions))
        self.players = Players(
            self.mind,
            self.board,
            lambda: self.see(),
            {"attackers": habits, "defenders": other or habits},
            random.Random(seed),
            "attackers",
            START,
        )
        self.t = 0.0
        self.downs: list[tuple[float, str]] = []

    def run(self, until_s: float = 400.0, *, stay: bool = False) -> None:
        """Let time pass until the game is finished or it is late; `stay` does not go home before."""
        while self.players.deadline < until_s:
            self.t = self.players.deadline
            before = dict(self.board.pieces)
            self.players.act(self.t)
            self.downs += [(self.t, piece) for place, piece in self.board.pieces.items() if place not in before]
            if self.players.finished and self.players.resting and not stay:
                return


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_plays_the_game_that_is_meant(name: str, seed: int) -> None:
    evening = Evening(PROFILES[name], seed=seed)
    evening.run()
    assert evening.players.finished
    assert evening.board.pieces == evening.mind.positions[-1]
    assert len(evening.mind.positions) == len(GAME) + 1
    assert not evening.board.in_hand
    assert sorted(evening.board.boxed) == ["T"]


def test_the_same_dice_make_the_same_evening() -> None:
    evenings = [Evening(PROFILES["child"], seed=5) for _ in range(2)]
    for evening in evenings:
        evening.run()
    assert evenings[0].downs == evenings[1].downs
    assert evenings[0].players.used == evenings[1].players.used


def test_careful_players_take_half_a_second_to_five_between_moves() -> None:
    evening = Evening(PROFILES["careful"], moves=["h2-h3", "e3-b3", "h3-f3"])
    evening.run()
    gaps = [later - earlier for (earlier, _), (later, _) in zip(evening.downs, evening.downs[1:], strict=False)]
    assert all(0.8 <= gap <= 7.4 for gap in gaps)  # 0.5-5 and 0.3-2 in the air, and a look at the board


def test_hasty_players_reply_before_a_third_of_a_second_is_over() -> None:
    evening = Evening(PROFILES["hasty"], moves=["h2-h3", "e3-b3", "h3-f3", "f6-f4"])
    evening.run()
    moved = [t for t, piece in evening.downs]
    assert evening.t < 4 * (0.3 + 0.6) + 0.7
    assert len(moved) >= 4


def test_late_victims_stand_until_the_reply_is_down() -> None:
    hasty = dataclasses.replace(PROFILES["hasty"], late_victims_share=1.0, both_hands_share=0.0)
    evening = Evening(hasty, moves=GAME[:2])
    while cell("b3") not in evening.board.pieces:
        assert cell("c5") in evening.board.pieces
        evening.run(evening.players.deadline + 0.001)
    evening.run()
    assert cell("c5") not in evening.board.pieces
    assert evening.players.used["late-victims"] == 1


def test_nobody_moves_while_a_light_complains() -> None:
    evening = Evening(PROFILES["careful"], PROFILES["hasty"], moves=GAME[:2])
    evening.see = lambda: Sight({cell("a1"): Role.MISSING}, heard=len(evening.players.intentions))
    evening.run(30)
    assert not evening.players.intentions
    evening.see = lambda: Sight({}, heard=len(evening.players.intentions))
    evening.run()
    assert len(evening.players.intentions) == 2


def test_nobody_moves_in_the_dark() -> None:
    evening = Evening(PROFILES["hasty"])
    evening.see = lambda: Sight({}, dark=True)
    evening.run(10)
    assert not evening.players.intentions


def test_even_the_hasty_stop_when_nothing_is_announced() -> None:
    evening = Evening(PROFILES["hasty"], seed=3)
    evening.see = lambda: Sight({})
    evening.run(5)
    assert len(evening.players.intentions) == 4


def test_a_takeback_puts_all_back_and_thinks_again() -> None:
    fidgeter = dataclasses.replace(PROFILES["careful"], takeback_share=0.5)
    evening = Evening(fidgeter, seed=2)
    evening.run()
    assert evening.mind.rewound == evening.players.used["takeback"] > 0
    assert evening.board.pieces == evening.mind.positions[-1]
    assert len(evening.players.intentions) == len(GAME)


def test_a_slip_is_put_right_after_the_light() -> None:
    child = dataclasses.replace(PROFILES["careful"], illegal_share=1.0)
    evening = Evening(child, moves=GAME[:1])
    evening.mind.slips = ((cell("h5"), cell("g4")),)
    lit = False

    def see() -> Sight:
        wrong = lit and cell("g4") in evening.board.pieces
        return Sight(
            {cell("g4"): Role.ILLEGAL, cell("h5"): Role.ILLEGAL} if wrong else {}, heard=len(evening.players.intentions)
        )

    evening.see = see
    while cell("g4") not in evening.board.pieces:
        evening.run(evening.players.deadline + 0.001)
    evening.run(evening.t + 5)
    assert cell("g4") in evening.board.pieces  # no light, no mending
    lit, since = True, evening.t
    while cell("h5") not in evening.board.pieces:
        evening.run(evening.players.deadline + 0.001)
    assert evening.t - since < 3
    evening.run()
    assert evening.board.pieces == evening.mind.positions[-1]
    assert evening.players.helped == {1}
    assert evening.players.used["illegal-move"] == 1


def test_a_captured_piece_laid_elsewhere_goes_off_when_a_light_asks() -> None:
    child = dataclasses.replace(PROFILES["careful"], elsewhere_share=1.0)
    evening = Evening(child, moves=GAME[:1])

    def strays() -> set[Cell]:
        return evening.board.pieces.keys() - evening.mind.positions[-1].keys()

    evening.see = lambda: Sight(dict.fromkeys(strays(), Role.REMOVE), heard=len(evening.players.intentions))
    evening.run()
    assert evening.board.pieces == evening.mind.positions[-1]
    assert evening.board.boxed == ("T",)
    assert evening.players.used["put-elsewhere"] == 1
    assert evening.players.helped == {1}


def test_a_move_that_is_not_taken_in_is_touched_then_made_again() -> None:
    evening = Evening(PROFILES["careful"], moves=["h2-h3"])
    evening.see = lambda: Sight({})
    evening.run(60, stay=True)
    used = evening.players.used
    assert used["repair-nudge"] == 1
    assert used["tidy"] >= 1
    assert used["redo"] >= 1
    assert evening.players.helped == {1}
    evening.see = lambda: Sight({}, heard=1)
    evening.run()
    assert evening.board.pieces == evening.mind.positions[-1]


def test_the_lights_are_obeyed_and_the_move_made_again() -> None:
    evening = Evening(PROFILES["careful"], moves=["h2-h3"])
    heard = 0

    def see() -> Sight:
        wrong = not heard and cell("h3") in evening.board.pieces
        return Sight({cell("h3"): Role.EXTRA, cell("h2"): Role.MISSING} if wrong else {}, heard=heard)

    evening.see = see
    while evening.players.used["repair-move"] == 0:
        evening.run(evening.players.deadline + 0.001)
    heard = 1
    evening.run()
    assert evening.board.pieces == evening.mind.positions[-1]


def test_a_question_is_answered_by_what_stands_on_the_board() -> None:
    evening = Evening(PROFILES["careful"], moves=["h2-h3"])
    asked = Asked("move", cell("h2"), cell("h3"))
    evening.see = lambda: Sight({}, asked if cell("h3") in evening.board.pieces else None)
    evening.run(12)
    assert set(evening.mind.pressed) == {"confirm"}
    evening.mind.pressed.clear()
    evening.see = lambda: Sight({}, Asked("move", cell("h2"), cell("h4")))
    evening.run(evening.t + 3)
    evening.see = lambda: Sight({}, Asked("new-game"))
    evening.run(evening.t + 3)
    assert set(evening.mind.pressed) == {"cancel"}


def test_a_move_that_nobody_made_is_taken_back_by_hand() -> None:
    evening = Evening(PROFILES["careful"], moves=["h2-h3"])
    evening.run()
    lied = [True]

    def see() -> Sight:
        if lied[0] and cell("i5") not in evening.board.pieces:
            return Sight({}, heard=1, last=Announced(cell("i5"), cell("i7")))
        lied[0] = False
        return Sight({}, heard=0)

    evening.board.lift(evening.t, cell("i5"))
    evening.board.drop(evening.t, cell("i7"), "t")
    evening.see = see
    while lied[0]:
        evening.run(evening.players.deadline + 0.001)
    assert cell("i5") in evening.board.pieces
