"""The Python side of the browser's GPU: Pyodide in a worker, over the player."""

from __future__ import annotations

import pytest

from fogo.errors import DeviceError
from fogo.web.browser_gpu import open_gpu
from tests.browser.pyodide import ProgramError

OPEN = """
from array import array
from fogo.web.browser_gpu import open_gpu
gpu = await open_gpu()
CODE = '''
@group(0) @binding(0) var<uniform> P: array<vec4<i32>, 1>;
@group(0) @binding(1) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  x[id.x] = x[id.x] * x[id.x] + f32(P[0].x);
}
'''
def begin():
    words = array("i", [2, 1, 1, 4, 3, 1, 0, 4, 0, 4, 1, 0, 1, 1, 1,
                        5, 1, 1, 1, 1, 1, 1, 1, 3, 7, 1, 0, 4])
    data = array("f", [1, 2, -3, 0.5])
    return gpu.play(words, [bytes(data)], [CODE])
"""
ANSWER = [4.0, 7.0, 12.0, 3.25]


def test_what_the_gpu_says_of_itself(python):
    value = python.run(OPEN + "[gpu.info, sorted(gpu.features), gpu.limits]").value
    info, features, limits = value
    assert info["software"] is True and "swiftshader" in info["name"]
    assert "subgroups" in features
    assert limits["maxStorageBuffersPerShaderStage"] >= 8


def test_reads_are_awaited(python):
    program = OPEN + "list(array('f', (await begin().result())[0]))"
    assert python.run(program).value == ANSWER


def test_reads_are_waited_for_by_stack_switching(python):
    program = (
        OPEN
        + """
class Lazy:
    def __init__(self, pending): self.pending = pending
    def __float__(self): return array('f', self.pending.wait()[0])[2]
def deep():
    return float(Lazy(begin()))
[deep(), gpu.stats()["dispatches"]]
"""
    )
    assert python.run(program).value == [ANSWER[2], 1]


def test_where_python_cannot_wait_it_says_what_to_do(python):
    program = (
        OPEN
        + """
from pyodide.code import run_js
from pyodide.ffi import create_once_callable
pending, said = begin(), []
def later():
    try: pending.wait()
    except Exception as error: said.append(type(error).__name__ + ": " + str(error))
await run_js("(f) => new Promise((done) => setTimeout(() => { f(); done(); }))")(
    create_once_callable(later))
said
"""
    )
    (said,) = python.run(program).value
    assert said.startswith("DeviceError: read: Python cannot wait for the GPU here")
    assert "await t.data_async()" in said


def test_gpu_errors_become_device_errors(python):
    program = (
        OPEN
        + """
CODE = "not wgsl"
await begin().result()
"""
    )
    with pytest.raises(ProgramError, match="DeviceError: webgpu: .*WGSL"):
        python.run(program)
    with pytest.raises(ProgramError, match="DeviceError: webgpu: .*WGSL"):
        python.run(OPEN + "CODE = 'not wgsl'\nbegin().wait()")


def test_batches_cross_the_border_once(python):
    """A batch of many runs costs little more per run than the player itself."""
    program = (
        OPEN
        + """
import time
words = array("i", [2, 1, 1, 4, 4, 1, 0, 1, 1, 1])
gpu.play(words, [], [CODE])
batch = array("i", [2] + [5, 1, 1, 1, 1, 1, 1, 1, 0] * 500)
took = []
for _ in range(20):
    start = time.perf_counter()
    gpu.play(batch, [], [])
    took.append((time.perf_counter() - start) / 500 * 1e6)
await gpu.play(array("i", [2, 7, 1, 0, 4]), [], []).result()
sorted(took)[10]
"""
    )
    microseconds = python.run(program).value
    print(f"{microseconds:.2f} µs to hand over a dispatch")
    assert microseconds < 40


def test_outside_a_browser_it_says_so():
    with pytest.raises(DeviceError, match="only for Python in a browser"):
        open_gpu().send(None)
