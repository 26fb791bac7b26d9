import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from boardd.check import check
from boardd.settings import (
    BoardSettings,
    GameSettings,
    HintLevel,
    LightSettings,
    PlaySettings,
    Settings,
    SettingsError,
    expected,
    load,
    parse,
    play_settings,
)
from boardd.wiring.wire_settings import ButtonSettings, BuzzerSettings, MatrixSettings, MicrocontrollerSettings

TABLES = ", ".join(f"[{name}]" for name in Settings.model_fields)
ROOT = Path(__file__).resolve().parents[2]


def problems(text: str) -> list[str]:
    with pytest.raises(SettingsError) as told:
        parse(text, "board.toml")
    assert str(told.value) == "\n".join(told.value.problems)
    return list(told.value.problems)


def test_an_empty_file_is_as_delivered() -> None:
    assert parse("", "board.toml") == Settings()


def test_what_is_given_is_taken_and_the_rest_stays() -> None:
    settings = parse(
        '[play]\nsettle_ms = 250\nhints = "coach"\n[board]\nmasked = ["e5", "a1"]\nrotation_degrees = 90\n'
        '[game]\nattackers = "Анна"\n[lights]\nbrightness = 1\n',
        "board.toml",
    )
    assert settings.play == PlaySettings(settle_ms=250, hints=HintLevel.COACH)
    assert settings.board == BoardSettings(masked=("e5", "a1"), rotation_degrees=90)
    assert settings.game.attackers == "Анна"
    assert settings.lights.brightness == 1.0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[play]\nsettel_ms = 3", "[play] settel_ms: unknown key, did you mean settle_ms?"),
        ("[lights]\nbudget = 3", "[lights] budget: unknown key, did you mean budget_ma?"),
        ("[log]\nzzz = 3", "[log] zzz: unknown key, known are level"),
        ("[ligths]\nx = 1", "[ligths]: unknown table, did you mean [lights]?"),
        ("colour = 1", "colour: unknown key, known are " + TABLES),
        ("play = 1", "[play]: found 1, expected a table"),
        ("[play]\nsettle_ms = -1", "[play] settle_ms: found -1, expected a whole number from 0 to 600000"),
        ("[play]\nsettle_ms = 1.5", "[play] settle_ms: found 1.5, expected a whole number from 0 to 600000"),
        ("[play]\nsettle_ms = true", "[play] settle_ms: found true, expected a whole number from 0 to 600000"),
        ('[play]\nsettle_ms = "3"', "[play] settle_ms: found '3', expected a whole number from 0 to 600000"),
        ("[play]\nsettle_ms = {a = 1}", "[play] settle_ms: found a table, expected a whole number from 0 to 600000"),
        ('[play]\nhints = "loud"', "[play] hints: found 'loud', expected one of off, rules, captures, coach"),
        ('[board]\nmasked = ["e5", "z9"]', "[board] masked: found 'z9', expected a list of squares as e5"),
        ("[board]\nrotation_degrees = 45", "[board] rotation_degrees: found 45, expected one of 0, 90, 180, 270"),
        ("[board]\nrotation_degrees = false", "[board] rotation_degrees: found false, expected one of 0, 90, 180, 270"),
        ("[matrix]\nrow_on = true", "[matrix] row_on: found true, expected one of 0, 1"),
        ("[matrix]\nrows = [-1]", "[matrix] rows: found -1, expected a list of pin numbers from 0 to 28"),
        ("[lights]\nbrightness = 1.1", "[lights] brightness: found 1.1, expected a number from 0 to 1"),
        ("[lights]\nchannel_ma = 0", "[lights] channel_ma: found 0, expected a number above 0, at most 100"),
        (
            '[page]\nhost = "board"',
            "[page] host: found 'board', expected an address, as 127.0.0.1 for this computer alone or 0.0.0.0 for all "
            "networks",
        ),
        (
            '[game]\ndefenders = "a]b"',
            "[game] defenders: found 'a]b', expected text of at most 80 characters without [ ] |",
        ),
    ],
)
def test_a_wrong_value_is_told_in_one_line(text: str, problem: str) -> None:
    assert problems(text) == [f"board.toml: {problem}"]


