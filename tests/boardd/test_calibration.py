import asyncio
import random
from itertools import pairwise
from pathlib import Path

import pytest

from boardd.calibrate.calibrating import Calibrating, Progress, Stage, serpentine
from boardd.calibrate.calibration import (
    Calibration,
    CalibrationError,
    orientation,
    read_calibration,
    write_calibration,
)
from boardd.calibrate.calibration_face import CalibrationFace
from boardd.calibrate.calibration_run import CalibrationRun, read_progress
from boardd.geometry import GeometryError
from boardd.web.face_protocol import Face
from engine import Square, parse_square, square_name
from hardware.errors import LightsError
from hardware.lights import DarkLights
from hardware.news import Cell, Changed
from hardware.simulated.board import SimulatedBoard
from hardware.simulated.faults import Bounce, Faults
from hardware.simulated.wiring import Wiring, scrambled, straight
from hardware.strip import Corner, Layout

SIZE = 9
CELLS = SIZE * SIZE
STRAIGHT = [Square(cell) for cell in range(CELLS)]


class Maker:
    """A maker at a simulated board of any wiring, who does what is asked and sees what shines."""

    def __init__(
        self, path: Path, wiring: Wiring, *, dark: bool = False, anew: bool = False, faults: Faults | None = None
    ) -> None:
        self.wiring = wiring
        self.t = 0.0
        self.board = SimulatedBoard(
            SIZE,
            {},
            random.Random(5),
            boxed=["t", "t"],
            wiring=wiring,
            faults=faults or Faults(bounce=Bounce(3, 0.015)),
        )
        self.told: list[str] = []
        self.refused: list[str] = []
        lights = DarkLights("none are wired") if dark else self.board.lights
        self.run = CalibrationRun(self.board, lights, STRAIGHT, path, SIZE, self.t, anew=anew)
        self.wait(0.1)

    @property
    def stage(self) -> Stage:
        return self.run.machine.stage

    def wait(self, seconds: float) -> None:
        end = self.t + seconds
        while self.t < end:
            self.t += 0.02
            for remark in self.run.step(self.t):
                (self.refused if remark.refused else self.told).append(remark.text)

    def command(self, word: str) -> None:
        self.run.command(self.t, word)
        self.wait(0.05)

    def put(self, place: int) -> None:
        """Have exactly one piece, on this place."""
        for other in list(self.board.pieces):
            if other != place:
                self.board.box(self.t, other)
        if place not in self.board.pieces:
            self.board.unbox(self.t, Cell(place), "t")
        self.wait(0.3)

    def lift_all(self) -> None:
        for place in list(self.board.pieces):
            self.board.box(self.t, place)
        self.wait(0.3)

    def obey(self) -> None:
        """Do the next thing that is asked."""
        match self.stage:
            case Stage.EMPTY:
                self.lift_all()
                self.wait(1.2)
            case Stage.SENSORS:
                square = self.run.machine.square
                assert square is not None
                self.put(square)
            case Stage.LIGHTS:
                (shining,) = self.board.lights.lit()
                if shining in self.board.pieces:
                    self.lift_all()
                self.put(shining)

    def finish(self, steps: int = 200) -> None:
        for _ in range(steps):
            if self.stage is Stage.DONE:
                return
            self.obey()
        raise AssertionError(f"still {self.stage} after {steps} steps: {self.refused}")


