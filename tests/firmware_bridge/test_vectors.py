"""The golden vectors against the host's codec and the board's, and the table of messages walked."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge import errors
from firmware_bridge.codec import Heard, Receiver
from firmware_bridge.errors import PacketError
from firmware_bridge.firmware import station, wire
from firmware_bridge.messages import (
    MESSAGES,
    PROTOCOL,
    Capability,
    FaultCode,
    Message,
    Row,
    decode_payload,
    encode_payload,
    kind_of,
    plain,
)
from firmware_bridge.packets import MAX_PACKET_BYTES, MAX_WIRE_BYTES, Packet, decode_packet, encode_packet
from firmware_bridge.tails import NOTHING

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "vectors.json").read_text())
SOUND = [pytest.param(vector, id=vector["name"]) for vector in VECTORS["messages"]]
GARBAGE = [pytest.param(vector, id=vector["name"]) for vector in VECTORS["garbage"]]
DAMAGE = [
    pytest.param(vector, id=vector["name"])
    for vector in VECTORS["garbage"]
    if vector["error"] in ("FramingError", "ChecksumError")
]
DOCUMENT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text()
ROWS = [pytest.param(row, id=row.message.__name__) for row in MESSAGES]


def tupled(value: Any) -> Any:
    return tuple(tupled(item) for item in value) if isinstance(value, list) else value


def message_of(vector: dict[str, Any]) -> Message:
    (row,) = (row for row in MESSAGES if row.message.__name__ == vector["message"])
    values = {name: tupled(value) for name, value in vector["fields"].items()}
    if "board_id" in values:
        values["board_id"] = bytes.fromhex(values["board_id"])
    message: Message = row.message(**values)
    return message


@pytest.mark.parametrize("vector", SOUND)
def test_the_host_writes_the_vector(vector: dict[str, Any]) -> None:
    message = message_of(vector)
    assert kind_of(message) == vector["kind"]
    assert encode_payload(message).hex() == vector["payload"]
    packet = Packet(PROTOCOL, vector["kind"], vector["sequence"], bytes.fromhex(vector["payload"]))
    assert encode_packet(packet).hex() == vector["wire"]


@pytest.mark.parametrize("vector", SOUND)
def test_the_host_reads_the_vector(vector: dict[str, Any]) -> None:
    packet = decode_packet(bytes.fromhex(vector["wire"])[:-1])
    assert packet.sequence == vector["sequence"]
    message = decode_payload(packet.kind, packet.payload)
    assert message == message_of(vector)
    assert plain(message) == vector["fields"]


@pytest.mark.parametrize("vector", SOUND)
def test_the_board_writes_the_vector(vector: dict[str, Any]) -> None:
    payload = bytes.fromhex(vector["payload"])
    packet = bytearray(wire.MAX_PACKET)
    packet[wire.HEAD_BYTES : wire.HEAD_BYTES + len(payload)] = payload
    length = wire.seal(packet, vector["kind"], vector["sequence"], len(payload))
    assert packet[:length].hex() == vector["packet"]
    out = bytearray(wire.MAX_WIRE + 1)
    assert out[: wire.cobs_encode(packet, length, out)].hex() == vector["wire"]


@pytest.mark.parametrize("vector", SOUND)
@pytest.mark.parametrize("step", [1, 2, 7, 10_000])
def test_the_board_reads_the_vector(vector: dict[str, Any], step: int) -> None:
    data = bytes.fromhex(vector["wire"])
    deframer = wire.Deframer()
    for at in range(0, len(data), step):
        end = min(at + step, len(data))
        assert (deframer.feed(data, at, end) == len(data)) == (end == len(data)), "complete with its last byte only"
    assert (deframer.version, deframer.kind, deframer.sequence) == (1, vector["kind"], vector["sequence"])
    assert bytes(deframer.buffer[deframer.start : deframer.end]).hex() == vector["payload"]
    assert deframer.damaged == 0


@pytest.mark.parametrize("vector", GARBAGE)
def test_the_host_names_what_is_wrong_and_reads_on(vector: dict[str, Any]) -> None:
    good = VECTORS["messages"][9]
    data = bytes.fromhex(vector["wire"])
    host = not vector["name"].startswith(("read ", "greet ", "picture ", "an unknown type for the board"))
    receiver = Receiver(host=host)
    (found,) = receiver.feed(data)
    assert type(found) is getattr(errors, vector["error"]), found
    assert str(found).find("expected") >= 0
    if host:
        (after,) = receiver.feed(bytes.fromhex(good["wire"]))
        assert isinstance(after, Heard)
        assert after.message == message_of(good)


@pytest.mark.parametrize("vector", DAMAGE)
def test_the_board_drops_it_and_reads_on(vector: dict[str, Any]) -> None:
    data = bytes.fromhex(vector["wire"]) + bytes.fromhex(VECTORS["messages"][0]["wire"])
    deframer = wire.Deframer()
    assert deframer.feed(data, 0, len(data)) == len(data)
    assert deframer.kind == wire.GREET
    assert deframer.damaged == 1


def test_every_type_has_its_own_number_and_both_ways_are_used() -> None:
    kinds = [row.kind for row in MESSAGES]
    assert len(set(kinds)) == len(kinds)
    assert kinds == sorted(kinds)
    assert all(0 < kind < 256 for kind in kinds)
    assert {row.to_host for row in MESSAGES} == {True, False}


def test_the_table_names_every_message_once() -> None:
    messages = [row.message for row in MESSAGES]
    assert set(messages) == set(Message.__args__)
    assert len(set(messages)) == len(messages)


@pytest.mark.parametrize("row", ROWS)
def test_a_row_fits_its_dataclass(row: Row) -> None:
    names = [field.name for field in fields(row.message)]
    assert len(names) == len(row.layout) + (row.tail is not NOTHING)
    assert row.message.__doc__
    assert row.message.__doc__.endswith(".")


@pytest.mark.parametrize("row", ROWS)
def test_every_message_has_a_vector(row: Row) -> None:
    assert row.message.__name__ in {vector["message"] for vector in VECTORS["messages"]}


@pytest.mark.parametrize("row", ROWS)
def test_both_ends_have_the_same_numbers(row: Row) -> None:
    assert getattr(wire, row.message.__name__.upper()) == row.kind
    assert bool(row.kind & wire.TO_HOST) == row.to_host


@pytest.mark.parametrize("row", ROWS)
def test_the_document_has_every_message(row: Row) -> None:
    assert f"| `{row.kind:#04x}` | {row.message.__name__} |" in DOCUMENT


@pytest.mark.parametrize("row", ROWS)
def test_the_document_has_every_field(row: Row) -> None:
    (line,) = (line for line in DOCUMENT.splitlines() if line.startswith(f"| `{row.kind:#04x}` |"))
    for field in fields(row.message)[: len(row.layout)]:
        assert field.name in line or field.name in ("major", "minor", "patch"), field.name


def test_the_document_follows_a_lift_that_is_a_vector() -> None:
    (vector,) = (vector for vector in VECTORS["messages"] if vector["name"] == "lifted, one cell")
    assert bytes.fromhex(vector["wire"]).hex(" ") in DOCUMENT
    assert bytes.fromhex(vector["packet"]).hex(" ") in DOCUMENT.replace("` `", " ")


def test_both_ends_have_the_same_constants() -> None:
    assert wire.PROTOCOL == PROTOCOL
    assert station.VERSION[0] == PROTOCOL
    assert wire.MAX_PACKET == MAX_PACKET_BYTES
    assert wire.MAX_WIRE == MAX_WIRE_BYTES
    assert {code.name: code.value for code in FaultCode} == {
        name: getattr(wire, name) for name in ("STUCK_ROW", "STUCK_COLUMN", "SUPPLY_LOW", "LATE")
    }
    assert len(FaultCode) == wire.FAULTS
    assert {flag.name: flag.value for flag in Capability} == {
        name: getattr(wire, name) for name in ("LIGHTS", "WATCHDOG", "SUPPLY")
    }


def test_every_error_is_in_the_tree_of_the_docstring() -> None:
    leaves = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, Exception)]
    assert errors.__doc__
    for error in leaves:
        assert error.__name__ in errors.__doc__
        assert issubclass(error, errors.BridgeError)
    assert issubclass(PacketError, ValueError)
