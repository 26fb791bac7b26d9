"""Trace files that lost an end or changed a bit: read up to the damage or past it, told, and never a reason to fall."""

import asyncio
import json
import logging
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from boardd.errors import BoarddError
from boardd.events import End
from boardd.replay import replay
from boardd.storage.cutting import cut, text_of
from boardd.storage.trace_files import DIRECTORY_NAME, trace_files
from boardd.trace import TraceError
from tests.boardd.commands import Terminal
from tests.boardd.daemons import table
from tests.boardd.damaging import flipped

pytestmark = pytest.mark.usefixtures("quick_disk")

FLIPS, CUTS, RESTARTS = 400, 60, 12
MOVES = ["d1-d3", "c5-c4", "d3-d2"]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    directory = tmp_path_factory.mktemp("recorded")

    async def play() -> None:
        async with table(directory) as board:
            await board.make("d1", "d3")
            await board.make("c5", "c4")
            await board.make("d3", "d2")

    asyncio.run(play())
    (path,) = trace_files(directory / DIRECTORY_NAME)
    return path.read_bytes()


def damages(data: bytes, seed: int) -> Iterator[bytes]:
    rng = random.Random(seed)
    for _ in range(FLIPS):
        yield flipped(data, rng.randrange(len(data) * 8))
    for _ in range(CUTS):
        yield data[: rng.randrange(len(data))]


def test_a_replay_tells_everything_up_to_the_damage(recorded: bytes) -> None:
    whole = [event.name for event in replay(recorded.decode().splitlines(keepends=True), "whole")]
    kinds: set[str] = set()
    messages: list[str] = []
    for data in damages(recorded, 1):
        lines = data.decode(errors="surrogateescape").splitlines(keepends=True)
        told: list[str] = []
        try:
            told = [event.name for event in replay(lines, "x", warn=lambda _: kinds.add("torn"))]
            kinds.add("same" if told == whole else "other")
        except TraceError as error:
            kinds.add("told")
            messages.append(str(error))
    assert all("line " in message and "\n" not in message for message in messages)
    assert kinds == {"torn", "same", "other", "told"}


def test_a_piece_is_cut_out_of_what_is_left_and_each_bad_line_told(recorded: bytes, tmp_path: Path) -> None:
    path = tmp_path / "trace-000001.jsonl"
    told = 0
    for data in damages(recorded, 2):
        path.write_bytes(data)
        warnings: list[str] = []
        try:
            piece = cut([path], 1, warnings.append)
            *_, end = replay(text_of(piece), "piece")
        except BoarddError:
            continue
        assert isinstance(end, End)
        for warning in warnings:
            assert warning.startswith(f"{path}, line ")
        told += bool(warnings)
    assert told > 20


def test_a_restart_goes_on_after_a_damaged_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play(state: Path, origin: str, destination: str) -> None:
        async with table(state) as board:
            await board.make(origin, destination)

    rng = random.Random(3)
    files: set[int] = set()
    for number in range(RESTARTS):
        state = tmp_path / str(number)
        asyncio.run(play(state, "d1", "d3"))
        (path,) = trace_files(state / DIRECTORY_NAME)
        data = path.read_bytes()
        cut_off = number % 2
        path.write_bytes(data[: rng.randrange(len(data))] if cut_off else flipped(data, rng.randrange(len(data) * 8)))
        with caplog.at_level(logging.WARNING):
            asyncio.run(play(state, "c5", "c4"))
        found = trace_files(state / DIRECTORY_NAME)
        files.add(len(found))
        last = found[-1].read_bytes().splitlines()
        assert json.loads(last[-1])["note"] == "stopped"
        assert any(b'"drop":["c4"]' in line for line in last)
    assert caplog.records == []
    assert files == {1, 2}  # gone on with in the same file where that still can be replayed, else in a new one


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"\xff\xfe\n", "line 4: damaged, and passed over"),
        (b'{"t":1.0,"drop":["z9"]}\n', "a replay ends early: the trace, line "),
    ],
)
def test_konakis_games_trace_tells_of_damage_and_writes_the_rest(
    konakis: Terminal, recorded: bytes, tmp_path: Path, line: bytes, told: str
) -> None:
    state, config = tmp_path / "state", tmp_path / "board.toml"
    config.write_text(f'[storage]\ndirectory = "{state}"\n')

    async def play() -> None:
        async with table(state) as board:
            await board.make("d1", "d3")

    asyncio.run(play())
    (path,) = trace_files(state / DIRECTORY_NAME)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], line, *lines[3:]]))
    ran = konakis("games", "trace", 1, "--config", config)
    assert ran.status == 0
    assert told in ran.err
    assert '"drop":["d3"]' in ran.out
