"""Chromium with a software WebGPU adapter, for every test of the browser side."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import fogo
from fogo.data import DownloadError, MnistDataset
from fogo.demo.net import MnistNet
from fogo.store import load_safetensors
from fogo.web.server import Server
from fogo.web.site import build_site
from tests.browser.chromium import FLAGS
from tests.browser.pages import failure_of, open_page
from tests.browser.pyodide import Place, Pyodide, serving
from tests.support import runtimes

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STATIC = Path(__file__).parents[2] / "web" / "static"
# Written by `fogo demo mnist --device numpy`: to be made anew when the net changes.
WEIGHTS = Path(__file__).with_name("mnist.safetensors")


# One browser a module: Playwright's loop counts as running until it is closed, and
# no other test of that process could use asyncio.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A running Chromium; skips, with the reason, where there is none."""
    runtimes.need("chromium", runtimes.why_absent("chromium"))
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        path = runtimes.chromium_path()
        with playwright.chromium.launch(executable_path=path, args=FLAGS) as browser:
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


@pytest.fixture(scope="session")
def pyodide_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A served folder with Pyodide, the runner and our wheel."""
    with serving(tmp_path_factory.mktemp("runner")) as place:
        yield place


@pytest.fixture(scope="module")
def python(chromium: Browser, pyodide_place: Place) -> Iterator[Pyodide]:
    """Python in a worker of Chromium, with fogo installed; shared by all tests."""
    started = Pyodide(chromium, pyodide_place)
    yield started
    started.close()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Count the tests that use the browser under "chromium"."""
    if "chromium" in getattr(item, "fixturenames", ()):
        item.user_properties.append(("device", "chromium"))


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's site: the one FOGO_SITE names, else one built from WEIGHTS."""
    named = os.environ.get("FOGO_SITE")
    if named:
        return Path(named)
    return build_site(tmp_path_factory.mktemp("demo") / "site", WEIGHTS)


@pytest.fixture(scope="session")
def site_url(site_folder: Path) -> Iterator[str]:
    """The address of the demo's site, served as `fogo demo mnist` serves it."""
    server = Server(site_folder, port=0).start()
    yield server.url
    server.stop()


@pytest.fixture
def ready_page(chromium: Browser, site_url: str) -> Iterator[Page]:
    """The demo's page with Python loaded, on the device it chose."""
    page = open_page(chromium, site_url)
    assert failure_of(page) is None
    yield page
    page.close()


@pytest.fixture(scope="session")
def test_digits() -> list[list[float]]:
    """Twenty held-out digits, two of each, as 784 values from 0 to 1."""
    try:
        digits = MnistDataset("test", mirrors=())
    except DownloadError as error:
        pytest.skip(str(error))
    chosen: dict[int, list[list[float]]] = {}
    for i in range(len(digits)):
        pixels, label = digits[i]
        found = chosen.setdefault(label, [])
        if len(found) < 2:
            found.append([value / 255 for value in pixels])
    return [pixels for label in sorted(chosen) for pixels in chosen[label]]


@pytest.fixture(scope="session")
def numpy_logits(
    site_folder: Path, test_digits: list[list[float]]
) -> list[list[float]]:
    """What the site's network says of them on the NumPy backend."""
    device = fogo.device("numpy")
    net = MnistNet(device=device)
    net.load_state_dict(load_safetensors(site_folder / "weights.safetensors", device))
    net.eval()
    x = fogo.tensor(test_digits, dtype="float32", device=device)
    return net(x.reshape((-1, 1, 28, 28))).tolist()
