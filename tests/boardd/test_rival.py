"""An amendment and a reply that leave the same squares: told apart by what was lifted last, mended by what follows.

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


def test_both_lifted_before_the_last_one_lifted_was_put_down() -> None:
    amended = events(
        {"t": 5.0, "lift": "e3"}, {"t": 5.5, "lift": "d2"}, {"t": 6.0, "drop": "d3"}, {"t": 9.0, "end": True}
    )
    assert told(amended) == ["move d5-d2", "amend d5-d3xe3"]
    replied = events(
        {"t": 5.0, "lift": "d2"}, {"t": 5.5, "lift": "e3"}, {"t": 6.0, "drop": "d3"}, {"t": 9.0, "end": True}
    )
    assert told(replied) == ["move d5-d2", "move e3-d3xd2"]


def test_what_follows_turns_an_amendment_into_a_reply() -> None:
    found = events(
        {"t": 5.0, "lift": "e3"}, {"t": 5.5, "lift": "d2"}, {"t": 6.0, "drop": "d3"},
        {"t": 9.0, "lift": "f3"}, {"t": 9.5, "drop": "f5"}, {"t": 12.0, "end": True},
    )  # fmt: skip
    assert told(found) == ["move d5-d2", "amend d5-d3xe3", "amend d5-d2", "move e3-d3xd2", "move f3-f5"]
    assert found[-1]["moves"] == ["d5-d2", "e3-d3xd2", "f3-f5"]


def test_what_follows_turns_a_reply_into_an_amendment() -> None:
    found = events(
        {"t": 5.0, "lift": "d2"}, {"t": 5.5, "lift": "e3"}, {"t": 6.0, "drop": "d3"},
        {"t": 9.0, "lift": "d1"}, {"t": 9.5, "drop": "a1"}, {"t": 12.0, "end": True},
    )  # fmt: skip
    assert told(found) == ["move d5-d2", "move e3-d3xd2", "takeback e3-d3", "amend d5-d3xe3", "move d1-a1"]
    assert found[-1]["moves"] == ["d5-d3xe3", "d1-a1"]


def test_two_hands_at_once_are_taken_for_the_reply() -> None:
    found = events(
        {"t": 5.0, "lift": "e3"}, {"t": 5.1, "lift": "d2"}, {"t": 6.0, "drop": "d3"}, {"t": 9.0, "end": True}
    )
    assert told(found) == ["move d5-d2", "move e3-d3xd2"]
