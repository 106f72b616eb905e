"""Devices that fuse: plain Python, and a GPU held to what every browser promises."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import fogo
from fogo.backend.fusion.stream import Fusion
from fogo.backend.python import Python
from fogo.webgpu import use_gpu
from tests.support import runtimes


@pytest.fixture(scope="session")
def fused_python() -> fogo.Device:
    """Plain Python below Fusion."""
    return fogo.Device("python", Fusion(Python()))


@pytest.fixture(scope="session")
def portable() -> fogo.Device:
    """The GPU, with browsers' limits."""
    runtimes.need("webgpu", runtimes.why_absent("webgpu"))
    from fogo.native.wgpu_gpu import open_now

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOGO_GPU_LIMITS", "portable")
        patch.setenv("FOGO_FUSION", "1")
        return use_gpu(open_now())


@pytest.fixture(params=["fused_python", "portable"])
def fused(request: pytest.FixtureRequest) -> Iterator[fogo.Device]:
    """Each of the two in turn."""
    name = {"fused_python": "python", "portable": "webgpu"}[request.param]
    request.node.user_properties.append(("device", name))
    yield request.getfixturevalue(request.param)