def test_everything_wrong_is_told_at_once() -> None:
    assert len(problems('[play]\nsettle_ms = "x"\nsetle_ms = 1\n[page]\nport = -1\nhost = "example.org"\n')) == 4


def test_of_very_many_wrong_things_the_first_are_told_and_the_rest_counted() -> None:
    told = problems(f"[matrix]\nrows = {[99] * 1_000}")
    assert len(told) == 11
    assert told[-1] == "990 more of the same file"


def test_a_long_value_is_cut() -> None:
    (line,) = problems(f"[play]\nsettle_ms = '{'x' * 500}'")
    assert len(line) < 160


@pytest.mark.parametrize("text", ["[play", "a = ", "[play]\nsettle_ms = 1\nsettle_ms = 2", "\x00"])
def test_what_is_no_toml_is_told_in_one_line(text: str) -> None:
    (line,) = problems(text)
    assert line.startswith("board.toml: not TOML: ")
    assert "line" in line
    assert "\n" not in line


def test_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "board.toml"
    path.write_text("[page]\nport = 0\n")
    assert load(path).page.port == 0
    with pytest.raises(SettingsError, match=r"none\.toml: cannot be read: No such file"):
        load(tmp_path / "none.toml")
    path.write_bytes(b"[game]\nattackers = '\xff'")
    with pytest.raises(SettingsError, match=r"board\.toml: byte 20: expected UTF-8 text"):
        load(path)


def test_a_traces_settings_are_the_play_table() -> None:
    assert play_settings({"settle_ms": 5, "hints": "off"}, "trace, line 1") == PlaySettings(
        settle_ms=5, hints=HintLevel.OFF
    )
    with pytest.raises(SettingsError, match=r"^trace, line 1: settel_ms: unknown key, did you mean settle_ms\?$"):
        play_settings({"settel_ms": 5}, "trace, line 1")


def test_settings_are_values() -> None:
    assert Settings() == Settings()
    with pytest.raises(ValueError, match="frozen"):
        Settings().play.settle_ms = 3


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (Settings(game=GameSettings(rules="ludo")), r"\[game\] rules: .*'ludo', expected one of tablut-edge"),
        (Settings(board=BoardSettings(masked=("k1",))), r"\[board\] masked: .*'k1'"),
        (Settings(lights=LightSettings(theme="pastel")), r"\[lights\] theme: .*pastel"),
        (
            Settings(game=GameSettings(rules="hnefatafl-13"), lights=LightSettings(budget_ma=168)),
            r"\[lights\] budget_ma: found 168, expected at least 169",
        ),
    ],
)
def test_values_that_do_not_go_together_are_refused(settings: Settings, problem: str) -> None:
    with pytest.raises(SettingsError, match=f"^board.toml: {problem}"):
        check(settings, "board.toml")


