"""Nothing holds up the loop that reads the sensors: what Python does by itself."""

import gc
from pathlib import Path

import pytest

from boardd.app import Daemon, run
from boardd.settings import Settings

FEW = 5_000
"""Objects that the collector of garbage looks through in a millisecond or two; a daemon that has started has 50,000."""


def test_the_daemon_is_not_looked_through_for_garbage_while_it_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[int] = []

    async def count(daemon: Daemon, *_: object) -> None:
        left.append(len(gc.get_objects()))
        await daemon._close()

    monkeypatch.setattr(Daemon, "run", count)
    try:
        run(Settings.model_validate({"page": {"port": 0}}), tmp_path / "state", lambda _: None)
    finally:
        gc.unfreeze()
    assert left[0] < FEW
