"""An amendment and a reply that leave the same squares: asked about where nothing tells them apart, the likelier first.

After d5-d2 the attackers may amend to d5-d3xe3 (against f3), and the defenders may reply e3-d3xd2 (against d1): both
leave d3 occupied, and d5, d2 and e3 empty.
"""

import json
from typing import Any

from boardd.replay import replay

HEADER = {"konakis": 1, "rules": "tablut-edge", "position": "/3T5/9/4Tt3/9/3t5/9/4K4/9/8t/", "side": "attackers"}
FIRST_MOVE = [{"t": 1.0, "lift": "d5"}, {"t": 1.5, "drop": "d2"}]


def events(*lines: dict[str, Any]) -> list[dict[str, Any]]:
    texts = [json.dumps(line) for line in (HEADER, *FIRST_MOVE, *lines)]
    return [event.to_json(9) for event in replay(texts, "here")]


def told(found: list[dict[str, Any]]) -> list[str]:
    return [
        f"{event['event']} {event['move']}{'x' if event.get('captures') else ''}{'/'.join(event.get('captures', ()))}"
        for event in found
        if event["event"] in ("move", "amend", "takeback")
    ]


def test_the_piece_moved_on_and_then_its_victim_taken_is_an_amendment() -> None:
    found = events(
        {"t": 5.0, "lift": "d2"}, {"t": 5.4, "drop": "d3"}, {"t": 6.5, "lift": "e3"}, {"t": 9.0, "end": True}
    )
    assert told(found) == ["move d5-d2", "amend d5-d3xe3"]
    assert found[-1]["side"] == "defenders"


def test_the_other_piece_moved_and_then_its_victim_taken_is_the_reply() -> None:
    found = events(
        {"t": 5.0, "lift": "e3"}, {"t": 5.4, "drop": "d3"}, {"t": 6.5, "lift": "d2"}, {"t": 9.0, "end": True}
    )
    assert told(found) == ["move d5-d2", "move e3-d3xd2"]
    assert found[-1]["side"] == "attackers"


def asked(*lines: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Give what was asked about, and what was told."""
    found = events(*lines)
    return [event["move"] for event in found if event["event"] == "question"], told(found)


def lifts(first: str, second: str, gap_s: float = 0.5) -> list[dict[str, Any]]:
    return [{"t": 5.0, "lift": first}, {"t": 5.0 + gap_s, "lift": second}, {"t": 6.0, "drop": "d3"}]


END = {"t": 14.0, "end": True}


def test_both_lifted_before_one_was_put_down_is_asked_about_the_one_lifted_last_first() -> None:
    assert asked(*lifts("e3", "d2"), END) == (["d5-d3"], ["move d5-d2"])
    assert asked(*lifts("d2", "e3"), END) == (["e3-d3"], ["move d5-d2"])


def test_of_two_hands_at_once_the_reply_is_asked_about_first() -> None:
    assert asked(*lifts("e3", "d2", 0.1), END) == (["e3-d3"], ["move d5-d2"])


def test_yes_takes_it() -> None:
    yes = {"t": 11.0, "command": "confirm"}
    assert asked(*lifts("e3", "d2"), yes, END) == (["d5-d3"], ["move d5-d2", "amend d5-d3xe3"])
    assert asked(*lifts("d2", "e3"), yes, END) == (["e3-d3"], ["move d5-d2", "move e3-d3xd2"])


def test_no_asks_about_the_other_one() -> None:
    no, yes = {"t": 11.0, "command": "cancel"}, {"t": 12.0, "command": "confirm"}
    assert asked(*lifts("e3", "d2"), no, yes, END) == (["d5-d3", "e3-d3"], ["move d5-d2", "move e3-d3xd2"])


def test_who_plays_on_is_asked_all_the_same() -> None:
    on = [{"t": 7.0, "lift": "f3"}, {"t": 7.5, "drop": "f5"}]
    yes = {"t": 13.0, "command": "confirm"}
    assert asked(*lifts("d2", "e3"), *on, yes, END) == (["e3-d3"], ["move d5-d2", "move e3-d3xd2", "move f3-f5"])
