import os
import random
import subprocess
import sys
import threading
import types
from pathlib import Path
from typing import Any

import pytest

from hardware.errors import LightsError, PinsError
from hardware.lights import BLACK, Picture, Show, black
from hardware.machine import Machine
from hardware.neopixels import NeoPixels, NeoPixelWires, Wire, neopixels, open_pixels
from hardware.strip import Corner, Layout
from tests.hardware.captured import Captured
from tests.hardware.machines import PI_4, PI_5, machine

CELLS = 81


def lights_of(pixels: Captured, layout: Layout | None = None) -> NeoPixels:
    return NeoPixels(lambda: pixels, (layout or Layout()).lights(9))


def random_picture(rng: random.Random) -> Picture:
    return tuple((rng.randrange(256), rng.randrange(256), rng.randrange(256)) for _ in range(CELLS))


def test_a_picture_leaves_as_243_bytes_green_first_in_the_chains_order() -> None:
    pixels, layout = Captured(), Layout(Corner.TOP_RIGHT)
    lights = lights_of(pixels, layout)
    lights.open()
    picture = random_picture(random.Random(1))
    lights.show(picture)
    pixels.wait_for(2)
    lights.close()
    expected = bytearray()
    for cell in layout.cells(9):
        red, green, blue = picture[cell]
        expected += bytes((green, red, blue))
    assert pixels.sent[1] == bytes(expected)
    assert len(pixels.sent[1]) == 243


@pytest.mark.parametrize("order", ["RGB", "GRB", "BGR", "BRG", "GBR", "RBG"])
def test_the_order_of_the_colours_is_the_buffers(order: str) -> None:
    pixels = Captured(CELLS, order)
    lights = lights_of(pixels)
    lights.open()
    lights.show(((1, 2, 3),) + (BLACK,) * (CELLS - 1))
    pixels.wait_for(2)
    lights.close()
    values = {"R": 1, "G": 2, "B": 3}
    assert list(pixels.sent[1][:3]) == [values[letter] for letter in order]


def test_the_first_and_the_last_picture_are_black_and_the_pin_is_let_go() -> None:
    pixels = Captured()
    lights = lights_of(pixels)
    lights.open()
    assert pixels.sent == [bytes(243)]
    lights.show(((9, 9, 9),) * CELLS)
    pixels.wait_for(2)
    lights.close()
    lights.close()
    assert pixels.sent[-1] == bytes(243)
    assert pixels.closed


def test_one_thread_writes_and_the_newest_picture_wins() -> None:
    pixels = Captured()
    lights = lights_of(pixels)
    lights.open()
    pixels.threads.clear()
    pixels.gate.clear()
    for value in range(1, 200):
        lights.show(((value, 0, 0),) * CELLS)
    pixels.gate.set()
    while pixels.sent[-1][1] != 199:
        pixels.wait_for(len(pixels.sent) + 1)
    assert len(pixels.sent) <= 3  # black, perhaps the first, the last
    assert len(pixels.threads) == 1
    assert threading.get_ident() not in pixels.threads
    lights.close()


def test_lights_that_cannot_be_opened_leave_the_board_dark_with_one_line() -> None:
    show = Show(neopixels(NeoPixelWires(Wire.PWM), machine(PI_5)), CELLS)
    show.open(0.0)
    show.offer(1.0, ((1, 1, 1),) * CELLS)
    show.close()
    assert show.dark_because is not None
    assert "\n" not in show.dark_because
    assert "'pio' or 'spi'" in show.dark_because


def test_a_wire_that_fails_while_it_opens_is_told_with_what_to_do() -> None:
    pixels = Captured()
    pixels.broken = RuntimeError("NeoPixel support requires running with sudo, please try again!")
    with pytest.raises(LightsError, match=r"needs root.*wire = 'spi'"):
        lights_of(pixels).open()


def test_a_wire_that_fails_later_is_told_with_the_next_picture() -> None:
    pixels = Captured()
    show = Show(lights_of(pixels), CELLS)
    show.open(0.0)
    pixels.broken = OSError("the bus is gone")
    show.offer(1.0, ((1, 1, 1),) * CELLS)
    for step in range(1, 500):
        show.offer(1.0 + step, ((step % 200, 1, 1),) * CELLS)
        if show.dark_because:
            break
        threading.Event().wait(0.01)
    assert "the bus is gone" in str(show.dark_because)
    show.close()


def test_analogue_audio_beside_pwm_is_refused_since_it_would_break_the_budget() -> None:
    loud = machine(PI_4, {"proc/modules": "snd_bcm2835 24576 1 - Live 0x0\n"})
    with pytest.raises(LightsError, match=r"above the current budget; put dtparam=audio=off"):
        open_pixels(NeoPixelWires(Wire.PWM), loud)


