"""The browser, the folder and the server that the tests of one file about the web page share.

A driven browser keeps an event loop running in its process, which no other test may find there:
so it is started for a file, and workers are given whole files. `TRIVIUM_SLOW_PAGE` makes the page
slow, to find tests that do not wait for it: see `slowness`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.page.browsing import Server, filled, is_ready, opened, serving, soon

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser of this machine; without any, the tests are skipped."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: make setup installs it"
    )
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_api.sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
        if found is None and not own.exists():
            pytest.skip("no browser: install one with `make browser` (Debian's chromium)")
        started = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that is served."""
    return filled(tmp_path_factory.mktemp("page") / "shop")


@pytest.fixture(scope="module")
def server(shop: Path) -> Iterator[Server]:
    """One server for all tests that do not stop it."""
    with serving([shop], shop.parent / "home") as running:
        assert soon(lambda: is_ready(running, "shop"))
        yield running


@pytest.fixture
def page(browser: Any, server: Server) -> Iterator[Any]:
    """A fresh page of a wide window. Errors of the page fail the test."""
    with opened(browser, server.address, width=1440, height=900) as made:
        yield made