def truth(wiring: Wiring) -> tuple[list[int], list[int]]:
    """The square of each sensor and each light, by cell."""
    return (
        sorted(range(CELLS), key=wiring.sensors.__getitem__),
        sorted(range(CELLS), key=wiring.lights.__getitem__),
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_board_wired_at_random_is_learned_whole(tmp_path: Path, seed: int) -> None:
    wiring = scrambled(CELLS, random.Random(seed))
    path = tmp_path / "calibration.json"
    maker = Maker(path, wiring)
    maker.finish()
    maker.run.close()
    learned = read_calibration(path, SIZE)
    assert (list(learned.sensors), list(learned.lights)) == truth(wiring)
    assert learned.inverted is wiring.inverted
    assert learned.dead == frozenset()
    assert maker.refused == []
    assert not maker.run.progress_path.exists()
    assert set(maker.board.lights.picture) == {(0, 0, 0)}


def test_both_polarities_occur_in_that_test() -> None:
    assert {scrambled(CELLS, random.Random(seed)).inverted for seed in range(4)} == {True, False}


def test_it_can_be_stopped_anywhere_and_goes_on_where_it_was(tmp_path: Path) -> None:
    wiring = scrambled(CELLS, random.Random(7))
    path, rng = tmp_path / "calibration.json", random.Random(9)
    runs = 0
    while not path.exists():
        maker = Maker(path, wiring)
        assert maker.run.resumed is (runs > 0)
        for _ in range(rng.randrange(5, 30)):
            maker.obey()
        maker.run.close()
        runs += 1
    assert runs > 5
    assert (list(read_calibration(path, SIZE).sensors), list(read_calibration(path, SIZE).lights)) == truth(wiring)


def test_a_run_that_was_killed_at_the_end_leaves_nothing_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "c.json"

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    maker = Maker(path, straight(CELLS), dark=True)
    with monkeypatch.context() as context:
        context.setattr("boardd.calibrate.calibration_run.write_calibration", killed)
        with pytest.raises(KeyboardInterrupt):
            maker.finish()
    assert not path.exists()
    again = Maker(path, straight(CELLS), dark=True)
    assert again.stage is Stage.DONE
    assert list(read_calibration(path, SIZE).sensors) == STRAIGHT
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("empty", "learned", "why"),
    [
        ("[]", '["sensors", "a1", 0], ["sensors", "b1", 0]', "sensors: number 0 was learned twice"),
        ("[]", '["sensors", "a1", 0], ["sensors", "a1", null]', "sensors: a1 was learned twice"),
        ("[]", '["lights", "a1", 0], ["lights", "a1", 1]', "lights: a1 was learned twice"),
        ("[]", '["sensors", null, 3]', "found sensors of nothing"),
        ("[]", '["done", "a1", 0]', "found done of nothing"),
        ("[]", '["sensors", "a1", true]', "expected a cell below 81, found True"),
        ("null", '["sensors", "a1", 0]', "something was learned before the empty board was seen"),
    ],
)
def test_a_progress_that_contradicts_itself_is_not_gone_on_with(
    tmp_path: Path, empty: str, learned: str, why: str
) -> None:
    path = tmp_path / "c.json.progress"
    path.write_text(
        f'{{"konakis_calibrating": 1, "size": 9, "empty": {empty}, "trusted": false, "learned": [{learned}]}}'
    )
    with pytest.raises(CalibrationError) as told:
        Maker(tmp_path / "c.json", straight(CELLS))
    assert str(told.value) == f"{path}: cannot be gone on with ({why}): begin with --anew"
    assert Maker(tmp_path / "c.json", straight(CELLS), anew=True).stage is Stage.EMPTY


