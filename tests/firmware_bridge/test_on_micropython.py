"""The golden vectors under the real MicroPython, read from the same file."""

from collections.abc import Callable
from pathlib import Path

VECTORS = (Path(__file__).parent / "vectors.json").read_bytes()

SCRIPT = """
import json
from binascii import hexlify, unhexlify
from konakis import wire

with open("vectors.json") as file:
    vectors = json.load(file)

for vector in vectors["messages"]:
    payload = unhexlify(vector["payload"])
    packet = bytearray(wire.MAX_PACKET)
    packet[wire.HEAD_BYTES : wire.HEAD_BYTES + len(payload)] = payload
    length = wire.seal(packet, vector["kind"], vector["sequence"], len(payload))
    assert hexlify(packet[:length]).decode() == vector["packet"], vector["name"]
    out = bytearray(wire.MAX_WIRE + 1)
    size = wire.cobs_encode(packet, length, out)
    assert hexlify(out[:size]).decode() == vector["wire"], vector["name"]

    deframer = wire.Deframer()
    data = unhexlify(vector["wire"])
    for at in range(len(data)):
        done = deframer.feed(data, at, at + 1)
        assert (done >= 0) == (at == len(data) - 1), vector["name"]
    assert (deframer.version, deframer.kind, deframer.sequence) == (1, vector["kind"], vector["sequence"])
    assert bytes(deframer.buffer[deframer.start : deframer.end]) == payload, vector["name"]

    if vector["message"] == "Picture":
        colours = bytearray(3 * len(vector["fields"]["colours"]))
        assert wire.unpack_runs(payload, colours), vector["name"]
        assert [list(colours[at : at + 3]) for at in range(0, len(colours), 3)] == vector["fields"]["colours"]
        assert not wire.unpack_runs(payload, bytearray(len(colours) + 3))
        assert not wire.unpack_runs(payload, bytearray(len(colours) - 3))

good = unhexlify(vectors["messages"][0]["wire"])
for vector in vectors["garbage"]:
    if vector["error"] in ("FramingError", "ChecksumError"):
        deframer = wire.Deframer()
        data = unhexlify(vector["wire"]) + good
        assert deframer.feed(data, 0, len(data)) == len(data), vector["name"]
        assert (deframer.damaged, deframer.kind) == (1, wire.GREET), vector["name"]
print(len(vectors["messages"]), len(vectors["garbage"]))
"""


def test_the_vectors(on_the_chip: Callable[..., str]) -> None:
    messages, garbage = on_the_chip(SCRIPT, files={"vectors.json": VECTORS}).split()
    assert int(messages) >= 13
    assert int(garbage) >= 20
