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


def test_a_packet_that_was_never_sent_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.packets.zlib.crc32", lambda body: 0)  # whatever comes is sound
    with pytest.raises(FuzzError, match=r"(?s)seed 11, packet 300: found .*, never sent"):
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
