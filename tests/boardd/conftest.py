import pytest

from tests.boardd.commands import Terminal


@pytest.fixture
def konakis(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return Terminal(capsys, monkeypatch)
