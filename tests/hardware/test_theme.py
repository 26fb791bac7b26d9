"""Roles, rhythms, themes and the pictures made of them; and the document that shows them."""

import re
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.errors import ThemeError
from hardware.lights import BLACK
from hardware.news import Cell
from hardware.theme import (
    FLASH_STEP,
    FLASHES_PER_S,
    SHOWN_TOGETHER,
    Look,
    Rhythm,
    Role,
    Step,
    Theme,
    colours,
    most_urgent,
)
from hardware.theme_file import load_rhythms, load_theme, parse_theme, theme_names

DOCUMENT = Path(__file__).parents[2] / "docs" / "lights.md"
RHYTHMS = load_rhythms()
THEMES = [load_theme(name) for name in theme_names()]

# The contract's words, in its order.
WORDS = (
    "origin destination capture victim risky endangered provisional last-from last-to remove missing extra illegal "
    "king-danger threat escape engine-from engine-to hint question sensor turn winner"
)

OWN_TEXT = (Path(__file__).parents[2] / "hardware" / "themes" / "default.toml").read_text("utf-8")


def test_the_roles_are_the_contract_s() -> None:
    assert sorted(role.value for role in Role) == sorted(WORDS.split())


def test_of_two_roles_the_more_urgent_is_shown() -> None:
    order = [
        Role.ILLEGAL,
        Role.REMOVE,
        Role.QUESTION,
        Role.RISKY,
        Role.CAPTURE,
        Role.DESTINATION,
        Role.THREAT,
        Role.TURN,
    ]
    for first, second in combinations(order, 2):
        assert most_urgent(first, second) is most_urgent(second, first) is first
        assert first.urgency < second.urgency


# Rhythms.


@pytest.mark.parametrize("rhythm", RHYTHMS.values(), ids=RHYTHMS)
def test_no_rhythm_flashes_more_than_three_times_a_second(rhythm: Rhythm) -> None:
    assert rhythm.flashes_per_s() <= FLASHES_PER_S


@pytest.mark.parametrize("rhythm", RHYTHMS.values(), ids=RHYTHMS)
def test_flashes_are_counted_as_they_are_seen(rhythm: Rhythm) -> None:
    ms = 3 * rhythm.period_ms + 2000
    levels = [rhythm.level(at / 1000) for at in range(ms)]
    rises: list[int] = []
    low, risen = levels[0], True
    for at, (level, following) in enumerate(pairwise(levels)):
        if following < level:
            low, risen = following, False
        elif not risen and following - low >= FLASH_STEP:
            rises.append(at)
            risen = True
    seen = max((sum(start <= rise < start + 1000 for rise in rises) for start in rises), default=0)
    assert seen == rhythm.flashes_per_s()


@pytest.mark.parametrize("rhythm", RHYTHMS.values(), ids=RHYTHMS)
def test_every_change_of_a_rhythm_is_foretold(rhythm: Rhythm) -> None:
    t, end = 0.0, 2 * rhythm.period_ms / 1000
    changes = 0
    while t < end:
        following = rhythm.next_change(t)
        if following is None:
            assert rhythm.steady
            return
        assert following > t
        if not rhythm.ramp:
            assert rhythm.level(t + 1e-6) == rhythm.level((t + following) / 2) == rhythm.level(following - 1e-6)
            assert rhythm.level(following + 1e-6) != rhythm.level(t + 1e-6)
        t = following
        changes += 1
    assert changes >= 2


def test_rhythms_are_all_different() -> None:
    for one, other in combinations(RHYTHMS.values(), 2):
        assert (one.steps, one.ramp) != (other.steps, other.ramp), (one.name, other.name)


@given(st.floats(0, 1e10), st.sampled_from(sorted(RHYTHMS)))
def test_brightness_stays_in_range(t: float, name: str) -> None:
    assert 0 <= RHYTHMS[name].level(t) <= 1


