"""A real Chromium, a served page and its hands, for the tests in this folder."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.browser.driving import DESKTOP, OpenPage
from tests.browser.fake_face import FakeFace
from tests.browser.playing import RunKonakis, konakis
from tests.browser.serving import serving

ARGUMENTS = [
    "--headless",
    "--no-sandbox",  # tests run as root in containers
    "--disable-gpu",
    # Nothing that calls home.
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Newer browsers keep foreign pages from the loopback interface by themselves; here our own gate has to do it.
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
]
PATIENCE_MS = 5_000
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")

PageOpener = Callable[..., OpenPage]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark whatever needs the browser."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, or a skip that says what is missing; in CI a missing browser is a failure.

    One a module and no longer: while it lives its event loop counts as running in this thread, so that tests of other
    modules could not run theirs.
    """
    path = os.environ.get("KONAKIS_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if path is None:
        message = "no Chromium: install one, or name it in KONAKIS_CHROMIUM"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What the pages' consoles complained of; at the end there must be nothing."""
    complaints: list[str] = []
    yield complaints
    assert complaints == []


@pytest.fixture
def servers() -> Iterator[ExitStack]:
    """Whatever serves pages; it ends after all pages are closed, else they would complain that it is gone."""
    with ExitStack() as servers:
        yield servers


@pytest.fixture
def visit(browser: Browser, complaints: list[str], servers: ExitStack) -> Iterator[Callable[..., Page]]:
    """Open an address: `visit(address, viewport=…, locale=…)`. (The servers are asked for so that they end later.)"""

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(f"{message.type}: {message.text}")

    with ExitStack() as stack:

        def visit(address: str, **options: Any) -> Page:
            context: BrowserContext = browser.new_context(**({"viewport": DESKTOP} | options))
            stack.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(PATIENCE_MS)
            page.on("console", hear)
            page.on("pageerror", lambda error: complaints.append(f"page: {error}"))
            page.goto(address)
            page.wait_for_selector("body.ready")
            return page

        yield visit


@pytest.fixture
def open_page(visit: Callable[..., Page], complaints: list[str], servers: ExitStack) -> PageOpener:
    """Open the page of a fake face: `open_page(face, viewport=…, locale=…)`."""

    def open_page(face: FakeFace, **options: Any) -> OpenPage:
        served = servers.enter_context(serving(face))
        return OpenPage(visit(served.address, **options), face, served, complaints)

    return open_page


@pytest.fixture
def run_konakis(tmp_path: Path, servers: ExitStack) -> RunKonakis:
    """Run daemons in one directory; each call ends the one before. Gives the page's address."""
    running = servers.enter_context(ExitStack())

    def run(**options: Any) -> str:
        running.close()
        return running.enter_context(konakis(tmp_path, **options))

    return run
