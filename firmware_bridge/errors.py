"""The errors of the bridge.

    BridgeError
    ├── PacketError (ValueError)          the peer: bytes that are no packet of ours. Counted, never fatal
    │   ├── FramingError                  no COBS, too short or too long to be a packet
    │   ├── ChecksumError                 a byte was changed on the way
    │   ├── VersionError                  a packet of another protocol version
    │   └── MessageError                  the packet is sound, but its type or payload is none that we know
    ├── FieldError (ValueError)           us: a message with a field that does not fit on the wire
    ├── PinError (ValueError)             us: a pin table that cannot be wired
    └── LinkError                         there is no board to talk to, and why
        ├── BoardNotFoundError (LookupError)     none is plugged in
        ├── BoardAmbiguousError (LookupError)    several are, and nobody said which
        ├── BoardBusyError (PermissionError)     another process reads it; `pid` where it can be known
        ├── BoardRefusedError (RuntimeError)     it answered, and is not the board we want
        ├── BoardSilentError (TimeoutError)      it does not answer, or no longer
        └── PortLostError (ConnectionError)      the port cannot be opened, or failed under us

Only `FieldError`, `PinError` and what `Link.open` and `Link.reading` document are raised to a caller. All the others
end up in `statistics` and in `state.why`.
"""

from __future__ import annotations


class BridgeError(Exception):
    """Anything that goes wrong between here and the microcontroller."""


class PacketError(BridgeError, ValueError):
    """The wire brought bytes that are no packet of ours."""


class FramingError(PacketError):
    """What stood between two zeros cannot be a packet."""


class ChecksumError(PacketError):
    """The checksum does not fit the packet."""


class VersionError(PacketError):
    """The packet is of another version of the protocol."""

    def __init__(self, found: int, expected: int) -> None:
        super().__init__(f"expected a packet of protocol version {expected}, got version {found}")
        self.found = found


class MessageError(PacketError):
    """The packet's type is unknown, or its payload does not have that type's form."""


class FieldError(BridgeError, ValueError):
    """A message was to be sent that the wire cannot carry."""


class PinError(BridgeError, ValueError):
    """A pin table names pins that the microcontroller does not have, or one pin twice."""


class LinkError(BridgeError):
    """There is no board to talk to."""


class BoardNotFoundError(LinkError, LookupError):
    """No plugged-in device looks like the board."""


class BoardAmbiguousError(LinkError, LookupError):
    """More than one plugged-in device looks like the board."""


class BoardBusyError(LinkError, PermissionError):
    """Another process reads the board."""

    def __init__(self, port: str, pid: int | None) -> None:
        holder = "another process" if pid is None else f"process {pid}"
        super().__init__(f"the board at {port} is held by {holder}; only one program can read it, stop the other first")
        self.port = port
        self.pid = pid


class BoardRefusedError(LinkError, RuntimeError):
    """The board that answered is not the one that was asked for."""


class BoardSilentError(LinkError, TimeoutError):
    """The board says nothing."""


class PortLostError(LinkError, ConnectionError):
    """The port is gone."""