def test_off_a_pi_it_says_so(tmp_path: Path) -> None:
    script = (
        "from pathlib import Path\nfrom hardware.neopixels import *\nfrom hardware.machine import Machine\n"
        "for wire in (Wire.PWM, Wire.PIO):\n"
        "    try:\n        open_pixels(NeoPixelWires(wire), Machine(Path('/nowhere')))\n"
        "    except Exception as error:\n        print(type(error).__name__, error)\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BLINKA")}
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        stdin=subprocess.DEVNULL,
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("LightsError the lights cannot be opened: ")
        assert "Raspberry Pi" in line


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"wire": Wire.PWM, "pin": 4}, "pin: expected one of 12, 13, 18, 19 for pwm, got 4"),
        ({"wire": Wire.SPI, "pin": 18}, "pin: expected 10 for spi, got 18"),
        ({"wire": Wire.PIO, "order": "GRG"}, "order: expected the letters R, G and B in some order, got 'GRG'"),
        ({"wire": Wire.PWM, "dma_channel": 5}, "dma_channel: expected another than 5, since the SD card's controller"),
    ],
)
def test_wires_that_cannot_work_or_do_harm_are_refused(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(PinsError) as told:
        NeoPixelWires(**changes)
    assert str(told.value).startswith(problem)


def test_a_picture_of_another_size_is_refused() -> None:
    lights = lights_of(Captured())
    lights.open()
    with pytest.raises(ValueError, match="expected 81 colours, got 3"):
        lights.show(black(3))
    lights.close()


def test_a_machine_that_is_no_pi_is_none(tmp_path: Path) -> None:
    nowhere = Machine(tmp_path)
    assert nowhere.model is None
    assert not nowhere.is_pi
    assert nowhere.pi_generation is None
    assert not nowhere.analogue_audio
    assert nowhere.boot_config == ()


class FakeSpi:
    """What neopixel_spi wants of a bus; keeps what is written."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.frequency = 6_400_000

    def try_lock(self) -> bool:
        return True

    def unlock(self) -> None:
        return

    def configure(self, **_: object) -> None:
        return

    def write(self, data: bytes) -> None:
        self.written.append(bytes(data))


def decoded(written: bytes) -> bytes:
    """Read SPI's bytes as a WS2812 does: a long high is a one, a short one a zero; silence at both ends."""
    bits = [byte == 0b11110000 for byte in written if byte]
    assert set(written) <= {0, 0b11000000, 0b11110000}
    return bytes(
        sum(bit << (7 - place) for place, bit in enumerate(bits[at : at + 8])) for at in range(0, len(bits), 8)
    )


def test_over_spi_the_same_bytes_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    board = pytest.importorskip("board")
    pytest.importorskip("neopixel_spi")
    bus = FakeSpi()
    monkeypatch.setattr(board, "SPI", lambda: bus, raising=False)
    wires = NeoPixelWires(Wire.SPI, 10, layout=Layout(Corner.BOTTOM_RIGHT))
    lights = neopixels(wires, machine(PI_4))
    lights.open()
    picture = random_picture(random.Random(4))
    lights.show(picture)
    while len(bus.written) < 2:
        threading.Event().wait(0.005)
    lights.close()
    expected = bytearray()
    for cell in wires.layout.cells(9):
        red, green, blue = picture[cell]
        expected += bytes((green, red, blue))
    assert decoded(bus.written[0]) == bytes(243)
    assert decoded(bus.written[1]) == bytes(expected)
    assert decoded(bus.written[-1]) == bytes(243)


@pytest.mark.parametrize("wire", [Wire.PWM, Wire.PIO])
def test_on_a_pin_the_package_is_called_as_it_wants(monkeypatch: pytest.MonkeyPatch, wire: Wire) -> None:
    called: dict[str, Any] = {}

    def pixel_buffer(pin: object, count: int, **options: object) -> Captured:
        called.update(options, pin=pin, count=count)
        return Captured()

    driver = types.ModuleType("neopixel")
    package = types.ModuleType("bcm283x")
    monkeypatch.setattr(driver, "LED_DMA_NUM", 10, raising=False)
    monkeypatch.setattr(package, "neopixel", driver, raising=False)
    for name, module, attributes in (
        ("board", types.ModuleType("board"), {"D18": "pin 18"}),
        ("neopixel", types.ModuleType("neopixel"), {"NeoPixel": pixel_buffer}),
        ("adafruit_blinka.microcontroller.bcm283x", package, {}),
        ("adafruit_blinka.microcontroller.bcm283x.neopixel", driver, {}),
    ):
        for key, value in attributes.items():
            monkeypatch.setattr(module, key, value, raising=False)
        monkeypatch.setitem(sys.modules, name, module)
    lights = neopixels(NeoPixelWires(wire, 18, order="RGB", dma_channel=12), machine(PI_4))
    lights.open()
    lights.close()
    assert called == {"pin": "pin 18", "count": 81, "auto_write": False, "pixel_order": "RGB"}
    assert (12 if wire is Wire.PWM else 10) == driver.LED_DMA_NUM