def test_a_ramp_runs_evenly_and_a_step_jumps() -> None:
    ramp = Rhythm("ramp", (Step(1000, 0.0), Step(1000, 1.0)), ramp=True)
    assert [ramp.level(t) for t in (0, 0.25, 0.5, 1.0, 1.75)] == [0, 0.25, 0.5, 1, 0.25]
    jump = Rhythm("jump", ramp.steps)
    assert [jump.level(t) for t in (0, 0.999, 1.0, 1.999, 2.0)] == [0, 0, 1, 1, 0]


def test_a_time_rounded_to_the_period_is_the_beginning() -> None:
    assert RHYTHMS["swell"].level(-1e-20) == 0.0


def test_a_rhythm_that_flashes_too_often_is_found_out() -> None:
    assert Rhythm("strobe", (Step(125, 1.0), Step(125, 0.0))).flashes_per_s() == 4
    assert Rhythm("strobe", (Step(100, 1.0), Step(100, 0.0)) * 4 + (Step(1200, 0.0),)).flashes_per_s() == 4
    assert Rhythm("strobe", (Step(125, 1.0), Step(125, 0.0)), ramp=True).flashes_per_s() == 4


# Themes.


@pytest.mark.parametrize("theme", THEMES, ids=theme_names())
def test_roles_seen_together_differ_in_rhythm_as_well_as_hue(theme: Theme) -> None:
    assert list(theme.confusions()) == []


@pytest.mark.parametrize("theme", THEMES, ids=theme_names())
def test_every_role_shines(theme: Theme) -> None:
    assert set(theme.looks) == set(Role)
    for look in theme.looks.values():
        assert look.brightness > 0
        assert look.colour != BLACK


def test_every_role_is_seen_together_with_others() -> None:
    assert frozenset[Role]().union(*SHOWN_TOGETHER.values()) == set(Role)


def test_looks_alike_are_found_out() -> None:
    same_rhythm = parse_theme(OWN_TEXT.replace('"wink"', '"steady"'), "x")
    assert ("in the hand, and may go", Role.RISKY, Role.DESTINATION) in list(same_rhythm.confusions())
    same_hue = parse_theme(OWN_TEXT.replace("#fff700", "#ffae00"), "x")
    assert {(first, second) for _, first, second in same_hue.confusions()} == {(Role.RISKY, Role.CAPTURE)}


def look(colour: tuple[int, int, int]) -> Look:
    return Look(colour, RHYTHMS["steady"], 1.0)


def test_hues_are_compared_around_the_circle_and_white_has_none() -> None:
    red, rose, orange, white, grey = map(look, [(255, 0, 0), (255, 0, 40), (255, 80, 0), (255, 255, 255), (90, 80, 80)])
    assert not red.differs_in_hue(rose)
    assert red.differs_in_hue(orange)
    assert red.differs_in_hue(white)
    assert white.differs_in_hue(red)
    assert not white.differs_in_hue(grey)
    assert orange.hex == "#ff5000"


def test_a_theme_tells_when_its_picture_moves() -> None:
    theme = load_theme()
    assert theme.next_change([Role.DESTINATION, Role.TURN], 10.0) is None
    assert theme.next_change([Role.DESTINATION, Role.ILLEGAL], 10.25) == pytest.approx(10.5)
    assert theme.next_change([Role.ORIGIN, Role.ILLEGAL], 10.25) == pytest.approx(10.3)
    assert theme.next_change([], 10.0) is None


def test_the_quiet_board_needs_few_pictures() -> None:
    theme = load_theme()
    t, pictures = 0.0, 0
    while t < 60:
        change = theme.next_change([Role.TURN, Role.LAST_FROM, Role.LAST_TO], t)
        assert change is not None
        t, pictures = change, pictures + 1
    assert pictures <= 60


# Pictures.


def test_a_picture_shows_each_role_s_colour_at_its_brightness() -> None:
    theme = load_theme()
    roles = {Cell(0): Role.ILLEGAL, Cell(2): Role.DESTINATION}
    assert colours(roles, theme, 1.0, 0.1, 4) == ((255, 0, 0), BLACK, (0, 102, 27), BLACK)
    assert colours(roles, theme, 0.5, 0.1, 4) == ((128, 0, 0), BLACK, (0, 51, 14), BLACK)
    assert colours(roles, theme, 1.0, 0.6, 4) == (BLACK, BLACK, (0, 102, 27), BLACK)
    assert colours(roles, theme, 0.0, 0.1, 4) == (BLACK,) * 4
    assert colours({}, theme, 1.0, 0.1, 4) == (BLACK,) * 4


