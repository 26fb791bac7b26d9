"""Adafruit's own pixel buffer, whose transmissions are kept instead of sent."""

import threading

import adafruit_pixelbuf  # type: ignore[import-untyped]  # it ships no types

PATIENCE_S = 5.0


class Captured(adafruit_pixelbuf.PixelBuf):  # type: ignore[misc]  # its base has no types
    """Everything that would leave for the wire: the exact bytes, brightness and order of colours included."""

    def __init__(self, count: int = 81, order: str = "GRB") -> None:
        super().__init__(count, byteorder=order, auto_write=False)
        self.sent: list[bytes] = []
        self.threads: set[int] = set()
        self.arrived = threading.Condition()
        self.gate = threading.Event()
        self.gate.set()
        self.broken: Exception | None = None
        self.failures = 0
        """So many of the next transmissions fail."""
        self.closed = False

    def _transmit(self, buffer: bytearray) -> None:
        self.gate.wait(PATIENCE_S)
        if self.broken is not None:
            raise self.broken
        if self.failures:
            self.failures -= 1
            raise OSError("the wire broke")
        with self.arrived:
            self.sent.append(bytes(buffer))
            self.threads.add(threading.get_ident())
            self.arrived.notify_all()

    def wait_for(self, count: int) -> None:
        """Wait until so many pictures were sent."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.sent) >= count, PATIENCE_S)

    def wait_for_end(self) -> None:
        """Wait until the pin was let go."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: self.closed, PATIENCE_S)

    def settle(self, quiet_s: float = 0.05) -> None:
        """Wait until nothing more is sent for a moment."""
        with self.arrived:
            count = -1
            while count != len(self.sent):
                count = len(self.sent)
                self.arrived.wait(quiet_s)

    def deinit(self) -> None:
        """Note that the pin was let go."""
        with self.arrived:
            self.closed = True
            self.arrived.notify_all()
