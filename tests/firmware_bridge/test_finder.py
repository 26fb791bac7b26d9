"""Finding the board by what it is, whatever its port is called."""

import pytest

from firmware_bridge.errors import BoardNotFoundError
from firmware_bridge.ports import MICROPYTHON_PICO, Finder, ListedPort

PICO = MICROPYTHON_PICO


@pytest.mark.parametrize(
    ("board_id", "ports", "found"),
    [
        (None, [ListedPort("/dev/ttyACM1", *PICO, "aa")], "/dev/ttyACM1"),
        (None, [ListedPort("/dev/ttyS0"), ListedPort("/dev/ttyACM1", *PICO, "aa")], "/dev/ttyACM1"),
        (None, [ListedPort("/dev/ttyUSB0", 0x1A86, 0x7523, "aa")], "no board is plugged in"),
        ("BB", [ListedPort("/dev/ttyACM0", *PICO, "aa"), ListedPort("/dev/ttyACM7", *PICO, "bb")], "/dev/ttyACM7"),
        ("cc", [ListedPort("/dev/ttyACM0", *PICO, "aa")], "expected the board cc, got aa at /dev/ttyACM0"),
        ("cc", [], "got none"),
        (
            "aa",
            [ListedPort("/dev/ttyACM0", *PICO, "aa"), ListedPort("/dev/ttyACM7", *PICO, "AA")],
            "expected one board aa, got aa at /dev/ttyACM0, AA at /dev/ttyACM7: unplug one, or name a port",
        ),
        (
            None,
            [ListedPort("/dev/ttyACM0", *PICO, "aa"), ListedPort("/dev/ttyACM7", *PICO, "bb")],
            "expected one board, got aa at /dev/ttyACM0, bb at /dev/ttyACM7",
        ),
    ],
)
def test_the_board_is_found_by_what_it_is(board_id: str | None, ports: list[ListedPort], found: str) -> None:
    finder = Finder(board_id=board_id, listed=lambda: ports)
    if found.startswith("/dev"):
        assert finder() == found
    else:
        with pytest.raises(LookupError, match=found):
            finder()


def test_a_path_is_taken_as_it_is() -> None:
    assert Finder(path="/dev/null", listed=list)() == "/dev/null"
    with pytest.raises(BoardNotFoundError, match="no such port"):
        Finder(path="/dev/nowhere")()
