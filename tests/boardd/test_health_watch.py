import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from boardd.geometry import turned
from boardd.wiring import health_watch
from boardd.wiring.health_watch import WRITE_EVERY_S, HealthWatch
from boardd.wiring.sensor_health import Noise, read_health, write_health
from engine import Square
from hardware.news import Cell, Changed


class Disk:
    """A disk that can hang or refuse."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.free.set()
        self.refuses = False
        self.threads: set[int] = set()

    def write(self, path: Path, noise: Mapping[Square, Noise], size: int) -> bool:
        self.threads.add(threading.get_ident())
        assert self.free.wait(10)
        return not self.refuses and write_health(path, noise, size)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk()
    monkeypatch.setattr(health_watch, "write_health", disk.write)
    return disk


def change(watch: HealthWatch, t: float) -> None:
    for step in range(2):
        watch.sensed(Changed(t + step, (Cell(3),), step == 0))
        watch.step(t + step + 0.5)


def written(watch: HealthWatch) -> None:
    assert watch._writer is not None
    watch._writer.join(10)


def test_a_disk_that_hangs_is_not_waited_for(tmp_path: Path, disk: Disk) -> None:
    path = tmp_path / "health.json"
    watch = HealthWatch(40, turned(9, 0), None, frozenset(), path)
    watch.step(0.0)
    change(watch, 1.0)
    disk.free.clear()
    watch.step(WRITE_EVERY_S)
    change(watch, WRITE_EVERY_S + 1)
    watch.step(2 * WRITE_EVERY_S)  # the one before still waits
    disk.free.set()
    written(watch)
    assert read_health(path, 9)[Square(3)].changes == 2
    watch.close()
    assert read_health(path, 9)[Square(3)].changes == 4
    assert threading.get_ident() not in disk.threads


def test_what_a_full_disk_refused_is_written_later(tmp_path: Path, disk: Disk) -> None:
    path = tmp_path / "health.json"
    watch = HealthWatch(40, turned(9, 0), None, frozenset(), path)
    watch.step(0.0)
    change(watch, 1.0)
    disk.refuses = True
    watch.step(WRITE_EVERY_S)
    written(watch)
    assert not path.exists()
    disk.refuses = False
    watch.step(2 * WRITE_EVERY_S)
    written(watch)
    assert read_health(path, 9)[Square(3)].changes == 2


@pytest.mark.parametrize("content", [None, b"{", bytes(300), b"\xff\xfe", b'{"konakis_sensor_health": 1, "size": 9}'])
def test_a_file_that_cannot_be_used_is_named_in_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes | None
) -> None:
    path = tmp_path / "health.json"
    if content is not None:
        path.write_bytes(content)
    watch = HealthWatch(40, turned(9, 0), None, frozenset(), path)
    assert watch.health.noise == {}
    told = f"{path}: it cannot be used, and is passed over: how much each sensor bounces is learned anew"
    assert caplog.messages == ([] if content is None else [told])
