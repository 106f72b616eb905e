"""The GPU device of these tests, with and without what browsers do not promise.

Both run each op by itself: these tests look at single kernels and commands.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import fogo
from fogo.webgpu import use_gpu
from tests.support import runtimes


@pytest.fixture(scope="session")
def full() -> fogo.Device:
    """The machine's GPU with all that its adapter offers."""
    runtimes.need("webgpu", runtimes.why_absent("webgpu"))
    return fogo.device("webgpu").unfused()


@pytest.fixture(scope="session")
def portable() -> fogo.Device:
    """A device of its own, held to the limits that every browser has."""
    runtimes.need("webgpu", runtimes.why_absent("webgpu"))
    from fogo.native.wgpu_gpu import open_now

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOGO_GPU_LIMITS", "portable")
        return use_gpu(open_now()).unfused()


@pytest.fixture(params=["full", "portable"])
def gpu(request: pytest.FixtureRequest) -> Iterator[fogo.Device]:
    """Each of the two in turn (they differ in how float16 is stored)."""
    request.node.user_properties.append(("device", "webgpu"))
    yield request.getfixturevalue(request.param)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Count the tests that use a device of these fixtures under "webgpu"."""
    if {"full", "portable"} & set(getattr(item, "fixturenames", ())):
        item.user_properties.append(("device", "webgpu"))