def test_lights_that_were_learned_are_not_forgotten_for_being_dark_today(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    maker = Maker(path, straight(CELLS))
    while len(maker.run.machine.progress.learned) < CELLS + 3:
        maker.obey()
    before = maker.run.progress_path.read_bytes()
    with pytest.raises(CalibrationError, match=r"dark \(none are wired\): expected lights that shine, or --anew"):
        Maker(path, straight(CELLS), dark=True)
    assert maker.run.progress_path.read_bytes() == before
    Maker(path, straight(CELLS)).finish()


def test_a_board_that_is_unplugged_is_told_and_nothing_is_learned_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maker = Maker(tmp_path / "c.json", straight(CELLS))
    with monkeypatch.context() as context:
        context.setattr(SimulatedBoard, "connected", False)
        context.setattr(SimulatedBoard, "trouble", "it was unplugged")
        maker.wait(5.0)
        assert maker.stage is Stage.EMPTY
        (told,) = maker.refused
        assert told.startswith("the board cannot be read: it was unplugged; what was learned is kept")
        assert maker.run.to_json()["trouble"]["about"] == "unreachable"
    maker.wait(0.5)
    assert maker.told == ["The board can be read again."]
    assert maker.stage is Stage.EMPTY
    assert maker.run.to_json()["trouble"] is None
    maker.finish()


def test_lights_that_fail_meanwhile_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maker = Maker(tmp_path / "c.json", straight(CELLS))

    def broken(colours: object) -> None:
        raise LightsError("the wire broke")

    monkeypatch.setattr(maker.board.lights, "show", broken)
    maker.obey()
    assert [told for told in maker.told if told.startswith("The lights failed: the wire broke; q stops")]


def test_a_fresh_start_forgets(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    maker = Maker(path, straight(CELLS))
    for _ in range(10):
        maker.obey()
    assert Maker(path, straight(CELLS)).run.resumed
    assert not Maker(path, straight(CELLS), anew=True).run.resumed


def test_a_square_named_wrong_is_refused_by_name(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "c.json", straight(CELLS))
    for _ in range(5):
        maker.obey()
    assert maker.run.machine.square == parse_square("e1", SIZE)
    maker.put(1)
    assert maker.refused == [
        "sensor 1 was learned as b1's: expected the piece on e1; "
        "if it stands on e1, go back until b1 is asked for again"
    ]
    assert maker.run.machine.square == parse_square("e1", SIZE)
    maker.finish()
    assert len(maker.refused) == 1


def test_two_pieces_at_once_are_refused(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "c.json", straight(CELLS))
    maker.obey()
    maker.board.unbox(maker.t, Cell(0), "t")
    maker.board.unbox(maker.t, Cell(40), "t")
    maker.wait(0.5)
    assert maker.refused == []
    maker.wait(1.0)
    assert len(maker.refused) == 1
    assert maker.refused[0].startswith("sensors 0, 40 read a piece at once: leave one piece on the board")
    maker.board.box(maker.t, Cell(40))
    maker.wait(0.5)
    assert maker.run.machine.square == parse_square("b1", SIZE)


def test_a_light_under_a_square_that_has_one_is_refused(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "c.json", straight(CELLS))
    while maker.stage is not Stage.LIGHTS:
        maker.obey()
    for _ in range(3):
        maker.obey()
    maker.put(0)
    (line,) = maker.refused
    assert line.startswith("a1 has light 0 already, and light 3 cannot be there too")


def test_back_forgets_one_thing_at_a_time(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "c.json", straight(CELLS))
    for _ in range(4):
        maker.obey()
    assert maker.run.machine.done == (3, 2 * CELLS)
    maker.command("back")
    assert maker.run.machine.square == parse_square("c1", SIZE)
    assert read_progress(maker.run.progress_path, SIZE) == maker.run.machine.progress
    for _ in range(3):
        maker.command("back")
    assert maker.stage is Stage.EMPTY
    maker.finish()


def test_a_dead_sensor_and_a_dark_light_are_skipped_and_named(tmp_path: Path) -> None:
    wiring = scrambled(CELLS, random.Random(3))
    dead = parse_square("c4", SIZE)
    path = tmp_path / "c.json"
    maker = Maker(path, wiring, faults=Faults(dead=frozenset({Cell(dead)})))
    while maker.stage is not Stage.DONE:
        if maker.run.machine.square == dead and maker.stage is Stage.SENSORS:
            maker.put(dead)
            maker.wait(1.0)
            assert maker.run.machine.square == dead
            maker.command("skip")
        elif maker.stage is Stage.LIGHTS and Cell(dead) in maker.board.lights.lit():
            maker.command("skip")
        else:
            maker.obey()
    learned = read_calibration(path, SIZE)
    assert learned.dead == {dead}
    assert (list(learned.sensors), list(learned.lights)) == truth(wiring)


def test_what_stands_on_the_board_at_the_start_is_named(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "c.json", straight(CELLS))
    maker.board.unbox(maker.t, Cell(12), "t")
    maker.wait(1.5)
    (line,) = maker.refused
    assert line.startswith("sensor 12 reads not as the rest of an empty board")
    maker.command("again")
    maker.wait(1.2)
    assert len(maker.refused) == 2
    maker.finish()
    assert read_calibration(maker.run.path, SIZE).sensors == tuple(STRAIGHT)


def test_a_sensor_that_always_reads_can_be_gone_on_without(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "c.json", straight(CELLS))
    maker.board.unbox(maker.t, Cell(12), "t")
    maker.wait(1.5)
    maker.command("skip")
    assert maker.stage is Stage.SENSORS
    assert not maker.run.machine.inverted


def test_lights_that_shone_where_they_should_need_no_second_round(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "c.json", straight(CELLS))
    while maker.run.machine.square is not None:
        if maker.stage is Stage.SENSORS:
            assert [Square(cell) for cell in maker.board.lights.lit()] == [maker.run.machine.square]
        maker.obey()
    maker.command("trust")
    assert maker.run.to_json()["stage"] == "done"
    assert read_calibration(maker.run.path, SIZE).lights == tuple(STRAIGHT)


def test_a_dark_board_learns_its_sensors_alone(tmp_path: Path) -> None:
    wiring = scrambled(CELLS, random.Random(2))
    maker = Maker(tmp_path / "c.json", wiring, dark=True)
    assert maker.run.machine.done == (0, CELLS)
    maker.finish()
    assert list(read_calibration(maker.run.path, SIZE).sensors) == truth(wiring)[0]
    assert maker.run.to_json()["dark"] == "none are wired"


def test_a_page_is_told_how_things_stand(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "c.json", straight(CELLS))
    for _ in range(3):
        maker.obey()
    told = maker.run.to_json()
    assert told["square"] == "c1"
    assert told["known"] == ["a1", "b1"]
    assert (told["done"], told["steps"], told["stage"]) == (2, 162, "sensors")
    assert told["shining"] == 2
    assert "c1" in told["request"]


def test_a_slow_push_across_a_border_is_one_piece() -> None:
    progress = Progress(SIZE, empty=frozenset())
    machine = Calibrating(progress, STRAIGHT, lit=False, frame=frozenset(), now=0.0)
    machine.sensed(Changed(1.0, (Cell(0),), occupied=True))
    machine.advance(1.5)
    machine.sensed(Changed(2.0, (Cell(1),), occupied=True))
    machine.advance(2.6)
    machine.sensed(Changed(2.7, (Cell(0),), occupied=False))
    machine.advance(3.0)
    assert machine.remarks == []
    assert machine.square == Square(2)


def test_the_squares_come_so_that_a_piece_can_be_pushed() -> None:
    order = serpentine(SIZE)
    assert sorted(order) == STRAIGHT
    for here, there in pairwise(order):
        assert abs(here // 9 - there // 9) + abs(here % 9 - there % 9) == 1


# The file.


def test_a_calibration_is_read_as_it_was_written(tmp_path: Path) -> None:
    rng = random.Random(4)
    calibration = Calibration(
        SIZE,
        tuple(rng.sample(STRAIGHT, CELLS)),
        tuple(rng.sample(STRAIGHT, CELLS)),
        inverted=True,
        dead=frozenset({Square(3)}),
    )
    path = tmp_path / "c.json"
    write_calibration(path, calibration)
    assert read_calibration(path, SIZE) == calibration
    assert list(tmp_path.iterdir()) == [path]


def test_a_disk_that_refuses_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "c.json"
    old = Calibration(SIZE, tuple(STRAIGHT), tuple(STRAIGHT))
    write_calibration(path, old)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CalibrationError, match=r"c\.json: cannot be written: No space left"):
        write_calibration(path, Calibration(SIZE, tuple(reversed(STRAIGHT)), tuple(STRAIGHT)))
    assert read_calibration(path, SIZE) == old


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected JSON"),
        ('{"konakis_calibration": 1, "si', "expected JSON: Unterminated string"),
        ("{}", 'expected a file that says "konakis_calibration": 1: calibrate this board anew'),
        ('{"konakis_calibration": 1, "size": "9"}', "size: found '9', expected 9: calibrate this board anew"),
        ('{"konakis_calibration": 1, "size": 9, "sensors": "a1"}', "sensors: found 'a1', expected a list of squares"),
        (
            '{"konakis_calibration": 1, "size": 9, "sensors": [1]}',
            "sensors: found 1, expected a square of a board of 9x9",
        ),
        (
            '{"konakis_calibration": 1, "size": 9, "sensors": [], "lights": [], "inverted": "yes", "dead": []}',
            "inverted: found 'yes', expected true or false",
        ),
        ('{"konakis_calibration": 1, "size": 7}', "size: found 7, expected 9: calibrate this board anew"),
        ('{"konakis_calibration": 1, "size": 9}', "expected the key 'sensors', found none"),
        ('{"konakis_calibration": 1, "size": 9, "sensors": ["z9"]}', "z9"),
        (
            '{"konakis_calibration": 1, "size": 9, "sensors": ["a1"], "lights": [], "inverted": false, "dead": []}',
            "sensors: expected each of 81 squares once",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_told_in_one_line(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text)
    with pytest.raises(CalibrationError) as told:
        read_calibration(path, SIZE)
    assert problem in str(told.value)
    assert "\n" not in str(told.value)


def test_a_wiring_that_is_none_is_refused() -> None:
    with pytest.raises(GeometryError):
        Calibration(SIZE, tuple(STRAIGHT[:-1]), tuple(STRAIGHT))


def test_a_calibrated_board_may_still_be_turned() -> None:
    calibration = Calibration(SIZE, tuple(reversed(STRAIGHT)), tuple(STRAIGHT))
    geometry = calibration.geometry(90)
    assert square_name(geometry.square_of(Cell(80)), SIZE) == "a9"
    assert square_name(geometry.square_of(Cell(0)), SIZE) == "i1"
    assert geometry.light_of(parse_square("a9", SIZE)) == 0


def test_orientation_is_told_in_words() -> None:
    def squares(layout: Layout) -> list[Square]:
        return [Square(cell) for cell in layout.cells(SIZE)]

    assert orientation(STRAIGHT, SIZE) == "from the bottom left along the ranks, each the same way"
    assert orientation(squares(Layout(Corner.TOP_RIGHT)), SIZE) == "from the top right along the ranks, in a serpentine"
    assert orientation(random.Random(1).sample(STRAIGHT, CELLS), SIZE) == "in no regular order"


# What a page sees.


def test_a_page_calibrates_with_the_same_words(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "c.json", straight(CELLS))
    face: Face = CalibrationFace(maker.run, lambda: maker.t)
    assert face.state()["stage"] == "empty"
    maker.obey()
    assert face.handle({"type": "calibrate", "command": "skip"}) is None
    assert face.state()["square"] == "b1"
    assert face.handle({"type": "calibrate", "command": "back"}) is None
    assert face.state()["square"] == "a1"
    for wrong in ({"type": "calibrate", "command": "jump"}, {"type": "lift", "square": "a1"}, {"type": "calibrate"}):
        assert "expected a message of type calibrate" in str(face.handle(wrong))


def test_a_page_is_told_of_each_change_and_of_what_is_refused(tmp_path: Path) -> None:
    async def watch() -> None:
        maker = Maker(tmp_path / "c.json", straight(CELLS))
        face = CalibrationFace(maker.run, lambda: maker.t)
        changes = face.subscribe()
        changed = asyncio.ensure_future(anext(changes))
        await asyncio.sleep(0)
        maker.board.unbox(maker.t, Cell(12), "t")
        while maker.t < 2.0:
            maker.t += 0.02
            face.step()
        await asyncio.wait_for(changed, 1.0)
        remarks = face.state()["remarks"]
        assert isinstance(remarks, list)
        assert [remark["refused"] for remark in remarks] == [True]
        assert not face.done
        await changes.aclose()  # type: ignore[attr-defined]  # it is a generator

    asyncio.run(watch())
