"""An engine that misbehaves on purpose: `python fake_engine.py BEHAVIOUR [FILE]`.

BEHAVIOUR is a word for each question in turn, joined by commas; the last goes on for ever. FILE counts the starts, so
that each start takes up where the one before left off.

    good      plays the first legal move
    hang      never answers
    crash     ends
    garbage   answers with lines that mean nothing
    illegal   chooses a move that is none
    slip      chooses a move that is none, and a legal one when it is asked again
    resign    gives up
    late      answers after 0.3 s
    stubborn  answers after 0.3 s, and hears nothing meanwhile
    mute      says no hello
    fatal     cannot play
    curious   asks about everything before it answers
    long      answers with an endless line
    flood     says for ever that it thinks
    deaf      asks for ever, and hears no answer
    twice     answers twice: the first legal move, then the last one
    child     hangs, and leaves its streams to a process of its own, whose id it writes into FILE
"""

import os
import select
import subprocess
import sys
import time
from pathlib import Path

from boardd.computer.otep import read_host, text_of
from boardd.computer.otep_messages import (
    Analysis,
    Analyze,
    Chooses,
    Complains,
    Finish,
    Goodbye,
    Hello,
    HostMessage,
    Made,
    OpponentMove,
    Play,
    Position,
    Refused,
    Rules,
    SimpleMoves,
)
from engine import Game, Move, parse_rules, square_name


def say(*lines: str) -> None:
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stdout.flush()


def behaviour(words: list[str], number: int) -> str:
    return words[min(number, len(words) - 1)]


class Fake:
    def __init__(self, words: list[str], counter: Path | None) -> None:
        self.words = words
        self.counter = counter
        self.asked = int(counter.read_text()) if counter is not None and counter.exists() else 0
        self.game: Game | None = None
        self.slipped = False
        self.word = ""

    def next(self) -> str:
        word = behaviour(self.words, self.asked)
        self.asked += 1
        if self.counter is not None:
            self.counter.write_text(str(self.asked))
        return word

    def hear(self, message: HostMessage) -> None:
        match message:
            case Rules(text):
                self.game = Game(parse_rules(text or ""))
            case Position(text):
                assert self.game is not None
                self.game = Game(self.game.book, position=text)
            case Made(position) | OpponentMove(_, position):
                assert self.game is not None
                for move in self.game.legal_moves():
                    ahead = self.game.copy()
                    ahead.play(move)
                    if ahead.position == position:
                        self.game = ahead
                        break
                else:
                    assert self.game.position == position, "told a board that no move leads to"
            case Refused():
                self.slipped = self.word == "slip"
            case Play() | Analyze():
                self.answer(message)
            case Goodbye():
                sys.exit(0)
            case _:
                pass

    def answer(self, message: HostMessage) -> None:
        assert self.game is not None
        if not self.slipped:
            self.word = self.next()
        match self.word:
            case "hang":
                while True:
                    time.sleep(60)
            case "crash":
                os._exit(3)
            case "garbage":
                say(*(f"bestmove {n} \x01" for n in range(2000)))
                return
            case "illegal":
                say("move a1-a1")
                return
            case "slip" if not self.slipped:
                say("move a1-b1")
                return
            case "resign":
                say("move ---")
                return
            case "late" if self._interrupted(0.3):
                say("status stopped")
                return
            case "stubborn":
                time.sleep(0.3)
            case "fatal":
                say(text_of(Complains(-1, "these rules are beyond me")))
                return
            case "curious":
                say("rules", "position", "side", "clock", text_of(SimpleMoves(False)), "error 0 never mind", "status x")
            case "long":
                sys.stdout.write("x" * (1 << 20))
                sys.stdout.flush()
                return
            case "flood":
                while True:
                    say(*["status thinking"] * 1000)
            case "deaf":
                while True:
                    say(*["rules"] * 1000)
            case "twice":
                first, *_, last = self.game.legal_moves()
                say(text_of(Chooses(self._text(first))), text_of(Chooses(self._text(last))))
                return
            case "child":
                assert self.counter is not None
                child = subprocess.Popen(["sleep", "600"], start_new_session=True)
                self.counter.write_text(str(child.pid))
                time.sleep(600)
        move = self.game.legal_moves()[0]
        if isinstance(message, Analyze):
            say(text_of(Analysis((((self._text(move),), 0.5),))))
        else:
            say(text_of(Chooses(self._text(move))))

    def _text(self, move: Move) -> str:
        assert self.game is not None
        return "-".join(square_name(square, self.game.size) for square in (move.origin, move.destination))

    def _interrupted(self, seconds: float) -> bool:
        if not select.select([sys.stdin], [], [], seconds)[0]:
            return False
        message = read_host(sys.stdin.readline())
        while not isinstance(message, Finish):
            if not select.select([sys.stdin], [], [], seconds)[0]:
                return False
            message = read_host(sys.stdin.readline())
        return True


def main() -> None:
    fake = Fake(sys.argv[1].split(","), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    if fake.words == ["mute"]:
        time.sleep(60)
    say(text_of(Hello()))
    for line in iter(sys.stdin.readline, ""):
        fake.hear(read_host(line))


if __name__ == "__main__":
    main()
