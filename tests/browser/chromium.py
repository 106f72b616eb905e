"""Start Chromium so that `navigator.gpu` has an adapter on a machine without GPU."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--mute-audio",
]


def find_chromium() -> str | None:
    """The machine's Chromium or Chrome, if it has one."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


def launch(playwright: Playwright) -> Browser:
    """Start the machine's Chromium, else the one Playwright has installed.

    Raises RuntimeError, saying how to get one, if there is neither.
    """
    found = find_chromium()
    try:
        return playwright.chromium.launch(executable_path=found, args=FLAGS)
    except Exception as error:
        raise RuntimeError(
            "browser tests need Chromium; install it (Debian: apt-get install "
            "chromium; elsewhere: python -m playwright install chromium), or leave "
            f"them out with --ignore=tests/browser; {error}"
        ) from error
