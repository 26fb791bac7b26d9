"""The page's port: what is told where it cannot be had, and how a service waits for it."""

import asyncio
import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from boardd import serving
from boardd.serving import Page, PageError, TakenError
from boardd.settings import PageSettings
from tests.boardd.daemons import table
from tests.boardd.served import Face, Running, until

NOBODYS = "192.0.2.1"
"""An address that no computer has (RFC 5737)."""


@pytest.fixture
def taken() -> Iterator[socket.socket]:
    """A port that another program has."""
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        made.listen()
        yield made


def port_of(wire: socket.socket) -> int:
    return int(wire.getsockname()[1])


def test_a_page_of_a_service_waits_for_its_port(
    tmp_path: Path, taken: socket.socket, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(serving, "RETRY_S", 0.0)
    port = port_of(taken)
    refused = f"[page] port: 127.0.0.1:{port} cannot be had: Address already in use; choose another, or 0 for any"

    async def scenario() -> None:
        page = Page(PageSettings(port=port), tmp_path, waits=True)
        task = asyncio.create_task(page.serve(Face()))
        try:
            for _ in range(10):
                await asyncio.sleep(0)
            assert page.trouble == refused
            assert page.address == f"http://127.0.0.1:{port}"
            taken.close()
            await until(lambda: page.trouble is None)
            status, _, text = await Running(Face(), port).get("/")
            assert (status, "<html" in text) == (200, True)
        finally:
            await page.end(task)
            page.close()

    with caplog.at_level(logging.WARNING, logger="boardd"):
        asyncio.run(scenario())
    assert [record.getMessage() for record in caplog.records] == [
        f"{refused}; the board plays without its page, and tries again every 0 s",
        f"the page is there now: http://127.0.0.1:{port}",
    ]


def test_a_page_that_waits_can_be_ended(tmp_path: Path, taken: socket.socket) -> None:
    async def scenario() -> None:
        page = Page(PageSettings(port=port_of(taken)), tmp_path, waits=True)
        task = asyncio.create_task(page.serve(Face()))
        await asyncio.sleep(0)
        await page.end(task)
        page.close()
        assert task.cancelled()

    asyncio.run(scenario())


def test_a_port_that_is_taken_is_refused_at_once_where_nobody_waits(tmp_path: Path, taken: socket.socket) -> None:
    with pytest.raises(TakenError, match="Address already in use"):
        Page(PageSettings(port=port_of(taken)), tmp_path)


def test_an_address_that_the_network_has_not_brought_is_waited_for(tmp_path: Path) -> None:
    settings = PageSettings(host=NOBODYS, port=0)
    told = f"[page] host: found {NOBODYS}, expected an address that this computer has, or 0.0.0.0 for all"
    with pytest.raises(TakenError) as refused:
        Page(settings, tmp_path)
    assert str(refused.value) == told
    assert Page(settings, tmp_path, waits=True).trouble == told


def test_what_waiting_does_not_mend_is_refused_in_any_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def bind(self: socket.socket, address: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket, "socket", type("Bound", (socket.socket,), {"bind": bind}))
    with pytest.raises(PageError, match="cannot be had: Permission denied"):
        Page(PageSettings(port=80), tmp_path, waits=True)


def test_the_status_of_a_service_tells_that_its_page_waits(tmp_path: Path, taken: socket.socket) -> None:
    page = Page(PageSettings(port=port_of(taken)), tmp_path, waits=True)

    async def scenario() -> None:
        async with table(tmp_path / "state") as board:
            assert board.daemon._condition() == "playing"
            board.daemon._page = page
            assert board.daemon._condition().startswith("playing; [page] port: 127.0.0.1:")
            page.trouble = None
            assert board.daemon._condition() == "playing"

    asyncio.run(scenario())
