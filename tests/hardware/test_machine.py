import pytest

from tests.hardware.machines import PI_3, PI_4, PI_5, ZERO_2, machine

CONFIG = """\
# a comment
dtparam=spi=on,audio=on
[pi3]
core_freq=250
[pi4]
core_freq_min=500
[none]
dtoverlay=never
[all]
dtparam=audio=off  # later wins
"""


@pytest.mark.parametrize(
    ("model", "generation"),
    [
        (PI_3, 3),
        (PI_4, 4),
        (PI_5, 5),
        (ZERO_2, 3),
        ("Raspberry Pi Compute Module 4 Rev 1.0", 4),
        ("Raspberry Pi Model B Rev 2", 1),
        ("Raspberry Pi Zero W Rev 1.1", 1),
        ("Some Board", None),
    ],
)
def test_a_pi_tells_its_generation(model: str, generation: int | None) -> None:
    assert machine(model).pi_generation == generation


def test_config_txt_is_read_with_its_sections() -> None:
    four = machine(PI_4, {"boot/firmware/config.txt": CONFIG})
    assert four.boot_parameter("spi") == "on"
    assert four.boot_parameter("audio") == "off"
    assert four.boot_parameter("i2c_arm") is None
    assert four.boot_value("core_freq_min") == "500"
    assert four.boot_value("core_freq") is None
    assert four.boot_value("dtoverlay") is None
    assert machine(PI_3, {"boot/config.txt": CONFIG}).boot_value("core_freq") == "250"


def test_modules_are_listed() -> None:
    assert machine(PI_4, {"proc/modules": "snd_bcm2835 1 0\nspidev 2 0\n"}).analogue_audio
    assert not machine(PI_4, {"proc/modules": "spidev 2 0\n"}).analogue_audio
