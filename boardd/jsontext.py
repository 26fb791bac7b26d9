"""Reads JSON that somebody else may have written: whatever is wrong with it is a `ValueError`, and nothing else.

Python's own reader leaves by `RecursionError` where brackets are nested deeper than its stack.
"""

from __future__ import annotations

import json
import math
from typing import Any


def parse_json(text: str | bytes) -> Any:
    """Read one JSON text.

    Raises:
        ValueError: it is none, or nested too deeply.

    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("brackets nested too deeply") from None


def seconds(value: object) -> float | None:
    """Give a time as a float; None for what is no time, such as a truth value or a number beyond all floats."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None
