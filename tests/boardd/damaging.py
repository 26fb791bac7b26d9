"""Damages a small file of games and judges what becomes of it: nothing may change unnoticed."""

import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from boardd.storage.schema import APPLICATION_ID, MIGRATIONS, DamagedStoreError, StoreError, UnusableStoreError
from boardd.storage.store import FILE_NAME, Database, GameLine, StoredGame, StoredMove
from boardd.storage.write_ahead import FRAME, HEADER, log_of

FRAME_BYTES = 4096 + FRAME.size
"""Of one page in the log, with what is told of it."""

START = "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/"
MOVES = (
    *(StoredMove("d1", "d3"), StoredMove("e3", "h3", ("h2", "h4")), StoredMove("e1", "e3")),
    *(StoredMove("c5", "c4"), StoredMove("a4", "b4"), StoredMove("d5", "d4", ("e4",))),
)
OLD = StoredGame("tablut-edge", START, "attackers", MOVES, "defenders", "resignation", "Anna", "Борис")
NEW = StoredGame(
    *("tablut-edge", START, "attackers", MOVES[:5], None, None, "Eva", "Carl"),
    removals=frozenset({"h2", "h4"}),
    board=frozenset({"a5", "h2", "h4", "i9"}),
    masked=frozenset({"b2"}),
    chosen=StoredMove("d5", "d4"),
)
NEXT = replace(NEW, moves=MOVES, removals=frozenset({"e4"}), chosen=None)


def wall() -> datetime:
    return datetime(2026, 3, 1, 18, 0, tzinfo=UTC)


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """A database, closed in any case."""
    with closing(Database(path, wall)) as database:
        yield database


def write_small(path: Path) -> None:
    """Write a finished game and one that is played, a move at a time, as a daemon does."""
    with opened(path) as database:
        for game in (OLD, NEW):
            for plies in range(len(game.moves)):
                database.write(
                    StoredGame(*("tablut-edge", START, "attackers", game.moves[:plies]), board=frozenset({"a1"})),
                    begins=plies == 0,
                )
            database.write(game)


def write_and_crash(path: Path) -> tuple[bytes, bytes]:
    """Write the same as the power leaves it; give the file and its log."""
    with opened(path) as database:
        database.write(OLD)
        for plies in range(len(NEW.moves)):
            database.write(replace(NEW, moves=MOVES[:plies]), begins=plies == 0)
        database.write(NEW)
        return path.read_bytes(), log_of(path).read_bytes()


def write_version_2(path: Path) -> None:
    """Write the same as the version before the seals did."""
    other = sqlite3.connect(path, isolation_level=None)
    other.executescript(MIGRATIONS[0])
    other.executescript(MIGRATIONS[1])
    other.executescript(
        f"""
        PRAGMA application_id = {APPLICATION_ID};
        PRAGMA user_version = 2;
        PRAGMA journal_mode = WAL;
        INSERT INTO games VALUES (1, '2025-01-01T10:00:00+00:00', 'tablut-edge', '{START}', 'attackers', 'defenders',
                                  'resignation', '2025-01-01T11:00:00+00:00', 'Anna', 'Борис', 0, NULL);
        INSERT INTO games VALUES (2, '2025-01-02T10:00:00+00:00', 'tablut-edge', '{START}', 'attackers', NULL, NULL,
                                  NULL, 'Eva', 'Carl', 1, 'd5 d4');
        INSERT INTO removals VALUES ('h4'), ('h2');
        INSERT INTO board VALUES ('i9'), ('a5'), ('h2'), ('h4');
        INSERT INTO masked VALUES ('b2');
        """
    )
    for number, game in enumerate((OLD, NEW), start=1):
        other.executemany(
            "INSERT INTO moves VALUES (?, ?, ?, ?, ?, '2025-01-01T10:00:00+00:00')",
            [
                (number, ply, move.origin, move.destination, " ".join(move.captures))
                for ply, move in enumerate(game.moves, start=1)
            ],
        )
    other.close()


