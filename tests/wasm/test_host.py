"""The wasmtime host: memory, calls, failures, and its absence."""

from __future__ import annotations

import math
import subprocess
import sys
from array import array
from typing import Any

import numpy as np
import pytest

import fogo
from fogo.native import wasmtime_host
from fogo.wasm.assembler import Module, get, memory_op


@pytest.fixture
def host(wasmtime: Any) -> wasmtime_host.WasmtimeHost:
    return wasmtime_host.open_host()


def storing(kinds: str) -> bytes:
    """A module whose run(address, values…) stores its values eight bytes apart."""
    names = {"i": "i32", "f": "f32", "d": "f64"}
    module = Module()
    run = module.function(["i32"] + [names[k] for k in kinds], export="run")
    for i, k in enumerate(kinds):
        run.code.extend(get(0) + get(i + 1) + memory_op(names[k] + ".store", 8 * i))
    return module.encode()


def check_call(host: wasmtime_host.WasmtimeHost) -> None:
    place = host.allocate(64)
    run = host.compile(storing("idf"), "iidf")
    run(place, -5, 0.1, 0.5)
    data = host.read(place, 24)
    assert np.frombuffer(data, "i4", 1)[0] == -5
    assert np.frombuffer(data, "f8", 1, 8)[0] == 0.1
    assert np.frombuffer(data, "f4", 1, 16)[0] == 0.5


def test_calls_carry_every_kind_of_argument(host: wasmtime_host.WasmtimeHost) -> None:
    check_call(host)


def test_wasmtimes_plain_call_will_do(
    host: wasmtime_host.WasmtimeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "_unchecked", lambda run, kinds: None)
    check_call(host)


def test_more_kernels_than_wasmtimes_own_limit(
    host: wasmtime_host.WasmtimeHost,
) -> None:
    code = storing("")
    for _ in range(10_001):
        host.compile(code, "i")


def test_a_number_beyond_float32_becomes_infinite(
    host: wasmtime_host.WasmtimeHost,
) -> None:
    place = host.allocate(16)
    run = host.compile(storing("ff"), "iff")
    run(place, 1e39, -math.inf)
    assert np.frombuffer(host.read(place, 16), "f4")[::2].tolist() == [
        math.inf,
        -math.inf,
    ]


def test_addresses_stay_when_memory_grows(host: wasmtime_host.WasmtimeHost) -> None:
    first = host.allocate(1000)
    host.write(first, bytes(range(250)) * 4)
    places = [host.allocate(48 << 20) for _ in range(4)]
    assert host.read(first, 1000) == bytes(range(250)) * 4
    host.write(places[-1], array("d", [1.5, 2.5]))
    assert array("d", host.read(places[-1], 16)).tolist() == [1.5, 2.5]
    assert all(p % 16 == 0 and p >= 65536 for p in (first, *places))


@pytest.mark.parametrize("plain", [False, True])
def test_addresses_above_2_gib(
    host: wasmtime_host.WasmtimeHost, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory that nobody touches takes no room on the machine."""
    if plain:
        monkeypatch.setattr(host, "_unchecked", lambda run, kinds: None)
    assert host.allocate(1 << 31) < 1 << 31
    place = host.allocate(64)
    assert place > 1 << 31
    host.compile(storing("i"), "ii")(place, 77)
    assert host.read(place, 4) == bytes([77, 0, 0, 0])


def test_the_end_of_memory_is_a_memory_error(host: wasmtime_host.WasmtimeHost) -> None:
    with pytest.raises(MemoryError):
        host.allocate(1 << 33)


FAILING = """
import fogo
from fogo.native.wasmtime_host import open_host
from fogo.wasm.assembler import Module
from fogo.wasm.opcodes import OP
host = open_host()
if %r:
    host._unchecked = lambda run, kinds: None
module = Module()
module.function((), export="run").code.extend(OP["unreachable"])
run = host.compile(module.encode(), "")
for _ in range(2):
    try:
        run()
    except fogo.DeviceError as error:
        print(error)
"""


# In a process of its own: pytest's faulthandler takes the signals of a trap.
@pytest.mark.parametrize("plain", [False, True])
def test_a_failing_kernel_is_reported_as_ours(wasmtime: Any, plain: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FAILING % plain], capture_output=True, text=True
    )
    lines = [x for x in done.stdout.splitlines() if x.startswith("wasm: internal: a k")]
    assert len(lines) == 2 and "unreachable" in done.stdout, done.stdout + done.stderr


def test_without_wasmtime_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    with pytest.raises(fogo.DeviceError, match="pip install wasmtime"):
        wasmtime_host.open_host()


def test_outside_a_browser_the_browsers_host_says_so() -> None:
    from fogo.web.wasm_host import open_host

    with pytest.raises(fogo.DeviceError, match="only for Python in a browser"):
        open_host()


def test_the_device_lists_what_runs_it(wasm: fogo.Device) -> None:
    kinds = {name: (kind, text) for name, kind, text in fogo.devices()}
    assert kinds["wasm"][0] == "cpu" and "wasmtime" in kinds["wasm"][1]
    assert wasm.describe().startswith("WebAssembly in wasmtime ")


def test_tensors_give_their_memory_back(wasm: fogo.Device) -> None:
    pool = wasm.backend.pool
    x = fogo.ones((1000, 1000), device=wasm)
    before = (pool.made, pool.live)
    for _ in range(20):
        x = x + 1.0
    assert pool.made <= before[0] + 2 and pool.live <= before[1] + (8 << 20)
