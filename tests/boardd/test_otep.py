"""OTEP: every message of both ends, read back as it was written, and what is none."""

import random
from dataclasses import replace

import pytest

from boardd.computer.otep import ENGINE_SAYS, HOST_SAYS, OtepError, read_engine, read_host, text_of
from boardd.computer.otep_messages import (
    Analysis,
    Analyze,
    AsksClock,
    Chooses,
    Clock,
    Complains,
    End,
    EngineMessage,
    Fault,
    Finish,
    Goodbye,
    Hello,
    HostMessage,
    Made,
    OpponentMove,
    Play,
    PlaysFor,
    Position,
    Refused,
    Rules,
    SimpleMoves,
    Start,
    Status,
    TimeLeft,
)
from engine import BOOKS, Game, Side, parse_rules, write_rules

ENGINE: list[tuple[str, EngineMessage]] = [
    ("hello",                                Hello()),
    ("simple-moves on",                      SimpleMoves(True)),
    ("simple-moves off",                     SimpleMoves(False)),
    ("rules",                                Rules()),
    ("position",                             Position()),
    ("side",                                 PlaysFor()),
    ("clock",                                AsksClock()),
    ("move e4-e7",                           Chooses("e4-e7")),
    ("move ---",                             Chooses("---")),
    ("analysis 1 d1-d3|e5-e2 1.25",          Analysis(((("d1-d3", "e5-e2"), 1.25),))),
    ("analysis 2 d1-d3 -3 a4-a3xa2 0.5",     Analysis(((("d1-d3",), -3.0), (("a4-a3xa2",), 0.5)))),
    ("status depth 3, 1200 nodes",           Status("depth 3, 1200 nodes")),
    ("error -1 rules: Berserk is not known", Complains(-1, "rules: Berserk is not known")),
    ("error 0 never mind",                   Complains(0, "never mind")),
]  # fmt: skip
HUGE = "9" * 400  # no float holds it
START = "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/"
HOST: list[tuple[str, HostMessage]] = [
    ("hello",                              Hello()),
    ("start",                              Start()),
    ("rules dim:9 esc:e start:" + START,   Rules("dim:9 esc:e start:" + START)),
    ("position " + START,                  Position(START)),
    ("side attackers",                     PlaysFor(Side.ATTACKERS)),
    ("clock 300000 299000",                Clock(TimeLeft(300000), TimeLeft(299000))),
    ("clock -1 -1",                        Clock(TimeLeft(-1), TimeLeft(-1))),
    ("clock 9000* 60000 10 2 3",           Clock(TimeLeft(9000, True), TimeLeft(60000), 10, 2, 3)),
    ("play defenders",                     Play(Side.DEFENDERS)),
    ("move " + START,                      Made(START)),
    ("opponent-move d1-d3 " + START,       OpponentMove(("d1-d3",), START)),
    ("opponent-move d1-d3xd4|a4-a3 /9/",   OpponentMove(("d1-d3xd4", "a4-a3"), "/9/")),
    ("error 2",                            Refused(Fault.ILLEGAL)),
    ("analyze 3 2.5",                      Analyze(3, 2.5)),
    ("finish 3",                           Finish(End.DEFENDERS_WIN)),
    ("goodbye",                            Goodbye()),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message"), ENGINE)
def test_what_an_engine_says(line: str, message: EngineMessage) -> None:
    assert read_engine(line) == message
    assert text_of(message) == line


@pytest.mark.parametrize(("line", "message"), HOST)
def test_what_a_host_says(line: str, message: HostMessage) -> None:
    assert read_host(line) == message
    assert text_of(message) == line


def test_the_tables_hold_every_message_once() -> None:
    for rows, said in ((ENGINE_SAYS, [line for line, _ in ENGINE]), (HOST_SAYS, [line for line, _ in HOST])):
        words = [row.word for row in rows]
        assert len(set(words)) == len(words)
        assert set(words) == {line.split()[0] for line in said}


@pytest.mark.parametrize(
    "line",
    [
        "", "   ", "HELLO", "hello there", "bestmove e4", "move", "move e4 e5", "simple-moves maybe", "rules dim:9",
        "analysis", "analysis x", "analysis 2 d1-d3 1", "analysis 1 d1-d3 good", "analysis -1", "error", "error x y",
        "play attackers", "goodbye", "\x00\x01\x02", "move\xa0e4-e5", "clock 1 2",
        f"error {HUGE} x", f"analysis {HUGE}",
    ],
)  # fmt: skip
def test_what_no_engine_says(line: str) -> None:
    with pytest.raises(OtepError, match=r"found .*, expected "):
        read_engine(line)


@pytest.mark.parametrize(
    "line",
    [
        "", "hi", "rules", "position", "side", "side both", "clock", "clock 1", "clock 1 2 3", "clock a b",
        "clock 1** 2", "play", "play attackers now", "move", "opponent-move", "opponent-move d1-d3",
        "opponent-move /9/",
        "error 0", "error 9", "error",
        "analyze", "analyze 1", "analyze 0 1", "analyze 1 -1", "analyze 1 inf", "analyze 1 nan",
        f"clock {HUGE} 1", f"clock 1 -{HUGE}*", f"clock 1 1 {HUGE} 1 1", f"analyze {HUGE} 1",
        "finish", "finish 4", "finish x", "goodbye all", "status x",
    ],
)  # fmt: skip
def test_what_no_host_says(line: str) -> None:
    with pytest.raises(OtepError, match=r"found .*, expected "):
        read_host(line)


def test_blanks_around_do_not_matter_and_text_stays_on_a_line() -> None:
    assert read_host("  play   attackers \r\n") == Play(Side.ATTACKERS)
    assert text_of(Status("two\nlines — and a dash")) == "status two lines ? and a dash"


def test_a_house_rules_name_may_be_in_any_script() -> None:
    ours = replace(BOOKS["tablut-edge"], name="у бабушки")
    told = read_host(text_of(Rules(write_rules(ours))).encode("ascii").decode())
    assert isinstance(told, Rules)
    assert replace(parse_rules(told.text or ""), name=ours.name) == ours


def test_real_rules_and_positions_pass() -> None:
    for book in BOOKS.values():
        rules, position = write_rules(book), Game(book).position
        assert read_host(text_of(Rules(rules))) == Rules(rules)
        assert read_host(text_of(Position(position))) == Position(position)


def test_no_text_breaks_the_readers() -> None:
    rng = random.Random(20)
    lines = [line for line, _ in ENGINE + HOST]
    for _ in range(3000):
        line = list(rng.choice(lines))
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(line) + 1)
            match rng.randrange(3):
                case 0:
                    line.insert(place, chr(rng.choice((0, 9, 32, 45, 48, 0x7F, 0xE9, 0x663, 0x1F600))))
                case 1:
                    del line[place:]
                case _:
                    line[place : place + 1] = rng.choice(lines)
        for read in (read_engine, read_host):
            try:
                message = read("".join(line))
            except OtepError:
                continue
            assert "\n" not in text_of(message)