def commits(log: bytes) -> list[int]:
    """Where each commit begins in a log, and where the last one ends."""
    ends = range(HEADER.size + FRAME_BYTES, len(log) + 1, FRAME_BYTES)
    return [HEADER.size, *(end for end in ends if FRAME.unpack_from(log, end - FRAME_BYTES)[1])]


@dataclass(frozen=True, slots=True)
class Content:
    """All that a file tells."""

    current: StoredGame | None
    lines: tuple[GameLine, ...]
    games: tuple[StoredGame, ...]


def content(path: Path) -> Content:
    """Read everything.

    Raises:
        StoreError: something is not as it was written.

    """
    with opened(path) as database:
        current = database.open()
        damages = database.damages()
        if damages:
            raise DamagedStoreError(damages[0])
        lines = tuple(database.games())
        return Content(current, lines, tuple(database.game(line.number) for line in lines))


def judge(damaged: bytes, log: bytes, was: Content, directory: Path) -> str:
    """Tell what becomes of a damaged file: `same`, `told` and taken over as far as it is sound, or `refused`.

    Raises:
        AssertionError: something changed unnoticed.

    """
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    path = directory / FILE_NAME
    path.write_bytes(damaged)
    if log:
        log_of(path).write_bytes(log)
    try:
        found = content(path)
    except DamagedStoreError:
        pass
    except UnusableStoreError:
        assert path.read_bytes() == damaged
        return "refused"
    else:
        assert found == was
        return _go_on(path, was)
    if not log:
        assert path.read_bytes() == damaged, "reading changed the damaged file"
    with opened(path) as database:
        try:
            current = database.open()
        except DamagedStoreError as error:
            current = database.rescue(error)
            kept = path.with_name("games-damaged-1.sqlite3")
            assert kept.read_bytes() == damaged or log
        assert current is None or _is_begin(current, was.games[(database.number or 0) - 1])
        assert log or current is None or database.number == len(was.games)
        if current is not None:
            database.write(NEXT)
        for line in database.games():
            try:
                game = database.game(line.number)
            except StoreError:
                continue
            if not (current is not None and line == database.games()[-1]):
                assert _is_begin(game, was.games[line.number - 1])
    return "told"


def _go_on(path: Path, was: Content) -> str:
    """Play on in a file that reads as it was: damage in what is free may still come to light."""
    try:
        with opened(path) as database:
            database.open()
            database.write(NEXT)
            if database.rescued is not None:
                return "told later"
        found = content(path)
    except StoreError:
        return "told later"
    assert found.current == NEXT
    assert found.games[:-1] == was.games[:-1]
    return "same"


def _is_begin(found: StoredGame, whole: StoredGame) -> bool:
    """Tell whether a game is another's begin, invented nothing, and has no result if it is shorter."""
    if found.moves != whole.moves[: len(found.moves)] or (found.rules, found.position) != (whole.rules, whole.position):
        return False
    names = (found.attackers, found.defenders) == (whole.attackers, whole.defenders)
    squares = all(
        getattr(found, name) in (getattr(whole, name), frozenset(), None)
        for name in ("removals", "board", "masked", "chosen")
    )
    result = (found.winner, found.reason)
    same = result == (whole.winner, whole.reason)
    return names and squares and (same if len(found.moves) == len(whole.moves) else result == (None, None) or same)


def flipped(data: bytes, bit: int) -> bytes:
    """Change one bit."""
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def telling_bits(data: bytes, rng: random.Random, count: int, *, empty: float = 0.0) -> list[int]:
    """Choose bits of bytes that are not zero; most of a small file is empty, and gets a share `empty` of them."""
    full = [at for at, byte in enumerate(data) if byte]
    return [
        (rng.randrange(len(data)) if rng.random() < empty else rng.choice(full)) * 8 + rng.randrange(8)
        for _ in range(count)
    ]


def tally(verdicts: Iterator[str]) -> dict[str, int]:
    """Count verdicts, the most frequent first."""
    return dict(Counter(verdicts).most_common())
