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


@pytest.fixture(scope="session")
def fused_gpu() -> fogo.Device:
    """The machine's GPU with Fusion, for tests that draw their data."""
    runtimes.need("webgpu", runtimes.why_absent("webgpu"))
    return fogo.device("webgpu")


@pytest.fixture(scope="session")
def unfused_gpu(fused_gpu: fogo.Device) -> fogo.Device:
    """The same without Fusion."""
    return fused_gpu.unfused()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Count the tests that use the GPU under "webgpu"."""
    if {"gpu", "fused_gpu"} & set(getattr(item, "fixturenames", ())):
        item.user_properties.append(("device", "webgpu"))
