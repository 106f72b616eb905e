"""Open the demo's page and draw on it as a hand would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.browser.drawings import Drawing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def open_page(browser: Browser, url: str, **options: Any) -> Page:
    """A page in a context of its own, which ends with it."""
    page = browser.new_page(**options)
    page.goto(url)
    return page


def draw(page: Page, drawing: Drawing) -> None:
    """Clear the pad, take the drawing's pen, and move the mouse along its strokes."""
    page.keyboard.press("Escape")
    page.locator(f"input[value={drawing.pen}]").check()
    box = page.locator("#pad").bounding_box()
    assert box is not None
    for stroke in drawing.strokes():
        points = [
            (box["x"] + x * box["width"], box["y"] + y * box["height"])
            for x, y in stroke
        ]
        page.mouse.move(*points[0])
        page.mouse.down()
        for point in points[1:]:
            page.mouse.move(*point)
        page.mouse.up()


def shown_digit(page: Page) -> int | None:
    """The large digit on the page."""
    text = page.locator("#digit").text_content()
    return int(text) if text else None


def failure_of(page: Page, timeout_s: float = 120) -> dict[str, str] | None:
    """Wait until the page has loaded: None, or {what, message, cure} if it failed."""
    outcome = page.evaluate(
        """(ms) => Promise.race([
             fogo.loaded.then(() => ({}), (failed) => ({ failed })),
             new Promise((done) => setTimeout(done, ms, null))])""",
        timeout_s * 1000,
    )
    if outcome is None:
        raise TimeoutError(
            f"the page was still loading after {timeout_s:g} s: "
            f"{page.locator('#news').text_content()}"
        )
    failed: dict[str, str] | None = outcome.get("failed")
    return failed
