"""The page beyond the loopback interface in a real browser: it watches, and with the token it acts."""

import re
import signal
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.playing import PROGRAM, STOP_S

Visit = Callable[..., Page]


class Shared:
    """A daemon that listens on all networks, at the address this computer has in all of them."""

    def __init__(self, invitation: str) -> None:
        found = re.search(r"http://\S+:(\d+)/#token=(\S+)", invitation)
        assert found, invitation
        self.address = f"http://127.0.0.1:{found.group(1)}/"
        self.token = found.group(2)


@pytest.fixture
def shared(tmp_path: Path, servers: ExitStack) -> Shared:
    config = tmp_path / "konakis.toml"
    config.write_text(f'[page]\nhost = "0.0.0.0"\nport = 0\n[storage]\ndirectory = "{tmp_path / "state"}"\n')
    process = subprocess.Popen([*PROGRAM, "run", "--config", str(config)], stdout=subprocess.PIPE, text=True)

    def stop() -> None:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=STOP_S)

    servers.callback(stop)
    assert process.stdout is not None
    process.stdout.readline()
    return Shared(process.stdout.readline())


def test_without_the_token_a_page_watches(visit: Visit, shared: Shared) -> None:
    page = visit(shared.address)
    expect(page.locator("#link")).to_have_text("Watching only")
    expect(page.locator("#brightness")).to_be_disabled()


def test_the_token_goes_out_of_sight_serves_again_and_is_asked_of_every_browser(visit: Visit, shared: Shared) -> None:
    page = visit(f"{shared.address}#token={shared.token}")
    expect(page.locator("#link")).to_have_text("Connected")
    expect(page.locator("#brightness")).to_be_enabled()
    assert page.url == shared.address
    page.goto("about:blank")
    page.goto(shared.address)
    expect(page.locator("#link")).to_have_text("Connected")
    expect(visit(shared.address).locator("#link")).to_have_text("Watching only")


def test_a_page_that_watches_acts_once_the_code_is_scanned(visit: Visit, shared: Shared) -> None:
    page = visit(shared.address)
    expect(page.locator("#link")).to_have_text("Watching only")
    page.goto(f"{shared.address}#token={shared.token}")  # only what is behind the # differs
    expect(page.locator("#link")).to_have_text("Connected")


def test_a_wrong_token_is_told_and_watches(visit: Visit, shared: Shared) -> None:
    page = visit(f"{shared.address}#token={'x' * len(shared.token)}")
    expect(page.locator("#toast")).to_contain_text("not the board's")
    expect(page.locator("#link")).to_have_text("Watching only")
