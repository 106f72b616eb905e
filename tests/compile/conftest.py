"""The GPU of these tests, with Fusion and without."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import fogo
from tests.support import runtimes


@pytest.fixture(params=["fused", "unfused"])
def gpu(request: pytest.FixtureRequest) -> Iterator[fogo.Device]:
    """The machine's GPU, both ways, below autodiff."""
    runtimes.need("webgpu", runtimes.why_absent("webgpu"))
    request.node.user_properties.append(("device", "webgpu"))
    device = fogo.device("webgpu")
    yield device if request.param == "fused" else device.unfused()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Count the tests that use the GPU under "webgpu"."""
    if "gpu" in getattr(item, "fixturenames", ()):
        item.user_properties.append(("device", "webgpu"))
