"""Reads TOML that somebody else may have written: whatever is wrong with it is a `ValueError` of one line.

Python's own reader leaves by other errors where numbers or brackets have no end, and takes the square of a key's parts
in time: a key of thirty thousand parts would hold it up for minutes.
"""

from __future__ import annotations

import tomllib
from typing import Any

POINTS_MAX = 64
"""Points on one line, which are what can make a key long: no key of ours has more than two parts."""


def parse_toml(text: str) -> dict[str, Any]:
    """Read a TOML text.

    Raises:
        ValueError: it is none; says what was found.

    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > POINTS_MAX and not line.lstrip().startswith("#"):
            raise ValueError(f"line {number}: found {line.count('.')} points, expected keys of a few parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        end = f"at the end, line {text.count(chr(10)) + 1}"
        raise ValueError(f"not TOML: {str(error).replace('at end of document', end)}") from error
    except RecursionError:
        raise ValueError("found brackets nested too deeply, expected tables of single values") from None
    except ValueError:
        raise ValueError("found a number of thousands of digits, expected fewer") from None