def wired(**changes: object) -> Settings:
    return Settings(board=BoardSettings(kind="matrix"), lights=LightSettings.model_validate({"wire": "spi", **changes}))


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (
            wired(wire="pwm", dma_channel=5),
            "[lights] dma_channel: expected another than 5, since the SD card's controller uses it",
        ),
        (
            Settings(lights=LightSettings(wire="pwm", dma_channel=5)),  # not in use, and yet no value to keep
            "[lights] dma_channel: expected another than 5",
        ),
        (wired(budget_ma=4000), "[lights] budget_ma: found 4000, expected at most supply_ma, 3000"),
        (wired(wire="pwm", pin=4), "[lights] pin: expected one of 12, 13, 18, 19 for pwm, got 4"),
        (wired(wire="pio", pin=12), "[lights] pin: GPIO12 is already used by [matrix] rows"),
        (
            Settings(board=BoardSettings(kind="matrix"), buttons=ButtonSettings(hint_pin=4)),
            "[buttons] hint_pin: GPIO4 is already used by [matrix] rows",
        ),
        (
            Settings(
                board=BoardSettings(kind="matrix"), lights=LightSettings(wire="spi"), buzzer=BuzzerSettings(pin=9)
            ),
            "[buzzer] pin: GPIO9 is already used by SPI 0 of the lights",
        ),
        (
            Settings(board=BoardSettings(kind="shift-registers"), lights=LightSettings(wire="spi")),
            "[lights] wire: SPI 0 is taken by the shift registers",
        ),
        (
            Settings(board=BoardSettings(kind="matrix"), matrix=MatrixSettings(column_magnet=1)),
            "[matrix] columns: GPIO2 has a pull-up on the Pi's board",
        ),
        (
            Settings(board=BoardSettings(kind="matrix"), game=GameSettings(rules="brandubh")),
            "[matrix] rows: expected 7 pins for a board of 7x7, got 9",
        ),
        (
            Settings(
                board=BoardSettings(kind="microcontroller"), microcontroller=MicrocontrollerSettings(lights_pin=3)
            ),
            "[microcontroller] lights_pin: pin 3 is already used in rows",
        ),
        (
            Settings(
                board=BoardSettings(kind="microcontroller"),
                microcontroller=MicrocontrollerSettings(rows=tuple(range(7)), columns=tuple(range(7, 14))),
            ),
            "[microcontroller] rows: expected 9 pins for a board of 9x9, got 7",
        ),
        (
            Settings(board=BoardSettings(kind="matrix", poll_hz=500)),
            "[board] poll_hz: found 500, expected at most 333: 9 rows and the pause after them take [matrix] settle_us",
        ),
    ],
)
def test_wires_that_cannot_be_or_do_harm_are_refused(settings: Settings, problem: str) -> None:
    with pytest.raises(SettingsError) as told:
        check(settings, "board.toml")
    (line,) = told.value.problems
    assert line.startswith(f"board.toml: {problem}")


@pytest.mark.parametrize("kind", ["matrix", "shift-registers", "microcontroller"])
def test_every_kind_of_board_can_be_wired_as_delivered(kind: str) -> None:
    check(Settings(board=BoardSettings.model_validate({"kind": kind})), "board.toml")


def test_a_firmware_of_another_kind_needs_no_pins_here() -> None:
    large = GameSettings(rules="hnefatafl-13")
    chip = MicrocontrollerSettings(port="/dev/ttyACM0")
    check(Settings(board=BoardSettings(kind="microcontroller"), game=large, microcontroller=chip), "board.toml")


def test_the_delivered_configuration_can_be_played() -> None:
    check(Settings(), "board.toml")


def test_every_key_has_a_reason_and_a_unit_that_its_name_tells() -> None:
    for table in Settings.model_fields.values():
        model = table.annotation
        assert model is not None
        for key, field in model.model_fields.items():
            assert field.description, key
            assert expected(field), key
            number = "a number" in expected(field) or "a whole number" in expected(field)
            units = ("_ms", "_us", "_ma", "_mv", "_kb", "_hz")
            counts = ("port", "brightness", "trace_files", "pin", "dma_channel", "level")
            assert not number or key.endswith((*units, "_pin")) or key in counts


def test_the_document_and_the_example_are_as_the_settings_say() -> None:
    script = ROOT / "scripts" / "configuration-doc"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_example_says_what_it_claims() -> None:
    text = (ROOT / "systemd" / "konakis.toml").read_text(encoding="utf-8")
    assert parse(text, "example") == Settings()
    keys = "\n".join(
        line[1:] if line.startswith("#") and not line.startswith("# ") else line for line in text.splitlines()
    )
    given = tomllib.loads(keys)
    assert parse(keys, "example") == Settings()
    for name, table in Settings.model_fields.items():
        model = table.annotation
        assert model is not None
        assert set(given[name]) == set(model.model_fields)
