"""WebAssembly natively: these tests need wasmtime (the [wasm] extra)."""

from __future__ import annotations

from typing import Any

import pytest

import fogo
from tests.support import runtimes


@pytest.fixture
def wasmtime() -> Any:
    """The wasmtime module; skips, with the reason, where there is none."""
    runtimes.need("wasm", runtimes.why_absent("wasm"))
    import wasmtime

    return wasmtime


@pytest.fixture
def wasm(wasmtime: Any, request: pytest.FixtureRequest) -> fogo.Device:
    """The wasm device, counted in the report."""
    request.node.user_properties.append(("device", "wasm"))
    return fogo.device("wasm")
