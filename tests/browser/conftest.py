"""Chromium with a software WebGPU adapter, for every test of the browser side."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fogo.web.server import Server

from tests.browser.chromium import launch

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STATIC = Path(__file__).parents[2] / "web" / "static"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A running Chromium; skips, with the reason, where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        with launch(playwright) as browser:
            yield browser


@pytest.fixture(scope="session")
def static_url() -> Iterator[str]:
    """The address of our own static files, served as they lie in the repository."""
    server = Server(STATIC, port=0).start()
    yield server.url
    server.stop()


@pytest.fixture
def gpu_page(chromium: Browser, static_url: str) -> Iterator[Page]:
    """A blank page of our origin, from which modules can be imported."""
    page = chromium.new_page()
    page.goto(static_url + "player.js")
    yield page
    page.close()


@pytest.fixture(scope="session")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where screenshots go: FOGO_ARTIFACTS, else a temporary folder."""
    named = os.environ.get("FOGO_ARTIFACTS")
    folder = Path(named) if named else tmp_path_factory.mktemp("artifacts")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
