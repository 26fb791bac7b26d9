"""Faults in words."""

import pytest

from firmware_bridge.faults import describe_fault, describe_faults, lines_of
from firmware_bridge.messages import FaultCode


@pytest.mark.parametrize(
    ("code", "value", "words"),
    [
        (FaultCode.STUCK_ROW, 0b1000, "row 3 stays powered"),
        (FaultCode.STUCK_ROW, 0b1001, "row 0 or 3 stays powered"),
        (FaultCode.STUCK_COLUMN, 0b100000001, "column 0 and 8 reads a magnet while no row is powered"),
        (FaultCode.SUPPLY_LOW, 4213, "down to 4.21 V"),
        (FaultCode.LATE, 120, "took 120 ms"),
    ],
)
def test_each_says_what_it_is_and_what_to_do(code: FaultCode, value: int, words: str) -> None:
    assert words in describe_fault(code, value)
    assert describe_faults({code: value}) == describe_fault(code, value)


def test_every_fault_has_words() -> None:
    assert all(describe_fault(code, 1) for code in FaultCode)


def test_several_and_none() -> None:
    assert describe_faults({}) == ""
    both = describe_faults({FaultCode.LATE: 60, FaultCode.STUCK_ROW: 1})
    assert both.index("row 0") < both.index("60 ms")


def test_lines() -> None:
    assert lines_of(0) == ()
    assert lines_of(0b101) == (0, 2)
