"""The wire between the daemon and a microcontroller under the board: messages, link, and the firmware at its other end.

Knows cells, never squares; imports nothing of ours. See docs/protocol.md. What a driver needs is named here; the parts
below, and the virtual and modelled boards, are in their own modules.
"""

from firmware_bridge.connector import Connection, Connector, LinkState
from firmware_bridge.deploy import PICO_9X9, Pins, firmware_files, how_to_copy
from firmware_bridge.errors import (
    BoardAmbiguousError,
    BoardBusyError,
    BoardNotFoundError,
    BoardRefusedError,
    BoardSilentError,
    BridgeError,
    LinkError,
    PinError,
    PortLostError,
)
from firmware_bridge.faults import describe_fault, describe_faults
from firmware_bridge.link import Bridge, Link, SteppedLink
from firmware_bridge.messages import Capability, FaultCode, Hello
from firmware_bridge.news import CellsChanged, News, WholeReading
from firmware_bridge.ports import Finder, ListedPort, SerialPort, listed_ports
from firmware_bridge.session import Wanted
from firmware_bridge.statistics import Statistics

__all__ = [
    "PICO_9X9",
    "BoardAmbiguousError",
    "BoardBusyError",
    "BoardNotFoundError",
    "BoardRefusedError",
    "BoardSilentError",
    "Bridge",
    "BridgeError",
    "Capability",
    "CellsChanged",
    "Connection",
    "Connector",
    "FaultCode",
    "Finder",
    "Hello",
    "Link",
    "LinkError",
    "LinkState",
    "ListedPort",
    "News",
    "PinError",
    "Pins",
    "PortLostError",
    "SerialPort",
    "Statistics",
    "SteppedLink",
    "Wanted",
    "WholeReading",
    "describe_fault",
    "describe_faults",
    "firmware_files",
    "how_to_copy",
    "listed_ports",
]
