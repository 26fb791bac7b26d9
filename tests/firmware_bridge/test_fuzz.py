"""The fuzzer, a little of it; bench/bridge_fuzz.py runs it for longer."""

import pytest

from firmware_bridge.firmware import wire
from firmware_bridge.fuzzing import Fuzzer, FuzzError, Tally


@pytest.mark.parametrize("seed", range(6))
def test_almost_right_streams(seed: int) -> None:
    fuzzer = Fuzzer(seed)
    for _ in range(15):
        fuzzer.round()
    assert fuzzer.tally.rounds == 15
    assert fuzzer.tally.packets > 15
    assert fuzzer.tally.errors > 15
    assert fuzzer.tally.messages > 10


def test_no_packet_is_found_that_was_not_sent() -> None:
    fuzzer = Fuzzer(11)
    fuzzer.damaged(3_000)
    assert 0 < fuzzer.tally.packets < 1_500  # some damage does no harm, as a packet said twice
    assert 2_500 < fuzzer.tally.rounds < 3_000  # and some undoes itself: that is no damage


def test_a_packet_that_both_ends_find_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fuzzer, "_damage", lambda self, piece: piece.extend(b"\0"))
    fuzzer = Fuzzer(11)
    fuzzer.damaged(50)
    assert (fuzzer.tally.rounds, fuzzer.tally.packets, fuzzer.tally.one_end) == (50, 50, 0)
    monkeypatch.setattr(wire.Deframer, "feed", lambda *_: -1)
    fuzzer = Fuzzer(11)
    fuzzer.damaged(50)
    assert (fuzzer.tally.packets, fuzzer.tally.one_end) == (0, 50)


def test_what_is_not_changed_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fuzzer, "_damage", lambda self, piece: None)
    fuzzer = Fuzzer(11)
    fuzzer.damaged(50)
    assert fuzzer.tally == Tally()


def test_a_packet_that_was_never_sent_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.packets.zlib.crc32", lambda body: 0)  # whatever comes is sound
    with pytest.raises(FuzzError, match=r"(?s)seed 11, packet 299: found .*, never sent"):
        Fuzzer(11).damaged(300)


def test_a_long_frame_without_an_end_is_waited_for() -> None:
    Fuzzer(1)._disturb(b">" * 10_000)


def test_a_seed_gives_the_same_again() -> None:
    def run() -> Tally:
        fuzzer = Fuzzer(99)
        for _ in range(5):
            fuzzer.round()
        return fuzzer.tally

    assert run() == run()


def test_a_broken_promise_is_told_with_its_seed_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire.Deframer, "feed", lambda *_: -1)
    with pytest.raises(FuzzError, match=r"(?s)seed 3, round 1: AssertionError: the host found .*\n[0-9a-f]+$"):
        Fuzzer(3).round()
