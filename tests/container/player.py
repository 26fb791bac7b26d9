"""Plays at the service's page, inside the container: `player.py ADDRESS [--token T] [lift b5 | move e2-g2 …]`.

Prints at the end what the page tells, as one JSON object: `moves`, `act`, `connected`, `simulated` and the
`roles` of its lights. Needs nothing but what the installer has brought along.
"""

import argparse
import json
import time
from typing import Any

from websockets.sync.client import ClientConnection, connect

PATIENCE_S = 20.0


class Page:
    """An open page."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.state: dict[str, Any] = {}

    def until(self, **wanted: object) -> None:
        """Read states until one of them says so; a refusal ends it."""
        limit = time.monotonic() + PATIENCE_S
        while not self.state or any(self.state.get(key) != value for key, value in wanted.items()):
            message = json.loads(self._socket.recv(timeout=limit - time.monotonic()))
            if message["type"] == "refused":
                raise SystemExit(f"refused: {message['why']}")
            self.state = message

    def say(self, kind: str, **fields: object) -> None:
        """Send a message."""
        self._socket.send(json.dumps({"type": kind, **fields}))

    def move(self, move: str) -> None:
        """Make a move that captures nothing, and wait until it is accepted."""
        origin, destination = move.split("-")
        ply = len(self.state["moves"])
        self.say("lift", square=origin)
        self.until(state="hand")
        self.say("drop", square=destination)
        self.until(ply=ply + 1, state="ready")


def main() -> None:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--token")
    parser.add_argument("acts", nargs="*")
    given = parser.parse_args()
    origin = given.address.rstrip("/")
    with connect(
        origin.replace("http", "ws", 1) + "/ws", additional_headers={"Origin": origin}, open_timeout=PATIENCE_S
    ) as socket:
        page = Page(socket)
        page.until()
        if given.token:
            page.say("token", token=given.token)
            page.until(allowed={"act": True})
        for word, place in zip(given.acts[::2], given.acts[1::2], strict=True):
            if word == "move":
                page.until(state="ready")
                page.move(place)
            else:
                page.say(word, square=place)
                time.sleep(0.2)  # it is read before the connection ends
        state = page.state
        told = {"moves": [ply["move"] for ply in state["moves"]], "act": state["allowed"]["act"]}
        told["roles"] = sorted({light["role"] for light in state["lights"].values()})
        print(json.dumps(told | {key: state[key] for key in ("connected", "simulated")}))


if __name__ == "__main__":
    main()