@pytest.mark.parametrize("theme", THEMES, ids=theme_names())
@given(st.sampled_from(sorted(Role, key=lambda role: role.urgency)), st.floats(0.001, 1), st.floats(0, 100))
def test_a_light_that_is_on_is_never_rounded_to_black(theme: Theme, role: Role, brightness: float, t: float) -> None:
    t = round(t, 6)  # finer than any clock, and coarse enough that no factor comes to nothing in floats
    (shade,) = colours({Cell(0): role}, theme, brightness, t, 1)
    assert all(0 <= channel <= 255 for channel in shade)
    assert (shade != BLACK) == (theme.looks[role].rhythm.level(t) > 0)


# Files.


def test_a_theme_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(OWN_TEXT.replace('name = "default"', 'name = "mine"'), "utf-8")
    assert load_theme(path) == load_theme(str(path))
    assert load_theme(path).name == "mine"
    assert load_theme(path).looks == load_theme("default").looks


@pytest.mark.parametrize(
    ("old", "new", "key", "problem"),
    [
        ("#fff700", "yellow", "roles.risky.colour", "expected a colour like #00ff40, got 'yellow'"),
        ('"wink"', '"wimk"', "roles.risky.rhythm", "no such rhythm 'wimk', expected 'wink'"),
        ("risky  ", "risqy  ", "roles.risqy", "no such role, expected 'risky'"),
        ("risky  ", "mystery", "roles.mystery", "no such role, expected one of capture, destination"),
        ("risky ", "# risky", "roles.risky", "missing: a theme gives every role its look"),
        ("brightness = 0.6}", "brightness = 1.6}", "roles.risky.brightness", "less than or equal to 1, got 1.6"),
        ("brightness = 0.6}", 'brightness = "dim"}', "roles.risky.brightness", "valid number, got 'dim'"),
        ("brightness = 0.6}", "brightnes = 0.6}", "roles.risky.brightness", "missing"),
        ("brightness = 0.6}", "brightness = 0.6, colr = 1}", "roles.risky.colr", "unknown key, expected 'colour'"),
        ("[roles]", "[rolls]", "roles", "missing"),
        ("[roles]", "rols = 1\n[roles]", "rols", "unknown key, expected 'roles'"),
        ("[roles]", "[roles", "", "not TOML"),
    ],
)
def test_what_a_theme_cannot_mean_is_refused(old: str, new: str, key: str, problem: str) -> None:
    text = OWN_TEXT.replace(old, new, 1)
    assert text != OWN_TEXT
    with pytest.raises(ThemeError, match=re.escape(problem)) as caught:
        parse_theme(text, "mine.toml")
    assert caught.value.file == "mine.toml"
    assert caught.value.key == key
    assert str(caught.value).startswith("mine.toml: ")
    assert "\n" not in str(caught.value)


def test_an_unknown_theme_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ThemeError, match=r"defualt: no such theme, expected 'default' or a \.toml file"):
        load_theme("defualt")
    with pytest.raises(ThemeError, match=r"none\.toml: cannot be read"):
        load_theme(tmp_path / "none.toml")


# The document.


def test_the_document_shows_the_default_theme() -> None:
    lines = DOCUMENT.read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    theme = load_theme()
    shown = {row[0].strip("`"): row[2:] for row in rows if len(row) == 5}
    assert list(shown) == [role.value for role in Role], "one row a role, the most urgent first"
    for role, look in theme.looks.items():
        assert shown[role.value] == [f"`{look.hex}`", look.rhythm.name, f"{look.brightness:g}"]
    rhythms = [row[0].strip("`") for row in rows if len(row) == 2]
    assert rhythms == list(RHYTHMS)
