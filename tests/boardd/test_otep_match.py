"""`konakis engine` against itself over OTEP, driven by a small host that knows the rules and nothing of our host."""

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine import BOOKS, Game, Side, parse_move, parse_rules, square_name, write_rules

COMMAND = [sys.executable, "-P", "-m", "boardd", "engine"]
ANSWER_S = 30.0
MOST_PLIES = 40


class Peer:
    """One engine at the other end of two pipes."""

    def __init__(self, process: "subprocess.Popen[bytes]", log: list[str], name: str) -> None:
        self.process = process
        self.log = log
        self.name = name
        self._rest = b""
        self._lines: list[str] = []

    def say(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.log += [f"host > {self.name}: {line}" for line in lines]
        self.process.stdin.write("".join(line + "\n" for line in lines).encode("ascii"))
        self.process.stdin.flush()

    def hear(self, *words: str, within: float = ANSWER_S) -> str:
        """Give the next line that begins with one of the words; nothing but `status` may come before."""
        assert self.process.stdout is not None
        end = time.monotonic() + within
        while True:
            while self._lines:
                line = self._lines.pop(0)
                self.log.append(f"{self.name} > host: {line}")
                if line.split()[0] in words:
                    return line
                assert line.startswith("status "), self.log[-10:]
            assert select.select([self.process.stdout], [], [], end - time.monotonic())[0], self.log[-10:]
            read = os.read(self.process.stdout.fileno(), 1 << 16)
            assert read, "the engine has ended"
            *whole, self._rest = (self._rest + read).split(b"\n")
            self._lines += [line.decode("ascii") for line in whole]


@contextmanager
def engine(name: str, log: list[str], *arguments: str) -> Iterator[Peer]:
    with subprocess.Popen([*COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        peer = Peer(process, log, name)
        try:
            peer.hear("hello", within=10.0)
            yield peer
        finally:
            if process.poll() is None:
                peer.say("goodbye")
                assert process.wait(5) == 0


@pytest.mark.parametrize(("rules", "seed"), [("tablut-edge", 3), ("brandubh", 4)])
def test_a_match_with_itself(rules: str, seed: int, tmp_path: Path) -> None:
    log: list[str] = []
    game = Game(BOOKS[rules])
    told = write_rules(game.book)
    assert parse_rules(told) == game.book
    with engine("A", log, "--level", "2", "--seed", str(seed)) as a, engine("D", log, "--level", "1") as d:
        peers = {Side.ATTACKERS: a, Side.DEFENDERS: d}
        for side, peer in peers.items():
            peer.say(f"rules {told}", f"side {side.value}", "start")
        while game.result is None and len(game.plies) < MOST_PLIES:
            side = game.side
            peers[side].say(f"play {side.value}", "clock 60000 60000")
            text = peers[side].hear("move").split()[1]
            move = parse_move(text, game.size)
            played = game.play((move.origin, move.destination)).move  # raises if it is illegal
            peers[side].say(f"move {game.position}")
            simple = "-".join(square_name(square, game.size) for square in (played.origin, played.destination))
            peers[side.other].say(f"opponent-move {simple} {game.position}")
        result = game.result
        code = 0 if result is None else {None: 1, Side.ATTACKERS: 2, Side.DEFENDERS: 3}[result.winner]
        for peer in peers.values():
            peer.say(f"finish {code}")
    (tmp_path / "match.log").write_text("\n".join(log))
    assert len(game.plies) >= 8
    assert not [line for line in log if "error" in line]


def test_the_host_may_jump_and_the_engine_follows() -> None:
    log: list[str] = []
    book = BOOKS["tablut-edge"]
    with engine("E", log, "--level", "1", "--seed", "1") as peer:
        peer.say("play attackers")
        assert "rules first" in peer.hear("error")
        peer.say("nonsense", "")
        assert "found 'nonsense'" in peer.hear("error")
        peer.say(f"rules {write_rules(book)}", "position /9/9/9/4t4/3tKt3/9/4T4/t8/9/", "play attackers")
        assert peer.hear("move")
        # he is told another board than any that his own game leads to, and takes it as it is
        peer.say("side defenders", "opponent-move a8-a7 /9/9/9/4t4/3tKt3/9/t3T4/9/9/", "play defenders")
        game = Game(book, position="/9/9/9/4t4/3tKt3/9/t3T4/9/9/", side=Side.DEFENDERS)
        move = parse_move(peer.hear("move").split()[1], 9)
        assert game.find(move.origin, move.destination) is not None
        peer.say("rules dim:9 ber:m start:/9/")
        assert peer.hear("error").startswith("error -1 ")


@pytest.mark.parametrize("line", ["finish 0", "rules {rules}", "position {start}", "play attackers"])
def test_it_reads_on_while_it_thinks(line: str) -> None:
    log: list[str] = []
    book = BOOKS["tablut-edge"]
    with engine("E", log, "--seed", "1") as peer:
        peer.say(f"rules {write_rules(book)}", "analyze 1 60")
        time.sleep(0.3)
        began = time.monotonic()
        peer.say(line.format(rules=write_rules(book), start=book.start))
        while peer.hear("status") != "status stopped":
            pass
        assert time.monotonic() - began < 0.2  # 20 ms are promised; the machine is busy with other tests


def test_a_clock_ends_a_thought() -> None:
    log: list[str] = []
    with engine("E", log, "--level", "10") as peer:
        peer.say(f"rules {write_rules(BOOKS['hnefatafl-13'])}", "play defenders", "clock 60000 300* 1 1 1")
        began = time.monotonic()
        peer.hear("move")
        assert time.monotonic() - began < 1.0


def test_it_ends_with_its_host() -> None:
    log: list[str] = []
    with engine("E", log) as peer:
        peer.say(f"rules {write_rules(BOOKS['tablut-edge'])}", "analyze 1 60")
        assert peer.process.stdin is not None
        peer.process.stdin.close()
        assert peer.process.wait(5) == 0
