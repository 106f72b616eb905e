"""Dawn as a player: what needs no adapter, and the errors of a machine without one."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

import fogo
from fogo.errors import DeviceError
from fogo.native import dawn_gpu, wgpu_gpu


class Adapter:
    """What Dawn's adapter shows of itself, and the device it is asked for."""

    def __init__(self, *features: str) -> None:
        self.features = set(features)
        self.limits = {"max-buffer-size": 1 << 32}
        self.info = {"device": "Card", "adapter_type": "DiscreteGPU"}


@pytest.fixture
def asked(monkeypatch) -> list[dict[str, Any]]:
    """A Dawn whose devices are of wgpu-py; gives what was asked of it."""
    wgpu = pytest.importorskip("wgpu")
    asked: list[dict[str, Any]] = []

    def config(kind, m, n, k):
        return {
            "component_type": kind, "result_component_type": "f32", "m": m, "n": n,
            "k": k,
        }  # fmt: skip

    configs = [config("f16", 16, 8, 4), config("bf16", 1, 1, 1)]

    def request(adapter, **options):
        asked.append(options)
        return wgpu_gpu._adapters()[0].request_device_sync()

    extras = SimpleNamespace(
        all_toggles=lambda: dict.fromkeys(("timestamp_quantization", "other")),
        request_device_sync=request,
        get_adapter_properties=lambda adapter: {"subgroup_matrix_configs": configs},
    )
    monkeypatch.setattr(dawn_gpu, "_extras", lambda: extras)
    monkeypatch.setattr(dawn_gpu, "_ready", [wgpu])
    return asked


def test_matrix_units_are_those_that_the_device_reports(full, asked) -> None:
    gpu = dawn_gpu.DawnGpu(Adapter("subgroups", dawn_gpu.MATRIX, "depth-clip-control"))
    assert gpu.info["matrices"] == (("float16", "float32", 16, 8, 4),)
    assert gpu.features == {"subgroups", "matrix", dawn_gpu.MATRIX}
    assert asked[0]["required_features"] == sorted({"subgroups", dawn_gpu.MATRIX})
    assert asked[0]["disable_toggles"] == ["timestamp_quantization"]
    assert asked[0]["required_limits"]["max-buffer-size"] == 1 << 32


def test_matrix_units_that_are_not_there_are_not_assumed(full, asked) -> None:
    gpu = dawn_gpu.DawnGpu(Adapter("shader-f16"))
    assert gpu.info["matrices"] == () and gpu.features == {"shader-f16"}
    capabilities = fogo.webgpu.backend.capabilities(gpu)
    assert capabilities.matrices == () and "matrix" not in capabilities.features


def test_dawn_computes_what_wgpu_does(full, asked) -> None:
    device = fogo.webgpu.use_gpu(dawn_gpu.DawnGpu(Adapter("subgroups")))
    x = fogo.tensor([1.0, 2.0, 3.0], device=device)
    assert (x * 2.0 + 1.0).tolist() == [3.0, 5.0, 7.0]


def test_switches_are_turned_by_the_environment() -> None:
    on, off = dawn_gpu.toggles("")
    assert (on, off) == (list(dawn_gpu.ON), list(dawn_gpu.OFF))
    on, off = dawn_gpu.toggles("a, -b,timestamp_quantization,-disable_workgroup_init")
    assert on == ["a", "timestamp_quantization"]
    assert "b" in off and "disable_workgroup_init" in off
    assert "timestamp_quantization" not in off


def test_a_machine_whose_gpus_dawn_cannot_use(monkeypatch) -> None:
    monkeypatch.setattr(dawn_gpu, "_adapters", lambda: [])
    with pytest.raises(
        DeviceError, match="dawn: Dawn found no GPU adapter.*Vulkan 1.3"
    ):
        fogo.device("dawn")


def test_a_machine_without_wgpudawn(monkeypatch) -> None:
    monkeypatch.setattr(dawn_gpu, "_ready", [])
    monkeypatch.setitem(sys.modules, "wgpudawn", None)
    with pytest.raises(
        DeviceError, match=r"wgpudawn could not be loaded.*fogo\[dawn\]"
    ):
        fogo.device("dawn")


def test_a_listing_that_fails_says_why(monkeypatch) -> None:
    def broken():
        raise RuntimeError("no loader")

    gpu = SimpleNamespace(enumerate_adapters_sync=broken)
    monkeypatch.setattr(dawn_gpu, "_ready", [SimpleNamespace(gpu=gpu)])
    with pytest.raises(DeviceError, match="dawn: listing the GPUs failed: no loader"):
        dawn_gpu.adapters()


def test_an_adapter_that_is_not_there(monkeypatch) -> None:
    monkeypatch.setattr(dawn_gpu, "_adapters", lambda: [Adapter()])
    with pytest.raises(DeviceError, match="there is no adapter 3; this machine has 1"):
        fogo.device("dawn:3")


def test_the_environment_chooses_dawn(monkeypatch) -> None:
    monkeypatch.setenv("FOGO_GPU", "dawn")
    monkeypatch.setattr(dawn_gpu, "_adapters", lambda: [Adapter()])
    assert [a["name"] for a in wgpu_gpu.adapters()] == ["Card"]
    assert dawn_gpu.probe() == [("gpu", "Card")]
    monkeypatch.setattr(dawn_gpu, "_adapters", lambda: [])
    with pytest.raises(DeviceError, match="dawn: Dawn found no GPU adapter"):
        wgpu_gpu.open_now()


def test_importing_dawns_module_loads_no_dawn() -> None:
    import subprocess

    program = "import sys, fogo.native.dawn_gpu; print('wgpudawn' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False"]
