"""A face without a daemon: real rules, hands without noise, and scenes that a real board reaches only with trouble.

It accepts a move as soon as the pieces stand so, takes no move back by hand and asks nothing by itself; tests set what
else the page shall show through `extra`.
"""

from collections import Counter
from collections.abc import AsyncIterator, Mapping
from typing import Any

from boardd.web.audience import Audience
from engine import Game, Square, book_named, parse_square, square_name
from engine.questions import destinations
from hardware.theme import Role
from hardware.theme_file import load_theme

Json = dict[str, Any]


class FakeFace:
    """One simulated board and its game.

    Args:
        rules: the book's name.
        position: the start, if not the book's.
        moves: what has been played already: `d1-d3 e5-e2`, blank between moves.
    """

    def __init__(self, rules: str = "tablut-edge", *, position: str | None = None, moves: str = "") -> None:
        self.game = Game(book_named(rules), position=position)
        self.theme = load_theme()
        self.messages: list[Mapping[str, object]] = []
        self.extra: Json = {}
        self.level = "captures"
        self.brightness = 0.8
        self.names = {"attackers": "", "defenders": ""}
        for move in moves.split():
            origin, destination = move.partition("x")[0].split("-")
            self.play(origin, destination)
        self.board = self._pieces()
        self.box = self._captured()
        self.hand: list[list[str]] = []
        self._audience = Audience()

    # What the page's server asks

    def subscribe(self) -> AsyncIterator[object]:
        """Yield after each change."""
        return self._audience.listen()

    def changed(self) -> None:
        """Tell all pages."""
        self._audience.tell()

    def handle(self, message: Mapping[str, object]) -> str | None:
        """Do what a hand or a button does."""
        self.messages.append(message)
        why = self._handle(dict(message))
        self._accept()
        self.changed()
        return why

    def state(self) -> Json:
        """Give the whole state."""
        game = self.game
        last = game.plies[-1] if game.plies else None
        removals = self._removals()
        state: Json = {
            "type": "state",
            "version": "0.0.0",
            "rules": game.book.name,
            "size": game.size,
            "simulated": True,
            "connected": True,
            "stored": True,
            "pieces": self._pieces(),
            "board": dict(self.board),
            "box": list(self.box),
            "in_hand": list(self.hand),
            "sensors": sorted(self.board),
            "health": {"noisy": [], "untrusted": []},
            "side": game.side.value,
            "ply": len(game.plies),
            "moves": self._moves(),
            "start": game.start,
            "result": None
            if game.result is None
            else {
                "winner": game.result.winner.value if game.result.winner else None,
                "reason": game.result.reason.value,
            },
            "announce": [word.value for word in last.announcements] if last and game.result is None else [],
            "whose": None,
            "state": "remove" if removals else "ready",
            "removals": removals,
            "mismatch": {"missing": [], "extra": []},
            "illegal": None,
            "question": None,
            "lights": self.looks(self._roles(removals)),
            "level": self.level,
            "brightness": self.brightness,
            "names": self.names,
            "allowed": {"act": True},
        }
        return state | self.extra

    def looks(self, roles: Mapping[str, str]) -> Json:
        """Dress roles by square as lights."""
        lights = {}
        for square, role in roles.items():
            look = self.theme.looks[Role(role)]
            lights[square] = {
                "role": role,
                "colour": look.hex,
                "rhythm": look.rhythm.name,
                "brightness": look.brightness,
            }
        return lights

    def play(self, origin: str, destination: str) -> None:
        """Play a move in the game; on the board nothing stirs."""
        self.game.play((self._square(origin), self._square(destination)))

    # How it plays

    def _handle(self, message: Json) -> str | None:
        match message:
            case {"type": "lift", "square": str(square)} if square in self.board:
                self.hand.append([self.board.pop(square), square])
            case {"type": "drop", "square": str(square)} if self.hand and square not in self.board:
                self.board[square] = self.hand.pop()[0]
            case {"type": "box", "square": str(square)} if square in self.board:
                self.box.append(self.board.pop(square))
            case {"type": "box"} if self.hand and "square" not in message:
                self.box.append(self.hand.pop()[0])
            case {"type": "unbox", "piece": str(piece), "square": str(square)} if piece in self.box:
                self.box.remove(piece)
                self.board[square] = piece
            case {"type": "hints", "level": str(level)}:
                self.level = level
            case {"type": "brightness", "value": float() | int() as value}:
                self.brightness = float(value)
            case {"type": "names", "attackers": str(attackers), "defenders": str(defenders)}:
                if "|" in attackers + defenders:
                    return "a name has at most 80 characters, and none of [ ] |"
                self.names = {"attackers": attackers, "defenders": defenders}
            case {"type": "command", "command": str(command)}:
                return self._command(command)
            case _:
                return f"the board cannot do this: {message}"
        return None

    def _command(self, command: str) -> str | None:
        match command:
            case "takeback" if self.game.plies:
                self.game.undo()
                self.board, self.box, self.hand = self._pieces(), self._captured(), []
            case "new-game" if self.game.plies and self.game.result is None and not self.extra.get("question"):
                self.extra["question"] = {"about": "new-game"}
            case "new-game" | "confirm":
                self.game = Game(self.game.book)
                self.board, self.box, self.hand, self.extra = self._pieces(), [], [], {}
            case "cancel":
                self.extra.pop("question", None)
            case "resign":
                self.game.resign(self.game.side)
            case "draw":
                self.game.agree_draw()
            case _:
                return f"nothing to do for {command!r}"
        return None

    def _accept(self) -> None:
        """Play the move that explains what stands where, if there is one."""
        if self.hand or self.game.result is not None:
            return
        here, game = set(self.board) - set(self._removals()), set(self._pieces())
        gone, come = game - here, here - game
        if len(come) != 1:
            return
        (destination,) = come
        for move in self.game.legal_moves():
            origin = self._name(move.origin)
            taken = {self._name(square) for square in move.captures}
            if self._name(move.destination) == destination and origin in gone and gone <= taken | {origin}:
                self.game.play(move)
                return

    def _removals(self) -> list[str]:
        if not self.game.plies:
            return []
        captured = {self._name(square) for square in self.game.plies[-1].move.captures}
        return sorted(captured & set(self.board))

    def _roles(self, removals: list[str]) -> dict[str, str]:
        roles: dict[str, str] = {}
        if self.game.plies:
            move = self.game.plies[-1].move
            roles[self._name(move.origin)] = "last-from"
            roles[self._name(move.destination)] = "last-to"
        if self.hand:
            square = self._square(self.hand[-1][1])
            roles[self._name(square)] = "origin"
            if square in self.game.pieces and self.game.pieces[square].side is self.game.side:
                for move in destinations(self.game, square):
                    roles[self._name(move.destination)] = "capture" if move.captures else "destination"
                    roles |= {self._name(victim): "victim" for victim in move.captures}
        return roles | dict.fromkeys(removals, "remove")

    def _moves(self) -> list[Json]:
        replay = Game(self.game.book, position=self.game.start, side=self.game.first_side)
        moves = []
        for ply in self.game.plies:
            replay.play(ply.move)
            moves.append(
                {
                    "ply": ply.number,
                    "side": ply.side.value,
                    "move": ply.move.text(self.game.size),
                    "captures": [self._name(square) for square in ply.move.captures],
                    "announce": [word.value for word in ply.announcements],
                    "position": replay.position,
                }
            )
        return moves

    def _pieces(self) -> dict[str, str]:
        return {self._name(square): piece.value for square, piece in self.game.pieces.items()}

    def _captured(self) -> list[str]:
        missing = Counter(piece.value for piece in Game(self.game.book, position=self.game.start).pieces.values())
        missing.subtract(self._pieces().values())
        return list(missing.elements())

    def _name(self, square: Square) -> str:
        return square_name(square, self.game.size)

    def _square(self, name: str) -> Square:
        return parse_square(name, self.game.size)
