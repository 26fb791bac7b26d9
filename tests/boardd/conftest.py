import pytest

from tests.boardd.commands import Terminal


@pytest.fixture
def konakis(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return Terminal(capsys, monkeypatch)


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk itself: these tests cut no real power."""
    monkeypatch.setattr("boardd.storage.store.SYNCHRONOUS", "OFF")
    monkeypatch.setattr("boardd.storage.trace_files.os.fsync", lambda descriptor: None)
