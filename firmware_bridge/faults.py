"""What a board's faults mean, in words for the one who built it. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from firmware_bridge.messages import FaultCode

MV_PER_V = 1000


def lines_of(value: int) -> tuple[int, ...]:
    """Return the rows or columns of a fault's value: its bits that are set."""
    return tuple(bit for bit in range(value.bit_length()) if value >> bit & 1)


def describe_fault(code: FaultCode, value: int) -> str:
    """Say on one line what a fault is and what to do."""
    match code:
        case FaultCode.STUCK_ROW:
            return (
                f"row {_lines(value, 'or')} stays powered: look at its transistor and at the wire from the chip; "
                "nothing is read until it is mended"
            )
        case FaultCode.STUCK_COLUMN:
            return (
                f"column {_lines(value, 'and')} reads a magnet while no row is powered: look for a short to ground, "
                "or for a row that stays powered; nothing is read until it is mended"
            )
        case FaultCode.SUPPLY_LOW:
            return (
                f"the supply is down to {value / MV_PER_V:.2f} V: use a shorter cable, a stronger supply or less light"
            )
        case FaultCode.LATE:
            return f"the chip took {value} ms between two scans: quick slides may be missed"


def describe_faults(faults: Mapping[FaultCode, int]) -> str:
    """Say on one line all that is wrong; empty if nothing is."""
    return "; ".join(describe_fault(code, value) for code, value in sorted(faults.items()))


def _lines(value: int, word: str) -> str:
    return f" {word} ".join(str(line) for line in lines_of(value))
