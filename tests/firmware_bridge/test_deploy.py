"""The files for the chip, and pin tables that can and cannot be wired."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

import firmware_bridge
from firmware_bridge.deploy import PICO_9X9, Pins, firmware_files, how_to_copy, render_pins
from firmware_bridge.errors import PinError

SOURCE = Path(firmware_bridge.__file__).parent / "firmware"


def test_the_files_are_those_of_the_package_and_the_table() -> None:
    files = firmware_files(PICO_9X9)
    assert set(files) == {
        "main.py",
        *(f"konakis/{name}.py" for name in ("__init__", "hal", "pins", "run", "scanner", "station", "wire")),
    }
    for name in ("hal", "run", "scanner", "station", "wire"):
        assert files[f"konakis/{name}.py"] == (SOURCE / f"{name}.py").read_bytes()
    assert files["main.py"] == (SOURCE / "main.py").read_bytes()
    assert list(files)[-1] == "main.py", "what is started comes last"
    assert firmware_files(PICO_9X9, hal="hal_model")["konakis/hal.py"] == (SOURCE / "hal_model.py").read_bytes()


def test_no_file_needs_what_micropython_does_not_have() -> None:
    for name, content in firmware_files().items():
        for node in ast.walk(ast.parse(content)):
            if isinstance(node, ast.ImportFrom):
                assert node.module not in ("__future__", "typing", "dataclasses"), name


def test_the_table_in_the_package_is_the_documented_one() -> None:
    assert (SOURCE / "pins.py").read_text() == render_pins(PICO_9X9)


def test_a_table_is_one_row_a_line() -> None:
    pins = replace(PICO_9X9, rows=tuple(range(8, -1, -1)), lights_pin=None, settle_us=50, lights_order="RGB")
    values: dict[str, object] = {}
    exec(render_pins(pins), values)
    assert values["ROWS"] == (8, 7, 6, 5, 4, 3, 2, 1, 0)
    assert values["LIGHTS_PIN"] is None
    assert values["SETTLE_US"] == 50
    assert values["LIGHTS_ORDER"] == "RGB"
    assert render_pins(pins).count("\n") == 13
    assert b"SETTLE_US = 50" in firmware_files(pins)["konakis/pins.py"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"rows": (0, 1, 2)}, "rows: expected 7 to 19 pins, got 3"),
        ({"columns": tuple(range(9, 17))}, "columns: expected as many pins as rows, 9, got 8"),
        ({"rows": (23, *range(1, 9))}, "rows: expected a pin that the Pico brings out"),
        ({"rows": (9, *range(1, 9))}, "columns: pin 9 is already used in rows"),
        ({"lights_pin": 3}, "lights_pin: pin 3 is already used in rows"),
        ({"lights_pin": 29}, "lights_pin: expected a pin that the Pico brings out"),
        ({"lights": 0}, "lights: expected 1 to 361, got 0"),
        ({"row_on": 2}, "row_on: expected 0 to 1, got 2"),
        ({"settle_us": -1}, "settle_us: expected 0 to 5000, got -1"),
        ({"debounce_ms": 1000}, "debounce_ms: expected 0 to 100, got 1000"),
        ({"watchdog_ms": 9000}, "watchdog_ms: expected 0 to 8388, got 9000"),
        ({"watchdog_ms": 1}, "watchdog_ms: expected 0 or at least 500, got 1"),
        ({"lights_order": "RGBW"}, "lights_order: expected the letters R, G and B"),
    ],
)
def test_a_table_that_cannot_be_wired_is_refused(change: dict[str, object], why: str) -> None:
    with pytest.raises(PinError, match=why):
        replace(PICO_9X9, **change)  # type: ignore[arg-type]  # wrong values are the point


def test_larger_boards_fit_the_pico_as_far_as_it_has_pins() -> None:
    Pins(rows=tuple(range(11)), columns=tuple(range(11, 22)), lights_pin=22, lights=121)
    Pins(rows=tuple(range(13)), columns=(*range(13, 23), 26, 27, 28), lights=169)


def test_the_text_says_how() -> None:
    text = how_to_copy()
    for word in ("BOOTSEL", "mpremote", "main.py", ":konakis/", "doctor"):
        assert word in text
