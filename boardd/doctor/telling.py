"""How findings are put into lines for people: one each, then the advice. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from boardd.doctor.finding import Finding, State

MARKS = {State.OK: "ok", State.WARNING: "look", State.FAULT: "BAD", State.UNKNOWN: "-"}
GAP = "  "
INDENT = " " * 4
"""Of the lines on which an advice goes on."""


def lines(findings: Sequence[Finding], width: int) -> Iterator[str]:
    """Tell what was found, a finding under the other, then what to do about it; no line is wider than `width`."""
    marks = max(map(len, MARKS.values()))
    names = max((len(finding.check) for finding in findings), default=0)
    for finding in findings:
        begin = f"{MARKS[finding.state]:<{marks}}{GAP}{finding.check:<{names}}{GAP}"
        yield from _wrapped(finding.found, width, begin, " " * len(begin))
    for finding in findings:
        if finding.advice:
            yield ""
            yield from _wrapped(f"{finding.check}: {finding.advice}", width, "", INDENT)


def _wrapped(text: str, width: int, first: str, later: str) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, len(later) + 20),
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first.rstrip()]
